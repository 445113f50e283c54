use kandev_transcript::ImageData;
use tauri::{AppHandle, State, WebviewWindow};
use tauri_plugin_dialog::{DialogExt as _, FilePath};
use tauri_plugin_opener::OpenerExt as _;
use tokio::sync::oneshot;

use crate::api::CommandError;
use crate::automation;
use crate::checks;
use crate::pictures;
use crate::restoring::blocking;
use crate::sessions::Sessions;

/// The system's folder dialog. `None`: it was closed.
#[tauri::command]
#[specta::specta]
pub async fn pick_folder(window: WebviewWindow) -> Result<Option<String>, CommandError> {
    pick(&window, tauri_plugin_dialog::FileDialogBuilder::pick_folder).await
}

/// The system's file dialog. `None`: it was closed.
#[tauri::command]
#[specta::specta]
pub async fn pick_file(window: WebviewWindow) -> Result<Option<String>, CommandError> {
    pick(&window, tauri_plugin_dialog::FileDialogBuilder::pick_file).await
}

type Picked = Box<dyn FnOnce(Option<FilePath>) + Send>;

async fn pick(
    window: &WebviewWindow,
    show: impl FnOnce(tauri_plugin_dialog::FileDialogBuilder<tauri::Wry>, Picked),
) -> Result<Option<String>, CommandError> {
    if let Some(path) = automation::picked() {
        return Ok(Some(path));
    }
    let (tell, told) = oneshot::channel();
    let dialog = window.dialog().file().set_parent(window);
    show(
        dialog,
        Box::new(move |path| {
            let _ = tell.send(path);
        }),
    );
    // A dialog that goes without an answer was closed.
    let Some(path) = told.await.unwrap_or_default() else {
        return Ok(None);
    };
    let not_a_path = |_| {
        CommandError::new(
            "not_a_path",
            "what was chosen is not a file of this computer",
        )
    };
    let path = path.into_path().map_err(not_a_path)?;
    Ok(Some(path.to_string_lossy().into_owned()))
}

/// Opens a file of the session's workspace with the system's program for it.
#[tauri::command]
#[specta::specta]
pub async fn open_path(
    app: AppHandle,
    sessions: State<'_, Sessions>,
    session: String,
    path: String,
) -> Result<(), CommandError> {
    let file = checks::inside(&sessions.workspace(&session).await?, &path)?;
    let opened = if checks::opens_as_program(&file) {
        app.opener().reveal_item_in_dir(&file)
    } else {
        app.opener().open_path(file.to_string_lossy(), None::<&str>)
    };
    opened.map_err(|error| {
        CommandError::new("not_opened", format!("{path} could not be opened: {error}"))
    })
}

/// A picture file of the session's workspace. `None`: it is of no format that the page draws, or very large.
#[tauri::command]
#[specta::specta]
pub async fn workspace_image(
    sessions: State<'_, Sessions>,
    session: String,
    path: String,
) -> Result<Option<ImageData>, CommandError> {
    let file = checks::file_inside(&sessions.workspace(&session).await?, &path)?;
    blocking(move || pictures::picture(&file)).await
}

/// Opens an `http` or `https` address in the system's browser.
#[tauri::command]
#[specta::specta]
pub async fn open_url(app: AppHandle, url: String) -> Result<(), CommandError> {
    let address = checks::web_address(&url)?;
    app.opener()
        .open_url(address.as_str(), None::<&str>)
        .map_err(|error| {
            CommandError::new("not_opened", format!("{url} could not be opened: {error}"))
        })
}
