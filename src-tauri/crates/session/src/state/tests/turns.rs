use super::*;
use crate::PromptImage;

fn stream(event: Value) -> Value {
    json!({ "type": "stream_event", "session_id": "cli-1", "parent_tool_use_id": null, "event": event })
}

fn set_mode(rig: &mut Rig, mode: &str) -> Outcome {
    let mode = mode.to_owned();
    rig.ask(|done| Command::SetMode { mode, done })
}

#[test]
fn the_mode_follows_the_first_answer_and_not_the_wish() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.init();
    let outcome = set_mode(&mut rig, "plan");
    assert_eq!(rig.state.info().permission_mode.as_deref(), Some("default"));
    let id = rig.asked("set_permission_mode");
    rig.refuse(&id, "not now");
    // Old versions follow a refusal by a bare success.
    rig.succeed(&id, json!(null));
    assert_eq!(told(outcome).unwrap_err().code(), "refused");
    assert_eq!(rig.state.info().permission_mode.as_deref(), Some("default"));

    let outcome = set_mode(&mut rig, "plan");
    let id = rig.asked("set_permission_mode");
    rig.succeed(&id, json!({ "mode": "plan" }));
    assert_eq!(told(outcome), Ok(()));
    assert_eq!(rig.state.info().permission_mode.as_deref(), Some("plan"));
}

#[test]
fn a_request_without_an_answer_ends_at_its_limit() {
    let mut rig = Rig::ready(Policy::Supervised);
    let mode = set_mode(&mut rig, "plan");
    let interrupt = rig.ask(|done| Command::Interrupt {
        cancel_queued: false,
        done,
    });
    rig.wait(10);
    assert_eq!(told(interrupt).unwrap_err().code(), "no_answer");
    assert_eq!(rig.notices("interrupt_unanswered").len(), 1);
    rig.wait(20);
    assert_eq!(told(mode).unwrap_err().code(), "no_answer");
    assert_eq!(rig.state.next_deadline(), None);
}

#[test]
fn the_end_of_the_process_ends_the_waiting_for_an_answer() {
    let mut rig = Rig::ready(Policy::Supervised);
    let outcome = set_mode(&mut rig, "plan");
    rig.exit(0);
    assert_eq!(told(outcome).unwrap_err().code(), "ended");
}

#[test]
fn an_echo_of_our_own_answer_is_no_answer_to_us() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.can_use_tool("q1", "Bash", json!({ "command": "ls" }));
    rig.succeed("q1", json!({ "behavior": "allow" }));
    assert_eq!(rig.phase(), Phase::Approval, "the question is still open");
}

#[test]
fn a_model_can_be_chosen_before_there_is_a_process_and_while_one_runs() {
    let mut rig = Rig::launched(request(Policy::Supervised));
    let model = Some("haiku".to_owned());
    let outcome = rig.ask(|done| Command::SetModel { model, done });
    assert_eq!(told(outcome), Ok(()));
    rig.initialized();
    assert_eq!(
        rig.written.last().unwrap()["request"],
        json!({ "subtype": "set_model", "model": "haiku" })
    );
    let id = rig.asked("set_model");
    rig.succeed(&id, json!({ "model": "claude-haiku-4-5" }));
    assert_eq!(rig.state.info().model.as_deref(), Some("claude-haiku-4-5"));
    rig.exit(0);
    rig.prompt("again");
    assert_eq!(rig.plans[1].request.model.as_deref(), Some("haiku"));
}

#[test]
fn a_prompt_that_a_turn_shows_taken_is_not_given_back() {
    for taken in [
        json!({ "type": "system", "subtype": "init", "cwd": WORKSPACE, "session_id": "cli-1" }),
        json!({ "type": "system", "subtype": "status", "status": "requesting", "session_id": "cli-1" }),
        json!({ "type": "command_lifecycle", "command_uuid": "prompt-1", "state": "started" }),
        stream(json!({ "type": "message_start", "message": { "id": "m1", "content": [] } })),
        json!({ "type": "assistant", "message": { "id": "m1", "role": "assistant", "content": [] } }),
    ] {
        let mut rig = Rig::ready(Policy::Supervised);
        rig.prompt("do it");
        rig.line(taken.clone());
        rig.exit(1);
        assert_eq!(rig.returned(), [""; 0], "{taken}");
        assert_eq!(rig.phase(), Phase::Failed);
    }
}

#[test]
fn a_prompt_that_only_lay_in_the_pipe_or_the_queue_is_given_back() {
    for line in [
        json!({ "type": "system", "subtype": "session_state_changed", "state": "running", "session_id": "cli-1" }),
        json!({ "type": "command_lifecycle", "command_uuid": "prompt-1", "state": "queued" }),
        json!({ "type": "keep_alive" }),
    ] {
        let mut rig = Rig::ready(Policy::Supervised);
        let uuid = rig.prompt("do it");
        rig.line(line.clone());
        rig.exit(1);
        assert_eq!(rig.returned(), [uuid], "{line}");
    }
}

