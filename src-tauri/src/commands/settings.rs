use kandev_session::{CliReport, autonomous_refused, cli_report};
use kandev_transport::Guard;
use tauri::{AppHandle, State};

use crate::api::{AppInfo, CommandError, Settings};
use crate::opening::Opening;
use crate::sessions::search;
use crate::settings::SettingsFile;
use crate::window;

#[tauri::command]
#[specta::specta]
pub async fn app_info(
    app: AppHandle,
    settings: State<'_, SettingsFile>,
    opening: State<'_, Opening>,
) -> Result<AppInfo, CommandError> {
    let open = opening.tell();
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
