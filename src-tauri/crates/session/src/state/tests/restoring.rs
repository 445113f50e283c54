use kandev_transcript::{Event, TodoItem};

use super::*;

fn restored() -> Rig {
    Rig::restored(request(Policy::Supervised), past())
}

#[test]
fn it_is_as_it_was_left_and_nothing_runs() {
    let rig = restored();
    let info = rig.state.info();
    assert_eq!(rig.plans.len(), 0);
    assert_eq!(
        (info.phase, info.since.as_str()),
        (Phase::Stopped, "2026-01-01T00:00:00.000Z")
    );
    assert_eq!(info.started_at, "2025-12-31T00:00:00.000Z");
    assert_eq!((info.title.as_str(), info.last_seq), ("Fix the parser", 40));
    assert_eq!(info.cli_session_id.as_deref(), Some("cli-1"));
    assert_eq!(info.last_message_uuid.as_deref(), Some("m-9"));
    assert_eq!(info.permission_mode.as_deref(), Some("acceptEdits"));
    assert_eq!(
        info.next_step.as_deref(),
        Some("Send a prompt: it resumes the conversation.")
    );
}

#[test]
fn no_phase_of_a_process_outlives_it() {
    for phase in [
        Phase::Starting,
        Phase::Idle,
        Phase::Thinking,
        Phase::Streaming,
        Phase::Tool,
        Phase::Approval,
        Phase::Question,
        Phase::RateLimited,
        Phase::Retrying,
        Phase::Compacting,
        Phase::Background,
        Phase::Stopped,
        Phase::Failed,
    ] {
        let rig = Rig::restored(request(Policy::Supervised), Past { phase, ..past() });
        let left = if phase == Phase::Failed {
            phase
        } else {
            Phase::Stopped
        };
        assert_eq!(rig.phase(), left, "left in {phase:?}");
    }
}

#[test]
fn the_first_prompt_resumes_in_the_mode_and_with_the_model_that_it_had() {
    let mut rig = restored();
    rig.wait(5);
    rig.prompt("go on");
    assert_eq!(
        (rig.phase(), rig.state.info().since.as_str()),
        (Phase::Starting, wall(5).as_str())
    );
    let plan = &rig.plans[0];
    assert_eq!(plan.request.resume.as_deref(), Some("cli-1"));
    assert_eq!(plan.mode.as_deref(), Some("acceptEdits"));
    assert_eq!(plan.request.model.as_deref(), Some("claude-opus"));
    rig.launch();
    rig.initialized();
    assert_eq!(rig.prompts(), ["go on"]);
    assert_eq!(
        rig.state.info().title,
        "Fix the parser",
        "a prompt takes no title away"
    );
    let told = rig
        .events
        .iter()
        .any(|body| matches!(body, EventBody::Notice { kind, .. } if kind == "begun_anew"));
    assert!(!told);
}

#[test]
fn resuming_starts_it_without_a_prompt() {
    let mut rig = restored();
    assert_eq!(told(rig.ask(|done| Command::Resume { done })), Ok(()));
    assert_eq!(rig.plans.len(), 1);
    rig.launch();
    rig.initialized();
    assert_eq!(rig.phase(), Phase::Idle);
}

#[test]
fn what_it_had_become_goes_before_what_it_was_started_with() {
    let chosen = NewSession {
        model: Some("haiku".to_owned()),
        effort: Some("high".to_owned()),
        ..request(Policy::Supervised)
    };
    let past = Past {
        effort: Some("low".to_owned()),
        ..past()
    };
    let mut rig = Rig::restored(chosen, past);
    rig.prompt("go on");
    let request = &rig.plans[0].request;
    assert_eq!(
        (request.model.as_deref(), request.effort.as_deref()),
        (Some("claude-opus"), Some("low"))
    );
}

#[test]
fn a_mode_that_the_policy_does_not_allow_is_not_taken_from_the_past() {
    let past = Past {
        permission_mode: Some("bypassPermissions".to_owned()),
        ..past()
    };
    for policy in [Policy::Supervised, Policy::Plan, Policy::Rules] {
        let mut rig = Rig::restored(request(policy), past.clone());
        rig.prompt("go on");
        assert_eq!(rig.plans[0].mode, None, "{policy:?}");
        assert_eq!(rig.plans[0].request.policy, policy);
    }
}

#[test]
fn an_autonomous_session_says_its_warning_again() {
    let mut rig = Rig::restored(
        request(Policy::Autonomous),
        Past {
            permission_mode: None,
            ..past()
        },
    );
    rig.prompt("go on");
    assert_eq!(rig.plans[0].request.policy, Policy::Autonomous);
    let warning = crate::launch::Warning {
        kind: "autonomous",
        text: "Nothing is asked.".to_owned(),
    };
    let facts = Facts {
        version: Version::of_numbers("2.1.332"),
        warnings: vec![warning],
    };
    rig.give(Input::Launched(Ok(facts)));
    assert_eq!(rig.notices("autonomous").len(), 1);
}

