//! What the CLI or a model may get wrong: nothing panics, nothing is lost.

use serde_json::{Value, json};

use super::super::{action_type, title};
use super::*;
use crate::event::ActionType;

const TOOLS: [&str; 41] = [
    "Read",
    "NotebookRead",
    "Edit",
    "MultiEdit",
    "Write",
    "NotebookEdit",
    "Bash",
    "BashOutput",
    "KillShell",
    "Monitor",
    "Glob",
    "Grep",
    "LS",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Agent",
    "Task",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "TaskGet",
    "TodoWrite",
    "ExitPlanMode",
    "EnterPlanMode",
    "AskUserQuestion",
    "Skill",
    "SendMessage",
    "CronCreate",
    "CronList",
    "CronDelete",
    "EnterWorktree",
    "ExitWorktree",
    "ListAgents",
    "ReportFindings",
    "ScheduleWakeup",
    "TaskStop",
    "Workflow",
    "StructuredOutput",
    "mcp__lab__echo",
    "Nobody",
];

/// Inputs of the right names and the wrong types.
fn odd_inputs() -> Vec<Value> {
    let fields = [
        "file_path",
        "notebook_path",
        "old_string",
        "new_string",
        "new_source",
        "edits",
        "content",
        "command",
        "bash_id",
        "shell_id",
        "pattern",
        "path",
        "query",
        "url",
        "prompt",
        "subject",
        "taskId",
        "todos",
        "plan",
        "questions",
    ];
    let all = |value: Value| {
        Value::Object(
            fields
                .iter()
                .map(|f| ((*f).to_owned(), value.clone()))
                .collect(),
        )
    };
    let values = [
        json!(5),
        json!(true),
        json!([]),
        json!({}),
        json!([null]),
        json!("text"),
        Value::Null,
    ];
    let plain = [
        Value::Null,
        json!("no object"),
        json!([1]),
        json!({}),
        json!(7),
    ];
    plain
        .into_iter()
        .chain(values.into_iter().map(all))
        .collect()
}

#[test]
fn no_input_and_no_result_breaks_a_normalizer() {
    let values = [
        Value::Null,
        json!(5),
        json!("text"),
        json!([1]),
        json!([{ "type": "text" }, 7, null]),
        json!({}),
        json!({ "stdout": 5, "file": [], "type": 1, "filenames": {}, "structuredPatch": [{}], "task": [], "tasks": 1 }),
    ];
    let mut results = vec![Back {
        content: None,
        own: None,
        is_error: false,
    }];
    for content in &values[..5] {
        for own in &values {
            results.push(back(content.clone(), own.clone()));
        }
        results.push(Back {
            is_error: true,
            ..back(content.clone(), content.clone())
        });
    }
    for name in TOOLS {
        for input in odd_inputs() {
            assert!(!title(name, &input).trim().is_empty(), "{name} {input}");
            let payloads = [
                start(name, &input),
                proposed(name, &input, &Disk(Some("text\n"))),
            ];
            for result in &results {
                for payload in &payloads {
                    shown(ended(payload.clone(), name, result));
                }
            }
        }
    }
}

#[test]
fn an_input_that_cannot_be_read_is_shown_as_it_came_with_its_error() {
    for (name, input) in [
        ("Edit", json!({ "file_path": "/p/a.rs", "old_string": 5 })),
        (
            "Read",
            json!({ "__unparsedToolInput": { "raw": "{\"file_path\":", "len": 13 } }),
        ),
        ("Bash", json!("no object")),
        ("Bash", json!({ "command": "x", "timeout": "soon" })),
        ("TodoWrite", json!({ "todos": "none" })),
        (
            "ExitPlanMode",
            json!({ "__unparsedToolInput": { "raw": "", "len": 0 } }),
        ),
        ("mcp__nothing", json!({})),
    ] {
        let refused = "<tool_use_error>InputValidationError: no</tool_use_error>";
        assert_eq!(
            after(name, input.clone(), &failed(refused)),
            json!({ "generic": { "name": name, "input": input, "output": "InputValidationError: no" } })
        );
    }
}

#[test]
fn the_reason_of_every_failure_is_in_the_detail() {
    let input = json!({ "file_path": "/p/a", "notebook_path": "/p/a", "old_string": "a", "new_string": "b", "new_source": "c",
        "edits": [], "content": "x", "command": "c", "bash_id": "b", "shell_id": "b", "pattern": "p", "query": "q", "url": "u",
        "prompt": "p", "subject": "s", "taskId": "1", "todos": [], "plan": "p", "questions": [] });
    for name in TOOLS {
        for input in [input.clone(), json!({})] {
            let detail = after(name, input, &failed("because of this")).to_string();
            assert!(detail.contains("because of this"), "{name}: {detail}");
        }
    }
}

#[test]
fn switches_may_be_written_as_words() {
    let input = json!({ "command": "c", "run_in_background": "true" });
    assert_eq!(before("Bash", input)["shell_exec"]["background"], true);
}

#[test]
fn titles_are_one_line_and_name_the_thing() {
    for (name, input, want) in [
        ("Read", json!({ "file_path": "/p/a.rs" }), "Read /p/a.rs"),
        (
            "Bash",
            json!({ "command": "\n  cargo test \\\n  --all" }),
            "cargo test \\",
        ),
        ("Bash", json!({ "command": " " }), "Bash"),
        (
            "Agent",
            json!({ "description": "Count", "prompt": "p" }),
            "Count",
        ),
        (
            "TaskUpdate",
            json!({ "taskId": "1", "status": "in_progress" }),
            "Task 1: in progress",
        ),
        ("TodoWrite", json!({ "todos": [1, 2] }), "Write 2 todos"),
        (
            "AskUserQuestion",
            json!({ "questions": [{ "question": "Which?" }] }),
            "Which?",
        ),
        ("mcp__lab__echo", json!({}), "lab: echo"),
        ("Nobody", json!({}), "Nobody"),
        ("", json!({}), "Tool"),
    ] {
        assert_eq!(title(name, &input), want);
    }
    let long = "é".repeat(500);
    assert_eq!(
        title("Bash", &json!({ "command": long })).chars().count(),
        201
    );
}

#[test]
fn permissions_are_told_apart_by_what_the_tool_touches() {
    for (name, want) in [
        ("Bash", ActionType::Command),
        ("NotebookEdit", ActionType::FileWrite),
        ("Grep", ActionType::FileRead),
        ("WebFetch", ActionType::Network),
        ("mcp__lab__echo", ActionType::McpTool),
        ("ExitPlanMode", ActionType::Plan),
        ("AskUserQuestion", ActionType::Question),
        ("Bashful", ActionType::Other),
        ("Agent", ActionType::Other),
    ] {
        assert_eq!(action_type(name), want, "{name}");
    }
}
