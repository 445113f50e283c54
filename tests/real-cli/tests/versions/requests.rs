//! What the table says of each version's control requests and arguments, tried on that version itself.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result};
use kandev_messages_api::{Reply, Script};
use kandev_real_cli::{Cli, ENVIRONMENT, World, allow};
use kandev_session::abilities::{TABLE, Takes};
use kandev_session::{Abilities, Ability, Policy, SessionError};
use kandev_wire::request::{GetContextUsage, GetUsage, ListPermissionRules, Request};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

use crate::support::{start_on, world_of};

/// Not tried: they would end the process, reach out of it, or wait for a person.
const NOT_TRIED: [&str; 4] = [
    "end_session",
    "remote_control",
    "mcp_authenticate",
    "claim_session",
];
/// Asked last; all versions answer it, and in order.
const LAST: &str = "mcp_status";
/// Answers that need no model come within a fraction of a second.
const SILENCE: Duration = Duration::from_secs(3);

fn command(world: &World, arguments: &[&str]) -> Command {
    let mut command = Command::new(world.program());
    command
        .args([
            "-p",
            "--output-format",
            "stream-json",
            "--input-format",
            "stream-json",
            "--verbose",
        ])
        .args(arguments)
        .env(ENVIRONMENT, world.environment().to_string())
        .current_dir(world.folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// Whether an answer says that the request is not known, and not only that its fields are wrong.
fn unknown(answer: &Value) -> bool {
    let text = answer["error"].as_str().unwrap_or_default();
    answer["error_code"] == "unsupported_request"
        || text.to_lowercase().contains("unsupported control request")
}

pub async fn the_requests_of_the_table_are_taken_and_no_others(cli: Cli) -> Result<()> {
    let world = world_of(cli, |_| Script::new()).await?;
    let newest = Abilities::of(None);
    let tried: BTreeSet<String> = newest
        .requests()
        .into_iter()
        .filter(|subtype| !NOT_TRIED.contains(&subtype.as_str()) && subtype != LAST)
        .collect();

    let mut child = command(&world, &["--permission-prompt-tool", "stdio"]).spawn()?;
    let mut stdin = child.stdin.take().context("stdin")?;
    let mut lines = BufReader::new(child.stdout.take().context("stdout")?).lines();
    let order = ["initialize"]
        .into_iter()
        .chain(
            tried
                .iter()
                .map(String::as_str)
                .filter(|name| *name != "initialize"),
        )
        .chain([LAST]);
    for subtype in order {
        let mut request = json!({"subtype": subtype});
        // Without these some versions end instead of refusing.
        match subtype {
            "mcp_set_servers" => request["servers"] = json!({}),
            "apply_flag_settings" => request["settings"] = json!({}),
            _ => {}
        }
        let request = json!({"type": "control_request", "request_id": subtype, "request": request});
        stdin.write_all(format!("{request}\n").as_bytes()).await?;
    }
    let mut answers: BTreeMap<String, Value> = BTreeMap::new();
    // The first line takes as long as the start.
    let mut limit = Duration::from_secs(60);
    while let Ok(line) = tokio::time::timeout(limit, lines.next_line()).await {
        let Some(line) = line? else { break };
        let message: Value = serde_json::from_str(&line)?;
        let answer = &message["response"];
        if message["type"] == "control_response"
            && let Some(id) = answer["request_id"].as_str()
        {
            // Old versions answer some twice; the first counts.
            answers
                .entry(id.to_owned())
                .or_insert_with(|| answer.clone());
        }
        if answers.contains_key(LAST) {
            limit = SILENCE;
        }
        if answers.len() == tried.len() + 1 {
            break;
        }
    }
    drop(stdin);
    assert!(
        answers.contains_key(LAST),
        "it ended on the way: {answers:#?}"
    );

    let taken: BTreeSet<&String> = tried
        .iter()
        .filter(|subtype| answers.get(*subtype).is_some_and(|answer| !unknown(answer)))
        .collect();
    let listed: BTreeSet<&String> = tried
        .iter()
        .filter(|subtype| cli.abilities().takes(subtype) == Takes::Yes)
        .collect();
    assert_eq!(taken, listed, "of Claude Code {}", cli.version());
    if cli.abilities().can(Ability::OneAnswer) {
        let silent: Vec<&String> = tried
            .iter()
            .filter(|subtype| !answers.contains_key(*subtype))
            .collect();
        assert!(silent.is_empty(), "never answered: {silent:?}");
    }
    Ok(())
}

pub async fn the_flags_of_the_table_are_known_and_no_others(cli: Cli) -> Result<()> {
    let world = world_of(cli, |_| Script::new()).await?;
    for flag in TABLE.iter().filter_map(|row| row.flag) {
        let arguments: &[&str] = match flag {
            "--effort" => &[flag, "low"],
            "--permission-prompts" => &[flag, "none"],
            _ => &[flag],
        };
        let mut child = command(&world, arguments).spawn()?;
        // Nothing comes in, so there is nothing to do.
        drop(child.stdin.take());
        let output = child.wait_with_output().await?;
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            !words.contains("unknown option"),
            cli.abilities().knows_flag(flag),
            "{flag} with Claude Code {}: {words}",
            cli.version()
        );
    }
    Ok(())
}

pub async fn a_request_is_answered_or_not_even_sent(cli: Cli) -> Result<()> {
    let script = |_: &_| Script::new().turn([Reply::text("Hello.")]);
    let (_world, mut talk) = start_on(cli, Policy::Rules, script).await?;
    talk.turn("Hello", allow).await?;
    assert_eq!(talk.session.info().can, cli.abilities().requests());

    let usage = talk
        .session
        .request(GetUsage {
            skip_behaviors: true,
        })
        .await;
    let context = talk.session.request(GetContextUsage { detail: None }).await;
    let rules = talk.session.request(ListPermissionRules).await;
    for (subtype, outcome) in [
        (GetUsage::SUBTYPE, usage.map(drop)),
        (GetContextUsage::SUBTYPE, context.map(drop)),
        (ListPermissionRules::SUBTYPE, rules.map(drop)),
    ] {
        let expected = match cli.abilities().takes(subtype) {
            Takes::Yes => Ok(()),
            Takes::Since(since) => Err(SessionError::Unsupported {
                request: subtype.to_owned(),
                version: cli.version().to_owned(),
                since: Some(since.to_string()),
            }),
            Takes::Never => unreachable!("{subtype} is in the table"),
        };
        assert_eq!(outcome, expected, "{subtype}");
    }
    talk.session.stop().await?;
    Ok(())
}
