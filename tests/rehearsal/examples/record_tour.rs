//! Records the tour, all allowed or all denied, in the form that `kandev normalize` and the rehearsal CLI read:
//! `cargo run -p kandev-rehearsal --example record_tour -- allow > tests/transcripts/tour.ndjson`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, bail};
use serde_json::{Value, json};

const FOLDER: &str = "/home/dev/tideline";

fn main() -> anyhow::Result<()> {
    let allow = match std::env::args().nth(1).as_deref() {
        Some("allow") => true,
        Some("deny") => false,
        _ => bail!("usage: record_tour allow|deny"),
    };
    let folder = tempfile::Builder::new().prefix("tour").tempdir()?;
    let real = folder.path().to_string_lossy().into_owned();
    let built = std::env::current_exe()?;
    let program = built
        .parent()
        .and_then(Path::parent)
        .context("no build folder")?
        .join("kandev-rehearsal");
    let args = [
        "-p",
        "--output-format",
        "stream-json",
        "--input-format",
        "stream-json",
        "--verbose",
        "--include-partial-messages",
        "--permission-prompt-tool",
        "stdio",
    ];
    let mut child = Command::new(program)
        .args(args)
        .args(["--speed", "real"])
        .env("KANDEV_REHEARSAL_DIR", folder.path())
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take();
    let stdout = BufReader::new(child.stdout.take().context("no stdout")?);

    let started = Instant::now();
    let record = |dir: &str, line: &Value| {
        // Nobody else has this folder, and its name is another each time.
        println!(
            "{}",
            json!({"t": started.elapsed().as_millis(), "dir": dir, "line": line})
                .to_string()
                .replace(&real, FOLDER)
        );
    };
    let send = |stdin: &mut Option<std::process::ChildStdin>, line: Value| -> anyhow::Result<()> {
        record("in", &line);
        let stdin = stdin.as_mut().context("stdin is closed")?;
        writeln!(stdin, "{line}")?;
        Ok(stdin.flush()?)
    };
    let argv: Vec<&str> = ["claude"].into_iter().chain(args).collect();
    record("meta", &json!({"argv": argv, "env": {}, "cwd": FOLDER}));
    send(
        &mut stdin,
        json!({"type": "control_request", "request_id": "host-1", "request": {"subtype": "initialize"}}),
    )?;
    let mut results = 0;
    for line in stdout.lines() {
        let line: Value = serde_json::from_str(&line?)?;
        record("out", &line);
        match line["type"].as_str() {
            Some("control_response") if results == 0 => {
                let content = "After the last tide of the day tideline shows nothing. Find out why and fix it.";
                send(
                    &mut stdin,
                    json!({"type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": null}),
                )?;
            }
            Some("control_request") => {
                let answer = json!({"type": "control_response", "response": {"subtype": "success", "request_id": line["request_id"], "response": decide(&line["request"], allow)}});
                send(&mut stdin, answer)?;
            }
            Some("result") => {
                results += 1;
                // The turn, and one for each job that it left in the background.
                if results == if allow { 3 } else { 2 } {
                    stdin = None;
                    record("host", &json!({"stdin": "closed"}));
                }
            }
            _ => {}
        }
    }
    let status = child.wait()?;
    record("exit", &json!({"code": status.code()}));
    Ok(())
}

fn decide(request: &Value, allow: bool) -> Value {
    if !allow {
        return json!({"behavior": "deny", "message": "Not now."});
    }
    let mut input = request["input"].clone();
    if request["tool_name"] == "AskUserQuestion" {
        input["answers"] = json!({
            "How should the next day be marked?": "The weekday",
            "What else belongs in this release?": "Low water too, JSON output",
        });
    }
    json!({"behavior": "allow", "updatedInput": input})
}
