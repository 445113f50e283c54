//! The tour over real pipes: what is shown, what is asked, what is written.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::{Host, allow, deny};

/// Starts the tour in a folder of the host's making.
fn start(folder: &Path, args: &[&str]) -> Host {
    let marked = folder.to_str().unwrap();
    let args = [&["--speed", "max"], args].concat();
    let mut host = Host::start_in(folder, &args, &[("KANDEV_REHEARSAL_DIR", marked)]);
    host.initialize();
    host
}

fn allow_and_answer(request: &Value) -> Value {
    let mut input = request["input"].clone();
    if request["tool_name"] == "AskUserQuestion" {
        input["answers"] = json!({
            "How should the next day be marked?": "The weekday",
            "What else belongs in this release?": "Low water too, JSON output",
        });
    }
    json!({"behavior": "allow", "updatedInput": input})
}

/// Plays the rest after stdin was closed and returns all that was said.
fn finish(mut host: Host) -> (Vec<Value>, Option<i32>) {
    host.close();
    while host.line().is_some() {}
    let said = std::mem::take(&mut host.said);
    (said, host.end().0.code())
}

fn blocks<'a>(said: &'a [Value], kind: &str, role: &str) -> Vec<&'a Value> {
    let lines = said.iter().filter(|line| line["type"] == role);
    let blocks = lines.flat_map(|line| line["message"]["content"].as_array().into_iter().flatten());
    blocks.filter(|block| block["type"] == kind).collect()
}

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap()
}

#[test]
fn the_tour_shows_every_kind_of_row_and_question() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = start(folder.path(), &[]);
    host.prompt("Hello");
    let result = host.turn(allow_and_answer);
    assert_eq!(
        (&result["is_error"], &result["permission_denials"]),
        (&json!(false), &json!([]))
    );
    let asked: BTreeSet<String> = host
        .asked()
        .iter()
        .map(|request| request["tool_name"].as_str().unwrap().to_owned())
        .collect();
    let expected = [
        "AskUserQuestion",
        "Bash",
        "Edit",
        "ExitPlanMode",
        "WebFetch",
        "Write",
        "mcp__almanac__moon_phase",
    ];
    assert_eq!(asked, expected.map(str::to_owned).into());
    assert!(
        host.asked()
            .iter()
            .any(|request| request["agent_id"].is_string()),
        "a subagent asks"
    );
    assert!(
        host.asked()
            .iter()
            .any(|request| request["permission_suggestions"]
                .as_array()
                .is_some_and(|all| all.len() > 1)),
        "suggestions"
    );

    let (said, code) = finish(host);
    let tools: BTreeSet<&str> = blocks(&said, "tool_use", "assistant")
        .iter()
        .map(|block| block["name"].as_str().unwrap())
        .collect();
    for tool in [
        "Read",
        "Edit",
        "Write",
        "Bash",
        "Glob",
        "Grep",
        "WebFetch",
        "WebSearch",
        "TaskCreate",
        "TaskUpdate",
        "Agent",
        "EnterPlanMode",
        "ExitPlanMode",
        "AskUserQuestion",
        "mcp__almanac__moon_phase",
        "Skill",
        "TideChart",
    ] {
        assert!(tools.contains(tool), "{tool} is not shown");
    }
    for subtype in [
        "api_retry",
        "compact_boundary",
        "task_started",
        "task_progress",
        "task_notification",
        "background_tasks_changed",
        "thinking_tokens",
    ] {
        assert!(
            said.iter().any(|line| line["subtype"] == subtype),
            "{subtype} is not said"
        );
    }
    assert!(said.iter().any(|line| line["type"] == "rate_limit_event"));
    assert!(said.iter().any(|line| line["type"] == "tool_progress"));
    assert!(!blocks(&said, "thinking", "assistant").is_empty());
    assert!(
        said.iter()
            .any(|line| line["tool_use_result"]["type"] == "image")
    );
    let results: Vec<bool> = said
        .iter()
        .filter(|line| line["type"] == "result")
        .map(|line| line["is_error"] == true)
        .collect();
    assert_eq!(
        results,
        [false, true, false],
        "the tour, a failed turn, a turn that works again"
    );
    assert_eq!(code, Some(0));
}

