//! What the CLI says: one line of its stdout (PROTOCOL 4).

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::Error;
use serde_json::Number;
use serde_json::value::RawValue;

use crate::content::MessageBody;
use crate::control::{ControlRequest, ControlResponse};
use crate::lenient;
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
    /// Types that are declared and that tell something: `tool_use_summary`, `auth_status`, `prompt_suggestion`.
    Declared(Declared<'a>),
    /// A `type` that this build does not know, or none.
    Unknown,
}

/// One finished content block of the model, or several in old versions (PROTOCOL 4.4).
#[derive(Debug, Clone, Default, Deserialize)]
pub struct AssistantMessage<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::object")]
    pub message: Option<MessageBody<'a>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub parent_tool_use_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub session_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub uuid: Option<Cow<'a, str>>,
    /// Set on an API error that is shown as a message.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub error: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub api_error_status: Option<Number>,
    /// Cut by an interrupt.
    #[serde(default, deserialize_with = "lenient::flag")]
    pub aborted: Option<bool>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub agent_id: Option<Cow<'a, str>>,
}

/// Tool results, texts that the CLI put in, and echoes of prompts (PROTOCOL 4.7).
#[derive(Debug, Clone, Default, Deserialize)]
pub struct UserLine<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::object")]
    pub message: Option<MessageBody<'a>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub parent_tool_use_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub session_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub uuid: Option<Cow<'a, str>>,
    /// What the tool gave beside its text for the model: an object, an array or a string.
    #[serde(default, borrow)]
    pub tool_use_result: Option<&'a RawValue>,
    #[serde(default, rename = "isSynthetic", deserialize_with = "lenient::flag")]
    pub is_synthetic: Option<bool>,
    #[serde(default, rename = "isReplay", deserialize_with = "lenient::flag")]
    pub is_replay: Option<bool>,
}

/// The limits of a subscription changed.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct RateLimit<'a> {
    #[serde(default, borrow)]
    pub rate_limit_info: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub session_id: Option<Cow<'a, str>>,
}

/// What became of a prompt that was sent with a uuid (PROTOCOL 4.6).
#[derive(Debug, Clone, Default, Deserialize)]
pub struct CommandLifecycle<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub command_uuid: Option<Cow<'a, str>>,
    /// `queued`, `started`, `completed` or `cancelled`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub state: Option<Cow<'a, str>>,
}

/// `/clear` began a new conversation; its session id comes with the next init.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ConversationReset<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub trigger: Option<Cow<'a, str>>,
}

/// A tool still runs (PROTOCOL 4.5).
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ToolProgress<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub tool_use_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub tool_name: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub parent_tool_use_id: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub elapsed_time_seconds: Option<Number>,
    /// The running call is then `parent_tool_use_id`, and `tool_use_id` is made up.
    #[serde(default, deserialize_with = "lenient::flag")]
    pub heartbeat: Option<bool>,
}

impl ToolProgress<'_> {
    /// The call that runs.
    pub fn call_id(&self) -> Option<&str> {
        match self.heartbeat {
            Some(true) => self.parent_tool_use_id.as_deref(),
            _ => self.tool_use_id.as_deref(),
        }
    }
}

/// The CLI withdraws a request of its own: the question is closed.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ControlCancelRequest<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub request_id: Option<Cow<'a, str>>,
}

/// A line that the SDK declares and that no recording shows.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Declared<'a> {
    #[serde(default, borrow, rename = "type", deserialize_with = "lenient::text")]
    pub kind: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub summary: Option<Cow<'a, str>>,
}

impl FromCli<'_> {
    /// The session that the line belongs to; control lines name none.
    pub fn session_id(&self) -> Option<&str> {
        match self {
            FromCli::System(line) => line.session_id.as_deref(),
            FromCli::Assistant(line) => line.session_id.as_deref(),
            FromCli::User(line) => line.session_id.as_deref(),
            FromCli::Result(line) => line.session_id.as_deref(),
            FromCli::StreamEvent(line) => line.session_id.as_deref(),
            FromCli::RateLimit(line) => line.session_id.as_deref(),
            _ => None,
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
        "keep_alive" | "active_goal" => valid(json).map(|()| FromCli::KeepAlive)?,
        "tool_use_summary" | "auth_status" | "prompt_suggestion" => {
            FromCli::Declared(serde_json::from_str(json)?)
        }
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
