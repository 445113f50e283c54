//! Tasks beside the main thread, so that each that is told of ends for whoever reads the events (PROTOCOL 8).
//!
//! `task_started`, `task_progress` and `task_notification` are events as they come. The two other messages repeat what
//! these say, so they only speak when these do not, and then in words: a patch that changes a running task at once; an end
//! without its notification, and a change of the set of background tasks that nothing else tells, when the turn moves on.

use indexmap::IndexMap;
use kandev_wire::{Task, TaskPatch};
use serde_json::json;

use crate::event::{EventBody, TaskFields};
use crate::out::Out;
use crate::recent::Recent;

const KNOWN: usize = 1024;

#[derive(Debug)]
pub(crate) struct Tasks {
    /// Begun and not ended.
    open: IndexMap<String, Known>,
    /// The newest that have ended, whose names must not come to life again.
    over: Recent,
    /// In the newest set of background tasks, without a beginning so far.
    unseen: IndexMap<String, TaskFields>,
}

#[derive(Debug, Default)]
struct Known {
    tool_use_id: Option<String>,
    description: Option<String>,
    /// It was in the set of background tasks.
    in_set: bool,
    /// It has ended, which its notification has still to tell.
    ended: Option<TaskFields>,
}

impl Tasks {
    pub fn new() -> Self {
        Self {
            open: IndexMap::new(),
            over: Recent::new(KNOWN),
            unseen: IndexMap::new(),
        }
    }

    pub fn started(&mut self, task: &Task<'_>) {
        let Some(id) = task.task_id.as_deref() else {
            return;
        };
        let in_set = self.unseen.shift_remove(id).is_some();
        let own = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(str::to_owned);
        let known = Known {
            tool_use_id: own(&task.tool_use_id),
            description: own(&task.description),
            in_set,
            ended: None,
        };
        self.open.insert(id.to_owned(), known);
        if self.open.len() > KNOWN {
            self.open.shift_remove_index(0);
        }
    }

    /// The task's own notification: it brings along why the task failed, which only its patch says.
    pub fn notified(&mut self, task: &Task<'_>, fields: &mut TaskFields) {
        let Some(id) = task.task_id.as_deref() else {
            return;
        };
        self.over.insert(id);
        self.unseen.shift_remove(id);
        if let Some(Known {
            ended: Some(ended), ..
        }) = self.open.shift_remove(id)
        {
            fields.error = fields.error.take().or(ended.error);
        }
    }

    /// `task_updated`: something of the task is another now.
    pub fn updated(&mut self, task: &Task<'_>, parent: Option<&str>, out: &mut Out) {
        let (Some(id), Some(patch)) = (task.task_id.as_deref(), &task.patch) else {
            return;
        };
        // The id of one that has ended can begin again, as another run.
        if self.over.contains(id) && !self.open.contains_key(id) {
            return;
        }
        let status = match patch.status.as_deref() {
            Some(status @ ("completed" | "failed")) => Some(status),
            Some("killed") => Some("stopped"),
            _ => None,
        };
        let known = self.open.entry(id.to_owned()).or_default();
        if let Some(status) = status {
            known.ended = Some(TaskFields {
                task_id: Some(id.to_owned()),
                run_id: task.run_id.as_deref().map(str::to_owned),
                tool_use_id: known.tool_use_id.clone(),
                description: known.description.clone(),
                status: Some(status.to_owned()),
                error: patch.error.as_deref().map(str::to_owned),
                ..TaskFields::default()
            });
            return;
        }
        if let Some(description) = patch.description.as_deref() {
            known.description = Some(description.to_owned());
        }
        let text = changed(known.description.as_deref(), patch);
        let mut change = serde_json::Map::new();
        let mut set = |name: &str, value: Option<serde_json::Value>| {
            if let Some(value) = value {
                change.insert(name.to_owned(), value);
            }
        };
        set("status", patch.status.as_deref().map(|text| json!(text)));
        set(
            "description",
            patch.description.as_deref().map(|text| json!(text)),
        );
        set("error", patch.error.as_deref().map(|text| json!(text)));
        set(
            "is_backgrounded",
            patch.is_backgrounded.map(|flag| json!(flag)),
        );
        set(
            "total_paused_ms",
            patch.total_paused_ms.as_ref().map(|ms| json!(ms)),
        );
        set("end_time", patch.end_time.as_ref().map(|ms| json!(ms)));
        let data = json!({ "task_id": id, "tool_use_id": known.tool_use_id, "patch": change });
        out.say_under(
            parent,
            EventBody::Notice {
                kind: "task_updated".to_owned(),
                text,
                data,
            },
        );
    }

