//! The registry: a row for each session, with what it takes to list it and to take it up again.

mod columns;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use kandev_session::{EnvVar, NewSession, Past, Phase, Policy, SessionInfo, StopCheck, redact};
use kandev_transcript::Event;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{Store, StoreError, journal};
pub(crate) use columns::{by_key, by_stored_key, insert, read, update, update_living};

pub(crate) const TABLES: &str = "
CREATE TABLE sessions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    cli_session_id TEXT,
    title TEXT NOT NULL,
    titled INTEGER NOT NULL,
    workspace TEXT NOT NULL,
    state TEXT NOT NULL,
    since TEXT NOT NULL,
    policy TEXT,
    permission_mode TEXT,
    model TEXT,
    effort TEXT,
    stop_check TEXT NOT NULL,
    permission_timeout_s INTEGER,
    cli_path TEXT,
    env TEXT NOT NULL,
    started_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    source TEXT NOT NULL,
    archived INTEGER NOT NULL,
    rehearsal INTEGER NOT NULL,
    problem TEXT,
    last_message_uuid TEXT,
    cli_version TEXT,
    host TEXT,
    forked_from TEXT
) STRICT;
CREATE INDEX sessions_cli ON sessions (cli_session_id) WHERE cli_session_id IS NOT NULL;
CREATE INDEX sessions_updated ON sessions (source, updated_at);
";

/// Where a session was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Here, by the app or by `kandev run`.
    Kandev,
    /// By the CLI itself, in a terminal.
    Terminal,
}

/// A row of the registry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct StoredSession {
    /// Ours. For one that was begun in a terminal, the CLI's.
    pub id: String,
    pub cli_session_id: Option<String>,
    pub title: String,
    /// The title says something of the conversation, so no prompt takes its place.
    pub titled: bool,
    /// The folder where the session began.
    pub workspace: String,
    pub state: Phase,
    /// Since when it is in this state, RFC 3339.
    pub since: String,
    /// Absent for a session of a terminal that was never taken up here.
    pub policy: Option<Policy>,
    pub permission_mode: Option<String>,
    pub model: Option<String>,
    pub effort: Option<String>,
    pub stop_check: StopCheck,
    /// Seconds, as in [`NewSession::permission_timeout_s`].
    pub permission_timeout_s: Option<u32>,
    /// A CLI chosen by hand.
    pub cli_path: Option<String>,
    /// Without the variables whose names say that they are secrets.
    pub env: Vec<EnvVar>,
    /// RFC 3339.
    pub started_at: String,
    /// RFC 3339, of the newest event or change.
    pub updated_at: String,
    pub source: Source,
    pub archived: bool,
    /// Played by the rehearsal CLI.
    pub rehearsal: bool,
    /// Why it failed or stopped, in words a person can act on.
    pub problem: Option<String>,
    /// The newest event's number, 0 when there is none.
    #[specta(type = specta_typescript::Number)]
    pub last_seq: u64,
    /// The message after which a resume may cut.
    pub last_message_uuid: Option<String>,
    pub cli_version: Option<String>,
    /// Where its CLI runs if not here: `wsl:NAME`.
    pub host: Option<String>,
    /// The CLI's id of the session from which this one was forked.
    pub forked_from: Option<String>,
}

impl StoredSession {
    /// A row of which nothing else is known; `at` is when all of it was, RFC 3339.
    pub fn bare(id: impl Into<String>, source: Source, at: &str) -> Self {
        Self {
            id: id.into(),
            cli_session_id: None,
            title: String::new(),
            titled: false,
            workspace: String::new(),
            state: Phase::Stopped,
            since: at.to_owned(),
            policy: None,
            permission_mode: None,
            model: None,
            effort: None,
            stop_check: StopCheck::default(),
            permission_timeout_s: None,
            cli_path: None,
            env: Vec::new(),
            started_at: at.to_owned(),
            updated_at: at.to_owned(),
            source,
            archived: false,
            rehearsal: false,
            problem: None,
            last_seq: 0,
            last_message_uuid: None,
            cli_version: None,
            host: None,
            forked_from: None,
        }
    }

