//! Tasks beside the main thread, as events (PROTOCOL 8).

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use specta::Type;

/// The wire's fields of `task_started`, `task_progress` and `task_notification` (PROTOCOL 8).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct TaskFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub run_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub tool_use_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub task_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub is_backgrounded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub subagent_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional, type = specta_typescript::Number)]
    pub spawn_depth: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub parent_task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub workflow_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional, type = specta_typescript::Unknown)]
    pub usage: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub last_tool_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub summary_is_report: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional, type = specta_typescript::Unknown)]
    pub workflow_progress: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub output_file: Option<String>,
    /// Why it ended, where that is no ordinary end: `worker_restart`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub reason: Option<String>,
    /// Files that the result of an MCP task names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional, type = specta_typescript::Unknown)]
    pub resource_links: Option<Value>,
    /// It is no activity: nobody waits for it, and it keeps nothing busy.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub ambient: Option<bool>,
    /// It has no place among the rows of the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub skip_transcript: Option<bool>,
    /// Why it failed, as the CLI said before its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub error: Option<String>,
    /// What a bridge added to a line of the older form.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub bridge: Option<BridgeFields>,
}

/// Fields that only bridges send, apart from the wire's own (PROTOCOL 11).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct BridgeFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub turn_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional, type = specta_typescript::Unknown)]
    pub stream: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional, type = specta_typescript::Unknown)]
    pub command: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional, type = specta_typescript::Unknown)]
    pub snapshot: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub status: Option<String>,
}
