use kandev_transcript::ResolvedBy;
use serde_json::{Value, json};

use crate::say::{Talk, answer, result};

fn elicits(id: &str) -> Value {
    json!({ "type": "control_request", "request_id": id, "request": { "subtype": "elicitation", "mcp_server_name": "lab",
        "message": "Which colour?", "requested_schema": { "type": "object" }, "property_order": ["colour"] } })
}

fn ends(talk: &Talk) -> Vec<Value> {
    talk.notices("elicitation_resolved")
}

#[test]
fn an_elicitation_is_asked_with_all_that_a_form_needs_and_answered_once() {
    let accept = json!({ "action": "accept", "content": { "colour": "red" } });
    let talk = Talk::live()
        .cli(elicits("e"))
        .cli(elicits("e"))
        .host(answer("e", accept.clone()))
        .host(answer("e", accept));
    assert_eq!(
        talk.notices("elicitation"),
        [
            json!({ "request_id": "e", "mode": "form", "mcp_server_name": "lab", "requested_schema": { "type": "object" },
            "property_order": ["colour"] })
        ]
    );
    assert_eq!(
        ends(&talk),
        [
            json!({ "request_id": "e", "action": "accept", "by": "user", "content": { "colour": "red" } })
        ]
    );
    assert_eq!(
        talk.said(),
        [
            "notice elicitation",
            "requires_action",
            "notice elicitation_resolved",
            "idle"
        ]
    );
}

#[test]
fn every_way_in_which_it_ends_is_told_once() {
    let cancel = json!({ "type": "control_cancel_request", "request_id": "e" });
    let refused = json!({ "type": "control_response", "response": { "subtype": "error", "request_id": "e", "error": "no" } });
    let asked = || Talk::live().cli(elicits("e"));
    for (talk, action, by) in [
        (
            asked().host(answer("e", json!({ "action": "decline" }))),
            "decline",
            "user",
        ),
        (
            asked().host(answer("e", json!({ "action": "cancel" }))),
            "cancel",
            "user",
        ),
        (
            asked().host(answer("e", json!({ "action": "what" }))),
            "cancel",
            "user",
        ),
        (asked().host(refused), "cancel", "user"),
        (asked().cli(cancel), "withdrawn", "cli"),
        (asked(), "session_end", "session_end"),
    ] {
        let talk = talk.exit(0);
        assert_eq!(
            ends(&talk),
            [json!({ "request_id": "e", "action": action, "by": by })]
        );
    }
    let mut talk = asked();
    talk.transcript.answered_by("e", ResolvedBy::Timeout);
    let talk = talk.host(answer("e", json!({ "action": "cancel" })));
    assert_eq!(ends(&talk)[0]["by"], "timeout");
}

#[test]
fn an_open_elicitation_keeps_the_user_needed_until_the_turn_is_over() {
    let talk = Talk::live().cli(elicits("e"));
    assert_eq!(
        talk.said().last().map(String::as_str),
        Some("requires_action")
    );
    let talk = talk.cli(result(false));
    assert_eq!(talk.said().last().map(String::as_str), Some("idle"));
}

#[test]
fn a_step_in_the_browser_has_its_address() {
    let line = json!({ "type": "control_request", "request_id": "e", "request": { "subtype": "elicitation", "mcp_server_name": "lab",
        "mode": "url", "url": "https://example.org/x", "elicitation_id": "i" } });
    let talk = Talk::live().cli(line);
    assert_eq!(
        talk.notices("elicitation"),
        [
            json!({ "request_id": "e", "mode": "url", "mcp_server_name": "lab", "url": "https://example.org/x", "elicitation_id": "i" })
        ]
    );
    assert_eq!(talk.of_type("notice")[0]["text"], "lab asks for your input");
}
