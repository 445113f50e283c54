//! Which of the CLI's conversations the session is: taken up, forked, cut at a message or begun anew, and never another one
//! than a person means.

use std::time::Duration;

use kandev_transcript::{Emitted, ErrorData, EventBody};
use serde_json::json;

use super::{Effect, Link, State};
use crate::command::Done;
use crate::prompts::Prompt;
use crate::{NewSession, SessionError};

/// Whether the CLI has something of the conversation that it can take up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    No,
    /// A turn has begun, and none has ended.
    Perhaps,
    Yes,
}

/// The conversation that the session has at the CLI.
#[derive(Debug)]
pub(super) struct Conversation {
    pub kept: Kept,
    /// The id that was given from outside, so that the conversation was not begun by a process of this session.
    given: Option<String>,
    /// Which one the session is a fork of, and the message it is cut after.
    origin: Option<(String, Option<String>)>,
    /// The one that the newest process has to take up.
    expects: Option<String>,
    /// That process says that it has another one.
    other: bool,
    /// The next process begins at this message, or without any.
    retry: Option<Option<String>>,
    /// Something was asked that a conversation begun anew would not know.
    pub spoke: bool,
    /// The process has said why it does not take it up.
    refused: Option<Refusal>,
    /// The next process begins a conversation in the place of one that nothing was kept of.
    unsaved: bool,
}

/// Why the CLI does not take up a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    NoConversation,
    NoMessage,
}

impl Refusal {
    pub(super) fn of(words: &str) -> Option<Self> {
        if words.contains("No conversation found") {
            Some(Self::NoConversation)
        } else if words.contains("No message found with message") {
            Some(Self::NoMessage)
        } else {
            None
        }
    }
}

impl Conversation {
    pub(super) fn new(request: &NewSession) -> Self {
        let resume = request.resume.clone();
        let (given, origin) = match (resume, request.fork) {
            (Some(id), true) => (None, Some((id, request.resume_at.clone()))),
            (resume, _) => (resume, None),
        };
        Self {
            kept: if given.is_some() { Kept::Yes } else { Kept::No },
            given,
            origin,
            expects: None,
            other: false,
            retry: None,
            spoke: false,
            refused: None,
            unsaved: false,
        }
    }

    /// It was here before, under this id.
    pub(super) fn restored(&mut self, id: Option<&str>, spoke: bool) {
        self.given = id.map(str::to_owned);
        self.kept = if id.is_some() { Kept::Yes } else { Kept::No };
        self.spoke = spoke;
    }

    /// Of which conversation the session is a fork.
    pub(super) fn forked_from(&self) -> Option<String> {
        self.origin.as_ref().map(|(id, _)| id.clone())
    }

    pub(super) fn is_other(&self) -> bool {
        self.other
    }
}

impl State {
    /// Takes the next process back to a message: ends the one that runs, resumes after that message and sends the prompt.
    pub(super) fn retry(&mut self, at: Option<String>, prompt: Prompt, done: Done) {
        let is_option = at.as_deref().is_some_and(|uuid| uuid.starts_with('-'));
        if is_option || at.as_deref() == Some("") {
            let (request, reason) = ("retry".to_owned(), "that is no message's id".to_owned());
            return self.tell(done, Err(SessionError::Refused { request, reason }));
        }
        self.conversation.retry = Some(at);
        self.prompts.wait(prompt);
        if self.link == Link::Launching {
            self.effects.push(Effect::AbortLaunch);
            self.link = Link::None;
        }
        if self.link == Link::None {
            self.launch();
        } else {
            self.again = true;
            self.end(false);
        }
        self.tell(done, Ok(()));
    }

    pub(super) fn forget_retry(&mut self) {
        self.conversation.retry = None;
    }

    /// What the next process takes up, and where.
    pub(super) fn take_up(&mut self) {
        self.conversation.other = false;
        self.conversation.refused = None;
        let Some(at) = self.conversation.retry.take() else {
            return;
        };
        let data = json!({ "message_uuid": at });
        let text = match &at {
            Some(_) => {
                "This goes on from an earlier message. What came after it is kept above and not known to the model."
            }
            None => "This begins a new conversation. What stands above is not known to the model.",
        };
        self.notice("retried_from", text.to_owned(), data);
        if at.is_none() {
            self.begin_anew();
            self.setting.request.fork = false;
            self.conversation.spoke = false;
        }
        self.setting.request.resume_at = at;
    }

    /// The conversation that the next process is told of, and whether it is to be a fork of that.
    pub(super) fn resumes(&self) -> (Option<String>, bool) {
        let own = self.info.cli_session_id.clone();
        match self.setting.request.fork && own.is_none() {
            true => (self.setting.request.resume.clone(), true),
            false => (own, false),
        }
    }

    /// A process was started that takes up this conversation.
    pub(super) fn expect(&mut self, resumed: Option<String>, forks: bool) {
        let begins = resumed.is_none() && self.conversation.spoke;
        self.conversation.expects = resumed.filter(|_| !forks);
        if self.conversation.expects.is_some() {
            self.prompts.hold();
        }
        if begins {
            self.conversation.spoke = false;
            let text = "Claude Code had kept nothing of this session, so this is a new conversation. What stands above is \
                        not known to the model.";
            self.notice("begun_anew", text.to_owned(), json!(null));
        }
    }

    /// Takes note of the id that stands in an event.
    pub(super) fn belongs_to(&mut self, emitted: &Emitted) {
        let Some(id) = &emitted.session_id else {
            return;
        };
        // Before its first init nobody knows whether a process took up what it was to take up.
        if self.conversation.other || self.conversation.expects.is_some() && self.first_init {
            return;
        }
        if self.info.cli_session_id.as_ref() != Some(id) {
            if self.info.cli_session_id.is_some() {
                // It left that conversation for a new one.
                self.conversation.origin = None;
            }
            self.info.cli_session_id = Some(id.clone());
            self.conversation.kept = Kept::No;
        }
        if self.conversation.kept == Kept::No
            && matches!(emitted.body, EventBody::SessionStatus { .. })
        {
            self.conversation.kept = Kept::Perhaps;
        }
    }

