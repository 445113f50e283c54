//! Things worth a word beside the conversation: retries, denials, hooks, losses (PROTOCOL 4.5, 10).

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Number;
use serde_json::value::RawValue;

use crate::lenient;

/// A request to the API failed and is tried again.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ApiRetry<'a> {
    #[serde(default, deserialize_with = "lenient::number")]
    pub attempt: Option<Number>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub max_retries: Option<Number>,
    /// Milliseconds; a fraction in 2.1.88 to 2.1.150.
    #[serde(default, deserialize_with = "lenient::number")]
    pub retry_delay_ms: Option<Number>,
    /// Null when there was no HTTP answer.
    #[serde(default, deserialize_with = "lenient::number")]
    pub error_status: Option<Number>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub error: Option<Cow<'a, str>>,
    /// The API did not answer at all.
    #[serde(default, deserialize_with = "lenient::object")]
    pub no_response: Option<NoResponse>,
}

/// How long nothing came.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct NoResponse {
    /// Milliseconds.
    #[serde(default, deserialize_with = "lenient::number")]
    pub waited_ms: Option<Number>,
    /// Milliseconds.
    #[serde(default, deserialize_with = "lenient::number")]
    pub retry_wait_ms: Option<Number>,
}

/// A control request of the host takes its time.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ControlRequestProgress<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub request_id: Option<Cow<'a, str>>,
    /// `started` or `api_retry`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub status: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub attempt: Option<Number>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub max_retries: Option<Number>,
    /// Milliseconds.
    #[serde(default, deserialize_with = "lenient::number")]
    pub retry_delay_ms: Option<Number>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub error_status: Option<Number>,
}

/// A call was denied without asking.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct PermissionDenied<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub tool_name: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub tool_use_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub agent_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub decision_reason_type: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub decision_reason: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub message: Option<Cow<'a, str>>,
}

/// Another model answers, since the first one is overloaded.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ModelFallback<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub trigger: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub original_model: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub fallback_model: Option<Cow<'a, str>>,
}

/// The model declined to answer; with `fallback_model` another one answered in its place.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ModelRefusal<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub original_model: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub fallback_model: Option<Cow<'a, str>>,
    /// `session`, or `local` when only one answer came from the other model.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub scope: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub api_refusal_category: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub api_refusal_explanation: Option<Cow<'a, str>>,
    /// The lines of the refused answer, which no longer count.
    #[serde(default, borrow, deserialize_with = "lenient::texts")]
    pub retracted_message_uuids: Vec<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub refused_user_message_uuid: Option<Cow<'a, str>>,
}

/// A remark of the CLI; its text is the line's `content`.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Informational<'a> {
    /// `info`, `notice`, `suggestion` or `warning`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub level: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub tag: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub tool_use_id: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::flag")]
    pub prevent_continuation: Option<bool>,
}

/// A short message for the screen.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Notification<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub key: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub text: Option<Cow<'a, str>>,
    /// `low`, `medium`, `high` or `immediate`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub priority: Option<Cow<'a, str>>,
    /// Milliseconds.
    #[serde(default, deserialize_with = "lenient::number")]
    pub timeout_ms: Option<Number>,
}

/// A command hook starts, says something, or has ended.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Hook<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub hook_id: Option<Cow<'a, str>>,
    /// Such as `PreToolUse:Bash`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub hook_name: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub hook_event: Option<Cow<'a, str>>,
    /// `success`, `error` or `cancelled`; of `hook_response` only.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub outcome: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub output: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub stdout: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub stderr: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub exit_code: Option<Number>,
}

/// Plugins are being installed.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct PluginInstall<'a> {
    /// `started`, `installed`, `failed` or `completed`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub status: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub name: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub error: Option<Cow<'a, str>>,
}

/// Files were saved where the session keeps them.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct FilesPersisted<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::objects")]
    pub files: Vec<PersistedFile<'a>>,
    #[serde(default, borrow, deserialize_with = "lenient::objects")]
    pub failed: Vec<PersistedFile<'a>>,
}

/// One of them.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct PersistedFile<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub filename: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub file_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub error: Option<Cow<'a, str>>,
}

/// Memories that joined the turn.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct MemoryRecall<'a> {
    /// `select`, or `synthesize` for a summary of many.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub mode: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::objects")]
    pub memories: Vec<Memory<'a>>,
}

/// One of them.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Memory<'a> {
    /// A file, a mark in angle brackets, or an address.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub path: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub scope: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub content: Option<Cow<'a, str>>,
}

/// What an MCP server asked for in the browser is done.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ElicitationComplete<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub mcp_server_name: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub elicitation_id: Option<Cow<'a, str>>,
}

/// A copy of the transcript could not be written and was dropped.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct MirrorError<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub error: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub key: Option<&'a RawValue>,
}

/// Why the process goes.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct WorkerShuttingDown<'a> {
    /// Snake case, such as `host_exit`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub reason: Option<Cow<'a, str>>,
}

/// The disk was full: lines of the session file are lost. Sent as the process ends.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct SessionWritesLost<'a> {
    /// `ENOSPC` or `EDQUOT`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub error_code: Option<Cow<'a, str>>,
    /// `transcript`, `global_config`, or both.
    #[serde(default, borrow, deserialize_with = "lenient::texts")]
    pub lost: Vec<Cow<'a, str>>,
    /// Whose transcripts miss lines.
    #[serde(default, borrow, deserialize_with = "lenient::texts")]
    pub transcript_session_ids: Vec<Cow<'a, str>>,
}
