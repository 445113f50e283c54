//! Restoring the files of a session to what they were before a prompt, and taking that back.
//!
//! The CLI knows what the files were; what they are is copied first, so that nothing is lost by it. While a turn runs
//! nothing is restored: the agent would write into it.

use std::path::{Path, PathBuf};

use kandev_session::{Phase, Session};
use kandev_wire::request::RewindFiles;
use serde_json::json;

use crate::answers::Rewind;
use crate::api::{CommandError, Restored};
use crate::sessions::Sessions;
use crate::snapshots::{Roots, Snapshots};

/// What the journal calls it, either way.
const NOTICE: &str = "rewound";

/// What it would change.
///
/// # Errors
/// `busy`, those of taking the session up, and those of the CLI.
pub async fn preview(
    sessions: &Sessions,
    id: &str,
    message_uuid: String,
) -> Result<Rewind, CommandError> {
    let session = running(sessions, id).await?;
    ask(&session, message_uuid, true).await
}

/// Copies the files that are named, has the CLI set them back, and says which are not different after it.
///
/// # Errors
/// As [`preview`], `cannot_rewind`, `nothing_to_restore`, and those of [`Snapshots::take`], and then nothing was changed.
pub async fn rewind(
    sessions: &Sessions,
    snapshots: &Snapshots,
    id: &str,
    message_uuid: String,
) -> Result<Restored, CommandError> {
    let session = running(sessions, id).await?;
    let would = ask(&session, message_uuid.clone(), true).await?;
    if !would.can_rewind {
        let why = "Claude Code has no earlier state of the files for this prompt";
        let why = would.error.unwrap_or_else(|| why.to_owned());
        return Err(CommandError::new("cannot_rewind", why));
    }
    if would.files_changed.is_empty() {
        return Err(CommandError::new(
            "nothing_to_restore",
            "The files are what they were before this prompt.",
        ));
    }
    let roots = roots(&session.info().workspace)?;
    let (taker, name, uuid) = (snapshots.clone(), id.to_owned(), message_uuid.clone());
    let (within, files) = (roots.clone(), would.files_changed);
    let taken = blocking(move || taker.take(&name, &within, Some(&uuid), &files, &now())).await?;
    // Nobody else may have begun a turn meanwhile.
    not_busy(&session)?;
    let done = ask(&session, message_uuid.clone(), false).await?;
    if !done.can_rewind {
        let why = done.error.unwrap_or_else(|| "no reason was given".into());
        let text = format!("Claude Code did not set the files back: {why}");
        return Err(CommandError::new("cannot_rewind", text));
    }
    let (checker, manifest) = (snapshots.clone(), taken.clone());
    let left = blocking(move || checker.unchanged(&manifest, &roots)).await?;
    let restored = Restored {
        snapshot: taken.number.to_string(),
        files: taken.paths(),
        left,
    };
    tell(&session, "before a prompt", Some(&message_uuid), &restored);
    Ok(restored)
}

/// Puts the files of a snapshot back.
///
/// # Errors
/// `busy`, those of an actor, and those of [`Snapshots::take`] and [`Snapshots::put_back`].
pub async fn redo(
    sessions: &Sessions,
    snapshots: &Snapshots,
    id: &str,
    snapshot: &str,
) -> Result<Restored, CommandError> {
    let number = snapshot.parse::<u32>().map_err(|_| {
        let text = format!("{snapshot} is not the number of a copy");
        CommandError::new("no_such_snapshot", text)
    })?;
    let session = sessions.actor(id).await?;
    not_busy(&session)?;
    let roots = roots(&session.info().workspace)?;
    let (snapshots, name) = (snapshots.clone(), id.to_owned());
    let taken = blocking(move || {
        let _alone = snapshots.one_by_one();
        let paths = snapshots.manifest(&name, number)?.paths();
        let taken = snapshots.take(&name, &roots, None, &paths, &now())?;
        snapshots.put_back(&name, number, &roots)?;
        Ok(taken)
    })
    .await?;
    let restored = Restored {
        snapshot: taken.number.to_string(),
        files: taken.paths(),
        left: Vec::new(),
    };
    tell(&session, "before they were restored", None, &restored);
    Ok(restored)
}

/// The session with a process, which is started if there is none, and no turn.
async fn running(sessions: &Sessions, id: &str) -> Result<Session, CommandError> {
    let session = sessions.ready(id).await?;
    session.resume().await?;
    not_busy(&session)?;
    Ok(session)
}

/// No turn runs that could write to the files.
///
/// # Errors
/// `busy`.
pub fn not_busy(session: &Session) -> Result<(), CommandError> {
    match session.info().phase {
        Phase::Starting | Phase::Idle | Phase::Background | Phase::Stopped | Phase::Failed => {
            Ok(())
        }
        Phase::Thinking
        | Phase::Streaming
        | Phase::Tool
        | Phase::Approval
        | Phase::Question
        | Phase::RateLimited
        | Phase::Retrying
        | Phase::Compacting => Err(CommandError::new(
            "busy",
            "A turn is running and may write to these files: interrupt it, or wait for its end.",
        )),
    }
}

async fn ask(session: &Session, uuid: String, dry_run: bool) -> Result<Rewind, CommandError> {
    let rewind = RewindFiles {
        user_message_id: uuid,
        dry_run,
    };
    Ok(session.request(rewind).await?.into())
}

/// The workspace, and where the CLI writes plans, which it sets back too.
pub fn roots(workspace: &str) -> Result<Roots, CommandError> {
    let plans = config_folder().map(|folder| folder.join("plans"));
    let plans: Vec<PathBuf> = plans.into_iter().collect();
    Roots::new(Path::new(workspace), &plans)
}

fn config_folder() -> Option<PathBuf> {
    let named = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty());
    named
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".claude")))
}

fn tell(session: &Session, when: &str, message_uuid: Option<&str>, restored: &Restored) {
    let count = restored.files.len();
    let files = if count == 1 { "file is" } else { "files are" };
    let text = format!("{count} {files} what they were {when}. What they were until now is kept.");
    let data = json!({
        "message_uuid": message_uuid,
        "snapshot": restored.snapshot,
        "files": restored.files,
        "left": restored.left,
    });
    session.notices().tell_with(NOTICE, text, data);
}

/// Does what waits for the disk.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CommandError> + Send + 'static,
) -> Result<T, CommandError> {
    let failed = |error: tokio::task::JoinError| CommandError::new("failed", error.to_string());
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}

/// RFC 3339.
pub fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let ms = u64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(u64::MAX);
    kandev_transcript::at(ms)
}
