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

fn resolved(payload: serde_json::Value) -> serde_json::Value {
    let talk = Talk::live().cli(asks("q", "t")).host(answer("q", payload));
    talk.of_type("permission_resolved")[0].clone()
}

#[test]
fn an_answer_is_told_with_what_it_changed_and_nothing_else() {
    let base = json!({ "type": "permission_resolved", "pending_id": "q", "behavior": "allow", "by": "user" });
    for same in [
        json!({ "behavior": "allow" }),
        json!({ "behavior": "allow", "updatedInput": {} }),
        json!({ "behavior": "allow", "updatedInput": { "command": "c" }, "updatedPermissions": [] }),
    ] {
        assert_eq!(resolved(same), base);
    }
    let rule = json!({ "type": "setMode", "mode": "acceptEdits", "destination": "session" });
    let changed = resolved(
        json!({ "behavior": "allow", "updatedInput": { "command": "d" }, "updatedPermissions": [rule] }),
    );
    assert_eq!(changed["updated_input"], json!({ "command": "d" }));
    assert_eq!(changed["updated_permissions"], json!([rule]));
    let denied = resolved(
        json!({ "behavior": "deny", "message": "no", "interrupt": true, "updatedPermissions": [rule] }),
    );
    assert_eq!(
        denied,
        json!({ "type": "permission_resolved", "pending_id": "q", "behavior": "deny", "by": "user", "message": "no", "interrupt": true })
    );
}

#[test]
fn a_question_keeps_all_that_the_cli_says_of_it() {
    let reason = json!({ "display_name": "Bash", "description": "d", "decision_reason": "r", "decision_reason_type": "rule",
        "blocked_path": "/x", "agent_id": "a", "title": "t", "requires_user_interaction": true,
        "mcp_server": { "name": "lab", "source": "project" }, "server_policy_ask_only": true, "suppress_always_allow_rule": true,
        "default_to_no": true, "matched_ask_rule": { "source": "userSettings", "tool_name": "Bash" },
        "classifier_approvable": false, "decision_reason_rule_source": "userSettings",
        "decision_reason_hook_event": "PreToolUse", "decision_reason_hook_source": "settings" });
    let mut line = asks("q", "t");
    line["request"]
        .as_object_mut()
        .unwrap()
        .extend(reason.as_object().unwrap().clone());
    let told = Talk::live().cli(line).of_type("permission_request");
    assert_eq!(told[0]["data"], reason);
}

#[test]
fn a_question_of_an_unknown_shape_is_a_plain_one() {
    for (request, name, input) in [
        (
            json!({ "subtype": "can_use_tool" }),
            "unknown",
            json!({ "subtype": "can_use_tool" }),
        ),
        (
            json!({ "subtype": "can_use_tool", "tool_name": 5 }),
            "unknown",
            json!({ "subtype": "can_use_tool", "tool_name": 5 }),
        ),
        (
            json!({ "subtype": "can_use_tool", "tool_name": "Edit", "input": "words" }),
            "Edit",
            json!("words"),
        ),
        (
            json!({ "subtype": "can_use_tool", "tool_name": "Bash", "input": [1] }),
            "Bash",
            json!([1]),
        ),
        (
            json!({ "subtype": "can_use_tool", "tool_name": "", "input": { "a": 1 } }),
            "unknown",
            json!({ "a": 1 }),
        ),
    ] {
        let line = json!({ "type": "control_request", "request_id": "q", "request": request });
        let talk = Talk::live()
            .cli(line)
            .host(answer("q", json!({ "behavior": "deny" })));
        let told = &talk.of_type("permission_request")[0];
        assert_eq!(told["normalized"]["kind"], "generic", "{request}");
        assert_eq!(told["normalized"]["generic"]["name"], name);
        assert_eq!(told["normalized"]["generic"]["input"], input);
        assert!(!told["tool_title"].as_str().unwrap().trim().is_empty());
        assert_eq!(talk.of_type("permission_resolved").len(), 1);
    }
}

#[test]
fn questions_that_are_still_open_are_asked_once_whichever_answer_names_them() {
    let mut pending = asks("q", "t");
    pending["extra"] = json!(1);
    let envelope = |subtype: &str| {
        json!({ "type": "control_response", "response": { "subtype": subtype, "request_id": "i",
        "response": { "commands": [], "models": [] }, "error": "no", "pending_permission_requests": [pending, 5],
        "pending_user_dialog_requests": [{ "request_id": "d", "request": { "subtype": "request_user_dialog" } }],
        "pending_elicitation_requests": [{ "request_id": "e", "request": { "subtype": "elicitation", "message": "m" } }] } })
    };
    for subtype in ["success", "error"] {
        let talk = Talk::live()
            .cli(envelope(subtype))
            .cli(envelope(subtype))
            .cli(asks("q", "t"));
        assert_eq!(talk.of_type("permission_request").len(), 1, "{subtype}");
        assert_eq!(talk.notices("elicitation").len(), 1);
        assert_eq!(talk.notices("request_user_dialog").len(), 1);
        let talk = talk
            .host(answer("q", json!({ "behavior": "allow" })))
            .cli(envelope(subtype));
        assert_eq!(
            talk.of_type("permission_request").len(),
            1,
            "asked again after its answer"
        );
        assert_eq!(talk.of_type("permission_resolved").len(), 1);
    }
}

#[test]
fn the_echo_of_an_answer_is_no_answer_of_the_cli() {
    let echo = answer("q", json!({ "behavior": "deny", "message": "no" }));
    let talk = Talk::live().cli(asks("q", "t")).cli(echo.clone());
    assert_eq!(talk.of_type("permission_resolved"), [json!(null); 0]);
    let talk = talk
        .host(answer("q", json!({ "behavior": "allow" })))
        .cli(echo.clone());
    assert_eq!(talk.of_type("permission_resolved").len(), 1);
    // Without the host's side it is all there is of the answer.
    let talk = Talk::plain().cli(asks("q", "t")).cli(echo);
    assert_eq!(talk.of_type("permission_resolved")[0]["message"], "no");
}

#[test]
fn a_plan_that_nobody_can_see_is_said_to_be_missing() {
    let asked = |input: serde_json::Value| {
        let request =
            json!({ "subtype": "can_use_tool", "tool_name": "ExitPlanMode", "input": input });
        let line = json!({ "type": "control_request", "request_id": "q", "request": request });
        Talk::live().cli(line).of_type("permission_request")[0]["normalized"]["show_plan"].clone()
    };
    assert_eq!(asked(json!({}))["plan_missing"], true);
    assert_eq!(asked(json!({ "plan": " " }))["plan_missing"], true);
    assert_eq!(asked(json!({ "plan": "# Plan" })).get("plan_missing"), None);
}
