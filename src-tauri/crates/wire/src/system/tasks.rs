//! Work beside the main thread: subagents, background commands, workflows (PROTOCOL 8).

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Number;

use crate::lenient;

/// What the state machine needs of the task messages; events carry all fields.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Task<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub task_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub run_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub tool_use_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub description: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub task_type: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub subagent_type: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub parent_task_id: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::flag")]
    pub is_backgrounded: Option<bool>,
    /// It is no activity, such as a watcher that began by itself.
    #[serde(default, deserialize_with = "lenient::flag")]
    pub ambient: Option<bool>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub status: Option<Cow<'a, str>>,
    /// Of `task_updated` only.
    #[serde(default, borrow, deserialize_with = "lenient::object")]
    pub patch: Option<TaskPatch<'a>>,
}

/// What changed of a task; the rest is as it was.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct TaskPatch<'a> {
    /// `pending`, `running`, `paused`, `completed`, `failed` or `killed`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub status: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub description: Option<Cow<'a, str>>,
    /// Milliseconds since the Unix epoch.
    #[serde(default, deserialize_with = "lenient::number")]
    pub end_time: Option<Number>,
    /// Milliseconds.
    #[serde(default, deserialize_with = "lenient::number")]
    pub total_paused_ms: Option<Number>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub error: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::flag")]
    pub is_backgrounded: Option<bool>,
}

/// The background tasks that run now; the whole set each time.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct BackgroundTasks<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::objects")]
    pub tasks: Vec<Task<'a>>,
}
