//! What the host asks of the CLI.

use kandev_transport::Version;

use super::*;

pub(super) fn version(minor: u32, patch: u32) -> Version {
    Version::new(2, minor, patch)
}

pub(super) fn ready_as(version: Version) -> Rig {
    let mut rig = Rig::new(request(Policy::Supervised));
    rig.give(Input::Launched(Ok(Facts {
        version: Some(version),
        warnings: Vec::new(),
    })));
    rig.initialized();
    rig
}

fn other(subtype: &'static str) -> impl FnOnce(Done) -> Command {
    move |done| Command::Request {
        subtype,
        fields: serde_json::Map::new(),
        done,
    }
}

fn effort(rig: &mut Rig, effort: Option<&str>) -> Outcome {
    let effort = effort.map(str::to_owned);
    rig.ask(|done| Command::SetEffort { effort, done })
}

#[test]
fn an_answer_comes_back_as_it_is_and_only_the_first_counts() {
    let mut rig = Rig::ready(Policy::Supervised);
    let mut outcome = rig.ask(other("get_usage"));
    let id = rig.asked("get_usage");
    rig.succeed(&id, json!({ "subscription_type": "max" }));
    rig.refuse(&id, "too late");
    let answer = outcome.try_recv().unwrap().unwrap().unwrap();
    assert_eq!(answer.get(), r#"{"subscription_type":"max"}"#);
    assert!(rig.notices("control_error").is_empty());
}

#[test]
fn a_refusal_is_told_to_whoever_asked_and_to_everybody_if_nobody_did() {
    let mut rig = Rig::ready(Policy::Supervised);
    let outcome = rig.ask(other("get_usage"));
    let id = rig.asked("get_usage");
    rig.refuse(&id, "not today");
    let error = told(outcome).unwrap_err();
    assert_eq!(error.code(), "refused");
    assert!(error.to_string().contains("not today"));
    assert!(rig.notices("control_error").is_empty());
    drop(rig.ask(other("get_usage")));
    let id = rig.asked("get_usage");
    rig.line(
        json!({ "type": "control_response", "response": { "subtype": "error", "request_id": id,
        "error": "not today", "error_code": "closed" } }),
    );
    assert_eq!(
        rig.notices("control_error"),
        [&json!({ "request": "get_usage", "reason": "not today", "error_code": "closed" })]
    );
}

#[test]
fn every_request_has_a_time_limit() {
    let mut rig = Rig::ready(Policy::Supervised);
    let mut outcome = rig.ask(other("get_usage"));
    rig.wait(29);
    assert!(outcome.try_recv().is_err());
    rig.wait(1);
    assert_eq!(told(outcome).unwrap_err().code(), "no_answer");
    drop(rig.ask(other("mcp_status")));
    rig.wait(30);
    assert_eq!(rig.notices("control_error")[0]["request"], "mcp_status");
}

#[test]
fn a_version_is_not_asked_for_what_it_does_not_know() {
    let mut rig = ready_as(version(1, 88));
    let error = told(rig.ask(other("get_usage"))).unwrap_err();
    assert_eq!(error.code(), "unsupported");
    assert!(error.to_string().contains("2.1.240"), "{error}");
    assert_eq!(rig.count_asked("get_usage"), 0);
    let info = rig.state.info();
    assert!(info.can.contains(&"get_context_usage".to_owned()));
    assert!(!info.can.contains(&"get_usage".to_owned()));
    assert_eq!(
        told(rig.ask(other("no_such_request"))).unwrap_err().code(),
        "unsupported"
    );
}

#[test]
fn what_is_asked_too_early_waits_and_without_a_process_there_is_no_answer() {
    let mut rig = Rig::new(request(Policy::Supervised));
    let mut early = rig.ask(other("mcp_status"));
    rig.launch();
    assert!(early.try_recv().is_err());
    rig.initialized();
    let id = rig.asked("mcp_status");
    rig.succeed(&id, json!({}));
    assert_eq!(told(early), Ok(()));
    rig.exit(0);
    assert_eq!(
        told(rig.ask(other("mcp_status"))).unwrap_err().code(),
        "ended"
    );
    rig.prompt("again");
    let early = rig.ask(other("mcp_status"));
    rig.launch();
    rig.exit(1);
    assert_eq!(told(early).unwrap_err().code(), "ended");
}

#[test]
fn no_request_gets_around_the_policy_or_the_hooks() {
    let mut rig = Rig::ready(Policy::Supervised);
    let fields = json!({ "mode": "bypassPermissions" });
    let outcome = rig.ask(|done| Command::Request {
        subtype: "set_permission_mode",
        fields: fields.as_object().unwrap().clone(),
        done,
    });
    assert_eq!(told(outcome).unwrap_err().code(), "bad_mode");
    let before = rig.count_asked("initialize");
    assert_eq!(
        told(rig.ask(other("initialize"))).unwrap_err().code(),
        "refused"
    );
    assert_eq!(
        (
            rig.count_asked("set_permission_mode"),
            rig.count_asked("initialize")
        ),
        (0, before)
    );
}

#[test]
fn an_interrupt_can_take_the_waiting_prompts_with_it() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("first");
    rig.init();
    let second = rig.prompt("second");
    let mut outcome = rig.ask(|done| Command::Interrupt {
        cancel_queued: true,
        done,
    });
    let sent = rig.written.last().unwrap()["request"].clone();
    assert_eq!(
        sent,
        json!({ "subtype": "interrupt", "cancel_queued": true })
    );
    rig.line(json!({ "type": "command_lifecycle", "command_uuid": second, "state": "cancelled" }));
    let id = rig.asked("interrupt");
    rig.succeed(&id, json!({ "still_queued": [], "cancelled": [second] }));
    let answer = outcome.try_recv().unwrap().unwrap().unwrap();
    assert!(answer.get().contains(&second));
    assert_eq!(rig.returned(), [second]);
}

