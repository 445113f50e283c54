//! A host that decides otherwise than the recording shows.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use support::{Host, allow, play, recording};

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
        let mut host = play(name);
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
    let mut host = play("edit_allowed");
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
    let mut host = play("edit_denied");
    let result = host.turn(allow);
    assert!(
        result["result"]
            .as_str()
            .unwrap()
            .contains("not in the recording")
    );
    assert_eq!(result["permission_denials"], json!([]));
    host.close();
    host.end();
}

#[test]
fn other_words_of_a_denial_are_passed_on() {
    let mut host = play("edit_denied");
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
    let mut host = play("edit_allowed");
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

    let mut host = play("ask_user_question");
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
fn an_interrupt_ends_the_turn_with_its_questions() {
    let mut host = play("edit_allowed");
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
    let mut host = play("edit_allowed");
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
fn an_answer_where_the_recording_interrupts_decides() {
    for (answer, words) in [
        (allow as fn(&Value) -> Value, "not in the recording"),
        (support::deny, "was denied"),
    ] {
        let mut host = play("interrupt_permission");
        let result = host.turn(answer);
        assert_eq!(result["is_error"], false);
        assert!(
            result["result"].as_str().unwrap().contains(words),
            "{result}"
        );
        host.close();
        host.end();
    }
}
