use kandev_session::{Decision, NewSession, PromptImage, SessionInfo};
use tauri::State;

use crate::api::{CommandError, FirstPrompt};
use crate::checks;
use crate::opening::Opening;
use crate::sessions::Sessions;
use crate::settings::SettingsFile;

/// The first prompt belongs to the start: if that fails, the prompt comes back with it, and nothing is tried twice.
#[tauri::command]
#[specta::specta]
pub async fn start_session(
    sessions: State<'_, Sessions>,
    settings: State<'_, SettingsFile>,
    request: NewSession,
    first: Option<FirstPrompt>,
) -> Result<SessionInfo, CommandError> {
    checks::workspace(&request.workspace)?;
    if let Some(path) = &request.cli_path {
        checks::executable(path)?;
    }
    if let Some(first) = &first {
        checks::images(&first.images)?;
    }
    settings.remember(&request.workspace)?;
    sessions.start(request, first).await
}

/// The tour, or the recording that the app was started with.
#[tauri::command]
#[specta::specta]
pub async fn start_rehearsal(
    sessions: State<'_, Sessions>,
    opening: State<'_, Opening>,
) -> Result<SessionInfo, CommandError> {
    sessions.rehearse(opening.recording.as_deref(), opening.speed)
}

/// A session of ours without a process is resumed first.
#[tauri::command]
#[specta::specta]
pub async fn send_prompt(
    sessions: State<'_, Sessions>,
    session: String,
    text: String,
    images: Vec<PromptImage>,
) -> Result<(), CommandError> {
    checks::images(&images)?;
    Ok(sessions.ready(&session).await?.prompt(text, images).await?)
}

/// Ends the process and its whole tree. Harmless when there is none.
#[tauri::command]
#[specta::specta]
pub async fn stop_session(
    sessions: State<'_, Sessions>,
    session: String,
) -> Result<(), CommandError> {
    Ok(sessions.get(&session)?.stop().await?)
}

/// Takes the process's row off an ended session: from then on it is one of the past.
#[tauri::command]
#[specta::specta]
pub async fn remove_session(
    sessions: State<'_, Sessions>,
    session: String,
) -> Result<(), CommandError> {
    sessions.remove(&session).await
}

#[tauri::command]
#[specta::specta]
pub async fn answer_permission(
    sessions: State<'_, Sessions>,
    session: String,
    pending_id: String,
    decision: Decision,
) -> Result<(), CommandError> {
    Ok(sessions.get(&session)?.answer(pending_id, decision).await?)
}
