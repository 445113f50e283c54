//! What a tray icon needs on Linux: a library that is loaded at run time, a session bus, and somebody there who shows icons
//! (freedesktop.org's StatusNotifierItem). None of them is a matter of course.

use std::ffi::CStr;

use gtk::gio;
use gtk::gio::prelude::*;
use tauri::{AppHandle, Manager as _};

use super::Tray;

/// Knows the icons, and whether somebody shows them.
const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const PATH: &str = "/StatusNotifierWatcher";
const SHOWN: &str = "IsStatusNotifierHostRegistered";
const BUS: &str = "org.freedesktop.DBus";

/// What tray-icon loads while it makes an icon; it ends the program when neither is there.
const LIBRARIES: [&CStr; 2] = [c"libayatana-appindicator3.so.1", c"libappindicator3.so.1"];

/// Calls `make` once all that it needs is there, and follows from then on whether the icon is shown.
pub fn when_usable(app: &AppHandle, make: impl FnOnce(&AppHandle) + 'static) {
    let app = app.clone();
    gio::bus_get(
        gio::BusType::Session,
        gio::Cancellable::NONE,
        move |connection| match connection {
            Ok(connection) => {
                // The end of the bus is not ours.
                connection.set_exit_on_close(false);
                if library_loads() {
                    make(&app);
                    follow_host(&app, &connection);
                } else {
                    app.state::<Tray>().fails(
                        "neither libayatana-appindicator3 nor libappindicator3 is installed"
                            .to_owned(),
                    );
                }
            }
            Err(error) => {
                let problem = format!("there is no session bus ({})", error.message());
                app.state::<Tray>().fails(problem);
            }
        },
    );
}

fn library_loads() -> bool {
    LIBRARIES.iter().any(|name| {
        // SAFETY: the name ends with a zero byte. The library's start-up code is that which tray-icon would run.
        !unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY) }.is_null()
    })
}

/// A tray of the old kind (XEmbed) is not counted: it may show the icon all the same.
fn follow_host(app: &AppHandle, connection: &gio::DBusConnection) {
    let follow = |sender: &str, interface: &str, signal: &str, about: Option<&str>| {
        let app = app.clone();
        // Lasts as long as the connection, and that as long as the program.
        connection.signal_subscribe(
            Some(sender),
            Some(interface),
            Some(signal),
            None,
            about,
            gio::DBusSignalFlags::NONE,
            move |connection, _, _, _, _, _| refresh(&app, connection),
        );
    };
    follow(BUS, BUS, "NameOwnerChanged", Some(WATCHER));
    follow(WATCHER, WATCHER, "StatusNotifierHostRegistered", None);
    follow(WATCHER, WATCHER, "StatusNotifierHostUnregistered", None);
    refresh(app, connection);
}

/// No answer is a no: nobody has the name.
fn refresh(app: &AppHandle, connection: &gio::DBusConnection) {
    let app = app.clone();
    connection.call(
        Some(WATCHER),
        PATH,
        "org.freedesktop.DBus.Properties",
        "Get",
        Some(&(WATCHER, SHOWN).to_variant()),
        None,
        gio::DBusCallFlags::NO_AUTO_START,
        -1,
        gio::Cancellable::NONE,
        move |answer| {
            let shown = answer
                .ok()
                .and_then(|answer| answer.try_child_value(0))
                .and_then(|value| value.as_variant())
                .and_then(|value| value.get::<bool>());
            app.state::<Tray>().shown(shown.unwrap_or(false));
        },
    );
}
