use super::*;
use crate::launch::LaunchError;

#[test]
fn a_prompt_waits_until_the_cli_knows_the_hooks() {
    let mut rig = Rig::new(request(Policy::Supervised));
    rig.prompt("first");
    rig.launch();
    rig.prompt("second");
    assert_eq!(rig.prompts(), [""; 0]);
    assert_eq!(rig.phase(), Phase::Starting);
    rig.initialized();
    assert_eq!(rig.prompts(), ["first", "second"]);
    assert_eq!(rig.phase(), Phase::Thinking);
}

#[test]
fn initialize_registers_the_hooks_of_the_policy() {
    for (policy, hooks) in [
        (Policy::Supervised, vec!["PreToolUse", "Stop"]),
        (Policy::Plan, vec!["Stop"]),
        (Policy::Rules, vec![]),
        (Policy::Autonomous, vec![]),
    ] {
        let rig = Rig::launched(request(policy));
        let sent = &rig.written[0]["request"];
        assert_eq!(sent["subtype"], "initialize");
        let registered: Vec<&str> = sent["hooks"]
            .as_object()
            .map(|hooks| hooks.keys().map(String::as_str).collect())
            .unwrap_or_default();
        assert_eq!(registered, hooks, "{policy:?}");
    }
}

#[test]
fn a_cli_that_hangs_at_initialize_is_ended_with_its_last_words() {
    let mut rig = Rig::launched(request(Policy::Supervised));
    let uuid = rig.prompt("do it");
    rig.give(Input::Stderr("loading for ever".to_owned()));
    rig.wait(29);
    assert!(rig.terminated.is_empty());
    rig.wait(1);
    assert_eq!(rig.errors(), ["initialize_timeout"]);
    assert_eq!(rig.terminated.len(), 1);
    rig.give(Input::Exited(Exit {
        code: None,
        signal: Some("SIGTERM".to_owned()),
    }));
    assert_eq!(rig.phase(), Phase::Failed);
    assert!(
        rig.problem().contains("within 30 s") && rig.problem().contains("loading for ever"),
        "{}",
        rig.problem()
    );
    assert_eq!(
        rig.errors(),
        ["initialize_timeout"],
        "its end was asked for"
    );
    assert_eq!(rig.returned(), [uuid]);
}

#[test]
fn a_cli_that_ends_before_it_is_ready_gives_one_error_and_the_prompt_back() {
    for code in [0, 1] {
        let mut rig = Rig::launched(request(Policy::Supervised));
        let uuid = rig.prompt("do it");
        rig.give(Input::Stderr("bad flag".to_owned()));
        rig.exit(code);
        assert_eq!(rig.phase(), Phase::Failed);
        assert_eq!(rig.errors().len(), 1, "exit status {code}");
        assert!(rig.problem().contains("bad flag"), "{}", rig.problem());
        assert_eq!(rig.returned(), [uuid]);
    }
}

#[test]
fn a_conversation_that_is_not_there_is_told_once() {
    let mut rig = Rig::launched(NewSession {
        resume: Some("gone".to_owned()),
        ..request(Policy::Supervised)
    });
    rig.prompt("go on");
    let words = "No conversation found with session ID: gone";
    rig.line(json!({ "type": "result", "subtype": "error_during_execution", "is_error": true, "num_turns": 0,
        "errors": [words], "session_id": "gone" }));
    rig.give(Input::Stderr(words.to_owned()));
    rig.exit(1);
    assert_eq!(rig.errors().len(), 1);
    assert_eq!(rig.phase(), Phase::Failed);
    assert!(
        rig.problem()
            .contains("Resume it in the folder where it began"),
        "{}",
        rig.problem()
    );
}

#[test]
fn garbage_is_kept_and_quoted() {
    let mut rig = Rig::launched(request(Policy::Supervised));
    rig.give(Input::Line(b"Welcome to something else".to_vec().into()));
    rig.exit(0);
    assert!(rig.events.contains(&EventBody::Unrecognized {
        raw: "Welcome to something else".to_owned()
    }));
    assert!(
        rig.problem().contains("Welcome to something else"),
        "{}",
        rig.problem()
    );
}

#[test]
fn a_flood_of_garbage_ends_the_process_and_is_not_kept_for_ever() {
    let mut rig = Rig::launched(request(Policy::Supervised));
    for _ in 0..5_000 {
        rig.give(Input::Line(b"y".to_vec().into()));
    }
    assert_eq!(rig.errors(), ["cli_flood"]);
    assert_eq!(rig.terminated, [Duration::ZERO]);
    let kept = rig
        .events
        .iter()
        .filter(|body| matches!(body, EventBody::Unrecognized { .. }))
        .count();
    assert!(kept < 2_100, "{kept} lines were kept");
    rig.exit(1);
    assert_eq!(rig.notices("flood")[0]["lines"], 5_000 - kept);
    assert_eq!(rig.phase(), Phase::Failed);
}

