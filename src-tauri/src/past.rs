//! The sessions without an actor: those of the registry and those that were begun in a terminal, as one list.
//!
//! A conversation has one row, however many files and rows the CLI and we have of it. What is in here is pure; `listing`
//! reads.

pub mod listing;
#[cfg(test)]
pub mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kandev_session::{Phase, SessionInfo};
use kandev_store::{Source, StoredSession, TerminalSession};

use crate::api::PastSession;

/// Newest first.
pub type PastList = Arc<Vec<Arc<PastSession>>>;

/// The row of a session of ours.
pub fn of_ours(session: StoredSession, folder_gone: bool) -> PastSession {
    PastSession {
        folder_gone,
        id: session.id,
        cli_session_id: session.cli_session_id,
        title: session.title,
        workspace: session.workspace,
        state: session.state,
        since: session.since,
        updated_at: session.updated_at,
        policy: session.policy,
        model: session.model,
        source: session.source,
        archived: session.archived,
        rehearsal: session.rehearsal,
        problem: session.problem,
        forked_from: session.forked_from,
        owner: None,
        cleanup_at: None,
        last_seq: Some(session.last_seq),
        size_bytes: None,
    }
}

/// The row of one that was begun in a terminal. `last_seq` when it was read in.
pub fn of_terminal(session: TerminalSession, last_seq: Option<u64>) -> PastSession {
    PastSession {
        cli_session_id: Some(session.id.clone()),
        id: session.id,
        title: session.title,
        workspace: session.workspace,
        folder_gone: session.folder_gone,
        state: Phase::Stopped,
        since: session.updated_at.clone(),
        updated_at: session.updated_at,
        policy: None,
        model: session.model,
        source: Source::Terminal,
        archived: session.archived,
        rehearsal: false,
        problem: None,
        forked_from: session.forked_from,
        owner: None,
        cleanup_at: session.cleanup_at,
        last_seq,
        size_bytes: Some(session.size_bytes),
    }
}

/// One row for each conversation, newest first. Of several rows of ours the newest counts, and it counts before what a
/// folder lists.
pub fn merge(ours: Vec<PastSession>, terminal: Vec<PastSession>) -> Vec<PastSession> {
    let mut rows: Vec<PastSession> = Vec::with_capacity(ours.len() + terminal.len());
    let mut place: HashMap<String, usize> = HashMap::new();
    for row in ours {
        // A recording names the same id each time it is played.
        let cli = row.cli_session_id.clone().filter(|_| !row.rehearsal);
        match cli.as_ref().and_then(|cli| place.get(cli)) {
            Some(&known) => {
                if rows[known].updated_at < row.updated_at {
                    rows[known] = row;
                }
            }
            None => {
                if let Some(cli) = cli {
                    place.insert(cli, rows.len());
                }
                rows.push(row);
            }
        }
    }
    let is_new = |row: &PastSession| {
        let cli = row.cli_session_id.as_ref();
        cli.is_none_or(|cli| !place.contains_key(cli))
    };
    rows.extend(terminal.into_iter().filter(is_new));
    rows.sort_by(|a, b| {
        b.updated_at
            .cmp(&a.updated_at)
            .then_with(|| a.id.cmp(&b.id))
    });
    rows
}

/// A row whose state needs a process says so only while somebody has it open.
pub fn settle(row: &mut PastSession) {
    let is_over = matches!(row.state, Phase::Stopped | Phase::Failed);
    if !is_over && row.owner.is_none() {
        row.state = Phase::Stopped;
    }
}

/// The same list, with the rows of `known` in the place of equal ones, so that what did not change is not told again.
pub fn share(known: &PastList, rows: Vec<PastSession>) -> PastList {
    let by_id: HashMap<&str, &Arc<PastSession>> =
        known.iter().map(|row| (row.id.as_str(), row)).collect();
    let rows = rows.into_iter().map(|row| match by_id.get(&*row.id) {
        Some(known) if ***known == row => Arc::clone(known),
        _ => Arc::new(row),
    });
    Arc::new(rows.collect())
}

/// The rows that no living session stands for.
pub fn without(past: &PastList, living: &[SessionInfo]) -> PastList {
    if living.is_empty() {
        return Arc::clone(past);
    }
    let ids: HashSet<&str> = living.iter().map(|info| info.id.as_str()).collect();
    let real = living.iter().filter(|info| !info.rehearsal);
    let cli: HashSet<&str> = real
        .filter_map(|info| info.cli_session_id.as_deref())
        .collect();
    let lives = |row: &PastSession| {
        let same = row.cli_session_id.as_deref();
        ids.contains(row.id.as_str())
            || (!row.rehearsal && same.is_some_and(|same| cli.contains(same)))
    };
    let rows = past.iter().filter(|row| !lives(row)).cloned();
    Arc::new(rows.collect())
}
