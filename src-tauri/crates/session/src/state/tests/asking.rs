use super::*;
use crate::stop_check::Findings;
use kandev_transcript::Behavior;

fn answer(rig: &mut Rig, id: &str, decision: Decision) -> Result<(), SessionError> {
    let pending_id = id.to_owned();
    told(rig.ask(|done| Command::Answer {
        pending_id,
        decision,
        by: ResolvedBy::User,
        done,
    }))
}

fn resolutions(rig: &Rig) -> Vec<(&str, Behavior, ResolvedBy)> {
    let resolved = |body| match body {
        &EventBody::PermissionResolved {
            ref pending_id,
            behavior,
            by,
            ..
        } => Some((pending_id.as_str(), behavior, by)),
        _ => None,
    };
    rig.events.iter().filter_map(resolved).collect()
}

#[test]
fn a_question_is_answered_once_with_the_whole_input() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.can_use_tool("q1", "Bash", json!({ "command": "ls", "timeout": 1 }));
    assert_eq!(rig.phase(), Phase::Approval);
    assert_eq!(rig.state.info().waiting, 1);
    assert_eq!(answer(&mut rig, "q1", allow()), Ok(()));
    let payload = &rig.answer_to("q1").unwrap()["response"];
    assert_eq!(
        payload,
        &json!({ "behavior": "allow", "updatedInput": { "command": "ls", "timeout": 1 } })
    );
    let late = answer(
        &mut rig,
        "q1",
        Decision::Deny {
            message: None,
            interrupt: false,
        },
    );
    assert_eq!(late.unwrap_err().code(), "not_pending");
    assert_eq!(
        resolutions(&rig),
        [("q1", Behavior::Allow, ResolvedBy::User)]
    );
    assert_eq!(rig.state.info().waiting, 0);
}

#[test]
fn an_answer_after_the_withdrawal_comes_too_late() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.can_use_tool("q1", "Bash", json!({ "command": "ls" }));
    rig.line(json!({ "type": "control_cancel_request", "request_id": "q1" }));
    assert_eq!(
        answer(&mut rig, "q1", allow()).unwrap_err().code(),
        "not_pending"
    );
    assert!(rig.answer_to("q1").is_none());
    assert!(rig.events.contains(&EventBody::PermissionCancelled {
        pending_id: "q1".to_owned()
    }));
}

#[test]
fn several_questions_are_open_at_once_and_answered_in_any_order() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.can_use_tool("q1", "AskUserQuestion", json!({ "questions": [] }));
    rig.wait(5);
    rig.can_use_tool("q2", "Bash", json!({ "command": "ls" }));
    assert_eq!(
        (rig.phase(), rig.state.info().waiting),
        (Phase::Question, 2)
    );
    assert_eq!(
        rig.state.info().waiting_since.as_deref(),
        Some("1970-01-01T00:00:00.000Z")
    );
    answer(&mut rig, "q2", allow()).unwrap();
    assert_eq!(rig.phase(), Phase::Question);
    answer(&mut rig, "q1", allow()).unwrap();
    assert_eq!(rig.state.info().waiting, 0);
}

#[test]
fn the_end_of_the_process_closes_what_is_open() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.can_use_tool("q1", "Bash", json!({ "command": "ls" }));
    rig.exit(1);
    assert_eq!(
        resolutions(&rig),
        [("q1", Behavior::Deny, ResolvedBy::SessionEnd)]
    );
    assert_eq!(
        answer(&mut rig, "q1", allow()).unwrap_err().code(),
        "not_pending"
    );
}

#[test]
fn an_answer_can_be_given_in_the_name_of_a_policy() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.can_use_tool("q1", "Bash", json!({ "command": "ls" }));
    let pending_id = "q1".to_owned();
    let by = ResolvedBy::Policy;
    told(rig.ask(|done| Command::Answer {
        pending_id,
        decision: allow(),
        by,
        done,
    }))
    .unwrap();
    assert_eq!(
        resolutions(&rig),
        [("q1", Behavior::Allow, ResolvedBy::Policy)]
    );
}

#[test]
fn what_nobody_knows_is_answered_with_an_error() {
    let mut rig = Rig::ready(Policy::Supervised);
    let requests = [
        json!({ "subtype": "from_the_future" }),
        json!({ "subtype": "hook_callback", "callback_id": "x", "input": { "hook_event_name": "FromTheFuture" } }),
        json!({ "subtype": "hook_callback", "callback_id": "check_on_stop", "input": {} }),
        json!({ "subtype": "hook_callback" }),
        json!({}),
        json!(null),
    ];
    for (number, request) in requests.into_iter().enumerate() {
        let id = format!("r{number}");
        rig.control(&id, request.clone());
        assert_eq!(rig.answer_to(&id).unwrap()["subtype"], "error", "{request}");
    }
}