    /// The conversation is taken up: from now on its end is the place to go back to.
    pub(super) fn taken_up(&mut self, emitted: &Emitted) {
        let expected = self.conversation.expects.as_ref();
        if expected.is_some_and(|id| emitted.session_id.as_ref() != Some(id)) {
            return;
        }
        self.setting.request.resume_at = None;
        if self.setting.request.fork && self.info.cli_session_id.is_some() {
            self.setting.request.fork = false;
            self.setting.request.resume = None;
        }
    }

    /// A turn has ended, and the CLI has written it down.
    pub(super) fn turn_kept(&mut self) {
        if self.link == Link::Ready && !self.conversation.other {
            self.conversation.kept = Kept::Yes;
        }
    }

    /// A conversation is never exchanged for another one behind a person's back. What begins a new one by itself is asked
    /// for.
    pub(super) fn is_other_conversation(&mut self, init: Option<&str>) -> bool {
        let Some(expected) = self.conversation.expects.clone() else {
            return false;
        };
        let Some(found) = init.filter(|found| *found != expected) else {
            self.prompts.release();
            return false;
        };
        if self.prompts.clear_the_conversation() {
            self.prompts.release();
            return false;
        }
        self.conversation.other = true;
        self.prompts.take_back();
        let what =
            format!("Claude Code took up the session {found} and not {expected}, and was stopped");
        self.fail(
            "other_session",
            &what,
            "The session is as it was. Try again, or fork it to go on in a session of its own.",
            Duration::from_secs(2),
        );
        true
    }

    /// Says of a conversation that is not taken up where it was looked for and what to do (asks U63).
    pub(super) fn explain(&mut self, body: &mut EventBody) {
        // Old versions answer `initialize` before they look.
        if !self.first_init || !self.resumed {
            return;
        }
        let EventBody::Error { error, data } = body else {
            return;
        };
        let Some(refusal) = Refusal::of(error) else {
            return;
        };
        self.conversation.refused = Some(refusal);
        let (code, next_step) = self.refusal(refusal);
        *data = ErrorData {
            code: code.to_owned(),
            next_step: Some(next_step),
            message_id: data.message_id.take(),
        };
    }

    fn refusal(&self, refusal: Refusal) -> (&'static str, String) {
        match refusal {
            Refusal::NoMessage => (
                "no_message",
                "The message is not in the conversation that Claude Code has kept. The next prompt goes on at its end."
                    .to_owned(),
            ),
            Refusal::NoConversation if self.begins_by_itself() => (
                "nothing_kept",
                "Claude Code had kept nothing of the conversation yet. It is begun anew.".to_owned(),
            ),
            Refusal::NoConversation if self.was_begun_here() => (
                "nothing_kept",
                "Nothing of the conversation was saved by the CLI. The next prompt begins a new one.".to_owned(),
            ),
            Refusal::NoConversation => ("no_conversation", self.where_it_was_looked_for()),
        }
    }

    fn where_it_was_looked_for(&self) -> String {
        let request = &self.setting.request;
        let variable =
            |var: &&crate::EnvVar| var.name == "CLAUDE_CONFIG_DIR" && !var.value.is_empty();
        let config = request.env.iter().find(variable);
        let config = config.map_or("~/.claude", |var| var.value.trim_end_matches('/'));
        let folder: String = request
            .workspace
            .chars()
            .map(|letter| {
                if letter.is_ascii_alphanumeric() {
                    letter
                } else {
                    '-'
                }
            })
            .collect();
        format!(
            "Those of {} are kept in {config}/projects/{folder}. Resume it in the folder where it began; if its file is \
             gone, what was said stays here, and a new session goes on.",
            request.workspace
        )
    }

    fn was_begun_here(&self) -> bool {
        self.info.cli_session_id != self.conversation.given
    }

    /// A first turn that did not end: there may be nothing to take up, and nothing is lost by that.
    fn begins_by_itself(&self) -> bool {
        self.was_begun_here() && self.conversation.kept == Kept::Perhaps
    }

    /// The process has shown that there is nothing to take up.
    pub(super) fn was_refused(&self) -> bool {
        self.conversation.refused.is_some()
    }

    /// The process ended before it was ready, with these words: what is to be said of it, and what follows.
    pub(super) fn not_taken_up(&mut self, words: &str) -> Option<String> {
        let refusal = Refusal::of(words).or(self.conversation.refused)?;
        let (_, next_step) = self.refusal(refusal);
        match refusal {
            Refusal::NoMessage => self.setting.request.resume_at = None,
            Refusal::NoConversation if self.was_begun_here() => {
                self.conversation.unsaved = true;
                self.again |= self.begins_by_itself() && self.ending.is_none();
            }
            Refusal::NoConversation => {}
        }
        Some(next_step)
    }

    /// After the end of a process that could not take up what nothing was kept of.
    pub(super) fn forget_unsaved(&mut self) {
        if std::mem::take(&mut self.conversation.unsaved) {
            self.begin_anew();
        }
    }

    /// The next process takes up nothing but what the session is a fork of.
    fn begin_anew(&mut self) {
        self.info.cli_session_id = None;
        self.conversation.kept = Kept::No;
        let request = &mut self.setting.request;
        request.resume_at = None;
        if let Some((id, at)) = &self.conversation.origin {
            request.resume = Some(id.clone());
            request.resume_at.clone_from(at);
            request.fork = true;
        }
    }
}
