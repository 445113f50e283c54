//! The table of the protocol, held against what the code does with a line of each row.

use kandev_wire::{Shown, protocol};
use serde_json::{Value, json};

use crate::say::{Talk, answer, asks, begins, delta, result, text, uses};

/// A line, between those that it needs around it.
struct Sample {
    before: Vec<Value>,
    line: Value,
    after: Vec<Value>,
}

fn alone(line: Value) -> Sample {
    Sample {
        before: vec![],
        line,
        after: vec![],
    }
}

fn after(before: Value, line: Value) -> Sample {
    Sample {
        before: vec![before],
        ..alone(line)
    }
}

fn system(subtype: &str, fields: Value) -> Value {
    let mut line = json!({ "type": "system", "subtype": subtype, "session_id": "s", "uuid": format!("u-{subtype}") });
    line.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    line
}

fn task(fields: Value) -> Value {
    let mut task = json!({ "task_id": "k", "run_id": "n", "tool_use_id": "t", "description": "Count", "task_type": "local_agent" });
    task.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    task
}

fn typed(kind: &str, mut line: Value) -> Value {
    line["type"] = json!(kind);
    line.as_object_mut().unwrap().remove("subtype");
    line
}

/// A line of every row.
fn sample(kind: &str, subtype: Option<&str>) -> Sample {
    let init = json!({ "cwd": "/p", "model": "m", "permissionMode": "default", "tools": [], "mcp_servers": [] });
    let hook = json!({ "hook_id": "h", "hook_name": "Stop", "hook_event": "Stop", "output": "o", "stdout": "o", "stderr": "", "outcome": "success", "exit_code": 0 });
    let refusal = json!({ "original_model": "a", "fallback_model": "b", "direction": "retry", "content": "" });
    match (kind, subtype) {
        ("system", Some("init")) => alone(system("init", init)),
        ("system", Some("status")) => after(
            system("init", init),
            system(
                "status",
                json!({ "status": null, "permissionMode": "plan" }),
            ),
        ),
        ("system", Some("session_state_changed")) => alone(system(
            "session_state_changed",
            json!({ "state": "running" }),
        )),
        ("system", Some("session_title_changed")) => {
            alone(system("session_title_changed", json!({ "title": "Title" })))
        }
        ("system", Some("commands_changed")) => alone(system(
            "commands_changed",
            json!({ "commands": [{ "name": "x" }] }),
        )),
        ("system", Some(hooks @ ("hook_started" | "hook_progress" | "hook_response"))) => {
            alone(system(hooks, hook))
        }
        ("system", Some(refused @ ("model_refusal_fallback" | "model_refusal_no_fallback"))) => {
            alone(system(refused, refusal))
        }
        ("system", Some("local_command_output")) => alone(system(
            "local_command_output",
            json!({ "content": "printed" }),
        )),
        ("system", Some("control_request_progress")) => alone(system(
            "control_request_progress",
            json!({ "request_id": "r", "status": "api_retry", "attempt": 1, "max_retries": 3, "retry_delay_ms": 500 }),
        )),
        ("system", Some(started @ "task_started")) | (started @ "task_started", None) => alone(
            typed_or(kind, started, task(json!({ "is_backgrounded": true }))),
        ),
        ("system", Some(progress @ "task_progress")) | (progress @ "task_progress", None) => alone(
            typed_or(kind, progress, task(json!({ "last_tool_name": "Read" }))),
        ),
        ("system", Some(over @ "task_notification")) | (over @ "task_notification", None) => {
            alone(typed_or(
                kind,
                over,
                task(json!({ "status": "completed", "summary": "s" })),
            ))
        }
        ("system", Some(updated @ "task_updated")) | (updated @ "task_updated", None) => Sample {
            before: vec![system("task_started", task(json!({})))],
            line: typed_or(
                kind,
                updated,
                json!({ "task_id": "k", "patch": { "status": "killed" } }),
            ),
            after: vec![result(false)],
        },
        ("system", Some(set @ "background_tasks_changed"))
        | (set @ "background_tasks_changed", None) => Sample {
            after: vec![result(false)],
            ..alone(typed_or(kind, set, json!({ "tasks": [task(json!({}))] })))
        },
        ("system", Some(other)) => alone(system(other, json!({ "content": "" }))),
        ("assistant", None) => alone(text("m", "words")),
        ("user", None) => after(
            uses("t"),
            json!({ "type": "user", "message": { "content": [{ "type": "tool_result", "tool_use_id": "t", "content": "x" }] } }),
        ),
        ("result", None) => alone(result(false)),
        ("stream_event", None) => after(begins("m"), delta("par")),
        ("rate_limit" | "rate_limit_event", None) => {
            alone(json!({ "type": kind, "rate_limit_info": { "status": "allowed" } }))
        }
        ("tool_progress", None) => after(
            uses("t"),
            json!({ "type": "tool_progress", "tool_use_id": "t", "elapsed_time_seconds": 30 }),
        ),
        ("control_request", None) => alone(asks("q", "t")),
        ("control_response", None) => alone(answer(
            "i",
            json!({ "commands": [{ "name": "x" }], "models": [] }),
        )),
        ("control_cancel_request", None) => after(
            asks("q", "t"),
            json!({ "type": "control_cancel_request", "request_id": "q" }),
        ),
        (other, None) => alone(json!({ "type": other, "session_id": "s", "uuid": "u" })),
        (other, Some(subtype)) => panic!("{other}/{subtype}: only system has subtypes"),
    }
}

