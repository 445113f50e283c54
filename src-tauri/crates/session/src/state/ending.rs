//! How a process ends, and what a person is told of it. What the turn's result said stands; the exit code adds to it
//! only where there was none.

use std::time::Duration;

use kandev_transcript::EventBody;
use kandev_transport::Exit;
use serde_json::json;

use super::commands::STOP_IDLE;
use super::starting::problem;
use super::{Effect, Ending, Link, State};
use crate::phase::Life;
use crate::requests::{Ask, Open};

/// How long after the last use of force a process that does not end is waited for.
const GIVEN_UP: Duration = Duration::from_secs(15);
const KEPT: &str = "What it said is kept. The next prompt resumes the conversation.";

impl State {
    /// Gives up on the process and says why. What it said until then stays.
    pub(super) fn fail(&mut self, code: &str, what: &str, next_step: &str, grace: Duration) {
        if self.ending.is_some() {
            return;
        }
        let what = with_last_words(what, &self.last_words());
        self.transcript.ending();
        self.ending = Some(Ending {
            problem: Some(problem(&what, next_step)),
            force_at: None,
            patient: false,
            lost_at: Some(self.now.instant + grace + GIVEN_UP),
        });
        self.error(code, what, next_step);
        self.effects.push(Effect::Terminate { grace });
    }

    pub(super) fn exited(&mut self, exit: &Exit) {
        // What was given up has no end any more.
        if self.link == Link::None {
            return;
        }
        let how = kandev_transcript::Exit {
            code: exit.code,
            signal: exit.signal.clone(),
        };
        let mut emitted = Vec::new();
        self.transcript.exited(how, &mut emitted);
        let (errors, rest): (Vec<_>, Vec<_>) = emitted
            .into_iter()
            .partition(|emitted| matches!(emitted.body, EventBody::Error { .. }));
        self.emit_all(errors);
        let ending = self.ending.take();
        let (life, problem) = match ending {
            Some(Ending {
                problem: Some(problem),
                ..
            }) => (Life::Failed, Some(problem)),
            Some(Ending { problem: None, .. }) => (Life::Stopped, None),
            None => self.ended_unasked(exit),
        };
        // Who stops a session gets a stopped one, whatever else went wrong.
        let life = if self.stops.is_empty() {
            life
        } else {
            Life::Stopped
        };
        let lost = self.garbage.unkept();
        if lost > 0 {
            let text = format!("{lost} more lines that no one could read were not kept.");
            self.notice("flood", text, json!({ "lines": lost }));
        }
        self.give_back_undelivered(self.again);
        self.emit_all(rest);
        self.forget_unsaved();
        for open in self.requests.abandoned(self.now.instant) {
            let ended = open.ended();
            self.tell(open.done, Err(ended));
        }
        self.checks.clear();
        self.hosted.clear();
        self.link = Link::None;
        self.life = life;
        self.info.problem = problem;
        for done in std::mem::take(&mut self.stops) {
            self.tell(done, Ok(()));
        }
        if self.again {
            self.launch();
        }
    }

    fn ended_unasked(&mut self, exit: &Exit) -> (Life, Option<String>) {
        let how = how(exit);
        let words = self.last_words();
        let (life, code, what, next_step) = if self.link != Link::Ready || self.was_refused() {
            let what = format!("Claude Code ended before it was ready ({how})");
            let next_step = self
                .not_taken_up(&words)
                .unwrap_or_else(|| "Look at its last words, then start it again.".to_owned());
            (Life::Failed, "cli_ended_at_start", what, next_step)
        } else if self.activity.turn() {
            let what = format!("Claude Code ended in the middle of a turn ({how})");
            (Life::Failed, "cli_ended_in_turn", what, KEPT.to_owned())
        } else {
            let what = format!("Claude Code ended by itself ({how})");
            (Life::Stopped, "cli_ended", what, KEPT.to_owned())
        };
        let what = with_last_words(&what, &words);
        let problem = problem(&what, &next_step);
        // For any other exit status the transcript has an error, or the last turn had.
        if life == Life::Failed && exit.code == Some(0) {
            self.error(code, what, &next_step);
        }
        (life, Some(problem))
    }

    /// A process that may finish is given time for as long as a turn runs.
    pub(super) fn be_patient(&mut self) {
        let turn = self.activity.turn();
        if let Some(ending) = self.ending.as_mut().filter(|ending| ending.patient) {
            ending.force_at = match ending.force_at {
                _ if turn => None,
                None => Some(self.now.instant + STOP_IDLE),
                set => set,
            };
        }
    }

    pub(super) fn time(&mut self) {
        let now = self.now.instant;
        if let Some(ending) = &mut self.ending
            && ending.force_at.is_some_and(|at| at <= now)
        {
            ending.force_at = None;
            ending.patient = false;
            let grace = Duration::from_secs(2);
            ending.lost_at = Some(now + grace + GIVEN_UP);
            self.effects.push(Effect::Terminate { grace });
        }
        if let Some(ending) = &self.ending
            && ending.lost_at.is_some_and(|at| at <= now)
        {
            self.abandon();
        }
        self.waited();
        let overdue = self.requests.overdue(now);
        self.interrupt_had_no_effect(&overdue);
        for open in overdue {
            self.overdue(open);
        }
    }
}

impl State {
    /// Not even by force does it end, or nobody says so: the session must not wait for it.
    fn abandon(&mut self) {
        let text = "Claude Code was killed and does not end. The session goes on without it.";
        self.notice("process_lost", text.to_owned(), json!(null));
        self.effects.push(Effect::Abandon);
        self.exited(&Exit {
            code: None,
            signal: None,
        });
    }

    /// The turn goes on ten seconds after an interrupt: only force helps (asks U43). Where the interrupt was not even
    /// answered, that is told by itself.
    fn interrupt_had_no_effect(&mut self, overdue: &[Open]) {
        if self.interrupt_by.is_none_or(|by| by > self.now.instant) {
            return;
        }
        self.interrupt_by = None;
        self.info.force_stop = true;
        let unanswered = |open: &Open| matches!(open.ask, Ask::Interrupt(_));
        if !overdue.iter().any(unanswered) {
            let text = "The turn goes on though Claude Code has taken the interrupt. Stop the session to end it by force; \
                        the next prompt resumes the conversation.";
            self.notice("interrupt_without_effect", text.to_owned(), json!(null));
        }
    }
}

fn how(exit: &Exit) -> String {
    match (exit.code, &exit.signal) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("by {signal}"),
        (None, None) => "without an exit status".to_owned(),
    }
}

fn with_last_words(what: &str, words: &str) -> String {
    if words.is_empty() {
        what.to_owned()
    } else {
        format!("{what}; its last words: {words}")
    }
}
