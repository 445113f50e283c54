//! What a host can ask of the CLI through a session: the control requests, and what the session keeps of them.

use kandev_wire::request::{CancelAsyncMessage, Interrupted, MessageCancelled, Request, Titled};

use crate::command::{Command, Done, Outcome};
use crate::{Session, SessionError};

impl Session {
    /// Sends a control request, as soon as the CLI is ready for one. A mode, a model, a thinking budget and a title that
    /// are set in this way are those of the session, and are set again when its process is.
    ///
    /// # Errors
    /// `Unsupported` for what this version of the CLI does not know, which is asked nothing then; `Refused`, `NoAnswer`
    /// after 30 s, `Ended` when there is no process, `BadAnswer`, `BadMode`.
    pub async fn request<R: Request>(&self, request: R) -> Result<R::Answer, SessionError> {
        let answer = self
            .ask(|done| Command::Request {
                subtype: R::SUBTYPE,
                fields: request.fields(),
                done,
            })
            .await;
        read::<R>(answer)
    }

    /// Ends the turn that runs, and on demand the prompts that wait, too. Harmless when there is none.
    ///
    /// # Errors
    /// `NoAnswer` when the CLI does not answer within ten seconds: only [`Session::stop`] helps then.
    pub async fn interrupt(&self, cancel_queued: bool) -> Result<Interrupted, SessionError> {
        let answer = self
            .ask(|done| Command::Interrupt {
                cancel_queued,
                done,
            })
            .await;
        read::<kandev_wire::request::Interrupt>(answer)
    }

    /// Changes the permission mode, now or with the next process.
    ///
    /// # Errors
    /// `BadMode` for one that this session may not have, `Refused` when the CLI says no, `NoAnswer`, `Ended`.
    pub async fn set_permission_mode(&self, mode: String) -> Result<(), SessionError> {
        self.done(|done| Command::SetMode { mode, done }).await
    }

    /// Changes the model, now or with the next process; `None` is the CLI's default.
    ///
    /// # Errors
    /// `Refused`, `NoAnswer`, `Ended`. An unknown model is accepted by the CLI and fails at the next turn.
    pub async fn set_model(&self, model: Option<String>) -> Result<(), SessionError> {
        self.done(|done| Command::SetModel { model, done }).await
    }

    /// Changes the effort, now or with the next process; `None` is the model's own. It holds when the CLI says so, which
    /// is when the info has it.
    ///
    /// # Errors
    /// `Refused` too when the model goes on with another effort or knows none; `Unsupported`, `NoAnswer`, `Ended`.
    pub async fn set_effort(&self, effort: Option<String>) -> Result<(), SessionError> {
        self.done(|done| Command::SetEffort { effort, done }).await
    }

    /// Limits the thinking to so many tokens, now and in the next process; 0 is none, `None` as the session began.
    ///
    /// # Errors
    /// `Unsupported`, `Refused`, `NoAnswer`, `Ended`.
    pub async fn set_thinking(&self, max_tokens: Option<u32>) -> Result<(), SessionError> {
        self.done(|done| Command::SetThinking { max_tokens, done })
            .await
    }

    /// Gives the session a title, which the CLI keeps if its version can, now or with the next process.
    ///
    /// # Errors
    /// `Refused`, `NoAnswer`, `Ended`.
    pub async fn rename(&self, title: String) -> Result<(), SessionError> {
        self.done(|done| Command::Rename { title, done }).await
    }

    /// Has the model find a title from what was asked first, and takes it.
    ///
    /// # Errors
    /// `Unsupported`, `Refused`, `NoAnswer`, `Ended`.
    pub async fn generate_title(&self) -> Result<String, SessionError> {
        let answer = self.ask(|done| Command::GenerateTitle { done }).await;
        let Titled { title } = read::<kandev_wire::request::GenerateSessionTitle>(answer)?;
        title.ok_or(SessionError::Refused {
            request: "generate_session_title".to_owned(),
            reason: "it found no title; a longer prompt gives it more to go by".to_owned(),
        })
    }

    /// Withdraws a prompt that no turn has taken yet; it comes back as a notice `prompt_returned`. False when it is too
    /// late.
    ///
    /// # Errors
    /// `Unsupported`, `Refused`, `NoAnswer`, `Ended`.
    pub async fn cancel_prompt(&self, uuid: String) -> Result<bool, SessionError> {
        let answer = self.ask(|done| Command::CancelPrompt { uuid, done }).await;
        let MessageCancelled { cancelled, .. } = read::<CancelAsyncMessage>(answer)?;
        Ok(cancelled == Some(true))
    }

    /// Asks for something that has no answer but that it was done.
    pub(crate) async fn done(
        &self,
        command: impl FnOnce(Done) -> Command,
    ) -> Result<(), SessionError> {
        self.ask(command).await.map(drop)
    }
}

fn read<R: Request>(answer: Outcome) -> Result<R::Answer, SessionError> {
    R::read(answer?.as_deref()).map_err(|_| SessionError::BadAnswer {
        request: R::SUBTYPE.to_owned(),
    })
}
