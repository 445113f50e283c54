use super::*;

const GONE: &str = "No conversation found with session ID: cli-1";
const NO_MESSAGE: &str = "No message found with message.uuid of: m-1";

fn resume(id: &str) -> NewSession {
    NewSession {
        resume: Some(id.to_owned()),
        ..request(Policy::Supervised)
    }
}

fn fork(id: &str, at: Option<&str>) -> NewSession {
    NewSession {
        resume_at: at.map(str::to_owned),
        fork: true,
        ..resume(id)
    }
}

fn retry(rig: &mut Rig, at: Option<&str>, text: &str) -> Result<(), SessionError> {
    let (at, text) = (at.map(str::to_owned), text.to_owned());
    told(rig.ask(|done| Command::Retry {
        at,
        text,
        images: Vec::new(),
        uuid: "retried".to_owned(),
        done,
    }))
}

/// What the newest process is told of a conversation: the id, the message, whether it is a fork.
fn taken_up(rig: &Rig) -> (Option<&str>, Option<&str>, bool) {
    let request = &rig.plans.last().unwrap().request;
    (
        request.resume.as_deref(),
        request.resume_at.as_deref(),
        request.fork,
    )
}

fn id(rig: &Rig) -> Option<&str> {
    rig.state.info().cli_session_id.as_deref()
}

#[test]
fn a_first_turn_of_which_nothing_was_kept_is_begun_anew_and_that_is_said() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.killed();
    rig.prompt("again");
    assert_eq!(taken_up(&rig).0, Some("cli-1"), "the CLI may have kept it");
    rig.launch();
    rig.refused(GONE);
    assert_eq!(taken_up(&rig), (None, None, false));
    assert_eq!((rig.phase(), id(&rig)), (Phase::Starting, None));
    rig.launch();
    rig.initialized();
    assert_eq!(rig.notices("begun_anew").len(), 1);
    assert_eq!(rig.prompts(), ["go", "again"]);
    assert_eq!(rig.returned(), [""; 0]);
    rig.init_of("cli-2");
    assert_eq!(id(&rig), Some("cli-2"));
}

#[test]
fn a_conversation_with_a_turn_is_never_begun_anew_by_itself() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.result();
    rig.killed();
    let uuid = rig.prompt("again");
    rig.launch();
    rig.refused(GONE);
    assert_eq!((rig.phase(), rig.plans.len()), (Phase::Failed, 2));
    assert!(
        rig.problem().contains("The next prompt begins a new one"),
        "{}",
        rig.problem()
    );
    assert_eq!(rig.returned(), [uuid]);
    rig.prompt("again");
    assert_eq!(taken_up(&rig).0, None);
    rig.launch();
    assert_eq!(rig.notices("begun_anew").len(), 1);
}

#[test]
fn a_conversation_of_before_that_is_not_there_is_refused_with_where_and_what_to_do() {
    for mut rig in [
        Rig::launched(resume("cli-1")),
        Rig::restored(request(Policy::Supervised), past()),
    ] {
        let uuid = rig.prompt("go on");
        rig.launch();
        rig.refused(GONE);
        assert_eq!(rig.errors(), ["no_conversation"]);
        for words in ["~/.claude/projects/-home-dev-project", "where it began"] {
            assert!(rig.problem().contains(words), "{}", rig.problem());
        }
        assert_eq!((rig.phase(), id(&rig)), (Phase::Failed, Some("cli-1")));
        assert_eq!(rig.returned(), [uuid]);
        rig.prompt("go on");
        assert_eq!(taken_up(&rig).0, Some("cli-1"), "it is tried again");
    }
}

#[test]
fn an_old_version_that_only_says_it_on_stderr_is_understood_too() {
    let mut rig = Rig::launched(resume("cli-1"));
    rig.give(Input::Stderr(GONE.to_owned()));
    rig.exit(1);
    assert_eq!(rig.errors(), ["no_conversation"]);
}

#[test]
fn a_version_that_only_says_it_in_a_result_under_an_id_of_its_own_is_understood_too() {
    let result = json!({ "type": "result", "subtype": "error_during_execution", "is_error": true, "num_turns": 0,
        "errors": [GONE], "session_id": "cli-9" });
    let mut rig = Rig::launched(resume("cli-1"));
    rig.line(result.clone());
    rig.exit(1);
    assert_eq!(rig.errors(), ["no_conversation"]);
    assert!(
        rig.problem().contains("where it began"),
        "{}",
        rig.problem()
    );
    assert_eq!(id(&rig), Some("cli-1"));

    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.killed();
    rig.prompt("again");
    rig.launch();
    rig.line(result);
    rig.exit(1);
    assert_eq!(taken_up(&rig), (None, None, false), "nothing had been kept");
}

