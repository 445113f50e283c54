//! Requests about what runs in the background.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Done, answer, request};

/// Also fine for an unknown id, except in versions up to 2.1.150.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StopTask {
    pub task_id: String,
}
request!(StopTask = "stop_task" -> Done);

/// Moves what runs in the foreground to the background: one call's, or all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BackgroundTasks {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
}
request!(BackgroundTasks = "background_tasks" -> Done);

/// The last 8 KiB of a shell task's output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GetTaskOutput {
    pub task_id: String,
}
request!(GetTaskOutput = "get_task_output" -> TaskOutput);

answer! {
    TaskOutput as "snake_case" {
        output: Option<String>,
        /// Of the whole.
        total_bytes: Option<u64>,
        truncated: Option<bool>,
    }
}
