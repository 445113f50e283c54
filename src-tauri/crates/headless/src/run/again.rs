//! Taking up a session that was here before: which one, who else has it open, and with what it goes on.

use std::fmt;
use std::path::Path;

use anyhow::Result;
use kandev_session::{NewSession, Past, Policy, StopCheck, host_here, resumable_here};
use kandev_store::{Claim, Owner, Source, StoredSession, TerminalSession};

use crate::desk::{Desk, Found, NotFound};

/// What this program is called to others that want the same conversation.
pub const WHO: &str = "kandev run";

/// A session that goes on.
pub struct Again {
    pub id: String,
    pub request: NewSession,
    pub past: Past,
    pub claim: Claim,
}

/// It is there and is not to be taken up now.
#[derive(Debug)]
pub struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// What was said on the command line, where it differs from what the session has.
#[derive(Debug, Default)]
pub struct Wanted {
    pub workspace: Option<String>,
    pub policy: Option<Policy>,
    pub permission_mode: Option<String>,
    pub model: Option<String>,
    pub cli_path: Option<String>,
    /// The rehearsal CLI plays it.
    pub rehearsal: bool,
}

/// The session of this name, ready to go on; `None` when only the CLI can know it.
///
/// # Errors
/// `Refused` when somebody else has it open, or it was begun on another host, or when it is a rehearsal that is over; `NotFound` when several have the name.
pub fn take_up(desk: &Desk, name: &str, wanted: Wanted) -> Result<Option<Again>> {
    let row = match desk.find(name) {
        Ok(Found::Ours(row)) if row.source == Source::Kandev => *row,
        Ok(Found::Ours(row)) => return adopt(desk, name, *row, wanted).map(Some),
        Ok(Found::Terminal(session)) => {
            let row = of_terminal(desk, &session)?;
            return adopt(desk, &session.id, row, wanted).map(Some);
        }
        Err(error)
            if error
                .downcast_ref::<NotFound>()
                .is_some_and(NotFound::is_unknown) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if row.rehearsal && !wanted.rehearsal {
        return Err(refused(
            "a rehearsal that has ended can be read and not gone on with: there is no conversation behind it",
        ));
    }
    on_this_host(&row)?;
    // The app numbers the events of a session that is on its list, also while that has no process.
    if let Some(owner) = desk.store.claimed(&row.id) {
        return Err(owned(&owner));
    }
    if !row.is_over() {
        return Err(refused("the session is still running"));
    }
    let cli = row.cli_session_id.clone();
    let claim = claim(desk, cli.as_deref().unwrap_or(&row.id))?;
    // What was said in it in a terminal meanwhile belongs to it.
    let row = match cli.is_some() && !row.rehearsal {
        true => {
            desk.terminal().catch_up(&row.id)?;
            desk.store.session(&row.id)?.unwrap_or(row)
        }
        false => row,
    };
    again(desk, row, claim, wanted).map(Some)
}

/// A conversation that was begun in a terminal becomes one of ours, with an id of its own.
fn adopt(desk: &Desk, id: &str, theirs: StoredSession, wanted: Wanted) -> Result<Again> {
    on_this_host(&theirs)?;
    let claim = claim(desk, id)?;
    let row = StoredSession {
        id: uuid::Uuid::new_v4().to_string(),
        source: Source::Kandev,
        policy: Some(wanted.policy.unwrap_or_default()),
        stop_check: StopCheck::Tell,
        ..theirs
    };
    desk.terminal().take_over(id, &row)?;
    let row = desk.store.session(&row.id)?.unwrap_or(row);
    again(desk, row, claim, wanted)
}

fn of_terminal(desk: &Desk, session: &TerminalSession) -> Result<StoredSession> {
    let row = desk.terminal().row(&session.id)?;
    Ok(StoredSession {
        last_message_uuid: session.last_message_uuid.clone(),
        ..row
    })
}

fn claim(desk: &Desk, cli_session_id: &str) -> Result<Claim> {
    let claim = desk
        .store
        .claim(cli_session_id, WHO)
        .map_err(|owner| owned(&owner))?;
    // A Claude Code in a terminal holds no lock of ours.
    match desk.terminal().owners().remove(cli_session_id) {
        Some(owner) if owner.pid != std::process::id() => Err(owned(&owner)),
        _ => Ok(claim),
    }
}

fn again(desk: &Desk, row: StoredSession, claim: Claim, wanted: Wanted) -> Result<Again> {
    let mut past = row.past(desk.store.standing(&row.id)?);
    let mut request = row.request();
    if let Some(folder) = &wanted.workspace
        && !is_same(folder, &request.workspace)
    {
        eprintln!(
            "kandev: the session began in {}, where Claude Code keeps it, and goes on there",
            request.workspace
        );
    }
    if let Some(policy) = wanted.policy
        && policy != request.policy
    {
        request.policy = policy;
        // The mode was that of the other policy.
        request.permission_mode = None;
        past.permission_mode = None;
    }
    if wanted.permission_mode.is_some() {
        past.permission_mode.clone_from(&wanted.permission_mode);
        request.permission_mode = wanted.permission_mode;
    }
    if wanted.model.is_some() {
        past.model.clone_from(&wanted.model);
        request.model = wanted.model;
    }
    request.cli_path = wanted.cli_path.or(request.cli_path);
    Ok(Again {
        id: row.id,
        request,
        past,
        claim,
    })
}

fn on_this_host(row: &StoredSession) -> Result<()> {
    match &row.host {
        Some(host) => {
            resumable_here(Some(host), host_here().as_deref()).map_err(|why| refused(&why))
        }
        None => Ok(()),
    }
}

fn is_same(one: &str, other: &str) -> bool {
    let real = |path: &str| Path::new(path).canonicalize().ok();
    one == other || real(one).is_some_and(|one| real(other) == Some(one))
}

fn owned(owner: &Owner) -> anyhow::Error {
    refused(&format!(
        "the session is {}; end it there first",
        owner.what
    ))
}

fn refused(why: &str) -> anyhow::Error {
    Refused(why.to_owned()).into()
}
