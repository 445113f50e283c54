//! The vocabulary of events: what the journal keeps, what every watcher hears.

mod permission;
mod tasks;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use specta::Type;

use crate::detail::{NormalizedPayload, TodoItem};

pub use permission::*;
pub use tasks::*;

/// One entry of a session's journal. The same shape crosses IPC, stands in the journal and is printed by `kandev`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct Event {
    /// From 1, without gaps within a session.
    #[specta(type = specta_typescript::Number)]
    pub seq: u64,
    /// The number of the last event that this one stands for: pieces of a text that the journal has joined. Absent when it
    /// is one event. The next one's number is this one's, or `seq`, plus one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional, type = specta_typescript::Number)]
    pub through: Option<u64>,
    /// RFC 3339 with milliseconds.
    pub at: String,
    /// The CLI's session id; absent until the first `system/init` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub session_id: Option<String>,
    /// The subagent call under which this was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub parent_tool_call_id: Option<String>,
    #[serde(flatten)]
    pub body: EventBody,
}

impl Event {
    /// The number of the last event that this one stands for.
    pub fn last_seq(&self) -> u64 {
        self.through.unwrap_or(self.seq)
    }
}

/// What happened. The set is closed: what fits none of these is a `Notice`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventBody {
    SessionStatus {
        data: SessionStatus,
    },
    AvailableCommands {
        available_commands: Vec<AvailableCommand>,
    },
    UserMessage(UserMessage),
    MessageChunk {
        text: String,
        message_id: String,
    },
    Reasoning {
        reasoning_text: String,
        message_id: String,
    },
    /// Voids all said so far under `message_id`.
    MessageDiscarded {
        message_id: String,
    },
    ToolCall(ToolCall),
    /// The whole call each time: insert it or replace it by its id.
    ToolUpdate(ToolCall),
    Todos {
        items: Vec<TodoItem>,
    },
    PermissionRequest(PermissionRequest),
    /// What is absent did not differ from what was asked, or was not said.
    PermissionResolved {
        pending_id: String,
        behavior: Behavior,
        by: ResolvedBy,
        /// The input that runs, if it is not the one that was asked about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[specta(optional, type = specta_typescript::Unknown)]
        updated_input: Option<Value>,
        /// What the model is told of a denial.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[specta(optional)]
        message: Option<String>,
        /// The denial ends the turn.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[specta(optional)]
        interrupt: bool,
        /// Rules and modes that were taken with the answer.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[specta(optional, type = Vec<specta_typescript::Unknown>)]
        updated_permissions: Vec<Value>,
    },
    PermissionCancelled {
        pending_id: String,
    },
    ContextWindow(ContextWindow),
    RateLimit {
        rate_limit_message: String,
        #[specta(type = specta_typescript::Unknown)]
        data: Value,
    },
    Complete {
        data: TurnSummary,
    },
    Error {
        error: String,
        data: ErrorData,
    },
    SessionState {
        state: SessionState,
    },
    TaskStarted(TaskFields),
    TaskProgress(TaskFields),
    TaskNotification(TaskFields),
    TurnDiffUpdated {
        files: Vec<ChangedFile>,
        diff: String,
    },
    Notice {
        /// The wire's subtype or type.
        kind: String,
        text: String,
        #[specta(type = specta_typescript::Unknown)]
        data: Value,
    },
    ModeChanged {
        mode: String,
    },
    ModelChanged {
        model: String,
    },
    TitleChanged {
        title: String,
    },
    SessionEnded {
        data: SessionEnd,
    },
    Unrecognized {
        raw: String,
    },
}

/// What `system/init` says, when it says something new.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct SessionStatus {
    pub session_status: SessionOrigin,
    pub model: Option<String>,
    pub cwd: Option<String>,
    pub permission_mode: Option<String>,
    #[specta(type = Vec<specta_typescript::Unknown>)]
    pub tools: Vec<Value>,
    #[specta(type = Vec<specta_typescript::Unknown>)]
    pub mcp_servers: Vec<Value>,
    pub cli_version: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum SessionOrigin {
    New,
    Resumed,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct AvailableCommand {
    pub name: String,
    pub description: Option<String>,
    pub argument_hint: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct UserMessage {
    pub text: String,
    pub uuid: Option<String>,
    pub attachments: Vec<Attachment>,
    /// The CLI put this text in; it is not the user's words.
    pub synthetic: bool,
}

/// A content block of a prompt that is not text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct Attachment {
    /// The wire's block type: `image`, `document` or another.
    pub kind: String,
    pub media_type: Option<String>,
    /// Where a block by address points.
    pub url: Option<String>,
    /// Base64, as the wire has it.
    pub data: Option<String>,
}

/// One use of a tool, from its `tool_use` to its `tool_result`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct ToolCall {
    pub tool_call_id: String,
    pub tool_name: String,
    pub tool_title: String,
    pub tool_status: ToolStatus,
    pub normalized: NormalizedPayload,
    /// Seconds the call has run, from `tool_progress`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional, type = specta_typescript::Number)]
    pub elapsed_seconds: Option<Number>,
    /// What a window got less of than there is. The journal has all of it, so it says nothing here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[specta(optional)]
    pub slimmed: Vec<Slimmed>,
}

/// A field of a tool's detail of which only the beginning and the end are there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Slimmed {
    /// Its name in the detail, as in `stdout`.
    pub field: String,
    /// All of it, in bytes of UTF-8.
    #[specta(type = specta_typescript::Number)]
    pub bytes: u64,
    /// Line ends in all of it, and one.
    #[specta(type = specta_typescript::Number)]
    pub lines: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    Running,
    Complete,
    Error,
}

/// Tokens in the newest main-thread request against the model's window.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Type)]
pub struct ContextWindow {
    #[specta(type = specta_typescript::Number)]
    pub context_window_size: u64,
    #[specta(type = specta_typescript::Number)]
    pub context_window_used: u64,
    #[specta(type = specta_typescript::Number)]
    pub context_window_remaining: u64,
    /// Percent used.
    #[specta(type = specta_typescript::Number)]
    pub context_efficiency: f64,
}

/// What a `result` line says of its turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct TurnSummary {
    /// This turn alone, in US dollars.
    #[specta(type = Option<specta_typescript::Number>)]
    pub cost_usd: Option<f64>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub total_cost_usd: Option<f64>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub duration_ms: Option<Number>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub duration_api_ms: Option<Number>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub num_turns: Option<Number>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub input_tokens: Option<Number>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub output_tokens: Option<Number>,
    pub subtype: Option<String>,
    pub is_error: bool,
    pub terminal_reason: Option<String>,
    pub last_message_uuid: Option<String>,
    #[specta(type = Vec<specta_typescript::Unknown>)]
    pub permission_denials: Vec<Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct ErrorData {
    /// Never empty.
    pub code: String,
    /// What to do next, where there is something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub next_step: Option<String>,
    /// The message whose text has said the same: a reader shows one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub message_id: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    Idle,
    Running,
    RequiresAction,
    Ended,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct ChangedFile {
    pub path: String,
    /// Lines.
    pub added: u32,
    /// Lines.
    pub removed: u32,
}

/// How the process went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct SessionEnd {
    /// Null if a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal's name, as in `SIGKILL`.
    pub signal: Option<String>,
    pub stderr_tail: String,
    /// The host had asked for it.
    pub expected: bool,
}
