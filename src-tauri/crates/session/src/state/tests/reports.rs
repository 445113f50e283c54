//! What users of other hosts ran into (asks.md C, D, E, N, P), as far as the deciding part is concerned and no other
//! test of its says it.

use kandev_transcript::Behavior;

use super::*;

/// U18, U24.
#[test]
fn an_open_question_shows_in_the_row_with_its_age_and_what_it_asks() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.wait(5);
    rig.can_use_tool("q1", "Bash", json!({ "command": "ls" }));
    rig.wait(5);
    rig.can_use_tool("q2", "Write", json!({ "file_path": "/a", "content": "b" }));
    let info = rig.state.info();
    assert_eq!((info.phase, info.waiting), (Phase::Approval, 2));
    assert_eq!(info.waiting_since, Some(wall(5)));
    assert!(info.waiting_for.as_deref().unwrap().contains("ls"));
    rig.answer("q1", allow()).unwrap();
    let info = rig.state.info();
    assert_eq!(
        (info.waiting, info.waiting_since.clone()),
        (1, Some(wall(10)))
    );
}

/// U22.
#[test]
fn nothing_is_denied_without_a_person_a_limit_or_the_end() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    let odd = [
        json!({ "subtype": "can_use_tool" }),
        json!({ "subtype": "can_use_tool", "tool_name": 5, "input": "words" }),
        json!({ "subtype": "can_use_tool", "tool_name": "FromTheFuture", "input": [1] }),
        json!({ "subtype": "can_use_tool", "tool_name": "Bash", "input": null, "agent_id": "a1" }),
    ];
    for (number, request) in odd.iter().enumerate() {
        rig.control(&format!("q{number}"), request.clone());
    }
    rig.prompt("meanwhile");
    rig.wait(100_000);
    rig.result();
    for (number, request) in odd.iter().enumerate() {
        let answer = rig.answer_to(&format!("q{number}"));
        assert!(answer.is_none(), "{request}");
    }
    assert_eq!(rig.state.info().waiting, 4);
}

/// U26.
#[test]
fn the_input_stays_open_after_a_result() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.result();
    rig.wait(10_000);
    assert!(!rig.closed && rig.terminated.is_empty());
    rig.can_use_tool("q1", "Bash", json!({ "command": "ls" }));
    rig.answer("q1", allow()).unwrap();
    assert!(rig.answer_to("q1").is_some());
}

/// U29, U35.
#[test]
fn the_mode_is_the_one_that_the_cli_confirms() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.init();
    let mode = |mode: &str| json!({ "type": "system", "subtype": "status", "status": null, "permissionMode": mode, "uuid": mode });
    let shown = |rig: &Rig| rig.state.info().permission_mode.clone().unwrap();
    let wish = "plan".to_owned();
    let _outcome = rig.ask(|done| Command::SetMode { mode: wish, done });
    assert_eq!(shown(&rig), "default", "a click changes nothing");
    let id = rig.asked("set_permission_mode");
    // The answer names another mode than was asked for.
    rig.succeed(&id, json!({ "mode": "acceptEdits" }));
    assert_eq!(shown(&rig), "acceptEdits");
    rig.line(mode("plan"));
    assert_eq!(shown(&rig), "plan");
    rig.can_use_tool("q1", "ExitPlanMode", json!({ "plan": "do it" }));
    rig.answer("q1", allow()).unwrap();
    assert_eq!(shown(&rig), "plan", "an approval alone changes nothing");
    rig.line(mode("default"));
    assert_eq!(shown(&rig), "default");
}

/// U29, as old versions say nothing of their mode.
#[test]
fn a_version_that_confirms_no_mode_has_the_one_that_it_took() {
    let mut rig = Rig::new(request(Policy::Supervised));
    rig.give(Input::Launched(Ok(Facts {
        version: Some(Version {
            major: 2,
            minor: 0,
            patch: 76,
        }),
        warnings: Vec::new(),
    })));
    rig.initialized();
    rig.init();
    let mode = "plan".to_owned();
    let _outcome = rig.ask(|done| Command::SetMode { mode, done });
    let id = rig.asked("set_permission_mode");
    rig.succeed(&id, json!(null));
    assert_eq!(rig.state.info().permission_mode.as_deref(), Some("plan"));
    let told =
        |body: &&EventBody| matches!(body, EventBody::ModeChanged { mode } if mode == "plan");
    assert_eq!(rig.events.iter().filter(told).count(), 1);
}

/// U38.
#[test]
fn open_allowed_and_denied_are_three_states() {
    let mut rig = Rig::ready(Policy::Supervised);
    for id in ["q1", "q2", "q3"] {
        rig.can_use_tool(id, "Bash", json!({ "command": id }));
    }
    rig.answer("q1", allow()).unwrap();
    rig.answer("q2", deny(false)).unwrap();
    let resolved: Vec<_> = rig
        .events
        .iter()
        .filter_map(|body| match body {
            EventBody::PermissionResolved {
                pending_id,
                behavior,
                ..
            } => Some((pending_id.as_str(), *behavior)),
            _ => None,
        })
        .collect();
    assert_eq!(resolved, [("q1", Behavior::Allow), ("q2", Behavior::Deny)]);
    assert_eq!(rig.state.info().waiting, 1);
}