    /// The row of a session that begins.
    pub fn new(info: &SessionInfo, request: &NewSession) -> Self {
        let mut row = Self {
            workspace: info.workspace.clone(),
            state: info.phase,
            since: String::new(),
            policy: Some(info.policy),
            rehearsal: info.rehearsal,
            ..Self::bare(info.id.clone(), Source::Kandev, &info.started_at)
        };
        row.title.clone_from(&info.title);
        row.take(info);
        row.chosen(request);
        row
    }

    /// Takes over what a person has chosen for it.
    pub(crate) fn chosen(&mut self, request: &NewSession) {
        let kept = |var: &&EnvVar| !redact::is_secret_name(&var.name);
        self.stop_check = request.stop_check;
        self.cli_path.clone_from(&request.cli_path);
        self.env = request.env.iter().filter(kept).cloned().collect();
    }

    /// Takes over what a living session says of itself. What it does not know yet is not forgotten.
    pub(crate) fn take(&mut self, info: &SessionInfo) {
        fn newer<T: Clone>(kept: &mut Option<T>, said: &Option<T>) {
            if said.is_some() {
                kept.clone_from(said);
            }
        }
        // A session begins under the name of its folder.
        self.titled |= self.title != info.title;
        self.title.clone_from(&info.title);
        self.state = info.phase;
        self.since.clone_from(&info.since);
        self.policy = Some(info.policy);
        self.permission_timeout_s = info.permission_timeout_s;
        self.problem.clone_from(&info.problem);
        // A conversation of which the CLI has kept nothing has no id any more.
        self.cli_session_id.clone_from(&info.cli_session_id);
        newer(&mut self.permission_mode, &info.permission_mode);
        newer(&mut self.model, &info.model);
        newer(&mut self.effort, &info.effort);
        newer(&mut self.last_message_uuid, &info.last_message_uuid);
        newer(&mut self.cli_version, &info.cli_version);
        newer(&mut self.forked_from, &info.forked_from);
        if self.updated_at < info.since {
            self.updated_at.clone_from(&info.since);
        }
    }

    /// Whether no process is said to carry it.
    pub fn is_over(&self) -> bool {
        matches!(self.state, Phase::Stopped | Phase::Failed)
    }

    /// What it takes to start it once more, from the folder where it began and as narrowly as it was.
    pub fn request(&self) -> NewSession {
        NewSession {
            workspace: self.workspace.clone(),
            policy: self.policy.unwrap_or_default(),
            permission_mode: self.permission_mode.clone(),
            model: self.model.clone(),
            effort: self.effort.clone(),
            env: self.env.clone(),
            cli_path: self.cli_path.clone(),
            resume: self.cli_session_id.clone(),
            resume_at: None,
            stop_check: self.stop_check,
            permission_timeout_s: self.permission_timeout_s,
            fork: false,
        }
    }

    /// What a session goes on from that takes up this one; `standing` as [`Store::standing`] gives it.
    pub fn past(&self, standing: Vec<Event>) -> Past {
        Past {
            last_seq: self.last_seq,
            cli_session_id: self.cli_session_id.clone(),
            title: self.title.clone(),
            // Once something was said, the title is of that.
            titled: self.titled || self.last_message_uuid.is_some(),
            permission_mode: self.permission_mode.clone(),
            model: self.model.clone(),
            effort: self.effort.clone(),
            phase: self.state,
            since: self.since.clone(),
            started_at: self.started_at.clone(),
            problem: self.problem.clone(),
            cli_version: self.cli_version.clone(),
            last_message_uuid: self.last_message_uuid.clone(),
            forked_from: self.forked_from.clone(),
            standing,
        }
    }
}

