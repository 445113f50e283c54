//! What is asked of the actor.

use kandev_transcript::ResolvedBy;
use tokio::sync::oneshot;

use crate::{Decision, PromptImage, SessionError};

/// What came of a command.
pub(crate) type Outcome = Result<(), SessionError>;

/// Where the outcome of a command goes. Nobody needs to wait for it.
#[derive(Debug)]
pub(crate) struct Done(pub oneshot::Sender<Outcome>);

impl Done {
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
    /// Something of the host's that whoever reads the session should know.
    Notice {
        kind: String,
        text: String,
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
