use kandev_transcript::ResolvedBy;
use serde_json::json;

use crate::say::{Talk, answer, asks, result, result_of, uses};

#[test]
fn only_the_one_form_of_an_answer_counts_and_only_the_first() {
    let allow = json!({ "behavior": "allow" });
    let talk = Talk::live()
        .cli(asks("q", "t"))
        .host(json!({ "type": "control_response", "request_id": "q", "response": { "subtype": "success", "result": allow } }))
        .host(json!({ "type": "control_response", "request_id": "q", "response": { "allowed": true } }))
        .host(answer("nobody", allow.clone()))
        .host(answer("q", json!("allow")))
        .host(answer("q", json!({ "behavior": "deny", "message": "no" })))
        .host(answer("q", allow));
    assert_eq!(
        talk.said(),
        ["q?", "requires_action", "q deny by user", "running"]
    );
}

#[test]
fn an_answer_that_is_no_allow_denies() {
    for payload in [
        json!({}),
        json!({ "behavior": "maybe" }),
        json!({ "behavior": 1 }),
    ] {
        assert_eq!(
            Talk::live()
                .cli(asks("q", "t"))
                .host(answer("q", payload))
                .said()[2],
            "q deny by user"
        );
    }
    let error = json!({ "type": "control_response", "response": { "subtype": "error", "request_id": "q", "error": "no" } });
    assert_eq!(
        Talk::live().cli(asks("q", "t")).host(error).said()[2],
        "q deny by user"
    );
}

#[test]
fn a_withdrawn_question_is_cancelled_and_a_late_answer_is_nothing() {
    let cancel = json!({ "type": "control_cancel_request", "request_id": "q" });
    let talk = Talk::live()
        .cli(asks("q", "t"))
        .cli(cancel.clone())
        .cli(cancel)
        .host(answer("q", json!({ "behavior": "allow" })))
        .exit(0);
    assert_eq!(talk.said()[..3], ["q?", "requires_action", "q cancelled"]);
    assert_eq!(
        talk.said()
            .iter()
            .filter(|said| said.starts_with("q "))
            .count(),
        1
    );
}

#[test]
fn who_answered_is_told_for_the_question_that_it_was_said_of() {
    let mut talk = Talk::live().cli(asks("p", "t")).cli(asks("q", "t2"));
    talk.transcript.answered_by("q", ResolvedBy::Policy);
    let allow = json!({ "behavior": "allow" });
    let talk = talk
        .host(answer("p", allow.clone()))
        .host(answer("q", allow));
    assert_eq!(talk.said()[3..5], ["p allow by user", "q allow by policy"]);
}

#[test]
fn a_question_that_nobody_answered_is_resolved_by_the_end_but_keeps_nobody_waiting() {
    let talk = Talk::live()
        .cli(uses("t"))
        .cli(asks("q", "t"))
        .cli(result_of("t", true))
        .cli(result(false))
        .exit(0);
    let want = [
        "t running",
        "q?",
        "requires_action",
        "t error",
        "running",
        "complete r-t",
        "idle",
        "q deny by session_end",
        "ended Some(0) expected false",
        "ended",
    ];
    assert_eq!(talk.said(), want);
}

#[test]
fn without_the_hosts_side_the_calls_result_shows_the_answer() {
    let talk = Talk::plain()
        .cli(uses("t"))
        .cli(asks("q", "t"))
        .cli(result_of("t", false))
        .over();
    assert_eq!(
        talk.said()[..5],
        [
            "t running",
            "q?",
            "requires_action",
            "q allow by user",
            "t complete"
        ]
    );
}
