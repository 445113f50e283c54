#![allow(clippy::unwrap_used)]

use kandev_transcript::{
    ActionType, Behavior, Generic, NormalizedPayload, PermissionReason, ResolvedBy,
};

use serde_json::json;

use super::*;

fn request(tool_name: &str, input: Value) -> PermissionRequest {
    PermissionRequest {
        pending_id: "q1".to_owned(),
        tool_call_id: Some("t1".to_owned()),
        tool_name: tool_name.to_owned(),
        tool_title: tool_name.to_owned(),
        action_type: ActionType::Other,
        input,
        suggestions: vec![
            json!({"type": "addRules"}),
            json!({"type": "setMode", "mode": "acceptEdits"}),
        ],
        normalized: NormalizedPayload::Generic {
            generic: Generic::default(),
        },
        data: PermissionReason::default(),
    }
}

fn asked(request: PermissionRequest) -> Permissions {
    let mut permissions = Permissions::default();
    permissions.observe(&EventBody::PermissionRequest(request), &Moment::now());
    permissions
}

fn allowing(updated_input: Option<Value>, suggestions: &[u32]) -> Decision {
    Decision::Allow {
        updated_input,
        suggestions: suggestions.to_vec(),
    }
}

#[test]
fn an_allow_carries_the_whole_input_and_no_suggestion_that_was_not_chosen() {
    let mut permissions = asked(request("Bash", json!({"command": "ls", "timeout": 5})));
    let payload = permissions.answer("q1", &allowing(None, &[])).unwrap();
    assert_eq!(
        payload,
        json!({"behavior": "allow", "updatedInput": {"command": "ls", "timeout": 5}})
    );
}

#[test]
fn a_chosen_suggestion_goes_along_word_for_word() {
    let mut permissions = asked(request("Bash", json!({"command": "ls"})));
    let payload = permissions.answer("q1", &allowing(None, &[0])).unwrap();
    assert_eq!(payload["updatedPermissions"], json!([{"type": "addRules"}]));
}

#[test]
fn a_deny_always_has_a_message() {
    for message in [None, Some(String::new()), Some("  ".to_owned())] {
        let mut permissions = asked(request("Bash", json!({})));
        let payload = permissions
            .answer(
                "q1",
                &Decision::Deny {
                    message,
                    interrupt: false,
                },
            )
            .unwrap();
        assert_eq!(payload, json!({"behavior": "deny", "message": DENIED}));
    }
    let mut permissions = asked(request("Bash", json!({})));
    let stop = Decision::Deny {
        message: Some("not now".to_owned()),
        interrupt: true,
    };
    assert_eq!(
        permissions.answer("q1", &stop).unwrap(),
        json!({"behavior": "deny", "message": "not now", "interrupt": true})
    );
}

#[test]
fn a_question_is_answered_once() {
    let mut permissions = asked(request("Bash", json!({})));
    permissions.answer("q1", &allowing(None, &[])).unwrap();
    let late = permissions.answer("q1", &allowing(None, &[])).unwrap_err();
    assert_eq!(
        late,
        SessionError::NotPending {
            pending_id: "q1".to_owned()
        }
    );
    assert_eq!(permissions.len(), 0);
}

#[test]
fn an_answer_that_cannot_be_sent_leaves_the_question_open() {
    let mut permissions = asked(request("Bash", json!({})));
    assert!(permissions.answer("q1", &allowing(None, &[2])).is_err());
    assert!(
        permissions
            .answer("q1", &allowing(Some(json!("ls")), &[]))
            .is_err()
    );
    assert_eq!(permissions.len(), 1);
}

#[test]
fn answers_and_plans_are_laid_over_what_was_asked_and_other_input_is_replaced() {
    let mut permissions = asked(request("AskUserQuestion", json!({"questions": [1]})));
    let payload = permissions
        .answer("q1", &allowing(Some(json!({"answers": {"a": "b"}})), &[]))
        .unwrap();
    assert_eq!(
        payload["updatedInput"],
        json!({"questions": [1], "answers": {"a": "b"}})
    );
    let mut permissions = asked(request(
        "Edit",
        json!({"file_path": "a", "replace_all": true}),
    ));
    let payload = permissions
        .answer("q1", &allowing(Some(json!({"file_path": "a"})), &[]))
        .unwrap();
    assert_eq!(payload["updatedInput"], json!({"file_path": "a"}));
}

#[test]
fn a_withdrawn_or_resolved_question_is_no_longer_open() {
    let mut permissions = asked(request("Bash", json!({})));
    permissions.observe(
        &EventBody::PermissionCancelled {
            pending_id: "q1".to_owned(),
        },
        &Moment::now(),
    );
    assert_eq!(permissions.len(), 0);
    let mut permissions = asked(request("Bash", json!({})));
    let by = ResolvedBy::SessionEnd;
    permissions.observe(
        &EventBody::PermissionResolved {
            pending_id: "q1".to_owned(),
            behavior: Behavior::Deny,
            by,
            updated_input: None,
            message: None,
            interrupt: false,
            updated_permissions: Vec::new(),
        },
        &Moment::now(),
    );
    assert_eq!(permissions.len(), 0);
}
fn asked_for_input() -> Permissions {
    let mut permissions = Permissions::default();
    let data = json!({ "request_id": "e1", "mcp_server_name": "lab", "mode": "form" });
    let notice = EventBody::Notice {
        kind: "elicitation".to_owned(),
        text: "Which city?".to_owned(),
        data,
    };
    permissions.observe(&notice, &Moment::now());
    permissions
}

#[test]
fn input_for_a_server_is_given_declined_or_cancelled() {
    let deny = |interrupt| Decision::Deny {
        message: None,
        interrupt,
    };
    let city = json!({ "city": "Ulm" });
    for (decision, payload) in [
        (
            allowing(Some(city.clone()), &[]),
            json!({ "action": "accept", "content": city }),
        ),
        (allowing(None, &[]), json!({ "action": "accept" })),
        (deny(false), json!({ "action": "decline" })),
        (deny(true), json!({ "action": "cancel" })),
    ] {
        let mut permissions = asked_for_input();
        assert_eq!(permissions.answer("e1", &decision).unwrap(), payload);
        assert_eq!(permissions.len(), 0);
    }
}

#[test]
fn input_that_is_no_object_leaves_the_server_s_question_open() {
    let mut permissions = asked_for_input();
    assert!(
        permissions
            .answer("e1", &allowing(Some(json!("Ulm")), &[]))
            .is_err()
    );
    assert!(permissions.answer("e1", &allowing(None, &[0])).is_err());
    assert_eq!(permissions.len(), 1);
    assert_eq!(
        permissions.oldest().unwrap().asked.title(),
        "lab: Which city?"
    );
}
