//! The icon in the system's tray: shows that the app runs while no window does, who waits, and the way out. It is a
//! convenience: where there is no tray, or no library for it, everything works without, and whoever hides the last
//! window is told so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tauri::menu::{Menu, MenuEvent, MenuItem, PredefinedMenuItem};
use tauri::tray::TrayIconBuilder;
use tauri::{AppHandle, Manager};

use crate::api::StreamMsg;
use crate::closing;
use crate::sessions::Sessions;
use crate::window::{self, MAIN};
use crate::windows::Subscriptions;

const ID: &str = "main";
const SHOW: &str = "show";
const WAITING: &str = "waiting";
const NEW: &str = "new";
const QUIT: &str = "quit";

/// Managed state: whether a person can see the icon.
#[derive(Default)]
pub struct Tray {
    made: AtomicBool,
    host: Arc<AtomicBool>,
}

impl Tray {
    /// The icon was made, and something shows it.
    pub fn is_seen(&self) -> bool {
        self.made.load(Ordering::Relaxed) && self.host.load(Ordering::Relaxed)
    }
}

/// Makes the icon, on the main thread. Without one the app goes on, and the terminal has the reason.
pub fn open(app: &AppHandle) {
    if let Err(reason) = system::usable() {
        eprintln!("kandev-desktop: there is no tray icon: {reason}");
        return;
    }
    match make(app) {
        Ok(()) => {
            let tray = app.state::<Tray>();
            tray.made.store(true, Ordering::Relaxed);
            system::follow_host(&tray.host);
        }
        Err(error) => eprintln!("kandev-desktop: there is no tray icon: {error}"),
    }
}

fn make(app: &AppHandle) -> tauri::Result<()> {
    let item = |id: &str, text: &str| MenuItem::with_id(app, id, text, true, None::<&str>);
    let waiting = MenuItem::with_id(app, WAITING, waiting_words(0), false, None::<&str>)?;
    let menu = Menu::with_items(
        app,
        &[
            &item(SHOW, "Show Kandev Desktop")?,
            &waiting,
            &item(NEW, "New session")?,
            &PredefinedMenuItem::separator(app)?,
            &item(QUIT, "Quit")?,
        ],
    )?;
    let mut icon = TrayIconBuilder::with_id(ID)
        .menu(&menu)
        .tooltip("Kandev Desktop")
        // The default folder may be one that all users share.
        .temp_dir_path(app.state::<window::Windows>().data_dir().join("tray"))
        .on_menu_event(chosen);
    if let Some(image) = app.default_window_icon() {
        icon = icon.icon(image.clone());
    }
    icon.build(app)?;
    follow(app, waiting);
    Ok(())
}

fn chosen(app: &AppHandle, event: MenuEvent) {
    let open = |session| {
        window::focus(app);
        let message = StreamMsg::Open {
            session,
            folder: None,
        };
        app.state::<Subscriptions>().tell(MAIN, &message);
    };
    match event.id().as_ref() {
        SHOW => window::focus(app),
        WAITING => match longest_waiting(app) {
            Some(session) => open(Some(session)),
            None => window::focus(app),
        },
        NEW => open(None),
        QUIT => closing::quit(app, MAIN),
        _ => {}
    }
}

/// Keeps the line about those that wait, for as long as the app lives.
fn follow(app: &AppHandle, line: MenuItem<tauri::Wry>) {
    let mut list = app.state::<Sessions>().list();
    tauri::async_runtime::spawn(async move {
        let mut shown = 0;
        loop {
            let waiting = closing::work(list.borrow_and_update().iter()).waiting;
            if waiting != shown {
                shown = waiting;
                let said = line.set_text(waiting_words(waiting));
                if let Err(error) = said.and_then(|()| line.set_enabled(waiting > 0)) {
                    eprintln!("kandev-desktop: the tray's menu cannot be changed: {error}");
                }
            }
            if list.changed().await.is_err() {
                return;
            }
        }
    });
}

