use super::*;

fn stop(rig: &mut Rig) -> Outcome {
    rig.ask(|done| Command::Stop { done })
}

#[test]
fn stopping_always_ends_in_stopped() {
    let mut rig = Rig::ready(Policy::Supervised);
    let mut first = stop(&mut rig);
    let second = stop(&mut rig);
    assert!(rig.closed);
    assert!(first.try_recv().is_err(), "it waits for the end");
    rig.exit(0);
    assert_eq!((told(first), told(second)), (Ok(()), Ok(())));
    assert_eq!((rig.phase(), rig.problem()), (Phase::Stopped, ""));
    let third = stop(&mut rig);
    assert_eq!(told(third), Ok(()));
    assert_eq!(rig.phase(), Phase::Stopped);
}

#[test]
fn stopping_in_a_turn_interrupts_it_and_ends_by_force_if_need_be() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    stop(&mut rig);
    assert_eq!(rig.count_asked("interrupt"), 1);
    rig.wait(2);
    assert!(rig.terminated.is_empty());
    rig.wait(1);
    assert_eq!(rig.terminated.len(), 1);
    rig.wait(60);
    assert_eq!(rig.terminated.len(), 1, "once is enough");
    rig.give(Input::Exited(Exit {
        code: None,
        signal: Some("SIGKILL".to_owned()),
    }));
    assert_eq!((rig.phase(), rig.problem()), (Phase::Stopped, ""));
    assert_eq!(rig.errors(), [""; 0]);
}

#[test]
fn stopping_a_launch_gives_it_up() {
    let mut rig = Rig::new(request(Policy::Supervised));
    let uuid = rig.prompt("go");
    assert_eq!(told(stop(&mut rig)), Ok(()));
    assert!(rig.aborted);
    assert_eq!(rig.phase(), Phase::Stopped);
    assert_eq!(rig.returned(), [uuid]);
}

#[test]
fn a_failed_session_can_be_stopped() {
    let mut rig = Rig::launched(request(Policy::Supervised));
    rig.exit(1);
    assert_eq!(rig.phase(), Phase::Failed);
    told(stop(&mut rig)).unwrap();
    assert_eq!(rig.phase(), Phase::Stopped);
}

#[test]
fn a_good_result_outranks_a_bad_exit_code() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.result();
    rig.exit(1);
    assert_eq!(rig.phase(), Phase::Stopped);
    assert!(
        rig.problem()
            .contains("The next prompt resumes the conversation"),
        "{}",
        rig.problem()
    );
}

#[test]
fn an_end_in_a_turn_is_a_failure_with_the_last_words() {
    for code in [0, 1] {
        let mut rig = Rig::ready(Policy::Supervised);
        rig.prompt("go");
        rig.init();
        rig.give(Input::Stderr("out of memory".to_owned()));
        rig.exit(code);
        assert_eq!(rig.phase(), Phase::Failed);
        assert_eq!(rig.errors().len(), 1, "exit status {code}");
        assert!(rig.problem().contains("out of memory"), "{}", rig.problem());
    }
}

#[test]
fn the_next_prompt_resumes_in_the_mode_that_was_confirmed() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("first");
    rig.init();
    rig.line(json!({ "type": "system", "subtype": "status", "status": null, "permissionMode": "acceptEdits",
        "session_id": "cli-1" }));
    rig.result();
    rig.exit(0);
    rig.prompt("second");
    assert_eq!(rig.phase(), Phase::Starting);
    let plan = &rig.plans[1];
    assert_eq!(plan.request.resume.as_deref(), Some("cli-1"));
    assert_eq!(plan.mode.as_deref(), Some("acceptEdits"));
    rig.launch();
    rig.initialized();
    assert_eq!(rig.prompts(), ["first", "second"]);
}

