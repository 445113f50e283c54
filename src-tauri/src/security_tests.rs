//! The page's rights, written down a second time: what is broader than this is a mistake until it is changed here too.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

macro_rules! names {
    ($($name:ident),* $(,)?) => { [$(stringify!($name)),*] };
}

fn folder() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn json_file(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder().join(name)).unwrap()).unwrap()
}

#[test]
fn the_page_may_call_our_commands_and_nothing_else() {
    let files: Vec<_> = std::fs::read_dir(folder().join("capabilities"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(files, ["main.json"]);
    let capability = json_file("capabilities/main.json");
    assert_eq!(capability["windows"], json!(["main", "session-*"]));
    assert_eq!(capability["local"], json!(true));
    for broader in ["webviews", "remote", "platforms"] {
        assert_eq!(capability.get(broader), None, "{broader}");
    }
    let granted: Vec<_> = capability["permissions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    let commands = with_commands!(names).map(|name| format!("allow-{}", name.replace('_', "-")));
    assert_eq!(granted, commands);
}

#[test]
fn the_content_security_policy_lets_nothing_in_from_outside() {
    let config = json_file("tauri.conf.json");
    assert_eq!(
        config["app"],
        json!({
            "windows": [],
            "withGlobalTauri": false,
            "security": {
                "capabilities": ["main"],
                "freezePrototype": true,
                "csp": {
                    "default-src": "'self'",
                    "script-src": "'self'",
                    "style-src": "'self'",
                    "font-src": "'self'",
                    "img-src": "'self' blob: data:",
                    "worker-src": "'self'",
                    "connect-src": "ipc: http://ipc.localhost",
                    "object-src": "'none'",
                    "base-uri": "'none'",
                    "frame-src": "'none'",
                    "form-action": "'none'"
                }
            }
        })
    );
}

#[test]
fn no_plugin_that_runs_programs_or_reaches_files_is_built_in() {
    let manifest = std::fs::read_to_string(folder().join("Cargo.toml")).unwrap();
    let plugins: Vec<_> = manifest
        .lines()
        .filter_map(|line| {
            line.strip_prefix("tauri-plugin-")?
                .split_once(' ')
                .map(|(name, _)| name)
        })
        .collect();
    assert_eq!(
        plugins,
        [
            "store",
            "dialog",
            "opener",
            "single-instance",
            "window-state"
        ]
    );
}
