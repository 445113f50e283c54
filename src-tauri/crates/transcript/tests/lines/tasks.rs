use serde_json::{Value, json};

use crate::say::{Talk, result, result_of, uses, uses_under};

fn system(subtype: &str, fields: Value) -> Value {
    let mut line = json!({ "type": "system", "subtype": subtype });
    line.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    line
}

fn started() -> Value {
    system(
        "task_started",
        json!({ "task_id": "k", "tool_use_id": "t", "description": "Count", "is_backgrounded": true }),
    )
}

fn updated(patch: Value) -> Value {
    system(
        "task_updated",
        json!({ "task_id": "k", "run_id": "n", "patch": patch }),
    )
}

fn set(ids: &[&str]) -> Value {
    let tasks: Vec<Value> = ids
        .iter()
        .map(|id| json!({ "task_id": id, "description": "Count", "task_type": "local_bash" }))
        .collect();
    system("background_tasks_changed", json!({ "tasks": tasks }))
}

/// Of how many tasks it is said that they began, went on or ended, by events of their own.
fn of_tasks(talk: &Talk) -> usize {
    ["task_started", "task_progress", "task_notification"]
        .iter()
        .map(|kind| talk.of_type(kind).len())
        .sum()
}

#[test]
fn an_end_without_a_notification_is_told_in_words_when_the_turn_or_the_session_is_over() {
    let ended = || {
        Talk::plain()
            .cli(started())
            .cli(updated(json!({ "status": "killed", "error": "no room" })))
    };
    for talk in [ended().cli(result(false)), ended().over()] {
        assert_eq!(of_tasks(&talk), 1);
        assert_eq!(
            talk.notices("task_updated"),
            [
                json!({ "task_id": "k", "run_id": "n", "tool_use_id": "t", "description": "Count", "status": "stopped", "error": "no room" })
            ]
        );
    }
}

#[test]
fn a_notification_that_comes_behind_the_turn_is_still_the_task_s_own() {
    let talk = Talk::plain()
        .cli(started())
        .cli(updated(json!({ "status": "killed" })))
        .cli(result(false))
        .cli(system(
            "task_notification",
            json!({ "task_id": "k", "tool_use_id": "t", "status": "stopped" }),
        ));
    assert_eq!(talk.of_type("task_notification").len(), 1);
}

#[test]
fn a_notification_that_comes_is_the_only_one_and_says_why() {
    let talk = Talk::plain()
        .cli(started())
        .cli(updated(json!({ "status": "failed", "error": "no room" })))
        .cli(system(
            "task_notification",
            json!({ "task_id": "k", "tool_use_id": "t", "status": "failed" }),
        ))
        .cli(updated(json!({ "status": "failed" })))
        .cli(set(&[]))
        .cli(result(false))
        .over();
    let over = talk.of_type("task_notification");
    assert_eq!(over.len(), 1);
    assert_eq!(over[0]["error"], "no room");
}

#[test]
fn a_task_that_runs_once_more_is_followed_as_it_was_the_first_time() {
    let over = |fields: Value| {
        let mut line = system("task_notification", fields);
        line["task_id"] = json!("k");
        line
    };
    let talk = Talk::plain()
        .cli(started())
        .cli(over(json!({ "run_id": "n", "status": "completed" })))
        .cli(updated(json!({ "status": "paused" })))
        .cli(started())
        .cli(updated(json!({ "status": "paused" })))
        .cli(updated(json!({ "status": "failed", "error": "no room" })))
        .cli(over(json!({ "run_id": "o", "status": "failed" })));
    assert_eq!(talk.notices("task_updated").len(), 1);
    let ends = talk.of_type("task_notification");
    assert_eq!(ends.len(), 2);
    assert_eq!(ends[1]["error"], "no room");
}

