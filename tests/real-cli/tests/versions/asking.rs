//! Questions: what is asked, what is done after the answer.

use std::path::Path;

use anyhow::Result;
use kandev_messages_api::{Reply, Script};
use kandev_real_cli::{Cli, allow, deny};
use kandev_session::{Ability, Decision, Policy};
use serde_json::{Value, json};

use crate::support::{allow_with, bash, edit, start_on, then};

const BEFORE: &str = "first line\nsecond line\nthird line\n";

pub async fn an_edit_is_made_denied_or_made_as_changed(cli: Cli) -> Result<()> {
    let script = |folder: &Path| {
        Script::new()
            .turn(then(edit(folder), "Left alone."))
            .turn(then(edit(folder), "Edited."))
            .turn(then(
                [
                    Reply::tool("Read", json!({"file_path": folder.join("notes.txt")})),
                    Reply::tool(
                        "Edit",
                        json!({"file_path": folder.join("notes.txt"), "old_string": "third line", "new_string": "last line"}),
                    ),
                ],
                "Edited again.",
            ))
    };
    let (world, mut talk) = start_on(cli, Policy::Supervised, script).await?;

    let done = talk.turn("Change the second line", deny).await?;
    assert_eq!(world.read("notes.txt")?, BEFORE);
    assert_eq!(talk.calls("Edit")[0]["tool_status"], "error");
    assert_eq!(done["data"]["permission_denials"][0]["tool_name"], "Edit");
    assert!(
        world.api.asked_by_main().pop().unwrap()["messages"]
            .to_string()
            .contains("Not this way.")
    );

    talk.turn("Then do", allow).await?;
    assert_eq!(
        world.read("notes.txt")?,
        "first line\nanother line\nthird line\n"
    );
    let questions = talk.questions();
    assert_eq!(questions.len(), 2, "reading is not asked about");
    let question = questions[1];
    assert_eq!(
        (&question["tool_name"], &question["action_type"]),
        (&json!("Edit"), &json!("file_write"))
    );
    assert_eq!(
        question["tool_call_id"].is_string(),
        cli.abilities().can(Ability::ToolIds)
    );
    let diff = question["normalized"]["modify_file"]["mutations"][0]["diff"]
        .as_str()
        .unwrap();
    assert!(
        diff.contains("-second line") && diff.contains("+another line"),
        "{diff}"
    );
    assert_eq!(talk.calls("Edit")[1]["tool_status"], "complete");
    let changed = talk.of_type("turn_diff_updated").pop().unwrap();
    assert_eq!(
        (
            &changed["files"][0]["added"],
            &changed["files"][0]["removed"]
        ),
        (&json!(1), &json!(1))
    );

    talk.turn("And the third", |question| {
        let mut input = question["input"].clone();
        input["new_string"] = json!("my own line");
        allow_with(input)
    })
    .await?;
    assert_eq!(
        world.read("notes.txt")?,
        "first line\nanother line\nmy own line\n"
    );
    let diff = &talk.calls("Edit")[2]["normalized"]["modify_file"]["mutations"][0]["diff"];
    assert!(diff.as_str().unwrap().contains("+my own line"), "{diff}");
    talk.session.stop().await?;
    Ok(())
}

pub async fn commands_are_asked_about(cli: Cli) -> Result<()> {
    let turns = |_: &Path| {
        Script::new()
            .turn(then([bash("touch allowed.txt && echo made")], "Made."))
            .turn(then([bash("touch denied.txt")], "Not made."))
            .turn(then([bash("touch failed.txt; exit 3")], "It failed."))
            .turn([bash("touch stopped.txt")])
    };
    let (world, mut talk) = start_on(cli, Policy::Supervised, turns).await?;
    talk.turn("Make a file", allow).await?;
    assert!(world.read("allowed.txt").is_ok());
    assert_eq!(talk.questions()[0]["action_type"], "command");
    let shell = |talk: &kandev_real_cli::Talk, at: usize| {
        talk.calls("Bash")[at]["normalized"]["shell_exec"].clone()
    };
    assert_eq!(shell(&talk, 0)["command"], "touch allowed.txt && echo made");
    assert!(shell(&talk, 0)["output"].to_string().contains("made"));

    let done = talk.turn("Make another", deny).await?;
    assert!(world.read("denied.txt").is_err());
    assert_eq!(done["data"]["is_error"], false);

    let done = talk.turn("Fail", allow).await?;
    assert_eq!(done["data"]["is_error"], false);
    let failed = shell(&talk, 2);
    assert_eq!(failed["output"]["exit_code"], 3, "{failed}");
    let stop = |_: &Value| Decision::Deny {
        message: None,
        interrupt: true,
    };
    let done = talk.turn("Make a third", stop).await?;
    assert!(world.read("stopped.txt").is_err());
    assert_eq!(
        (&done["data"]["subtype"], &done["data"]["is_error"]),
        (
            &json!("error_during_execution"),
            &json!(cli.abilities().can(Ability::InterruptIsError))
        )
    );
    talk.session.stop().await?;
    Ok(())
}

