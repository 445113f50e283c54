//! Time limits of questions, and turns of which nothing is heard.

use super::*;

fn limited(seconds: Option<u32>) -> Rig {
    let mut rig = Rig::ready_with(NewSession {
        permission_timeout_s: seconds,
        ..request(Policy::Supervised)
    });
    rig.prompt("go");
    rig.init();
    rig
}

#[test]
fn a_question_waits_for_as_long_as_it_takes_unless_a_limit_is_set() {
    for off in [None, Some(0)] {
        let mut rig = limited(off);
        rig.can_use_tool("q1", "Bash", json!({ "command": "ls" }));
        rig.wait(7 * 24 * 3600);
        assert!(rig.answer_to("q1").is_none());
        assert_eq!(rig.state.info().waiting, 1);
    }
}

#[test]
fn a_question_with_a_limit_is_denied_says_so_and_ends_the_turn() {
    let mut rig = limited(Some(90));
    assert_eq!(rig.state.info().permission_timeout_s, Some(90));
    rig.can_use_tool("q1", "Bash", json!({ "command": "ls" }));
    rig.wait(89);
    assert!(rig.answer_to("q1").is_none());
    rig.wait(1);
    let payload = &rig.answer_to("q1").unwrap()["response"];
    assert_eq!(
        (&payload["behavior"], &payload["interrupt"]),
        (&json!("deny"), &json!(true))
    );
    let message = payload["message"].as_str().unwrap();
    assert!(
        message.contains("90 s") && message.contains("timeout"),
        "{message}"
    );
    let by_timeout = rig.events.iter().any(|body| {
        matches!(body, EventBody::PermissionResolved { pending_id, by: ResolvedBy::Timeout, .. } if pending_id == "q1")
    });
    assert!(by_timeout);
    assert_eq!(
        rig.notices("permission_timeout"),
        [&json!({ "pending_id": "q1", "seconds": 90 })]
    );
    assert_eq!(rig.answer("q1", allow()).unwrap_err().code(), "not_pending");
}

#[test]
fn each_question_has_a_limit_of_its_own() {
    let mut rig = limited(Some(60));
    rig.can_use_tool("q1", "Bash", json!({ "command": "ls" }));
    rig.wait(40);
    rig.can_use_tool("q2", "Bash", json!({ "command": "pwd" }));
    rig.wait(20);
    assert!(rig.answer_to("q1").is_some() && rig.answer_to("q2").is_none());
    rig.answer("q2", allow()).unwrap();
    rig.wait(100);
    assert_eq!(rig.notices("permission_timeout").len(), 1);
}

#[test]
fn a_silent_turn_is_reported_once_and_goes_on() {
    let mut rig = limited(None);
    rig.wait(119);
    assert!(rig.notices("silent_turn").is_empty());
    rig.wait(1);
    let told = rig.notices("silent_turn")[0].clone();
    assert_eq!(
        (&told["waiting_for"], &told["seconds"]),
        (&json!("model"), &json!(120))
    );
    assert!(!told["next_step"].as_str().unwrap().is_empty());
    rig.wait(1_000);
    assert_eq!(rig.notices("silent_turn").len(), 1);
    // A sign of life and an answer to ourselves say nothing of the turn.
    rig.line(json!({ "type": "keep_alive" }));
    rig.wait(1_000);
    assert_eq!(rig.notices("silent_turn").len(), 1);
    rig.line(json!({ "type": "system", "subtype": "status", "status": "requesting", "uuid": "u" }));
    rig.wait(120);
    assert_eq!(rig.notices("silent_turn").len(), 2);
    assert!(rig.terminated.is_empty() && rig.count_asked("interrupt") == 0);
}

#[test]
fn nobody_is_told_of_silence_while_a_person_is_asked_or_no_turn_runs() {
    let mut rig = limited(None);
    rig.can_use_tool("q1", "Bash", json!({ "command": "ls" }));
    rig.wait(1_000);
    assert!(rig.notices("silent_turn").is_empty());
    rig.answer("q1", allow()).unwrap();
    rig.wait(119);
    assert!(
        rig.notices("silent_turn").is_empty(),
        "it counts from the answer"
    );
    rig.wait(1);
    assert_eq!(rig.notices("silent_turn").len(), 1);
    rig.result();
    rig.wait(1_000);
    assert_eq!(rig.notices("silent_turn").len(), 1);
}

fn call(rig: &mut Rig, id: &str, name: &str) {
    rig.line(
        json!({ "type": "assistant", "session_id": "cli-1", "uuid": format!("a-{id}"), "message": {
        "id": format!("m-{id}"), "role": "assistant", "model": "m",
        "content": [{ "type": "tool_use", "id": id, "name": name, "input": {} }] } }),
    );
}

#[test]
fn a_report_of_silence_names_what_is_waited_for() {
    let mut rig = limited(None);
    call(&mut rig, "t1", "Bash");
    rig.wait(120);
    let told = rig.notices("silent_turn")[0].clone();
    assert_eq!(
        (&told["waiting_for"], &told["tool_call_id"]),
        (&json!("tool"), &json!("t1"))
    );

    let mut rig = limited(None);
    call(&mut rig, "t1", "Agent");
    rig.line(
        json!({ "type": "system", "subtype": "task_started", "task_id": "k1", "tool_use_id": "t1",
        "task_type": "local_agent", "is_backgrounded": false, "uuid": "u" }),
    );
    rig.wait(120);
    let told = rig.notices("silent_turn")[0].clone();
    assert_eq!(
        (&told["waiting_for"], &told["task_id"]),
        (&json!("task"), &json!("k1"))
    );

    let lines = [
        (
            "retry",
            json!({ "type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 10, "retry_delay_ms": 600_000,
                "error": "overloaded", "error_status": 529, "uuid": "u" }),
        ),
        (
            "rate_limit",
            json!({ "type": "rate_limit_event", "rate_limit_info": { "status": "rejected" }, "uuid": "u" }),
        ),
        (
            "compaction",
            json!({ "type": "system", "subtype": "status", "status": "compacting", "uuid": "u" }),
        ),
    ];
    for (word, line) in lines {
        let mut rig = limited(None);
        rig.line(line);
        rig.wait(120);
        assert_eq!(rig.notices("silent_turn")[0]["waiting_for"], word);
    }
}