#[test]
fn an_interrupt_without_an_answer_ends_after_ten_seconds_and_offers_the_stop() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    let outcome = rig.ask(|done| Command::Interrupt {
        cancel_queued: false,
        done,
    });
    rig.wait(10);
    assert_eq!(told(outcome).unwrap_err().code(), "no_answer");
    assert_eq!(rig.notices("interrupt_unanswered").len(), 1);
}

#[test]
fn an_effort_holds_when_the_cli_says_so() {
    let mut rig = Rig::ready(Policy::Supervised);
    let outcome = effort(&mut rig, Some("high"));
    let sent = rig.written.last().unwrap()["request"].clone();
    assert_eq!(
        sent,
        json!({ "subtype": "apply_flag_settings", "settings": { "effortLevel": "high" } })
    );
    let id = rig.asked("apply_flag_settings");
    rig.succeed(&id, json!(null));
    assert_eq!(rig.state.info().effort, None);
    let id = rig.asked("get_settings");
    rig.succeed(
        &id,
        json!({ "applied": { "model": "m", "effort": "high" } }),
    );
    assert_eq!(told(outcome), Ok(()));
    assert_eq!(rig.state.info().effort.as_deref(), Some("high"));
}

#[test]
fn an_effort_that_the_model_does_not_take_is_not_shown() {
    for (holds, reason) in [
        (json!(null), "no levels"),
        (json!("medium"), "stays medium"),
    ] {
        let mut rig = Rig::ready(Policy::Supervised);
        let outcome = effort(&mut rig, Some("high"));
        let id = rig.asked("apply_flag_settings");
        rig.succeed(&id, json!(null));
        let id = rig.asked("get_settings");
        rig.succeed(&id, json!({ "applied": { "effort": holds } }));
        let error = told(outcome).unwrap_err();
        assert_eq!(error.code(), "refused");
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(json!(rig.state.info().effort), holds);
    }
}

#[test]
fn the_model_s_own_effort_is_asked_for_and_shown() {
    let mut rig = Rig::ready(Policy::Supervised);
    let outcome = effort(&mut rig, None);
    let id = rig.asked("apply_flag_settings");
    rig.succeed(&id, json!(null));
    let id = rig.asked("get_settings");
    rig.succeed(&id, json!({ "applied": { "effort": "medium" } }));
    assert_eq!(told(outcome), Ok(()));
    assert_eq!(rig.state.info().effort.as_deref(), Some("medium"));
}

