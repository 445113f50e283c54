//! Where the recording shows the host's lines: what is waited for, and what counts as it.

use serde_json::Value;

use crate::cli::Played;
use crate::host::HostLine;
use crate::misbehave;
use crate::playback::Playback;
use crate::playback::departure::Departure;
use crate::recording::{Step, What};
use crate::track::text;

impl Playback<'_> {
    pub(super) fn await_input(&mut self, line: &Value) -> Played {
        match line["type"].as_str() {
            Some("user") => self.await_prompt(line),
            Some("control_request") if line["request"].is_object() => self.await_request(line),
            Some("control_request") => self.await_raw("one line that the CLI exits on"),
            Some("control_response") => {
                let id = text(&line["response"]["request_id"]).to_owned();
                if self.requests.contains(&id) {
                    self.await_answer(&id, &line["response"])
                } else {
                    Ok(())
                }
            }
            _ => Ok(()),
        }
    }

    fn await_prompt(&mut self, recorded: &Value) -> Played {
        loop {
            if let Some(prompt) = self.cli.prompts.pop_front() {
                if let (Some(recorded), Some(actual)) =
                    (recorded["uuid"].as_str(), prompt["uuid"].as_str())
                {
                    self.renamed.push((recorded.to_owned(), actual.to_owned()));
                }
                if !self.cli.track.in_turn {
                    self.cli.track.begin_turn();
                }
                return Ok(());
            }
            if self.cli.closed {
                return Err(self.leave());
            }
            self.hear(None)?;
        }
    }

    /// Waits for a control request of the host. A host that goes on with a prompt does not make it.
    fn await_request(&mut self, recorded: &Value) -> Played {
        let wanted = &recorded["request"];
        let id = text(&recorded["request_id"]).to_owned();
        // What the recorded answer says of these has to be true of this request.
        let matches = |request: &Value| {
            ["subtype", "mode", "model", "task_id"]
                .iter()
                .all(|field| request[*field] == wanted[*field])
        };
        loop {
            if let Some(question) = self.answered_question() {
                if self.is_answered_later(&question) {
                    self.skipped.insert(id);
                    return Ok(());
                }
                let answer = self.answers.remove(&question).unwrap_or_default();
                return self.answered(&question, &Value::Null, &answer);
            }
            if !self.cli.prompts.is_empty() {
                self.skipped.insert(id);
                return Ok(());
            }
            if self.cli.closed {
                return Err(self.leave());
            }
            match self.cli.next(None) {
                Some(HostLine::Request {
                    id: actual,
                    request,
                }) if matches(&request) => {
                    if request["subtype"] == "initialize"
                        && self.cli.options.misbehaviour.hang_at_initialize
                    {
                        misbehave::hang();
                    }
                    if request["subtype"] == "interrupt"
                        && self.cli.options.misbehaviour.ignore_interrupt
                    {
                        continue;
                    }
                    self.renamed.push((id, actual));
                    return Ok(());
                }
                Some(line) => self.take(line)?,
                None => {}
            }
        }
    }

    fn await_answer(&mut self, id: &str, recorded: &Value) -> Played {
        loop {
            if let Some(actual) = self.answers.remove(id) {
                self.requests.remove(id);
                return self.answered(id, recorded, &actual);
            }
            if self.cli.closed {
                self.requests.remove(id);
                return self.depart(id, Departure::Closed);
            }
            self.hear(None)?;
        }
    }

    /// Lines that are no protocol, as many as were recorded.
    pub(super) fn await_raw(&mut self, raw: &str) -> Played {
        for _ in raw.split_inclusive('\n') {
            loop {
                if self.cli.closed || !self.cli.prompts.is_empty() {
                    return Ok(());
                }
                match self.cli.next(None) {
                    Some(HostLine::Ignored) => break,
                    // What comes of it is what the recording shows next.
                    Some(HostLine::Fatal(_)) => return Ok(()),
                    Some(line) => self.take(line)?,
                    None => {}
                }
            }
        }
        Ok(())
    }

    pub(super) fn await_close(&mut self) -> Played {
        if !self.cli.track.in_turn {
            return self.serve_until_closed();
        }
        let open: Vec<String> = self
            .cli
            .track
            .questions
            .keys()
            .filter(|id| self.requests.contains(*id))
            .cloned()
            .collect();
        while !open.is_empty() && !self.cli.closed {
            if let Some((id, answer)) = open
                .iter()
                .find_map(|id| self.answers.remove(id).map(|answer| (id, answer)))
            {
                return self.answered(id, &Value::Null, &answer);
            }
            self.hear(None)?;
        }
        self.owes_close = !self.cli.closed;
        Ok(())
    }

    /// An open question that the host answered.
    fn answered_question(&self) -> Option<String> {
        let open = self.cli.track.questions.keys();
        open.into_iter()
            .find(|id| self.answers.contains_key(*id))
            .cloned()
    }

    /// Whether the recording has an answer to this question further on.
    fn is_answered_later(&self, question: &str) -> bool {
        let answers = |step: &Step| matches!(&step.what, What::In(line) if line["response"]["request_id"] == question);
        let withdraws = |step: &Step| matches!(&step.what, What::Out { line, .. } if line["type"] == "control_cancel_request" && line["request_id"] == question);
        let rest = &self.steps[self.at..];
        match (
            rest.iter().position(answers),
            rest.iter().position(withdraws),
        ) {
            (Some(answered), Some(withdrawn)) => answered < withdrawn,
            (answered, _) => answered.is_some(),
        }
    }
}