#[test]
fn a_mode_that_was_wished_for_without_a_process_is_the_one_to_start_in() {
    let mut rig = Rig::ready(Policy::Rules);
    rig.init();
    rig.exit(0);
    let outcome = rig.ask(|done| Command::SetMode {
        mode: "plan".to_owned(),
        done,
    });
    assert_eq!(told(outcome), Ok(()));
    rig.ask(|done| Command::Resume { done });
    assert_eq!(rig.plans[1].mode.as_deref(), Some("plan"));
}

#[test]
fn a_conversation_that_went_on_is_not_cut_again() {
    let mut rig = Rig::ready_with(NewSession {
        resume: Some("cli-0".to_owned()),
        resume_at: Some("message".to_owned()),
        ..request(Policy::Supervised)
    });
    assert_eq!(rig.plans[0].request.resume_at.as_deref(), Some("message"));
    rig.prompt("go");
    rig.line(
        json!({ "type": "system", "subtype": "init", "cwd": WORKSPACE, "session_id": "cli-0" }),
    );
    rig.result();
    rig.exit(0);
    rig.prompt("more");
    assert_eq!(rig.plans[1].request.resume.as_deref(), Some("cli-0"));
    assert_eq!(rig.plans[1].request.resume_at, None);
}

#[test]
fn a_prompt_to_a_session_that_is_ending_goes_to_the_next_process() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.init();
    rig.result();
    let stopped = stop(&mut rig);
    rig.prompt("one more");
    rig.exit(0);
    assert_eq!(told(stopped), Ok(()));
    assert_eq!(rig.plans.len(), 2);
    rig.launch();
    rig.initialized();
    assert_eq!(rig.prompts(), ["one more"]);
    assert_eq!(rig.returned(), [""; 0]);
}

#[test]
fn resuming_a_session_that_runs_changes_nothing() {
    let mut rig = Rig::ready(Policy::Supervised);
    assert_eq!(told(rig.ask(|done| Command::Resume { done })), Ok(()));
    assert_eq!(rig.plans.len(), 1);
    assert_eq!(rig.phase(), Phase::Idle);
}

#[test]
fn an_interrupt_while_starting_gives_the_prompt_back() {
    let mut rig = Rig::launched(request(Policy::Supervised));
    let uuid = rig.prompt("go");
    assert_eq!(
        told(rig.ask(|done| Command::Interrupt {
            cancel_queued: false,
            done,
        })),
        Ok(())
    );
    assert_eq!(rig.returned(), [uuid]);
    rig.initialized();
    assert_eq!(rig.prompts(), [""; 0]);
    assert_eq!(rig.phase(), Phase::Idle);
}

fn finish(rig: &mut Rig) -> Outcome {
    rig.ask(|done| Command::Finish { done })
}

#[test]
fn a_turn_may_finish_before_the_end() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    let mut finished = finish(&mut rig);
    assert!(rig.closed);
    assert_eq!(rig.count_asked("interrupt"), 0);
    rig.wait(3_600);
    assert!(rig.terminated.is_empty(), "however long it takes");
    rig.result();
    rig.wait(1);
    assert!(rig.terminated.is_empty() && finished.try_recv().is_err());
    rig.wait(1);
    assert_eq!(rig.terminated.len(), 1, "it should have left by now");
    rig.exit(0);
    assert_eq!(told(finished), Ok(()));
    assert_eq!(rig.phase(), Phase::Stopped);
}

#[test]
fn a_turn_that_the_cli_begins_by_itself_may_finish_too() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.init();
    rig.result();
    finish(&mut rig);
    rig.wait(1);
    rig.line(json!({ "type": "system", "subtype": "session_state_changed", "state": "running", "session_id": "cli-1" }));
    rig.init();
    rig.wait(60);
    assert!(rig.terminated.is_empty());
}

#[test]
fn patience_ends_when_somebody_stops_the_session() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    finish(&mut rig);
    stop(&mut rig);
    rig.wait(3);
    assert_eq!(rig.terminated.len(), 1);
}
