//! Makes a data folder whose database holds one long session, for tests of the window: `kandev-long-session DIR WORKSPACE ROWS`.
//!
//! What is said is the usual mixture in twenty rows a turn: a prompt, answers with Markdown in them, reads and searches,
//! edits, commands, some of which fail. The first prompt holds the word `gannet` and the middle one `cormorant`, which are
//! nowhere else. Prints the session's id.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use kandev_session::{Phase, Policy};
use kandev_store::{SessionFile, SessionFiles, Source, Store, StoreError, StoredSession};
use kandev_transcript::Event;
use serde_json::{Value, json};

const ID: &str = "11111111-2222-4333-8444-555555555555";
/// Rows of a turn, its end among them.
const TURN: u64 = 20;
const BATCH: usize = 1_000;
/// Milliseconds since the epoch: in the past for good.
const BEGAN: u64 = 1_780_000_000_000;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let [_, folder, workspace, rows] = args.as_slice() else {
        bail!("kandev-long-session DIR WORKSPACE ROWS");
    };
    let rows: u64 = rows.parse().context("ROWS is no number")?;
    let opened = Store::open(Path::new(folder));
    if let Some(problem) = opened.problems.first() {
        bail!("{problem}");
    }
    let store = opened.store;
    store.put(&StoredSession {
        cli_session_id: Some(ID.to_owned()),
        title: "A long session".to_owned(),
        titled: true,
        workspace: workspace.clone(),
        state: Phase::Stopped,
        policy: Some(Policy::Supervised),
        ..StoredSession::bare(ID, Source::Kandev, &kandev_transcript::at(BEGAN))
    })?;
    let mut script = Script::default();
    for row in 0..rows {
        for body in bodies(row, rows, workspace) {
            script.say(body)?;
        }
        if script.batch.len() >= BATCH {
            store.append(ID, std::mem::take(&mut script.batch))?;
        }
    }
    store.append(ID, script.batch)?;
    store.index_now(&NoFiles, Duration::from_secs(600))?;
    store.close();
    println!("{ID}");
    Ok(())
}

/// No conversations of terminals.
struct NoFiles;

impl SessionFiles for NoFiles {
    fn files(&self) -> Result<Vec<SessionFile>, StoreError> {
        Ok(Vec::new())
    }

    fn tell(
        &self,
        _: &str,
        _: &mut dyn FnMut(&Event) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        Ok(())
    }
}

#[derive(Default)]
struct Script {
    seq: u64,
    batch: Vec<Arc<Event>>,
}

impl Script {
    fn say(&mut self, mut body: Value) -> anyhow::Result<()> {
        self.seq += 1;
        body["seq"] = json!(self.seq);
        body["at"] = json!(kandev_transcript::at(BEGAN + self.seq * 500));
        body["session_id"] = json!(ID);
        self.batch.push(Arc::new(serde_json::from_value(body)?));
        Ok(())
    }
}

/// The events of which a row is made.
fn bodies(row: u64, rows: u64, workspace: &str) -> Vec<Value> {
    let turn = row / TURN;
    match row % TURN {
        0 => vec![prompt(turn, row == 0, row == rows / 2 / TURN * TURN)],
        2 | 9 | 18 => vec![
            json!({"type": "message_chunk", "message_id": format!("msg_{row}"), "text": answer(row)}),
        ],
        6 | 13 => call(
            row,
            "Edit",
            "src/part.rs",
            &edit(row, workspace),
            "complete",
        ),
        7 | 14 => call(
            row,
            "Bash",
            "cargo test",
            &shell(row, row.is_multiple_of(3)),
            if row.is_multiple_of(3) {
                "error"
            } else {
                "complete"
            },
        ),
        4 | 11 => call(row, "Grep", "deliver", &grep(row), "complete"),
        19 => vec![json!({"type": "complete", "data": complete()})],
        _ => call(
            row,
            "Read",
            &format!("src/part_{row}.rs"),
            &read(row, workspace),
            "complete",
        ),
    }
}

fn prompt(turn: u64, first: bool, middle: bool) -> Value {
    let bird = if first {
        " Mind the gannet."
    } else if middle {
        " Mind the cormorant."
    } else {
        ""
    };
    json!({"type": "user_message", "uuid": format!("00000000-0000-4000-8000-{turn:012}"), "attachments": [], "synthetic": false,
        "text": format!("Prompt {turn}: look at part {turn} of the delivery code.{bird}")})
}

fn answer(row: u64) -> String {
    let long = "It keeps its promise, and what it hands on is what it was given. "
        .repeat(usize::try_from(row % 9).unwrap_or(0));
    format!(
        "Part {row} is **in order**. {long}\n\n- `deliver` is called once\n- nothing is dropped\n\n```rust\nfn part_{row}() -> u64 {{ {row} }}\n```\n"
    )
}

fn call(row: u64, name: &str, title: &str, normalized: &Value, status: &str) -> Vec<Value> {
    ["tool_call", "tool_update"]
        .into_iter()
        .map(|kind| {
            let status = if kind == "tool_call" { "running" } else { status };
            json!({"type": kind, "tool_call_id": format!("toolu_{row}"), "tool_name": name, "tool_title": title,
                "tool_status": status, "normalized": normalized})
        })
        .collect()
}

fn read(row: u64, workspace: &str) -> Value {
    let content = format!("fn line() {{ println!(\"part {row}\"); }}\n").repeat(40);
    json!({"kind": "read_file", "read_file": {"file_path": format!("{workspace}/src/part_{row}.rs"), "offset": null, "limit": null,
        "output": {"content": content, "line_count": 40, "truncated": false, "language": "rust", "image": null}}})
}

fn edit(row: u64, workspace: &str) -> Value {
    let diff = format!(
        "--- a/src/part.rs\n+++ b/src/part.rs\n@@ -{row},3 +{row},4 @@\n fn part() {{\n-    once();\n+    once({row});\n+    twice();\n }}\n",
        row = row + 1
    );
    json!({"kind": "modify_file", "modify_file": {"file_path": format!("{workspace}/src/part.rs"), "mutations": [
        {"type": "patch", "content": null, "old_content": null, "new_content": null, "diff": diff, "start_line": row + 1}]}})
}

fn shell(row: u64, failed: bool) -> Value {
    let stdout = format!("test part_{row} ... \u{1b}[32mok\u{1b}[0m\n").repeat(30);
    json!({"kind": "shell_exec", "shell_exec": {"command": "cargo test", "work_dir": null, "description": "Run the tests",
        "timeout": null, "background": false, "output": {"exit_code": u8::from(failed), "stdout": stdout, "stderr": "",
        "interrupted": false, "truncated": false}}})
}

fn grep(row: u64) -> Value {
    json!({"kind": "code_search", "code_search": {"query": null, "pattern": "deliver", "path": null, "glob": null, "output": {
        "files": [format!("src/part_{row}.rs"), "src/part.rs"], "file_count": 2, "truncated": false, "content": null}}})
}

fn complete() -> Value {
    json!({"subtype": "success", "is_error": false, "cost_usd": 0.01, "total_cost_usd": 0.01, "duration_ms": 10_000,
        "duration_api_ms": 9_000, "num_turns": 1, "input_tokens": 1_000, "output_tokens": 100,
        "terminal_reason": null, "last_message_uuid": null, "permission_denials": []})
}
