//! The permission table: the questions that are open, and the answers to them (PROTOCOL 6.1 to 6.4, 6.7).
//!
//! It is filled and emptied by the same events that the watchers see, so a question that is open is one that is shown.
//! An answer takes the question out before it is written, which is why there is only one.

use std::time::{Duration, Instant};

use indexmap::IndexMap;
use kandev_transcript::{EventBody, PermissionRequest};
use kandev_wire::{allow, deny};
use serde_json::{Map, Value, json};

use crate::moment::Moment;
use crate::{Decision, SessionError};

const DENIED: &str = "The user denied this. Do not try it another way; ask what to do instead.";

/// The open questions, oldest first.
#[derive(Default)]
pub(crate) struct Permissions {
    open: IndexMap<String, Open>,
}

/// A question that waits for a person.
pub(crate) struct Open {
    pub asked: Asked,
    pub since: Moment,
}

/// Who asks for what.
pub(crate) enum Asked {
    /// The CLI, whether a tool may run.
    Tool(Box<PermissionRequest>),
    /// An MCP server, for input.
    Input { server: String, message: String },
}

impl Asked {
    /// It is answered in words, and not with a yes or no.
    pub(crate) fn is_question(&self) -> bool {
        match self {
            Self::Tool(request) => request.tool_name == "AskUserQuestion",
            Self::Input { .. } => true,
        }
    }

    /// Who asks and for what, in a line.
    pub(crate) fn title(&self) -> String {
        let (name, title) = match self {
            Self::Tool(request) => (&request.tool_name, request.tool_title.as_str()),
            Self::Input { server, message } => (server, message.lines().next().unwrap_or_default()),
        };
        if title.is_empty() || title.starts_with(name.as_str()) {
            title.to_owned()
        } else {
            format!("{name}: {title}")
        }
    }
}

impl Permissions {
    /// Follows the journal.
    pub(crate) fn observe(&mut self, body: &EventBody, now: &Moment) {
        let (id, asked) = match body {
            EventBody::PermissionRequest(request) => (
                request.pending_id.clone(),
                Asked::Tool(Box::new(request.clone())),
            ),
            EventBody::PermissionResolved { pending_id, .. }
            | EventBody::PermissionCancelled { pending_id } => {
                self.open.shift_remove(pending_id);
                return;
            }
            EventBody::Notice { kind, text, data } => {
                let Some(id) = data.get("request_id").and_then(Value::as_str) else {
                    return;
                };
                match kind.as_str() {
                    "elicitation" => {
                        let server = data.get("mcp_server_name").and_then(Value::as_str);
                        let asked = Asked::Input {
                            server: server.unwrap_or("An MCP server").to_owned(),
                            message: text.clone(),
                        };
                        (id.to_owned(), asked)
                    }
                    "elicitation_resolved" => {
                        self.open.shift_remove(id);
                        return;
                    }
                    _ => return,
                }
            }
            _ => return,
        };
        let since = now.clone();
        self.open.insert(id, Open { asked, since });
    }

    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// The tool call that an open question is about.
    pub(crate) fn call(&self, pending_id: &str) -> Option<String> {
        match &self.open.get(pending_id)?.asked {
            Asked::Tool(request) => request.tool_call_id.clone(),
            Asked::Input { .. } => None,
        }
    }

    /// The tool that an open question is about.
    pub(crate) fn tool(&self, pending_id: &str) -> Option<String> {
        match &self.open.get(pending_id)?.asked {
            Asked::Tool(request) => Some(request.tool_name.clone()),
            Asked::Input { .. } => None,
        }
    }

    pub(crate) fn oldest(&self) -> Option<&Open> {
        self.open.first().map(|(_, open)| open)
    }

    /// When the first of them has waited for so long.
    pub(crate) fn deadline(&self, limit: Duration) -> Option<Instant> {
        self.oldest().map(|open| open.since.instant + limit)
    }