fn longest_waiting(app: &AppHandle) -> Option<String> {
    let list = app.state::<Sessions>().list();
    let rows = list.borrow();
    rows.iter()
        .filter(|row| row.waiting > 0)
        .min_by(|one, other| one.waiting_since.cmp(&other.waiting_since))
        .map(|row| row.id.clone())
}

fn waiting_words(count: u32) -> String {
    match count {
        0 => "No session waits for you".to_owned(),
        1 => "1 session waits for you".to_owned(),
        _ => format!("{count} sessions wait for you"),
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::CStr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use gtk::gio;
    use gtk::gio::prelude::*;

    /// Who knows the icons, and whether somebody shows them (freedesktop.org's StatusNotifierItem).
    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    const PATH: &str = "/StatusNotifierWatcher";
    const SHOWN: &str = "IsStatusNotifierHostRegistered";

    /// What tray-icon loads while it makes an icon; it ends the program when neither is there.
    const LIBRARIES: [&CStr; 2] = [c"libayatana-appindicator3.so.1", c"libappindicator3.so.1"];

    pub fn usable() -> Result<(), String> {
        let loads = |name: &&CStr| {
            // SAFETY: the name ends with a zero byte. The library's start-up code is that which tray-icon would run.
            !unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY) }.is_null()
        };
        if LIBRARIES.iter().any(loads) {
            return Ok(());
        }
        Err("neither libayatana-appindicator3 nor libappindicator3 is installed".to_owned())
    }

    /// Keeps `host` true while some panel shows icons. A tray of the old kind (XEmbed) is not counted: it may show the
    /// icon all the same.
    pub fn follow_host(host: &Arc<AtomicBool>) {
        let (appeared, vanished) = (Arc::clone(host), Arc::clone(host));
        // The watch lasts as long as the program.
        let _ = gio::bus_watch_name(
            gio::BusType::Session,
            WATCHER,
            gio::BusNameWatcherFlags::NONE,
            move |connection, _, _| ask(&connection, &appeared),
            move |_, _| vanished.store(false, Ordering::Relaxed),
        );
    }

    fn ask(connection: &gio::DBusConnection, host: &Arc<AtomicBool>) {
        for signal in [
            "StatusNotifierHostRegistered",
            "StatusNotifierHostUnregistered",
        ] {
            let host = Arc::clone(host);
            connection.signal_subscribe(
                Some(WATCHER),
                Some(WATCHER),
                Some(signal),
                Some(PATH),
                None,
                gio::DBusSignalFlags::NONE,
                move |connection, _, _, _, _, _| refresh(connection, &host),
            );
        }
        refresh(connection, host);
    }

    fn refresh(connection: &gio::DBusConnection, host: &Arc<AtomicBool>) {
        let host = Arc::clone(host);
        connection.call(
            Some(WATCHER),
            PATH,
            "org.freedesktop.DBus.Properties",
            "Get",
            Some(&(WATCHER, SHOWN).to_variant()),
            None,
            gio::DBusCallFlags::NONE,
            -1,
            gio::Cancellable::NONE,
            move |answer| {
                let shown = answer
                    .ok()
                    .and_then(|answer| answer.try_child_value(0))
                    .and_then(|value| value.as_variant())
                    .and_then(|value| value.get::<bool>());
                host.store(shown.unwrap_or(false), Ordering::Relaxed);
            },
        );
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    pub fn usable() -> Result<(), String> {
        Ok(())
    }

    /// There is always a tray.
    pub fn follow_host(host: &Arc<AtomicBool>) {
        host.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_those_that_wait_counts_in_words() {
        assert_eq!(
            [0, 1, 2].map(waiting_words),
            [
                "No session waits for you",
                "1 session waits for you",
                "2 sessions wait for you"
            ]
        );
    }

    #[test]
    fn an_icon_that_nobody_shows_is_not_seen() {
        let tray = Tray::default();
        assert!(!tray.is_seen());
        tray.made.store(true, Ordering::Relaxed);
        assert!(!tray.is_seen());
        tray.host.store(true, Ordering::Relaxed);
        assert!(tray.is_seen());
    }
}