#[test]
fn the_first_request_to_resume_is_gone_with_its_cut() {
    let begun_by_a_cut = NewSession {
        resume: Some("cli-1".to_owned()),
        resume_at: Some("m-1".to_owned()),
        ..request(Policy::Supervised)
    };
    let mut rig = Rig::restored(begun_by_a_cut, past());
    rig.prompt("go on");
    let plan = &rig.plans[0].request;
    assert_eq!(
        (plan.resume.as_deref(), plan.resume_at.as_deref()),
        (Some("cli-1"), None)
    );
}

#[test]
fn a_fork_that_has_not_begun_is_still_to_be_forked_and_one_that_has_is_not() {
    let forking = NewSession {
        resume: Some("cli-0".to_owned()),
        resume_at: Some("m-1".to_owned()),
        fork: true,
        ..request(Policy::Supervised)
    };
    for (own, resume, at, fork) in [
        (None, "cli-0", Some("m-1"), true),
        (Some("cli-0"), "cli-0", Some("m-1"), true),
        (Some("cli-1"), "cli-1", None, false),
    ] {
        let past = Past {
            cli_session_id: own.map(str::to_owned),
            ..past()
        };
        let mut rig = Rig::restored(forking.clone(), past);
        assert_eq!(rig.state.info().forked_from.as_deref(), Some("cli-0"));
        rig.prompt("go");
        let plan = &rig.plans[0].request;
        assert_eq!(
            (plan.resume.as_deref(), plan.resume_at.as_deref(), plan.fork),
            (Some(resume), at, fork)
        );
    }
}

#[test]
fn a_fork_of_which_only_the_row_is_left_is_forked_where_it_was() {
    let past = Past {
        cli_session_id: None,
        forked_from: Some("cli-0".to_owned()),
        ..past()
    };
    let mut rig = Rig::restored(request(Policy::Supervised), past);
    rig.prompt("go");
    let plan = &rig.plans[0].request;
    assert_eq!((plan.resume.as_deref(), plan.fork), (Some("cli-0"), true));
    assert_eq!(plan.resume_at.as_deref(), Some("m-9"));
    rig.launch();
    assert_eq!(rig.notices("begun_anew").len(), 0);
}

#[test]
fn a_session_that_the_cli_never_had_begins_anew_and_says_so_if_something_was_asked() {
    for (asked, notices) in [(None, 0), (Some("m-1".to_owned()), 1)] {
        let past = Past {
            cli_session_id: None,
            last_message_uuid: asked,
            ..past()
        };
        let mut rig = Rig::restored(request(Policy::Supervised), past);
        rig.prompt("go");
        assert_eq!(rig.plans[0].request.resume, None);
        rig.launch();
        assert_eq!(rig.notices("begun_anew").len(), notices);
    }
}

#[test]
fn the_todos_go_on() {
    let item = |id: &str, status: &str| TodoItem {
        id: Some(id.to_owned()),
        description: Some(format!("Step {id}")),
        status: Some(status.to_owned()),
        ..TodoItem::default()
    };
    let todos = Event {
        ..serde_json::from_value(json!({ "seq": 30, "at": wall(0), "type": "todos",
            "items": [item("1", "completed"), item("2", "pending")] }))
        .unwrap()
    };
    let mut rig = Rig::restored(
        request(Policy::Supervised),
        Past {
            standing: vec![todos],
            ..past()
        },
    );
    rig.prompt("go on");
    rig.launch();
    rig.initialized();
    rig.init();
    rig.line(json!({ "type": "assistant", "session_id": "cli-1", "parent_tool_use_id": null, "uuid": "a", "message": {
        "id": "m", "role": "assistant", "content": [{ "type": "tool_use", "id": "t1", "name": "TaskUpdate",
        "input": { "taskId": "2", "status": "in_progress" } }] } }));
    rig.line(json!({ "type": "user", "session_id": "cli-1", "parent_tool_use_id": null, "message": { "role": "user",
        "content": [{ "type": "tool_result", "tool_use_id": "t1", "content": "Updated task #2 status" }] },
        "tool_use_result": { "success": true, "taskId": "2", "updatedFields": ["status"] } }));
    let items = rig.events.iter().find_map(|body| match body {
        EventBody::Todos { items } => Some(items.clone()),
        _ => None,
    });
    assert_eq!(
        items.unwrap(),
        [item("1", "completed"), item("2", "in_progress")]
    );
}

#[test]
fn a_restored_session_can_be_stopped_and_stays_as_it_was() {
    let mut rig = restored();
    assert_eq!(told(rig.ask(|done| Command::Stop { done })), Ok(()));
    assert_eq!(
        (rig.phase(), rig.state.info().since.as_str()),
        (Phase::Stopped, "2026-01-01T00:00:00.000Z")
    );
}

#[test]
fn an_overdue_resume_names_what_it_was_doing() {
    let mut rig = restored();
    rig.prompt("go on");
    rig.launch();
    rig.wait(30);
    assert_eq!(rig.errors(), ["initialize_timeout"]);
    rig.killed();
    assert!(rig.problem().contains("of resuming"), "{}", rig.problem());
}
