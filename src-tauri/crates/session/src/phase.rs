//! What a session is doing, folded from its events: one state machine, fed by what every watcher sees.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use kandev_transcript::{EventBody, SessionState, TaskFields, ToolStatus};
use serde_json::Value;

use crate::Phase;

/// How far the process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// Being found, started or initialized.
    Starting,
    /// It answered `initialize`.
    Running,
    /// There is none, and that is as it should be.
    Stopped,
    /// There is none, and somebody should look.
    Failed,
}

/// What the events of the running process say, as far as the phase depends on it.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    turn: bool,
    /// Open calls of the main thread and their tools, in order.
    tools: IndexMap<String, String>,
    /// The tasks of calls that run, by the call's id.
    of_calls: BTreeMap<String, String>,
    /// Tasks that outlive their turn.
    tasks: BTreeSet<String>,
    doing: Doing,
}

/// What the main thread said last, within a turn.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Doing {
    #[default]
    Thinking,
    Streaming,
    RateLimited,
    Retrying,
    Compacting,
}

/// What a turn waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Waits {
    Model,
    Tool {
        name: String,
        call: String,
        task: Option<String>,
    },
    /// A subagent's, in the foreground.
    Task {
        call: String,
        task: Option<String>,
    },
    Retry,
    RateLimit,
    Compaction,
}

impl Activity {
    /// A prompt was written. The CLI has not said a word of it yet.
    pub(crate) fn prompted(&mut self) {
        if !self.turn {
            self.turn = true;
            self.doing = Doing::Thinking;
        }
    }

    /// Whether a turn is on.
    pub(crate) fn turn(&self) -> bool {
        self.turn
    }

    /// Whether tasks run that outlive their turn.
    pub(crate) fn tasks(&self) -> bool {
        !self.tasks.is_empty()
    }

    /// The level that the CLI tells of: these tasks run, and no others.
    pub(crate) fn set_tasks(&mut self, ids: impl IntoIterator<Item = String>) {
        self.tasks = ids.into_iter().collect();
    }

    /// Follows the journal; `subagent` says that a subagent said it.
    pub(crate) fn observe(&mut self, body: &EventBody, subagent: bool) {
        match body {
            EventBody::SessionState { state } => match state {
                SessionState::Running | SessionState::RequiresAction => self.prompted(),
                SessionState::Idle | SessionState::Ended => self.end_turn(),
            },
            EventBody::Complete { .. } => self.end_turn(),
            EventBody::SessionEnded { .. } => *self = Self::default(),
            EventBody::MessageChunk { .. } if !subagent => self.doing = Doing::Streaming,
            EventBody::Reasoning { .. } if !subagent => self.doing = Doing::Thinking,
            EventBody::ToolCall(call) if !subagent => {
                self.tools
                    .insert(call.tool_call_id.clone(), call.tool_name.clone());
                self.doing = Doing::Thinking;
            }
            EventBody::ToolUpdate(call) if !subagent && call.tool_status != ToolStatus::Running => {
                self.tools.shift_remove(&call.tool_call_id);
                self.of_calls.remove(&call.tool_call_id);
                self.doing = Doing::Thinking;
            }
            EventBody::RateLimit { data, .. } => self.limited(data),
            EventBody::Notice { kind, data, .. } => self.notice(kind, data),
            EventBody::TaskStarted(task) => self.started(task),
            EventBody::TaskNotification(task) => {
                if let Some(id) = &task.task_id {
                    self.tasks.remove(id);
                }
            }
            _ => {}
        }
    }

    fn started(&mut self, task: &TaskFields) {
        if task.is_backgrounded == Some(true) && task.ambient != Some(true) {
            self.tasks.extend(task.task_id.clone());
        }
        if let (Some(call), Some(task)) = (&task.tool_use_id, &task.task_id) {
            self.of_calls.insert(call.clone(), task.clone());
        }
    }

    /// What keeps the turn that runs.
    pub(crate) fn waits(&self) -> Waits {
        match self.doing {
            Doing::Compacting => return Waits::Compaction,
            Doing::RateLimited => return Waits::RateLimit,
            Doing::Retrying => return Waits::Retry,
            Doing::Streaming | Doing::Thinking => {}
        }
        let Some((call, name)) = self.tools.last() else {
            return Waits::Model;
        };
        let (call, task) = (call.clone(), self.of_calls.get(call).cloned());
        match name.as_str() {
            "Agent" | "Task" => Waits::Task { call, task },
            _ => Waits::Tool {
                name: name.clone(),
                call,
                task,
            },
        }
    }

    fn end_turn(&mut self) {
        self.turn = false;
        self.tools.clear();
        self.of_calls.clear();
        self.doing = Doing::Thinking;
    }

    fn limited(&mut self, data: &Value) {
        let info = data.get("rate_limit_info").unwrap_or(data);
        match info.get("status").and_then(Value::as_str) {
            Some("rejected") => self.doing = Doing::RateLimited,
            _ if self.doing == Doing::RateLimited => self.doing = Doing::Thinking,
            _ => {}
        }
    }

    fn notice(&mut self, kind: &str, data: &Value) {
        let compacting = data.get("status").and_then(Value::as_str) == Some("compacting");
        match kind {
            "api_retry" => self.doing = Doing::Retrying,
            // Versions below 2.1.240 tell of a call that was moved to the background by this alone.
            "task_updated" if data["patch"]["is_backgrounded"] == true => {
                self.tasks
                    .extend(data["task_id"].as_str().map(str::to_owned));
            }
            "status" if compacting => self.doing = Doing::Compacting,
            "status" | "compact_boundary" if self.doing == Doing::Compacting => {
                self.doing = Doing::Thinking
            }
            _ => {}
        }
    }

    /// The phase, given the oldest open question: whether it is one of the user's to answer in words.
    pub(crate) fn phase(&self, life: Life, oldest_is_question: Option<bool>) -> Phase {
        match (life, oldest_is_question) {
            (Life::Starting, _) => Phase::Starting,
            (Life::Stopped, _) => Phase::Stopped,
            (Life::Failed, _) => Phase::Failed,
            (Life::Running, Some(true)) => Phase::Question,
            (Life::Running, Some(false)) => Phase::Approval,
            (Life::Running, None) => self.running(),
        }
    }

    fn running(&self) -> Phase {
        match self.doing {
            // Compaction can be asked for between turns.
            Doing::Compacting => Phase::Compacting,
            _ if !self.turn && self.tasks() => Phase::Background,
            _ if !self.turn => Phase::Idle,
            Doing::RateLimited => Phase::RateLimited,
            Doing::Retrying => Phase::Retrying,
            Doing::Streaming => Phase::Streaming,
            Doing::Thinking if self.tools.is_empty() => Phase::Thinking,
            Doing::Thinking => Phase::Tool,
        }
    }
}
