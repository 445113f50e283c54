use kandev_transcript::{EventBody, Exit};
use serde_json::json;

use crate::say::{Talk, result, user};

#[test]
fn a_process_that_goes_on_its_own_is_an_error_once() {
    assert_eq!(
        Talk::live().exit(1).said(),
        [
            "error start_failed",
            "ended Some(1) expected false",
            "ended"
        ]
    );
    assert_eq!(
        Talk::live().exit(0).said(),
        ["ended Some(0) expected false", "ended"]
    );
    // The failed turn has told it.
    let failed = Talk::live().cli(result(true)).exit(1);
    assert_eq!(
        failed.said(),
        [
            "complete -",
            "error api_error",
            "idle",
            "ended Some(1) expected false",
            "ended"
        ]
    );
}

#[test]
fn an_end_that_was_asked_for_is_no_error() {
    let mut talk = Talk::live();
    talk.transcript.ending();
    assert_eq!(
        talk.exit(143).said(),
        ["ended Some(143) expected true", "ended"]
    );
    let ask = json!({ "type": "control_request", "request_id": "1", "request": { "subtype": "end_session" } });
    assert_eq!(
        Talk::live().host(ask.clone()).exit(0).said(),
        ["ended Some(0) expected true", "ended"]
    );
    // It was to leave with 0.
    assert_eq!(
        Talk::live().host(ask).exit(1).said(),
        ["error start_failed", "ended Some(1) expected true", "ended"]
    );
}

#[test]
fn a_signal_has_a_name_and_no_code_and_the_last_words_are_kept_in_bounds() {
    let mut talk = Talk::live();
    for line in 0..10_000 {
        talk.transcript.stderr(&format!("línea {line}"));
    }
    let exit = Exit {
        code: Some(-9),
        signal: Some("SIGKILL".to_owned()),
    };
    talk.transcript.exited(exit, &mut talk.emitted);
    let data = talk.emitted.iter().find_map(|event| match &event.body {
        EventBody::SessionEnded { data } => Some(data),
        _ => None,
    });
    let data = data.unwrap();
    assert_eq!(
        (data.exit_code, data.signal.as_deref()),
        (None, Some("SIGKILL"))
    );
    assert!(data.stderr_tail.ends_with("línea 9999") && data.stderr_tail.len() <= 8 * 1024);
}

#[test]
fn a_prompt_that_is_typed_after_the_end_is_kept() {
    let talk = Talk::live().exit(0).host(user("still there?", json!({})));
    assert_eq!(talk.said().last().unwrap(), "user: still there?");
}

#[test]
fn an_error_names_the_message_that_has_said_the_same() {
    let mut synthetic = crate::say::text("m", "API Error: 500");
    synthetic["error"] = serde_json::json!("server_error");
    let mut over = crate::say::result(true);
    over["result"] = serde_json::json!("API Error: 500");
    let talk = crate::say::Talk::plain().cli(synthetic).cli(over.clone());
    assert_eq!(talk.of_type("error")[0]["data"]["message_id"], "m");
    // The result's own text is shown if nothing else was.
    let talk = crate::say::Talk::plain().cli(over.clone());
    assert_eq!(talk.of_type("error")[0]["data"]["message_id"], "result");
    over["result"] = serde_json::json!("Another one");
    let talk = crate::say::Talk::plain()
        .cli(crate::say::text("m", "API Error: 500"))
        .cli(over);
    assert_eq!(talk.of_type("error")[0]["data"].get("message_id"), None);
}

#[test]
fn lines_that_could_not_be_saved_are_told_with_where_and_what_to_do() {
    let lost = serde_json::json!({ "type": "system", "subtype": "session_writes_lost", "error_code": "ENOSPC", "lost": ["transcript"],
        "transcript_session_ids": ["s"], "session_id": "s", "uuid": "u" });
    let talk = crate::say::Talk::plain()
        .cli(crate::say::text("m", "words"))
        .cli(lost);
    let data = &talk.notices("session_writes_lost")[0];
    assert_eq!(data["level"], "error");
    assert_eq!(data["last_message_uuid"], "u-m");
    assert_eq!(data["transcript_session_ids"], serde_json::json!(["s"]));
    assert!(!data["next_step"].as_str().unwrap().is_empty());
}

#[test]
fn how_far_a_conversation_is_saved_is_told_and_does_not_move_once_lines_are_lost() {
    let lost = serde_json::json!({ "type": "system", "subtype": "session_writes_lost", "error_code": "ENOSPC", "lost": ["transcript"],
        "session_id": "s", "uuid": "u" });
    let over = serde_json::json!({ "type": "result", "subtype": "success", "is_error": false, "result": "x" });
    let talk = crate::say::Talk::plain()
        .cli(lost.clone())
        .cli(crate::say::text("m", "words"))
        .cli(over.clone());
    assert_eq!(
        talk.notices("session_writes_lost")[0]["saved_message_uuid"],
        serde_json::json!(null)
    );
    let talk = crate::say::Talk::plain()
        .cli(crate::say::text("m", "words"))
        .cli(over.clone())
        .cli(crate::say::text("n", "more"))
        .cli(lost.clone())
        .cli(over)
        .cli(lost);
    for data in talk.notices("session_writes_lost") {
        assert_eq!(data["saved_message_uuid"], "u-m");
    }
    let texts = talk.of_type("notice");
    assert!(
        texts[0]["text"]
            .as_str()
            .unwrap()
            .contains("saved up to the end of the turn before")
    );
}

#[test]
fn what_a_process_left_goes_on_with_one_that_takes_up_its_conversation() {
    use kandev_transcript::Start;
    let written = |id: &str, status: &str| {
        let todo =
            serde_json::json!({ "content": "Step", "status": status, "activeForm": "Stepping" });
        serde_json::json!({ "type": "assistant", "session_id": "s", "parent_tool_use_id": null, "uuid": id, "message": {
            "id": id, "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "TodoWrite", "input": { "todos": [todo] } }] } })
    };
    let done = |id: &str| {
        serde_json::json!({ "type": "user", "session_id": "s", "parent_tool_use_id": null, "message": { "role": "user",
            "content": [{ "type": "tool_result", "tool_use_id": id, "content": "Todos have been modified" }] } })
    };
    for (resumed, lists) in [(true, 1), (false, 2)] {
        let mut talk = crate::say::Talk::live()
            .cli(written("a", "pending"))
            .cli(done("a"));
        let start = Start {
            resumed,
            ..Start::default()
        };
        talk.transcript.started(start, &mut talk.emitted);
        let talk = talk.cli(written("b", "pending")).cli(done("b"));
        assert_eq!(
            talk.of_type("todos").len(),
            lists,
            "the list is told when it changes"
        );
    }
}
