//! `system` messages: facts about the session, tasks, and things worth a notice (PROTOCOL 4.1, 4.2, 4.5, 8).

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Number;
use serde_json::value::RawValue;

use crate::lenient;

/// One `system` line.
#[derive(Debug, Clone)]
pub struct System<'a> {
    pub subtype: Cow<'a, str>,
    pub session_id: Option<Cow<'a, str>>,
    pub uuid: Option<Cow<'a, str>>,
    pub parent_tool_use_id: Option<Cow<'a, str>>,
    /// The text of those that have one, `informational` and the like.
    pub content: Option<Cow<'a, str>>,
    pub body: SystemBody<'a>,
}

/// What a `system` line is about, by its subtype.
#[derive(Debug, Clone)]
pub enum SystemBody<'a> {
    /// At the start of every turn.
    Init(Init<'a>),
    Status(Status<'a>),
    ApiRetry(ApiRetry<'a>),
    CompactBoundary(CompactBoundary),
    TaskStarted(Task<'a>),
    TaskProgress(Task<'a>),
    TaskUpdated(Task<'a>),
    TaskNotification(Task<'a>),
    BackgroundTasksChanged(BackgroundTasks<'a>),
    CommandsChanged(Commands<'a>),
    SessionTitleChanged(SessionTitle<'a>),
    SessionStateChanged(SessionState<'a>),
    PermissionDenied(PermissionDenied<'a>),
    ModelFallback(ModelFallback<'a>),
    Informational(Informational<'a>),
    Notification(Notification<'a>),
    /// `hook_started`, `hook_progress` or `hook_response`.
    Hook(Hook<'a>),
    ThinkingTokens,
    ControlRequestProgress,
    /// Declared by the SDK, shown by no recording.
    Declared,
    /// A subtype that this build does not know, or none.
    Unknown,
}

/// What a session is, said again at every turn.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Init<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub cwd: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub model: Option<Cow<'a, str>>,
    #[serde(
        default,
        borrow,
        rename = "permissionMode",
        deserialize_with = "lenient::text"
    )]
    pub permission_mode: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub tools: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub mcp_servers: Option<&'a RawValue>,
    /// Absent below 2.0.24.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub claude_code_version: Option<Cow<'a, str>>,
}

/// `requesting`, `compacting`, or null with what changed.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Status<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub status: Option<Cow<'a, str>>,
    #[serde(
        default,
        borrow,
        rename = "permissionMode",
        deserialize_with = "lenient::text"
    )]
    pub permission_mode: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub compact_result: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub compact_error: Option<Cow<'a, str>>,
}

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
    #[serde(default, deserialize_with = "lenient::number")]
    pub error_status: Option<Number>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub error: Option<Cow<'a, str>>,
}

/// The conversation was compacted here.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct CompactBoundary {
    #[serde(default, deserialize_with = "lenient::object")]
    pub compact_metadata: Option<CompactMetadata>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub struct CompactMetadata {
    #[serde(default, deserialize_with = "lenient::count")]
    pub pre_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    pub post_tokens: Option<u64>,
}

/// What the state machine needs of the task messages; events carry all fields.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Task<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub task_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub tool_use_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub task_type: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub status: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::object")]
    pub patch: Option<TaskPatch<'a>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub struct TaskPatch<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub status: Option<Cow<'a, str>>,
}

/// The background tasks that run now; the whole set each time.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct BackgroundTasks<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::objects")]
    pub tasks: Vec<Task<'a>>,
}

/// The slash commands; the whole list each time.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Commands<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::objects")]
    pub commands: Vec<SlashCommand<'a>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub struct SlashCommand<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub name: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub description: Option<Cow<'a, str>>,
    #[serde(
        default,
        borrow,
        rename = "argumentHint",
        deserialize_with = "lenient::text"
    )]
    pub argument_hint: Option<Cow<'a, str>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub struct SessionTitle<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub title: Option<Cow<'a, str>>,
}

/// Only with `CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1`: `running`, `requires_action` or `idle`.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct SessionState<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub state: Option<Cow<'a, str>>,
}

/// A call was denied without asking.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct PermissionDenied<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub tool_name: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub message: Option<Cow<'a, str>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub struct ModelFallback<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub trigger: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub original_model: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub fallback_model: Option<Cow<'a, str>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub struct Informational<'a> {
    /// `info`, `notice`, `suggestion` or `warning`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub level: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub tag: Option<Cow<'a, str>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub struct Notification<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub text: Option<Cow<'a, str>>,
}

/// A command hook runs, or ran.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Hook<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub hook_name: Option<Cow<'a, str>>,
    /// `success`, `error` or `cancelled`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub outcome: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub output: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    subtype: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    session_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    uuid: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    parent_tool_use_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    content: Option<Cow<'a, str>>,
}

/// Reads a `system` line, or one whose `type` is what is now a subtype.
pub(crate) fn parse<'a>(
    json: &'a str,
    as_subtype: Option<&str>,
) -> Result<System<'a>, serde_json::Error> {
    let head: Head<'a> = serde_json::from_str(json)?;
    let subtype = match as_subtype {
        Some(kind) => Cow::Owned(kind.to_owned()),
        None => head.subtype.unwrap_or_default(),
    };
    let body = match subtype.as_ref() {
        "init" => SystemBody::Init(serde_json::from_str(json)?),
        "status" => SystemBody::Status(serde_json::from_str(json)?),
        "api_retry" => SystemBody::ApiRetry(serde_json::from_str(json)?),
        "compact_boundary" => SystemBody::CompactBoundary(serde_json::from_str(json)?),
        "task_started" => SystemBody::TaskStarted(serde_json::from_str(json)?),
        "task_progress" => SystemBody::TaskProgress(serde_json::from_str(json)?),
        "task_updated" => SystemBody::TaskUpdated(serde_json::from_str(json)?),
        "task_notification" => SystemBody::TaskNotification(serde_json::from_str(json)?),
        "background_tasks_changed" => {
            SystemBody::BackgroundTasksChanged(serde_json::from_str(json)?)
        }
        "commands_changed" => SystemBody::CommandsChanged(serde_json::from_str(json)?),
        "session_title_changed" => SystemBody::SessionTitleChanged(serde_json::from_str(json)?),
        "session_state_changed" => SystemBody::SessionStateChanged(serde_json::from_str(json)?),
        "permission_denied" => SystemBody::PermissionDenied(serde_json::from_str(json)?),
        "model_fallback" => SystemBody::ModelFallback(serde_json::from_str(json)?),
        "informational" => SystemBody::Informational(serde_json::from_str(json)?),
        "notification" => SystemBody::Notification(serde_json::from_str(json)?),
        "hook_started" | "hook_progress" | "hook_response" => {
            SystemBody::Hook(serde_json::from_str(json)?)
        }
        "thinking_tokens" => SystemBody::ThinkingTokens,
        "control_request_progress" => SystemBody::ControlRequestProgress,
        "local_command_output"
        | "plugin_install"
        | "files_persisted"
        | "memory_recall"
        | "elicitation_complete"
        | "model_refusal_fallback"
        | "model_refusal_no_fallback"
        | "mirror_error"
        | "worker_shutting_down"
        | "session_writes_lost" => SystemBody::Declared,
        _ => SystemBody::Unknown,
    };
    Ok(System {
        subtype,
        session_id: head.session_id,
        uuid: head.uuid,
        parent_tool_use_id: head.parent_tool_use_id,
        content: head.content,
        body,
    })
}