/// Every field that the SDK declares of the three messages (0.3.332).
#[test]
fn a_task_message_keeps_all_its_fields() {
    let common = json!({ "task_id": "k", "run_id": "n", "tool_use_id": "t", "ambient": true });
    let of = |more: Value| {
        let mut fields = common.clone();
        let object = fields.as_object_mut().unwrap();
        object.extend(more.as_object().unwrap().clone());
        fields
    };
    let usage = json!({ "total_tokens": 1, "tool_uses": 2, "duration_ms": 3 });
    for (subtype, fields) in [
        (
            "task_started",
            of(
                json!({ "description": "d", "subagent_type": "Explore", "is_backgrounded": true, "spawn_depth": 2,
                "parent_task_id": "p", "task_type": "local_workflow", "workflow_name": "w", "prompt": "do", "skip_transcript": true }),
            ),
        ),
        (
            "task_progress",
            of(
                json!({ "description": "d", "subagent_type": "Explore", "usage": usage, "last_tool_name": "Read", "summary": "s",
                "workflow_progress": [{ "phase": "one" }] }),
            ),
        ),
        (
            "task_notification",
            of(
                json!({ "status": "stopped", "reason": "worker_restart", "output_file": "/o", "summary": "s", "usage": usage,
                "summary_is_report": true, "resource_links": [{ "type": "resource_link", "uri": "u" }], "skip_transcript": true }),
            ),
        ),
    ] {
        let talk = Talk::plain().cli(system(subtype, fields.clone()));
        let mut wanted = fields;
        wanted["type"] = json!(subtype);
        assert_eq!(talk.of_type(subtype), [wanted]);
    }
}

#[test]
fn a_change_of_a_running_task_is_told_in_words() {
    let talk = Talk::plain()
        .cli(started())
        .cli(updated(json!({ "is_backgrounded": true })))
        .cli(updated(json!({ "status": "paused" })));
    let texts: Vec<Value> = talk
        .of_type("notice")
        .iter()
        .map(|told| told["text"].clone())
        .collect();
    assert_eq!(
        texts,
        [
            "Task “Count” goes on in the background",
            "Task “Count” is paused"
        ]
    );
    assert_eq!(
        talk.notices("task_updated")[1],
        json!({ "task_id": "k", "tool_use_id": "t", "patch": { "status": "paused" } })
    );
}

#[test]
fn a_task_that_only_the_set_knows_is_told_of_in_words() {
    let talk = Talk::plain().cli(set(&["k"])).cli(result(false));
    let began = talk.notices("background_tasks_changed");
    assert_eq!(began.len(), 1);
    assert_eq!(
        (&began[0]["task_id"], &began[0]["is_backgrounded"]),
        (&json!("k"), &json!(true))
    );
    let talk = talk.cli(set(&[])).cli(result(false)).cli(result(false));
    let over = talk.notices("task_updated");
    assert_eq!(over.len(), 1);
    assert_eq!(
        (&over[0]["task_id"], &over[0]["status"]),
        (&json!("k"), &json!("stopped"))
    );
    assert_eq!(of_tasks(&talk), 0);
}

#[test]
fn a_task_that_begins_right_after_it_is_in_the_set_begins_once() {
    let talk = Talk::plain()
        .cli(set(&["k"]))
        .cli(started())
        .cli(set(&["k"]))
        .cli(result(false));
    assert_eq!(talk.of_type("task_started").len(), 1);
}

#[test]
fn the_calls_of_an_agent_end_with_it_however_its_end_is_told() {
    let mut launched = result_of("t", false);
    launched["tool_use_result"] = json!({ "isAsync": true });
    let talk = Talk::plain()
        .cli(uses("t"))
        .cli(started())
        .cli(launched)
        .cli(uses_under(json!("t"), "inner"))
        .cli(result(false))
        .cli(updated(json!({ "status": "killed" })))
        .cli(system("init", json!({})));
    assert_eq!(talk.said().last().map(String::as_str), Some("running"));
    assert!(
        talk.said().contains(&"inner error".to_owned()),
        "{:?}",
        talk.said()
    );
}
