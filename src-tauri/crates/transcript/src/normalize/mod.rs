//! What a tool call is about and what came of it: one file per kind of tool detail.
//!
//! It owns the table of tool names and the reading of inputs and results (PROTOCOL 5.2, VERSIONS 1.5). It refuses to know
//! files, turns and events; input that cannot be read is shown as it came.

mod generic;
mod result;

use serde_json::Value;

pub use result::ToolResult;

use crate::detail::NormalizedPayload;
use crate::event::ActionType;
use crate::files::Files;

/// The detail of a call that begins, from the input of its `tool_use`.
pub fn start(name: &str, input: &Value) -> NormalizedPayload {
    generic::start(name, input)
}

/// The detail of a call that has ended, from what [`start`] or [`proposed`] made of it.
pub fn finish(payload: NormalizedPayload, name: &str, result: &ToolResult<'_>) -> NormalizedPayload {
    let _ = name;
    match payload {
        NormalizedPayload::Generic { generic } => generic::finish(generic, result),
        other => other,
    }
}

/// The detail of a call that is asked about, with the diff that an edit would make to the file as it is now.
pub fn proposed(name: &str, input: &Value, files: &dyn Files) -> NormalizedPayload {
    let _ = files;
    start(name, input)
}

/// What a row says of the call in one line. Never blank.
pub fn title(name: &str, input: &Value) -> String {
    let _ = input;
    if name.trim().is_empty() { "Tool".to_owned() } else { name.to_owned() }
}

/// What kind of permission the tool needs.
pub fn action_type(name: &str) -> ActionType {
    match name {
        "Bash" | "BashOutput" | "KillShell" | "Monitor" => ActionType::Command,
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => ActionType::FileWrite,
        "Read" | "NotebookRead" | "Glob" | "Grep" | "LS" => ActionType::FileRead,
        "WebFetch" | "WebSearch" => ActionType::Network,
        "EnterPlanMode" | "ExitPlanMode" => ActionType::Plan,
        "AskUserQuestion" => ActionType::Question,
        _ if name.starts_with("mcp__") => ActionType::McpTool,
        _ => ActionType::Other,
    }
}
