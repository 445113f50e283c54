use tauri::{State, WebviewWindow};

use crate::api::{
    CommandError, EditorInfo, FileSides, GitChanges, GitCommit, GitDiff, RevertPreview, Reverted,
    WorkspaceWatch,
};
use crate::sessions::Sessions;

fn building() -> CommandError {
    CommandError::new("not_ready", "this is being built")
}

/// What differs from the last commit in the session's folder.
#[tauri::command]
#[specta::specta]
pub async fn git_changes(
    sessions: State<'_, Sessions>,
    session: String,
) -> Result<GitChanges, CommandError> {
    sessions.workspace(&session).await?;
    Err(building())
}

/// The last commit against the file as it is; an untracked file is all new.
#[tauri::command]
#[specta::specta]
pub async fn git_diff(
    sessions: State<'_, Sessions>,
    session: String,
    path: String,
) -> Result<GitDiff, CommandError> {
    let _ = (sessions, session, path);
    Err(building())
}

/// Takes files into the next commit, or out of it.
#[tauri::command]
#[specta::specta]
pub async fn git_stage(
    sessions: State<'_, Sessions>,
    session: String,
    paths: Vec<String>,
    on: bool,
) -> Result<(), CommandError> {
    let _ = (sessions, session, paths, on);
    Err(building())
}

/// Commits what is staged. The repository's hooks run.
#[tauri::command]
#[specta::specta]
pub async fn git_commit(
    sessions: State<'_, Sessions>,
    session: String,
    message: String,
) -> Result<GitCommit, CommandError> {
    let _ = (sessions, session, message);
    Err(building())
}

/// A message for the next commit, from the session's title and the staged files.
#[tauri::command]
#[specta::specta]
pub async fn commit_draft(
    sessions: State<'_, Sessions>,
    session: String,
) -> Result<String, CommandError> {
    let _ = (sessions, session);
    Err(building())
}

/// Tells this window by `workspace_changed` when files of the session's folder change, or no more.
#[tauri::command]
#[specta::specta]
pub async fn watch_workspace(
    window: WebviewWindow,
    sessions: State<'_, Sessions>,
    session: String,
    on: bool,
) -> Result<WorkspaceWatch, CommandError> {
    let _ = (window, sessions, session, on);
    Err(building())
}

/// The file as it is, and as it was before the diff.
#[tauri::command]
#[specta::specta]
pub async fn file_sides(
    sessions: State<'_, Sessions>,
    session: String,
    path: String,
    diff: String,
) -> Result<FileSides, CommandError> {
    let _ = (sessions, session, path, diff);
    Err(building())
}

/// What it would do to take these hunks of a diff back, or (`hunks` null) the whole diff. Nothing is changed.
#[tauri::command]
#[specta::specta]
pub async fn revert_preview(
    sessions: State<'_, Sessions>,
    session: String,
    path: String,
    diff: String,
    hunks: Option<Vec<u32>>,
) -> Result<RevertPreview, CommandError> {
    let _ = (sessions, session, path, diff, hunks);
    Err(building())
}

/// Takes hunks of a diff back from the file as it is now, once that is copied. `redo_rewind` takes this back.
#[tauri::command]
#[specta::specta]
pub async fn revert_changes(
    sessions: State<'_, Sessions>,
    session: String,
    path: String,
    diff: String,
    hunks: Option<Vec<u32>>,
) -> Result<Reverted, CommandError> {
    let _ = (sessions, session, path, diff, hunks);
    Err(building())
}

/// The editors that are on this machine, those first that are tried first.
#[tauri::command]
#[specta::specta]
pub async fn editors() -> Result<Vec<EditorInfo>, CommandError> {
    Err(building())
}

/// Opens a file of the session's folder in an editor: this one, else the one of the settings, else the first that is there,
/// else the system's program for the file.
#[tauri::command]
#[specta::specta]
pub async fn open_in_editor(
    sessions: State<'_, Sessions>,
    session: String,
    path: String,
    line: Option<u32>,
    column: Option<u32>,
    editor: Option<String>,
) -> Result<(), CommandError> {
    let _ = (sessions, session, path, line, column, editor);
    Err(building())
}
