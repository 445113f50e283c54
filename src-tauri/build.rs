//! Puts every command of the app under the permission system, from the list that the bridge is made of.

include!("src/command_list.rs");

macro_rules! names {
    ($($name:ident),* $(,)?) => { &[$(stringify!($name)),*] };
}

const COMMANDS: &[&str] = with_commands!(names);

fn main() {
    println!("cargo:rerun-if-changed=src/command_list.rs");
    let attributes = tauri_build::Attributes::new()
        .app_manifest(tauri_build::AppManifest::new().commands(COMMANDS));
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo::error={error:#}");
    }
}
