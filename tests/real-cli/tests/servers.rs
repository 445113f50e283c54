//! MCP servers of the settings with the real CLI: they are started, their state is told, and a secret reaches its server and
//! nobody else.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod support;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use kandev_messages_api::{Reply, Script};
use kandev_real_cli::{Cli, Talk, VERSIONS, World, allow};
use kandev_session::redact::Redactor;
use kandev_session::{McpServers, Policy, RawDir, ServersReading, SessionError};
use kandev_wire::request::{McpReconnect, McpServer, McpStatus, McpToggle};
use serde_json::{Map, Value, json};
use support::{then, world, world_of};

const SERVER: &str = env!("CARGO_BIN_EXE_kandev-mcp-stand-in");
/// Not the form of anything that is redacted for its looks.
const SECRET: &str = "correct horse battery staple";

fn servers(proof: &Path) -> Map<String, Value> {
    let servers = json!({
        "lab": { "type": "stdio", "command": SERVER, "args": [], "env": { "TOKEN": SECRET, "PROOF": proof } },
        "ends": { "type": "stdio", "command": SERVER, "args": ["fail"], "env": {} },
        // Nobody listens there.
        "web": { "type": "http", "url": "http://127.0.0.1:9/mcp", "headers": { "X-Key": SECRET } },
        "feed": { "type": "sse", "url": "http://127.0.0.1:9/sse", "headers": { "X-Key": SECRET } },
        "gone": { "type": "stdio", "command": "/nonexistent/server", "args": [], "env": {} },
    });
    servers.as_object().unwrap().clone()
}

async fn start(script: Script) -> Result<(World, Talk, PathBuf)> {
    let world = world(|_| script).await?;
    let proof = world.home().join("proof");
    let source: Arc<dyn McpServers> = Arc::new(servers(&proof));
    let talk = world.start_with(world.request(Policy::Rules), |options| {
        options.mcp_servers = Some(source);
    });
    Ok((world, talk, proof))
}

async fn server(talk: &Talk, name: &str) -> Result<McpServer> {
    let list = talk.session.request(McpStatus).await?.mcp_servers;
    let found = list
        .into_iter()
        .find(|server| server.name.as_deref() == Some(name));
    Ok(found.unwrap())
}

