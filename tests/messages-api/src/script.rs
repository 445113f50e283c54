//! What is answered: turns, each a list of replies.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

/// The whole script. As JSON: `{"turns": [{"when": "word", "replies": [{"steps": [{"text": "..."}]}]}], "agents": [...]}`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    pub turns: Vec<Turn>,
    /// Turns of subagents: `when` is a text in the prompt that the subagent is given.
    pub agents: Vec<Turn>,
    /// What questions beside the conversation are answered with, such as the one for a title.
    pub aside: Option<Reply>,
}

/// The answers to one prompt: the first to the prompt itself, each next to the tool results of the one before.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Turn {
    /// A text that the prompt must hold. Without it the turn answers whatever prompt comes when those before it were played.
    pub when: Option<String>,
    pub replies: Vec<Reply>,
}

/// One answer of the API. An error is followed by the next reply when the request is tried again.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reply {
    pub steps: Vec<Step>,
    /// In place of a message: an HTTP error with this status.
    pub status: Option<u16>,
    /// The error's type and text.
    pub error: String,
    pub message: String,
    /// Input tokens that the reply says it read.
    pub input_tokens: Option<u64>,
}

/// What a message is made of, in the order in which it streams.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    Text(String),
    Thinking(String),
    ToolUse {
        name: String,
        input: Value,
    },
    /// Milliseconds without a word.
    Wait(u64),
    /// A text in words, with so many milliseconds between two.
    Slowly {
        text: String,
        ms: u64,
    },
    /// Says nothing more until the client leaves.
    Hold,
    /// Breaks the connection here.
    Drop,
    /// An `error` event in mid-stream.
    Fail {
        error: String,
        message: String,
    },
}

impl Script {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the answers to the next prompt.
    #[must_use]
    pub fn turn(mut self, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.turns.push(Turn {
            when: None,
            replies: replies.into_iter().collect(),
        });
        self
    }

    /// Adds the answers to a prompt that holds this text.
    #[must_use]
    pub fn turn_for(mut self, when: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.turns.push(Turn {
            when: Some(when.to_owned()),
            replies: replies.into_iter().collect(),
        });
        self
    }

    /// Sets what questions beside the conversation are answered with.
    #[must_use]
    pub fn aside(mut self, reply: Reply) -> Self {
        self.aside = Some(reply);
        self
    }

    /// Adds the answers to a subagent whose prompt holds this text.
    #[must_use]
    pub fn agent(mut self, when: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.agents.push(Turn {
            when: Some(when.to_owned()),
            replies: replies.into_iter().collect(),
        });
        self
    }
}

impl Reply {
    pub fn text(text: &str) -> Self {
        Self::steps([Step::Text(text.to_owned())])
    }

    pub fn tool(name: &str, input: Value) -> Self {
        Self::steps([Step::ToolUse {
            name: name.to_owned(),
            input,
        }])
    }

    pub fn steps(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            steps: steps.into_iter().collect(),
            ..Self::default()
        }
    }

    /// An HTTP error of the API, such as 529 `overloaded_error`.
    pub fn error(status: u16, error: &str, message: &str) -> Self {
        Self {
            status: Some(status),
            error: error.to_owned(),
            message: message.to_owned(),
            ..Self::default()
        }
    }

    pub(crate) fn error_body(&self) -> Value {
        json!({"type": "error", "error": {"type": self.error, "message": self.message}})
    }
}

impl Step {
    pub(crate) fn pause(&self) -> Duration {
        Duration::from_millis(match self {
            Self::Wait(ms) | Self::Slowly { ms, .. } => *ms,
            _ => 0,
        })
    }
}
