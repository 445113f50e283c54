//! Recorded conversations, played over real pipes.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::PathBuf;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use support::{Host, allow, recording, transcripts};

#[derive(serde::Deserialize)]
struct Entry<'a> {
    dir: String,
    #[serde(borrow)]
    line: &'a RawValue,
}

/// The recordings of a folder and of those in it.
fn recordings(folder: PathBuf) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(recordings(path));
        } else if path.extension().is_some_and(|ending| ending == "ndjson") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Plays one process with a host that does what the recorded host did, with request ids of its own.
fn follow(file: &str, process: usize, entries: &[Entry]) {
    let number = process.to_string();
    let mut host = Host::start(
        &["--recording", file, "--process", &number, "--speed", "max"],
        &[],
    );
    let mut renamed: Vec<(String, String)> = Vec::new();
    let mut code = None;
    let mut expected_errors = Vec::new();
    for entry in entries {
        let raw = entry.line.get();
        match entry.dir.as_str() {
            "out" => {
                let expected = renamed
                    .iter()
                    .fold(raw.to_owned(), |text, (was, now)| text.replace(was, now));
                let said = host
                    .raw()
                    .unwrap_or_else(|| panic!("{file}: ended before {expected}"));
                assert_eq!(String::from_utf8(said).unwrap(), expected, "{file}");
            }
            "in" => {
                let line: Value = serde_json::from_str(raw).unwrap_or_default();
                if let Some(text) = line["__raw__"].as_str() {
                    host.write(text.as_bytes());
                    continue;
                }
                let mut text = raw.to_owned();
                if line["type"] == "control_request"
                    && let Some(id) = line["request_id"].as_str()
                {
                    let (was, now) = (format!("\"{id}\""), format!("\"of-this-host-{id}\""));
                    text = text.replace(&was, &now);
                    renamed.push((was, now));
                }
                host.write(format!("{text}\n").as_bytes());
            }
            "host" => {
                let line: Value = serde_json::from_str(raw).unwrap();
                if line["stdin"] == "closed" || line["signal"].is_string() {
                    host.close();
                }
            }
            "stderr" => expected_errors.push(serde_json::from_str::<String>(raw).unwrap()),
            "exit" => {
                code = Some(
                    serde_json::from_str::<Value>(raw).unwrap()["code"]
                        .as_i64()
                        .unwrap(),
                );
                // A host can still write then; nobody reads it.
                break;
            }
            _ => {}
        }
    }
    host.close();
    let more = host.raw();
    assert_eq!(
        more.map(String::from_utf8),
        None,
        "{file}: said more than was recorded"
    );
    let (status, errors) = host.end();
    assert_eq!(
        errors.lines().map(str::to_owned).collect::<Vec<_>>(),
        expected_errors,
        "{file}"
    );
    let code = code.unwrap_or_else(|| panic!("{file}: no exit is recorded"));
    if code >= 0 {
        assert_eq!(status.code().map(i64::from), Some(code), "{file}");
    } else {
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&status).map(i64::from),
            Some(-code),
            "{file}"
        );
    }
}

#[test]
fn every_recording_is_played_word_for_word() {
    let all = recordings(transcripts());
    assert!(all.len() > 100, "only {} recordings", all.len());
    for file in all {
        let text = std::fs::read_to_string(&file).unwrap();
        let entries: Vec<Entry> = text
            .split('\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let mut starts: Vec<usize> = entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.dir == "meta")
            .map(|(at, _)| at)
            .collect();
        starts.push(entries.len());
        for (process, bounds) in starts.windows(2).enumerate() {
            follow(
                file.to_str().unwrap(),
                process,
                &entries[bounds[0]..bounds[1]],
            );
        }
    }
}

fn start(name: &str) -> Host {
    let mut host = Host::start(&["--recording", &recording(name), "--speed", "max"], &[]);
    host.initialize();
    host.prompt("Go on");
    host
}

fn tool_result<'a>(said: &'a [Value], call: &Value) -> &'a Value {
    let results: Vec<&Value> = said
        .iter()
        .filter(|line| {
            line["message"]["content"][0]["type"] == "tool_result"
                && &line["message"]["content"][0]["tool_use_id"] == call
        })
        .collect();
    assert_eq!(results.len(), 1, "one result for {call}");
    results[0]
}

