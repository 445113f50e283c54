use tauri::State;

use crate::api::{CommandError, Exported, OutputHits, OutputPart, OutputSource};
use crate::sessions::Sessions;

/// Lines of an output, as a terminal would show them. `from` counts from 0, and from the end when it is negative.
#[tauri::command]
#[specta::specta]
pub async fn tool_output(
    sessions: State<'_, Sessions>,
    session: String,
    source: OutputSource,
    from: i32,
    count: u32,
) -> Result<OutputPart, CommandError> {
    let _ = (sessions, session, source, from, count);
    Err(CommandError::new("unsupported", "not read yet"))
}

/// The lines of an output in which these words stand. Large and small letters are the same, and escapes are no text.
#[tauri::command]
#[specta::specta]
pub async fn find_in_output(
    sessions: State<'_, Sessions>,
    session: String,
    source: OutputSource,
    words: String,
    limit: u32,
) -> Result<OutputHits, CommandError> {
    let _ = (sessions, session, source, words, limit);
    Err(CommandError::new("unsupported", "not read yet"))
}

/// An output as plain text, to be copied. One of more than 10 MB is refused as `too_large`.
#[tauri::command]
#[specta::specta]
pub async fn output_text(
    sessions: State<'_, Sessions>,
    session: String,
    source: OutputSource,
) -> Result<String, CommandError> {
    let _ = (sessions, session, source);
    Err(CommandError::new("unsupported", "not read yet"))
}

/// Writes an output as plain text into a new file, beside the exports.
#[tauri::command]
#[specta::specta]
pub async fn save_output(
    sessions: State<'_, Sessions>,
    session: String,
    source: OutputSource,
) -> Result<Exported, CommandError> {
    let _ = (sessions, session, source);
    Err(CommandError::new("unsupported", "not read yet"))
}
