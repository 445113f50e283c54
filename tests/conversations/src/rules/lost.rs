//! No line is lost: it gives an event, or it is of a kind that deliberately says nothing.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use kandev_transcript::EventBody;
use kandev_wire::{ControlBody, FromCli, SystemBody};
use serde::Deserialize;
use serde_json::Value;

use super::Read;
use crate::json::{blocks, value};

/// Kinds whose lines tell something only sometimes: news that is none, parts of what follows whole, answers that another
/// one waits for, and withdrawals of what is not open.
const AT_TIMES: [&str; 14] = [
    "stream_event",
    "system/init",
    "system/status",
    "system/session_state_changed",
    "system/task_updated",
    "system/background_tasks_changed",
    "system/control_request_progress",
    "system/local_command_output",
    "task_updated",
    "background_tasks_changed",
    "tool_progress",
    "control_response",
    "control_cancel_request",
    "control_request/can_use_tool",
];

/// The kinds that the protocol's table calls quiet.
static QUIET: LazyLock<HashSet<String>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct Table {
        messages: Vec<Row>,
        from_cli: Vec<Row>,
    }
    #[derive(Deserialize)]
    struct Row {
        #[serde(default, rename = "type")]
        kind: String,
        #[serde(default)]
        subtype: String,
        shown: String,
    }
    let table = include_str!("../../../../src-tauri/crates/wire/protocol.json");
    let Table { messages, from_cli } =
        serde_json::from_str(table).expect("the table of the protocol");
    let requests = from_cli.into_iter().map(|row| Row {
        kind: "control_request".to_owned(),
        ..row
    });
    let rows = messages.into_iter().chain(requests);
    rows.filter(|row| row.shown == "quiet")
        .map(|row| name(&row.kind, &row.subtype))
        .collect()
});

fn name(kind: &str, subtype: &str) -> String {
    if subtype.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind}/{subtype}")
    }
}

/// What the lines before told, as far as a later line may rely on it.
#[derive(Default)]
struct Told {
    calls: HashSet<String>,
    questions: HashSet<String>,
    uuids: HashSet<String>,
    results: HashSet<u64>,
    prompts: String,
    /// A line was deeper than a value goes: what it told is not known here.
    unsure: bool,
}

/// Holds each line of the CLI to the rule.
pub fn lines(steps: &[Read<'_>]) -> Result<(), String> {
    let mut told = Told::default();
    for step in steps {
        if step.parts.starts {
            told = Told::default();
        }
        for host in &step.parts.host {
            if let Some(host) = value(host) {
                told.uuids.extend(host["uuid"].as_str().map(str::to_owned));
            }
        }
        for body in step.bodies() {
            match body {
                EventBody::ToolCall(call) => drop(told.calls.insert(call.tool_call_id.clone())),
                EventBody::PermissionRequest(asked) => {
                    told.questions.insert(asked.pending_id.clone());
                }
                EventBody::UserMessage(message) => told.prompts += &squeezed(&message.text),
                EventBody::MessageChunk { text, .. } => told.prompts += &squeezed(text),
                _ => {}
            }
        }
        for line in &step.parts.cli {
            if let Err(why) = told.line(line, step) {
                let events: Vec<_> = step.bodies().collect();
                return Err(format!("{why}: {line:?} gave {events:?}"));
            }
        }
    }
    Ok(())
}

impl Told {
    fn line(&mut self, line: &str, step: &Read<'_>) -> Result<(), String> {
        let read = kandev_wire::read_text(line);
        if read.is_blank() {
            return Ok(());
        }
        let kept = || {
            let whole = step
                .bodies()
                .any(|body| matches!(body, EventBody::Unrecognized { raw } if raw == line));
            if whole {
                Ok(())
            } else {
                Err("not kept".to_owned())
            }
        };
        let Ok(message) = read.from_cli() else {
            return kept();
        };
        let odd = match &message {
            FromCli::Unknown => true,
            FromCli::System(system) => matches!(system.body, SystemBody::Unknown),
            FromCli::ControlRequest(request) => matches!(
                request.request,
                ControlBody::Unknown { .. } | ControlBody::Missing
            ),
            _ => false,
        };
        if odd {
            return kept();
        }
        let Some(json) = value(line).filter(|_| !self.unsure) else {
            self.unsure = true;
            return Ok(());
        };
        match &message {
            FromCli::Assistant(_) => self.content(&json, step),
            FromCli::User(_) => self
                .content(&json, step)
                .and_then(|()| self.prompt(&json, step)),
            FromCli::ControlRequest(request)
                if matches!(request.request, ControlBody::CanUseTool(_)) =>
            {
                match json["request_id"].as_str() {
                    Some(id) if !self.questions.contains(id) => Err("not asked".to_owned()),
                    _ => Ok(()),
                }
            }
            _ => self.known(&json, step),
        }
    }

    fn known(&self, json: &Value, step: &Read<'_>) -> Result<(), String> {
        let kind = json["type"].as_str().unwrap_or_default();
        let subtype = match kind {
            "control_request" => json["request"]["subtype"].as_str(),
            "system" => json["subtype"].as_str(),
            _ => None,
        };
        let name = name(kind, subtype.unwrap_or_default());
        if QUIET.contains(&name) || AT_TIMES.contains(&name.as_str()) || step.told() {
            return Ok(());
        }
        Err(format!("{name} says nothing"))
    }

    /// Each block of a message is somewhere; texts have a rule of their own.
    fn content(&mut self, json: &Value, step: &Read<'_>) -> Result<(), String> {
        let content = &json["message"]["content"];
        if !(content.is_null() || content.is_string() || content.is_array() || step.told()) {
            return Err("the content is lost".to_owned());
        }
        for block in blocks(json) {
            let kind = block["type"].as_str().unwrap_or_default();
            let text = |name: &str| block[name].as_str();
            match (kind, text("id"), text("tool_use_id")) {
                ("redacted_thinking", ..) => {}
                ("text", ..) if block["text"].is_string() || block["text"].is_null() => {}
                ("thinking", ..)
                    if block["thinking"].is_string() || block["thinking"].is_null() => {}
                ("tool_use" | "server_tool_use" | "mcp_tool_use", Some(id), _)
                    if json["type"] != "user" =>
                {
                    if !self.calls.contains(id) {
                        return Err(format!("the call {id} is lost"));
                    }
                }
                (result, _, Some(id)) if result.ends_with("tool_result") => {
                    let mut hasher = DefaultHasher::new();
                    (id, block["content"].to_string()).hash(&mut hasher);
                    if self.results.insert(hasher.finish()) && !step.told() {
                        return Err(format!("the result of {id} is lost"));
                    }
                }
                _ if block.is_null() || step.told() => {}
                _ => return Err(format!("the block {block} is lost")),
            }
        }
        Ok(())
    }

    /// What a `user` line says is there, or was there before: the CLI echoes.
    fn prompt(&mut self, json: &Value, step: &Read<'_>) -> Result<(), String> {
        let text: String = blocks(json)
            .iter()
            .filter(|block| block["type"] == "text")
            .filter_map(|block| block["text"].as_str())
            .collect();
        let uuid = json["uuid"].as_str();
        let echo = json["isReplay"] == true || uuid.is_some_and(|uuid| self.uuids.contains(uuid));
        let text = squeezed(&text);
        self.uuids.extend(uuid.map(str::to_owned));
        if echo
            || text.starts_with("<local-command-")
            || self.prompts.contains(&text)
            || step.told()
        {
            return Ok(());
        }
        Err("the text is lost".to_owned())
    }
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