#[test]
fn a_denial_where_the_recording_allowed_is_an_honest_denial() {
    for name in [
        "edit_allowed",
        "write_new",
        "bash_fail",
        "plan_file_approve",
        "ask_user_question",
        "mcp_stdio",
        "agent_foreground",
        "parallel_two_pending",
    ] {
        let mut host = start(name);
        let mut call = Value::Null;
        let result = host.turn(|request| {
            // Of several open questions the first denial decides.
            if call.is_null() {
                call = request["tool_use_id"].clone();
            }
            json!({"behavior": "deny", "message": "Rather not."})
        });
        let denied = tool_result(&host.said, &call);
        assert_eq!(denied["message"]["content"][0]["is_error"], true, "{name}");
        assert_eq!(
            denied["message"]["content"][0]["content"], "Rather not.",
            "{name}"
        );
        assert_eq!(
            (&result["subtype"], &result["is_error"]),
            (&json!("success"), &json!(false)),
            "{name}"
        );
        assert_eq!(
            result["permission_denials"][0]["tool_use_id"], call,
            "{name}"
        );
        assert!(
            result["result"].as_str().unwrap().contains("denied"),
            "{name}"
        );
        host.close();
        assert_eq!(host.end().0.code(), Some(0), "{name}");
    }
}

#[test]
fn deny_and_stop_ends_the_turn() {
    let mut host = start("edit_allowed");
    let result = host.turn(|_| json!({"behavior": "deny", "message": "Stop.", "interrupt": true}));
    assert_eq!(
        (&result["subtype"], &result["terminal_reason"]),
        (&json!("error_during_execution"), &json!("aborted_tools"))
    );
    assert!(
        host.said
            .iter()
            .any(|line| line["message"]["content"][0]["text"]
                == "[Request interrupted by user for tool use]")
    );
    host.close();
    assert_eq!(host.end().0.code(), Some(1));
}

#[test]
fn an_allowed_call_that_was_denied_in_the_recording_has_no_outcome() {
    let mut host = start("edit_denied");
    let result = host.turn(allow);
    assert!(
        result["result"]
            .as_str()
            .unwrap()
            .contains("denied in the recording")
    );
    assert_eq!(result["permission_denials"], json!([]));
    host.close();
    host.end();
}

#[test]
fn other_words_of_a_denial_are_passed_on() {
    let mut host = start("edit_denied");
    let mut call = Value::Null;
    host.turn(|request| {
        call = request["tool_use_id"].clone();
        json!({"behavior": "deny", "message": "Leave it, please."})
    });
    let line = tool_result(&host.said, &call);
    assert_eq!(
        (
            &line["message"]["content"][0]["content"],
            &line["tool_use_result"]
        ),
        (
            &json!("Leave it, please."),
            &json!("Error: Leave it, please.")
        )
    );
    host.close();
    host.end();
}

#[test]
fn a_changed_input_is_reflected() {
    let mut host = start("edit_allowed");
    let mut call = Value::Null;
    host.turn(|request| {
        call = request["tool_use_id"].clone();
        let mut input = request["input"].clone();
        input["new_string"] = json!("    // mine\n    a - b\n");
        json!({"behavior": "allow", "updatedInput": input})
    });
    let data = &tool_result(&host.said, &call)["tool_use_result"];
    assert_eq!(data["userModified"], true);
    assert!(
        data["structuredPatch"][0]["lines"]
            .as_array()
            .unwrap()
            .contains(&json!("+    // mine"))
    );
    host.close();
    host.end();

    let mut host = start("ask_user_question");
    host.turn(|request| {
        call = request["tool_use_id"].clone();
        let mut input = request["input"].clone();
        input["answers"] = json!({"Which database should we use?": "Postgres"});
        json!({"behavior": "allow", "updatedInput": input})
    });
    let line = tool_result(&host.said, &call);
    assert_eq!(
        line["tool_use_result"]["answers"],
        json!({"Which database should we use?": "Postgres"})
    );
    assert!(
        line["message"]["content"][0]["content"]
            .as_str()
            .unwrap()
            .contains("Postgres")
    );
    host.close();
    host.end();
}

