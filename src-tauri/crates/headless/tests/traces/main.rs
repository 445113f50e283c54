//! What a session leaves behind when it is debugged: its files, its spans at a collector, a saved report. Each is made by
//! the whole program and a recorded conversation.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod collector;
mod files;
mod reports;
mod secrets;
mod spans;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// The names that spans may have.
pub const NAMES: &[&str] = &[
    "streamjson.prompt",
    "streamjson.system",
    "streamjson.message_chunk",
    "streamjson.reasoning",
    "streamjson.tool_call",
    "streamjson.tool_update",
    "streamjson.context_window",
    "streamjson.complete",
    "streamjson.control.control_request.can_use_tool",
    "streamjson.control.permission_response",
    "streamjson.control.hook_response.pre_tool_use",
];

pub fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../tests/transcripts")
        .join(format!("{name}.ndjson"))
}

/// A run of the program that plays a recording.
pub struct Run {
    pub workspace: TempDir,
    pub events: Vec<Value>,
    pub code: Option<i32>,
    pub stderr: String,
}

impl Run {
    /// With debugging on.
    pub fn debugged(recording: &Path, endpoint: Option<&str>) -> Self {
        let mut env = vec![("KANDEV_DEBUG_AGENT_MESSAGES", "true")];
        env.extend(endpoint.map(|endpoint| ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)));
        Self::of(recording, &env, |_| {})
    }

    pub fn of(recording: &Path, env: &[(&str, &str)], prepare: impl FnOnce(&Path)) -> Self {
        let workspace = tempfile::tempdir().unwrap();
        prepare(workspace.path());
        let mut command = kandev();
        command
            .args([
                "run",
                "--json",
                "--rehearsal-speed",
                "max",
                "--policy",
                "rules",
                "--rehearsal",
            ])
            .arg(recording)
            .arg("--workspace")
            .arg(workspace.path())
            .env_remove("KANDEV_CLI")
            .env_remove("KANDEV_DEBUG_AGENT_MESSAGES")
            .env_remove("OTEL_EXPORTER_OTLP_ENDPOINT")
            .envs(env.iter().copied())
            .stdin(Stdio::null());
        let output = ended(command);
        let text = String::from_utf8(output.stdout).unwrap();
        Self {
            workspace,
            events: values(&text),
            code: output.status.code(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// A debug file: `raw` or `normalized`.
    pub fn file(&self, kind: &str) -> PathBuf {
        let folder = self.workspace.path().join(".kandev/debug");
        let names = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let mut of_kind = names.filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with(&format!("{kind}-streamjson-")) && name.ends_with(".jsonl")
        });
        of_kind.next().unwrap()
    }

    pub fn of_type(&self, kind: &str) -> Vec<&Value> {
        self.events
            .iter()
            .filter(|event| event["type"] == kind)
            .collect()
    }
}

/// Ends a program that does not end by itself, and the test with it.
fn ended(mut command: Command) -> Output {
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let id = child.id().to_string();
    let (tell, told) = mpsc::channel();
    thread::spawn(move || tell.send(child.wait_with_output()));
    told.recv_timeout(Duration::from_secs(60))
        .unwrap_or_else(|_| {
            Command::new("kill").arg(&id).status().unwrap();
            panic!("{command:?} does not end")
        })
        .unwrap()
}

pub fn values(lines: &str) -> Vec<Value> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The events that `kandev normalize` makes of a file, without their times.
pub fn normalize(file: &Path) -> Vec<Value> {
    let output = kandev().arg("normalize").arg(file).output().unwrap();
    assert!(output.status.success());
    timeless(values(&String::from_utf8(output.stdout).unwrap()))
}

pub fn timeless(mut events: Vec<Value>) -> Vec<Value> {
    for event in &mut events {
        event.as_object_mut().unwrap().remove("at");
    }
    events
}

/// What happened, without the session's own words on it: states and notices.
pub fn kinds(events: &[Value]) -> Vec<String> {
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap().to_owned())
        .filter(|kind| kind != "session_state" && kind != "notice")
        .collect()
}

thread_local! {
    /// A test has a thread, so its sessions are its own, and gone with it.
    static DATA: tempfile::TempDir = tempfile::tempdir().unwrap();
}

fn kandev() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kandev"));
    DATA.with(|data| {
        command
            .env("KANDEV_DATA_DIR", data.path())
            .env("CLAUDE_CONFIG_DIR", data.path())
    });
    command
}