#[test]
fn a_prompt_sent_in_a_turn_is_taken_by_the_next_request_to_the_model() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("first");
    rig.init();
    let second = rig.prompt("second");
    rig.line(stream(json!({ "type": "content_block_delta", "index": 0,
        "delta": { "type": "text_delta", "text": "still the first" } })));
    rig.result();
    let mut cut = Rig::ready(Policy::Supervised);
    std::mem::swap(&mut cut, &mut rig);
    cut.exit(1);
    assert_eq!(cut.returned(), [second.as_str()]);

    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("first");
    rig.init();
    rig.prompt("second");
    rig.result();
    rig.init();
    rig.exit(1);
    assert_eq!(rig.returned(), [""; 0]);
}

#[test]
fn a_prompt_that_the_cli_drops_comes_back_at_once() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("first");
    rig.init();
    let second = rig.prompt("second");
    rig.line(json!({ "type": "command_lifecycle", "command_uuid": second, "state": "queued" }));
    rig.line(json!({ "type": "command_lifecycle", "command_uuid": second, "state": "cancelled" }));
    assert_eq!(rig.returned(), [second]);
}

#[test]
fn an_image_goes_as_a_block_and_an_odd_one_is_refused() {
    let mut rig = Rig::ready(Policy::Supervised);
    let image = |media_type: &str| PromptImage {
        media_type: media_type.to_owned(),
        data: "aGk=".to_owned(),
    };
    let send = |rig: &mut Rig, image| {
        let (text, images, uuid) = ("look".to_owned(), vec![image], "u1".to_owned());
        told(rig.ask(|done| Command::Prompt {
            text,
            images,
            uuid,
            done,
        }))
    };
    assert_eq!(send(&mut rig, image("image/png")), Ok(()));
    let content = &rig.written.last().unwrap()["message"]["content"];
    assert_eq!(content[0], json!({ "type": "text", "text": "look" }));
    let source = json!({ "type": "base64", "media_type": "image/png", "data": "aGk=" });
    assert_eq!(content[1], json!({ "type": "image", "source": source }));
    assert_eq!(
        send(&mut rig, image("image/tiff")).unwrap_err().code(),
        "bad_image"
    );
}

/// One call that fails for want of permission.
fn failed_call(rig: &mut Rig, number: u32) {
    let id = format!("t{number}");
    rig.line(
        json!({ "type": "user", "session_id": "cli-1", "message": { "role": "user", "content": [
        { "type": "tool_result", "tool_use_id": id, "is_error": true,
          "content": "Tool permission request failed: Error: Stream closed" }] } }),
    );
}

#[test]
fn a_loop_of_failed_permissions_is_interrupted_once() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    for number in 0..4 {
        failed_call(&mut rig, number);
    }
    assert_eq!(rig.count_asked("interrupt"), 0);
    for number in 4..10 {
        failed_call(&mut rig, number);
    }
    assert_eq!(rig.count_asked("interrupt"), 1);
    assert_eq!(rig.notices("permission_loop").len(), 1);
}

#[test]
fn a_channel_that_is_half_dead_is_told_by_its_name() {
    for (text, channel) in [
        ("MCP error -32000: Connection closed", "mcp"),
        ("PreToolUse:Bash hook error: no answer", "hook"),
        ("Error: control request timed out", "control"),
        ("Stream closed", "permission"),
    ] {
        let mut rig = Rig::ready(Policy::Supervised);
        rig.prompt("go");
        rig.init();
        for number in 0..6 {
            rig.line(json!({ "type": "user", "session_id": "cli-1", "message": { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": format!("t{number}"), "is_error": true, "content": text }] } }));
        }
        assert_eq!(rig.count_asked("interrupt"), 1, "{text}");
        assert_eq!(rig.notices("permission_loop")[0]["channel"], channel);
    }
}

#[test]
fn a_person_may_deny_as_often_as_they_like() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    for number in 0..10 {
        let id = format!("q{number}");
        rig.can_use_tool(&id, "Bash", json!({ "command": "ls" }));
        let decision = crate::Decision::Deny {
            message: Some("no permission".to_owned()),
            interrupt: false,
        };
        let by = kandev_transcript::ResolvedBy::User;
        let pending_id = id.clone();
        told(rig.ask(|done| Command::Answer {
            pending_id,
            decision,
            by,
            done,
        }))
        .unwrap();
        rig.line(
            json!({ "type": "user", "session_id": "cli-1", "message": { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": format!("call-{id}"), "is_error": true,
              "content": "no permission" }] } }),
        );
    }
    assert_eq!(rig.count_asked("interrupt"), 0);
}

#[test]
fn a_notice_of_the_host_stands_in_the_journal() {
    let mut rig = Rig::ready(Policy::Supervised);
    let text = "The disk is full.".to_owned();
    rig.give(Input::Command(Command::Notice {
        kind: "debug_log".to_owned(),
        text: text.clone(),
        data: serde_json::Value::Null,
    }));
    assert!(rig.events.iter().any(|body| {
        matches!(body, EventBody::Notice { kind, text: told, .. } if kind == "debug_log" && *told == text)
    }));
}