#[test]
fn what_the_recording_does_not_know_is_answered() {
    let mut host = start("edit_allowed");
    host.turn(allow);
    host.request(
        "a",
        &json!({"subtype": "set_permission_mode", "mode": "plan"}),
    );
    assert_eq!(host.line().unwrap()["response"]["response"]["mode"], "plan");
    assert_eq!(host.line().unwrap()["permissionMode"], "plan");
    host.request(
        "b",
        &json!({"subtype": "set_permission_mode", "mode": "nonsense"}),
    );
    assert_eq!(
        host.line().unwrap()["response"]["error_code"],
        "invalid_mode"
    );
    host.request("c", &json!({"subtype": "set_model", "model": "haiku"}));
    assert_eq!(
        host.until(|line| line["type"] == "control_response")["response"]["response"]["model"],
        "claude-haiku-5-5"
    );
    host.request("d", &json!({"subtype": "interrupt"}));
    assert_eq!(host.line().unwrap()["response"]["subtype"], "success");
    host.request("e", &json!({"subtype": "sing"}));
    assert_eq!(
        host.line().unwrap()["response"]["error_code"],
        "unsupported_request"
    );
    host.prompt("And now?");
    let result = host.turn(allow);
    assert!(
        result["result"]
            .as_str()
            .unwrap()
            .contains("recording ends here")
    );
    host.close();
    assert_eq!(host.end().0.code(), Some(0));
}

#[test]
fn an_interrupt_ends_the_turn_with_its_questions() {
    let mut host = start("edit_allowed");
    let question = host.until(|line| line["request"]["subtype"] == "can_use_tool");
    host.request("stop", &json!({"subtype": "interrupt"}));
    let cancel = host.line().unwrap();
    assert_eq!(
        (&cancel["type"], &cancel["request_id"]),
        (&json!("control_cancel_request"), &question["request_id"])
    );
    assert_eq!(host.line().unwrap()["response"]["request_id"], "stop");
    let result = host.until(|line| line["type"] == "result");
    assert_eq!(result["terminal_reason"], "aborted_tools");
    host.close();
    assert_eq!(host.end().0.code(), Some(1));
}

#[test]
fn an_interrupted_text_is_confirmed_as_far_as_it_was_said() {
    let mut host = Host::start(
        &[
            "--recording",
            &recording("interrupt_stream"),
            "--speed",
            "real",
        ],
        &[],
    );
    host.initialize();
    host.prompt("Go on");
    host.until(|line| line["event"]["delta"]["type"] == "text_delta");
    host.request("stop", &json!({"subtype": "interrupt"}));
    let cut = host.until(|line| line["type"] == "assistant");
    let streamed: String = host
        .said
        .iter()
        .filter_map(|line| line["event"]["delta"]["text"].as_str())
        .collect();
    assert_eq!(
        (&cut["aborted"], &cut["message"]["content"][0]["text"]),
        (&json!(true), &json!(streamed))
    );
    assert_eq!(
        host.until(|line| line["type"] == "result")["terminal_reason"],
        "aborted_streaming"
    );
    host.close();
    assert_eq!(host.end().0.code(), Some(1));
}

#[test]
fn a_host_that_leaves_with_a_question_open_is_told_what_became_of_it() {
    let mut host = start("edit_allowed");
    host.until(|line| line["request"]["subtype"] == "can_use_tool");
    host.close();
    let result = host.until(|line| line["type"] == "result");
    assert_eq!(
        result["permission_denials"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(host.end().0.code(), Some(0));
}

#[test]
fn real_speed_keeps_the_pauses() {
    let started = std::time::Instant::now();
    let mut host = Host::start(
        &[
            "--recording",
            &recording("api_529_retry"),
            "--speed",
            "real",
        ],
        &[],
    );
    host.initialize();
    host.prompt("Hello");
    host.turn(allow);
    let elapsed = started.elapsed().as_millis();
    assert!(
        elapsed >= 1_900,
        "the recorded turn takes 2 s, here {elapsed} ms"
    );
    host.close();
    host.end();
}

#[test]
fn a_recording_that_cannot_be_read_is_named() {
    let (status, errors) = Host::start(&["--recording", "/gone/a.ndjson"], &[]).end();
    assert_eq!(status.code(), Some(1));
    assert!(errors.contains("/gone/a.ndjson"));
    let (status, errors) = Host::start(
        &["--recording", &recording("edit_allowed"), "--process", "7"],
        &[],
    )
    .end();
    assert_eq!(status.code(), Some(1));
    assert!(errors.contains("1 processes"));
}
