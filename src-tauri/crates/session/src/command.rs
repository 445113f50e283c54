//! What is asked of the actor.

use kandev_transcript::ResolvedBy;
use kandev_wire::RawValue;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use crate::{Decision, PromptImage, SessionError};

/// What came of a command: the CLI's answer, where it gave one.
pub(crate) type Outcome = Result<Option<Box<RawValue>>, SessionError>;

/// Where the outcome of a command goes. Nobody needs to wait for it.
#[derive(Debug)]
pub(crate) struct Done(pub oneshot::Sender<Outcome>);

impl Done {
    /// Whether whoever asked still waits.
    pub(crate) fn is_awaited(&self) -> bool {
        !self.0.is_closed()
    }

    pub(crate) fn tell(self, outcome: Outcome) {
        // Whoever asked may have gone; the deed is done all the same.
        let _ = self.0.send(outcome);
    }
}

/// One thing a person or a script wants of the session.
#[derive(Debug)]
pub(crate) enum Command {
    Prompt {
        text: String,
        images: Vec<PromptImage>,
        uuid: String,
        done: Done,
    },
    Interrupt {
        cancel_queued: bool,
        done: Done,
    },
    /// A control request; its answer comes back as it is.
    Request {
        subtype: &'static str,
        fields: Map<String, Value>,
        done: Done,
    },
    Answer {
        pending_id: String,
        decision: Decision,
        by: ResolvedBy,
        done: Done,
    },
    SetMode {
        mode: String,
        done: Done,
    },
    SetModel {
        model: Option<String>,
        done: Done,
    },
    SetEffort {
        effort: Option<String>,
        done: Done,
    },
    SetThinking {
        max_tokens: Option<u32>,
        done: Done,
    },
    Rename {
        title: String,
        done: Done,
    },
    GenerateTitle {
        done: Done,
    },
    CancelPrompt {
        uuid: String,
        done: Done,
    },
    /// Something of the host's that whoever reads the session should know.
    Notice {
        kind: String,
        text: String,
        data: Value,
    },
    /// A prompt that goes on from an earlier message, or from none.
    Retry {
        at: Option<String>,
        text: String,
        images: Vec<PromptImage>,
        uuid: String,
        done: Done,
    },
    Stop {
        done: Done,
    },
    Finish {
        done: Done,
    },
    Resume {
        done: Done,
    },
}