pub async fn questions_are_answered(cli: Cli) -> Result<()> {
    assert!(cli.abilities().can(Ability::Questions));
    let questions = json!({"questions": [
        {"question": "Which database?", "header": "Database", "multiSelect": false, "options": [{"label": "SQLite", "description": "One file"}, {"label": "Postgres", "description": "A server"}]},
        {"question": "Which extras?", "header": "Extras", "multiSelect": true, "options": [{"label": "Tests", "description": "t"}, {"label": "Docs", "description": "d"}]},
    ]});
    let script = move |_: &Path| {
        Script::new().turn(then([Reply::tool("AskUserQuestion", questions)], "Noted."))
    };
    let (world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    let answers = json!({"Which database?": "SQLite", "Which extras?": "Tests, Docs"});
    talk.turn("Ask me", |question| {
        let mut input = question["input"].clone();
        input["answers"] = answers.clone();
        allow_with(input)
    })
    .await?;
    assert_eq!(talk.questions().len(), 1);
    assert_eq!(talk.questions()[0]["action_type"], "question");
    assert_eq!(
        talk.calls("AskUserQuestion")[0]["normalized"]["ask_user"]["answers"],
        answers
    );
    let asked = world.api.asked_by_main().pop().unwrap()["messages"].to_string();
    assert!(asked.contains("SQLite") && asked.contains("Tests, Docs"));
    talk.session.stop().await?;
    Ok(())
}

pub async fn an_interrupt_takes_back_an_open_question(cli: Cli) -> Result<()> {
    let script = |_: &Path| {
        Script::new()
            .turn([bash("touch made.txt")])
            .turn([Reply::text("Ready again.")])
    };
    let (world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    talk.prompt("Make a file").await?;
    let question = talk.until_type("permission_request").await?;
    talk.session.interrupt(false).await?;
    let cancelled = talk.until_type("permission_cancelled").await?;
    assert_eq!(cancelled["pending_id"], question["pending_id"]);
    talk.until_type("complete").await?;
    assert!(world.read("made.txt").is_err());
    let late = question["pending_id"].as_str().unwrap().to_owned();
    let late = talk.session.answer(late, allow(&question)).await;
    assert_eq!(late.unwrap_err().code(), "not_pending");
    assert_eq!(talk.turn("Go on", allow).await?["data"]["is_error"], false);
    talk.session.stop().await?;
    Ok(())
}

pub async fn a_subagent_asks_too(cli: Cli) -> Result<()> {
    let tool = match cli.abilities().can(Ability::AgentName) {
        true => "Agent",
        false => "Task",
    };
    let script = |folder: &Path| {
        let mut agent = json!({"description": "Edit the notes", "prompt": "[the-subagent] Change the second line.", "subagent_type": "general-purpose"});
        if cli.abilities().can(Ability::BackgroundAgents) {
            agent["run_in_background"] = json!(false);
        }
        Script::new()
            .turn(then([Reply::tool(tool, agent)], "The subagent is done."))
            .agent("[the-subagent]", then(edit(folder), "Changed."))
    };
    let (world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    talk.turn("Delegate it", allow).await?;
    let questions = talk.questions();
    assert_eq!(questions.len(), 1);
    assert_eq!(questions[0]["tool_name"], "Edit");
    assert!(questions[0]["data"]["agent_id"].is_string());
    let agent = talk.calls(tool)[0]["tool_call_id"].clone();
    assert_eq!(talk.calls("Edit")[0]["parent_tool_call_id"], agent);
    assert!(world.read("notes.txt")?.contains("another line"));
    assert_eq!(
        !talk.of_type("task_started").is_empty(),
        cli.abilities().can(Ability::Tasks)
    );
    assert!(talk.text().ends_with("The subagent is done."));
    talk.session.stop().await?;
    Ok(())
}
