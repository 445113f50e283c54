//! Policies with the real CLI: who is asked about what.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;

use anyhow::Result;
use kandev_messages_api::{Reply, Script};
use kandev_real_cli::{World, allow, deny};
use kandev_session::{Decision, NewSession, Policy};
use serde_json::json;
use support::{bash, edit, start, start_as, then, world};

#[tokio::test]
async fn even_a_harmless_command_is_asked_about_when_supervised() -> Result<()> {
    let (_world, mut talk) = start(Policy::Supervised, |_| {
        Script::new().turn(then([bash("ls")], "Listed."))
    })
    .await?;
    talk.turn("List", allow).await?;
    assert_eq!(talk.questions().len(), 1);
    assert_eq!(talk.questions()[0]["data"]["decision_reason_type"], "hook");
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_suggestion_that_was_taken_is_not_asked_about_again() -> Result<()> {
    let turns = |_: &Path| {
        Script::new()
            .turn(then([bash("touch one.txt")], "One."))
            .turn(then([bash("touch one.txt")], "Two."))
    };
    let (world, mut talk) = start(Policy::Rules, turns).await?;
    talk.turn("Make it", |question| {
        let suggestions = question["suggestions"].as_array().unwrap();
        let rule = suggestions
            .iter()
            .position(|suggestion| suggestion["type"] == "addRules")
            .unwrap();
        Decision::Allow {
            updated_input: None,
            suggestions: vec![u32::try_from(rule).unwrap()],
        }
    })
    .await?;
    talk.turn("Make it again", |question| {
        panic!("asked again: {question}")
    })
    .await?;
    assert_eq!(talk.questions().len(), 1);
    assert!(world.read("one.txt").is_ok());
    assert_eq!(
        talk.session.info().permission_mode.as_deref(),
        Some("default"),
        "only the rule was taken"
    );
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn rules_leave_it_to_the_mode() -> Result<()> {
    let script = |folder: &Path| Script::new().turn(then(edit(folder), "Edited."));
    let (world, mut talk) = start_as(
        Policy::Rules,
        |request| request.permission_mode = Some("acceptEdits".to_owned()),
        script,
    )
    .await?;
    talk.turn("Change it", |question| panic!("asked: {question}"))
        .await?;
    assert!(world.read("notes.txt")?.contains("another line"));
    talk.session.stop().await?;

    let (world, mut talk) = start(Policy::Rules, |folder| {
        Script::new().turn(then(edit(folder), "Left."))
    })
    .await?;
    talk.turn("Change it", deny).await?;
    assert_eq!(talk.questions().len(), 1);
    assert!(world.read("notes.txt")?.contains("second line"));
    talk.session.stop().await?;

    let dont_ask = |request: &mut NewSession| request.permission_mode = Some("dontAsk".to_owned());
    let (world, mut talk) = start_as(Policy::Rules, dont_ask, |_| {
        Script::new().turn(then([bash("touch no.txt")], "Not made."))
    })
    .await?;
    talk.turn("Make it", |question| panic!("asked: {question}"))
        .await?;
    assert!(world.read("no.txt").is_err());
    assert!(
        talk.of_type("notice")
            .iter()
            .any(|event| event["kind"] == "permission_denied")
    );
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn an_autonomous_session_asks_nothing_and_says_so() -> Result<()> {
    let world = world(|_| Script::new().turn(then([bash("touch made.txt")], "Made."))).await?;
    let mut talk = world.start(World::with_variable(
        world.request(Policy::Autonomous),
        "IS_SANDBOX",
        "1",
    ));
    talk.turn("Make it", |question| panic!("asked: {question}"))
        .await?;
    assert!(world.read("made.txt").is_ok());
    assert!(
        talk.of_type("notice")
            .iter()
            .any(|event| event["kind"] == "autonomous")
    );
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_supervised_subagent_asks_too() -> Result<()> {
    let script = |folder: &Path| {
        let agent = json!({"description": "Edit the notes", "prompt": "[the-subagent] Change the second line.", "subagent_type": "general-purpose", "run_in_background": false});
        Script::new()
            .turn(then([Reply::tool("Agent", agent)], "The subagent is done."))
            .agent("[the-subagent]", then(edit(folder), "Changed."))
    };
    let (world, mut talk) = start(Policy::Supervised, script).await?;
    talk.turn("Delegate it", allow).await?;
    let questions = talk.questions();
    assert_eq!(questions.len(), 1);
    assert_eq!(questions[0]["tool_name"], "Edit");
    assert!(questions[0]["data"]["agent_id"].is_string());
    let agent = talk.calls("Agent")[0]["tool_call_id"].clone();
    assert_eq!(talk.calls("Edit")[0]["parent_tool_call_id"], agent);
    assert!(world.read("notes.txt")?.contains("another line"));
    talk.session.stop().await?;

    let script = |folder: &Path| {
        let agent = json!({"description": "Edit the notes", "prompt": "[the-subagent] Change the second line.", "subagent_type": "general-purpose", "run_in_background": false});
        Script::new()
            .turn(then([Reply::tool("Agent", agent)], "The subagent is done."))
            .agent("[the-subagent]", then(edit(folder), "Not changed."))
    };
    let (world, mut talk) = start(Policy::Supervised, script).await?;
    talk.turn("Delegate it", deny).await?;
    assert!(world.read("notes.txt")?.contains("second line"));
    talk.session.stop().await?;
    Ok(())
}
