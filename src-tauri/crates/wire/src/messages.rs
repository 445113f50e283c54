//! The messages of the CLI that are no `system` line: what the model says, what tools give, what became of a prompt.
//!
//! Four identities stay apart: `uuid` is the line's own, `session_id` the conversation's, `parent_tool_use_id` the subagent
//! call under which a line was said, and a tool call has the `id` of its block, which `tool_use_id` repeats.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Number;
use serde_json::value::RawValue;

use crate::content::MessageBody;
use crate::lenient;

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
    /// Earlier lines that this one replaces.
    #[serde(default, borrow, deserialize_with = "lenient::texts")]
    pub supersedes: Vec<Cow<'a, str>>,
    /// Only with a tool result in it, as older write-ups have it.
    #[serde(default, borrow)]
    pub tool_use_result: Option<&'a RawValue>,
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
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub session_id: Option<Cow<'a, str>>,
}

/// A new conversation began; its session id comes with the next init.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ConversationReset<'a> {
    /// `clear`, `plan_mode_exit`, `fresh_session` or `onboarding`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub trigger: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub session_id: Option<Cow<'a, str>>,
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
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub session_id: Option<Cow<'a, str>>,
    /// Seconds.
    #[serde(default, deserialize_with = "lenient::number")]
    pub elapsed_time_seconds: Option<Number>,
    /// The running call is then `parent_tool_use_id`, and `tool_use_id` is made up.
    #[serde(default, deserialize_with = "lenient::flag")]
    pub heartbeat: Option<bool>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub task_id: Option<Cow<'a, str>>,
    /// The subagent waits to try a request again.
    #[serde(default, borrow, deserialize_with = "lenient::object")]
    pub subagent_retry: Option<SubagentRetry<'a>>,
}

/// A subagent's request failed and is tried again.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct SubagentRetry<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub agent_id: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub attempt: Option<Number>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub max_retries: Option<Number>,
    /// Milliseconds.
    #[serde(default, deserialize_with = "lenient::number")]
    pub retry_delay_ms: Option<Number>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub error_status: Option<Number>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub error_category: Option<Cow<'a, str>>,
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

/// A few calls in one sentence.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ToolUseSummary<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub summary: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::texts")]
    pub preceding_tool_use_ids: Vec<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub session_id: Option<Cow<'a, str>>,
}

/// A sign-in goes on, or has ended.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct AuthStatus<'a> {
    #[serde(
        default,
        rename = "isAuthenticating",
        deserialize_with = "lenient::flag"
    )]
    pub is_authenticating: Option<bool>,
    /// What the sign-in printed.
    #[serde(default, borrow, deserialize_with = "lenient::texts")]
    pub output: Vec<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub error: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub session_id: Option<Cow<'a, str>>,
}

/// What the user may want to say next.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct PromptSuggestion<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub suggestion: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub session_id: Option<Cow<'a, str>>,
}

/// The goal of `/goal`, and how far it is; none when it is cleared.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ActiveGoal<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::object")]
    pub value: Option<Goal<'a>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub session_id: Option<Cow<'a, str>>,
}

/// What the session works towards.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Goal<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub condition: Option<Cow<'a, str>>,
    /// How often it was looked at and not met.
    #[serde(default, deserialize_with = "lenient::number")]
    pub iterations: Option<Number>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub last_reason: Option<Cow<'a, str>>,
}
