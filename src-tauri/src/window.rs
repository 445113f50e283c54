//! The windows: how they open, what they may show, what their page may reach, and who of them can be seen.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;

use tauri::utils::config::Color;
use tauri::webview::{NewWindowResponse, PageLoadEvent};
use tauri::{
    AppHandle, Manager, PhysicalPosition, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
};
use tauri_plugin_window_state::{AppHandleExt as _, StateFlags, WindowExt as _};

use crate::api::{CommandError, Theme};
use crate::automation;
use crate::changes::Watches;
use crate::tray;
use crate::windows::Subscriptions;

/// The window that lives as long as the app. The capability names it, and those whose label begins with `FURTHER`.
pub const MAIN: &str = "main";
const FURTHER: &str = "session-";
/// Further windows open at the same time. Each has a page of its own, which takes memory.
const FURTHER_MAX: usize = 16;
/// The further windows share one remembered size.
const FURTHER_STATE: &str = "session";

/// `--surface-main` of the two themes, so that nothing flashes before the first paint.
const DARK: Color = Color(0x17, 0x18, 0x1a, 0xff);
const LIGHT: Color = Color(0xff, 0xff, 0xff, 0xff);

/// A window is shown once its page is loaded, or after this, whichever comes first.
const SHOW_AT_LATEST: Duration = Duration::from_secs(2);

/// A page that dies sooner than this after it died before is left alone.
#[cfg(target_os = "linux")]
const CRASHES_APART: Duration = Duration::from_secs(10);

/// What is remembered of a window.
const REMEMBERED: StateFlags = StateFlags::SIZE
    .union(StateFlags::POSITION)
    .union(StateFlags::MAXIMIZED)
    .union(StateFlags::FULLSCREEN);

/// Managed state: what the windows have in common, and what each further one was opened for.
pub struct Windows {
    data_dir: PathBuf,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    count: u32,
    /// By label.
    sessions: HashMap<String, String>,
    /// Where the main window was when it was hidden: a window manager forgets it.
    place: Option<PhysicalPosition<i32>>,
}

impl Windows {
    pub fn new(data_dir: &Path) -> Self {
        Self {
            data_dir: data_dir.to_owned(),
            inner: Mutex::default(),
        }
    }

    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// The session that a further window was opened for.
    pub fn session(&self, label: &str) -> Option<String> {
        self.known().sessions.get(label).cloned()
    }

    /// The window is gone.
    pub fn forget(&self, label: &str) {
        self.known().sessions.remove(label);
    }

    /// A label that no window has had before, so that nothing meant for an earlier one reaches it.
    fn next(&self, session: String) -> Result<String, CommandError> {
        let mut inner = self.known();
        if inner.sessions.len() >= FURTHER_MAX {
            return Err(CommandError::new(
                "too_many_windows",
                format!("{FURTHER_MAX} further windows are open already: close one first"),
            ));
        }
        inner.count += 1;
        let label = format!("{FURTHER}{}", inner.count);
        inner.sessions.insert(label.clone(), session);
        Ok(label)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the main window; the tray comes after it.
pub fn open(app: &AppHandle, theme: Theme) -> tauri::Result<()> {
    build(app, MAIN, theme, |window| tray::open(window.app_handle()))?;
    Ok(())
}

/// Opens a further window, whose page begins with this session.
pub fn open_further(app: &AppHandle, theme: Theme, session: String) -> Result<(), CommandError> {
    let windows = app.state::<Windows>();
    let label = windows.next(session)?;
    match build(app, &label, theme, |_| {}) {
        Ok(window) => {
            // Not its place: two windows would lie on each other.
            let _ = window.restore_state(StateFlags::SIZE);
            Ok(())
        }
        Err(error) => {
            windows.forget(&label);
            Err(CommandError::new(
                "no_window",
                format!("the window could not be opened: {error}"),
            ))
        }
    }
}

fn build(
    app: &AppHandle,
    label: &str,
    theme: Theme,
    then: impl FnOnce(&WebviewWindow) + Send + 'static,
) -> tauri::Result<WebviewWindow> {
    let shown = Arc::new(AtomicBool::new(false));
    let then = Arc::new(Mutex::new(Some(then)));
    let show_once = move |window: &WebviewWindow| {
        if shown.swap(true, Ordering::Relaxed) {
            return;
        }
        let _ = window.show();
        let then = then.lock().unwrap_or_else(PoisonError::into_inner).take();
        let window = window.clone();
        // Not in the middle of the page's news.
        let _ = window.clone().run_on_main_thread(move || {
            if let Some(then) = then {
                then(&window);
            }
        });
    };
    let on_load = show_once.clone();
    let data_dir = app.state::<Windows>().data_dir().join("webview");
    let mut builder = WebviewWindowBuilder::new(app, label, WebviewUrl::default())
        .title("Kandev Desktop")
        .inner_size(1440.0, 900.0)
        .min_inner_size(720.0, 480.0)
        .theme(native(theme))
        .background_color(background(native(theme)))
        .visible(false)
        .data_directory(data_dir)
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_page_load(move |window, page| match page.event() {
            PageLoadEvent::Started => {
                window.state::<Subscriptions>().close(window.label());
                window.state::<Watches>().forget_window(window.label());
            }
            PageLoadEvent::Finished => on_load(&window),
        });
    if automation::is_on() {
        builder = builder.initialization_script(automation::SCRIPT);
    }
    let window = builder.build()?;
    paint(&window, theme);
    load_again_after_a_crash(&window);
    let showing = window.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(SHOW_AT_LATEST).await;
        show_once(&showing);
    });
    Ok(window)
}

