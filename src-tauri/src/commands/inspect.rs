use tauri::{AppHandle, Manager as _, State};

use crate::api::CommandError;
use crate::inspect::{self, RawLine};
use crate::report::{Reports, SavedReport};
use crate::sessions::Sessions;
use crate::settings::SettingsFile;

/// What went over the pipes after the line of this number, redacted: at most so many lines, and at most 500. They go with
/// the process's row, so a session of the past has none.
#[tauri::command]
#[specta::specta]
pub async fn raw_lines(
    sessions: State<'_, Sessions>,
    session: String,
    after: u32,
    limit: u32,
) -> Result<Vec<RawLine>, CommandError> {
    let Ok(session) = sessions.get(&session) else {
        sessions.any_row(&session).await?;
        return Ok(Vec::new());
    };
    blocking(move || Ok(inspect::lines(&session, after.into(), limit))).await
}

/// Saves what is known of a session in a file that can be sent and played.
#[tauri::command]
#[specta::specta]
pub async fn save_report(
    app: AppHandle,
    sessions: State<'_, Sessions>,
    settings: State<'_, SettingsFile>,
    session: String,
) -> Result<SavedReport, CommandError> {
    let session = sessions.get(&session)?;
    let settings = settings.now();
    let version = app.package_info().version.to_string();
    blocking(move || app.state::<Reports>().save(&session, &settings, &version)).await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CommandError> + Send + 'static,
) -> Result<T, CommandError> {
    let failed = |error: tokio::task::JoinError| CommandError::new("failed", error.to_string());
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}