/// A session whose agent wants to stop, and what it is answered after the look at the workspace.
fn stopped(rig: &mut Rig, id: &str, active: bool, findings: Findings) -> Value {
    let input = json!({ "hook_event_name": "Stop", "stop_hook_active": active });
    rig.control(
        id,
        json!({ "subtype": "hook_callback", "callback_id": "check_on_stop", "input": input }),
    );
    if rig.checks.last().is_some_and(|check| check == id) {
        assert!(rig.answer_to(id).is_none(), "the answer waits for the look");
        rig.give(Input::StopChecked {
            request_id: Some(id.to_owned()),
            findings,
        });
    }
    rig.answer_to(id).unwrap()["response"].clone()
}

fn changed() -> Findings {
    Findings::Changed(vec!["a.txt".to_owned()])
}

#[test]
fn a_policy_without_hooks_tells_of_uncommitted_changes_when_its_turn_is_over() {
    for policy in [Policy::Rules, Policy::Autonomous] {
        for (check, looks) in [
            (StopCheck::Off, 0),
            (StopCheck::Tell, 1),
            (StopCheck::SendBack, 1),
        ] {
            let mut rig = Rig::ready(policy);
            rig.state.setting.request.stop_check = check;
            rig.prompt("go");
            rig.result();
            assert_eq!(rig.checks.len(), looks, "{policy:?} {check:?}");
            if looks == 1 {
                let before = rig.written.len();
                rig.give(Input::StopChecked {
                    request_id: None,
                    findings: changed(),
                });
                assert_eq!(
                    rig.notices("uncommitted_changes"),
                    [&json!({ "files": ["a.txt"], "sent_back": false })]
                );
                assert_eq!(rig.written.len(), before, "nothing is sent to the agent");
            }
        }
    }
}

#[test]
fn uncommitted_changes_are_told_once() {
    for policy in [Policy::Supervised, Policy::Plan] {
        let mut rig = Rig::ready(policy);
        assert_eq!(stopped(&mut rig, "s1", false, changed()), json!({}));
        assert_eq!(stopped(&mut rig, "s2", false, changed()), json!({}));
        assert_eq!(
            rig.notices("uncommitted_changes"),
            [&json!({ "files": ["a.txt"], "sent_back": false })]
        );
        stopped(&mut rig, "s3", false, Findings::Clean);
        stopped(&mut rig, "s4", false, changed());
        assert_eq!(rig.notices("uncommitted_changes").len(), 2);
    }
}

#[test]
fn an_agent_is_sent_back_once() {
    let mut rig = Rig::ready_with(NewSession {
        stop_check: StopCheck::SendBack,
        ..request(Policy::Supervised)
    });
    let first = stopped(&mut rig, "s1", false, changed());
    assert_eq!(first["decision"], "block");
    assert!(first["reason"].as_str().unwrap().contains("a.txt"));
    assert_eq!(stopped(&mut rig, "s2", true, changed()), json!({}));
    assert_eq!(stopped(&mut rig, "s3", false, Findings::Clean), json!({}));
    assert_eq!(stopped(&mut rig, "s4", false, Findings::Unknown), json!({}));
}

#[test]
fn with_the_check_off_nobody_looks() {
    let mut rig = Rig::ready_with(NewSession {
        stop_check: StopCheck::Off,
        ..request(Policy::Supervised)
    });
    assert_eq!(stopped(&mut rig, "s1", false, changed()), json!({}));
    assert!(rig.checks.is_empty() && rig.notices("uncommitted_changes").is_empty());
}

#[test]
fn a_look_that_comes_too_late_is_let_go() {
    let mut rig = Rig::ready(Policy::Supervised);
    let input = json!({ "hook_event_name": "Stop" });
    rig.control(
        "s1",
        json!({ "subtype": "hook_callback", "callback_id": "check_on_stop", "input": input }),
    );
    rig.line(json!({ "type": "control_cancel_request", "request_id": "s1" }));
    rig.give(Input::StopChecked {
        request_id: Some("s1".to_owned()),
        findings: changed(),
    });
    assert!(rig.answer_to("s1").is_none());
}
