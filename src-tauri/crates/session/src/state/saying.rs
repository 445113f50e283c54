//! What the session says: events, its own among them, lines to the CLI, and outcomes to whoever asked.

use kandev_transcript::{Emitted, ErrorData, EventBody};
use kandev_wire::RawValue;

use super::{Effect, State, starting};
use crate::SessionError;
use crate::command::Done;
use crate::prompts::Prompt;

impl State {
    /// The last words of the CLI, for an error; empty when it said nothing.
    pub(super) fn last_words(&self) -> String {
        self.garbage.last_words()
    }

    pub(super) fn emit_all(&mut self, emitted: Vec<Emitted>) {
        for emitted in emitted {
            self.emit(emitted);
        }
    }

    /// Takes an event into account and has it recorded.
    pub(super) fn emit(&mut self, mut emitted: Emitted) {
        self.explain(&mut emitted.body);
        self.belongs_to(&emitted);
        let body = &emitted.body;
        if let EventBody::ModeChanged { mode } = body
            && self.is_told_mode(mode)
        {
            return;
        }
        self.permissions.observe(body, &self.now);
        self.activity
            .observe(body, emitted.parent_tool_call_id.is_some());
        match body {
            EventBody::SessionStatus { data } => {
                self.info.model = data.model.clone().or(self.info.model.take());
                self.info.permission_mode = data
                    .permission_mode
                    .clone()
                    .or(self.info.permission_mode.take());
                self.info.cli_version = data.cli_version.clone().or(self.info.cli_version.take());
            }
            EventBody::Complete { .. } => self.turn_kept(),
            EventBody::ModeChanged { mode } => self.info.permission_mode = Some(mode.clone()),
            EventBody::ModelChanged { model } => self.info.model = Some(model.clone()),
            EventBody::TitleChanged { title } => {
                self.info.title.clone_from(title);
                self.titled = true;
            }
            _ => {}
        }
        if let EventBody::SessionStatus { .. } = &emitted.body {
            self.taken_up(&emitted);
        }
        self.effects.push(Effect::Record(Box::new(emitted)));
    }

    /// An event of our own.
    pub(super) fn say(&mut self, body: EventBody) {
        let session_id = self.info.cli_session_id.clone();
        self.emit(Emitted {
            session_id,
            parent_tool_call_id: None,
            body,
        });
    }

    pub(super) fn notice(&mut self, kind: &str, text: String, data: serde_json::Value) {
        self.say(EventBody::Notice {
            kind: kind.to_owned(),
            text,
            data,
        });
    }

    pub(super) fn error(&mut self, code: &str, error: String, next_step: &str) {
        let data = ErrorData {
            code: code.to_owned(),
            next_step: Some(next_step.to_owned()),
            message_id: None,
        };
        let error = starting::sentence(&error);
        self.say(EventBody::Error { error, data });
    }

    pub(super) fn tell(
        &mut self,
        done: impl Into<Option<Done>>,
        outcome: Result<(), SessionError>,
    ) {
        if let Some(done) = done.into() {
            self.effects
                .push(Effect::Tell(done, outcome.map(|()| None)));
        }
    }

    pub(super) fn tell_answer(&mut self, done: Done, answer: Option<Box<RawValue>>) {
        self.effects.push(Effect::Tell(done, Ok(answer)));
    }

    /// Gives a prompt back to whoever typed it.
    pub(super) fn give_back(&mut self, prompt: &Prompt) {
        let text = "This prompt was not delivered. It is given back.".to_owned();
        self.notice("prompt_returned", text, prompt.data());
    }

    /// Sends one line, and lets the transcript hear what we said.
    pub(super) fn write(&mut self, line: String) {
        let mut emitted = Vec::new();
        self.transcript.host_line(line.as_bytes(), &mut emitted);
        self.effects.push(Effect::Write(line));
        self.emit_all(emitted);
    }
}