#[test]
fn every_call_has_one_result_and_every_text_one_line() {
    for decide in [allow_and_answer as fn(&Value) -> Value, deny] {
        let folder = tempfile::tempdir().unwrap();
        let mut host = start(folder.path(), &[]);
        host.prompt("Hello");
        host.turn(decide);
        let (said, _) = finish(host);
        let calls: Vec<&Value> = blocks(&said, "tool_use", "assistant")
            .iter()
            .map(|block| &block["id"])
            .collect();
        let mut results: Vec<&Value> = blocks(&said, "tool_result", "user")
            .iter()
            .map(|block| &block["tool_use_id"])
            .collect();
        for call in &calls {
            let at = results.iter().position(|result| result == call);
            results.remove(at.unwrap_or_else(|| panic!("no result for {call}")));
        }
        assert!(results.is_empty(), "results without a call: {results:?}");
        let main = |line: &&Value| {
            line["parent_tool_use_id"].is_null() && line["message"]["model"] != "<synthetic>"
        };
        let lines = said
            .iter()
            .filter(|line| line["type"] == "assistant")
            .filter(main);
        let told: String = lines
            .filter_map(|line| line["message"]["content"][0]["text"].as_str())
            .collect();
        let streamed: String = said
            .iter()
            .filter_map(|line| line["event"]["delta"]["text"].as_str())
            .collect();
        assert_eq!(streamed, told);
        let total: f64 = said
            .iter()
            .filter(|line| line["type"] == "result")
            .filter_map(|line| {
                line["model_usage_since_last_result"]
                    .as_object()
                    .map(|models| {
                        models
                            .values()
                            .filter_map(|model| model["costUSD"].as_f64())
                            .sum::<f64>()
                    })
            })
            .sum();
        let last = said.iter().rfind(|line| line["type"] == "result").unwrap();
        assert!((total - last["total_cost_usd"].as_f64().unwrap()).abs() < 1e-9);
    }
}

#[test]
fn what_is_allowed_is_written_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = start(folder.path(), &[]);
    host.prompt("Hello");
    host.turn(allow_and_answer);
    finish(host);
    assert!(!read(folder.path(), "src/tides.ts").contains("sameDay"));
    assert!(read(folder.path(), "src/format.ts").contains("padStart"));
    assert!(read(folder.path(), "test/midnight.test.ts").contains("midnight"));
    assert!(read(folder.path(), "package.json").contains("0.4.2"));
    assert!(read(folder.path(), ".claude/plans/next-release.md").contains("0.4.2"));
}

#[test]
fn what_is_denied_is_not_written_and_the_tour_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = start(folder.path(), &[]);
    let before = [
        read(folder.path(), "src/tides.ts"),
        read(folder.path(), "package.json"),
    ];
    host.prompt("Hello");
    let result = host.turn(deny);
    assert_eq!(result["is_error"], false);
    assert!(result["permission_denials"].as_array().unwrap().len() >= 6);
    assert!(result["result"].as_str().unwrap().contains("not fixed"));
    assert_eq!(
        [
            read(folder.path(), "src/tides.ts"),
            read(folder.path(), "package.json")
        ],
        before
    );
    assert!(!folder.path().join("test/midnight.test.ts").exists());
    let denied = blocks(&host.said, "tool_result", "user")
        .iter()
        .filter(|block| block["content"] == "Not now.")
        .count();
    assert_eq!(
        denied,
        result["permission_denials"].as_array().unwrap().len()
    );
    finish(host);
}

#[test]
fn a_changed_edit_is_written_as_changed() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = start(folder.path(), &[]);
    host.prompt("edit");
    host.turn(|request| {
        let mut input = request["input"].clone();
        if input["new_string"]
            .as_str()
            .is_some_and(|text| text.contains("station.events.find"))
        {
            input["new_string"] = json!("  return undefined; // mine\n");
        }
        json!({"behavior": "allow", "updatedInput": input})
    });
    assert!(read(folder.path(), "src/tides.ts").contains("return undefined; // mine"));
    let changed: Vec<&Value> = host
        .said
        .iter()
        .filter(|line| line["tool_use_result"]["userModified"] == true)
        .collect();
    assert_eq!(changed.len(), 1);
    assert!(
        changed[0]["tool_use_result"]["structuredPatch"][0]["lines"]
            .as_array()
            .unwrap()
            .contains(&json!("+  return undefined; // mine"))
    );
    finish(host);
}

#[test]
fn a_path_outside_is_refused_even_when_it_was_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let beside = tempfile::tempdir().unwrap();
    let target = beside.path().join("stolen.ts");
    let mut host = start(folder.path(), &[]);
    host.prompt("edit");
    host.turn(|request| {
        let mut input = request["input"].clone();
        input["file_path"] = json!(target);
        json!({"behavior": "allow", "updatedInput": input})
    });
    finish(host);
    assert!(!target.exists());
    assert!(read(folder.path(), "src/tides.ts").contains("sameDay"));
}

#[test]
fn without_a_folder_of_the_host_it_makes_one_and_removes_it() {
    let here = tempfile::tempdir().unwrap();
    let mut host = Host::start_in(here.path(), &["--speed", "max"], &[]);
    host.initialize();
    host.prompt("edit");
    let init = host.until(|line| line["subtype"] == "init");
    let folder = init["cwd"].as_str().unwrap().to_owned();
    host.turn(allow);
    assert!(read(Path::new(&folder), "src/tides.ts").contains("station.events.find"));
    finish(host);
    assert!(!Path::new(&folder).exists());
    assert_eq!(fs::read_dir(here.path()).unwrap().count(), 0);
}

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
