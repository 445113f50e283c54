//! Questions before a tool runs, as events (PROTOCOL 6.1).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;

use crate::detail::NormalizedPayload;

/// The CLI asks before a tool runs (`can_use_tool`, PROTOCOL 6.1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct PermissionRequest {
    pub pending_id: String,
    pub tool_call_id: Option<String>,
    pub tool_name: String,
    pub tool_title: String,
    pub action_type: ActionType,
    #[specta(type = specta_typescript::Unknown)]
    pub input: Value,
    #[specta(type = Vec<specta_typescript::Unknown>)]
    pub suggestions: Vec<Value>,
    pub normalized: NormalizedPayload,
    pub data: PermissionReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ActionType {
    Command,
    FileWrite,
    FileRead,
    Network,
    McpTool,
    Plan,
    Question,
    Other,
}

/// Who asks and why, as far as the CLI says.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct PermissionReason {
    pub display_name: Option<String>,
    pub description: Option<String>,
    pub decision_reason: Option<String>,
    pub decision_reason_type: Option<String>,
    pub blocked_path: Option<String>,
    pub agent_id: Option<String>,
    pub title: Option<String>,
    pub requires_user_interaction: bool,
    /// `{name, source}` of the tool's server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional, type = specta_typescript::Unknown)]
    pub mcp_server: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub server_policy_ask_only: Option<bool>,
    /// No lasting rule may be offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub suppress_always_allow_rule: Option<bool>,
    /// The approval may not be chosen beforehand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub default_to_no: Option<bool>,
    /// `{source, tool_name, rule_content?}`: the user's own rule that made it a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional, type = specta_typescript::Unknown)]
    pub matched_ask_rule: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub classifier_approvable: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub decision_reason_rule_source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub decision_reason_hook_event: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub decision_reason_hook_source: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Behavior {
    Allow,
    Deny,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum ResolvedBy {
    User,
    Policy,
    Timeout,
    SessionEnd,
}
