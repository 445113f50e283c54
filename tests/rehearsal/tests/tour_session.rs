//! The tour as a session: modes, rules, hooks, interrupts, further prompts.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use support::tour::{allow_and_answer, finish, read, start};
use support::{Host, allow};

#[test]
fn a_suggestion_that_was_taken_is_not_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = start(folder.path(), &[]);
    host.prompt("Hello");
    host.turn(|request| {
        let mut answer = allow_and_answer(request);
        if request["tool_name"] == "Bash" || request["tool_name"] == "Edit" {
            answer["updatedPermissions"] = json!([request["permission_suggestions"][0]]);
        }
        answer
    });
    let asked = |tool: &str, field: &str, value: &str| {
        host.asked()
            .iter()
            .filter(|request| request["tool_name"] == tool && request["input"][field] == value)
            .count()
    };
    assert_eq!(asked("Bash", "command", "npm test"), 1);
    assert_eq!(
        host.asked()
            .iter()
            .filter(|request| request["tool_name"] == "Edit")
            .count(),
        1,
        "edits are accepted from now on"
    );
    assert!(
        host.said
            .iter()
            .any(|line| line["permissionMode"] == "acceptEdits" && line["subtype"] == "status")
    );
    finish(host);
}

#[test]
fn modes_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = start(folder.path(), &["--permission-mode", "bypassPermissions"]);
    host.prompt("Hello");
    host.turn(allow_and_answer);
    let asked: BTreeSet<&str> = host
        .asked()
        .iter()
        .map(|request| request["tool_name"].as_str().unwrap())
        .collect();
    assert_eq!(asked, ["AskUserQuestion", "ExitPlanMode"].into());
    finish(host);

    let folder = tempfile::tempdir().unwrap();
    let mut host = start(folder.path(), &["--permission-mode", "dontAsk"]);
    host.prompt("edit");
    let result = host.turn(allow);
    assert!(host.asked().is_empty());
    assert!(!result["permission_denials"].as_array().unwrap().is_empty());
    assert!(
        host.said
            .iter()
            .any(|line| line["subtype"] == "permission_denied")
    );
    finish(host);
}

#[test]
fn hooks_of_the_host_are_heard() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Host::start_in(
        folder.path(),
        &["--speed", "max"],
        &[("KANDEV_REHEARSAL_DIR", folder.path().to_str().unwrap())],
    );
    let hooks = json!({
        "PreToolUse": [{"matcher": "^(?!(Glob|Grep|Read)$).+$", "hookCallbackIds": ["pre"]}],
        "Stop": [{"hookCallbackIds": ["stop"]}],
    });
    host.request("init", &json!({"subtype": "initialize", "hooks": hooks}));
    host.until(|line| line["type"] == "control_response");
    host.prompt("search");
    host.turn(|request| match request["callback_id"].as_str() {
        Some("stop") => json!({}),
        _ => panic!("no hook for {request}"),
    });
    host.prompt("image");
    host.turn(|_| json!({}));
    host.prompt("bash");
    let mut blocked = false;
    host.turn(|request| match request["callback_id"].as_str() {
        Some("stop") if !blocked => {
            blocked = true;
            json!({"decision": "block", "reason": "There are uncommitted changes."})
        }
        Some("stop") => json!({}),
        Some(_) => json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "supervised"}}),
        None => allow(request),
    });
    let asked: Vec<&Value> = host
        .asked()
        .into_iter()
        .filter(|request| request["subtype"] == "can_use_tool")
        .collect();
    assert_eq!(
        asked.len(),
        2,
        "the second command is asked about only because of the hook"
    );
    assert!(
        asked
            .iter()
            .all(|request| request["decision_reason_type"] == "hook")
    );
    assert!(
        host.said
            .iter()
            .any(|line| line["message"]["content"][0]["text"]
                == "Stop hook feedback:\nThere are uncommitted changes.")
    );
    finish(host);
}

