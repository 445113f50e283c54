//! `system` lines.

use kandev_wire::{Line, System, SystemBody};

use super::{Process, kept_if};
use crate::event::EventBody;
use crate::facts::commands_are;
use crate::notices;
use crate::out::Out;

impl Process {
    pub(super) fn system(&mut self, message: &System<'_>, line: &Line<'_>, out: &mut Out) {
        let json = line.json();
        if let Some(content) = &message.content {
            self.turn.told(content);
        }
        let parent = message.parent_tool_use_id.as_deref();
        match &message.body {
            SystemBody::Init(init) => {
                self.settle_tasks(out);
                self.facts.init(init, out);
                self.work();
            }
            SystemBody::Status(status) => {
                if status.status.as_deref() == Some("requesting") {
                    return self.work();
                }
                if let Some(mode) = status.permission_mode.as_deref() {
                    self.facts.mode_is(mode, out);
                }
                if status.status.is_some() || status.compact_result.is_some() {
                    notices::system(message, json, out);
                }
            }
            SystemBody::TaskStarted(task) => {
                if let (Some(task_id), Some(call_id)) = (&task.task_id, &task.tool_use_id) {
                    self.calls.task_started(task_id, call_id);
                }
                self.tasks.started(task);
                let fields = notices::task_fields(message, json);
                out.say_under(parent, EventBody::TaskStarted(fields));
            }
            SystemBody::TaskProgress(_) => {
                let fields = notices::task_fields(message, json);
                out.say_under(parent, EventBody::TaskProgress(fields));
            }
            SystemBody::TaskUpdated(task) => self.tasks.updated(task, parent, out),
            SystemBody::TaskNotification(task) => {
                let mut fields = notices::task_fields(message, json);
                self.tasks.notified(task, &mut fields);
                out.say_under(parent, EventBody::TaskNotification(fields));
                self.calls
                    .task_over(task.task_id.as_deref(), task.tool_use_id.as_deref(), out);
            }
            SystemBody::BackgroundTasksChanged(background) => {
                self.tasks.set_is(&background.tasks);
            }
            SystemBody::CommandsChanged(commands) => commands_are(&commands.commands, out),
            SystemBody::SessionTitleChanged(changed) => {
                if let Some(title) = changed.title.as_deref() {
                    out.say(EventBody::TitleChanged {
                        title: title.to_owned(),
                    });
                }
            }
            SystemBody::SessionStateChanged(changed) => match changed.state.as_deref() {
                Some("running") => self.work(),
                Some("idle") => self.rest(),
                _ => {}
            },
            SystemBody::LocalCommandOutput => {
                let text = message.content.clone().unwrap_or_default().into_owned();
                if !text.is_empty() {
                    self.turn.text_shown |= parent.is_none() && !text.trim().is_empty();
                    let message_id = out.id_or_made(message.uuid.as_deref()).into_owned();
                    out.say_under(parent, EventBody::MessageChunk { text, message_id });
                }
            }
            SystemBody::ModelRefusalFallback(refusal) => {
                let void = &refusal.retracted_message_uuids;
                self.spoken.retract(void, None, out);
                notices::system(message, json, out);
            }
            SystemBody::SessionWritesLost(_) => {
                let saved = self.turn.writes_lost().map(str::to_owned);
                let newest = self.turn.newest_uuid();
                notices::writes_lost(message, json, newest, saved.as_deref(), out);
            }
            // That a request of the host was taken up is no news; that it is tried again is.
            SystemBody::ControlRequestProgress(progress)
                if progress.status.as_deref() == Some("started") => {}
            // The tokens of the message say the same.
            SystemBody::ThinkingTokens => {}
            SystemBody::Unknown => kept_if(true, line, out),
            SystemBody::ApiRetry(_)
            | SystemBody::CompactBoundary(_)
            | SystemBody::PermissionDenied(_)
            | SystemBody::ModelFallback(_)
            | SystemBody::ModelRefusalNoFallback(_)
            | SystemBody::Informational(_)
            | SystemBody::Notification(_)
            | SystemBody::HookStarted(_)
            | SystemBody::HookProgress(_)
            | SystemBody::HookResponse(_)
            | SystemBody::PluginInstall(_)
            | SystemBody::FilesPersisted(_)
            | SystemBody::MemoryRecall(_)
            | SystemBody::ElicitationComplete(_)
            | SystemBody::MirrorError(_)
            | SystemBody::WorkerShuttingDown(_)
            | SystemBody::ControlRequestProgress(_) => notices::system(message, json, out),
        }
    }

    /// What the task messages left untold; with the end of an agent, its open calls end.
    pub(super) fn settle_tasks(&mut self, out: &mut Out) {
        for ended in self.tasks.settle(out) {
            self.calls
                .task_over(ended.task_id.as_deref(), ended.tool_use_id.as_deref(), out);
        }
    }
}
