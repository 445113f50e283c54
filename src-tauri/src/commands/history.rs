use kandev_session::{PromptImage, SessionInfo};
use tauri::{AppHandle, Manager as _, State};

use crate::api::{
    CommandError, Exported, Format, Mark, OpenedSession, SearchAnswer, SessionHits, Slice,
};
use crate::changes::Watches;
use crate::checks;
use crate::export;
use crate::sessions::Sessions;
use crate::snapshots::Snapshots;

/// How many rows of a journal a window gets at once.
const ROWS: usize = 400;
/// Hits of one session that a window gets at once.
const FOUND_MAX: u32 = 1_000;

/// The end of a session's journal, or what is around an event.
#[tauri::command]
#[specta::specta]
pub async fn open_session(
    sessions: State<'_, Sessions>,
    session: String,
    at: Option<u32>,
) -> Result<OpenedSession, CommandError> {
    let mut opened = sessions.open(&session, at.map(u64::from), ROWS).await?;
    opened.slice = for_page(opened.slice);
    Ok(opened)
}

/// The part of a journal before an event, or after one. It ends, or begins, beside it.
#[tauri::command]
#[specta::specta]
pub async fn session_slice(
    sessions: State<'_, Sessions>,
    session: String,
    before: Option<u32>,
    after: Option<u32>,
) -> Result<Slice, CommandError> {
    let records = sessions.records().clone();
    records
        .with(move |store| match (before, after) {
            (Some(before), _) => store.before(&session, before.into(), ROWS),
            (None, after) => store.after(&session, after.unwrap_or_default().into(), ROWS),
        })
        .await
        .map(for_page)
}

/// What is too long for a row is left out, as in the pump.
fn for_page(mut slice: Slice) -> Slice {
    let events = slice.standing.iter_mut().chain(&mut slice.events);
    events.for_each(kandev_transcript::slim);
    slice
}

/// Starts the CLI again with resume, in the same row. A session that was begun in a terminal becomes ours, in a new one.
#[tauri::command]
#[specta::specta]
pub async fn resume_session(
    sessions: State<'_, Sessions>,
    session: String,
) -> Result<SessionInfo, CommandError> {
    sessions.resume(&session).await
}

/// A session of its own that goes on from another one, or from one message of it.
#[tauri::command]
#[specta::specta]
pub async fn fork_session(
    sessions: State<'_, Sessions>,
    session: String,
    at: Option<String>,
) -> Result<SessionInfo, CommandError> {
    sessions.fork(&session, at).await
}

/// Goes back to a message and sends a prompt from there. Without a message the prompt begins a new conversation, in the same
/// journal.
#[tauri::command]
#[specta::specta]
pub async fn retry_turn(
    sessions: State<'_, Sessions>,
    session: String,
    at: Option<String>,
    text: String,
    images: Vec<PromptImage>,
) -> Result<(), CommandError> {
    checks::images(&images)?;
    sessions.retry(&session, at, text, images).await
}

/// The session's folder is another one from now on. One that was begun in a terminal becomes ours for that: the answer is
/// the id that it has now.
#[tauri::command]
#[specta::specta]
pub async fn relocate_session(
    sessions: State<'_, Sessions>,
    watches: State<'_, Watches>,
    session: String,
    folder: String,
) -> Result<String, CommandError> {
    checks::workspace(&folder)?;
    let id = sessions.relocate(&session, &folder).await?;
    watches.forget_session(&session);
    Ok(id)
}

/// Makes the session's folder again, empty.
#[tauri::command]
#[specta::specta]
pub async fn recreate_folder(
    sessions: State<'_, Sessions>,
    session: String,
) -> Result<(), CommandError> {
    sessions.recreate_folder(&session).await
}

/// Without a process the name is kept here, and told to the CLI when it runs again.
#[tauri::command]
#[specta::specta]
pub async fn rename_session(
    sessions: State<'_, Sessions>,
    session: String,
    title: String,
) -> Result<(), CommandError> {
    sessions.rename(&session, &title).await
}

#[tauri::command]
#[specta::specta]
pub async fn archive_session(
    sessions: State<'_, Sessions>,
    session: String,
    archived: bool,
) -> Result<(), CommandError> {
    sessions.archive(&session, archived).await
}

/// Forgets a session that has no process. With `cli_file`, what the CLI keeps of the conversation is deleted too; without
/// it, that is listed as one that was begun in a terminal.
#[tauri::command]
#[specta::specta]
pub async fn delete_session(
    sessions: State<'_, Sessions>,
    snapshots: State<'_, Snapshots>,
    watches: State<'_, Watches>,
    session: String,
    cli_file: bool,
) -> Result<(), CommandError> {
    let deleted = sessions.delete(&session, cli_file).await?;
    watches.forget_session(&session);
    for id in deleted {
        snapshots
            .delete(&id)
            .map_err(|error| CommandError::new("not_deleted", error.to_string()))?;
    }
    Ok(())
}

/// Writes the conversation into a new file among the downloads.
#[tauri::command]
#[specta::specta]
pub async fn export_session(
    app: AppHandle,
    sessions: State<'_, Sessions>,
    session: String,
    format: Format,
) -> Result<Exported, CommandError> {
    let row = sessions.whole(&session).await?;
    let downloads = app.path().download_dir().ok();
    let records = sessions.records().clone();
    records
        .blocking(move |store| export::write(store, &row, format, downloads))
        .await
}

/// Sessions in which these words stand.
#[tauri::command]
#[specta::specta]
pub async fn search_sessions(
    sessions: State<'_, Sessions>,
    words: String,
    limit: u32,
) -> Result<SearchAnswer, CommandError> {
    /// More than anybody reads.
    const MOST: u32 = 1_000;
    let limit = usize::try_from(limit.min(MOST)).unwrap_or_default();
    let records = sessions.records().clone();
    records.with(move |store| store.search(&words, limit)).await
}

/// Places in one session where these words stand as they are, in order, after an event (0: from the start). Large and small
/// letters are the same, and so is all white space.
#[tauri::command]
#[specta::specta]
pub async fn find_in_session(
    sessions: State<'_, Sessions>,
    session: String,
    words: String,
    after: u32,
    limit: u32,
) -> Result<SessionHits, CommandError> {
    let limit = usize::try_from(limit.min(FOUND_MAX)).unwrap_or_default();
    let (records, living) = (sessions.records().clone(), sessions.get(&session).is_ok());
    let found = records
        .with(move |store| store.find_in(&session, &words, after.into(), limit))
        .await;
    match found {
        // Its row is written with its first words, or when it was read in.
        Err(error) if error.code == "no_such_session" => Ok(SessionHits {
            through: after.into(),
            indexing: !living,
            ..SessionHits::default()
        }),
        found => found,
    }
}

/// The event with which the next prompt, error, edit or question begins after an event, or the last one before it.
#[tauri::command]
#[specta::specta]
pub async fn session_mark(
    sessions: State<'_, Sessions>,
    session: String,
    what: Mark,
    from: u32,
    back: bool,
) -> Result<Option<u32>, CommandError> {
    let records = sessions.records().clone();
    let found = records
        .with(move |store| store.mark(&session, what, from.into(), back))
        .await;
    match found {
        Err(error) if error.code == "no_such_session" => Ok(None),
        found => Ok(found?.and_then(|seq| u32::try_from(seq).ok())),
    }
}
