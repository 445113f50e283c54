//! Scripts that several tests share, and sessions on them.
#![allow(dead_code)]

use std::path::Path;

use anyhow::Result;
use kandev_messages_api::{Reply, Script};
use kandev_real_cli::{Cli, Talk, World};
use kandev_session::{Decision, NewSession, Past, Policy, SessionInfo};
use serde_json::{Value, json};

pub async fn world(script: impl FnOnce(&Path) -> Script) -> Result<World> {
    World::new(env!("CARGO_BIN_EXE_kandev-real-cli"), script).await
}

/// Reads the notes, then changes their second line: the CLI edits only what was read.
pub fn edit(folder: &Path) -> [Reply; 2] {
    let file = folder.join("notes.txt");
    [
        Reply::tool("Read", json!({"file_path": file})),
        Reply::tool(
            "Edit",
            json!({"file_path": file, "old_string": "second line", "new_string": "another line"}),
        ),
    ]
}

pub fn then(replies: impl IntoIterator<Item = Reply>, text: &str) -> Vec<Reply> {
    replies.into_iter().chain([Reply::text(text)]).collect()
}

pub fn bash(command: &str) -> Reply {
    Reply::tool(
        "Bash",
        json!({"command": command, "description": "A command"}),
    )
}

pub fn allow_with(updated_input: Value) -> Decision {
    Decision::Allow {
        updated_input: Some(updated_input),
        suggestions: Vec::new(),
    }
}

pub async fn start(policy: Policy, script: impl FnOnce(&Path) -> Script) -> Result<(World, Talk)> {
    start_as(policy, |_| {}, script).await
}

pub async fn start_as(
    policy: Policy,
    change: impl FnOnce(&mut NewSession),
    script: impl FnOnce(&Path) -> Script,
) -> Result<(World, Talk)> {
    let world = world(script).await?;
    let mut request = world.request(policy);
    change(&mut request);
    let talk = world.start(request);
    Ok((world, talk))
}

/// A session with one version of the CLI.
pub async fn start_on(
    cli: Cli,
    policy: Policy,
    script: impl FnOnce(&Path) -> Script,
) -> Result<(World, Talk)> {
    start_on_as(cli, policy, |_| {}, script).await
}

pub async fn start_on_as(
    cli: Cli,
    policy: Policy,
    change: impl FnOnce(&mut NewSession),
    script: impl FnOnce(&Path) -> Script,
) -> Result<(World, Talk)> {
    let world = world_of(cli, script).await?;
    let mut request = world.request(policy);
    change(&mut request);
    let talk = world.start(request);
    Ok((world, talk))
}

pub async fn world_of(cli: Cli, script: impl FnOnce(&Path) -> Script) -> Result<World> {
    World::of(cli, env!("CARGO_BIN_EXE_kandev-real-cli"), script).await
}

/// What a restart of the program knows of a session that looked like this.
pub fn past(info: &SessionInfo) -> Past {
    let info = info.clone();
    Past {
        last_seq: info.last_seq,
        cli_session_id: info.cli_session_id,
        title: info.title,
        titled: true,
        permission_mode: info.permission_mode,
        model: info.model,
        effort: info.effort,
        phase: info.phase,
        since: info.since,
        started_at: info.started_at,
        problem: info.problem,
        cli_version: info.cli_version,
        last_message_uuid: info.last_message_uuid,
        forked_from: info.forked_from,
        standing: Vec::new(),
    }
}

/// Whether a notice of this kind was given.
pub fn told(talk: &Talk, kind: &str) -> bool {
    talk.of_type("notice")
        .iter()
        .any(|event| event["kind"] == kind)
}
