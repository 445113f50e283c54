use tauri::{AppHandle, State, WebviewWindow};

use crate::api::{CloseChoice, CommandError};
use crate::checks;
use crate::closing;
use crate::settings::SettingsFile;
use crate::window;

/// Opens a further window that begins with this session. It shows the same as any other, and closes for itself.
#[tauri::command]
#[specta::specta]
pub async fn open_window(
    app: AppHandle,
    settings: State<'_, SettingsFile>,
    session: String,
) -> Result<(), CommandError> {
    checks::id(&session)?;
    window::open_further(&app, settings.now().theme, session)
}

/// The page's word on `close_asked`: first that it shows the question, then what a person chose. `remember` makes the
/// choice the setting `on_close`; it says nothing where the question was about quitting.
#[tauri::command]
#[specta::specta]
pub async fn answer_close(
    app: AppHandle,
    choice: CloseChoice,
    remember: bool,
) -> Result<(), CommandError> {
    closing::answer(&app, choice, remember)
}

/// A person wants the app to end. `close_asked` comes when something runs or waits.
#[tauri::command]
#[specta::specta]
pub async fn quit_app(app: AppHandle, window: WebviewWindow) -> Result<(), CommandError> {
    closing::quit(&app, window.label());
    Ok(())
}
