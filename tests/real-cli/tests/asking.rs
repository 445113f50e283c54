//! Questions with the real CLI: what is asked, what is done after the answer.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;

use anyhow::Result;
use kandev_messages_api::{Reply, Script};
use kandev_real_cli::{allow, deny};
use kandev_session::{Decision, Policy};
use serde_json::{Value, json};
use support::{allow_with, bash, edit, start, then};

#[tokio::test]
async fn an_allowed_edit_is_made() -> Result<()> {
    let (world, mut talk) = start(Policy::Supervised, |folder| {
        Script::new().turn(then(edit(folder), "Edited."))
    })
    .await?;
    talk.turn("Change the second line", allow).await?;
    assert_eq!(
        world.read("notes.txt")?,
        "first line\nanother line\nthird line\n"
    );
    let questions = talk.questions();
    assert_eq!(questions.len(), 1, "reading is not asked about");
    assert_eq!(
        (&questions[0]["tool_name"], &questions[0]["action_type"]),
        (&json!("Edit"), &json!("file_write"))
    );
    let diff = questions[0]["normalized"]["modify_file"]["mutations"][0]["diff"]
        .as_str()
        .unwrap();
    assert!(
        diff.contains("-second line") && diff.contains("+another line"),
        "{diff}"
    );
    assert_eq!(talk.calls("Edit")[0]["tool_status"], "complete");
    assert_eq!(talk.of_type("permission_resolved")[0]["by"], "user");
    let changed = talk.of_type("turn_diff_updated").pop().unwrap();
    assert_eq!(
        (
            &changed["files"][0]["added"],
            &changed["files"][0]["removed"]
        ),
        (&json!(1), &json!(1))
    );
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_denied_edit_is_not_made() -> Result<()> {
    let (world, mut talk) = start(Policy::Supervised, |folder| {
        Script::new().turn(then(edit(folder), "Left alone."))
    })
    .await?;
    let done = talk.turn("Change the second line", deny).await?;
    assert_eq!(
        world.read("notes.txt")?,
        "first line\nsecond line\nthird line\n"
    );
    assert_eq!(talk.calls("Edit")[0]["tool_status"], "error");
    assert_eq!(done["data"]["permission_denials"][0]["tool_name"], "Edit");
    assert!(
        world.api.asked_by_main().pop().unwrap()["messages"]
            .to_string()
            .contains("Not this way.")
    );
    assert!(talk.text().ends_with("Left alone."));
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn an_edit_changed_by_the_user_is_made_as_changed() -> Result<()> {
    let (world, mut talk) = start(Policy::Supervised, |folder| {
        Script::new().turn(then(edit(folder), "Edited."))
    })
    .await?;
    talk.turn("Change the second line", |question| {
        let mut input = question["input"].clone();
        input["new_string"] = json!("my own line");
        allow_with(input)
    })
    .await?;
    assert_eq!(
        world.read("notes.txt")?,
        "first line\nmy own line\nthird line\n"
    );
    let diff = &talk.calls("Edit")[0]["normalized"]["modify_file"]["mutations"][0]["diff"];
    assert!(diff.as_str().unwrap().contains("+my own line"));
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_command_is_asked_about() -> Result<()> {
    let turns = |_: &Path| {
        Script::new()
            .turn(then([bash("touch allowed.txt")], "Made."))
            .turn(then([bash("touch denied.txt")], "Not made."))
            .turn([bash("touch stopped.txt")])
            .turn([Reply::text("Going on.")])
    };
    let (world, mut talk) = start(Policy::Supervised, turns).await?;
    talk.turn("Make a file", allow).await?;
    assert!(world.read("allowed.txt").is_ok());
    assert_eq!(talk.questions()[0]["action_type"], "command");
    assert_eq!(
        talk.questions()[0]["normalized"]["shell_exec"]["command"],
        "touch allowed.txt"
    );

    let done = talk.turn("Make another", deny).await?;
    assert!(world.read("denied.txt").is_err());
    assert_eq!(done["data"]["is_error"], false);

    let stop = |_: &Value| Decision::Deny {
        message: None,
        interrupt: true,
    };
    let done = talk.turn("Make a third", stop).await?;
    assert!(world.read("stopped.txt").is_err());
    assert_eq!(
        (&done["data"]["subtype"], &done["data"]["terminal_reason"]),
        (&json!("error_during_execution"), &json!("aborted_tools"))
    );
    assert_eq!(talk.turn("Go on", allow).await?["data"]["is_error"], false);
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_plan_is_approved_or_kept_in_planning() -> Result<()> {
    let turns = |_: &Path| {
        Script::new()
            .turn(then([bash("touch early.txt")], "I plan first."))
            .turn(then(
                [Reply::tool(
                    "ExitPlanMode",
                    json!({"plan": "# Plan

1. Do it
"}),
                )],
                "I keep planning.",
            ))
            .turn(then(
                [
                    Reply::tool("ExitPlanMode", json!({"plan": "# Plan\n\n2. Do it well\n"})),
                    bash("touch planned.txt"),
                ],
                "Done.",
            ))
    };
    let (world, mut talk) = start(Policy::Plan, turns).await?;
    talk.turn("Plan it", deny).await?;
    assert_eq!(talk.session.info().permission_mode.as_deref(), Some("plan"));
    assert_eq!(
        talk.questions()[0]["tool_name"],
        "Bash",
        "plan mode asks before something changes"
    );
    assert!(world.read("early.txt").is_err());

    talk.turn("Show the plan", deny).await?;
    let question = talk.questions().pop().unwrap();
    assert_eq!(
        (&question["tool_name"], &question["action_type"]),
        (&json!("ExitPlanMode"), &json!("plan"))
    );
    assert_eq!(
        talk.session.info().permission_mode.as_deref(),
        Some("plan"),
        "a plan that was not approved"
    );

    talk.turn("Show it again", allow).await?;
    assert_eq!(
        talk.session.info().permission_mode.as_deref(),
        Some("default")
    );
    assert_eq!(
        talk.of_type("mode_changed").last().unwrap()["mode"],
        "default"
    );
    assert!(world.read("planned.txt").is_ok());
    let shown = talk.calls("ExitPlanMode");
    let approved: Vec<&Value> = shown
        .iter()
        .map(|call| &call["normalized"]["show_plan"]["approved"])
        .collect();
    assert_eq!(approved, [&json!(false), &json!(true)]);
    talk.session.stop().await?;
    Ok(())
}
