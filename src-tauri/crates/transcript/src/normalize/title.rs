//! What a row says of a call in one line.

use serde_json::Value;

use super::input::text;
use super::{mcp, misc};

/// Characters; longer ones are cut.
const LENGTH: usize = 200;

pub(super) fn title(name: &str, input: &Value) -> String {
    let titled = one_line(&words(name, input));
    match (titled.is_empty(), name.trim()) {
        (false, _) => titled,
        (true, "") => "Tool".to_owned(),
        (true, name) => name.to_owned(),
    }
}

fn words(name: &str, input: &Value) -> String {
    let with = |what: &str, field: &str| match text(input, field) {
        Some(detail) if !detail.trim().is_empty() => format!("{what} {detail}"),
        _ => what.to_owned(),
    };
    let alone = |field: &str| text(input, field).unwrap_or_default().to_owned();
    match name {
        "Read" | "Write" | "Edit" | "MultiEdit" => with(name, "file_path"),
        "NotebookRead" => with("Read", "notebook_path"),
        "NotebookEdit" => with("Edit", "notebook_path"),
        "Bash" => alone("command"),
        "BashOutput" => with("Output of", "bash_id"),
        "KillShell" => with("Stop", "shell_id"),
        "Monitor" => match text(input, "description") {
            Some(description) => description.to_owned(),
            None => with("Monitor", "command"),
        },
        "Glob" => with("Find", "pattern"),
        "Grep" => with("Search", "pattern"),
        "LS" => with("List", "path"),
        "ToolSearch" => with("Find tools", "query"),
        "WebFetch" => with("Fetch", "url"),
        "WebSearch" => with("Search the web:", "query"),
        "Agent" | "Task" => match text(input, "description") {
            Some(description) => description.to_owned(),
            None => alone("prompt"),
        },
        "TaskCreate" => with("Create task:", "subject"),
        "TaskUpdate" => match text(input, "status") {
            Some(status) => format!("{}: {}", with("Task", "taskId"), status.replace('_', " ")),
            None => with("Update task", "taskId"),
        },
        "TaskGet" => with("Task", "taskId"),
        "TaskList" => "Tasks".to_owned(),
        "TodoWrite" => match input.get("todos").and_then(Value::as_array).map(Vec::len) {
            Some(1) => "Write 1 todo".to_owned(),
            Some(count) => format!("Write {count} todos"),
            None => "Write todos".to_owned(),
        },
        "EnterPlanMode" => "Plan first".to_owned(),
        "ExitPlanMode" => "Plan".to_owned(),
        "AskUserQuestion" => question(input).unwrap_or("Question").to_owned(),
        _ => match mcp::name_parts(name) {
            Some((server, tool)) => format!("{server}: {tool}"),
            None => misc::label(name, input),
        },
    }
}

/// The first question; the row shows the others.
fn question(input: &Value) -> Option<&str> {
    text(input.get("questions")?.get(0)?, "question")
}

/// The first line that says something, cut to what fits a row.
fn one_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    match line.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}
