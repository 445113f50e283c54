//! What a host asks of a session and what it is told about one, in the shapes that cross to a window.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;

/// How much a session may do without asking. The shipped default is `Supervised`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Default mode; a PreToolUse hook asks for everything that can change something.
    #[default]
    Supervised,
    /// The CLI's plan mode.
    Plan,
    /// No hooks: the CLI's own mode and the user's own settings.
    Rules,
    /// Skips permissions. Nothing is asked.
    Autonomous,
}

/// What the Stop hook does about a workspace with uncommitted changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum StopCheck {
    Off,
    /// Says so in a notice.
    #[default]
    Tell,
    /// Sends the agent back to it, once. The policies without hooks can only say so.
    SendBack,
}

/// One variable added to the child's environment. An empty value is dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct EnvVar {
    pub name: String,
    pub value: String,
}

/// What a person chooses for a new session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct NewSession {
    /// An absolute path to an existing folder.
    pub workspace: String,
    pub policy: Policy,
    /// For the policy `rules`: `default`, `acceptEdits`, `dontAsk` or `auto`.
    pub permission_mode: Option<String>,
    pub model: Option<String>,
    /// One of the CLI's effort levels; for versions from 2.1.88 on, older ones run without it.
    pub effort: Option<String>,
    pub env: Vec<EnvVar>,
    /// A CLI chosen by hand, in place of the one that is found.
    pub cli_path: Option<String>,
    /// The CLI session id to resume.
    pub resume: Option<String>,
    /// The message uuid to resume at.
    pub resume_at: Option<String>,
    /// Goes on from `resume` in a session of its own, and leaves that one as it is.
    #[serde(default)]
    #[specta(optional)]
    pub fork: bool,
    pub stop_check: StopCheck,
    /// Seconds after which an open question is denied and its turn interrupted. Null: it waits for as long as it takes.
    pub permission_timeout_s: Option<u32>,
}

impl NewSession {
    /// Of which nothing else was chosen.
    pub fn new(workspace: impl Into<String>, policy: Policy) -> Self {
        Self {
            workspace: workspace.into(),
            policy,
            permission_mode: None,
            model: None,
            effort: None,
            env: Vec::new(),
            cli_path: None,
            resume: None,
            resume_at: None,
            fork: false,
            stop_check: StopCheck::default(),
            permission_timeout_s: None,
        }
    }
}

/// An image sent with a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct PromptImage {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub media_type: String,
    /// Base64.
    pub data: String,
}

/// What a person decided on a permission request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(tag = "behavior", rename_all = "snake_case")]
pub enum Decision {
    Allow {
        /// The input to use in place of the one that was asked about (edited command, answers, edited plan).
        #[specta(type = Option<specta_typescript::Unknown>)]
        updated_input: Option<Value>,
        /// Places in the request's `suggestions` that are taken with it.
        suggestions: Vec<u32>,
    },
    Deny {
        /// Shown to the model. A plain sentence stands in when there is none.
        message: Option<String>,
        /// Ends the turn too.
        interrupt: bool,
    },
}

/// What a session is doing, derived from what the CLI said last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Starting,
    Idle,
    Thinking,
    Streaming,
    Tool,
    /// A permission request is open.
    Approval,
    /// A question (AskUserQuestion) is open.
    Question,
    RateLimited,
    Retrying,
    Compacting,
    /// The turn is over, tasks still run.
    Background,
    Stopped,
    Failed,
}

/// A row of the session list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct SessionInfo {
    /// Ours, not the CLI's.
    pub id: String,
    pub cli_session_id: Option<String>,
    pub workspace: String,
    pub title: String,
    pub policy: Policy,
    pub permission_mode: Option<String>,
    pub model: Option<String>,
    /// The effort level, as the CLI confirmed it.
    pub effort: Option<String>,
    pub output_style: Option<String>,
    pub phase: Phase,
    /// Since when it is in this phase, RFC 3339.
    pub since: String,
    pub started_at: String,
    /// Open questions: permission requests, and what MCP servers ask.
    pub waiting: u32,
    /// Since when the oldest of them waits, RFC 3339.
    pub waiting_since: Option<String>,
    /// What the oldest of them asks: tool name and title.
    pub waiting_for: Option<String>,
    /// Seconds after which each of them is denied; null when they wait for as long as it takes.
    pub permission_timeout_s: Option<u32>,
    /// Played by the rehearsal CLI.
    pub rehearsal: bool,
    /// Why it failed or stopped, in words a person can act on.
    pub problem: Option<String>,
    /// What a person can do now, in a short sentence.
    pub next_step: Option<String>,
    /// An interrupt did not end the turn within ten seconds: only stopping the session does.
    pub force_stop: bool,
    /// The message after which the conversation can be taken up: the newest prompt, or the newest message of a finished turn.
    pub last_message_uuid: Option<String>,
    /// The CLI's id of the session from which this one was forked.
    pub forked_from: Option<String>,
    pub cli_version: Option<String>,
    /// The control requests that this version of the CLI knows; empty until the version is known.
    pub can: Vec<String>,
    /// What the CLI offers to switch to; empty until initialize is answered.
    pub models: Vec<ModelChoice>,
    /// The newest event's number.
    #[specta(type = specta_typescript::Number)]
    pub last_seq: u64,
}

/// One entry of the CLI's model list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ModelChoice {
    pub value: String,
    pub display_name: String,
    pub description: Option<String>,
    /// Levels of effort; empty when it has none, absent when the CLI does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub effort_levels: Option<Vec<String>>,
}
