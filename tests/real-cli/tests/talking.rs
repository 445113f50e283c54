//! Turns, interrupts, resuming, images and errors with the real CLI.
#![allow(clippy::unwrap_used)]

mod support;

use anyhow::Result;
use kandev_messages_api::{Reply, Script, Step};
use kandev_real_cli::{Talk, World, allow};
use kandev_session::{Policy, PromptImage};
use serde_json::{Value, json};
use support::world;

async fn start(script: Script) -> Result<(World, Talk)> {
    let world = world(|_| script).await?;
    let talk = world.start(world.request(Policy::Supervised));
    Ok((world, talk))
}

/// The texts of the prompts that a request to the API carries, without what the CLI adds.
fn prompts(request: &Value) -> String {
    request["messages"].to_string()
}

#[tokio::test]
async fn a_text_is_answered() -> Result<()> {
    let steps = [
        Step::Thinking("let me see".to_owned()),
        Step::Text("Hello from the *script*.".to_owned()),
    ];
    let (world, mut talk) = start(
        Script::new()
            .turn([Reply::steps(steps)])
            .turn([Reply::text("Again.")]),
    )
    .await?;
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
    let status = &talk.of_type("session_status")[0]["data"];
    assert_eq!(
        (&status["session_status"], &status["cli_version"]),
        (&json!("new"), &json!("2.1.332"))
    );
    assert_eq!(status["cwd"], json!(world.folder().canonicalize()?));
    assert_eq!(talk.of_type("user_message")[0]["text"], "Say hello");
    talk.turn("And again", allow).await?;
    assert_eq!(talk.of_type("complete").len(), 2);
    let asked = world.api.asked_by_main();
    assert!(prompts(&asked[1]).contains("Say hello") && prompts(&asked[1]).contains("And again"));
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn an_interrupt_ends_the_turn_and_the_session_goes_on() -> Result<()> {
    let held = Reply::steps([Step::Text("This takes long".to_owned()), Step::Hold]);
    let (_world, mut talk) = start(
        Script::new()
            .turn([held])
            .turn([Reply::text("Ready again.")]),
    )
    .await?;
    talk.prompt("Write a long text").await?;
    talk.until_type("message_chunk").await?;
    talk.session.interrupt(false).await?;
    let done = talk.until_type("complete").await?;
    assert_eq!(
        (&done["data"]["subtype"], &done["data"]["terminal_reason"]),
        (
            &json!("error_during_execution"),
            &json!("aborted_streaming")
        )
    );
    assert_eq!(talk.text(), "This takes long");
    let done = talk.turn("Are you there?", allow).await?;
    assert_eq!(done["data"]["is_error"], false);
    assert!(talk.text().ends_with("Ready again."));
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_conversation_is_resumed() -> Result<()> {
    let (world, mut talk) = start(
        Script::new()
            .turn([Reply::text("One.")])
            .turn([Reply::text("Two.")]),
    )
    .await?;
    talk.turn("The word is heron", allow).await?;
    let id = talk.session.info().cli_session_id.unwrap();
    talk.session.stop().await?;

    let mut request = world.request(Policy::Supervised);
    request.resume = Some(id.clone());
    let mut again = world.start(request);
    again.turn("What was the word?", allow).await?;
    assert_eq!(again.session.info().cli_session_id, Some(id));
    assert_eq!(
        again.of_type("session_status")[0]["data"]["session_status"],
        "resumed"
    );
    let newest = world.api.asked_by_main().pop().unwrap();
    assert!(prompts(&newest).contains("The word is heron") && prompts(&newest).contains("One."));
    again.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_stopped_session_goes_on_with_the_next_prompt() -> Result<()> {
    let (world, mut talk) = start(
        Script::new()
            .turn([Reply::text("One.")])
            .turn([Reply::text("Two.")]),
    )
    .await?;
    talk.turn("The word is heron", allow).await?;
    talk.session.stop().await?;
    talk.until_type("session_ended").await?;
    talk.turn("What was the word?", allow).await?;
    assert!(prompts(&world.api.asked_by_main()[1]).contains("The word is heron"));
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_conversation_is_resumed_at_a_message() -> Result<()> {
    let turns = Script::new()
        .turn([Reply::text("One.")])
        .turn([Reply::text("Two.")])
        .turn([Reply::text("Other.")]);
    let (world, mut talk) = start(turns).await?;
    let first = talk.turn("The word is heron", allow).await?;
    talk.turn("The word is plover", allow).await?;
    let id = talk.session.info().cli_session_id.unwrap();
    talk.session.stop().await?;

    let mut request = world.request(Policy::Supervised);
    request.resume = Some(id);
    request.resume_at = first["data"]["last_message_uuid"]
        .as_str()
        .map(str::to_owned);
    assert!(request.resume_at.is_some());
    let mut again = world.start(request);
    again.turn("What was the word?", allow).await?;
    let newest = world.api.asked_by_main().pop().unwrap();
    assert!(prompts(&newest).contains("heron") && !prompts(&newest).contains("plover"));
    again.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn an_image_reaches_the_model() -> Result<()> {
    let (world, mut talk) = start(Script::new().turn([Reply::text("A tiny image.")])).await?;
    let data = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAFElEQVR42mP8z8Dwn4EIwDiqkL4KAcT9BAEV6gRzAAAAAElFTkSuQmCC";
    let image = PromptImage {
        media_type: "image/png".to_owned(),
        data: data.to_owned(),
    };
    talk.session
        .prompt("What is this?".to_owned(), vec![image])
        .await?;
    talk.finish(allow).await?;
    assert_eq!(
        talk.of_type("user_message")[0]["attachments"][0]["media_type"],
        "image/png"
    );
    let request = &world.api.asked_by_main()[0];
    let blocks = request["messages"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|message| message["content"].as_array().cloned().unwrap_or_default());
    let images: Vec<Value> = blocks.filter(|block| block["type"] == "image").collect();
    assert_eq!(images.len(), 1);
    assert_eq!(images[0]["source"]["type"], "base64");
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_refused_request_is_told_once_and_the_session_goes_on() -> Result<()> {
    let refused = || Reply::error(400, "invalid_request_error", "this is refused");
    let (_world, mut talk) = start(
        Script::new()
            .turn((0..20).map(|_| refused()))
            .turn([Reply::text("Fine.")]),
    )
    .await?;
    let done = talk.turn("Try", allow).await?;
    assert_eq!(done["data"]["is_error"], true);
    talk.turn("Another try", allow).await?;
    let errors = talk.of_type("error");
    assert_eq!(errors.len(), 1);
    assert!(
        errors[0]["error"]
            .as_str()
            .unwrap()
            .contains("this is refused")
    );
    assert!(!errors[0]["data"]["code"].as_str().unwrap().is_empty());
    assert!(talk.text().ends_with("Fine."));
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn an_overloaded_api_is_asked_again() -> Result<()> {
    let overloaded = || Reply::error(529, "overloaded_error", "Overloaded");
    let (_world, mut talk) =
        start(Script::new().turn([overloaded(), overloaded(), Reply::text("Through.")])).await?;
    let done = talk.turn("Try", allow).await?;
    assert_eq!(done["data"]["is_error"], false);
    let retries: Vec<&Value> = talk
        .of_type("notice")
        .into_iter()
        .filter(|event| event["kind"] == "api_retry")
        .collect();
    assert_eq!(retries.len(), 2);
    assert_eq!(retries[0]["data"]["error_status"], 529);
    assert_eq!(talk.text(), "Through.");
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_broken_stream_is_not_shown_twice() -> Result<()> {
    let half = Reply::steps([Step::Text("Half an answ".to_owned()), Step::Drop]);
    let (_world, mut talk) =
        start(Script::new().turn([half, Reply::text("The whole answer.")])).await?;
    talk.turn("Try", allow).await?;
    let voided: Vec<&str> = talk
        .of_type("message_discarded")
        .iter()
        .filter_map(|event| event["message_id"].as_str())
        .collect();
    let chunks = talk
        .of_type("message_chunk")
        .into_iter()
        .filter(|event| !voided.contains(&event["message_id"].as_str().unwrap()));
    let kept: String = chunks.filter_map(|event| event["text"].as_str()).collect();
    assert_eq!(kept, "The whole answer.");
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_stream_that_breaks_after_a_whole_block_goes_on_from_there() -> Result<()> {
    let half = Reply::steps([
        Step::Text("The first half, ".to_owned()),
        // The block has to have arrived before the connection breaks.
        Step::Wait(500),
        Step::Drop,
    ]);
    let script = Script::new()
        .turn([half])
        .turn_for("cut off mid-stream", [Reply::text("and the second.")]);
    let (_world, mut talk) = start(script).await?;
    talk.turn("Try", allow).await?;
    assert_eq!(talk.text(), "The first half, and the second.");
    assert_eq!(talk.of_type("message_discarded").len(), 0);
    let put_in = talk.of_type("user_message").pop().unwrap();
    assert_eq!(put_in["synthetic"], true, "it is not the user's word");
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn model_and_mode_are_those_that_the_cli_confirms() -> Result<()> {
    let (world, mut talk) = start(
        Script::new()
            .turn([Reply::text("One.")])
            .turn([Reply::text("Two.")]),
    )
    .await?;
    talk.turn("One", allow).await?;
    talk.session
        .set_model(Some("claude-haiku-4-5".to_owned()))
        .await?;
    talk.session
        .set_permission_mode("acceptEdits".to_owned())
        .await?;
    talk.turn("Two", allow).await?;
    assert_eq!(
        talk.of_type("model_changed").last().unwrap()["model"],
        "claude-haiku-4-5"
    );
    assert_eq!(
        talk.of_type("mode_changed").last().unwrap()["mode"],
        "acceptEdits"
    );
    let info = talk.session.info();
    assert_eq!(
        (info.model.as_deref(), info.permission_mode.as_deref()),
        (Some("claude-haiku-4-5"), Some("acceptEdits"))
    );
    assert_eq!(world.api.asked_by_main()[1]["model"], "claude-haiku-4-5");
    assert!(
        talk.session
            .set_permission_mode("nonsense".to_owned())
            .await
            .is_err()
    );
    talk.session.stop().await?;
    Ok(())
}