/// Servers connect in their own time, and nobody tells when: they are asked again and again.
async fn until(talk: &Talk, name: &str, status: &str) -> Result<McpServer> {
    let look = async {
        loop {
            let server = server(talk, name).await?;
            if server.status.as_deref() == Some(status) {
                return Ok(server);
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(90), look).await?
}

#[tokio::test]
async fn a_server_connects_and_a_failed_one_says_why() -> Result<()> {
    let echo = Reply::tool("mcp__lab__echo", json!({ "text": "hello" }));
    let script = Script::new().turn(then([echo], "Said."));
    let (_world, mut talk, _) = start(script).await?;
    let lab = until(&talk, "lab", "connected").await?;
    assert_eq!(lab.transport.as_deref(), Some("stdio"));
    assert_eq!(lab.server_info.unwrap().version.as_deref(), Some("1.2.3"));
    assert_eq!(lab.tools[0].name.as_deref(), Some("echo"));
    for name in ["ends", "gone"] {
        let failed = until(&talk, name, "failed").await?;
        assert!(
            failed.error.is_some_and(|error| !error.is_empty()),
            "{name}"
        );
    }
    talk.turn("Say it", allow).await?;
    let call = &talk.calls("mcp__lab__echo")[0];
    assert_eq!(call["tool_status"], "complete");
    assert_eq!(call["normalized"]["mcp_tool"]["server"], "lab");
    talk.session.stop().await?;
    Ok(())
}

#[tokio::test]
async fn a_server_is_switched_off_and_on_and_connected_anew() -> Result<()> {
    let (_world, talk, proof) = start(Script::new()).await?;
    until(&talk, "lab", "connected").await?;
    let toggle = |enabled| McpToggle {
        server_name: "lab".to_owned(),
        enabled,
    };
    talk.session.request(toggle(false)).await?;
    until(&talk, "lab", "disabled").await?;
    talk.session.request(toggle(true)).await?;
    until(&talk, "lab", "connected").await?;
    std::fs::remove_file(&proof)?;
    let reconnect = |name: &str| McpReconnect {
        server_name: name.to_owned(),
    };
    talk.session.request(reconnect("lab")).await?;
    until(&talk, "lab", "connected").await?;
    assert_eq!(std::fs::read_to_string(&proof)?, SECRET);
    for name in ["gone", "no-such-server"] {
        let refused = talk.session.request(reconnect(name)).await;
        assert!(
            matches!(refused, Err(SessionError::Refused { .. })),
            "{name}: {refused:?}"
        );
    }
    talk.session.stop().await?;
    Ok(())
}

/// The file that the CLI was told of, by the arguments of the processes of this world.
#[cfg(target_os = "linux")]
fn config_file(processes: &[String]) -> Option<PathBuf> {
    let mut words = processes.iter().flat_map(|line| line.split(' '));
    words.find(|word| *word == "--mcp-config")?;
    words.next().map(PathBuf::from)
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_secret_reaches_its_server_and_no_argument_event_or_line_that_we_show() -> Result<()> {
    let script = Script::new().turn([Reply::text("Done.")]);
    let (world, mut talk, proof) = start(script).await?;
    until(&talk, "lab", "connected").await?;
    assert_eq!(std::fs::read_to_string(&proof)?, SECRET);
    for name in ["web", "feed"] {
        until(&talk, name, "failed").await?;
    }
    talk.turn("Begin", allow).await?;
    let processes = world.processes()?;
    assert!(!processes.join("\n").contains(SECRET), "{processes:#?}");
    let file = config_file(&processes).expect("no process was told of a file");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    assert!(std::fs::read_to_string(&file)?.contains(SECRET));
    talk.session.stop().await?;
    talk.until_type("session_ended").await?;
    assert!(!file.parent().unwrap().exists());
    for event in &talk.seen {
        assert!(!event.to_string().contains(SECRET), "{event}");
    }
    // The CLI repeats headers in its answer about the servers, so the lines that we hold do: not those that we show.
    let rules = Redactor::default();
    for entry in talk.session.raw(0, usize::MAX) {
        let line = String::from_utf8_lossy(&entry.line.line).into_owned();
        let shown = rules.line(&line);
        assert!(!shown.contains(SECRET), "{shown}");
        assert!(
            entry.line.dir == RawDir::Out || !line.contains(SECRET),
            "{line}"
        );
    }
    Ok(())
}

/// Notes that it was asked.
struct Asked(Map<String, Value>, AtomicBool);

impl McpServers for Asked {
    fn read(&self) -> ServersReading<'_> {
        self.1.store(true, Ordering::Relaxed);
        self.0.read()
    }
}

#[tokio::test]
async fn a_file_for_a_process_that_never_started_is_gone() -> Result<()> {
    let world = world(|_| Script::new()).await?;
    // Tells its version, and is not there any more when it is to be started.
    let program = world.home().join("claude");
    let script = "#!/bin/sh\nrm \"$0\"\necho '2.1.332 (Claude Code)'\n";
    std::fs::write(&program, script)?;
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
    let proof = world.home().join("proof");
    let source = Arc::new(Asked(servers(&proof), AtomicBool::new(false)));
    let given: Arc<dyn McpServers> = Arc::clone(&source) as _;
    let mut talk = world.start_with(world.request(Policy::Rules), |options| {
        options.search.chosen = Some(program);
        options.mcp_servers = Some(given);
    });
    talk.until_type("error").await?;
    assert!(source.1.load(Ordering::Relaxed));
    let left = std::fs::read_dir(std::env::temp_dir())?
        .flatten()
        .map(|entry| entry.path().join("servers.json"))
        .filter_map(|file| std::fs::read_to_string(file).ok())
        .any(|text| text.contains(&*proof.to_string_lossy()));
    assert!(!left);
    Ok(())
}

#[tokio::test]
async fn every_version_starts_the_servers_of_the_file() -> Result<()> {
    for version in VERSIONS {
        let echo = Reply::tool("mcp__lab__echo", json!({ "text": "hello" }));
        let script = Script::new().turn(then([echo], "Said."));
        let world = world_of(Cli::of(version)?, |_| script).await?;
        let proof = world.home().join("proof");
        let mut lab = servers(&proof);
        lab.retain(|name, _| name == "lab");
        let source: Arc<dyn McpServers> = Arc::new(lab);
        let mut talk = world.start_with(world.request(Policy::Rules), |options| {
            options.mcp_servers = Some(source);
        });
        until(&talk, "lab", "connected").await?;
        talk.turn("Say it", allow).await?;
        let call = &talk.calls("mcp__lab__echo")[0];
        assert_eq!(call["tool_status"], "complete", "{version}");
        assert_eq!(std::fs::read_to_string(&proof)?, SECRET, "{version}");
        talk.session.stop().await?;
    }
    Ok(())
}