#[test]
fn an_old_version_that_gets_the_prompt_before_it_looks_gives_it_back() {
    for (begun_here, code) in [(true, "nothing_kept"), (false, "no_conversation")] {
        let mut rig = match begun_here {
            true => {
                let mut rig = Rig::ready(Policy::Supervised);
                rig.prompt("go");
                rig.init();
                rig.killed();
                rig
            }
            false => Rig::restored(request(Policy::Supervised), past()),
        };
        let uuid = rig.prompt("again");
        rig.launch();
        rig.initialized();
        assert_eq!(rig.prompts().pop(), Some("again"));
        rig.give(Input::Stderr(GONE.to_owned()));
        rig.exit(1);
        assert_eq!(rig.errors().pop(), Some(code));
        assert_eq!(rig.returned(), [uuid]);
        let phase = if begun_here {
            Phase::Starting
        } else {
            Phase::Failed
        };
        assert_eq!(rig.phase(), phase);
    }
}

#[test]
fn words_of_a_conversation_that_runs_are_no_refusal() {
    let mut rig = Rig::ready_with(resume("cli-1"));
    rig.prompt("go on");
    rig.init();
    rig.give(Input::Stderr(GONE.to_owned()));
    rig.exit(1);
    assert!(
        rig.problem().contains("in the middle of a turn"),
        "{}",
        rig.problem()
    );
    rig.prompt("more");
    assert_eq!(taken_up(&rig).0, Some("cli-1"));
}

#[test]
fn what_is_chosen_without_a_process_is_shown_and_is_what_the_next_one_starts_with() {
    let mut rig = Rig::restored(request(Policy::Supervised), past());
    let mode = "plan".to_owned();
    assert_eq!(
        told(rig.ask(|done| Command::SetMode { mode, done })),
        Ok(())
    );
    let model = Some("haiku".to_owned());
    assert_eq!(
        told(rig.ask(|done| Command::SetModel { model, done })),
        Ok(())
    );
    let effort = Some("high".to_owned());
    assert_eq!(
        told(rig.ask(|done| Command::SetEffort { effort, done })),
        Ok(())
    );
    let info = rig.state.info();
    let shown = [&info.permission_mode, &info.model, &info.effort];
    assert_eq!(
        shown.map(Option::as_deref),
        [Some("plan"), Some("haiku"), Some("high")]
    );
    rig.prompt("go");
    let plan = &rig.plans[0];
    let started = [&plan.mode, &plan.request.model, &plan.request.effort];
    assert_eq!(
        started.map(Option::as_deref),
        [Some("plan"), Some("haiku"), Some("high")]
    );
}

#[test]
fn another_session_than_the_one_that_is_resumed_is_an_error_and_gets_no_prompt() {
    let mut rig = Rig::ready_with(resume("cli-1"));
    let uuid = rig.prompt("go on");
    rig.line(json!({ "type": "command_lifecycle", "command_uuid": uuid, "state": "queued", "session_id": "cli-2" }));
    rig.line(json!({ "type": "command_lifecycle", "command_uuid": uuid, "state": "started", "session_id": "cli-2" }));
    rig.init_of("cli-2");
    assert_eq!(rig.errors(), ["other_session"]);
    assert_eq!(rig.terminated.len(), 1);
    rig.line(json!({ "type": "system", "subtype": "status", "status": "requesting", "session_id": "cli-2" }));
    rig.exit(143);
    assert_eq!((rig.phase(), id(&rig)), (Phase::Failed, Some("cli-1")));
    assert_eq!(rig.returned(), [uuid]);
    rig.prompt("go on");
    assert_eq!(taken_up(&rig).0, Some("cli-1"));
}

#[test]
fn a_cut_is_not_forgotten_when_another_session_answers() {
    let mut rig = Rig::ready_with(NewSession {
        resume_at: Some("m-1".to_owned()),
        ..resume("cli-1")
    });
    rig.prompt("go on");
    rig.init_of("cli-2");
    rig.exit(143);
    rig.prompt("go on");
    assert_eq!(taken_up(&rig), (Some("cli-1"), Some("m-1"), false));
}

#[test]
fn what_clears_the_conversation_may_begin_another_one() {
    let mut rig = Rig::ready_with(resume("cli-1"));
    rig.prompt("/clear");
    rig.init_of("cli-2");
    assert_eq!(rig.errors(), [""; 0]);
    rig.result();
    rig.init_of("cli-2");
    assert_eq!(id(&rig), Some("cli-2"));
    rig.exit(0);
    rig.prompt("more");
    assert_eq!(taken_up(&rig).0, Some("cli-2"));
}

#[test]
fn a_fork_gets_an_id_of_its_own_and_keeps_it() {
    let mut rig = Rig::ready_with(fork("cli-0", Some("m-1")));
    assert_eq!(taken_up(&rig), (Some("cli-0"), Some("m-1"), true));
    assert_eq!(id(&rig), None, "the other one's is not its own");
    assert_eq!(rig.state.info().forked_from.as_deref(), Some("cli-0"));
    rig.prompt("go");
    rig.init_of("cli-1");
    rig.result();
    assert_eq!(rig.errors(), [""; 0]);
    rig.exit(0);
    rig.prompt("more");
    assert_eq!(taken_up(&rig), (Some("cli-1"), None, false));
    assert_eq!(rig.state.info().forked_from.as_deref(), Some("cli-0"));
}

