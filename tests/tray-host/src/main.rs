//! A stand-in for the panel of a desktop that shows tray icons: takes part in freedesktop.org's StatusNotifierItem and
//! dbusmenu on the session bus, and follows the lines of its stdin. Draws nothing.
//!
//! `menu` prints the menu of the newest icon as a line of JSON; `click LABEL` clicks an item of it; `hide` and `show` say
//! that no panel, or one, shows icons.

#[cfg(target_os = "linux")]
mod host;

fn main() -> anyhow::Result<()> {
    #[cfg(target_os = "linux")]
    return host::run();
    #[cfg(not(target_os = "linux"))]
    anyhow::bail!("tray icons are on the session bus on Linux only")
}
