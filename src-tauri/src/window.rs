//! The window: how it opens, what it may show, what its page may reach.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tauri::utils::config::Color;
use tauri::webview::{NewWindowResponse, PageLoadEvent};
use tauri::{AppHandle, Manager, Url, WebviewUrl, WebviewWindowBuilder};
use tauri_plugin_window_state::StateFlags;

use crate::api::Theme;
use crate::automation;
use crate::windows::Subscriptions;

/// The label that the capability names.
pub const MAIN: &str = "main";

/// `--surface-main` of the two themes, so that nothing flashes before the first paint.
const DARK: Color = Color(0x17, 0x18, 0x1a, 0xff);
const LIGHT: Color = Color(0xff, 0xff, 0xff, 0xff);

/// The window is shown once its page is loaded, or after this, whichever comes first.
const SHOW_AT_LATEST: Duration = Duration::from_secs(2);

/// Opens the main window.
pub fn open(app: &AppHandle, theme: Theme, data_dir: &Path) -> tauri::Result<()> {
    let shown = Arc::new(AtomicBool::new(false));
    let show_once = {
        let shown = Arc::clone(&shown);
        move |window: &tauri::WebviewWindow| {
            if !shown.swap(true, Ordering::Relaxed) {
                let _ = window.show();
            }
        }
    };
    let on_load = show_once.clone();
    let mut builder = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::default())
        .title("Kandev Desktop")
        .inner_size(1440.0, 900.0)
        .min_inner_size(720.0, 480.0)
        .theme(native(theme))
        .background_color(background(native(theme)))
        .visible(false)
        .data_directory(data_dir.join("webview"))
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_page_load(move |window, page| match page.event() {
            PageLoadEvent::Started => window.state::<Subscriptions>().close(window.label()),
            PageLoadEvent::Finished => on_load(&window),
        });
    if automation::is_on() {
        builder = builder.initialization_script(automation::SCRIPT);
    }
    let window = builder.build()?;
    paint(&window, theme);
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(SHOW_AT_LATEST).await;
        show_once(&window);
    });
    Ok(())
}

/// Follows a change of the theme setting.
pub fn set_theme(app: &AppHandle, theme: Theme) {
    if let Some(window) = app.get_webview_window(MAIN) {
        let _ = window.set_theme(native(theme));
        paint(&window, theme);
    }
}

/// The colour behind the page, which shows until it paints.
fn paint(window: &tauri::WebviewWindow, theme: Theme) {
    let theme = native(theme).or_else(|| window.theme().ok());
    let _ = window.set_background_color(Some(background(theme)));
}

/// Brings the window to the front.
pub fn focus(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(MAIN) {
        let _ = window.unminimize();
        let _ = window.show();
        let _ = window.set_focus();
    }
}

/// Remembers size and place in the data folder.
pub fn state_plugin(data_dir: &Path) -> tauri::plugin::TauriPlugin<tauri::Wry> {
    let builder = tauri_plugin_window_state::Builder::default().with_state_flags(
        StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED | StateFlags::FULLSCREEN,
    );
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
