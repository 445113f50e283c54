//! Sessions that last: restarts of the program, failed turns, forks, crashes.

use anyhow::Result;
use kandev_messages_api::{Reply, Script, Step};
use kandev_real_cli::{Cli, Talk, World, allow};
use kandev_session::{Ability, Phase, Policy};
use serde_json::Value;

use crate::support::{past, start_on, told, world_of};

/// What the newest request to the model knew of the conversation.
fn known(world: &World) -> String {
    let newest = world.api.asked_by_main().pop().unwrap_or_default();
    newest["messages"].to_string()
}

fn last_message(done: &Value) -> Option<String> {
    done["data"]["last_message_uuid"]
        .as_str()
        .map(str::to_owned)
}

/// Reads on until the process is gone.
async fn ended(talk: &mut Talk) -> Result<()> {
    talk.until(|event| event["type"] == "session_state" && event["state"] == "ended")
        .await?;
    Ok(())
}

pub async fn a_session_resumes_after_a_restart_in_its_mode_and_with_its_model(
    cli: Cli,
) -> Result<()> {
    let script = |_: &_| {
        Script::new()
            .turn([Reply::text("One.")])
            .turn([Reply::text("Two.")])
            .turn([Reply::text("Three.")])
    };
    let (world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    let first = talk.turn("The word is heron", allow).await?;
    talk.session
        .set_permission_mode("acceptEdits".to_owned())
        .await?;
    talk.session
        .set_model(Some("claude-opus-4-5".to_owned()))
        .await?;
    let second = talk.turn("Go on", allow).await?;
    talk.session.stop().await?;
    ended(&mut talk).await?;
    let before = talk.session.info();
    assert_eq!(before.last_message_uuid, last_message(&second));
    drop(talk);

    let mut again = world.restore(world.request(Policy::Supervised), past(&before));
    assert_eq!(again.session.info().phase, Phase::Stopped);
    let third = again.turn("What was the word?", allow).await?;
    let now = again.session.info();
    assert_eq!(now.cli_session_id, before.cli_session_id);
    assert_eq!(now.permission_mode.as_deref(), Some("acceptEdits"));
    assert_eq!(now.model.as_deref(), Some("claude-opus-4-5"));
    let status = &again.of_type("session_status")[0]["data"];
    assert_eq!(status["session_status"], "resumed");
    assert_eq!(status["permission_mode"], "acceptEdits");
    assert_eq!(
        again.seen[0]["seq"],
        before.last_seq + 1,
        "the journal counts on"
    );
    assert_eq!(again.text(), "Three.", "nothing is told again");
    assert!(!told(&again, "begun_anew"));
    assert!(known(&world).contains("heron") && known(&world).contains("Two."));
    assert_eq!(
        world.api.asked_by_main().pop().unwrap_or_default()["model"],
        "claude-opus-4-5"
    );
    // Turns alike cost alike, whether or not the CLI's own sum went on.
    let cost = |done: &Value| done["data"]["cost_usd"].as_f64().unwrap_or_default();
    let (one, two, three) = (cost(&first), cost(&second), cost(&third));
    assert!(one > 0.0 && three > 0.0);
    assert!(three < one + two + 1e-9, "{one}, {two}, then {three}");
    again.session.stop().await?;
    Ok(())
}

pub async fn a_failed_turn_is_retried_from_the_message_before_it(cli: Cli) -> Result<()> {
    let refused = || Reply::error(400, "invalid_request_error", "no");
    let script = move |_: &_| {
        Script::new()
            .turn([Reply::text("One.")])
            .turn([refused(), refused(), refused(), refused()])
            .turn([Reply::text("Better.")])
            .turn([Reply::text("And on.")])
            .turn([Reply::text("From the start.")])
    };
    let (world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    let first = talk.turn("The word is heron", allow).await?;
    talk.session
        .set_permission_mode("acceptEdits".to_owned())
        .await?;
    let failed = talk.turn("Do the impossible", allow).await?;
    assert_eq!(failed["data"]["is_error"], true, "{failed}");
    let id = talk.session.info().cli_session_id;

    let at = last_message(&first);
    talk.session
        .retry(at.clone(), "Do the possible".to_owned(), Vec::new())
        .await?;
    let done = talk.finish(allow).await;
    // The process that ends says so in between.
    let done = match done {
        Ok(done) => done,
        Err(_) => talk.finish(allow).await?,
    };
    assert_eq!(done["data"]["is_error"], false);
    let notice = talk.of_type("notice").into_iter();
    let retried: Vec<_> = notice
        .filter(|event| event["kind"] == "retried_from")
        .collect();
    assert_eq!(retried.len(), 1);
    assert_eq!(retried[0]["data"]["message_uuid"].as_str(), at.as_deref());
    assert!(known(&world).contains("heron") && known(&world).contains("Do the possible"));
    assert!(!known(&world).contains("impossible"), "that was taken back");
    let now = talk.session.info();
    assert_eq!(now.cli_session_id, id);
    assert_eq!(now.permission_mode.as_deref(), Some("acceptEdits"));
    talk.turn("More", allow).await?;
    assert!(known(&world).contains("Better."), "it goes on from there");

    // Before the first turn there is no message: that is a conversation of its own.
    talk.session
        .retry(None, "Begin again".to_owned(), Vec::new())
        .await?;
    let done = match talk.finish(allow).await {
        Ok(done) => done,
        Err(_) => talk.finish(allow).await?,
    };
    assert_eq!(done["data"]["is_error"], false);
    assert!(!known(&world).contains("heron"));
    assert_ne!(talk.session.info().cli_session_id, id);
    talk.session.stop().await?;
    Ok(())
}

pub async fn a_fork_leaves_the_first_untouched(cli: Cli) -> Result<()> {
    let script = |_: &_| {
        Script::new()
            .turn([Reply::text("One.")])
            .turn([Reply::text("Two.")])
            .turn([Reply::text("Aside.")])
            .turn([Reply::text("Aside again.")])
            .turn([Reply::text("Three.")])
    };
    let (world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    let first = talk.turn("The word is heron", allow).await?;
    talk.turn("The word is plover", allow).await?;
    talk.session.stop().await?;
    let own = talk.session.info().cli_session_id.unwrap_or_default();
    let file = world
        .conversations()?
        .into_iter()
        .find(|file| file.ends_with(format!("{own}.jsonl")))
        .unwrap();
    let before = std::fs::read(&file)?;

    let mut request = world.request(Policy::Supervised);
    request.resume = Some(own.clone());
    request.resume_at = last_message(&first);
    request.fork = true;
    let mut fork = world.start(request);
    fork.turn("And now?", allow).await?;
    let info = fork.session.info();
    let other = info.cli_session_id.clone().unwrap_or_default();
    assert!(!other.is_empty() && other != own);
    assert_eq!(info.forked_from.as_deref(), Some(own.as_str()));
    assert!(known(&world).contains("heron") && !known(&world).contains("plover"));
    // What it becomes is its own.
    fork.session.stop().await?;
    ended(&mut fork).await?;
    fork.turn("Further", allow).await?;
    assert_eq!(fork.session.info().cli_session_id.as_ref(), Some(&other));
    assert!(known(&world).contains("Aside.") && !known(&world).contains("plover"));
    fork.session.stop().await?;

    assert_eq!(std::fs::read(&file)?, before, "the first one's file");
    ended(&mut talk).await?;
    talk.turn("Where were we?", allow).await?;
    assert!(known(&world).contains("plover") && !known(&world).contains("Aside."));
    talk.session.stop().await?;
    Ok(())
}

#[cfg(target_os = "linux")]
pub async fn a_stream_that_was_killed_goes_on(cli: Cli) -> Result<()> {
    let held = Reply::steps([Step::Text("This takes long".to_owned()), Step::Hold]);
    let script = |_: &_| {
        Script::new()
            .turn([Reply::text("One.")])
            .turn([held])
            .turn([Reply::text("Here again.")])
    };
    let (world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    talk.turn("The word is heron", allow).await?;
    talk.session
        .set_permission_mode("acceptEdits".to_owned())
        .await?;
    talk.prompt("Write a long text").await?;
    talk.until(|event| event["type"] == "message_chunk" && event["text"] == "This takes long")
        .await?;
    world.kill_cli()?;
    let end = talk.until_type("session_ended").await?;
    assert_eq!(end["data"]["signal"], "SIGKILL");
    ended(&mut talk).await?;
    let mut changes = talk.session.info_changes();
    let info = changes
        .wait_for(|info| info.phase == Phase::Failed)
        .await?
        .clone();
    let problem = info.problem.unwrap_or_default();
    assert!(problem.contains("The next prompt resumes"), "{problem}");
    world.until_processes(<[String]>::is_empty).await?;

    let done = talk.turn("Are you there?", allow).await?;
    assert_eq!(done["data"]["is_error"], false);
    assert!(talk.text().ends_with("Here again."));
    let now = talk.session.info();
    assert_eq!(now.cli_session_id, info.cli_session_id);
    assert_eq!(now.permission_mode.as_deref(), Some("acceptEdits"));
    assert!(known(&world).contains("heron"));
    assert!(!told(&talk, "begun_anew"));
    talk.session.stop().await?;
    Ok(())
}

#[cfg(target_os = "linux")]
pub async fn a_first_turn_that_was_killed_goes_on_or_says_that_it_begins_anew(
    cli: Cli,
) -> Result<()> {
    let held = Reply::steps([Step::Text("Just begun".to_owned()), Step::Hold]);
    let script = |_: &_| {
        Script::new()
            .turn_for("heron", [held])
            .turn_for("Are you there", [Reply::text("Here.")])
    };
    let (world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    talk.prompt("The word is heron").await?;
    talk.until_type("session_status").await?;
    world.kill_cli()?;
    ended(&mut talk).await?;
    let before = talk.session.info().cli_session_id;
    talk.prompt("Are you there?").await?;
    let returned = |talk: &Talk| {
        let notices = talk.of_type("notice").into_iter();
        notices
            .filter(|event| event["kind"] == "prompt_returned")
            .count()
    };
    let done = loop {
        match talk.finish(allow).await {
            // What it says of a conversation that it does not find.
            Ok(done) if done["data"]["num_turns"] == 0 => {}
            Ok(done) => break done,
            Err(error) => assert!(error.to_string().contains("ended in mid-turn"), "{error}"),
        }
        // An old version takes the prompt before it looks: then it comes back.
        if returned(&talk) > 0 {
            talk.prompt("Are you there?").await?;
        }
    };
    assert_eq!(done["data"]["is_error"], false);
    let now = talk.session.info().cli_session_id;
    assert_eq!(
        told(&talk, "begun_anew"),
        now != before,
        "it is told, and only then"
    );
    let looks_first = cli.abilities().can(Ability::OneAnswer);
    assert!(returned(&talk) == 0 || !looks_first);
    talk.session.stop().await?;
    Ok(())
}

pub async fn what_was_never_kept_is_refused_with_where_it_was_looked_for(cli: Cli) -> Result<()> {
    assert!(cli.abilities().can(Ability::ResumeAtUuid));
    let script = |_: &_| Script::new().turn([Reply::text("One.")]);
    let world = world_of(cli, script).await?;
    let unknown = "11111111-2222-4333-8444-555555555555";
    let mut request = world.request(Policy::Supervised);
    request.resume = Some(unknown.to_owned());
    let mut talk = world.start(request);
    talk.prompt("Go on").await?;
    let error = talk.until_type("error").await?;
    assert_eq!(error["data"]["code"], "no_conversation", "{error}");
    let next_step = error["data"]["next_step"].as_str().unwrap_or_default();
    assert!(next_step.contains("/projects/-"), "{next_step}");
    assert!(next_step.contains("where it began"), "{next_step}");
    let returned = talk
        .until(|event| event["kind"] == "prompt_returned")
        .await?;
    assert_eq!(returned["data"]["text"], "Go on");
    ended(&mut talk).await?;
    assert_eq!(talk.session.info().cli_session_id.as_deref(), Some(unknown));
    assert_eq!(talk.of_type("error").len(), 1);
    assert_eq!(talk.session.info().phase, Phase::Failed);

    // A message that it does not have.
    let mut fresh = world.start(world.request(Policy::Supervised));
    fresh.turn("Hello", allow).await?;
    fresh
        .session
        .retry(Some(unknown.to_owned()), "Again".to_owned(), Vec::new())
        .await?;
    let error = fresh.until_type("error").await?;
    assert_eq!(error["data"]["code"], "no_message", "{error}");
    let returned = fresh
        .until(|event| event["kind"] == "prompt_returned")
        .await?;
    assert_eq!(returned["data"]["text"], "Again");
    fresh.session.stop().await?;
    Ok(())
}
