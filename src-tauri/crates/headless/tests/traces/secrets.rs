//! No secret leaves by any way.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use kandev_session::RawEntry;
use kandev_telemetry::{page, report};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::collector::Collector;
use crate::reports::{session, timeout, turn, until_idle};
use crate::{Run, normalize, recording};

/// In letters that no recording has, so that a part of it is seen wherever it is.
const SECRET: &str = "QZWXQZ9988QZWXQZ7755QZWXQZ6644QZWXQZ";

/// A recording with secrets in the prompt, in streamed text, in tools' inputs and results, in a question, on stderr and in
/// lines that nobody knows.
fn planted() -> (TempDir, PathBuf) {
    let token = format!("sk-ant-api03-{SECRET}");
    let assignment = format!("export DEPLOY_TOKEN={SECRET}");
    let header = format!("curl -H 'Authorization: Bearer {SECRET}'");
    let text = fs::read_to_string(recording("edit_allowed")).unwrap();
    let mut lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut cut = token.as_str();
    for entry in &mut lines {
        let line = &mut entry["line"];
        line["api_key"] = json!(SECRET);
        if line["type"] == "user" {
            if let Some(content) = line["message"]["content"].as_array_mut() {
                for block in content {
                    match block["type"].as_str() {
                        Some("text") => block["text"] = json!(header),
                        Some("tool_result") => block["content"] = json!(assignment),
                        _ => {}
                    }
                }
            } else {
                line["message"]["content"] = json!(header);
            }
            if line["tool_use_result"].is_object() {
                line["tool_use_result"]["stdout"] = json!(assignment);
            }
        }
        if line["request"]["subtype"] == "can_use_tool" {
            line["request"]["description"] =
                json!(format!("uses https://dev:{SECRET}@example.com"));
        }
        let delta = &mut line["event"]["delta"];
        if delta["type"] == "text_delta" {
            let (piece, rest) = cut.split_at(cut.len().min(7));
            delta["text"] = json!(piece);
            cut = rest;
        }
    }
    let at = lines.len() - 2;
    for line in [
        json!({ "t": 1, "dir": "stderr", "line": assignment }),
        json!({ "t": 1, "dir": "out", "line": { "__raw__": format!("no JSON: password={SECRET}") } }),
        json!({ "t": 1, "dir": "out", "line": { "type": "news", "headers": { "x-y": SECRET } } }),
    ] {
        lines.insert(at, line);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("planted.ndjson");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(&file, text).unwrap();
    (folder, file)
}

fn clean(what: &str, output: &str) {
    for part in SECRET.as_bytes().windows(6) {
        let part = std::str::from_utf8(part).unwrap();
        if let Some(at) = output.find(part) {
            let around: String = output[..at].chars().rev().take(200).collect();
            panic!(
                "{part} is in {what} after {}",
                around.chars().rev().collect::<String>()
            );
        }
    }
}

/// As when the CLI, or a server of it, says what is in a variable of this program.
#[test]
fn the_last_words_of_the_cli_hold_no_value_of_a_secret_variable() {
    let text = fs::read_to_string(recording("edit_allowed")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    let words =
        json!({ "t": 1, "dir": "stderr", "line": format!("refused: {SECRET}") }).to_string();
    lines.insert(lines.len() - 2, &words);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("words.ndjson");
    fs::write(&file, lines.join("\n")).unwrap();
    let run = Run::of(&file, &[("DEPLOY_PASSWORD", SECRET)], |_| {});
    let [ended] = run.of_type("session_ended")[..] else {
        panic!("{:?}", run.events)
    };
    let tail = ended["data"]["stderr_tail"].as_str().unwrap();
    assert!(tail.contains("refused: "), "{tail}");
    clean("the last words", tail);
}

#[test]
fn no_planted_secret_survives_in_a_file_or_at_the_collector() {
    let (_folder, file) = planted();
    let collector = Collector::start();
    let run = Run::debugged(&file, Some(&collector.endpoint()));
    assert!(
        run.events
            .iter()
            .any(|event| event.to_string().contains(SECRET)),
        "it was there"
    );
    for kind in ["raw", "normalized"] {
        let text = fs::read_to_string(run.file(kind)).unwrap();
        assert!(text.contains("[redacted]"));
        clean(kind, &text);
    }
    assert!(!collector.spans().0.is_empty());
    clean("a span", &collector.bytes());
    let events: String = normalize(&run.file("raw"))
        .iter()
        .map(Value::to_string)
        .collect();
    clean("an event", &events);
    for ended in run.of_type("session_ended") {
        clean("the last words", &ended.to_string());
    }
}

#[test]
fn no_planted_secret_survives_in_a_report_or_on_a_page() {
    let (_folder, file) = planted();
    let workspace = tempfile::tempdir().unwrap();
    timeout(async {
        let session = session(&file, workspace.path());
        until_idle(&session).await;
        turn(&session, "go").await;
        session.stop().await.unwrap();
        let lines = session.raw(0, usize::MAX);
        let held = |line: &RawEntry| String::from_utf8_lossy(&line.line.line).contains(SECRET);
        assert!(lines.iter().any(held), "it was there");
        let redactor = Arc::default();
        clean(
            "a report",
            &report(&lines, "/work", Map::new(), Arc::clone(&redactor)),
        );
        for line in page(&lines, &redactor) {
            clean("a page", &line.text);
        }
        if let Some(problem) = session.info().problem {
            clean("the row", &problem);
        }
    });
}

#[test]
fn the_values_of_this_programs_own_variables_are_known_as_secrets() {
    let text = fs::read_to_string(recording("edit_allowed")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("planted.ndjson");
    let words = "correct horse battery";
    let line = json!({ "t": 1, "dir": "out", "line": { "type": "news", "words": words } });
    let (head, tail) = text.trim_end().rsplit_once('\n').unwrap();
    fs::write(&file, format!("{head}\n{line}\n{tail}\n")).unwrap();
    let env = [
        ("KANDEV_DEBUG_AGENT_MESSAGES", "true"),
        ("MY_DEPLOY_PASSWORD", words),
    ];
    let run = Run::of(&file, &env, |_| {});
    let raw = fs::read_to_string(run.file("raw")).unwrap();
    assert!(raw.contains("\"news\"") && !raw.contains("horse"));
}