#[test]
fn a_fork_that_ended_before_it_began_is_forked_again() {
    let mut rig = Rig::ready_with(fork("cli-0", Some("m-1")));
    rig.killed();
    rig.prompt("go");
    assert_eq!(taken_up(&rig), (Some("cli-0"), Some("m-1"), true));
    rig.launch();
    rig.initialized();
    rig.init();
    rig.killed();
    rig.prompt("again");
    assert_eq!(taken_up(&rig).0, Some("cli-1"));
    rig.launch();
    rig.refused(GONE);
    assert_eq!(
        taken_up(&rig),
        (Some("cli-0"), Some("m-1"), true),
        "nothing of it was kept"
    );
}

#[test]
fn a_retry_ends_the_process_resumes_at_the_message_and_sends_the_prompt() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("first");
    rig.init();
    rig.result();
    retry(&mut rig, Some("m-1"), "once more").unwrap();
    assert!(rig.closed);
    rig.exit(0);
    assert_eq!(taken_up(&rig), (Some("cli-1"), Some("m-1"), false));
    assert_eq!(rig.notices("retried_from")[0]["message_uuid"], "m-1");
    rig.launch();
    rig.initialized();
    assert_eq!(rig.prompts(), ["first", "once more"]);
    rig.init();
    rig.result();
    rig.exit(0);
    rig.prompt("more");
    assert_eq!(taken_up(&rig), (Some("cli-1"), None, false));
    assert_eq!(rig.notices("retried_from").len(), 1);
}

#[test]
fn a_retry_in_a_turn_ends_that_turn_first_and_one_without_a_process_starts_one() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("first");
    rig.init();
    retry(&mut rig, Some("m-1"), "once more").unwrap();
    assert_eq!(rig.count_asked("interrupt"), 1);
    rig.killed();
    assert_eq!(taken_up(&rig).1, Some("m-1"));
    rig.launch();
    rig.initialized();
    rig.init();
    rig.result();
    rig.exit(0);
    retry(&mut rig, Some("m-2"), "and again").unwrap();
    assert_eq!(taken_up(&rig).1, Some("m-2"));
    assert_eq!(rig.phase(), Phase::Starting);
}

#[test]
fn a_retry_at_its_start_keeps_the_mode_and_the_model() {
    let mut rig = Rig::restored(request(Policy::Supervised), past());
    retry(&mut rig, Some("m-1"), "once more").unwrap();
    let plan = &rig.plans[0];
    assert_eq!(plan.mode.as_deref(), Some("acceptEdits"));
    assert_eq!(plan.request.model.as_deref(), Some("claude-opus"));
}

#[test]
fn a_retry_of_what_began_a_conversation_begins_a_new_one_and_says_so() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("first");
    rig.init();
    rig.result();
    retry(&mut rig, None, "once more").unwrap();
    rig.exit(0);
    assert_eq!(taken_up(&rig), (None, None, false));
    assert_eq!(rig.notices("retried_from")[0]["message_uuid"], json!(null));
    rig.launch();
    assert_eq!(rig.notices("begun_anew").len(), 0, "it is said once");
    rig.initialized();
    rig.init_of("cli-2");
    assert_eq!(id(&rig), Some("cli-2"));
}

#[test]
fn a_message_that_the_cli_does_not_have_is_told_and_the_next_prompt_goes_on_at_the_end() {
    let mut rig = Rig::restored(request(Policy::Supervised), past());
    retry(&mut rig, Some("m-1"), "once more").unwrap();
    rig.launch();
    rig.refused(NO_MESSAGE);
    assert_eq!(rig.errors(), ["no_message"]);
    assert_eq!(rig.returned(), ["retried"]);
    rig.prompt("then without");
    assert_eq!(taken_up(&rig), (Some("cli-1"), None, false));
}

#[test]
fn a_retry_from_what_can_be_no_message_is_refused() {
    let mut rig = Rig::restored(request(Policy::Supervised), past());
    for at in ["", "--dangerously-skip-permissions"] {
        let refused = retry(&mut rig, Some(at), "go").unwrap_err();
        assert_eq!(refused.code(), "refused");
    }
    assert!(rig.plans.is_empty());
}

#[test]
fn a_stop_takes_back_a_retry() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("first");
    rig.init();
    rig.result();
    retry(&mut rig, Some("m-1"), "once more").unwrap();
    let stopped = rig.ask(|done| Command::Stop { done });
    rig.exit(0);
    assert_eq!(told(stopped), Ok(()));
    assert_eq!(
        (rig.phase(), rig.returned()),
        (Phase::Stopped, vec!["retried"])
    );
    rig.prompt("more");
    assert_eq!(taken_up(&rig).1, None);
}

#[test]
fn what_waits_for_the_next_process_does_not_go_to_one_that_ends() {
    let mut rig = Rig::launched(request(Policy::Supervised));
    retry(&mut rig, Some("m-1"), "once more").unwrap();
    rig.initialized();
    assert_eq!(rig.prompts(), [""; 0]);
    rig.exit(0);
    rig.launch();
    rig.initialized();
    assert_eq!(rig.prompts(), ["once more"]);
}
