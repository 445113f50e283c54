//! The turn: what it showed, what it cost, and how its result reads (PROTOCOL 4.9).

use indexmap::IndexMap;
use kandev_wire::{AssistantMessage, ModelUsage, RawValue, TurnResult};
use serde_json::Value;

use crate::calls::value;
use crate::event::{ErrorData, EventBody, TurnSummary};
use crate::out::Out;

/// Texts of notices that are remembered within one turn.
const TOLD: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// The main thread showed text in this turn, so the result's is a second copy.
    pub text_shown: bool,
    told: Vec<String>,
    interrupted: bool,
    /// The `error` of the message that stands for a failed request.
    api_error: Option<String>,
    /// The newest text that may be the error's own words, and its message.
    words: Option<(String, String)>,
    /// The running total of the process, in US dollars.
    total_cost: f64,
    /// The newest line of the main thread, and the same as a resume may use it.
    newest_uuid: Option<String>,
    resume_uuid: Option<String>,
    /// The newest line of the last turn that ended before any line was lost.
    saved_uuid: Option<String>,
    /// Lines of the session file were lost.
    lost: bool,
    /// The last result was an error: the exit status of the process will only repeat that.
    pub last_failed: bool,
    pub any_result: bool,
}

impl Turn {
    /// The text of a notice, which the result may repeat.
    pub fn told(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() && self.told.len() < TOLD {
            self.told.push(text.to_owned());
        }
    }

    /// A `user` line of the main thread.
    pub fn user_line(&mut self, uuid: Option<&str>) {
        if let Some(uuid) = uuid {
            self.newest_uuid = Some(uuid.to_owned());
            self.resume_uuid = self.newest_uuid.clone();
        }
    }

    /// The CLI says that the user interrupted the turn.
    pub fn interrupted(&mut self) {
        self.interrupted = true;
    }

    /// An `assistant` line of the main thread.
    pub fn assistant_line(&mut self, line: &AssistantMessage<'_>) {
        if let Some(uuid) = line.uuid.as_deref() {
            self.newest_uuid = Some(uuid.to_owned());
        }
        if let Some(error) = line.error.as_deref() {
            self.api_error = Some(error.to_owned());
        }
    }

    /// A text was shown that the turn's error may repeat.
    pub fn showed(&mut self, text: &str, message_id: &str) {
        self.words = Some((text.to_owned(), message_id.to_owned()));
    }

    /// The newest message, whether its turn is over or not.
    pub fn newest_uuid(&self) -> Option<&str> {
        self.newest_uuid.as_deref()
    }

    /// Takes over what is known of the session file.
    pub fn goes_on(&mut self, before: &Self) {
        self.saved_uuid.clone_from(&before.saved_uuid);
        self.lost = before.lost;
    }

    /// The session file was complete up to this message.
    pub fn was_saved(&mut self, uuid: Option<&str>) {
        self.saved_uuid = uuid.map(str::to_owned);
    }

    /// Lines of the session file are lost: up to which message it is complete, as far as is known.
    pub fn writes_lost(&mut self) -> Option<&str> {
        self.lost = true;
        self.saved_uuid.as_deref()
    }

    /// The point at which the session can be resumed: a user line counts at once, an assistant line from its result on.
    pub fn resume_uuid(&self) -> Option<&str> {
        self.resume_uuid.as_deref()
    }

    /// The result's text, if it was not shown in any other way.
    pub fn unshown_text(&self, result: &TurnResult<'_>) -> Option<String> {
        let text = result.text()?;
        let shown = self.text_shown
            || text.trim().is_empty()
            || self.told.iter().any(|told| told == text.trim());
        (!shown).then(|| text.to_owned())
    }

