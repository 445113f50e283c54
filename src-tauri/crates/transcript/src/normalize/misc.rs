//! Skills, messages between agents, schedules, worktrees and kin: a label, and what went in and came out.

use serde_json::{Value, json};

use super::ToolResult;
use super::input::text;
use crate::detail::{Misc, NormalizedPayload};

pub(super) fn start(name: &str, input: &Value) -> Option<NormalizedPayload> {
    if !input.is_object() {
        return None;
    }
    let misc = Misc {
        label: label(name, input),
        details: json!({ "input": input, "output": null }),
    };
    Some(NormalizedPayload::Misc { misc })
}

pub(super) fn finish(mut call: Misc, result: &ToolResult<'_>) -> Misc {
    if let Some(details) = call.details.as_object_mut() {
        details.insert("output".to_owned(), result.own().unwrap_or_default());
    }
    call
}

/// What the tool does, in words.
pub(super) fn label(name: &str, input: &Value) -> String {
    let (what, field) = match name {
        "Skill" => ("Skill", "skill"),
        "SendMessage" => ("Message to", "to"),
        "CronCreate" => ("Schedule", "cron"),
        "CronDelete" => ("Remove schedule", "id"),
        "CronList" => ("Schedules", ""),
        "EnterWorktree" => ("Enter worktree", "name"),
        "ExitWorktree" => ("Leave worktree:", "action"),
        "ListAgents" => ("Agents", ""),
        "ReportFindings" => ("Findings", ""),
        "ScheduleWakeup" => ("Wake up later:", "reason"),
        "TaskStop" => ("Stop task", "task_id"),
        "Workflow" => ("Workflow", "title"),
        "StructuredOutput" => ("Structured output", ""),
        _ => (name, ""),
    };
    match text(input, field).map(str::trim) {
        Some(detail) if !detail.is_empty() => format!("{what} {detail}"),
        _ => what.trim_end_matches(':').to_owned(),
    }
}
