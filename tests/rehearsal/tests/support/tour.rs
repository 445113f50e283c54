//! The tour, started in a folder that the host made for it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::Host;

/// Starts the tour in a folder of the host's making.
pub fn start(folder: &Path, args: &[&str]) -> Host {
    let marked = folder.to_str().unwrap();
    let args = [&["--speed", "max"], args].concat();
    let mut host = Host::start_in(folder, &args, &[("KANDEV_REHEARSAL_DIR", marked)]);
    host.initialize();
    host
}

pub fn allow_and_answer(request: &Value) -> Value {
    let mut input = request["input"].clone();
    if request["tool_name"] == "AskUserQuestion" {
        input["answers"] = json!({
            "How should the next day be marked?": "The weekday",
            "What else belongs in this release?": "Low water too, JSON output",
        });
    }
    json!({"behavior": "allow", "updatedInput": input})
}

/// Plays the rest after stdin was closed and returns all that was said.
pub fn finish(mut host: Host) -> (Vec<Value>, Option<i32>) {
    host.close();
    while host.line().is_some() {}
    let said = std::mem::take(&mut host.said);
    (said, host.end().0.code())
}

pub fn blocks<'a>(said: &'a [Value], kind: &str, role: &str) -> Vec<&'a Value> {
    let lines = said.iter().filter(|line| line["type"] == role);
    let blocks = lines.flat_map(|line| line["message"]["content"].as_array().into_iter().flatten());
    blocks.filter(|block| block["type"] == kind).collect()
}

pub fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap()
}