    /// `complete`, and `error` if it failed. The next turn begins.
    pub fn over(&mut self, result: &TurnResult<'_>, out: &mut Out) {
        self.resume_uuid = self.newest_uuid.clone();
        if !self.lost {
            self.saved_uuid.clone_from(&self.newest_uuid);
        }
        let failed = result.is_error.unwrap_or(false);
        let usage = result.tokens();
        let data = TurnSummary {
            cost_usd: self.cost(result),
            total_cost_usd: result.total_cost(),
            duration_ms: result.duration_ms.clone(),
            duration_api_ms: result.duration_api_ms.clone(),
            num_turns: result.num_turns.clone(),
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            subtype: result.subtype.as_deref().map(str::to_owned),
            is_error: failed,
            terminal_reason: result.terminal_reason.as_deref().map(str::to_owned),
            last_message_uuid: self.newest_uuid.clone(),
            permission_denials: match value(result.permission_denials) {
                Value::Array(denials) => denials,
                _ => Vec::new(),
            },
        };
        out.say(EventBody::Complete { data });
        if failed {
            let (error, data) = self.error(result);
            out.say(EventBody::Error { error, data });
        }
        *self = Turn {
            total_cost: self.total_cost,
            newest_uuid: self.newest_uuid.take(),
            resume_uuid: self.resume_uuid.take(),
            saved_uuid: self.saved_uuid.take(),
            lost: self.lost,
            last_failed: failed,
            any_result: true,
            ..Turn::default()
        };
    }

    /// What this turn cost: as the CLI says, else what the total grew by; a smaller total has begun at 0.
    fn cost(&mut self, result: &TurnResult<'_>) -> Option<f64> {
        let total = result.total_cost();
        let before = self.total_cost;
        self.total_cost = total.unwrap_or(before);
        if let Some(models) = by_model(result.model_usage_since_last_result) {
            return Some(
                models
                    .values()
                    .filter_map(|usage| usage.cost_usd.as_ref()?.as_f64())
                    .sum(),
            );
        }
        total.map(|total| {
            if total >= before {
                total - before
            } else {
                total
            }
        })
    }

    fn error(&self, result: &TurnResult<'_>) -> (String, ErrorData) {
        let subtype = result.subtype.as_deref().unwrap_or_default();
        let reason = result.terminal_reason.as_deref().unwrap_or_default();
        let errors = match value(result.errors) {
            Value::Array(errors) => errors
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join("\n"),
            _ => String::new(),
        };
        let said = result
            .text()
            .filter(|text| !text.trim().is_empty())
            .map(str::to_owned);
        let (code, text, next_step) = match subtype {
            "error_max_turns" => (
                "max_turns",
                "The turn reached its limit of rounds.".into(),
                Some(SEND_ON),
            ),
            "error_max_budget_usd" => (
                "max_budget",
                "The session's budget is used up.".into(),
                None,
            ),
            "error_during_execution" if self.interrupted || reason.starts_with("aborted") => {
                ("interrupted", "Interrupted.".into(), None)
            }
            _ => {
                let code = self
                    .api_error
                    .as_deref()
                    .or(result.api_error_type.as_deref())
                    .or(Some(reason).filter(|reason| !reason.is_empty() && *reason != "completed"))
                    .or(Some(subtype)
                        .filter(|subtype| !subtype.is_empty() && *subtype != "success"))
                    .unwrap_or("api_error");
                let words = Some(errors).filter(|errors| !errors.trim().is_empty());
                let text = said
                    .or(words)
                    .unwrap_or_else(|| "The turn ended in an error.".to_owned());
                (code, text, next_step(code))
            }
        };
        let shown = self
            .words
            .as_ref()
            .filter(|(words, _)| words.trim() == text.trim());
        let data = ErrorData {
            code: code.to_owned(),
            next_step: next_step.map(str::to_owned),
            message_id: shown.map(|(_, message_id)| message_id.clone()),
        };
        (text, data)
    }
}

const SEND_ON: &str = "Send another prompt to go on.";

fn next_step(code: &str) -> Option<&'static str> {
    match code {
        "authentication_failed" | "oauth_org_not_allowed" => {
            Some("Log in: run `claude` in a terminal and type /login, or check the API key.")
        }
        "billing_error" | "account_on_hold" | "verification_required" => {
            Some("Check the account's billing page.")
        }
        "rate_limit" | "usage_limit_reached" => {
            Some("Wait until the limit resets, then send the prompt again.")
        }
        "overloaded" | "server_error" | "api_error" | "unknown" => Some("Send the prompt again."),
        "model_not_found" => Some("Choose another model."),
        "prompt_too_long" => Some("Type /compact, or start a new session."),
        _ => None,
    }
}

/// The entries of `modelUsage` or `model_usage_since_last_result`; nothing if it is no object of objects.
pub(crate) fn by_model(raw: Option<&RawValue>) -> Option<IndexMap<String, ModelUsage>> {
    serde_json::from_str(raw?.get()).ok()
}