#[test]
fn mode_model_effort_and_thinking_are_those_of_the_next_process_too() {
    let mut rig = Rig::ready(Policy::Supervised);
    let set = |rig: &mut Rig, command: fn(Done) -> Command, subtype: &str, answer: Value| {
        let outcome = rig.ask(command);
        let id = rig.asked(subtype);
        rig.succeed(&id, answer);
        outcome
    };
    set(
        &mut rig,
        |done| Command::SetMode {
            mode: "acceptEdits".to_owned(),
            done,
        },
        "set_permission_mode",
        json!({ "mode": "acceptEdits" }),
    );
    set(
        &mut rig,
        |done| Command::SetModel {
            model: Some("opus".to_owned()),
            done,
        },
        "set_model",
        json!({ "model": "claude-opus-5-5" }),
    );
    set(
        &mut rig,
        |done| Command::SetThinking {
            max_tokens: Some(4_000),
            done,
        },
        "set_max_thinking_tokens",
        json!(null),
    );
    let outcome = effort(&mut rig, Some("low"));
    let id = rig.asked("apply_flag_settings");
    rig.succeed(&id, json!(null));
    let id = rig.asked("get_settings");
    rig.succeed(&id, json!({ "applied": { "effort": "low" } }));
    assert_eq!(told(outcome), Ok(()));
    rig.exit(0);
    rig.prompt("go on");
    let plan = rig.plans.last().unwrap();
    assert_eq!(plan.mode.as_deref(), Some("acceptEdits"));
    assert_eq!(plan.request.model.as_deref(), Some("opus"));
    assert_eq!(plan.request.effort.as_deref(), Some("low"));
    let before = rig.written.len();
    rig.launch();
    rig.initialized();
    let again: Vec<_> = rig.written[before..]
        .iter()
        .filter_map(|line| line["request"]["subtype"].as_str())
        .collect();
    assert_eq!(
        again,
        ["initialize", "set_max_thinking_tokens", "get_settings"]
    );
    assert_eq!(
        rig.written[before + 1]["request"]["max_thinking_tokens"],
        4_000
    );
}

#[test]
fn a_prompt_can_be_withdrawn_while_it_waits() {
    let mut rig = Rig::new(request(Policy::Supervised));
    let first = rig.prompt("first");
    let uuid = first.clone();
    let mut outcome = rig.ask(|done| Command::CancelPrompt { uuid, done });
    assert_eq!(
        outcome.try_recv().unwrap().unwrap().unwrap().get(),
        r#"{"cancelled":true}"#
    );
    assert_eq!(rig.returned(), [first]);
    rig.launch();
    rig.initialized();
    assert_eq!(rig.prompts(), [""; 0]);
    rig.prompt("second");
    rig.init();
    let third = rig.prompt("third");
    let uuid = third.clone();
    let _answer = rig.ask(|done| Command::CancelPrompt { uuid, done });
    assert_eq!(
        rig.written.last().unwrap()["request"],
        json!({ "subtype": "cancel_async_message", "message_uuid": third })
    );
}

#[test]
fn questions_that_were_open_before_are_asked_once_with_their_own_ids() {
    for subtype in ["success", "error"] {
        let mut rig = Rig::ready(Policy::Supervised);
        let outcome = rig.ask(other("get_usage"));
        let id = rig.asked("get_usage");
        let pending = json!({ "type": "control_request", "request_id": "q1", "request": {
            "subtype": "can_use_tool", "tool_name": "Bash", "input": { "command": "ls" }, "tool_use_id": "t1" } });
        let answer = |id: &str| {
            json!({ "type": "control_response", "response": { "subtype": subtype, "request_id": id, "error": "no",
                "pending_permission_requests": [pending] } })
        };
        rig.line(answer(&id));
        rig.line(answer("another"));
        rig.line(pending.clone());
        drop(outcome);
        assert_eq!(rig.state.info().waiting, 1, "{subtype}");
        let asked = rig
            .events
            .iter()
            .filter(|body| matches!(body, EventBody::PermissionRequest(_)));
        assert_eq!(asked.count(), 1);
        rig.answer("q1", allow()).unwrap();
        rig.line(answer("a third"));
        assert_eq!(rig.state.info().waiting, 0);
        let answers = rig
            .written
            .iter()
            .filter(|line| line["response"]["request_id"] == "q1");
        assert_eq!(answers.count(), 1);
    }
}

#[test]
fn a_version_that_would_rewind_is_not_asked_for_a_dry_run() {
    let mut rig = Rig::new(request(Policy::Supervised));
    let version = Version::of_numbers("2.0.76");
    rig.give(Input::Launched(Ok(Facts {
        version,
        warnings: Vec::new(),
    })));
    rig.initialized();
    for (dry_run, asked) in [(true, 0), (false, 1)] {
        let fields = json!({ "user_message_id": "m-1", "dry_run": dry_run });
        let fields = fields.as_object().unwrap().clone();
        let mut outcome = rig.ask(|done| Command::Request {
            subtype: "rewind_files",
            fields,
            done,
        });
        assert_eq!(rig.count_asked("rewind_files"), asked);
        assert_eq!(outcome.try_recv().is_ok(), dry_run, "it is refused at once");
    }
}
