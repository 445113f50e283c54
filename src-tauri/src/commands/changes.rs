use std::path::Path;
use std::sync::Arc;

use kandev_git::{self as git, Git};
use tauri::{AppHandle, State, WebviewWindow};

use crate::api::{
    CommandError, EditorInfo, FileSides, GitChanges, GitCommit, GitDiff, RevertPreview, Reverted,
    WorkspaceWatch,
};
use crate::changes::{self, Wanted, Watches};
use crate::checks;
use crate::editors::{self, At, Choice, Machine};
use crate::restoring::{blocking, roots};
use crate::sessions::Sessions;
use crate::settings::SettingsFile;
use crate::snapshots::Snapshots;

/// Git in the session's folder.
async fn git_of(sessions: &Sessions, session: &str) -> Result<Git, CommandError> {
    let folder = sessions.workspace(session).await?;
    Ok(Git::in_folder(Path::new(&folder))?)
}

/// What differs from the last commit in the session's folder.
#[tauri::command]
#[specta::specta]
pub async fn git_changes(
    sessions: State<'_, Sessions>,
    session: String,
) -> Result<GitChanges, CommandError> {
    let folder = sessions.workspace(&session).await?;
    checks::workspace(&folder)?;
    Ok(git::changes(Git::in_folder(Path::new(&folder))).await?)
}

/// The last commit against the file as it is; an untracked file is all new.
#[tauri::command]
#[specta::specta]
pub async fn git_diff(
    sessions: State<'_, Sessions>,
    session: String,
    path: String,
) -> Result<GitDiff, CommandError> {
    Ok(git::diff(git_of(&sessions, &session).await?, &path).await?)
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
    Ok(git::stage(git_of(&sessions, &session).await?, &paths, on).await?)
}

/// Commits what is staged. The repository's hooks run.
#[tauri::command]
#[specta::specta]
pub async fn git_commit(
    sessions: State<'_, Sessions>,
    session: String,
    message: String,
) -> Result<GitCommit, CommandError> {
    Ok(git::commit(git_of(&sessions, &session).await?, &message).await?)
}

/// A message for the next commit, from the session's title and the staged files.
#[tauri::command]
#[specta::specta]
pub async fn commit_draft(
    sessions: State<'_, Sessions>,
    session: String,
) -> Result<String, CommandError> {
    let git = git_of(&sessions, &session).await?;
    let title = sessions.said_title(&session).await?;
    let changes = git::changes(Ok(git)).await?;
    Ok(git::draft(title.as_deref(), &changes.files))
}

/// Tells this window by `workspace_changed` when files of the session's folder change, or no more.
#[tauri::command]
#[specta::specta]
pub async fn watch_workspace(
    window: WebviewWindow,
    sessions: State<'_, Sessions>,
    watches: State<'_, Watches>,
    session: String,
    on: bool,
) -> Result<WorkspaceWatch, CommandError> {
    if !on {
        watches.unwatch(window.label(), &session);
        return Ok(WorkspaceWatch::default());
    }
    let folder = sessions.workspace(&session).await?;
    let folder = Path::new(&folder);
    let git = Git::in_folder(folder).ok();
    Ok(watches.watch(window.label(), &session, folder, git).await)
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
    let roots = roots(&sessions.workspace(&session).await?)?;
    blocking(move || changes::sides(&roots, &path, &diff)).await
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
    let wanted = Wanted { path, diff, hunks };
    changes::preview(&sessions, &session, wanted).await
}

/// Takes hunks of a diff back from the file as it is now, once that is copied. `redo_rewind` takes this back.
#[tauri::command]
#[specta::specta]
pub async fn revert_changes(
    sessions: State<'_, Sessions>,
    snapshots: State<'_, Snapshots>,
    session: String,
    path: String,
    diff: String,
    hunks: Option<Vec<u32>>,
) -> Result<Reverted, CommandError> {
    let wanted = Wanted { path, diff, hunks };
    changes::revert(&sessions, &snapshots, &session, wanted).await
}

/// The editors that are on this machine, those first that are tried first.
#[tauri::command]
#[specta::specta]
pub async fn editors() -> Result<Vec<EditorInfo>, CommandError> {
    blocking(|| Ok(editors::found(&Machine::this()))).await
}

/// Opens a file of the session's folder in an editor: this one, else the one of the settings, else the first that is there,
/// else the system's program for the file.
#[tauri::command]
#[specta::specta]
#[expect(clippy::too_many_arguments, reason = "the page names them one by one")]
pub async fn open_in_editor(
    app: AppHandle,
    sessions: State<'_, Sessions>,
    settings: State<'_, SettingsFile>,
    session: String,
    path: String,
    line: Option<u32>,
    column: Option<u32>,
    editor: Option<String>,
) -> Result<(), CommandError> {
    let file = checks::file_inside(&sessions.workspace(&session).await?, &path)?;
    let at = At {
        file: &file,
        line: line.filter(|line| *line > 0),
        column: column.filter(|column| *column > 0),
    };
    let chosen = settings.now().editor;
    let choice = Choice {
        only: editor.as_deref(),
        rather: chosen.as_deref(),
    };
    let opened = editors::open(Arc::new(Machine::this()), &Arc::new(app), at, choice).await;
    opened.map(drop).map_err(|why| {
        CommandError::new("not_opened", format!("{path} could not be opened: {why}"))
    })
}
