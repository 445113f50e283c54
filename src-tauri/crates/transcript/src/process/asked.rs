//! The CLI's questions, and the answers of both sides.

use kandev_wire::{ControlBody, ControlRequest, ControlResponse, Line};

use super::{Process, kept_if};
use crate::files::Files;
use crate::notices;
use crate::out::Out;

impl Process {
    /// A control request of the CLI.
    pub(super) fn asked(
        &mut self,
        request: &ControlRequest<'_>,
        line: &Line<'_>,
        files: &dyn Files,
        out: &mut Out,
    ) {
        let id = request.request_id.as_deref();
        match (&request.request, id) {
            // Bookkeeping between the CLI and the session.
            (ControlBody::HookCallback(_) | ControlBody::McpMessage(_), _) => {}
            (ControlBody::CanUseTool(asked), Some(id)) => {
                self.begun = true;
                if asked.agent_id.is_none() {
                    self.work();
                }
                self.questions.ask(id, asked, &mut self.calls, files, out);
            }
            (ControlBody::Elicitation(asked), Some(id)) => {
                self.begun = true;
                self.questions.elicit(id, asked, out);
            }
            (ControlBody::RequestUserDialog, Some(id)) => {
                if !self.questions.seen(id) {
                    let text =
                        "Claude Code asked for a dialog that this app does not have".to_owned();
                    notices::notice("request_user_dialog", text, line.json(), None, out);
                }
            }
            // Nobody can answer without an id, and nobody knows the others: the line is shown as it stands.
            (
                ControlBody::CanUseTool(_)
                | ControlBody::Elicitation(_)
                | ControlBody::RequestUserDialog,
                None,
            )
            | (ControlBody::Unknown { .. } | ControlBody::Missing, _) => kept_if(true, line, out),
        }
    }

    /// An answer of the CLI, or the echo of one of ours.
    pub(super) fn answer(
        &mut self,
        response: &ControlResponse<'_>,
        line: &Line<'_>,
        files: &dyn Files,
        out: &mut Out,
    ) {
        let payload = response.outcome().ok().flatten();
        self.facts.answer(response.request_id(), payload, out);
        if !self.prompts.host_seen {
            // Where the host's side is not part of the input, its echo is all there is of its answers. The ids are the
            // CLI's own, so no answer to a request of the host is taken for one.
            self.questions.answered(response, out);
        }
        for pending in response.response.iter().flat_map(|body| body.pending()) {
            self.asked(&pending, line, files, out);
        }
    }
}
