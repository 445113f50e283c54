//! The host's own MCP server with the real CLI: its tools are there, are asked about as the policy says, and answer.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use kandev_messages_api::{Reply, Script};
use kandev_real_cli::{Cli, Talk, VERSIONS, World, allow, deny};
use kandev_session::{Doing, HostTools, Note, Place, Policy};
use serde_json::{Value, json};
use support::{then, world, world_of};

const NOTIFY: &str = "mcp__kandev__notify_user";
const OPEN: &str = "mcp__kandev__open_in_editor";

/// Opens what is in the workspace and remembers it.
#[derive(Default)]
struct Desk {
    notes: Mutex<Vec<Note>>,
    places: Mutex<Vec<Place>>,
}

impl HostTools for Desk {
    fn notify_user(&self, note: Note) -> Doing<'_, ()> {
        self.notes.lock().unwrap().push(note);
        Box::pin(std::future::ready(()))
    }

    fn open_in_editor(&self, place: Place) -> Doing<'_, Result<String, String>> {
        let file = Path::new(&place.workspace).join(&place.path);
        let inside = file.canonicalize().is_ok_and(|file| {
            file.starts_with(Path::new(&place.workspace).canonicalize().unwrap())
        });
        let outcome = if inside {
            self.places.lock().unwrap().push(place);
            Ok("Opened.".to_owned())
        } else {
            Err("That is outside the workspace.".to_owned())
        };
        Box::pin(std::future::ready(outcome))
    }
}

async fn start(policy: Policy, script: Script) -> Result<(World, Talk, Arc<Desk>)> {
    let world = world(|_| script).await?;
    let desk = Arc::<Desk>::default();
    let tools: Arc<dyn HostTools> = Arc::clone(&desk) as _;
    let talk = world.start_with(world.request(policy), |options| {
        options.host_tools = Some(tools);
    });
    Ok((world, talk, desk))
}

fn notify() -> Reply {
    let input = json!({ "message": "The tests pass.", "title": "Done", "level": "info" });
    Reply::tool(NOTIFY, input)
}

fn notes(talk: &Talk) -> Vec<&Value> {
    let notices = talk.of_type("notice").into_iter();
    notices
        .filter(|event| event["kind"] == "notify_user")
        .collect()
}

#[tokio::test]
async fn the_tools_are_there_and_an_allowed_one_tells_the_user() -> Result<()> {
    let script = Script::new().turn(then([notify()], "Told."));
    let (world, mut talk, desk) = start(Policy::Rules, script).await?;
    talk.turn("Tell me", allow).await?;
    let status = &talk.of_type("session_status")[0]["data"];
    let servers = status["mcp_servers"].as_array().unwrap();
    assert!(
        servers
            .iter()
            .any(|server| server["name"] == "kandev" && server["status"] == "connected"),
        "{servers:?}"
    );
    let tools = status["tools"].as_array().unwrap();
    for tool in [NOTIFY, OPEN] {
        assert!(tools.contains(&json!(tool)), "{tools:?}");
    }
    assert_eq!(talk.calls(NOTIFY)[0]["tool_status"], "complete");
    let notes = notes(&talk);
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0]["text"], "The tests pass.");
    assert_eq!(
        notes[0]["data"],
        json!({ "message": "The tests pass.", "level": "info", "title": "Done" })
    );
    assert_eq!(desk.notes.lock().unwrap().len(), 1);
    talk.session.stop().await?;
    drop(world);
    Ok(())
}

#[tokio::test]
async fn a_rule_of_the_user_lets_the_tool_run_unasked() -> Result<()> {
    let script = Script::new().turn(then([notify()], "Told."));
    let world = world(|_| script).await?;
    let settings = json!({ "permissions": { "allow": [NOTIFY] } });
    std::fs::create_dir_all(world.home().join(".claude"))?;
    std::fs::write(
        world.home().join(".claude/settings.json"),
        settings.to_string(),
    )?;
    let tools: Arc<dyn HostTools> = Arc::<Desk>::default();
    let mut talk = world.start_with(world.request(Policy::Rules), |options| {
        options.host_tools = Some(tools);
    });
    talk.turn("Tell me", |question| panic!("asked: {question}"))
        .await?;
    assert_eq!(notes(&talk).len(), 1);
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_supervised_session_asks_first_and_a_denial_tells_nobody() -> Result<()> {
    let script = Script::new()
        .turn(then([notify()], "Not told."))
        .turn(then([notify()], "Told."));
    let (_world, mut talk, desk) = start(Policy::Supervised, script).await?;
    talk.turn("Tell me", deny).await?;
    let question = &talk.questions()[0];
    assert_eq!(question["tool_name"], NOTIFY);
    assert_eq!(question["data"]["decision_reason_type"], "hook");
    assert_eq!(notes(&talk), [&Value::Null; 0]);
    assert_eq!(*desk.notes.lock().unwrap(), []);
    talk.turn("Tell me after all", allow).await?;
    assert_eq!(notes(&talk).len(), 1);
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn what_lies_outside_the_workspace_is_refused_and_what_is_inside_is_opened() -> Result<()> {
    let open = |path: &str| Reply::tool(OPEN, json!({ "path": path, "line": 2 }));
    let script = Script::new().turn(then([open("/etc/hostname"), open("notes.txt")], "Opened."));
    let (_world, mut talk, desk) = start(Policy::Rules, script).await?;
    talk.turn("Show me", allow).await?;
    let states: Vec<_> = talk
        .calls(OPEN)
        .iter()
        .map(|call| call["tool_status"].clone())
        .collect();
    assert_eq!(states, ["error", "complete"]);
    let places = desk.places.lock().unwrap().clone();
    assert_eq!(places.len(), 1);
    assert_eq!(
        (places[0].path.as_str(), places[0].line),
        ("notes.txt", Some(2))
    );
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_session_that_is_taken_up_again_has_its_tools_again() -> Result<()> {
    let script = Script::new()
        .turn(then([notify()], "Told."))
        .turn(then([notify()], "Told again."));
    let (_world, mut talk, desk) = start(Policy::Rules, script).await?;
    talk.turn("Tell me", allow).await?;
    talk.session.stop().await?;
    talk.until_type("session_ended").await?;
    talk.turn("Tell me again", allow).await?;
    assert_eq!(desk.notes.lock().unwrap().len(), 2);
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn every_version_has_the_tools() -> Result<()> {
    for version in VERSIONS {
        let script = Script::new().turn(then([notify()], "Told."));
        let world = world_of(Cli::of(version)?, |_| script).await?;
        let desk = Arc::<Desk>::default();
        let tools: Arc<dyn HostTools> = Arc::clone(&desk) as _;
        let mut talk = world.start_with(world.request(Policy::Rules), |options| {
            options.host_tools = Some(tools);
        });
        talk.turn("Tell me", allow).await?;
        assert_eq!(talk.questions().len(), 1, "{version}");
        assert_eq!(
            talk.calls(NOTIFY)[0]["tool_status"],
            "complete",
            "{version}"
        );
        assert_eq!(notes(&talk).len(), 1, "{version}");
        assert_eq!(desk.notes.lock().unwrap().len(), 1, "{version}");
        talk.session.stop().await?;
    }
    Ok(())
}
