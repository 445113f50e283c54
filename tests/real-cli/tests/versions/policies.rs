//! Policies: who is asked about what, what is refused before the start, and what the Stop hook does.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use kandev_messages_api::{Reply, Script};
use kandev_real_cli::{Cli, Talk, World, allow, deny};
use kandev_session::{Ability, NewSession, Policy, StopCheck, autonomous_refused};
use serde_json::{Value, json};

use crate::support::{bash, edit, start_on, start_on_as, then, told, world_of};

fn nobody(question: &Value) -> kandev_session::Decision {
    panic!("asked: {question}")
}

fn asked(talk: &Talk) -> Vec<&str> {
    let names = talk.questions().into_iter();
    names
        .filter_map(|question| question["tool_name"].as_str())
        .collect()
}

pub async fn supervised_asks_for_all_but_what_changes_nothing(cli: Cli) -> Result<()> {
    let note = match cli.abilities().can(Ability::TaskTools) {
        true => Reply::tool(
            "TaskCreate",
            json!({"subject": "Look", "description": "Look around", "activeForm": "Looking"}),
        ),
        false => Reply::tool("TodoWrite", json!({"todos": []})),
    };
    let script = |folder: &Path| {
        let file = folder.join("notes.txt");
        let new = folder.join("new.txt");
        Script::new().turn(then(
            [
                Reply::tool("Read", json!({"file_path": file})),
                note,
                bash("ls"),
                Reply::tool("Write", json!({"file_path": new, "content": "x"})),
                Reply::tool("Skill", json!({"skill": "no-such-skill"})),
            ],
            "Done.",
        ))
    };
    let (world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    talk.turn("Look and write", allow).await?;
    let honest = cli.abilities().can(Ability::HonestAskHook);
    let questions = asked(&talk);
    assert!(
        !questions.contains(&"Read") && questions.contains(&"Write"),
        "{questions:?}"
    );
    assert!(
        !questions.iter().any(|name| name.starts_with('T')),
        "{questions:?}"
    );
    // What it does not ask about is told at the start.
    assert_eq!(questions.contains(&"Bash"), honest, "{questions:?}");
    let warned = talk.of_type("notice").iter().any(|event| {
        event["kind"] == "cli_outdated"
            && event["text"]
                .as_str()
                .unwrap()
                .contains("run without asking")
    });
    assert_eq!(warned, !honest);
    assert!(world.read("new.txt").is_ok());
    talk.session.stop().await?;
    Ok(())
}

pub async fn plan_asks_before_something_changes(cli: Cli) -> Result<()> {
    let turns = |folder: &Path| {
        let new = folder.join("new.txt");
        Script::new()
            .turn(then(
                [
                    Reply::tool("Read", json!({"file_path": folder.join("notes.txt")})),
                    bash("touch early.txt"),
                    Reply::tool("Write", json!({"file_path": new, "content": "x"})),
                ],
                "I plan first.",
            ))
            .turn(then(
                [
                    Reply::tool("ExitPlanMode", json!({"plan": "# Plan\n\n1. Do it\n"})),
                    bash("touch planned.txt"),
                ],
                "Done.",
            ))
    };
    let (world, mut talk) = start_on(cli, Policy::Plan, turns).await?;
    talk.turn("Plan it", deny).await?;
    assert_eq!(asked(&talk), ["Bash", "Write"]);
    assert!(world.read("early.txt").is_err() && world.read("new.txt").is_err());
    assert_eq!(talk.session.info().permission_mode.as_deref(), Some("plan"));

    talk.turn("Show the plan", allow).await?;
    assert_eq!(asked(&talk)[2..], ["ExitPlanMode", "Bash"]);
    assert_eq!(talk.questions()[2]["action_type"], "plan");
    assert!(world.read("planned.txt").is_ok());
    // An old version does not say that the mode has changed; its next turn does.
    if !cli.abilities().can(Ability::ModeConfirmed) {
        talk.turn("Go on", allow).await?;
    }
    assert_eq!(
        talk.session.info().permission_mode.as_deref(),
        Some("default")
    );
    talk.session.stop().await?;
    Ok(())
}

pub async fn rules_are_those_of_the_settings(cli: Cli) -> Result<()> {
    let script = |_: &Path| {
        Script::new().turn(then(
            [
                bash("tar -cf allowed.tar notes.txt"),
                bash("tar -cf denied.tar notes.txt"),
                bash("tar -cf asked.tar notes.txt"),
                bash("ls"),
            ],
            "Done.",
        ))
    };
    let world = world_of(cli, script).await?;
    let folder = world.home().join(".claude");
    std::fs::create_dir(&folder)?;
    let rules = json!({"permissions": {"allow": ["Bash(tar -cf allowed.tar notes.txt)"], "deny": ["Bash(tar -cf denied.tar notes.txt)"]}});
    std::fs::write(folder.join("settings.json"), rules.to_string())?;
    let mut talk = world.start(world.request(Policy::Rules));
    talk.turn("Make them", allow).await?;
    let commands: Vec<&Value> = talk
        .questions()
        .into_iter()
        .map(|question| &question["input"]["command"])
        .collect();
    assert_eq!(commands, ["tar -cf asked.tar notes.txt"]);
    let made =
        ["allowed.tar", "denied.tar", "asked.tar"].map(|name| world.folder().join(name).exists());
    assert_eq!(made, [true, false, true]);
    assert_eq!(talk.calls("Bash")[1]["tool_status"], "error");
    talk.session.stop().await?;
    Ok(())
}

pub async fn the_mode_of_rules_decides(cli: Cli) -> Result<()> {
    let mode = |mode: &str| {
        let mode = mode.to_owned();
        move |request: &mut NewSession| request.permission_mode = Some(mode)
    };
    let script = |folder: &Path| Script::new().turn(then(edit(folder), "Edited."));
    let (world, mut talk) = start_on_as(cli, Policy::Rules, mode("acceptEdits"), script).await?;
    talk.turn("Change it", nobody).await?;
    assert!(world.read("notes.txt")?.contains("another line"));
    talk.session.stop().await?;

    let script = |_: &Path| Script::new().turn(then([bash("touch no.txt")], "Not made."));
    let (world, mut talk) = start_on_as(cli, Policy::Rules, mode("dontAsk"), script).await?;
    talk.turn("Make it", nobody).await?;
    assert!(world.read("no.txt").is_err());
    assert_eq!(talk.calls("Bash")[0]["tool_status"], "error");
    talk.session.stop().await?;
    Ok(())
}

/// A session that was refused: its error.
async fn refused(world: &World, request: NewSession) -> Result<Value> {
    let mut talk = world.start(request);
    talk.prompt("Make it").await?;
    let error = talk.until_type("error").await?;
    let returned = talk
        .until(|event| event["kind"] == "prompt_returned")
        .await?;
    assert_eq!(returned["data"]["text"], "Make it");
    assert!(talk.session.info().problem.is_some());
    assert!(world.api.asked_by_main().is_empty());
    Ok(error)
}

fn script() -> Script {
    Script::new().turn(then([bash("touch made.txt")], "Made."))
}

pub async fn autonomous_asks_nothing_or_is_refused(cli: Cli) -> Result<()> {
    let world = world_of(cli, |_| script()).await?;
    let request = World::with_variable(world.request(Policy::Autonomous), "IS_SANDBOX", "1");
    if !cli.abilities().can(Ability::SafeBypass) {
        let error = refused(&world, request).await?;
        assert_eq!(error["data"]["code"], "bypass_too_old");
        assert!(
            error["data"]["next_step"]
                .as_str()
                .unwrap()
                .contains("Update")
        );
        return Ok(());
    }
    let mut talk = world.start(request);
    talk.turn("Make it", nobody).await?;
    assert!(world.read("made.txt").is_ok());
    assert!(told(&talk, "autonomous"));
    assert_eq!(
        talk.session.info().permission_mode.as_deref(),
        Some("bypassPermissions")
    );
    talk.session.stop().await?;
    Ok(())
}

pub async fn as_root_autonomous_is_refused_before_the_start(cli: Cli) -> Result<()> {
    let world = world_of(cli, |_| script()).await?;
    let request = world.request(Policy::Autonomous);
    let Some(sentence) = autonomous_refused(&request.env) else {
        // Not root: it is up to the version.
        let mut talk = world.start(request);
        let done = talk.turn("Make it", nobody).await;
        assert_eq!(done.is_ok(), cli.abilities().can(Ability::SafeBypass));
        return Ok(());
    };
    assert!(sentence.contains("root"), "{sentence}");
    let error = refused(&world, request).await?;
    assert_eq!(error["data"]["code"], "bypass_as_root");
    assert!(
        world.home().read_dir()?.next().is_none(),
        "the CLI was started"
    );
    Ok(())
}

/// Makes the workspace a repository with one commit, and one file that is not in it.
fn uncommitted(world: &World) -> Result<()> {
    let commit = "-c user.name=T -c user.email=t@example.com commit -qm notes";
    for args in ["init -q", "add notes.txt", commit] {
        let status = Command::new("git")
            .args(args.split(' '))
            .current_dir(world.folder())
            .env("HOME", world.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .status()?;
        ensure!(status.success(), "git {args}: {status}");
    }
    std::fs::write(world.folder().join("new.txt"), "not committed\n")?;
    Ok(())
}

pub async fn uncommitted_changes_are_told_sent_back_or_left(cli: Cli) -> Result<()> {
    for (check, notices, requests) in [
        (StopCheck::Off, 0, 1),
        (StopCheck::Tell, 1, 1),
        // Once: the second end of the turn is let go.
        (StopCheck::SendBack, 1, 2),
    ] {
        let script = |_: &Path| {
            Script::new()
                .turn([Reply::text("Done.")])
                .turn([Reply::text("They stay, for they are a draft.")])
                .turn([Reply::text("Third.")])
        };
        let world = world_of(cli, script).await?;
        uncommitted(&world)?;
        let mut request = world.request(Policy::Supervised);
        request.stop_check = check;
        let mut talk = world.start(request);
        let done = talk.turn("Finish", allow).await?;
        assert_eq!(done["data"]["is_error"], false);
        let asked = world.api.asked_by_main();
        assert_eq!(asked.len(), requests, "{check:?}");
        let told = talk
            .of_type("notice")
            .iter()
            .filter(|event| event["kind"] == "uncommitted_changes")
            .count();
        assert_eq!(told, notices, "{check:?}");
        if let Some(again) = asked.get(1) {
            assert!(again["messages"].to_string().contains("new.txt"));
        }
        talk.session.stop().await?;
    }
    Ok(())
}
