//! What the CLI asks of us, apart from the questions to a person: hooks, and things we do not do. Everything gets an
//! answer, and whatever nobody knows gets an error: silence would hang the CLI, and a guess could allow something.

use kandev_wire::{
    ControlBody, ControlRequest, HookCallback, McpMessage, control_error, control_success,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, State};
use crate::host_server::{NAME, Said, refusal};
use crate::policy::{self, ASK_HOOK, STOP_HOOK};
use crate::stop_check::Findings;
use crate::{Policy, StopCheck};

impl State {
    pub(super) fn asked(&mut self, request: &ControlRequest<'_>) {
        // Without an id there is nothing that an answer could be addressed to.
        let Some(id) = request.request_id.as_deref() else {
            return;
        };
        match &request.request {
            // The transcript made a question of it, which waits in the table. One that is told again is not asked again.
            ControlBody::CanUseTool(_) | ControlBody::Elicitation(_) => {}
            ControlBody::HookCallback(callback) => self.hook(id, callback),
            ControlBody::McpMessage(message) => self.mcp_message(id, message),
            ControlBody::RequestUserDialog => self.reply(id, &json!({ "behavior": "cancelled" })),
            ControlBody::Unknown { subtype } => {
                let error = format!("this host does not know the request {subtype}");
                self.refuse(id, &error);
            }
            ControlBody::Missing => self.refuse(id, "there is no request in it"),
        }
    }

    fn reply(&mut self, id: &str, payload: &Value) {
        self.write(control_success(id, payload));
    }

    fn refuse(&mut self, id: &str, error: &str) {
        self.write(control_error(id, error));
    }

    /// For the host's own server, or for one that nobody runs: an answer in terms of JSON-RPC follows in any case.
    fn mcp_message(&mut self, id: &str, brought: &McpMessage<'_>) {
        let message = brought.message.map_or("null", |message| message.get());
        if self.setting.host_server && brought.server_name.as_deref() == Some(NAME) {
            self.hosted.insert(id.to_owned());
            self.effects.push(Effect::Host {
                request_id: id.to_owned(),
                message: message.to_owned(),
            });
            return;
        }
        let name = brought.server_name.as_deref().unwrap_or_default();
        let message = serde_json::from_str(message).unwrap_or_default();
        let answer = refusal(&message, &format!("this host runs no MCP server {name:?}"));
        self.reply(id, &json!({ "mcp_response": answer }));
    }

    pub(super) fn hosted(&mut self, said: Said) {
        match said {
            // What was withdrawn, or asked by a process that is gone, is answered no more.
            Said::Answer {
                request_id,
                message,
            } if self.hosted.remove(&request_id) => {
                self.reply(&request_id, &json!({ "mcp_response": message }));
            }
            Said::Answer { .. } => {}
            Said::Note(note) => {
                let mut data = json!({ "message": note.message, "level": note.level });
                if let Some(title) = note.title {
                    data["title"] = json!(title);
                }
                self.notice("notify_user", note.message, data);
            }
        }
    }

    fn hook(&mut self, id: &str, callback: &HookCallback<'_>) {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct HookInput {
            hook_event_name: Option<String>,
            stop_hook_active: Option<bool>,
            background_tasks: Option<Value>,
        }
        let input: HookInput = callback
            .input
            .and_then(|input| serde_json::from_str(input.get()).ok())
            .unwrap_or_default();
        let event = input.hook_event_name.as_deref();
        match (
            self.setting.request.policy,
            callback.callback_id.as_deref(),
            event,
        ) {
            (Policy::Supervised, Some(ASK_HOOK), Some("PreToolUse")) => {
                self.reply(id, &policy::ask())
            }
            (Policy::Supervised | Policy::Plan, Some(STOP_HOOK), Some("Stop")) => {
                // With tasks that run on it is not the end of the work (asks U47): another turn follows theirs.
                let listed = input.background_tasks.as_ref().and_then(Value::as_array);
                let busy = self.activity.tasks() || listed.is_some_and(|tasks| !tasks.is_empty());
                if self.setting.request.stop_check == StopCheck::Off || busy {
                    return self.reply(id, &json!({}));
                }
                self.checks
                    .push((id.to_owned(), input.stop_hook_active == Some(true)));
                self.effects.push(Effect::CheckStop {
                    request_id: Some(id.to_owned()),
                });
            }
            (_, name, event) => {
                let name = name.unwrap_or("without a name");
                let reason = format!("this host did not register the hook {name}");
                match policy::unregistered(event, &reason) {
                    Some(answer) => self.reply(id, &answer),
                    None => self.refuse(id, &reason),
                }
            }
        }
    }

    /// The policies without hooks look when the turn is over: they can tell, and send nothing back.
    pub(super) fn look_after_turn(&mut self) {
        let hookless = matches!(
            self.setting.request.policy,
            Policy::Rules | Policy::Autonomous
        );
        let wanted = self.setting.request.stop_check != StopCheck::Off;
        if hookless && wanted && !self.setting.rehearsal && !self.activity.tasks() {
            self.effects.push(Effect::CheckStop { request_id: None });
        }
    }

    pub(super) fn stop_checked(&mut self, request_id: Option<&str>, findings: Findings) {
        let Some(request_id) = request_id else {
            return self.report_changes(&findings, false);
        };
        let Some(place) = self.checks.iter().position(|(id, _)| id == request_id) else {
            return;
        };
        let (_, active) = self.checks.remove(place);
        let send_back = self.setting.request.stop_check == StopCheck::SendBack && !active;
        let payload = match &findings {
            Findings::Changed(_) if send_back => {
                json!({ "decision": "block", "reason": findings.reason() })
            }
            _ => json!({}),
        };
        self.report_changes(&findings, send_back);
        self.reply(request_id, &payload);
    }

    /// The same state of the workspace is told once.
    fn report_changes(&mut self, findings: &Findings, sent_back: bool) {
        if self.told.as_ref() == Some(findings) && !sent_back {
            return;
        }
        if let Some(text) = findings.text() {
            self.notice("uncommitted_changes", text, findings.data(sent_back));
        }
        self.told = Some(findings.clone());
    }
}
