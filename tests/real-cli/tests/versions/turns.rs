//! Turns: text, interrupts, resuming, modes and models, todos, retries.

use anyhow::Result;
use kandev_messages_api::{Reply, Script, Step};
use kandev_real_cli::{Cli, Talk, allow};
use kandev_session::{Ability, Phase, Policy, Support};
use serde_json::{Value, json};

use crate::support::{start_on, start_on_as, told};

pub async fn a_text_is_answered(cli: Cli) -> Result<()> {
    let steps = [
        Step::Thinking("let me see".to_owned()),
        Step::Text("Hello from the *script*.".to_owned()),
    ];
    let script = |_: &_| {
        Script::new()
            .turn([Reply::steps(steps)])
            .turn([Reply::text("Again.")])
    };
    // A version that does not know the argument must not get it.
    let effort = |request: &mut kandev_session::NewSession| {
        request.effort = Some("low".to_owned());
    };
    let (world, mut talk) = start_on_as(cli, Policy::Supervised, effort, script).await?;
    let done = talk.turn("Say hello", allow).await?;
    assert_eq!(talk.text(), "Hello from the *script*.");
    assert_eq!(
        (&done["data"]["subtype"], &done["data"]["is_error"]),
        (&json!("success"), &json!(false))
    );
    let thought: String = talk
        .of_type("reasoning")
        .iter()
        .filter_map(|event| event["reasoning_text"].as_str())
        .collect();
    assert_eq!(thought, "let me see");
    assert_eq!(
        talk.session.info().cli_version.as_deref(),
        Some(cli.version())
    );
    assert_eq!(
        talk.of_type("session_status")[0]["data"]["cli_version"],
        cli.version()
    );
    assert_eq!(
        told(&talk, "cli_outdated"),
        cli.abilities().support() == Support::Warned
    );
    talk.turn("And again", allow).await?;
    assert!(talk.text().ends_with("Again."));
    assert_eq!(talk.of_type("complete").len(), 2);
    let asked = world.api.asked_by_main();
    let messages = asked[1]["messages"].to_string();
    assert!(messages.contains("Say hello") && messages.contains("And again"));
    talk.session.stop().await?;
    Ok(())
}

