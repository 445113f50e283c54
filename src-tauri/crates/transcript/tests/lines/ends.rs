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
