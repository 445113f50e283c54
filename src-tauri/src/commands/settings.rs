use kandev_session::{CliReport, autonomous_refused, cli_report};
use kandev_transport::Guard;
use tauri::{AppHandle, Manager as _, State, WebviewWindow};

use crate::api::{AppInfo, CommandError, Settings, StreamMsg};
use crate::opening::{Opening, Untold};
use crate::sessions::search;
use crate::settings::SettingsFile;
use crate::window::{self, MAIN, Windows};
use crate::windows::Subscriptions;

#[tauri::command]
#[specta::specta]
pub async fn app_info(
    app: AppHandle,
    window: WebviewWindow,
    windows: State<'_, Windows>,
    settings: State<'_, SettingsFile>,
    opening: State<'_, Opening>,
) -> Result<AppInfo, CommandError> {
    // What the start asked for is for the main window; a further one has a session of its own.
    let open = if window.label() == MAIN {
        opening.tell()
    } else {
        Untold {
            session: windows.session(window.label()),
            folder: None,
        }
    };
    Ok(AppInfo {
        version: app.package_info().version.to_string(),
        os: std::env::consts::OS.to_owned(),
        settings: settings.now(),
        open_session: open.session,
        new_session_folder: open.folder,
        problem: opening.problem.clone(),
        autonomous_refused: autonomous_refused(&[]),
    })
}

#[tauri::command]
#[specta::specta]
pub async fn settings(settings: State<'_, SettingsFile>) -> Result<Settings, CommandError> {
    Ok(settings.now())
}

#[tauri::command]
#[specta::specta]
pub async fn save_settings(
    app: AppHandle,
    file: State<'_, SettingsFile>,
    settings: Settings,
) -> Result<Settings, CommandError> {
    let saved = file.save(settings)?;
    window::set_theme(&app, saved.theme);
    app.state::<Subscriptions>()
        .broadcast(&StreamMsg::Settings {
            settings: saved.clone(),
        });
    Ok(saved)
}

/// Which CLI a session would get now, and where it was looked for.
#[tauri::command]
#[specta::specta]
pub async fn find_cli(
    settings: State<'_, SettingsFile>,
    opening: State<'_, Opening>,
) -> Result<CliReport, CommandError> {
    let chosen = opening
        .cli
        .clone()
        .or_else(|| settings.now().cli_path.map(Into::into));
    Ok(cli_report(search(chosen), &Guard::this_executable()?).await)
}
