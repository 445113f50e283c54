//! The CLI's questions before a tool runs: each is asked once and ends once (PROTOCOL 6.1).

use std::borrow::Cow;
use std::collections::HashMap;

use indexmap::IndexMap;
use kandev_wire::{CanUseTool, ControlResponse, Elicitation, PermissionAnswer, RawValue};
use serde_json::Value;

use crate::calls::{Calls, value};
use crate::elicitations::Elicitations;
use crate::event::{
    ActionType, Behavior, EventBody, PermissionReason, PermissionRequest, ResolvedBy,
};
use crate::files::Files;
use crate::normalize;
use crate::out::Out;
use crate::recent::Recent;

const ASKED: usize = 1024;

/// How a question ended.
#[derive(Debug)]
struct Resolution {
    pending_id: String,
    behavior: Behavior,
    by: ResolvedBy,
    updated_input: Option<Value>,
    message: Option<String>,
    interrupt: bool,
    updated_permissions: Vec<Value>,
}

impl Resolution {
    /// An answer without anything else to it.
    fn new(pending_id: String, behavior: Behavior, by: ResolvedBy) -> Self {
        Self {
            pending_id,
            behavior,
            by,
            updated_input: None,
            message: None,
            interrupt: false,
            updated_permissions: Vec::new(),
        }
    }
}

/// The open questions, and who answers them when it is not the user.
#[derive(Debug)]
pub(crate) struct Questions {
    open: IndexMap<String, Question>,
    elicitations: Elicitations,
    /// The ids of the newest questions, so that one that is told again is not asked again.
    asked: Recent,
    answered_by: HashMap<String, ResolvedBy>,
}

#[derive(Debug)]
struct Question {
    parent: Option<String>,
    call_id: Option<String>,
    input: Value,
    /// Its call has ended without an answer: nobody waits for one any more.
    moot: bool,
}

impl Questions {
    pub fn new() -> Self {
        Self {
            open: IndexMap::new(),
            elicitations: Elicitations::default(),
            asked: Recent::new(ASKED),
            answered_by: HashMap::new(),
        }
    }

    pub fn ask(
        &mut self,
        id: &str,
        asked: &CanUseTool<'_>,
        calls: &mut Calls,
        files: &dyn Files,
        out: &mut Out,
    ) {
        if !self.asked.insert(id) {
            return;
        }
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
        let request = request(id, asked, files);
        if let Some(id) = &call_id {
            calls.place(id, &request.normalized);
        }
        let question = Question {
            parent: parent.clone(),
            call_id,
            input: request.input.clone(),
            moot: false,
        };
        out.say_under(parent.as_deref(), EventBody::PermissionRequest(request));
        self.open.insert(id.to_owned(), question);
    }

    /// An MCP server asks the user.
    pub fn elicit(&mut self, id: &str, asked: &Elicitation<'_>, out: &mut Out) {
        if self.asked.insert(id) {
            self.elicitations.ask(id, asked, out);
        }
    }

    /// Whether this id was asked before.
    pub fn seen(&mut self, id: &str) -> bool {
        !self.asked.insert(id)
    }