/// The line as `system`, or in the older form with its subtype as its type.
fn typed_or(kind: &str, subtype: &str, fields: Value) -> Value {
    let line = system(subtype, fields);
    if kind == "system" {
        line
    } else {
        typed(subtype, line)
    }
}

fn play(lines: impl IntoIterator<Item = Value>) -> Vec<Value> {
    lines.into_iter().fold(Talk::live(), Talk::cli).told()
}

/// What the line adds to the events of those around it.
fn added(sample: Sample) -> Vec<Value> {
    let Sample {
        before,
        line,
        after,
    } = sample;
    let mut without = play(before.iter().chain(&after).cloned());
    let with = play(before.into_iter().chain([line]).chain(after));
    let news = |event: &Value| match without.iter().position(|known| known == event) {
        Some(place) => {
            without.remove(place);
            false
        }
        None => true,
    };
    let added = with.into_iter().filter(news).collect();
    assert_eq!(without, [Value::Null; 0], "the line took something away");
    added
}

fn holds(what: &str, shown: Shown, shown_as: Option<&str>, events: &[Value]) {
    let kind = what.rsplit('/').next().unwrap();
    assert!(
        events.iter().all(|event| event["type"] != "unrecognized"),
        "{what}: {events:?}"
    );
    match shown {
        Shown::Quiet => assert_eq!(events, [Value::Null; 0], "{what}"),
        Shown::Event => assert!(
            events
                .iter()
                .any(|event| event["type"] == shown_as.unwrap()),
            "{what}: {events:?}"
        ),
        Shown::Notice => {
            let told = |event: &&Value| event["type"] == "notice" && event["kind"] == kind;
            let told: Vec<&Value> = events.iter().filter(told).collect();
            let [notice] = told[..] else {
                panic!("{what}: {events:?}")
            };
            let text = notice["text"].as_str().unwrap();
            assert!(!text.trim().is_empty(), "{what}");
            let first = text.chars().next().unwrap();
            assert!(
                !first.is_lowercase() && !text.contains('_'),
                "{what}: {text}"
            );
        }
    }
}

#[test]
fn every_message_is_shown_as_the_table_says() {
    for row in &protocol().messages {
        let sample = sample(&row.kind, row.subtype.as_deref());
        let what = match &row.subtype {
            Some(subtype) => format!("{}/{subtype}", row.kind),
            None => row.kind.clone(),
        };
        holds(&what, row.shown, row.shown_as.as_deref(), &added(sample));
    }
}

#[test]
fn every_question_is_shown_as_the_table_says() {
    for row in &protocol().from_cli {
        let request = json!({ "subtype": row.subtype, "tool_name": "Bash", "input": {}, "message": "Which?" });
        let line = json!({ "type": "control_request", "request_id": "q", "request": request });
        let events = added(alone(line));
        holds(&row.subtype, row.shown, row.shown_as.as_deref(), &events);
    }
}

/// A line without any of its fields is still what it is.
#[test]
fn no_row_needs_its_fields() {
    for row in &protocol().messages {
        // The last two say something of a task, and speak only where nothing else does.
        let needs = [
            "assistant",
            "user",
            "control_request",
            "task_updated",
            "background_tasks_changed",
        ];
        if needs.contains(&row.subtype.as_ref().unwrap_or(&row.kind).as_str()) {
            continue;
        }
        let line = match &row.subtype {
            Some(subtype) => json!({ "type": row.kind, "subtype": subtype }),
            None => json!({ "type": row.kind }),
        };
        let events = added(alone(line.clone()));
        match row.shown {
            Shown::Event => assert!(
                events.iter().all(|event| event["type"] != "unrecognized"),
                "{line}: {events:?}"
            ),
            shown => holds(
                row.subtype.as_deref().unwrap_or(&row.kind),
                shown,
                None,
                &events,
            ),
        }
    }
}

#[test]
fn what_is_in_no_row_is_unrecognized() {
    for line in [
        json!({ "type": "brand_new", "session_id": "s" }),
        json!({ "type": "system", "subtype": "brand_new", "session_id": "s" }),
        json!({ "type": "system", "session_id": "s" }),
        json!({ "type": "control_request", "request_id": "q", "request": { "subtype": "brand_new" } }),
        json!({ "type": "control_request", "request": { "subtype": "can_use_tool", "tool_name": "Bash" } }),
    ] {
        let [event] = &added(alone(line.clone()))[..] else {
            panic!("{line}")
        };
        assert_eq!(event["raw"], line.to_string());
    }
}
