//! How turns and sessions end with the real CLI: the Stop hook, and that nothing is left.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use kandev_messages_api::{Reply, Script};
use kandev_real_cli::{Talk, World, allow};
use kandev_session::{Policy, StopCheck};
use serde_json::json;
use support::world;

/// Makes the workspace a repository with one commit, and one file that is not in it.
fn uncommitted(world: &World) -> Result<()> {
    for args in [
        vec!["init", "-q"],
        vec!["add", "notes.txt"],
        vec![
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.com",
            "commit",
            "-qm",
            "notes",
        ],
    ] {
        let status = Command::new("git")
            .args(&args)
            .current_dir(world.folder())
            .env("HOME", world.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .status()?;
        ensure!(status.success(), "git {args:?}: {status}");
    }
    std::fs::write(world.folder().join("new.txt"), "not committed\n")?;
    Ok(())
}

async fn checked(stop_check: StopCheck, script: Script) -> Result<(World, Talk)> {
    let world = world(|_| script).await?;
    uncommitted(&world)?;
    let mut request = world.request(Policy::Supervised);
    request.stop_check = stop_check;
    let talk = world.start(request);
    Ok((world, talk))
}

fn told(talk: &Talk) -> usize {
    talk.of_type("notice")
        .iter()
        .filter(|event| event["kind"] == "uncommitted_changes")
        .count()
}

#[tokio::test]
async fn uncommitted_changes_are_told() -> Result<()> {
    let (world, mut talk) =
        checked(StopCheck::Tell, Script::new().turn([Reply::text("Done.")])).await?;
    talk.turn("Finish", allow).await?;
    assert_eq!(told(&talk), 1);
    assert_eq!(
        world.api.asked_by_main().len(),
        1,
        "the agent is not sent back"
    );
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn the_agent_is_sent_back_once() -> Result<()> {
    let script = Script::new()
        .turn([Reply::text("Done.")])
        .turn([Reply::text("They stay, for they are a draft.")])
        .turn([Reply::text("Third.")]);
    let (world, mut talk) = checked(StopCheck::SendBack, script).await?;
    let done = talk.turn("Finish", allow).await?;
    assert_eq!(done["data"]["is_error"], false);
    let asked = world.api.asked_by_main();
    assert_eq!(asked.len(), 2);
    assert!(asked[1]["messages"].to_string().contains("new.txt"));
    assert!(talk.text().ends_with("They stay, for they are a draft."));
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn nothing_is_told_of_a_clean_workspace_or_when_it_is_off() -> Result<()> {
    let (world, mut talk) =
        checked(StopCheck::Off, Script::new().turn([Reply::text("Done.")])).await?;
    talk.turn("Finish", allow).await?;
    assert_eq!((told(&talk), world.api.asked_by_main().len()), (0, 1));
    talk.session.stop().await?;
    Ok(())
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn nothing_is_left_running() -> Result<()> {
    // A background job and a foreground one, both much longer than this test.
    let script = |_: &Path| {
        let background = json!({"command": "tail -f /dev/null", "description": "Wait", "run_in_background": true});
        let foreground = json!({"command": "tail -f notes.txt & tail -f notes.txt /dev/null", "description": "Wait"});
        Script::new()
            .turn([Reply::tool("Bash", background), Reply::text("Started.")])
            .turn([Reply::tool("Bash", foreground)])
    };
    let world = world(script).await?;
    let mut talk = world.start(world.request(Policy::Supervised));
    talk.turn("Start a job", allow).await?;
    talk.prompt("And one in front").await?;
    let question = talk.until_type("permission_request").await?;
    talk.session
        .answer(
            question["pending_id"].as_str().unwrap().to_owned(),
            allow(&question),
        )
        .await?;
    let jobs = ["tail -f /dev/null", "tail -f notes.txt /dev/null"];
    let all_run = |lines: &[String]| {
        jobs.iter()
            .all(|job| lines.iter().any(|line| line.contains(job)))
    };
    world.until_processes(all_run).await?;
    talk.session.stop().await?;
    assert_eq!(world.processes()?, Vec::<String>::new());
    talk.until_type("session_ended").await?;
    Ok(())
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_dropped_session_leaves_nothing_either() -> Result<()> {
    let world = world(|_| Script::new().turn([Reply::text("Hello.")])).await?;
    let mut talk = world.start(world.request(Policy::Supervised));
    talk.turn("Hello", allow).await?;
    assert!(!world.processes()?.is_empty());
    drop(talk);
    world.until_processes(<[String]>::is_empty).await?;
    Ok(())
}