    /// Who will be named for the answer that the host writes next to this question.
    pub fn answered_by(&mut self, id: &str, by: ResolvedBy) {
        if self.open.contains_key(id) || self.elicitations.is_open(id) {
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
        let success = match response.subtype.as_deref() {
            Some("success") if payload.is_some() => true,
            Some("error") => false,
            _ => return,
        };
        let payload = payload.filter(|_| success);
        if self.elicitations.is_open(id) {
            let by = self.answered_by.remove(id).unwrap_or(ResolvedBy::User);
            return self.elicitations.answered(id, payload, by, out);
        }
        let Some(question) = self.open.get(id) else {
            return;
        };
        let by = self.answered_by.remove(id).unwrap_or(ResolvedBy::User);
        let answer: PermissionAnswer = payload
            .and_then(|payload| serde_json::from_str(payload.get()).ok())
            .unwrap_or_default();
        let resolved = resolution(id, &answer, by, &question.input);
        self.resolve(resolved, out);
    }

    /// The CLI withdraws a request of its own.
    pub fn cancelled(&mut self, id: &str, out: &mut Out) {
        self.answered_by.remove(id);
        self.elicitations.cancelled(id, out);
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
        self.resolve(Resolution::new(id, behavior, ResolvedBy::User), out);
    }

    /// The process is gone, or the input is over: nobody can answer any more.
    pub fn session_over(&mut self, out: &mut Out) {
        while let Some((id, _)) = self.open.first() {
            let id = id.clone();
            let resolved = Resolution::new(id, Behavior::Deny, ResolvedBy::SessionEnd);
            self.resolve(resolved, out);
        }
        self.elicitations.session_over(out);
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
        if turn_over {
            self.elicitations.turn_over();
        }
    }

    /// Whether somebody has to answer now.
    pub fn any_waiting(&self) -> bool {
        self.open.values().any(|question| !question.moot) || self.elicitations.any_waiting()
    }

    fn resolve(&mut self, resolved: Resolution, out: &mut Out) {
        if let Some(question) = self.open.shift_remove(&resolved.pending_id) {
            let body = EventBody::PermissionResolved {
                pending_id: resolved.pending_id,
                behavior: resolved.behavior,
                by: resolved.by,
                updated_input: resolved.updated_input,
                message: resolved.message,
                interrupt: resolved.interrupt,
                updated_permissions: resolved.updated_permissions,
            };
            out.say_under(question.parent.as_deref(), body);
        }
    }
}

/// The question as an event, whatever its shape: what is no tool call that anyone can read is shown as it came.
fn request(id: &str, asked: &CanUseTool<'_>, files: &dyn Files) -> PermissionRequest {
    let own = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
    let any = |raw: Option<&RawValue>| raw.map(|raw| value(Some(raw)));
    let name = asked
        .tool_name
        .as_deref()
        .filter(|name| !name.trim().is_empty());
    let input = value(asked.input);
    let readable = name.filter(|_| input.is_object());
    let (tool_title, action_type, normalized) = match readable {
        Some(name) => (
            normalize::title(name, &input),
            normalize::action_type(name),
            normalize::proposed(name, &input, files),
        ),
        None => {
            let name = name.unwrap_or("unknown");
            let whole = value(asked.whole);
            (
                own(&asked.title).unwrap_or_else(|| normalize::title(name, &input)),
                ActionType::Other,
                normalize::unread(name, if input.is_null() { &whole } else { &input }),
            )
        }
    };
    PermissionRequest {
        pending_id: id.to_owned(),
        tool_call_id: own(&asked.tool_use_id),
        tool_name: name.unwrap_or("unknown").to_owned(),
        tool_title,
        action_type,
        normalized,
        input,
        suggestions: match value(asked.permission_suggestions) {
            Value::Array(suggestions) => suggestions,
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
            mcp_server: any(asked.mcp_server),
            server_policy_ask_only: asked.server_policy_ask_only,
            suppress_always_allow_rule: asked.suppress_always_allow_rule,
            default_to_no: asked.default_to_no,
            matched_ask_rule: any(asked.matched_ask_rule),
            classifier_approvable: asked.classifier_approvable,
            decision_reason_rule_source: own(&asked.decision_reason_rule_source),
            decision_reason_hook_event: own(&asked.decision_reason_hook_event),
            decision_reason_hook_source: own(&asked.decision_reason_hook_source),
        },
    }
}

/// What the answer of the host does to a question about this input. Anything but `allow` denies.
fn resolution(
    id: &str,
    answer: &PermissionAnswer<'_>,
    by: ResolvedBy,
    input: &Value,
) -> Resolution {
    if answer.behavior.as_deref() != Some("allow") {
        return Resolution {
            message: answer.message.as_deref().map(str::to_owned),
            interrupt: answer.interrupt.unwrap_or(false),
            ..Resolution::new(id.to_owned(), Behavior::Deny, by)
        };
    }
    // An empty input stands for the one that was asked about.
    let updated_input = match value(answer.updated_input) {
        Value::Object(updated) if updated.is_empty() => None,
        Value::Object(updated) => Some(Value::Object(updated)).filter(|updated| updated != input),
        _ => None,
    };
    let updated_permissions = match value(answer.updated_permissions) {
        Value::Array(updated) => updated,
        _ => Vec::new(),
    };
    Resolution {
        updated_input,
        updated_permissions,
        ..Resolution::new(id.to_owned(), Behavior::Allow, by)
    }
}
