//! From `main` to the running app, and from its end back.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use tauri::{AppHandle, Manager, RunEvent};

use crate::args::Args;
use crate::bridge;
use crate::host_tools;
use crate::mcp;
use crate::opening::{self, Opening};
use crate::report::Reports;
use crate::sessions::{Equipment, Sessions};
use crate::settings::SettingsFile;
use crate::watchers::Watchers;
use crate::window;
use crate::windows::Subscriptions;

/// The app could not start, for a reason that stands on stderr.
const FAILED: u8 = 1;
/// There is no display to open a window on.
const NO_DISPLAY: u8 = 3;

/// Runs the app to its end.
pub fn run() -> ExitCode {
    let cwd = std::env::current_dir().unwrap_or_default();
    let args = match Args::read(std::env::args_os(), &cwd, |name| std::env::var_os(name)) {
        Ok(args) => args,
        Err(refusal) => {
            if refusal.code == 0 {
                print!("{}", refusal.text)
            } else {
                eprint!("{}", refusal.text)
            }
            return ExitCode::from(u8::try_from(refusal.code).unwrap_or(2));
        }
    };
    #[cfg(debug_assertions)]
    if let Some(file) = &args.export_bindings {
        return export_bindings(file);
    }
    prepare_webkit();
    if let Err(reason) = display() {
        eprintln!("kandev-desktop: {reason}");
        return ExitCode::from(NO_DISPLAY);
    }
    match app(args) {
        Ok(app) => {
            let code = app.run_return(on_event);
            ExitCode::from(u8::try_from(code).unwrap_or(FAILED))
        }
        Err(error) => {
            eprintln!("kandev-desktop: the app could not start: {error}");
            ExitCode::from(FAILED)
        }
    }
}

fn app(args: Args) -> tauri::Result<tauri::App> {
    let bridge = bridge::builder();
    let mut builder = tauri::Builder::default();
    // First, so that a second start does nothing else.
    if let Some(plugin) = single_instance(args.data_dir.as_deref()) {
        builder = builder.plugin(plugin);
    }
    builder
        .plugin(tauri_plugin_store::Builder::default().build())
        .plugin(tauri_plugin_dialog::init())
        .plugin(
            tauri_plugin_opener::Builder::new()
                .open_js_links_on_click(false)
                .build(),
        )
        .invoke_handler(bridge.invoke_handler())
        .on_window_event(|window, event| {
            if matches!(event, tauri::WindowEvent::Destroyed) {
                window.state::<Subscriptions>().close(window.label());
            }
        })
        .setup(move |app| set_up(app.handle(), &args))
        .build(tauri::generate_context!())
}

fn set_up(app: &AppHandle, args: &Args) -> Result<(), Box<dyn std::error::Error>> {
    let _runtime = tauri::async_runtime::handle().inner().enter();
    let data_dir = data_dir(app, args)?;
    let (settings, problem) = SettingsFile::open(app, &data_dir)?;
    let theme = settings.now().theme;
    let (mcp, mcp_problem) = mcp::open(app, &data_dir)?;
    let problems: Vec<_> = problem.into_iter().chain(mcp_problem).collect();
    let problem = (!problems.is_empty()).then(|| problems.join(" "));
    if let Some(problem) = &problem {
        eprintln!("kandev-desktop: {problem}");
    }
    app.plugin(window::state_plugin(&data_dir))?;
    app.manage(settings);
    app.manage(Opening::new(args, problem));
    app.manage(Subscriptions::default());
    app.manage(Reports::new(&data_dir));
    app.manage(Arc::clone(&mcp));
    app.manage(Sessions::new(Equipment {
        mcp_servers: Some(mcp),
        host_tools: Some(host_tools::on(app.clone())),
        watchers: watchers(app),
    }));
    opening::open(app, args).map_err(|error| error.message)?;
    window::open(app, theme, &data_dir)?;
    end_on_signals(app.clone());
    Ok(())
}

fn watchers(app: &AppHandle) -> Watchers {
    let app = app.clone();
    Watchers::new(move || app.state::<SettingsFile>().now().debug_messages)
}

