//! The icon in the system's tray: shows that the app runs while no window does, who waits, and the way out. It is a
//! convenience: where there is no tray, or no library for it, everything works without, and whoever hides the last
//! window is told so.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

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
    host: AtomicBool,
    /// Why there is no icon.
    problem: Mutex<Option<String>>,
}

impl Tray {
    /// The icon was made, and something shows it.
    pub fn is_seen(&self) -> bool {
        self.made.load(Ordering::Relaxed) && self.host.load(Ordering::Relaxed)
    }

    /// Why nobody can see it, for the terminal.
    pub fn problem(&self) -> String {
        let problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        problem
            .clone()
            .unwrap_or_else(|| "nothing on this desktop shows one".to_owned())
    }

    fn fails(&self, problem: String) {
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
    }

    fn shown(&self, shown: bool) {
        self.host.store(shown, Ordering::Relaxed);
    }
}

/// Makes the icon, on the main thread. Without one the app goes on.
pub fn open(app: &AppHandle) {
    system::when_usable(app, |app| match make(app) {
        Ok(()) => app.state::<Tray>().made.store(true, Ordering::Relaxed),
        Err(error) => app.state::<Tray>().fails(error.to_string()),
    });
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
            let waiting = closing::work(list.borrow_and_update().living.iter()).waiting;
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
    let list = list.borrow();
    list.living
        .iter()
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
#[path = "tray/linux.rs"]
mod system;

#[cfg(not(target_os = "linux"))]
mod system {
    use tauri::{AppHandle, Manager as _};

    /// There is always a tray.
    pub fn when_usable(app: &AppHandle, make: impl FnOnce(&AppHandle)) {
        app.state::<super::Tray>().shown(true);
        make(app);
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
        tray.shown(true);
        assert!(tray.is_seen());
        tray.shown(false);
        assert!(!tray.is_seen());
    }
}
