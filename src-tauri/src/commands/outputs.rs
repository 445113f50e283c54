use tauri::{AppHandle, Manager as _, State};

use crate::api::{CommandError, Exported, OutputHits, OutputPart, OutputSource};
use crate::outputs::Outputs;
use crate::sessions::Sessions;

/// Lines of an output, as a terminal would show them. `from` counts from 0, and from the end when it is negative.
#[tauri::command]
#[specta::specta]
pub async fn tool_output(
    sessions: State<'_, Sessions>,
    outputs: State<'_, Outputs>,
    session: String,
    source: OutputSource,
    from: i32,
    count: u32,
) -> Result<OutputPart, CommandError> {
    outputs.part(&sessions, &session, source, from, count).await
}

/// The lines of an output in which these words stand. Large and small letters are the same, and escapes are no text.
#[tauri::command]
#[specta::specta]
pub async fn find_in_output(
    sessions: State<'_, Sessions>,
    outputs: State<'_, Outputs>,
    session: String,
    source: OutputSource,
    words: String,
    limit: u32,
) -> Result<OutputHits, CommandError> {
    outputs
        .hits(&sessions, &session, source, &words, limit)
        .await
}

/// An output as plain text, to be copied. One of more than 10 MB is refused as `too_large`.
#[tauri::command]
#[specta::specta]
pub async fn output_text(
    sessions: State<'_, Sessions>,
    outputs: State<'_, Outputs>,
    session: String,
    source: OutputSource,
) -> Result<String, CommandError> {
    outputs.text(&sessions, &session, source).await
}

/// Writes an output as plain text into a new file, beside the exports.
#[tauri::command]
#[specta::specta]
pub async fn save_output(
    app: AppHandle,
    sessions: State<'_, Sessions>,
    outputs: State<'_, Outputs>,
    session: String,
    source: OutputSource,
) -> Result<Exported, CommandError> {
    let downloads = app.path().download_dir().ok();
    outputs.save(&sessions, &session, source, downloads).await
}
