//! From `main` to the running app, and from its end back.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use kandev_store::{Opened, Projects, Store};
use tauri::{AppHandle, Manager, RunEvent, WindowEvent};

use crate::api::StreamMsg;
use crate::args::Args;
use crate::bridge;
use crate::changes::Watches;
use crate::closing::{self, Closing};
use crate::host_tools;
use crate::instance::{self, Claim, Instance, Watchdog};
use crate::mcp;
use crate::opening::{self, Opening};
use crate::outputs::Outputs;
use crate::records::Records;
use crate::report::Reports;
use crate::sessions::{Equipment, Launch, Sessions};
use crate::settings::SettingsFile;
use crate::snapshots::Snapshots;
use crate::tray::Tray;
use crate::watchers::Watchers;
use crate::window::{self, Windows};
use crate::windows::Subscriptions;

/// The app could not start, for a reason that stands on stderr.
const FAILED: u8 = 1;
/// There is no display to open a window on.
const NO_DISPLAY: u8 = 3;
/// From a signal to the end: the sessions' own limit, and some.
#[cfg(unix)]
const EXIT_LIMIT: Duration = Duration::from_secs(12);

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
    let data_dir = data_dir(&args);
    let claim = Claim::make(&data_dir);
    let watchdog = Watchdog::over(&claim);
    // A second start ends in here, once the first has taken its arguments.
    let app = app(args, data_dir.clone());
    drop(watchdog);
    match app {
        Ok(app) => {
            match instance::own(claim, &data_dir) {
                Ok(instance) => app.manage(instance),
                Err(refused) => return refused,
            };
            let code = app.run_return(on_event);
            ExitCode::from(u8::try_from(code).unwrap_or(FAILED))
        }
        Err(error) => {
            eprintln!("kandev-desktop: the app could not start: {error}");
            ExitCode::from(FAILED)
        }
    }
}

fn app(args: Args, data_dir: PathBuf) -> tauri::Result<tauri::App> {
    let bridge = bridge::builder();
    let mut builder = tauri::Builder::default();
    // First, so that a second start does nothing else.
    if let Some(plugin) = instance::plugin(args.data_dir.as_deref()) {
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
        .on_window_event(|window, event| match event {
            WindowEvent::CloseRequested { api, .. } => closing::window_closes(window, api),
            WindowEvent::Destroyed => {
                window.state::<Subscriptions>().close(window.label());
                window.state::<Watches>().forget_window(window.label());
                window.state::<Windows>().forget(window.label());
            }
            _ => {}
        })
        .setup(move |app| set_up(app.handle(), &args, &data_dir))
        .build(tauri::generate_context!())
}

fn set_up(app: &AppHandle, args: &Args, data_dir: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let _runtime = tauri::async_runtime::handle().inner().enter();
    let data_dir = canonical(data_dir)?;
    // Meanwhile, for it waits for the disk.
    let store = {
        let data_dir = data_dir.clone();
        std::thread::spawn(move || Store::open(&data_dir))
    };
    let (settings, problem) = SettingsFile::open(app, &data_dir)?;
    let theme = settings.now().theme;
    let (mcp, mcp_problem) = mcp::open(app, &data_dir)?;
    app.plugin(window::state_plugin(&data_dir))?;
    let Opened { store, problems } = store
        .join()
        .map_err(|_| "the sessions that are kept could not be opened")?;
    let problems: Vec<_> = problem
        .into_iter()
        .chain(mcp_problem)
        .chain(problems)
        .collect();
    let problem = (!problems.is_empty()).then(|| problems.join(" "));
    if let Some(problem) = &problem {
        eprintln!("kandev-desktop: {problem}");
    }
    app.manage(settings);
    app.manage(Opening::new(args, problem));
    app.manage(Subscriptions::default());
    app.manage(watches(app));
    app.manage(Windows::new(&data_dir));
    app.manage(Closing::default());
    app.manage(Tray::default());
    app.manage(Reports::new(&data_dir));
    app.manage(Arc::clone(&mcp));
    app.manage(Snapshots::new(&data_dir));
    app.manage(Outputs::default());
    let equipment = Equipment {
        mcp_servers: Some(mcp),
        host_tools: Some(host_tools::on(app.clone())),
        watchers: watchers(app),
        launch: Some(launch(app)),
        on_anew: Some(on_anew(app)),
    };
    let records = Records::new(store, Projects::of_this_user());
    app.manage(Sessions::new(equipment, records));
    opening::open(app, args).map_err(|error| error.message)?;
    window::open(app, theme)?;
    end_on_signals(app.clone());
    Ok(())
}

fn watchers(app: &AppHandle) -> Watchers {
    let app = app.clone();
    Watchers::new(move || app.state::<SettingsFile>().now().debug_messages)
}

fn watches(app: &AppHandle) -> Watches {
    let app = app.clone();
    Watches::new(move |window, session| {
        let session = session.to_owned();
        let message = StreamMsg::WorkspaceChanged { session };
        app.state::<Subscriptions>().tell(window, &message);
    })
}

fn launch(app: &AppHandle) -> Box<dyn Fn() -> Launch + Send + Sync> {
    let app = app.clone();
    Box::new(move || {
        let settings = app.state::<SettingsFile>().now();
        let cli = app.state::<Opening>().cli.clone();
        Launch {
            cli: cli.or_else(|| settings.cli_path.map(Into::into)),
            silence_limit: Duration::from_secs(settings.silence_after_s.into()),
            policy: settings.default_policy,
            stop_check: settings.stop_check,
        }
    })
}

/// Every window is told; one that does not show the session lets it be.
fn on_anew(app: &AppHandle) -> Arc<dyn Fn(&str) + Send + Sync> {
    let app = app.clone();
    Arc::new(move |session| {
        let session = session.to_owned();
        let message = StreamMsg::Anew { session };
        app.state::<Subscriptions>().broadcast(&message);
    })
}

fn on_event(app: &AppHandle, event: RunEvent) {
    #[cfg(target_os = "macos")]
    if matches!(event, RunEvent::Reopen { .. }) {
        window::focus(app);
    }
    if !matches!(event, RunEvent::Exit) {
        return;
    }
    // From here on a next start waits for the folder; it does not hand its arguments to one that goes.
    if let Some(instance) = &*app.state::<Option<Instance>>() {
        instance.ends();
    }
    tauri_plugin_single_instance::destroy(app);
    window::end_pages(app);
    // No process outlives the app.
    tauri::async_runtime::block_on(app.state::<Sessions>().stop_all());
}

/// The folder of the arguments, or the app's own: what `app_data_dir` of Tauri says, before there is an app.
fn data_dir(args: &Args) -> PathBuf {
    args.data_dir.clone().unwrap_or_else(|| {
        dirs::data_dir()
            .unwrap_or_else(std::env::temp_dir)
            .join("dev.kandev.desktop")
    })
}

fn canonical(folder: &Path) -> Result<PathBuf, String> {
    std::fs::create_dir_all(folder)
        .and_then(|()| folder.canonicalize())
        .map_err(|error| {
            format!(
                "the data folder {} cannot be used: {error}",
                folder.display()
            )
        })
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

/// A signal that asks the app to end is followed without a question. A second one, or a main thread that does not
/// follow, ends it on the spot: the guards end the processes.
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
                    let _ = tokio::time::timeout(EXIT_LIMIT, signals.recv()).await;
                    std::process::exit(FAILED.into());
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
