//! The CLI's questions before a tool runs: each is asked once and ends once (PROTOCOL 6.1).

use std::collections::HashMap;

use indexmap::IndexMap;
use kandev_wire::{CanUseTool, ControlResponse, PermissionAnswer};
use serde_json::Value;

use crate::calls::{Calls, value};
use crate::event::{Behavior, EventBody, PermissionReason, PermissionRequest, ResolvedBy};
use crate::files::Files;
use crate::normalize;
use crate::out::Out;

/// The open questions, and who answers them when it is not the user.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    open: IndexMap<String, Question>,
    answered_by: HashMap<String, ResolvedBy>,
}

#[derive(Debug)]
struct Question {
    parent: Option<String>,
    call_id: Option<String>,
    /// Its call has ended without an answer: nobody waits for one any more.
    moot: bool,
}

impl Questions {
    pub fn ask(
        &mut self,
        id: &str,
        asked: &CanUseTool<'_>,
        calls: &mut Calls,
        files: &dyn Files,
        out: &mut Out,
    ) {
        if self.open.contains_key(id) {
            return;
        }
        let name = asked.tool_name.as_deref().unwrap_or_default();
        let input = value(asked.input);
        let call_id = asked.tool_use_id.as_deref().map(str::to_owned);
        let parent = call_id
            .as_deref()
            .and_then(|id| calls.parent_of(id))
            .unwrap_or_else(|| {
                asked
                    .agent_id
                    .as_deref()
                    .and_then(|agent| calls.call_of_task(agent))
            })
            .map(str::to_owned);
        let own = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(str::to_owned);
        let request = PermissionRequest {
            pending_id: id.to_owned(),
            tool_call_id: call_id.clone(),
            tool_name: name.to_owned(),
            tool_title: normalize::title(name, &input),
            action_type: normalize::action_type(name),
            normalized: normalize::proposed(name, &input, files),
            input,
            suggestions: match asked.permission_suggestions.map(|raw| value(Some(raw))) {
                Some(Value::Array(suggestions)) => suggestions,
                _ => Vec::new(),
            },
            data: PermissionReason {
                display_name: own(&asked.display_name),
                description: own(&asked.description),
                decision_reason: own(&asked.decision_reason),
                decision_reason_type: own(&asked.decision_reason_type),
                blocked_path: own(&asked.blocked_path),
                agent_id: own(&asked.agent_id),
                title: own(&asked.title),
                requires_user_interaction: asked.requires_user_interaction.unwrap_or(false),
            },
        };
        if let Some(id) = &call_id {
            calls.place(id, &request.normalized);
        }
        out.say_under(parent.as_deref(), EventBody::PermissionRequest(request));
        self.open.insert(
            id.to_owned(),
            Question {
                parent,
                call_id,
                moot: false,
            },
        );
    }

    /// Who will be named for the answer that the host writes next to this question.
    pub fn answered_by(&mut self, id: &str, by: ResolvedBy) {
        if self.open.contains_key(id) {
            self.answered_by.insert(id.to_owned(), by);
        }
    }

    /// A line that the host writes. Only the one form counts that the CLI takes: the others leave the question open.
    pub fn answered(&mut self, line: &ControlResponse<'_>, out: &mut Out) {
        let Some(response) = &line.response else {
            return;
        };
        let Some(id) = response.request_id.as_deref() else {
            return;
        };
        let payload = response
            .response
            .filter(|payload| payload.get().starts_with('{'));
        let behavior = match (response.subtype.as_deref(), payload) {
            (Some("success"), Some(payload)) => {
                match serde_json::from_str::<PermissionAnswer>(payload.get()) {
                    Ok(PermissionAnswer {
                        behavior: Some(behavior),
                        ..
                    }) if behavior == "allow" => Behavior::Allow,
                    _ => Behavior::Deny,
                }
            }
            (Some("error"), _) => Behavior::Deny,
            _ => return,
        };
        let by = self.answered_by.remove(id).unwrap_or(ResolvedBy::User);
        self.resolve(id, behavior, by, out);
    }

    /// The CLI withdraws a request of its own.
    pub fn cancelled(&mut self, id: &str, out: &mut Out) {
        self.answered_by.remove(id);
        if let Some(question) = self.open.shift_remove(id) {
            let pending_id = id.to_owned();
            out.say_under(
                question.parent.as_deref(),
                EventBody::PermissionCancelled { pending_id },
            );
        }
    }

    /// A call has its result while the question about it is open, and the host's side is not part of the input: the
    /// result shows what the answer was.
    pub fn settled_by_result(&mut self, call_id: &str, failed: bool, out: &mut Out) {
        let about = |question: &Question| question.call_id.as_deref() == Some(call_id);
        let Some(id) = self
            .open
            .iter()
            .find(|(_, q)| about(q))
            .map(|(id, _)| id.clone())
        else {
            return;
        };
        let behavior = if failed {
            Behavior::Deny
        } else {
            Behavior::Allow
        };
        self.resolve(&id, behavior, ResolvedBy::User, out);
    }

    /// The process is gone, or the input is over: nobody can answer any more.
    pub fn session_over(&mut self, out: &mut Out) {
        while let Some((id, _)) = self.open.first() {
            let id = id.clone();
            self.resolve(&id, Behavior::Deny, ResolvedBy::SessionEnd, out);
        }
        self.answered_by.clear();
    }

    /// Calls may have ended: a question about one of these keeps nobody waiting. With a result, nor does any of the main
    /// thread.
    pub fn look_at(&mut self, calls: &Calls, turn_over: bool) {
        for question in self.open.values_mut() {
            let ended = question
                .call_id
                .as_deref()
                .is_some_and(|id| calls.has_ended(id));
            question.moot |= ended || (turn_over && question.parent.is_none());
        }
    }

    /// Whether somebody has to answer now.
    pub fn any_waiting(&self) -> bool {
        self.open.values().any(|question| !question.moot)
    }

    fn resolve(&mut self, id: &str, behavior: Behavior, by: ResolvedBy, out: &mut Out) {
        if let Some(question) = self.open.shift_remove(id) {
            let pending_id = id.to_owned();
            let resolved = EventBody::PermissionResolved {
                pending_id,
                behavior,
                by,
            };
            out.say_under(question.parent.as_deref(), resolved);
        }
    }
}
