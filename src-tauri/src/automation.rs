//! What a test that drives the window needs and cannot reach from outside. Nothing of it is active unless the window was
//! started for WebDriver.

/// Keeps what goes wrong in the page, from its first moment on.
pub const SCRIPT: &str = include_str!("automation.js");

/// Whether WebDriver may drive the window: the same variable opens the engine for it.
pub fn is_on() -> bool {
    std::env::var("TAURI_WEBVIEW_AUTOMATION").as_deref() == Ok("true")
}

/// The answer of the system's dialog, which WebDriver does not see.
pub fn picked() -> Option<String> {
    std::env::var("KANDEV_TEST_PICK")
        .ok()
        .filter(|path| is_on() && !path.is_empty())
}
