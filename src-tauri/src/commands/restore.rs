use tauri::State;

use crate::answers::Rewind;
use crate::api::{CommandError, Restored};
use crate::restoring;
use crate::sessions::Sessions;
use crate::snapshots::Snapshots;

/// What it would change to set the files back to what they were before a prompt. Resumes the CLI if it does not run.
#[tauri::command]
#[specta::specta]
pub async fn rewind_preview(
    sessions: State<'_, Sessions>,
    session: String,
    message_uuid: String,
) -> Result<Rewind, CommandError> {
    restoring::preview(&sessions, &session, message_uuid).await
}

/// Sets the files back, once they are copied as they are.
#[tauri::command]
#[specta::specta]
pub async fn rewind_session(
    sessions: State<'_, Sessions>,
    snapshots: State<'_, Snapshots>,
    session: String,
    message_uuid: String,
) -> Result<Restored, CommandError> {
    restoring::rewind(&sessions, &snapshots, &session, message_uuid).await
}

/// Puts the files of a snapshot back, once those that are there now are copied in their turn.
#[tauri::command]
#[specta::specta]
pub async fn redo_rewind(
    sessions: State<'_, Sessions>,
    snapshots: State<'_, Snapshots>,
    session: String,
    snapshot: String,
) -> Result<Restored, CommandError> {
    restoring::redo(&sessions, &snapshots, &session, &snapshot).await
}
