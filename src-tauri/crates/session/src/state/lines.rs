//! What the CLI says, as far as the session acts on it. What it means to a reader is the transcript's.

use std::time::Duration;

use kandev_transcript::EventBody;
use kandev_wire::{ContentBlock, FromCli, Init, Line, System, SystemBody, UserLine};
use serde::Deserialize;
use serde_json::json;

use super::{Link, State};
use crate::failures::{Channel, LIMIT};
use crate::requests::Ask;

impl State {
    pub(super) fn line(&mut self, line: &[u8]) {
        if self.garbage.is_flood(self.link == Link::Ready) && self.ending.is_some() {
            self.garbage.let_go();
            return;
        }
        let mut emitted = Vec::new();
        self.transcript.cli_line(line, &mut emitted);
        let unread = |body: &EventBody| match body {
            EventBody::Unrecognized { raw } => Some(raw.clone()),
            _ => None,
        };
        let raw = emitted.iter().find_map(|emitted| unread(&emitted.body));
        self.emit_all(emitted);
        match raw {
            Some(raw) => self.unrecognized(&raw),
            None => self.garbage.sense(),
        }
        let line = kandev_wire::read(line);
        if let Ok(message) = line.from_cli() {
            self.message(message, &line);
        }
    }

    pub(super) fn overlong(&mut self, bytes: u64) {
        let text = format!(
            "A line of {bytes} bytes was too long to be read. The session goes on without it."
        );
        self.notice("line_skipped", text, json!({ "bytes": bytes }));
    }

    pub(super) fn stderr(&mut self, line: &str) {
        // It ends up among the last words, which are shown and kept.
        let line = &*crate::redact::text(line);
        self.transcript.stderr(line);
        self.garbage.stderr(line);
    }

    fn unrecognized(&mut self, raw: &str) {
        self.garbage.hear(&crate::redact::text(raw));
        if self.garbage.is_flood(self.link == Link::Ready) {
            let what = "Claude Code floods its output with text that is not its protocol";
            self.fail(
                "cli_flood",
                what,
                "Look at its last words; `kandev doctor` shows which file is run.",
                Duration::ZERO,
            );
        }
    }

    fn message(&mut self, message: FromCli<'_>, line: &Line<'_>) {
        self.hear(&message);
        if !self.conversation.is_other()
            && let Some(prompt) = self.prompts.observe(&message)
        {
            self.give_back(&prompt);
        }
        match message {
            FromCli::ControlRequest(request) => self.asked(&request),
            FromCli::ControlResponse(response) => self.answered(&response),
            FromCli::ControlCancelRequest(cancel) => {
                self.checks
                    .retain(|(id, _)| Some(id.as_str()) != cancel.request_id.as_deref());
                if let Some(id) = &cancel.request_id {
                    self.hosted.remove(id.as_ref());
                }
            }
            FromCli::System(system) => self.system(&system, line),
            FromCli::User(user) => self.results(&user),
            FromCli::Result(_) => {
                self.denied.clear();
                self.look_after_turn();
            }
            _ => {}
        }
    }

    fn system(&mut self, system: &System<'_>, line: &Line<'_>) {
        match &system.body {
            SystemBody::Init(init) => self.init(init, system.session_id.as_deref(), line),
            SystemBody::BackgroundTasksChanged(tasks) => {
                let ids = tasks
                    .tasks
                    .iter()
                    .filter(|task| task.ambient != Some(true))
                    .filter_map(|task| task.task_id.as_deref())
                    .map(str::to_owned);
                self.activity.set_tasks(ids);
            }
            SystemBody::PermissionDenied(denied) => {
                self.call_failed(
                    Channel::Permission,
                    denied.message.as_deref().unwrap_or_default(),
                );
            }
            SystemBody::Informational(said)
                if said.tag.as_deref() == Some("hook_callback_failed")
                    && self
                        .failures
                        .hook(system.content.as_deref().unwrap_or_default()) =>
            {
                self.break_loop(Channel::Hook);
            }
            _ => {}
        }
    }

    /// A session that runs in another folder than it was asked to must not go on (asks U84). A conversation that is taken
    /// up may be in a worktree that it went into by itself.
    fn init(&mut self, init: &Init<'_>, session_id: Option<&str>, line: &Line<'_>) {
        if let Some(style) = &init.output_style {
            self.info.output_style = Some(style.clone().into_owned());
        }
        let first = std::mem::replace(&mut self.first_init, false);
        if !first || self.is_other_conversation(session_id) || self.setting.rehearsal {
            return;
        }
        let Some(reported) = init.cwd.as_deref() else {
            return;
        };
        let asked = &self.setting.request.workspace;
        let same = |folder: &str| (self.setting.same_folder)(asked, folder);
        let started_there =
            || self.resumed && original_cwd(line.json()).is_some_and(|folder| same(&folder));
        if !same(reported) && !started_there() {
            let what =
                format!("Claude Code runs in {reported} and not in {asked}, and was stopped");
            self.fail(
                "wrong_folder",
                &what,
                "Start a session in the folder that is meant.",
                Duration::from_secs(2),
            );
        }
    }

    fn results(&mut self, user: &UserLine<'_>) {
        let Some(message) = &user.message else { return };
        for block in &message.content {
            let ContentBlock::ToolResult {
                tool_use_id,
                content,
                is_error,
            } = block
            else {
                continue;
            };
            let by_person = self.denied.remove(tool_use_id.as_ref());
            let text = content.map(|content| content.get()).unwrap_or_default();
            let failed = *is_error && !by_person;
            match failed.then(|| Channel::of(text)).flatten() {
                Some(channel) => self.call_failed(channel, text),
                None => self.failures.call_worked(),
            }
        }
    }

    fn call_failed(&mut self, channel: Channel, text: &str) {
        if self.failures.call(text) {
            self.break_loop(channel);
        }
    }

    /// The same failure, again and again: whoever pays for it is told, and the turn ends (asks U27).
    fn break_loop(&mut self, channel: Channel) {
        if self.link != Link::Ready || self.ending.is_some() {
            return;
        }
        let what = match channel {
            Channel::Permission => "calls in a row failed for the same reason of permission",
            Channel::Hook => "hooks failed in the same way",
            Channel::Mcp => "calls in a row failed at their MCP server in the same way",
            Channel::Control => {
                "calls in a row failed because Claude Code and this program do not reach each other"
            }
        };
        let text = format!("{LIMIT} {what}. The turn was interrupted.");
        self.notice(
            "permission_loop",
            text,
            json!({ "channel": channel.word(), "failures": LIMIT }),
        );
        self.ask(Ask::interrupt(), None);
    }
}

fn original_cwd(json: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Original {
        original_cwd: Option<String>,
    }
    serde_json::from_str::<Original>(json).ok()?.original_cwd
}