#[test]
fn a_launch_that_fails_says_what_to_do_and_gives_the_prompt_back() {
    let mut rig = Rig::new(request(Policy::Autonomous));
    let uuid = rig.prompt("do it");
    rig.give(Input::Launched(Err(LaunchError::BypassAsRoot)));
    assert_eq!(rig.phase(), Phase::Failed);
    assert_eq!(rig.errors(), ["bypass_as_root"]);
    let told = rig.events.iter().find_map(|body| match body {
        EventBody::Error { error, .. } => Some(error.as_str()),
        _ => None,
    });
    assert!(
        told.is_some_and(|told| told.starts_with("The CLI") && told.ends_with('.')),
        "a sentence: {told:?}"
    );
    assert!(
        rig.problem()
            .ends_with("Choose another policy, or run as another user."),
        "{}",
        rig.problem()
    );
    assert_eq!(rig.returned(), [uuid]);
    rig.prompt("again");
    assert_eq!(rig.plans.len(), 2, "the next prompt tries again");
    assert_eq!(rig.problem(), "");
}

#[test]
fn a_session_in_another_folder_is_stopped() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.line(json!({ "type": "system", "subtype": "init", "cwd": "/home/dev/elsewhere", "session_id": "cli-1" }));
    assert_eq!(rig.errors(), ["wrong_folder"]);
    assert_eq!(rig.terminated.len(), 1);
    rig.exit(143);
    assert_eq!(rig.phase(), Phase::Failed);
    assert!(
        rig.problem().contains("/home/dev/elsewhere"),
        "{}",
        rig.problem()
    );
}

#[test]
fn only_a_conversation_that_is_taken_up_may_have_gone_into_a_worktree() {
    let init = json!({ "type": "system", "subtype": "init", "cwd": "/home/dev/worktree", "original_cwd": WORKSPACE,
        "session_id": "cli-1" });
    let mut fresh = Rig::ready(Policy::Supervised);
    fresh.line(init.clone());
    assert_eq!(fresh.errors(), ["wrong_folder"]);
    let mut resumed = Rig::ready_with(NewSession {
        resume: Some("cli-1".to_owned()),
        ..request(Policy::Supervised)
    });
    resumed.line(init);
    assert_eq!(resumed.errors(), [""; 0]);
}

#[test]
fn the_folder_may_change_later() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.init();
    rig.result();
    rig.line(json!({ "type": "system", "subtype": "init", "cwd": "/home/dev/worktree", "session_id": "cli-1" }));
    assert_eq!(rig.errors(), [""; 0]);
}

#[test]
fn the_row_tells_what_the_cli_said_of_itself() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("\n  Fix the parser\nand its tests");
    rig.init();
    let info = rig.state.info();
    assert_eq!(info.title, "Fix the parser");
    assert_eq!(info.models[0].value, "opus");
    assert_eq!(info.cli_version.as_deref(), Some("2.1.332"));
    assert_eq!(info.model.as_deref(), Some("claude-opus"));
    assert_eq!(info.permission_mode.as_deref(), Some("default"));
    assert_eq!(info.cli_session_id.as_deref(), Some("cli-1"));
}

#[test]
fn tokens_in_the_last_words_are_taken_out_where_they_are_shown_and_kept() {
    const TOKEN: &str = "QQWWXXYYZZ998877QQWWXXYYZZ";
    let mut rig = Rig::launched(request(Policy::Supervised));
    for words in [
        format!("ANTHROPIC_API_KEY={TOKEN} is not valid"),
        format!("request failed: Authorization: Bearer {TOKEN}"),
        format!("cannot reach https://dev:{TOKEN}@example.com"),
    ] {
        rig.give(Input::Stderr(words));
    }
    rig.give(Input::Line(format!("token={TOKEN}").into_bytes().into()));
    rig.give(Input::Exited(Exit {
        code: Some(1),
        signal: None,
    }));
    let told: Vec<String> = rig
        .events
        .iter()
        .filter(|body| !matches!(body, EventBody::Unrecognized { .. }))
        .map(|body| serde_json::to_string(body).unwrap())
        .collect();
    let ended = told.iter().find(|told| told.contains("session_ended"));
    assert!(ended.is_some_and(|ended| ended.contains("cannot reach https://dev:[redacted]@")));
    let problem = rig.state.info().problem.clone().unwrap_or_default();
    assert!(problem.contains("example.com"), "{problem}");
    assert!(
        !problem.contains("QQWW") && !told.concat().contains("QQWW"),
        "{told:?}"
    );
}
