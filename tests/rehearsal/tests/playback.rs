//! Recorded conversations, played over real pipes.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::PathBuf;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use support::{Host, allow, play, recording, transcripts};

#[derive(serde::Deserialize)]
struct Entry<'a> {
    dir: String,
    #[serde(borrow)]
    line: &'a RawValue,
}

/// The recordings of a folder and of those in it.
fn recordings(folder: PathBuf) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(recordings(path));
        } else if path.extension().is_some_and(|ending| ending == "ndjson") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Plays one process with a host that does what the recorded host did, with request ids of its own.
fn follow(file: &str, process: usize, entries: &[Entry]) {
    let number = process.to_string();
    let mut host = Host::start(
        &["--recording", file, "--process", &number, "--speed", "max"],
        &[],
    );
    let mut renamed: Vec<(String, String)> = Vec::new();
    let mut code = None;
    let mut expected_errors = Vec::new();
    for entry in entries {
        let raw = entry.line.get();
        match entry.dir.as_str() {
            "out" => {
                let expected = renamed
                    .iter()
                    .fold(raw.to_owned(), |text, (was, now)| text.replace(was, now));
                let said = host
                    .raw()
                    .unwrap_or_else(|| panic!("{file}: ended before {expected}"));
                assert_eq!(String::from_utf8(said).unwrap(), expected, "{file}");
            }
            "in" => {
                let line: Value = serde_json::from_str(raw).unwrap_or_default();
                if let Some(text) = line["__raw__"].as_str() {
                    host.write(text.as_bytes());
                    continue;
                }
                let mut text = raw.to_owned();
                if line["type"] == "control_request"
                    && let Some(id) = line["request_id"].as_str()
                {
                    let (was, now) = (format!("\"{id}\""), format!("\"of-this-host-{id}\""));
                    text = text.replace(&was, &now);
                    renamed.push((was, now));
                }
                host.write(format!("{text}\n").as_bytes());
            }
            "host" => {
                let line: Value = serde_json::from_str(raw).unwrap();
                if line["stdin"] == "closed" || line["signal"].is_string() {
                    host.close();
                }
            }
            "stderr" => expected_errors.push(serde_json::from_str::<String>(raw).unwrap()),
            "exit" => {
                code = Some(
                    serde_json::from_str::<Value>(raw).unwrap()["code"]
                        .as_i64()
                        .unwrap(),
                );
                // A host can still write then; nobody reads it.
                break;
            }
            _ => {}
        }
    }
    host.close();
    let more = host.raw();
    assert_eq!(
        more.map(String::from_utf8),
        None,
        "{file}: said more than was recorded"
    );
    let (status, errors) = host.end();
    assert_eq!(
        errors.lines().map(str::to_owned).collect::<Vec<_>>(),
        expected_errors,
        "{file}"
    );
    let code = code.unwrap_or_else(|| panic!("{file}: no exit is recorded"));
    if code >= 0 {
        assert_eq!(status.code().map(i64::from), Some(code), "{file}");
    } else {
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&status).map(i64::from),
            Some(-code),
            "{file}"
        );
    }
}

#[test]
fn every_recording_is_played_word_for_word() {
    let all = recordings(transcripts());
    assert!(all.len() > 100, "only {} recordings", all.len());
    for file in all {
        let text = std::fs::read_to_string(&file).unwrap();
        let entries: Vec<Entry> = text
            .split('\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let mut starts: Vec<usize> = entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.dir == "meta")
            .map(|(at, _)| at)
            .collect();
        starts.push(entries.len());
        for (process, bounds) in starts.windows(2).enumerate() {
            follow(
                file.to_str().unwrap(),
                process,
                &entries[bounds[0]..bounds[1]],
            );
        }
    }
}

#[test]
fn what_the_recording_does_not_know_is_answered() {
    let mut host = play("edit_allowed");
    host.turn(allow);
    host.request(
        "a",
        &json!({"subtype": "set_permission_mode", "mode": "plan"}),
    );
    assert_eq!(host.line().unwrap()["response"]["response"]["mode"], "plan");
    assert_eq!(host.line().unwrap()["permissionMode"], "plan");
    host.request(
        "b",
        &json!({"subtype": "set_permission_mode", "mode": "nonsense"}),
    );
    assert_eq!(
        host.line().unwrap()["response"]["error_code"],
        "invalid_mode"
    );
    host.request("c", &json!({"subtype": "set_model", "model": "haiku"}));
    assert_eq!(
        host.until(|line| line["type"] == "control_response")["response"]["response"]["model"],
        "claude-haiku-5-5"
    );
    host.request("d", &json!({"subtype": "interrupt"}));
    assert_eq!(host.line().unwrap()["response"]["subtype"], "success");
    host.request("e", &json!({"subtype": "sing"}));
    assert_eq!(
        host.line().unwrap()["response"]["error_code"],
        "unsupported_request"
    );
    host.prompt("And now?");
    let result = host.turn(allow);
    assert!(
        result["result"]
            .as_str()
            .unwrap()
            .contains("recording ends here")
    );
    host.close();
    assert_eq!(host.end().0.code(), Some(0));
}

#[test]
fn real_speed_keeps_the_pauses() {
    let started = std::time::Instant::now();
    let mut host = Host::start(
        &[
            "--recording",
            &recording("api_529_retry"),
            "--speed",
            "real",
        ],
        &[],
    );
    host.initialize();
    host.prompt("Hello");
    host.turn(allow);
    let elapsed = started.elapsed().as_millis();
    assert!(
        elapsed >= 1_900,
        "the recorded turn takes 2 s, here {elapsed} ms"
    );
    host.close();
    host.end();
}

#[test]
fn a_recording_that_cannot_be_read_is_named() {
    let (status, errors) = Host::start(&["--recording", "/gone/a.ndjson"], &[]).end();
    assert_eq!(status.code(), Some(1));
    assert!(errors.contains("/gone/a.ndjson"));
    let (status, errors) = Host::start(
        &["--recording", &recording("edit_allowed"), "--process", "7"],
        &[],
    )
    .end();
    assert_eq!(status.code(), Some(1));
    assert!(errors.contains("1 processes"));
}