/// The ids of our sessions that are said to have a process.
pub(crate) fn living(conn: &Connection) -> Result<Vec<String>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT id FROM sessions WHERE source = 'kandev' AND state NOT IN ('stopped', 'failed')",
    )?;
    let ids = select.query_map([], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// The key of a session's row, by our id alone.
pub(crate) fn own_key(conn: &Connection, id: &str) -> Result<i64, StoreError> {
    conn.prepare_cached("SELECT key FROM sessions WHERE id = ?")?
        .query_row([id], |row| row.get(0))
        .optional()?
        .ok_or_else(|| StoreError::NoSuchSession(id.to_owned()))
}

/// The key of a session's row, by our id or else by the CLI's: of several, the newest of ours.
pub(crate) fn key(conn: &Connection, id: &str) -> Result<i64, StoreError> {
    match own_key(conn, id) {
        Err(StoreError::NoSuchSession(_)) => {}
        other => return other,
    }
    conn.prepare_cached(
        "SELECT key FROM sessions WHERE cli_session_id = ?
         ORDER BY source = 'kandev' DESC, updated_at DESC LIMIT 1",
    )?
    .query_row([id], |row| row.get(0))
    .optional()?
    .ok_or_else(|| StoreError::NoSuchSession(id.to_owned()))
}

impl Store {
    /// The rows of our own sessions, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn sessions(&self) -> Result<Vec<StoredSession>, StoreError> {
        self.read(|conn| {
            let mut select = conn.prepare_cached(&format!(
                "{} WHERE source = 'kandev' ORDER BY updated_at DESC",
                columns::SELECT
            ))?;
            let mut rows = select.query([])?;
            let mut sessions = Vec::new();
            while let Some(row) = rows.next()? {
                sessions.push(read(row)?);
            }
            Ok(sessions)
        })
    }

    /// The sessions of terminals of which something is in the journal, and the number of the last event of each.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn read_in(&self) -> Result<HashMap<String, u64>, StoreError> {
        self.read(|conn| {
            let mut select =
                conn.prepare_cached(&format!("{} WHERE source = 'terminal'", columns::SELECT))?;
            let mut rows = select.query([])?;
            let mut sessions = HashMap::new();
            while let Some(row) = rows.next()? {
                let session = read(row)?;
                if session.last_seq > 0 {
                    sessions.insert(session.id, session.last_seq);
                }
            }
            Ok(sessions)
        })
    }

    /// The row of one session, whatever its source, by our id or the CLI's.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn session(&self, id: &str) -> Result<Option<StoredSession>, StoreError> {
        self.read(|conn| match key(conn, id) {
            Ok(key) => columns::by_key(conn, key).map(Some),
            Err(StoreError::NoSuchSession(_)) => Ok(None),
            Err(error) => Err(error),
        })
    }

    /// Writes a whole row: a new one, or in the place of the one that has its id. `last_seq` follows from the journal.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn put(&self, session: &StoredSession) -> Result<(), StoreError> {
        let session = session.clone();
        self.write(move |tx| {
            insert(tx, &session)?;
            update(tx, &session)
        })?;
        self.registry_changed();
        Ok(())
    }

    /// Gives a session a title of the user's own.
    ///
    /// # Errors
    /// `NoSuchSession`, and when the database cannot be written.
    pub fn rename(&self, id: &str, title: &str) -> Result<(), StoreError> {
        self.set(id, "title = ?2, titled = 1", title.to_owned())
    }

    /// Takes a session out of the list, or puts it back.
    ///
    /// # Errors
    /// As [`Store::rename`].
    pub fn archive(&self, id: &str, archived: bool) -> Result<(), StoreError> {
        self.set(id, "archived = ?2", archived)
    }

    /// Names the folder from which the session is resumed from now on.
    ///
    /// # Errors
    /// As [`Store::rename`].
    pub fn relocate(&self, id: &str, workspace: &str) -> Result<(), StoreError> {
        self.set(id, "workspace = ?2", workspace.to_owned())
    }

    /// Forgets a session and its journal. The CLI's own file stays.
    ///
    /// # Errors
    /// As [`Store::rename`].
    pub fn delete(&self, id: &str) -> Result<(), StoreError> {
        let id = id.to_owned();
        self.write(move |tx| {
            let key = key(tx, &id)?;
            journal::clear(tx, key)?;
            tx.execute("DELETE FROM sessions WHERE key = ?", [key])?;
            Ok(())
        })?;
        self.registry_changed();
        Ok(())
    }

    fn set(
        &self,
        id: &str,
        what: &'static str,
        value: impl rusqlite::ToSql + Send + 'static,
    ) -> Result<(), StoreError> {
        let id = id.to_owned();
        self.write(move |tx| {
            let key = key(tx, &id)?;
            let sql = format!("UPDATE sessions SET {what} WHERE key = ?1");
            tx.execute(&sql, params![key, value])?;
            Ok(())
        })?;
        self.registry_changed();
        Ok(())
    }
}
