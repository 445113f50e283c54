//! What waits for too long: a question with a time limit, and a turn of which nothing is heard.

use std::time::{Duration, Instant};

use kandev_transcript::ResolvedBy;
use kandev_wire::FromCli;
use serde_json::{Map, Value, json};

use super::{Link, State};
use crate::Decision;
use crate::phase::Waits;

impl State {
    /// A line that says something of the turn ends a silence. Answers to our own requests and signs of life say nothing.
    pub(super) fn hear(&mut self, message: &FromCli<'_>) {
        if !matches!(message, FromCli::KeepAlive | FromCli::ControlResponse(_)) {
            self.silence.broken(self.now.instant);
        }
    }

    /// It is only to the CLI that one listens: not while a person is asked, nor while it waits for us.
    pub(super) fn listen(&mut self) {
        let turn = self.link == Link::Ready && self.ending.is_none() && self.activity.turn();
        let asked = self.permissions.len() > 0 || !self.checks.is_empty();
        self.silence.listen(turn && !asked, self.now.instant);
    }

    fn time_limit(&self) -> Option<Duration> {
        let seconds = self.setting.request.permission_timeout_s?;
        (seconds > 0).then(|| Duration::from_secs(seconds.into()))
    }

    pub(super) fn waiting_deadline(&self) -> Option<Instant> {
        let answer = self
            .time_limit()
            .and_then(|limit| self.permissions.deadline(limit));
        answer.into_iter().chain(self.silence.deadline()).min()
    }

    pub(super) fn waited(&mut self) {
        if let Some(limit) = self.time_limit() {
            for id in self.permissions.overdue(self.now.instant, limit) {
                self.time_out(&id, limit.as_secs());
            }
        }
        if let Some(silence) = self.silence.report(self.now.instant) {
            self.report_silence(silence.as_secs());
        }
    }

    /// Nobody answered: that allows nothing, and the turn does not go on as if somebody had.
    fn time_out(&mut self, pending_id: &str, seconds: u64) {
        let message = format!(
            "Nobody answered this within {seconds} s, so it was denied. It was a timeout and not a decision of the user."
        );
        let decision = Decision::Deny {
            message: Some(message),
            interrupt: true,
        };
        if self
            .answer(pending_id, &decision, ResolvedBy::Timeout)
            .is_ok()
        {
            let text = format!("A question was open for {seconds} s and was denied.");
            let data = json!({ "pending_id": pending_id, "seconds": seconds });
            self.notice("permission_timeout", text, data);
        }
    }

    fn report_silence(&mut self, seconds: u64) {
        let waits = self.activity.waits();
        let next_step = next_step(&waits);
        let (word, whom) = match &waits {
            Waits::Model => ("model", "the model".to_owned()),
            Waits::Tool { name, .. } => ("tool", format!("the tool {name}")),
            Waits::Task { .. } => ("task", "a subagent".to_owned()),
            Waits::Retry => ("retry", "the next try of a request".to_owned()),
            Waits::RateLimit => ("rate_limit", "a rate limit to pass".to_owned()),
            Waits::Compaction => ("compaction", "the conversation to be compacted".to_owned()),
        };
        let mut data = Map::new();
        data.insert("waiting_for".to_owned(), json!(word));
        if let Waits::Tool { call, task, .. } | Waits::Task { call, task } = &waits {
            data.insert("tool_call_id".to_owned(), json!(call));
            if let Some(task) = task {
                data.insert("task_id".to_owned(), json!(task));
            }
        }
        data.insert("seconds".to_owned(), json!(seconds));
        data.insert("next_step".to_owned(), json!(next_step));
        let text =
            format!("Nothing was heard for {seconds} s. Claude Code waits for {whom}. {next_step}");
        self.notice("silent_turn", text, Value::Object(data));
    }
}

fn next_step(waits: &Waits) -> &'static str {
    match waits {
        Waits::Model => "Long answers can take a while. Interrupt the turn to ask again.",
        Waits::Tool { .. } => "Let it run, move it to the background, or interrupt the turn.",
        Waits::Task { .. } => "Look at what the subagent does; stop it, or interrupt the turn.",
        Waits::Retry => "It tries again by itself. Interrupt the turn to give up.",
        Waits::RateLimit => {
            "It goes on when the limit is over. Interrupt the turn to stop waiting."
        }
        Waits::Compaction => "It goes on by itself. Interrupt the turn to stop it.",
    }
}
