//! A folder of the CLI's settings to try things in, and a short form of events.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use kandev_transcript::{Event, EventBody, ToolCall};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::terminal::reading::{End, Reading};
use crate::{At, Projects, Store, Terminal};

pub const VERSIONS: [&str; 4] = ["2.0.76", "2.1.88", "2.1.240", "2.1.332"];

/// Where the sessions of a version are that the CLI itself has written.
pub fn recorded(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/sessions")
        .join(version)
        .join("-home-dev-project")
}

/// A folder of settings, a data folder and what reads the one into the other.
pub struct World {
    pub claude: TempDir,
    pub data: TempDir,
    pub store: Store,
    pub terminal: Terminal,
}

impl World {
    pub fn new() -> Self {
        let claude = tempfile::tempdir().unwrap();
        let data = tempfile::tempdir().unwrap();
        let store = Store::open(data.path()).store;
        let terminal = store.terminal(Projects::at([claude.path().to_owned()]));
        Self {
            claude,
            data,
            store,
            terminal,
        }
    }

    /// With the sessions of a version.
    pub fn of(version: &str) -> Self {
        let world = Self::new();
        copy(&recorded(version), &world.folder());
        world.terminal.refresh().unwrap();
        world
    }

    /// The folder of one project.
    pub fn folder(&self) -> PathBuf {
        let folder = self.claude.path().join("projects/-home-dev-project");
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    pub fn file(&self, id: &str) -> PathBuf {
        self.folder().join(format!("{id}.jsonl"))
    }

    pub fn write(&self, id: &str, lines: &[Value]) {
        fs::write(self.file(id), text(lines)).unwrap();
        self.terminal.refresh().unwrap();
    }

    pub fn add(&self, id: &str, text: &str) {
        let file = fs::OpenOptions::new().append(true).open(self.file(id));
        file.unwrap().write_all(text.as_bytes()).unwrap();
        self.terminal.refresh().unwrap();
    }

    /// The journal of a session.
    pub fn journal(&self, id: &str) -> Vec<Event> {
        self.store.open_at(id, At::End, 100_000).unwrap().events
    }
}

pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::write(to, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

pub fn text(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A line of the main thread, a second after the one before it.
pub fn line(kind: &str, uuid: &str, parent: Option<&str>, message: Value) -> Value {
    let second = uuid
        .bytes()
        .fold(0_u32, |sum, byte| (sum * 31 + u32::from(byte)) % 50);
    json!({
        "parentUuid": parent, "isSidechain": false, "type": kind, "message": message, "uuid": uuid,
        "timestamp": format!("2026-11-30T10:00:{second:02}.000Z"), "cwd": "/home/dev/project", "sessionId": "s",
        "version": "2.1.332", "gitBranch": "main",
    })
}

pub fn user(uuid: &str, parent: Option<&str>, text: &str) -> Value {
    line(
        "user",
        uuid,
        parent,
        json!({ "role": "user", "content": text }),
    )
}

pub fn assistant(uuid: &str, parent: Option<&str>, text: &str) -> Value {
    let content = json!([{ "type": "text", "text": text }]);
    line(
        "assistant",
        uuid,
        parent,
        json!({
            "id": format!("msg_{uuid}"), "role": "assistant", "model": "claude-x", "content": content, "stop_reason": "end_turn",
        }),
    )
}

/// The events of a file, in short.
pub fn events_of(path: &Path, id: &str, end: End) -> Vec<String> {
    let mut reading = Reading::new(path, id);
    reading.grow().unwrap();
    let mut events = Vec::new();
    reading
        .tell(end, &mut |told| {
            let seq = events.len() as u64 + 1;
            events.push(short(&Event::new(seq, told.event.at, told.event.emitted)));
            true
        })
        .unwrap();
    events
}

/// An event on one line, with what it depends on.
pub fn short(event: &Event) -> String {
    let said = |text: &str| {
        let line = text.replace('\n', "⏎");
        match line.char_indices().nth(90) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    };
    let call = |call: &ToolCall| {
        let detail = serde_json::to_string(&call.normalized).unwrap();
        let status = format!("{:?}", call.tool_status).to_lowercase();
        format!(
            "{} {} “{}” {}",
            call.tool_call_id,
            status,
            call.tool_title,
            said(&detail)
        )
    };
    let what = match &event.body {
        EventBody::UserMessage(message) => format!(
            "user{} {}: {}{}",
            if message.synthetic { " synthetic" } else { "" },
            message
                .uuid
                .as_deref()
                .unwrap_or("-")
                .chars()
                .take(8)
                .collect::<String>(),
            said(&message.text),
            message
                .attachments
                .iter()
                .map(|a| format!(" [{}]", a.kind))
                .collect::<String>(),
        ),
        EventBody::MessageChunk { text, message_id } => {
            format!(
                "says {}: {}",
                message_id.chars().take(16).collect::<String>(),
                said(text)
            )
        }
        EventBody::Reasoning { reasoning_text, .. } => format!("thinks: {}", said(reasoning_text)),
        EventBody::ToolCall(of) => format!("call {}", call(of)),
        EventBody::ToolUpdate(of) => format!("update {}", call(of)),
        EventBody::Notice { kind, text, .. } => format!("notice {kind}: {}", said(text)),
        EventBody::SessionState { state } => format!("state {state:?}"),
        other => {
            let mut json = serde_json::to_value(other).unwrap();
            let kind = json["type"].as_str().unwrap().to_owned();
            json.as_object_mut().unwrap().remove("type");
            format!("{kind} {}", said(&json.to_string()))
        }
    };
    match &event.parent_tool_call_id {
        Some(parent) => format!("  in {parent}: {what}"),
        None => what,
    }
}
