//! Control requests with the real CLI: what is asked, and that it holds.
#![allow(clippy::unwrap_used)]

mod support;

use anyhow::Result;
use kandev_messages_api::{Reply, Script, Step};
use kandev_real_cli::allow;
use kandev_session::{Phase, Policy};
use kandev_wire::request::{GetContextUsage, GetUsage, ListPermissionRules, RewindFiles};
use support::{edit, start, start_as, then};

fn hello() -> Script {
    Script::new()
        .turn([Reply::text("Hello.")])
        .turn([Reply::text("Hello again.")])
}

#[tokio::test]
async fn an_effort_is_set_confirmed_and_survives_the_process() -> Result<()> {
    let model = |request: &mut kandev_session::NewSession| request.model = Some("opus".to_owned());
    let (_world, mut talk) = start_as(Policy::Supervised, model, |_| hello()).await?;
    talk.turn("Hi", allow).await?;
    talk.session.set_effort(Some("low".to_owned())).await?;
    assert_eq!(talk.session.info().effort.as_deref(), Some("low"));
    let odd = talk.session.set_effort(Some("enormous".to_owned())).await;
    assert_eq!(odd.unwrap_err().code(), "refused");
    assert_eq!(talk.session.info().effort.as_deref(), Some("low"));
    talk.session.set_effort(Some("high".to_owned())).await?;
    talk.session.stop().await?;
    talk.until_type("session_ended").await?;
    talk.turn("Go on", allow).await?;
    let mut info = talk.session.info_changes();
    info.wait_for(|info| info.effort.as_deref() == Some("high"))
        .await?;
    talk.session.set_effort(None).await?;
    assert_eq!(talk.session.info().effort.as_deref(), Some("medium"));
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_model_without_levels_of_effort_says_so() -> Result<()> {
    let (_world, mut talk) = start(Policy::Supervised, |_| hello()).await?;
    talk.turn("Hi", allow).await?;
    let error = talk.session.set_effort(Some("high".to_owned())).await;
    assert_eq!(error.unwrap_err().code(), "refused");
    assert_eq!(talk.session.info().effort, None);
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_title_is_kept_and_context_costs_and_rules_are_told() -> Result<()> {
    let (_world, mut talk) = start(Policy::Supervised, |_| hello()).await?;
    talk.turn("Hi", allow).await?;
    talk.session.rename("The first words".to_owned()).await?;
    assert_eq!(talk.session.info().title, "The first words");
    let context = talk.session.request(GetContextUsage::default()).await?;
    assert_eq!(context.max_tokens, Some(200_000));
    assert!(!context.categories.is_empty());
    let usage = talk
        .session
        .request(GetUsage {
            skip_behaviors: true,
        })
        .await?;
    assert!(usage.session.unwrap().total_cost_usd.unwrap() > 0.0);
    let rules = talk.session.request(ListPermissionRules).await?;
    assert_eq!(rules.state.unwrap().managed_only, Some(false));
    talk.session.stop().await?;
    talk.until_type("session_ended").await?;
    assert_eq!(talk.of_type("title_changed").len(), 1);
    Ok(())
}

#[tokio::test]
async fn files_are_set_back_to_what_they_were_before_a_prompt() -> Result<()> {
    let (world, mut talk) = start(Policy::Supervised, |folder| {
        Script::new().turn(then(edit(folder), "Edited."))
    })
    .await?;
    let before = world.read("notes.txt")?;
    talk.turn("Change the second line", allow).await?;
    assert_ne!(world.read("notes.txt")?, before);
    let uuid = talk.of_type("user_message")[0]["uuid"]
        .as_str()
        .unwrap()
        .to_owned();
    let rewind = |dry_run| RewindFiles {
        user_message_id: uuid.clone(),
        dry_run,
    };
    let would = talk.session.request(rewind(true)).await?;
    assert_eq!(would.can_rewind, Some(true), "{would:?}");
    assert_eq!(would.files_changed.len(), 1);
    assert_ne!(
        world.read("notes.txt")?,
        before,
        "a dry run changes nothing"
    );
    talk.session.request(rewind(false)).await?;
    assert_eq!(world.read("notes.txt")?, before);
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_title_is_found_by_the_model() -> Result<()> {
    let title = Reply::text(r#"{"title": "Fix the parser"}"#);
    let (_world, mut talk) = start(Policy::Supervised, |_| hello().aside(title)).await?;
    talk.turn("fix the bug in the parser", allow).await?;
    assert_eq!(talk.session.generate_title().await?, "Fix the parser");
    assert_eq!(talk.session.info().title, "Fix the parser");
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn an_interrupt_tells_what_became_of_the_prompts_that_waited() -> Result<()> {
    let (_world, mut talk) = start(Policy::Rules, |_| {
        Script::new()
            .turn([Reply::steps([
                Step::Text("This takes long".to_owned()),
                Step::Hold,
            ])])
            .turn([Reply::text("Second.")])
    })
    .await?;
    talk.prompt("first").await?;
    talk.until_type("message_chunk").await?;
    talk.prompt("second").await?;
    let receipt = talk.session.interrupt(true).await?;
    assert_eq!(
        (receipt.still_queued.len(), receipt.cancelled.len()),
        (0, 1)
    );
    talk.until(|event| event["type"] == "notice" && event["kind"] == "prompt_returned")
        .await?;
    let mut info = talk.session.info_changes();
    info.wait_for(|info| info.phase == Phase::Idle).await?;
    talk.session.stop().await?;
    talk.until_type("session_ended").await?;
    assert_eq!(talk.of_type("complete").len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_model_that_finds_no_title_leaves_the_one_that_was() -> Result<()> {
    let (_world, mut talk) = start(Policy::Supervised, |_| hello()).await?;
    talk.turn("fix the bug in the parser", allow).await?;
    let error = talk.session.generate_title().await.unwrap_err();
    assert_eq!(error.code(), "refused");
    assert_eq!(talk.session.info().title, "fix the bug in the parser");
    talk.session.stop().await?;
    Ok(())
}
