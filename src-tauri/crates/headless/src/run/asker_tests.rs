#![allow(clippy::unwrap_used)]

use kandev_transcript::{Generic, NormalizedPayload, PermissionReason};

use super::*;

fn request(id: &str, action_type: ActionType, input: Value) -> Asked {
    Asked::Tool(Box::new(PermissionRequest {
        pending_id: id.to_owned(),
        tool_call_id: None,
        tool_name: "Tool".to_owned(),
        tool_title: "Tool".to_owned(),
        action_type,
        input,
        suggestions: vec![
            json!({"type": "addRules", "behavior": "allow", "rules": [{"toolName": "Bash", "ruleContent": "ls"}]}),
            json!({"type": "setMode", "mode": "acceptEdits"}),
        ],
        normalized: NormalizedPayload::Generic {
            generic: Generic::default(),
        },
        data: PermissionReason::default(),
    }))
}

fn allow(suggestions: &[u32]) -> Decision {
    Decision::Allow {
        updated_input: None,
        suggestions: suggestions.to_vec(),
    }
}

#[test]
fn each_suggestion_has_a_number_of_its_own() {
    let mut asker = Asker::default();
    assert!(asker.add(request("a", ActionType::Command, json!({}))));
    let prompt = asker.prompt().unwrap();
    assert!(
        prompt.contains("[1] always allow Bash(ls)  [2] accept edits from now on"),
        "{prompt}"
    );
    assert!(matches!(asker.line("3"), Heard::Unclear(_)));
    assert!(
        matches!(asker.line(""), Heard::Unclear(_)),
        "a stray Enter answers nothing"
    );
    assert_eq!(asker.line("2"), Heard::Decided("a".to_owned(), allow(&[1])));
}

#[test]
fn a_denial_with_a_message_takes_one_more_line() {
    let mut asker = Asker::default();
    asker.add(request("a", ActionType::Command, json!({})));
    assert_eq!(asker.line("m"), Heard::More);
    assert_eq!(
        asker.line("use git mv"),
        Heard::Decided("a".to_owned(), deny(Some("use git mv".to_owned())))
    );
}

#[test]
fn questions_are_answered_one_by_one_and_keyed_by_their_text() {
    let questions = json!({ "questions": [
        {"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]},
        {"question": "Extras?", "multiSelect": true, "options": [{"label": "X"}, {"label": "Y"}]},
        {"question": "Name?", "options": [{"label": "Z"}]},
    ]});
    let mut asker = Asker::default();
    asker.add(request("a", ActionType::Question, questions));
    assert!(matches!(asker.line("1,2"), Heard::Unclear(_)));
    assert_eq!(asker.line("2"), Heard::More);
    assert_eq!(asker.line("1, 2"), Heard::More);
    let answers = json!({ "answers": {"Which?": "B", "Extras?": "X, Y", "Name?": "my own"} });
    let decision = Decision::Allow {
        updated_input: Some(answers),
        suggestions: Vec::new(),
    };
    assert_eq!(
        asker.line("my own"),
        Heard::Decided("a".to_owned(), decision)
    );
}

#[test]
fn a_line_too_many_answers_nothing() {
    let mut asker = Asker::default();
    asker.add(request("a", ActionType::Command, json!({})));
    asker.add(request("b", ActionType::Command, json!({})));
    assert_eq!(asker.line("y"), Heard::Decided("a".to_owned(), allow(&[])));
    assert_eq!((asker.line("y"), asker.prompt()), (Heard::Nothing, None));
    assert!(asker.remove("a"));
    assert_eq!(asker.line("n"), Heard::Decided("b".to_owned(), deny(None)));
}

#[test]
fn a_question_that_is_withdrawn_makes_room_for_the_next() {
    let mut asker = Asker::default();
    asker.add(request("a", ActionType::Command, json!({})));
    assert!(!asker.add(request("b", ActionType::Command, json!({}))));
    asker.line("m");
    assert!(asker.remove("a"));
    assert_eq!(asker.line("y"), Heard::Decided("b".to_owned(), allow(&[])));
    assert!(!asker.remove("b"));
    assert_eq!(asker.line("y"), Heard::Nothing);
}

fn form(data: &Value) -> Asked {
    Asked::Input(Form::read("Which city?", data).unwrap())
}

#[test]
fn a_server_is_told_field_by_field_once_somebody_wants_to() {
    let mut asker = Asker::default();
    asker.add(form(&json!({ "request_id": "e", "mcp_server_name": "lab", "requested_schema": {
        "properties": { "city": { "type": "string" }, "count": { "type": "integer" } }, "required": ["city"] } })));
    assert!(asker.prompt().unwrap().contains("[n] decline"));
    assert!(matches!(asker.line("Ulm"), Heard::Unclear(_)));
    assert_eq!(asker.line("y"), Heard::More);
    assert!(matches!(asker.line(""), Heard::Unclear(_)));
    assert_eq!(asker.line("Ulm"), Heard::More);
    assert!(matches!(asker.line("many"), Heard::Unclear(_)));
    let decision = Decision::Allow {
        updated_input: Some(json!({ "city": "Ulm", "count": 2 })),
        suggestions: Vec::new(),
    };
    assert_eq!(asker.line("2"), Heard::Decided("e".to_owned(), decision));
}

#[test]
fn a_server_can_be_refused_in_two_ways_and_an_address_needs_no_fields() {
    for (line, interrupt) in [("n", false), ("c", true)] {
        let mut asker = Asker::default();
        asker.add(form(&json!({ "request_id": "e" })));
        let decision = Decision::Deny {
            message: None,
            interrupt,
        };
        assert_eq!(asker.line(line), Heard::Decided("e".to_owned(), decision));
    }
    let mut asker = Asker::default();
    asker.add(form(
        &json!({ "request_id": "e", "mode": "url", "url": "https://example.org" }),
    ));
    assert_eq!(asker.line("y"), Heard::Decided("e".to_owned(), allow(&[])));
}