pub async fn an_interrupt_ends_the_turn_and_the_session_goes_on(cli: Cli) -> Result<()> {
    let held = Reply::steps([Step::Text("This takes long".to_owned()), Step::Hold]);
    let script = |_: &_| {
        Script::new()
            .turn([held])
            .turn([Reply::text("Ready again.")])
    };
    let (_world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    talk.prompt("Write a long text").await?;
    talk.until_type("message_chunk").await?;
    talk.session.interrupt(false).await?;
    let done = talk.until_type("complete").await?;
    assert_eq!(done["data"]["subtype"], "error_during_execution");
    let reason = match cli.abilities().can(Ability::TerminalReason) {
        true => json!("aborted_streaming"),
        false => Value::Null,
    };
    assert_eq!(done["data"]["terminal_reason"], reason);
    assert_eq!(
        done["data"]["is_error"],
        cli.abilities().can(Ability::InterruptIsError)
    );
    // Whether or not the CLI repeats it, the text that was cut is there, once.
    assert_eq!(talk.text(), "This takes long");
    let done = talk.turn("Are you there?", allow).await?;
    assert_eq!(done["data"]["is_error"], false);
    assert!(talk.text().ends_with("Ready again."));
    talk.session.stop().await?;
    Ok(())
}

pub async fn a_conversation_is_resumed(cli: Cli) -> Result<()> {
    let script = |_: &_| {
        Script::new()
            .turn([Reply::text("One.")])
            .turn([Reply::text("Two.")])
            .turn([Reply::text("Other.")])
    };
    let (world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    let first = talk.turn("The word is heron", allow).await?;
    talk.turn("The word is plover", allow).await?;
    let id = talk.session.info().cli_session_id.unwrap();
    talk.session.stop().await?;

    assert!(cli.abilities().can(Ability::ResumeAtUuid));
    let mut request = world.request(Policy::Supervised);
    request.resume = Some(id.clone());
    request.resume_at = first["data"]["last_message_uuid"]
        .as_str()
        .map(str::to_owned);
    assert!(request.resume_at.is_some());
    let mut again = world.start(request);
    again.turn("What was the word?", allow).await?;
    assert_eq!(again.session.info().cli_session_id, Some(id));
    assert_eq!(
        again.of_type("session_status")[0]["data"]["session_status"],
        "resumed"
    );
    let newest = world.api.asked_by_main().pop().unwrap()["messages"].to_string();
    assert!(newest.contains("heron") && newest.contains("One."));
    assert!(!newest.contains("plover"), "it went on behind the message");
    again.session.stop().await?;
    Ok(())
}

pub async fn mode_and_model_are_switched(cli: Cli) -> Result<()> {
    let script = |_: &_| {
        Script::new()
            .turn([Reply::text("One.")])
            .turn([Reply::text("Two.")])
    };
    let (world, mut talk) = start_on(cli, Policy::Rules, script).await?;
    talk.turn("Hello", allow).await?;
    let mode = |talk: &Talk| talk.session.info().permission_mode;
    for wanted in ["plan", "acceptEdits", "dontAsk"] {
        assert!(cli.abilities().has_mode(wanted), "{wanted}");
        talk.session.set_permission_mode(wanted.to_owned()).await?;
        talk.until(|event| event["type"] == "mode_changed" && event["mode"] == wanted)
            .await?;
        assert_eq!(mode(&talk).as_deref(), Some(wanted));
    }
    // Some versions grant it to anybody, so it is not even asked for.
    let refused = talk
        .session
        .set_permission_mode("bypassPermissions".to_owned())
        .await;
    assert_eq!(refused.unwrap_err().code(), "bad_mode");
    assert_eq!(mode(&talk).as_deref(), Some("dontAsk"));

    talk.session
        .set_model(Some("claude-opus-4-5".to_owned()))
        .await?;
    talk.turn("Again", allow).await?;
    assert_eq!(mode(&talk).as_deref(), Some("dontAsk"));
    assert_eq!(
        talk.session.info().model.as_deref(),
        Some("claude-opus-4-5")
    );
    let newest = world.api.asked_by_main().pop().unwrap();
    assert!(
        newest["model"]
            .as_str()
            .unwrap()
            .starts_with("claude-opus-4-5"),
        "{}",
        newest["model"]
    );
    talk.session.stop().await?;
    Ok(())
}

pub async fn todos_are_shown(cli: Cli) -> Result<()> {
    let calls = if cli.abilities().can(Ability::TaskTools) {
        vec![
            Reply::tool(
                "TaskCreate",
                json!({"subject": "Look", "description": "Look around", "activeForm": "Looking"}),
            ),
            Reply::tool(
                "TaskUpdate",
                json!({"taskId": "1", "status": "in_progress"}),
            ),
        ]
    } else {
        let todos = |status: &str| json!({"todos": [{"content": "Look", "status": status, "activeForm": "Looking"}]});
        vec![
            Reply::tool("TodoWrite", todos("pending")),
            Reply::tool("TodoWrite", todos("in_progress")),
        ]
    };
    let script = |_: &_| Script::new().turn(calls.into_iter().chain([Reply::text("Noted.")]));
    let (_world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    talk.turn("Make a list", |question| panic!("asked: {question}"))
        .await?;
    let lists: Vec<(String, String)> = talk
        .of_type("todos")
        .iter()
        .map(|event| {
            let word = |name: &str| event["items"][0][name].as_str().unwrap().to_owned();
            (word("description"), word("status"))
        })
        .collect();
    assert_eq!(
        lists,
        ["pending", "in_progress"].map(|status| ("Look".to_owned(), status.to_owned()))
    );
    talk.session.stop().await?;
    Ok(())
}

pub async fn a_retry_goes_through(cli: Cli) -> Result<()> {
    let script = |_: &_| {
        Script::new().turn([
            Reply::error(529, "overloaded_error", "Overloaded"),
            Reply::text("Through."),
        ])
    };
    let (_world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    let done = talk.turn("Hello", allow).await?;
    assert_eq!(done["data"]["is_error"], false);
    assert_eq!(talk.text(), "Through.");
    assert_eq!(
        told(&talk, "api_retry"),
        cli.abilities().can(Ability::Retries)
    );
    talk.session.stop().await?;
    Ok(())
}

pub async fn a_background_agent_ends_in_a_turn_of_its_own(cli: Cli) -> Result<()> {
    let can = |ability| cli.abilities().can(ability);
    let tool = match can(Ability::AgentName) {
        true => "Agent",
        false => "Task",
    };
    let agent = json!({"description": "Look around", "prompt": "[the-subagent] Look.", "subagent_type": "general-purpose", "run_in_background": true});
    // Long enough for the turn to end before the agent does, or the agent before the turn.
    let (turn, work) = match can(Ability::Tasks) {
        true => (0, 1500),
        false => (1500, 0),
    };
    let after = |ms, text: &str| Reply::steps([Step::Wait(ms), Step::Text(text.to_owned())]);
    let script = |_: &_| {
        Script::new()
            .turn([Reply::tool(tool, agent), after(turn, "Launched.")])
            .turn_for("Are you there?", [Reply::text("Still here.")])
            .turn([Reply::text("It is done.")])
            .agent("[the-subagent]", [after(work, "I looked.")])
    };
    let (_world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    talk.turn("Look around in the background", allow).await?;
    if !can(Ability::Tasks) {
        return gives_up_over_the_agent(talk).await;
    }
    if can(Ability::LaunchResult) {
        assert_eq!(talk.text(), "Launched.");
        // The end of the agent begins a turn without a prompt.
        talk.until_type("complete").await?;
    }
    assert_eq!(talk.text(), "Launched.It is done.");
    assert_eq!(talk.of_type("task_notification").len(), 1);
    // Whatever told the end, the session is not taken for busy.
    let mut changes = talk.session.info_changes();
    changes.wait_for(|info| info.phase == Phase::Idle).await?;
    let done = talk.turn("Are you there?", allow).await?;
    assert_eq!(done["data"]["is_error"], false);
    assert!(talk.text().ends_with("Still here."));
    talk.session.stop().await?;
    Ok(())
}

/// A version that does not tell of the end of an agent ends over it itself. That is told, and the conversation is taken up by
/// the next prompt.
async fn gives_up_over_the_agent(mut talk: Talk) -> Result<()> {
    talk.until_type("session_ended").await?;
    assert!(!talk.of_type("error").is_empty());
    assert!(talk.of_type("task_notification").is_empty());
    let done = talk.turn("Are you there?", allow).await?;
    assert_eq!(done["data"]["is_error"], false);
    assert!(talk.text().ends_with("Still here."));
    talk.session.stop().await?;
    Ok(())
}