    /// `background_tasks_changed`: these run in the background now, and no others.
    pub fn set_is(&mut self, tasks: &[Task<'_>]) {
        let ids: Vec<&str> = tasks
            .iter()
            .filter_map(|task| task.task_id.as_deref())
            .collect();
        self.unseen.clear();
        for (id, known) in &mut self.open {
            let gone = known.in_set && !ids.contains(&id.as_str());
            known.in_set = ids.contains(&id.as_str());
            if gone && known.ended.is_none() {
                known.ended = Some(TaskFields {
                    task_id: Some(id.clone()),
                    tool_use_id: known.tool_use_id.clone(),
                    description: known.description.clone(),
                    status: Some("stopped".to_owned()),
                    summary: Some("It is no longer among the tasks that run.".to_owned()),
                    ..TaskFields::default()
                });
            }
        }
        for task in tasks {
            let Some(id) = task.task_id.as_deref() else {
                continue;
            };
            if self.open.contains_key(id) || self.over.contains(id) {
                continue;
            }
            let own = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(str::to_owned);
            let fields = TaskFields {
                task_id: Some(id.to_owned()),
                run_id: own(&task.run_id),
                tool_use_id: own(&task.tool_use_id),
                description: own(&task.description),
                task_type: own(&task.task_type),
                subagent_type: own(&task.subagent_type),
                parent_task_id: own(&task.parent_task_id),
                is_backgrounded: Some(true),
                ambient: task.ambient,
                ..TaskFields::default()
            };
            self.unseen.insert(id.to_owned(), fields);
        }
    }

    /// The input is over, and all tasks with it.
    pub fn session_over(&mut self, out: &mut Out) {
        self.unseen.clear();
        self.settle(out);
    }

    /// The turn begins or is over: what nobody has told is told now, in words, for no line of a task stands for it. Gives
    /// the tasks that ended.
    pub fn settle(&mut self, out: &mut Out) -> Vec<TaskFields> {
        for (id, fields) in std::mem::take(&mut self.unseen) {
            let known = Known {
                tool_use_id: fields.tool_use_id.clone(),
                description: fields.description.clone(),
                in_set: true,
                ended: None,
            };
            self.open.insert(id, known);
            let text = format!(
                "{} runs in the background",
                name(fields.description.as_deref())
            );
            told("background_tasks_changed", text, &fields, out);
        }
        if self.open.values().all(|known| known.ended.is_none()) {
            return Vec::new();
        }
        let mut ended = Vec::new();
        let over = &mut self.over;
        self.open.retain(|id, known| match known.ended.take() {
            Some(fields) => {
                over.insert(id);
                ended.push(fields);
                false
            }
            None => true,
        });
        for fields in &ended {
            let task = name(fields.description.as_deref());
            let status = fields.status.as_deref().unwrap_or("over");
            let text = match &fields.error {
                Some(error) => format!("{task} has {status}: {error}"),
                None => format!("{task} has {status}"),
            };
            told("task_updated", text, fields, out);
        }
        ended
    }
}

fn told(kind: &str, text: String, fields: &TaskFields, out: &mut Out) {
    out.say(EventBody::Notice {
        kind: kind.to_owned(),
        text,
        data: serde_json::to_value(fields).unwrap_or_default(),
    });
}

fn name(description: Option<&str>) -> String {
    description.map_or("A task".to_owned(), |text| format!("Task “{text}”"))
}

fn changed(description: Option<&str>, patch: &TaskPatch<'_>) -> String {
    let task = name(description);
    match (patch.status.as_deref(), patch.is_backgrounded) {
        (Some("paused"), _) => format!("{task} is paused"),
        (Some("running"), _) => format!("{task} runs"),
        (Some("pending"), _) => format!("{task} waits to begin"),
        (Some(other), _) => format!("{task}: {}", other.replace('_', " ")),
        (None, Some(true)) => format!("{task} goes on in the background"),
        (None, Some(false)) => format!("{task} is in the foreground again"),
        (None, None) => format!("{task} has changed"),
    }
}