/// U39, U40.
#[test]
fn four_questions_are_answered_by_their_texts() {
    let mut rig = Rig::ready(Policy::Supervised);
    let question = |text: &str, multi: bool| {
        json!({ "question": text, "header": text, "multiSelect": multi,
            "options": [{ "label": "A", "description": "" }, { "label": "B", "description": "" }] })
    };
    let asked = json!({ "questions": [question("One?", false), question("Two?", true), question("Three?", false),
        question("Four?", false)] });
    rig.can_use_tool("q1", "AskUserQuestion", asked.clone());
    assert_eq!(rig.phase(), Phase::Question);
    let answers = json!({ "One?": "A", "Two?": "A, B", "Three?": "something else", "Four?": "B" });
    let decision = Decision::Allow {
        updated_input: Some(json!({ "answers": answers })),
        suggestions: Vec::new(),
    };
    rig.answer("q1", decision).unwrap();
    let sent = &rig.answer_to("q1").unwrap()["response"]["updatedInput"];
    assert_eq!(sent["questions"], asked["questions"]);
    assert_eq!(sent["answers"], answers);
}

/// U42.
#[test]
fn an_end_between_turns_stops_the_session_and_the_next_prompt_begins_again() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.result();
    rig.exit(1);
    assert_eq!(rig.phase(), Phase::Stopped);
    assert!(!rig.problem().is_empty());
    rig.prompt("go on");
    assert_eq!(rig.phase(), Phase::Starting);
    // U53.
    let plan = rig.plans.last().unwrap();
    assert_eq!(plan.request.resume.as_deref(), Some("cli-1"));
}

/// U45.
#[test]
fn a_revival_that_hangs_names_what_it_hung_at() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.result();
    rig.exit(0);
    rig.prompt("go on");
    rig.launch();
    rig.wait(30);
    assert_eq!(rig.errors(), ["initialize_timeout"]);
    rig.exit(143);
    assert!(rig.problem().contains("resuming"), "{}", rig.problem());
}

/// U47, U117.
#[test]
fn a_session_with_tasks_that_run_on_is_not_idle() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    let level = |tasks: Value| json!({ "type": "system", "subtype": "background_tasks_changed", "tasks": tasks, "uuid": "u" });
    rig.line(level(json!([{ "task_id": "b1" }, { "task_id": "b2" }])));
    rig.result();
    assert_eq!(rig.phase(), Phase::Background);
    rig.line(level(json!([{ "task_id": "b2" }])));
    assert_eq!(rig.phase(), Phase::Background);
    rig.line(level(json!([])));
    assert_eq!(rig.phase(), Phase::Idle);
}

/// U50.
#[test]
fn a_session_can_be_stopped_as_often_as_one_likes() {
    let mut rig = Rig::ready(Policy::Supervised);
    let stop = |rig: &mut Rig| rig.ask(|done| Command::Stop { done });
    let (first, second) = (stop(&mut rig), stop(&mut rig));
    rig.exit(0);
    let third = stop(&mut rig);
    for outcome in [first, second, third] {
        assert_eq!(told(outcome), Ok(()));
    }
    assert_eq!(rig.phase(), Phase::Stopped);
}

/// U54.
#[test]
fn turns_that_the_cli_could_not_save_are_told() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.init();
    rig.line(json!({ "type": "system", "subtype": "session_writes_lost", "uuid": "u" }));
    assert_eq!(rig.notices("session_writes_lost").len(), 1);
}

/// U120.
#[test]
fn what_comes_late_does_not_bring_a_turn_back() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.result();
    assert_eq!(rig.phase(), Phase::Idle);
    rig.line(
        json!({ "type": "system", "subtype": "task_progress", "task_id": "b1", "tool_use_id": "t1",
        "description": "Reading", "uuid": "u1" }),
    );
    rig.line(json!({ "type": "system", "subtype": "task_notification", "task_id": "b1", "tool_use_id": "t1",
        "status": "completed", "summary": "done", "uuid": "u2" }));
    rig.line(
        json!({ "type": "tool_progress", "tool_use_id": "t1-heartbeat-0", "tool_name": "Bash",
        "parent_tool_use_id": "t1", "elapsed_time_seconds": 30, "heartbeat": true, "uuid": "u3" }),
    );
    rig.line(json!({ "type": "user", "session_id": "cli-1", "uuid": "u4", "message": { "role": "user", "content": [
        { "type": "tool_result", "tool_use_id": "t1", "content": "late" }] } }));
    assert_eq!(rig.phase(), Phase::Idle);
    rig.wait(1_000);
    assert!(rig.notices("silent_turn").is_empty());
}
