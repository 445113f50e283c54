//! What people ask for.

use std::time::Duration;

use kandev_transcript::{EventBody, ResolvedBy};
use kandev_wire::control_success;

use super::{Effect, Ending, Link, State};
use crate::command::{Command, Done};
use crate::phase::Life;
use crate::prompts::Prompt;
use crate::requests::Ask;
use crate::{Decision, SessionError};

/// How long a CLI that was asked to stop may take to finish by itself, in a turn and outside of one.
const STOP_IN_TURN: Duration = Duration::from_secs(3);
pub(super) const STOP_IDLE: Duration = Duration::from_secs(2);
/// The length of a title made from a prompt, in characters.
const TITLE: usize = 80;

impl State {
    pub(super) fn command(&mut self, command: Command) {
        match command {
            Command::Prompt {
                text,
                images,
                uuid,
                done,
            } => {
                let outcome = Prompt::new(text, images, uuid).map(|prompt| self.prompt(prompt));
                self.tell(done, outcome);
            }
            Command::Notice { kind, text, data } => self.notice(&kind, text, data),
            Command::Interrupt {
                cancel_queued,
                done,
            } => self.interrupt(cancel_queued, done),
            Command::Request {
                subtype,
                fields,
                done,
            } => self.request(subtype, fields, done),
            Command::Answer {
                pending_id,
                decision,
                by,
                done,
            } => {
                let outcome = self.answer(&pending_id, &decision, by);
                self.tell(done, outcome);
            }
            Command::SetMode { mode, done } => self.set_mode(&mode, done),
            Command::SetModel { model, done } => self.set_model(model, done),
            Command::SetEffort { effort, done } => self.set_effort(effort, done),
            Command::SetThinking { max_tokens, done } => self.set_thinking(max_tokens, done),
            Command::Rename { title, done } => self.rename(title, done),
            Command::GenerateTitle { done } => self.generate_title(done),
            Command::CancelPrompt { uuid, done } => self.cancel_prompt(uuid, done),
            Command::Retry {
                at,
                text,
                images,
                uuid,
                done,
            } => match Prompt::new(text, images, uuid) {
                Ok(prompt) => self.retry(at, prompt, done),
                Err(error) => self.tell(done, Err(error)),
            },
            Command::Stop { done } => self.stop(done, false),
            Command::Finish { done } => self.stop(done, true),
            Command::Resume { done } => {
                self.want_process();
                self.tell(done, Ok(()));
            }
        }
    }

    fn prompt(&mut self, prompt: Prompt) {
        self.first_prompt.get_or_insert_with(|| prompt.text.clone());
        if !self.titled {
            self.titled = true;
            if let Some(title) = title(&prompt.text) {
                self.info.title = title;
            }
        }
        if self.link == Link::Ready && self.ending.is_none() {
            self.deliver(prompt);
        } else {
            self.prompts.wait(prompt);
            self.want_process();
        }
    }

    pub(super) fn deliver(&mut self, prompt: Prompt) {
        let line = prompt.line();
        self.prompts.sent(prompt, self.activity.turn());
        self.activity.prompted();
        self.conversation.spoke = true;
        self.failures = Default::default();
        self.write(line);
    }

    /// Sees to it that there will be a process.
    fn want_process(&mut self) {
        if self.ending.is_some() {
            self.again = true;
        } else if self.link == Link::None {
            self.launch();
        }
    }

    pub(super) fn answer(
        &mut self,
        pending_id: &str,
        decision: &Decision,
        by: ResolvedBy,
    ) -> Result<(), SessionError> {
        let call = self.permissions.call(pending_id);
        let tool = self.permissions.tool(pending_id).unwrap_or_default();
        let mut payload = self.permissions.answer(pending_id, decision)?;
        let next_mode = self.end_plan(&tool, &mut payload);
        if let (Decision::Deny { .. }, Some(call)) = (decision, call) {
            self.denied.insert(call);
        }
        self.transcript.answered_by(pending_id, by);
        if by != ResolvedBy::User {
            let pending_id = pending_id.to_owned();
            self.effects.push(Effect::Answering { pending_id, by });
        }
        self.write(control_success(pending_id, &payload));
        if let Some(mode) = next_mode {
            self.say(EventBody::ModeChanged { mode });
        }
        Ok(())
    }

    fn stop(&mut self, done: Done, patient: bool) {
        self.again = false;
        self.forget_retry();
        match self.link {
            Link::None => {
                self.life = Life::Stopped;
                self.tell(done, Ok(()));
            }
            Link::Launching => {
                self.effects.push(Effect::AbortLaunch);
                self.link = Link::None;
                self.life = Life::Stopped;
                self.give_back_undelivered(false);
                self.tell(done, Ok(()));
            }
            Link::Initializing | Link::Ready => {
                self.stops.push(done);
                self.end(patient);
            }
        }
    }

    /// Ends the process because somebody wants it: the turn first, then the input, then by force. With patience the turn
    /// may finish, until somebody has none.
    pub(super) fn end(&mut self, patient: bool) {
        let turn = self.activity.turn();
        match &self.ending {
            // It goes on as it was begun, unless patience is over.
            Some(ending) if !ending.patient || patient => return,
            Some(_) => {}
            None => {
                if turn && !patient {
                    self.ask(Ask::interrupt(), None);
                }
                self.transcript.ending();
                self.effects.push(Effect::CloseStdin);
            }
        }
        let limit = match turn {
            // It has shown that it does not hear.
            true if self.info.force_stop => Duration::ZERO,
            true => STOP_IN_TURN,
            false => STOP_IDLE,
        };
        self.ending = Some(Ending {
            problem: None,
            force_at: Some(self.now.instant + limit),
            patient,
            lost_at: None,
        });
    }

    /// Gives back what the CLI did not take; what waits for the next process can stay.
    pub(super) fn give_back_undelivered(&mut self, keep_waiting: bool) {
        for prompt in self.prompts.undelivered(keep_waiting) {
            self.give_back(&prompt);
        }
    }
}

/// The first line of a prompt that has words, cut to a title.
fn title(prompt: &str) -> Option<String> {
    let line = prompt
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())?;
    let mut title: String = line.chars().take(TITLE).collect();
    if title.len() < line.len() {
        title.push('…');
    }
    Some(title)
}
