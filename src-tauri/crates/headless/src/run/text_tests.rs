use kandev_transcript::{
    ModifyFile, Mutation, MutationType, PermissionReason, ShellExec, ShellOutput,
};
use serde_json::json;

use super::*;

/// The page that these events make, without colours.
fn page(bodies: impl IntoIterator<Item = EventBody>) -> String {
    let mut text = Text::new(Palette { colour: false });
    let event = |body| Event {
        seq: 1,
        through: None,
        at: String::new(),
        session_id: None,
        parent_tool_call_id: None,
        body,
    };
    bodies
        .into_iter()
        .map(|body| text.event(&event(body)))
        .collect()
}

fn chunk(message_id: &str, text: &str) -> EventBody {
    EventBody::MessageChunk {
        text: text.to_owned(),
        message_id: message_id.to_owned(),
    }
}

fn call(id: &str, tool_status: ToolStatus, normalized: NormalizedPayload) -> ToolCall {
    ToolCall {
        tool_call_id: id.to_owned(),
        tool_name: "Tool".to_owned(),
        tool_title: "a title".to_owned(),
        tool_status,
        normalized,
        elapsed_seconds: None,
        slimmed: Vec::new(),
    }
}

fn edit() -> NormalizedPayload {
    let mutation = Mutation {
        mutation: MutationType::Patch,
        content: None,
        old_content: None,
        new_content: None,
        diff: Some("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n".to_owned()),
        start_line: Some(1),
    };
    let modify_file = ModifyFile {
        file_path: "a".to_owned(),
        mutations: vec![mutation],
        ..ModifyFile::default()
    };
    NormalizedPayload::ModifyFile { modify_file }
}

fn shell(stdout: &str) -> NormalizedPayload {
    let output = ShellOutput {
        stdout: stdout.to_owned(),
        ..ShellOutput::default()
    };
    let shell_exec = ShellExec {
        output: Some(output),
        ..ShellExec::default()
    };
    NormalizedPayload::ShellExec { shell_exec }
}

#[test]
fn a_message_streams_on_and_the_next_one_begins_a_paragraph() {
    let page = page([
        chunk("m1", "one "),
        chunk("m1", "two"),
        chunk("m2", "three"),
    ]);
    assert_eq!(page, "one two\n\nthree");
}

#[test]
fn a_diff_that_was_asked_about_is_shown_once() {
    let request = PermissionRequest {
        pending_id: "q".to_owned(),
        tool_call_id: Some("t".to_owned()),
        tool_name: "Tool".to_owned(),
        tool_title: "a title".to_owned(),
        action_type: ActionType::FileWrite,
        input: json!({}),
        suggestions: Vec::new(),
        normalized: edit(),
        data: PermissionReason::default(),
    };
    let asked = page([
        EventBody::PermissionRequest(request),
        EventBody::ToolUpdate(call("t", ToolStatus::Complete, edit())),
    ]);
    assert_eq!(asked.matches("+new").count(), 1, "{asked}");
    let unasked = page([EventBody::ToolUpdate(call(
        "t",
        ToolStatus::Complete,
        edit(),
    ))]);
    assert_eq!(
        unasked,
        "✓ Tool: a title\n  @@ -1 +1 @@\n  -old\n  +new\n\n"
    );
}

#[test]
fn what_a_tool_writes_does_not_steer_the_terminal() {
    let output = shell("10%\r50%\r\x1b[32mdone\x1b[0m\x1b]0;title\x07\r\n");
    let page = page([EventBody::ToolUpdate(call("t", ToolStatus::Error, output))]);
    assert_eq!(page, "✗ Tool: a title\n  │ done\n\n");
}

#[test]
fn of_a_long_output_the_end_is_shown() {
    let output: String = (1..=100).map(|line| format!("line {line}\n")).collect();
    let page = page([EventBody::ToolUpdate(call(
        "t",
        ToolStatus::Complete,
        shell(&output),
    ))]);
    assert!(page.contains("… 88 lines before\n  │ line 89\n"), "{page}");
    assert!(page.contains("│ line 100\n"), "{page}");
}

#[test]
fn a_server_s_question_and_what_waits_too_long_are_said_in_words() {
    let notice = |kind: &str, text: &str, data| EventBody::Notice {
        kind: kind.to_owned(),
        text: text.to_owned(),
        data,
    };
    let shown = page([
        notice(
            "elicitation",
            "Sign in",
            json!({ "request_id": "e", "mcp_server_name": "lab", "url": "https://example.org/in" }),
        ),
        notice(
            "elicitation_resolved",
            "Declined",
            json!({ "request_id": "e", "action": "decline" }),
        ),
        notice(
            "silent_turn",
            "Nothing was heard for 120 s.",
            json!({ "waiting_for": "model" }),
        ),
    ]);
    assert!(shown.contains("? lab asks: Sign in\n"), "{shown}");
    assert!(shown.contains("https://example.org/in"), "{shown}");
    assert!(
        shown.contains("Declined") && shown.contains("Nothing was heard for 120 s."),
        "{shown}"
    );
}
