//! What the CLI says: one line of its stdout (PROTOCOL 4).

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::Error;

use crate::asked::ControlRequest;
use crate::control::ControlResponse;
use crate::lenient;
use crate::messages::*;
use crate::result::TurnResult;
use crate::stream::StreamEvent;
use crate::system::{self, System};

/// A message of the CLI. Every field is optional: versions differ, and a field that has another type than expected
/// counts as absent.
#[derive(Debug, Clone)]
pub enum FromCli<'a> {
    /// `system` with a subtype; older write-ups have the task messages as types of their own, which are read alike.
    System(Box<System<'a>>),
    Assistant(Box<AssistantMessage<'a>>),
    User(Box<UserLine<'a>>),
    Result(Box<TurnResult<'a>>),
    StreamEvent(Box<StreamEvent<'a>>),
    /// `rate_limit_event`, or `rate_limit` (PROTOCOL 4.5).
    RateLimit(RateLimit<'a>),
    CommandLifecycle(CommandLifecycle<'a>),
    ConversationReset(ConversationReset<'a>),
    ToolProgress(ToolProgress<'a>),
    ControlRequest(Box<ControlRequest<'a>>),
    ControlResponse(ControlResponse<'a>),
    ControlCancelRequest(ControlCancelRequest<'a>),
    KeepAlive,
    ToolUseSummary(ToolUseSummary<'a>),
    AuthStatus(AuthStatus<'a>),
    PromptSuggestion(PromptSuggestion<'a>),
    ActiveGoal(ActiveGoal<'a>),
    /// A `type` that this build does not know, or none.
    Unknown,
}

impl FromCli<'_> {
    /// The session that the line belongs to; control lines name none.
    pub fn session_id(&self) -> Option<&str> {
        match self {
            FromCli::System(line) => line.session_id.as_deref(),
            FromCli::Assistant(line) => line.session_id.as_deref(),
            FromCli::User(line) => line.session_id.as_deref(),
            FromCli::Result(line) => line.session_id(),
            FromCli::StreamEvent(line) => line.session_id.as_deref(),
            FromCli::RateLimit(line) => line.session_id.as_deref(),
            FromCli::CommandLifecycle(line) => line.session_id.as_deref(),
            FromCli::ConversationReset(line) => line.session_id.as_deref(),
            FromCli::ToolProgress(line) => line.session_id.as_deref(),
            FromCli::ToolUseSummary(line) => line.session_id.as_deref(),
            FromCli::AuthStatus(line) => line.session_id.as_deref(),
            FromCli::PromptSuggestion(line) => line.session_id.as_deref(),
            FromCli::ActiveGoal(line) => line.session_id.as_deref(),
            FromCli::ControlRequest(_)
            | FromCli::ControlResponse(_)
            | FromCli::ControlCancelRequest(_)
            | FromCli::KeepAlive
            | FromCli::Unknown => None,
        }
    }
}

pub(crate) fn parse(json: &str) -> Result<FromCli<'_>, serde_json::Error> {
    let Some(kind) = kind(json)? else {
        return valid(json).map(|()| FromCli::Unknown);
    };
    Ok(match kind.as_ref() {
        "stream_event" => FromCli::StreamEvent(serde_json::from_str(json)?),
        "assistant" => FromCli::Assistant(serde_json::from_str(json)?),
        "user" => FromCli::User(serde_json::from_str(json)?),
        "system" => FromCli::System(Box::new(system::parse(json, None)?)),
        "result" => FromCli::Result(serde_json::from_str(json)?),
        "control_request" => FromCli::ControlRequest(serde_json::from_str(json)?),
        "control_response" => FromCli::ControlResponse(serde_json::from_str(json)?),
        "control_cancel_request" => FromCli::ControlCancelRequest(serde_json::from_str(json)?),
        "rate_limit_event" | "rate_limit" => FromCli::RateLimit(serde_json::from_str(json)?),
        "command_lifecycle" => FromCli::CommandLifecycle(serde_json::from_str(json)?),
        "conversation_reset" => FromCli::ConversationReset(serde_json::from_str(json)?),
        "tool_progress" => FromCli::ToolProgress(serde_json::from_str(json)?),
        "task_started"
        | "task_progress"
        | "task_updated"
        | "task_notification"
        | "background_tasks_changed" => {
            FromCli::System(Box::new(system::parse(json, Some(&kind))?))
        }
        "keep_alive" => valid(json).map(|()| FromCli::KeepAlive)?,
        "tool_use_summary" => FromCli::ToolUseSummary(serde_json::from_str(json)?),
        "auth_status" => FromCli::AuthStatus(serde_json::from_str(json)?),
        "prompt_suggestion" => FromCli::PromptSuggestion(serde_json::from_str(json)?),
        "active_goal" => FromCli::ActiveGoal(serde_json::from_str(json)?),
        _ => valid(json).map(|()| FromCli::Unknown)?,
    })
}

/// The `type` of a line. When it is the first key, as in most lines, only that much is read.
pub(crate) fn kind(json: &str) -> Result<Option<Cow<'_, str>>, serde_json::Error> {
    let Some(object) = json.trim_ascii_start().strip_prefix('{') else {
        return Err(serde_json::Error::custom("the line is no JSON object"));
    };
    if let Some(kind) = first_key_type(object) {
        return Ok(Some(Cow::Borrowed(kind)));
    }
    #[derive(Deserialize)]
    struct Kind<'a> {
        #[serde(default, borrow, rename = "type", deserialize_with = "lenient::text")]
        kind: Option<Cow<'a, str>>,
    }
    Ok(serde_json::from_str::<Kind>(json)?.kind)
}

fn first_key_type(object: &str) -> Option<&str> {
    let after_key = object.trim_ascii_start().strip_prefix(r#""type""#)?;
    let value = after_key
        .trim_ascii_start()
        .strip_prefix(':')?
        .trim_ascii_start()
        .strip_prefix('"')?;
    let end = value
        .bytes()
        .take(64)
        .position(|b| !(b.is_ascii_alphanumeric() || b == b'_'))?;
    value[end..].starts_with('"').then(|| &value[..end])
}

/// Whether the whole line is one JSON object.
pub(crate) fn valid(json: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str::<serde::de::IgnoredAny>(json).map(|_| ())
}