/// The page's process may die, for want of memory as an example. What it showed is kept elsewhere.
#[cfg(target_os = "linux")]
fn load_again_after_a_crash(window: &WebviewWindow) {
    use webkit2gtk::{WebProcessTerminationReason as Reason, WebViewExt as _};
    let _ = window.with_webview(|view| {
        let newest = std::cell::Cell::new(None::<Instant>);
        view.inner()
            .connect_web_process_terminated(move |view, reason| {
                let before = newest.replace(Some(Instant::now()));
                let again = before.is_none_or(|time| time.elapsed() > CRASHES_APART);
                if reason != Reason::TerminatedByApi && again {
                    eprintln!(
                        "kandev-desktop: the page's process ended; the page is loaded again."
                    );
                    view.reload();
                }
            });
    });
}

#[cfg(not(target_os = "linux"))]
fn load_again_after_a_crash(_: &WebviewWindow) {}

/// Follows a change of the theme setting.
pub fn set_theme(app: &AppHandle, theme: Theme) {
    for window in app.webview_windows().values() {
        let _ = window.set_theme(native(theme));
        paint(window, theme);
    }
}

/// The colour behind the page, which shows until it paints.
fn paint(window: &WebviewWindow, theme: Theme) {
    let theme = native(theme).or_else(|| window.theme().ok());
    let _ = window.set_background_color(Some(background(theme)));
}

/// Brings the main window to the front, from wherever it is.
pub fn focus(app: &AppHandle) {
    bring(app, MAIN);
}

/// Brings a window to the front.
pub fn bring(app: &AppHandle, label: &str) {
    let Some(window) = app.get_webview_window(label) else {
        return;
    };
    let _ = window.unminimize();
    let _ = window.show();
    if label == MAIN {
        let place = app.state::<Windows>().known().place.take();
        if let Some(place) = place {
            let _ = window.set_position(place);
        }
    }
    let _ = window.set_focus();
}

/// Takes the main window from the screen. Its page stays as it is.
pub fn hide(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN) {
        remember(app);
        // A maximized window is put back by its state, not by its place.
        let moves = !window.is_maximized().unwrap_or(false);
        let place = window.outer_position().ok().filter(|_| moves);
        app.state::<Windows>().known().place = place;
        let _ = window.hide();
    }
}

/// Takes every window from the screen; the app is ending.
pub fn hide_all(app: &AppHandle) {
    remember(app);
    for window in app.webview_windows().values() {
        let _ = window.hide();
    }
}

/// Ends the pages' processes, also one that hangs: the engine itself would let that go on for a while.
pub fn end_pages(app: &AppHandle) {
    #[cfg(target_os = "linux")]
    for window in app.webview_windows().values() {
        use webkit2gtk::WebViewExt as _;
        let _ = window.with_webview(|view| view.inner().terminate_web_process());
    }
    #[cfg(not(target_os = "linux"))]
    let _ = app;
}

