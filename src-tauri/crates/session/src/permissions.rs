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
        Decision::Deny { interrupt: false, .. } => return Ok(json!({ "action": "decline" })),
        Decision::Deny { interrupt: true, .. } => return Ok(json!({ "action": "cancel" })),
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
mod tests {
    #![allow(clippy::unwrap_used)]

    use kandev_transcript::{
        ActionType, Behavior, Generic, NormalizedPayload, PermissionReason, ResolvedBy,
    };

    use serde_json::json;

    use super::*;

    fn request(tool_name: &str, input: Value) -> PermissionRequest {
        PermissionRequest {
            pending_id: "q1".to_owned(),
            tool_call_id: Some("t1".to_owned()),
            tool_name: tool_name.to_owned(),
            tool_title: tool_name.to_owned(),
            action_type: ActionType::Other,
            input,
            suggestions: vec![
                json!({"type": "addRules"}),
                json!({"type": "setMode", "mode": "acceptEdits"}),
            ],
            normalized: NormalizedPayload::Generic {
                generic: Generic::default(),
            },
            data: PermissionReason::default(),
        }
    }

    fn asked(request: PermissionRequest) -> Permissions {
        let mut permissions = Permissions::default();
        permissions.observe(
            &EventBody::PermissionRequest(request),
            &Moment::now(),
        );
        permissions
    }

    fn allowing(updated_input: Option<Value>, suggestions: &[u32]) -> Decision {
        Decision::Allow {
            updated_input,
            suggestions: suggestions.to_vec(),
        }
    }

    #[test]
    fn an_allow_carries_the_whole_input_and_no_suggestion_that_was_not_chosen() {
        let mut permissions = asked(request("Bash", json!({"command": "ls", "timeout": 5})));
        let payload = permissions.answer("q1", &allowing(None, &[])).unwrap();
        assert_eq!(
            payload,
            json!({"behavior": "allow", "updatedInput": {"command": "ls", "timeout": 5}})
        );
    }

    #[test]
    fn a_chosen_suggestion_goes_along_word_for_word() {
        let mut permissions = asked(request("Bash", json!({"command": "ls"})));
        let payload = permissions.answer("q1", &allowing(None, &[0])).unwrap();
        assert_eq!(payload["updatedPermissions"], json!([{"type": "addRules"}]));
    }

    #[test]
    fn a_deny_always_has_a_message() {
        for message in [None, Some(String::new()), Some("  ".to_owned())] {
            let mut permissions = asked(request("Bash", json!({})));
            let payload = permissions
                .answer(
                    "q1",
                    &Decision::Deny {
                        message,
                        interrupt: false,
                    },
                )
                .unwrap();
            assert_eq!(payload, json!({"behavior": "deny", "message": DENIED}));
        }
        let mut permissions = asked(request("Bash", json!({})));
        let stop = Decision::Deny {
            message: Some("not now".to_owned()),
            interrupt: true,
        };
        assert_eq!(
            permissions.answer("q1", &stop).unwrap(),
            json!({"behavior": "deny", "message": "not now", "interrupt": true})
        );
    }

    #[test]
    fn a_question_is_answered_once() {
        let mut permissions = asked(request("Bash", json!({})));
        permissions.answer("q1", &allowing(None, &[])).unwrap();
        let late = permissions.answer("q1", &allowing(None, &[])).unwrap_err();
        assert_eq!(
            late,
            SessionError::NotPending {
                pending_id: "q1".to_owned()
            }
        );
        assert_eq!(permissions.len(), 0);
    }

    #[test]
    fn an_answer_that_cannot_be_sent_leaves_the_question_open() {
        let mut permissions = asked(request("Bash", json!({})));
        assert!(permissions.answer("q1", &allowing(None, &[2])).is_err());
        assert!(
            permissions
                .answer("q1", &allowing(Some(json!("ls")), &[]))
                .is_err()
        );
        assert_eq!(permissions.len(), 1);
    }

    #[test]
    fn answers_and_plans_are_laid_over_what_was_asked_and_other_input_is_replaced() {
        let mut permissions = asked(request("AskUserQuestion", json!({"questions": [1]})));
        let payload = permissions
            .answer("q1", &allowing(Some(json!({"answers": {"a": "b"}})), &[]))
            .unwrap();
        assert_eq!(
            payload["updatedInput"],
            json!({"questions": [1], "answers": {"a": "b"}})
        );
        let mut permissions = asked(request(
            "Edit",
            json!({"file_path": "a", "replace_all": true}),
        ));
        let payload = permissions
            .answer("q1", &allowing(Some(json!({"file_path": "a"})), &[]))
            .unwrap();
        assert_eq!(payload["updatedInput"], json!({"file_path": "a"}));
    }

    #[test]
    fn a_withdrawn_or_resolved_question_is_no_longer_open() {
        let mut permissions = asked(request("Bash", json!({})));
        permissions.observe(
            &EventBody::PermissionCancelled {
                pending_id: "q1".to_owned(),
            },
            &Moment::now(),
        );
        assert_eq!(permissions.len(), 0);
        let mut permissions = asked(request("Bash", json!({})));
        let by = ResolvedBy::SessionEnd;
        permissions.observe(
            &EventBody::PermissionResolved {
                pending_id: "q1".to_owned(),
                behavior: Behavior::Deny,
                by,
                updated_input: None,
                message: None,
                interrupt: false,
                updated_permissions: Vec::new(),
            },
            &Moment::now(),
        );
        assert_eq!(permissions.len(), 0);
    }
    fn asked_for_input() -> Permissions {
        let mut permissions = Permissions::default();
        let data = json!({ "request_id": "e1", "mcp_server_name": "lab", "mode": "form" });
        let notice = EventBody::Notice {
            kind: "elicitation".to_owned(),
            text: "Which city?".to_owned(),
            data,
        };
        permissions.observe(&notice, &Moment::now());
        permissions
    }

    #[test]
    fn input_for_a_server_is_given_declined_or_cancelled() {
        let deny = |interrupt| Decision::Deny {
            message: None,
            interrupt,
        };
        let city = json!({ "city": "Ulm" });
        for (decision, payload) in [
            (
                allowing(Some(city.clone()), &[]),
                json!({ "action": "accept", "content": city }),
            ),
            (allowing(None, &[]), json!({ "action": "accept" })),
            (deny(false), json!({ "action": "decline" })),
            (deny(true), json!({ "action": "cancel" })),
        ] {
            let mut permissions = asked_for_input();
            assert_eq!(permissions.answer("e1", &decision).unwrap(), payload);
            assert_eq!(permissions.len(), 0);
        }
    }

    #[test]
    fn input_that_is_no_object_leaves_the_server_s_question_open() {
        let mut permissions = asked_for_input();
        assert!(permissions.answer("e1", &allowing(Some(json!("Ulm")), &[])).is_err());
        assert!(permissions.answer("e1", &allowing(None, &[0])).is_err());
        assert_eq!(permissions.len(), 1);
        assert_eq!(permissions.oldest().unwrap().asked.title(), "lab: Which city?");
    }
}
