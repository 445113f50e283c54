//! The program. It is three in one: the guard of a CLI, the rehearsal CLI, and the workbench itself.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    kandev_transport::guard::run_if_asked();
    kandev_rehearsal::run_if_asked();
    kandev_desktop::run()
}