#[test]
fn an_interrupt_ends_the_turn_and_the_next_prompt_works() {
    let folder = tempfile::tempdir().unwrap();
    let marked = folder.path().to_str().unwrap();
    let mut host = Host::start_in(
        folder.path(),
        &["--speed", "real"],
        &[("KANDEV_REHEARSAL_DIR", marked)],
    );
    host.initialize();
    host.prompt("Hello");
    host.until(|line| line["event"]["delta"]["type"] == "text_delta");
    host.request("stop", &json!({"subtype": "interrupt"}));
    let result = host.until(|line| line["type"] == "result");
    assert_eq!(result["terminal_reason"], "aborted_streaming");
    host.prompt("edit");
    host.until(|line| line["request"]["tool_name"] == "Edit");
    host.request("again", &json!({"subtype": "interrupt"}));
    host.until(|line| line["type"] == "control_cancel_request");
    let result = host.until(|line| line["type"] == "result");
    assert_eq!(result["terminal_reason"], "aborted_tools");
    host.prompt("image");
    assert_eq!(host.turn(allow)["is_error"], false);
    finish(host);
}

#[test]
fn further_prompts_get_a_short_answer_or_a_chapter() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = start(folder.path(), &["--replay-user-messages"]);
    host.send(&json!({"type": "user", "uuid": "00000000-0000-4000-8000-000000000001", "message": {"role": "user", "content": [{"type": "text", "text": "todo"}]}}));
    let result = host.turn(allow);
    assert_eq!(
        result["user_message_uuid"],
        "00000000-0000-4000-8000-000000000001"
    );
    assert!(
        host.said.iter().any(|line| line["isReplay"] == true
            && line["uuid"] == "00000000-0000-4000-8000-000000000001")
    );
    let states: Vec<&str> = host
        .said
        .iter()
        .filter_map(|line| line["state"].as_str())
        .collect();
    assert_eq!(states, ["queued", "started"]);
    host.prompt("What is the time?");
    assert!(
        host.turn(allow)["result"]
            .as_str()
            .unwrap()
            .contains("rehearsal")
    );
    host.prompt("error");
    let result = host.turn(allow);
    assert_eq!(
        (
            &result["subtype"],
            &result["is_error"],
            &result["api_error_status"]
        ),
        (&json!("success"), &json!(true), &json!(500))
    );
    let (_, code) = finish(host);
    assert_eq!(code, Some(1));
}

#[test]
fn a_host_that_leaves_has_its_question_answered_with_no() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = start(folder.path(), &[]);
    host.prompt("edit");
    host.until(|line| line["request"]["tool_name"] == "Edit");
    let (said, code) = finish(host);
    assert_eq!(code, Some(0));
    assert!(read(folder.path(), "src/tides.ts").contains("sameDay"));
    assert!(said.iter().any(|line| line["type"] == "result"));
}

#[test]
fn a_background_job_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let marked = folder.path().to_str().unwrap();
    let mut host = Host::start_in(
        folder.path(),
        &["--speed", "real"],
        &[("KANDEV_REHEARSAL_DIR", marked)],
    );
    host.initialize();
    host.prompt("background");
    host.turn(allow);
    let started: Vec<String> = host
        .said
        .iter()
        .filter(|line| line["subtype"] == "task_started")
        .map(|line| line["task_id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(started.len(), 2);
    for (number, task) in started.iter().enumerate() {
        let id = format!("stop-{number}");
        host.request(&id, &json!({"subtype": "stop_task", "task_id": task}));
        let stopped = host.until(|line| line["subtype"] == "task_notification");
        assert_eq!(
            (&stopped["task_id"], &stopped["status"]),
            (&json!(task), &json!("stopped"))
        );
        host.until(|line| line["response"]["request_id"] == id.as_str());
    }
    let (said, _) = finish(host);
    assert_eq!(
        said.iter().filter(|line| line["type"] == "result").count(),
        1,
        "no turn follows"
    );
}

#[test]
fn without_partial_messages_nothing_is_streamed() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_kandev-rehearsal"))
        .args(["--speed", "max"])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "image"}});
    std::io::Write::write_all(
        &mut child.stdin.take().unwrap(),
        format!("{prompt}\n").as_bytes(),
    )
    .unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("stream_event") && text.contains("\"assistant\""));
}

#[test]
fn the_version_is_told() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_kandev-rehearsal"))
        .arg("--version")
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "2.1.332 (Claude Code)\n"
    );
}
