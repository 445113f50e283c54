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