fn on_event(app: &AppHandle, event: RunEvent) {
    // Closing the window ends the app; no process outlives it.
    if matches!(event, RunEvent::Exit) {
        tauri::async_runtime::block_on(app.state::<Sessions>().stop_all());
    }
}

fn data_dir(app: &AppHandle, args: &Args) -> Result<PathBuf, String> {
    let folder = match &args.data_dir {
        Some(folder) => folder.clone(),
        None => app
            .path()
            .app_data_dir()
            .map_err(|error| format!("there is no folder for settings: {error}"))?,
    };
    std::fs::create_dir_all(&folder)
        .and_then(|()| folder.canonicalize())
        .map_err(|error| {
            format!(
                "the data folder {} cannot be used: {error}",
                folder.display()
            )
        })
}

/// One running app for each data folder. Elsewhere than on Linux the plugin knows one name only, which is that of the
/// default folder.
fn single_instance(data_dir: Option<&Path>) -> Option<tauri::plugin::TauriPlugin<tauri::Wry>> {
    let builder = tauri_plugin_single_instance::Builder::new()
        .callback(|app: &AppHandle, argv, cwd| opening::second_start(app, argv, &cwd));
    match data_dir {
        None => Some(builder.build()),
        Some(folder) if cfg!(target_os = "linux") => {
            Some(builder.dbus_id(bus_name(folder)).build())
        }
        Some(_) => None,
    }
}

fn bus_name(data_dir: &Path) -> String {
    let folder = data_dir
        .canonicalize()
        .unwrap_or_else(|_| data_dir.to_owned());
    let id = uuid::Uuid::new_v5(
        &uuid::Uuid::NAMESPACE_URL,
        folder.as_os_str().as_encoded_bytes(),
    );
    format!("dev.kandev.desktop.at_{}", id.simple())
}

/// The usual cure for blank windows on NVIDIA and Wayland; whoever set the variable knows better.
#[cfg(target_os = "linux")]
fn prepare_webkit() {
    const VARIABLE: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
    if std::env::var_os(VARIABLE).is_none() {
        // SAFETY: nothing else runs yet, so nobody reads the environment meanwhile.
        unsafe { std::env::set_var(VARIABLE, "1") };
    }
}

#[cfg(not(target_os = "linux"))]
fn prepare_webkit() {}

#[cfg(target_os = "linux")]
fn display() -> Result<(), String> {
    let named = ["DISPLAY", "WAYLAND_DISPLAY"].map(|name| std::env::var(name).unwrap_or_default());
    gtk::init().map_err(|_| {
        if named.iter().all(String::is_empty) {
            "there is no display (DISPLAY and WAYLAND_DISPLAY are not set). `kandev run` works without one.".to_owned()
        } else {
            format!("the display {} cannot be opened. `kandev run` works without one.", named.join(" ").trim())
        }
    })
}

#[cfg(not(target_os = "linux"))]
fn display() -> Result<(), String> {
    Ok(())
}

/// A signal that asks the app to end is followed as closing the window is.
#[cfg(unix)]
fn end_on_signals(app: AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [
        SignalKind::terminate(),
        SignalKind::interrupt(),
        SignalKind::hangup(),
    ] {
        match signal(kind) {
            Ok(mut signals) => {
                let app = app.clone();
                tokio::spawn(async move {
                    signals.recv().await;
                    app.exit(0);
                });
            }
            // The guards end the processes all the same.
            Err(error) => eprintln!("kandev-desktop: a signal cannot be listened to: {error}"),
        }
    }
}

#[cfg(not(unix))]
fn end_on_signals(_: AppHandle) {}

#[cfg(debug_assertions)]
fn export_bindings(file: &Path) -> ExitCode {
    match bridge::export(file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kandev-desktop: {}: {error}", file.display());
            ExitCode::from(FAILED)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_data_folder_has_a_bus_name_of_its_own_however_it_is_written() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("x")).unwrap();
        let name = bus_name(home.path());
        assert_eq!(name, bus_name(&home.path().join("x/..")));
        assert_ne!(name, bus_name(Path::new("/")));
        assert!(
            name.split('.')
                .all(|part| !part.starts_with(|c: char| c.is_ascii_digit()))
        );
    }
}
