//! Where the host decides otherwise than the recording shows: an honest end of the turn.

use serde_json::{Value, json};

use crate::cli::Played;
use crate::decision::{Decision, STREAM_CLOSED, decision};
use crate::playback::Playback;
use crate::speech::End;
use crate::track::text;

#[derive(Debug, Clone, PartialEq)]
pub enum Departure {
    Denied(String),
    DeniedAndStopped,
    /// Allowed here; the recording has only a denial.
    NoOutcome,
    Closed,
    Failed(String),
}

impl Playback<'_> {
    /// Takes the host's answer to a request, beside the one that was recorded (null if none was).
    pub fn answered(&mut self, id: &str, recorded: &Value, actual: &Value) -> Played {
        let Some(question) = self.cli.track.questions.shift_remove(id) else {
            // A hook callback, a message for a host-side server: the recording knows what came of it.
            return Ok(());
        };
        match (decision(recorded), decision(actual)) {
            _ if recorded.is_null() => match decision(actual) {
                Decision::Deny {
                    message,
                    interrupt: false,
                } => self.leave_at(&question.call, Departure::Denied(message)),
                Decision::Deny { .. } => self.leave_at(&question.call, Departure::DeniedAndStopped),
                Decision::Allow { .. } => self.leave_at(&question.call, Departure::NoOutcome),
                Decision::Failed(words) => self.leave_at(&question.call, Departure::Failed(words)),
            },
            (
                Decision::Allow {
                    input: was,
                    permissions: before,
                },
                Decision::Allow { input, permissions },
            ) => {
                let was = was.unwrap_or_else(|| question.input.clone());
                let now = input.unwrap_or_else(|| question.input.clone());
                if was != now {
                    self.changed.insert(question.call.clone(), now);
                }
                for entry in permissions
                    .iter()
                    .filter(|entry| entry["type"] == "setMode" && !before.contains(entry))
                {
                    let mode = text(&entry["mode"]).to_owned();
                    self.cli.mode_status(&mode)?;
                }
                Ok(())
            }
            (
                Decision::Deny {
                    message: was,
                    interrupt: false,
                },
                Decision::Deny {
                    message,
                    interrupt: false,
                },
            ) => {
                if was != message {
                    self.messages.insert(question.call, (was, message));
                }
                Ok(())
            }
            (
                Decision::Deny {
                    interrupt: true, ..
                },
                Decision::Deny {
                    interrupt: true, ..
                },
            )
            | (Decision::Failed(_), Decision::Failed(_)) => Ok(()),
            (
                _,
                Decision::Deny {
                    interrupt: true, ..
                },
            ) => self.leave_at(&question.call, Departure::DeniedAndStopped),
            (_, Decision::Deny { message, .. }) => {
                self.leave_at(&question.call, Departure::Denied(message))
            }
            (_, Decision::Failed(words)) => self.leave_at(&question.call, Departure::Failed(words)),
            (_, Decision::Allow { .. }) => self.leave_at(&question.call, Departure::NoOutcome),
        }
    }

    /// Leaves the recording at a request that has no answer.
    pub fn depart(&mut self, id: &str, departure: Departure) -> Played {
        match self.cli.track.questions.shift_remove(id) {
            Some(question) => self.leave_at(&question.call, departure),
            None => Ok(()),
        }
    }

    fn leave_at(&mut self, call: &str, departure: Departure) -> Played {
        let known = self.cli.track.calls.get(call).cloned();
        let name = known
            .as_ref()
            .map_or_else(|| "the tool".to_owned(), |call| call.name.clone());
        if matches!(
            departure,
            Departure::Denied(_)
                | Departure::DeniedAndStopped
                | Departure::Closed
                | Departure::Failed(_)
        ) {
            let input = known.map_or(Value::Null, |call| call.input);
            self.cli
                .track
                .denials
                .push(json!({"tool_name": name, "tool_use_id": call, "tool_input": input}));
        }
        let open: Vec<String> = self.cli.track.questions.keys().cloned().collect();
        for question in open {
            self.cli
                .say(&json!({"type": "control_cancel_request", "request_id": question}))?;
        }
        self.cli.take_over_turn();
        if departure == Departure::DeniedAndStopped {
            self.cli.abort()?;
            self.skip_turn();
            return Ok(());
        }
        self.cli.cut_message()?;
        let closing = match &departure {
            Departure::Denied(message) => {
                self.cli.tool_denied(call, message, "user_reject")?;
                format!(
                    "{name} was denied, so nothing of it was done. The recording shows only what came after it was allowed: this turn ends here."
                )
            }
            Departure::Closed => {
                self.cli.tool_denied(call, STREAM_CLOSED, "config")?;
                format!("Nobody answered for {name}, so it was not done.")
            }
            Departure::Failed(words) => {
                self.cli.tool_denied(call, words, "config")?;
                format!("{name} was not allowed, so nothing of it was done. This turn ends here.")
            }
            Departure::NoOutcome | Departure::DeniedAndStopped => {
                self.cli.tool_denied(
                    call,
                    "The recording has no outcome for this call: it was not allowed there.",
                    "config",
                )?;
                format!(
                    "{name} was allowed here but not in the recording, which therefore cannot show what comes of it. This turn ends here."
                )
            }
        };
        self.cli.stop_foreground_tasks()?;
        let left: Vec<String> = self.cli.track.calls.keys().rev().cloned().collect();
        for call in left {
            self.cli.tool_denied(
                &call,
                "The recording was left before this call ended.",
                "config",
            )?;
        }
        self.cli.requesting()?;
        self.cli.text(&closing)?;
        self.cli.end_message("end_turn")?;
        self.cli.result(End::Completed)?;
        self.skip_turn();
        Ok(())
    }
}
