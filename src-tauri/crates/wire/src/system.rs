//! `system` messages: facts about the session, tasks, and things worth a notice (PROTOCOL 4.1, 4.2, 4.5, 8).

mod facts;
mod notes;
mod tasks;

use std::borrow::Cow;

use serde::Deserialize;

use crate::bridge::Bridge;
use crate::lenient;

pub use facts::*;
pub use notes::*;
pub use tasks::*;

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
    /// What a bridge added to a line of the older form, with its subtype as its type.
    pub bridge: Option<Box<Bridge<'a>>>,
}

/// What a `system` line is about, by its subtype.
#[derive(Debug, Clone)]
pub enum SystemBody<'a> {
    /// At the start of every turn.
    Init(Init<'a>),
    Status(Status<'a>),
    ApiRetry(ApiRetry<'a>),
    CompactBoundary(CompactBoundary<'a>),
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
    ModelRefusalFallback(ModelRefusal<'a>),
    ModelRefusalNoFallback(ModelRefusal<'a>),
    Informational(Informational<'a>),
    Notification(Notification<'a>),
    HookStarted(Hook<'a>),
    HookProgress(Hook<'a>),
    HookResponse(Hook<'a>),
    /// What a slash command printed; it is the line's `content`.
    LocalCommandOutput,
    PluginInstall(PluginInstall<'a>),
    FilesPersisted(FilesPersisted<'a>),
    MemoryRecall(MemoryRecall<'a>),
    ElicitationComplete(ElicitationComplete<'a>),
    MirrorError(MirrorError<'a>),
    WorkerShuttingDown(WorkerShuttingDown<'a>),
    SessionWritesLost(SessionWritesLost<'a>),
    ControlRequestProgress(ControlRequestProgress<'a>),
    ThinkingTokens,
    /// A subtype that this build does not know, or none.
    Unknown,
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
    use SystemBody as B;
    use serde_json::from_str as of;
    let body = match subtype.as_ref() {
        "init" => B::Init(of(json)?),
        "status" => B::Status(of(json)?),
        "api_retry" => B::ApiRetry(of(json)?),
        "compact_boundary" => B::CompactBoundary(of(json)?),
        "task_started" => B::TaskStarted(of(json)?),
        "task_progress" => B::TaskProgress(of(json)?),
        "task_updated" => B::TaskUpdated(of(json)?),
        "task_notification" => B::TaskNotification(of(json)?),
        "background_tasks_changed" => B::BackgroundTasksChanged(of(json)?),
        "commands_changed" => B::CommandsChanged(of(json)?),
        "session_title_changed" => B::SessionTitleChanged(of(json)?),
        "session_state_changed" => B::SessionStateChanged(of(json)?),
        "permission_denied" => B::PermissionDenied(of(json)?),
        "model_fallback" => B::ModelFallback(of(json)?),
        "model_refusal_fallback" => B::ModelRefusalFallback(of(json)?),
        "model_refusal_no_fallback" => B::ModelRefusalNoFallback(of(json)?),
        "informational" => B::Informational(of(json)?),
        "notification" => B::Notification(of(json)?),
        "hook_started" => B::HookStarted(of(json)?),
        "hook_progress" => B::HookProgress(of(json)?),
        "hook_response" => B::HookResponse(of(json)?),
        "plugin_install" => B::PluginInstall(of(json)?),
        "files_persisted" => B::FilesPersisted(of(json)?),
        "memory_recall" => B::MemoryRecall(of(json)?),
        "elicitation_complete" => B::ElicitationComplete(of(json)?),
        "mirror_error" => B::MirrorError(of(json)?),
        "worker_shutting_down" => B::WorkerShuttingDown(of(json)?),
        "session_writes_lost" => B::SessionWritesLost(of(json)?),
        "control_request_progress" => B::ControlRequestProgress(of(json)?),
        "local_command_output" => B::LocalCommandOutput,
        "thinking_tokens" => B::ThinkingTokens,
        _ => B::Unknown,
    };
    let bridge = match as_subtype {
        Some(_) => Some(Bridge::of(json)?).filter(|bridge| !bridge.is_empty()),
        None => None,
    };
    Ok(System {
        subtype,
        session_id: head.session_id,
        uuid: head.uuid,
        parent_tool_use_id: head.parent_tool_use_id,
        content: head.content,
        body,
        bridge: bridge.map(Box::new),
    })
}
