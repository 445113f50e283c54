use super::*;

fn interrupt(rig: &mut Rig) {
    rig.ask(|done| Command::Interrupt {
        cancel_queued: false,
        done,
    });
}

fn stop(rig: &mut Rig) -> Outcome {
    rig.ask(|done| Command::Stop { done })
}

/// A turn that takes an interrupt and goes on.
fn deaf() -> Rig {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    interrupt(&mut rig);
    let id = rig.asked("interrupt");
    rig.succeed(&id, json!({ "still_queued": [] }));
    rig
}

#[test]
fn an_interrupt_that_does_not_end_the_turn_offers_force_after_ten_seconds() {
    let mut rig = deaf();
    rig.wait(9);
    assert!(!rig.state.info().force_stop);
    rig.wait(1);
    assert!(rig.state.info().force_stop);
    let next_step = rig.state.info().next_step.clone().unwrap();
    assert!(next_step.contains("Stop it by force"), "{next_step}");
    assert_eq!(rig.notices("interrupt_without_effect").len(), 1);
    rig.wait(60);
    assert_eq!(rig.notices("interrupt_without_effect").len(), 1);
    let stopped = stop(&mut rig);
    rig.wait(0);
    assert_eq!(rig.terminated.len(), 1, "it is not asked once more");
    rig.killed();
    assert_eq!(told(stopped), Ok(()));
    assert_eq!(
        (rig.phase(), rig.state.info().force_stop),
        (Phase::Stopped, false)
    );
    rig.prompt("go on");
    assert_eq!(rig.plans[1].request.resume.as_deref(), Some("cli-1"));
}

#[test]
fn an_interrupt_that_is_not_answered_offers_force_too_and_is_told_once() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    interrupt(&mut rig);
    rig.wait(10);
    assert!(rig.state.info().force_stop);
    assert_eq!(rig.notices("interrupt_unanswered").len(), 1);
    assert_eq!(rig.notices("interrupt_without_effect").len(), 0);
}

#[test]
fn a_turn_that_ends_late_takes_the_offer_back() {
    let mut rig = deaf();
    rig.wait(10);
    rig.result();
    assert!(!rig.state.info().force_stop);
    rig.prompt("more");
    rig.wait(60);
    assert!(
        !rig.state.info().force_stop,
        "the next turn was not interrupted"
    );
}

#[test]
fn an_interrupt_between_turns_offers_nothing() {
    let mut rig = Rig::ready(Policy::Supervised);
    interrupt(&mut rig);
    let id = rig.asked("interrupt");
    rig.succeed(&id, json!({}));
    rig.wait(5);
    rig.prompt("go");
    rig.wait(60);
    assert!(!rig.state.info().force_stop);
}

#[test]
fn a_process_that_survives_being_killed_does_not_keep_the_session() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    let mut stopped = stop(&mut rig);
    rig.wait(3);
    assert_eq!(rig.terminated.len(), 1);
    assert!(stopped.try_recv().is_err());
    rig.wait(17);
    assert!(rig.abandoned);
    assert_eq!(told(stopped), Ok(()));
    assert_eq!(rig.phase(), Phase::Stopped);
    assert_eq!(rig.notices("process_lost").len(), 1);
    let events = rig.events.len();
    rig.killed();
    assert_eq!(rig.events.len(), events, "its end comes too late");
}

#[test]
fn a_stop_ends_in_stopped_whatever_went_wrong_meanwhile() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.line(json!({ "type": "system", "subtype": "init", "cwd": "/home/dev/elsewhere", "session_id": "cli-1" }));
    assert_eq!(rig.errors(), ["wrong_folder"]);
    let stopped = stop(&mut rig);
    rig.exit(143);
    assert_eq!(told(stopped), Ok(()));
    assert_eq!(rig.phase(), Phase::Stopped);
    assert!(!rig.problem().is_empty(), "what went wrong is still told");
}

#[test]
fn an_end_between_turns_is_stopped_and_the_next_prompt_resumes() {
    for code in [0, 1] {
        let mut rig = Rig::ready(Policy::Supervised);
        rig.prompt("go");
        rig.init();
        rig.result();
        rig.exit(code);
        assert_eq!(rig.phase(), Phase::Stopped, "exit status {code}");
        assert!(rig.problem().contains("resumes the conversation"));
        rig.prompt("go on");
        assert_eq!(rig.phase(), Phase::Starting);
        assert_eq!(rig.plans[1].request.resume.as_deref(), Some("cli-1"));
    }
}