/// Ends a further window without asking it.
pub fn destroy(app: &AppHandle, label: &str) {
    remember(app);
    if let Some(window) = app.get_webview_window(label) {
        let _ = window.destroy();
    }
}

/// Ends all further windows.
pub fn destroy_further(app: &AppHandle) {
    for label in app.webview_windows().keys().filter(|label| *label != MAIN) {
        destroy(app, label);
    }
}

/// Whether a window is on the screen, be it as an icon of the task bar.
pub fn seen(app: &AppHandle, label: &str) -> bool {
    app.get_webview_window(label)
        .is_some_and(|window| window.is_visible().unwrap_or(false))
}

/// Whether another window than this one is on the screen.
pub fn others_seen(app: &AppHandle, label: &str) -> bool {
    app.webview_windows()
        .keys()
        .any(|other| other != label && seen(app, other))
}

/// Writes down size and place now: the app may be killed later.
fn remember(app: &AppHandle) {
    if let Err(error) = app.save_window_state(REMEMBERED) {
        eprintln!("kandev-desktop: the size of the window could not be kept: {error}");
    }
}

/// Remembers size and place in the data folder.
pub fn state_plugin(data_dir: &Path) -> tauri::plugin::TauriPlugin<tauri::Wry> {
    let builder = tauri_plugin_window_state::Builder::default()
        .with_state_flags(REMEMBERED)
        .map_label(|label| match label {
            MAIN => MAIN,
            _ => FURTHER_STATE,
        })
        .skip_initial_state(FURTHER_STATE);
    match data_dir.join("window.json").to_str() {
        // An absolute name, so the plugin leaves its own folder alone.
        Some(file) => builder.with_filename(file).build(),
        None => builder.build(),
    }
}

/// The page never leaves for another: links go to the system's browser through `open_url`.
fn is_own_page(url: &Url) -> bool {
    let embedded = url.scheme() == "tauri" || url.host_str() == Some("tauri.localhost");
    let dev_server = cfg!(dev) && url.host_str() == Some("127.0.0.1") && url.port() == Some(1420);
    embedded || dev_server
}

fn native(theme: Theme) -> Option<tauri::Theme> {
    match theme {
        Theme::System => None,
        Theme::Light => Some(tauri::Theme::Light),
        Theme::Dark => Some(tauri::Theme::Dark),
    }
}

/// Before there is a window nobody knows the system's theme.
fn background(theme: Option<tauri::Theme>) -> Color {
    match theme {
        Some(tauri::Theme::Dark) => DARK,
        _ => LIGHT,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_further_window_has_a_label_that_none_had_before_and_knows_its_session() {
        let windows = Windows::new(Path::new("/data"));
        let first = windows.next("a".to_owned()).unwrap();
        windows.forget(&first);
        let second = windows.next("b".to_owned()).unwrap();
        assert_ne!(first, second);
        assert!(second.starts_with(FURTHER));
        assert_eq!(windows.session(&second).as_deref(), Some("b"));
        assert_eq!(windows.session(&first), None);
        assert_eq!(windows.session(MAIN), None);
    }

    #[test]
    fn windows_are_not_opened_without_end() {
        let windows = Windows::new(Path::new("/data"));
        (0..FURTHER_MAX).for_each(|_| drop(windows.next("a".to_owned()).unwrap()));
        let refused = windows.next("a".to_owned()).unwrap_err();
        assert_eq!(refused.code, "too_many_windows");
        windows.forget("session-1");
        assert!(windows.next("a".to_owned()).is_ok());
    }

    #[test]
    fn the_page_never_leaves_for_another() {
        let is_own = |text: &str| is_own_page(&Url::parse(text).unwrap());
        assert!(is_own("tauri://localhost/index.html"));
        assert!(is_own("http://tauri.localhost/"));
        for other in [
            "https://example.org",
            "http://localhost/",
            "file:///etc/passwd",
            "data:text/html,x",
            "about:blank",
        ] {
            assert!(!is_own(other), "{other}");
        }
    }
}
