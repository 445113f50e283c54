//! Requests about the turn, the prompts on their way, and what they run with.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Done, answer, request};

/// Begins the conversation (PROTOCOL 3.3). Its answer is [`crate::InitializeAnswer`].
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Initialize {
    /// Callbacks by event (PROTOCOL 6.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Value>,
    /// Names of the servers that the host runs (PROTOCOL 6.6).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sdk_mcp_servers: Vec<String>,
}
request!(Initialize = "initialize" -> Done);

/// Ends the turn that runs. Fine when there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Interrupt {
    /// Drops the prompts that wait, too. Older versions pass over it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cancel_queued: bool,
}
request!(Interrupt = "interrupt" -> Interrupted);

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetPermissionMode {
    pub mode: String,
}
request!(SetPermissionMode = "set_permission_mode" -> ModeSet);

/// Any name is taken; an unknown one fails at the next turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SetModel {
    /// `None`: the CLI's default, which is not the one it was started with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
request!(SetModel = "set_model" -> ModelSet);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SetMaxThinkingTokens {
    /// `Some(0)`: no thinking; `None`: as the session began.
    pub max_thinking_tokens: Option<u32>,
}
request!(SetMaxThinkingTokens = "set_max_thinking_tokens" -> Done);

/// Drops a prompt that no turn has taken yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CancelAsyncMessage {
    /// The uuid that the host gave it.
    pub message_uuid: String,
}
request!(CancelAsyncMessage = "cancel_async_message" -> MessageCancelled);

/// Sets the files back to what they were before a prompt. Needs `CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1` at the
/// start of the process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RewindFiles {
    /// The uuid that the host gave the prompt.
    pub user_message_id: String,
    /// Only says what would change.
    pub dry_run: bool,
}
request!(RewindFiles = "rewind_files" -> Rewound);

/// Asks the model beside the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SideQuestion {
    pub question: String,
}
request!(SideQuestion = "side_question" -> SideAnswer);

/// Ends the process, with status 0.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct EndSession {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
request!(EndSession = "end_session" -> Done);

/// A title in the model's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GenerateSessionTitle {
    /// What the session is about.
    pub description: String,
    /// Keeps it as the session's title.
    pub persist: bool,
}
request!(GenerateSessionTitle = "generate_session_title" -> Titled);

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RenameSession {
    pub title: String,
    pub source: RenamedBy,
}
request!(RenameSession = "rename_session" -> Done);

/// Who chose a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RenamedBy {
    /// The user, in the host.
    Host,
}

answer! {
    /// Which prompts outlive an interrupt. Older versions answer without either list.
    Interrupted as "snake_case" {
        still_queued: Vec<String>,
        cancelled: Vec<String>,
    }

    /// The mode that holds now, which may be another than was asked for.
    ModeSet as "snake_case" {
        mode: Option<String>,
    }

    ModelSet as "snake_case" {
        /// The model's full id.
        model: Option<String>,
    }

    MessageCancelled as "snake_case" {
        cancelled: Option<bool>,
        message_uuid: Option<String>,
    }

    Rewound as "camelCase" {
        can_rewind: Option<bool>,
        /// Why it cannot.
        error: Option<String>,
        /// Absolute paths; of a dry run.
        files_changed: Vec<String>,
        /// Lines; of a dry run.
        insertions: Option<u64>,
        deletions: Option<u64>,
        /// A number in some versions, a list in others.
        skipped_links: Option<Value>,
    }

    SideAnswer as "snake_case" {
        response: Option<String>,
        synthetic: Option<bool>,
    }

    Titled as "snake_case" {
        title: Option<String>,
    }
}