    /// Those that have waited for so long.
    pub(crate) fn overdue(&self, now: Instant, limit: Duration) -> Vec<String> {
        let over = |open: &Open| open.since.instant + limit <= now;
        let overdue = self.open.iter().filter(|(_, open)| over(open));
        overdue.map(|(id, _)| id.clone()).collect()
    }

    /// Takes the question out and returns the payload that answers it.
    ///
    /// # Errors
    /// Leaves the question open, unless there is none: then it is [`SessionError::NotPending`].
    pub(crate) fn answer(
        &mut self,
        pending_id: &str,
        decision: &Decision,
    ) -> Result<Value, SessionError> {
        let Some(open) = self.open.get(pending_id) else {
            return Err(SessionError::NotPending {
                pending_id: pending_id.to_owned(),
            });
        };
        let payload = match &open.asked {
            Asked::Tool(request) => permission(request, decision)?,
            Asked::Input { server, .. } => input_given(server, decision)?,
        };
        self.open.shift_remove(pending_id);
        Ok(payload)
    }
}

/// Input for an MCP server: given, declined, or cancelled by a denial that interrupts.
fn input_given(server: &str, decision: &Decision) -> Result<Value, SessionError> {
    let (updated_input, suggestions) = match decision {
        Decision::Deny {
            interrupt: false, ..
        } => return Ok(json!({ "action": "decline" })),
        Decision::Deny {
            interrupt: true, ..
        } => return Ok(json!({ "action": "cancel" })),
        Decision::Allow {
            updated_input,
            suggestions,
        } => (updated_input, suggestions),
    };
    if let Some(index) = suggestions.first() {
        return Err(SessionError::NoSuchSuggestion {
            index: *index,
            count: 0,
        });
    }
    match updated_input {
        // Nothing but the consent was asked for, as with an address that is opened.
        None => Ok(json!({ "action": "accept" })),
        Some(content @ Value::Object(_)) => Ok(json!({ "action": "accept", "content": content })),
        Some(_) => Err(SessionError::BadInput {
            tool_name: server.to_owned(),
        }),
    }
}

fn permission(request: &PermissionRequest, decision: &Decision) -> Result<Value, SessionError> {
    match decision {
        Decision::Allow {
            updated_input,
            suggestions,
        } => Ok(allow(
            input(request, updated_input.as_ref())?,
            taken(request, suggestions)?,
        )),
        Decision::Deny { message, interrupt } => {
            let message = message
                .as_deref()
                .map(str::trim)
                .filter(|message| !message.is_empty())
                .unwrap_or(DENIED);
            Ok(deny(message, *interrupt))
        }
    }
}

/// The whole input the tool is to run with: versions below 2.1.240 fail without it (VERSIONS 4.2).
fn input(request: &PermissionRequest, updated: Option<&Value>) -> Result<Value, SessionError> {
    let Some(updated) = updated else {
        return Ok(request.input.clone());
    };
    let Value::Object(updated) = updated else {
        return Err(SessionError::BadInput {
            tool_name: request.tool_name.clone(),
        });
    };
    // Answers and an edited plan are additions to what was asked; any other changed input stands for itself.
    let mut whole = match (&*request.tool_name, &request.input) {
        ("AskUserQuestion" | "ExitPlanMode", Value::Object(asked)) => asked.clone(),
        _ => Map::new(),
    };
    whole.extend(updated.clone());
    Ok(Value::Object(whole))
}

/// The chosen suggestions, word for word. Never more: all of them together accept every edit (PROTOCOL 6.2).
fn taken(request: &PermissionRequest, chosen: &[u32]) -> Result<Vec<Value>, SessionError> {
    let suggestions = &request.suggestions;
    let at = |index: &u32| {
        let suggestion = usize::try_from(*index)
            .ok()
            .and_then(|place| suggestions.get(place));
        suggestion.cloned().ok_or(SessionError::NoSuchSuggestion {
            index: *index,
            count: suggestions.len(),
        })
    };
    chosen.iter().map(at).collect()
}

#[cfg(test)]
mod tests;
