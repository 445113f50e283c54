//! What lasts, as a script sees it: a run is kept, listed, shown, found and taken up again, through real pipes and with the
//! rehearsal CLI.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A person's computer: a home with nothing in it, a folder to work in, a folder for our data.
struct Desk {
    folder: TempDir,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work", "data"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn kandev(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kandev"));
        for name in ["KANDEV_CLI", "KANDEV_DATA_DIR", "CLAUDE_CONFIG_DIR"] {
            command.env_remove(name);
        }
        command
            .env("HOME", self.path("home"))
            .args(arguments)
            .arg("--data-dir")
            .arg(self.path("data"))
            .stdin(Stdio::null());
        command
    }

    fn output(&self, arguments: &[&str]) -> Output {
        self.kandev(arguments).output().unwrap()
    }

    /// The JSON lines of a command that succeeds.
    #[track_caller]
    fn json(&self, arguments: &[&str]) -> Vec<Value> {
        let output = self.output(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
        lines(&output)
    }

    #[track_caller]
    fn text(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// A rehearsal with one prompt; its events.
    #[track_caller]
    fn run(&self, prompt: &str, more: &[&str]) -> Vec<Value> {
        let work = self.path("work");
        let mut arguments = vec!["run", "--json", "--rehearsal-speed", "max", "--workspace"];
        arguments.extend([work.to_str().unwrap(), prompt]);
        arguments.extend(more);
        arguments.push("--rehearsal");
        self.json(&arguments)
    }

    /// A session of the CLI, as it would have written it.
    fn in_terminal(&self, id: &str, prompt: &str, answer: &str) -> PathBuf {
        let project = self.path("home").join(".claude/projects/-work");
        fs::create_dir_all(&project).unwrap();
        let work = self.path("work");
        let line = |kind: &str, uuid: &str, parent: Value, message: Value| {
            json!({ "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": id, "cwd": work,
                "timestamp": "2026-11-01T10:00:00.000Z", "version": "2.1.332", "isSidechain": false, "userType": "external",
                "message": message })
            .to_string()
        };
        let asked = json!({ "role": "user", "content": prompt });
        let told = json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [{ "type": "text", "text": answer }], "stop_reason": "end_turn" });
        let file = project.join(format!("{id}.jsonl"));
        let text = format!(
            "{}\n{}\n",
            line("user", &format!("u-{id}"), Value::Null, asked),
            line(
                "assistant",
                &format!("a-{id}"),
                json!(format!("u-{id}")),
                told
            )
        );
        fs::write(&file, text).unwrap();
        file
    }
}

fn said(output: &Output) -> String {
    format!(
        "{:?}\n{}\n{}",
        output.status.code(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn lines(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What was said under each message, and every other event as it is.
fn told(events: &[Value]) -> (BTreeMap<String, String>, Vec<Value>) {
    let mut texts = BTreeMap::<String, String>::new();
    let mut others = Vec::new();
    for event in events {
        let field = match event["type"].as_str().unwrap() {
            "message_chunk" => "text",
            "reasoning" => "reasoning_text",
            _ => {
                others.push(event.clone());
                continue;
            }
        };
        let key = format!(
            "{field} {} {}",
            event["message_id"],
            event.get("parent_tool_call_id").unwrap_or(&Value::Null)
        );
        texts
            .entry(key)
            .or_default()
            .push_str(event[field].as_str().unwrap());
    }
    (texts, others)
}

/// The numbers that the events stand for.
fn numbers(events: &[Value]) -> Vec<u64> {
    let of = |event: &Value| {
        let seq = event["seq"].as_u64().unwrap();
        seq..=event["through"].as_u64().unwrap_or(seq)
    };
    events.iter().flat_map(of).collect()
}

#[test]
fn what_a_run_printed_is_listed_shown_and_found() {
    let desk = Desk::new();
    let first = desk.run("search for the timetable", &[]);
    let second = desk.run("bash", &[]);
    let rows = desk.json(&["sessions", "--json"]);
    assert_eq!(rows.len(), 2, "{rows:#?}");
    assert!(rows[0]["updated_at"].as_str() >= rows[1]["updated_at"].as_str());
    let work = desk.path("work");
    for (row, events, prompt) in [
        (&rows[1], &first, "search for the timetable"),
        (&rows[0], &second, "bash"),
    ] {
        assert_eq!(
            (&row["title"], &row["source"]),
            (&json!(prompt), &json!("kandev"))
        );
        assert_eq!(
            (&row["state"], &row["policy"]),
            (&json!("stopped"), &json!("supervised"))
        );
        assert_eq!(row["workspace"].as_str(), work.to_str());
        let session_id = events
            .iter()
            .find_map(|event| event["session_id"].as_str())
            .unwrap();
        assert_eq!(row["session_id"], session_id);
        let id = row["id"].as_str().unwrap();
        for name in [id, session_id, &id[..8], &session_id[..8]] {
            let shown = desk.json(&["show", name, "--json"]);
            assert_eq!(told(&shown), told(events), "{name}");
            assert_eq!(
                numbers(&shown),
                (1..=events.len() as u64).collect::<Vec<_>>()
            );
            assert!(shown.len() < events.len(), "nothing was joined");
        }
    }
    let calls: Vec<&Value> = second
        .iter()
        .filter(|event| event["type"] == "tool_call")
        .collect();
    let command = calls
        .iter()
        .find_map(|call| call["normalized"]["shell_exec"]["command"].as_str())
        .unwrap();
    let path = first.iter().chain(&second).find_map(|event| {
        event["normalized"]["read_file"]["file_path"]
            .as_str()
            .or_else(|| event["normalized"]["modify_file"]["file_path"].as_str())
    });
    let (texts, _) = told(&second);
    let answer = texts
        .iter()
        .find(|(key, _)| key.starts_with("text"))
        .unwrap()
        .1;
    let answer: Vec<&str> = answer
        .split_whitespace()
        .filter(|word| word.len() > 4)
        .take(3)
        .collect();
    let hits = |words: &str| desk.json(&["search", words, "--json"]);
    let prompt = hits("timetable search");
    assert!(
        prompt
            .iter()
            .any(|hit| hit["kind"] == "prompt" && hit["session"] == rows[1]["id"]),
        "{prompt:#?}"
    );
    let found = hits(&format!("\"{}\"", command.lines().next().unwrap()));
    assert!(
        found
            .iter()
            .any(|hit| hit["kind"] == "command" && hit["seq"] == calls[0]["seq"]),
        "{command}: {found:#?}"
    );
    assert!(
        hits(&answer.join(" "))
            .iter()
            .any(|hit| hit["kind"] == "answer"),
        "{answer:?}"
    );
    if let Some(path) = path {
        assert!(!hits(path).is_empty(), "{path}");
    }
    for hit in hits("timetable") {
        let text: Vec<char> = hit["text"].as_str().unwrap().chars().collect();
        for mark in hit["marks"].as_array().unwrap() {
            let (from, to) = (
                mark[0].as_u64().unwrap() as usize,
                mark[1].as_u64().unwrap() as usize,
            );
            assert_eq!(
                text[from..to].iter().collect::<String>().to_lowercase(),
                "timetable"
            );
        }
    }
    assert_eq!(hits("nobody said this"), Vec::<Value>::new());
}

#[test]
fn a_session_goes_on_in_its_own_row() {
    let desk = Desk::new();
    let first = desk.run("bash", &[]);
    let row = desk.json(&["sessions", "--json"]).remove(0);
    let ids = [
        row["id"].as_str().unwrap().to_owned(),
        row["session_id"].as_str().unwrap().to_owned(),
    ];
    let mut all = first.len() as u64;
    for id in &ids {
        let more = desk.run("search", &["--resume", id]);
        assert_eq!(more[0]["seq"], all + 1, "{:#?}", more[0]);
        assert!(more.iter().any(|event| event["type"] == "complete"));
        assert!(
            more.iter()
                .filter_map(|event| event["session_id"].as_str())
                .all(|said| said == ids[1])
        );
        all += more.len() as u64;
    }
    let rows = desk.json(&["sessions", "--json"]);
    assert_eq!(rows.len(), 1, "{rows:#?}");
    assert_eq!(
        (&rows[0]["id"], &rows[0]["title"]),
        (&row["id"], &row["title"])
    );
    let shown = desk.json(&["show", &ids[0], "--json"]);
    assert_eq!(numbers(&shown), (1..=all).collect::<Vec<_>>());
    let prompts: Vec<_> = shown
        .iter()
        .filter(|event| event["type"] == "user_message")
        .map(|event| &event["text"])
        .collect();
    assert_eq!(prompts, ["bash", "search", "search"]);
}

#[test]
fn a_rehearsal_that_is_over_is_not_resumed_as_a_conversation() {
    let desk = Desk::new();
    desk.run("search", &[]);
    let row = desk.json(&["sessions", "--json"]).remove(0);
    let output = desk.output(&["run", "--resume", row["id"].as_str().unwrap(), "go on"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("rehearsal"),
        "{}",
        said(&output)
    );
}

#[test]
fn a_session_of_a_terminal_is_listed_shown_and_found() {
    let desk = Desk::new();
    let id = "4f1c8a52-0000-4000-8000-000000000001";
    let file = desk.in_terminal(id, "Where does the Kestrel nest?", "In the old bell-tower.");
    let before = fs::read(&file).unwrap();
    let row = desk.json(&["sessions", "--json"]).remove(0);
    assert_eq!(
        (&row["id"], &row["source"], &row["state"]),
        (&json!(id), &json!("terminal"), &json!("stopped"))
    );
    assert_eq!(row["title"], "Where does the Kestrel nest?");
    let work = desk.path("work");
    let of_work = desk.json(&["sessions", "--json", "--workspace", work.to_str().unwrap()]);
    assert_eq!(of_work.len(), 1);
    assert!(
        desk.json(&["sessions", "--json", "--workspace", "/"])
            .is_empty()
    );
    let shown = desk.json(&["show", &id[..6], "--json"]);
    let (texts, _) = told(&shown);
    assert_eq!(
        texts.values().collect::<Vec<_>>(),
        ["In the old bell-tower."]
    );
    for (words, kind) in [("kestrel nest", "prompt"), ("bell-tower", "answer")] {
        let hit = desk.json(&["search", words, "--json"]).remove(0);
        assert_eq!((&hit["session"], &hit["kind"]), (&json!(id), &json!(kind)));
        let event = shown
            .iter()
            .find(|event| event["seq"] == hit["seq"])
            .unwrap();
        assert!(
            event["text"]
                .as_str()
                .unwrap()
                .contains(words.split(' ').next_back().unwrap()),
            "{event}"
        );
    }
    let page = desk.text(&["show", id]);
    assert!(
        page.contains("> Where does the Kestrel nest?") && page.contains("bell-tower"),
        "{page}"
    );
    // What is the CLI's is only read.
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn a_session_of_a_terminal_that_goes_on_here_is_ours_with_its_history() {
    let desk = Desk::new();
    let id = "4f1c8a52-0000-4000-8000-000000000001";
    desk.in_terminal(id, "Where does the Kestrel nest?", "In the tower.");
    let before = desk.json(&["show", id, "--json"]);
    let more = desk.run("search", &["--resume", &id[..8]]);
    assert_eq!(more[0]["seq"], numbers(&before).last().unwrap() + 1);
    let rows = desk.json(&["sessions", "--json"]);
    assert_eq!(rows.len(), 1, "{rows:#?}");
    assert_eq!(
        (&rows[0]["session_id"], &rows[0]["source"]),
        (&json!(id), &json!("kandev"))
    );
    assert_ne!(rows[0]["id"], id);
    assert_eq!(rows[0]["title"], "Where does the Kestrel nest?");
    let shown = desk.json(&["show", id, "--json"]);
    let (texts, _) = told(&shown);
    assert!(texts.values().any(|text| text == "In the tower."));
    let last = more.last().unwrap()["seq"].as_u64().unwrap();
    assert_eq!(numbers(&shown), (1..=last).collect::<Vec<_>>());
    let hits = desk.json(&["search", "kestrel", "--json"]);
    assert_eq!(hits.len(), 1, "{hits:#?}");
    assert_eq!(hits[0]["session"], rows[0]["id"]);
}

#[test]
fn what_a_session_may_do_survives_and_only_a_word_changes_it() {
    let desk = Desk::new();
    desk.run("search", &["--policy", "plan"]);
    let policy = || {
        let row = desk.json(&["sessions", "--json"]).remove(0);
        (
            row["id"].as_str().unwrap().to_owned(),
            row["policy"].clone(),
        )
    };
    let (id, first) = policy();
    assert_eq!(first, "plan");
    desk.run("search", &["--resume", &id]);
    assert_eq!(policy(), (id.clone(), json!("plan")));
    desk.run("search", &["--resume", &id, "--policy", "supervised"]);
    assert_eq!(policy(), (id, json!("supervised")));
}

#[test]
#[cfg(unix)]
fn what_a_terminal_adds_to_a_session_of_ours_is_shown_and_found_once() {
    let desk = Desk::new();
    let cli = write_cli(&desk);
    let work = desk.path("work");
    let id = "11111111-2222-4333-8444-555555555555";
    let mut arguments = vec!["run", "--json", "--cli", cli.to_str().unwrap(), "begin"];
    arguments.extend(["--workspace", work.to_str().unwrap()]);
    desk.json(&arguments);
    desk.in_terminal(id, "the kestrel hovers", "it does");
    let row = desk.json(&["sessions", "--json"]).remove(0);
    assert_eq!(
        (&row["source"], &row["session_id"]),
        (&json!("kandev"), &json!(id))
    );
    for _ in 0..2 {
        let hits = desk.json(&["search", "kestrel", "--json"]);
        assert_eq!(hits.len(), 1, "{hits:#?}");
        assert_eq!(hits[0]["session"], row["id"]);
    }
    let shown = || {
        desk.text(&["show", id])
            .matches("the kestrel hovers")
            .count()
    };
    assert_eq!((shown(), shown()), (1, 1));
    let events = desk.json(&["show", id, "--json"]);
    let last = events.len() as u64;
    assert_eq!(numbers(&events), (1..=last).collect::<Vec<_>>());
}

/// A CLI that writes down the arguments of its starts and answers nothing but "done".
#[cfg(unix)]
fn write_cli(desk: &Desk) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let id = "11111111-2222-4333-8444-555555555555";
    let init = json!({ "type": "system", "subtype": "init", "session_id": id, "cwd": desk.path("work"), "model": "m",
        "tools": [], "mcp_servers": [], "permissionMode": "MODE", "claude_code_version": "2.1.332", "uuid": "u-1" });
    let text = json!({ "type": "assistant", "session_id": id, "uuid": "u-2", "parent_tool_use_id": null,
        "message": { "id": "m-1", "role": "assistant", "model": "m", "content": [{ "type": "text", "text": "done" }] } });
    let result = json!({ "type": "result", "subtype": "success", "is_error": false, "session_id": id, "num_turns": 1,
        "duration_ms": 1, "duration_api_ms": 1, "result": "done", "total_cost_usd": 0.0, "usage": {}, "uuid": "u-3" });
    let script = format!(
        r#"#!/bin/sh
case "$1" in --version) echo "2.1.332 (Claude Code)"; exit 0;; esac
echo "$*" >> '{starts}'
for word in "$@"; do
  case "$last" in --permission-mode) mode=$word;; esac
  last=$word
done
while read -r line; do
  case "$line" in
    *'"control_request"'*)
      id=$(printf '%s' "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
      echo '{{"type":"control_response","response":{{"subtype":"success","request_id":"'"$id"'","response":{{"commands":[]}}}}}}' ;;
    *'"type":"user"'*)
      printf '%s\n' '{init}' '{text}' '{result}' | sed "s/MODE/${{mode:-default}}/" ;;
  esac
done
"#,
        starts = desk.path("starts").display()
    );
    let path = desk.path("claude");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
#[cfg(unix)]
fn what_is_asked_for_when_a_session_goes_on_is_what_it_starts_with() {
    let desk = Desk::new();
    let cli = write_cli(&desk);
    let work = desk.path("work");
    let run = |more: &[&str]| {
        let mut arguments = vec!["run", "--json", "--cli", cli.to_str().unwrap()];
        arguments.extend(["--workspace", work.to_str().unwrap(), "go on"]);
        arguments.extend(more);
        desk.json(&arguments);
        let starts = fs::read_to_string(desk.path("starts")).unwrap();
        starts.lines().last().unwrap().to_owned()
    };
    let first = run(&["--model", "one", "--policy", "rules"]);
    assert!(first.contains("--model one"), "{first}");
    let id = desk.json(&["sessions", "--json"]).remove(0)["id"].clone();
    let id = id.as_str().unwrap();
    let again = run(&["--resume", id, "--model", "two"]);
    assert!(again.contains("--model two"), "{again}");
    let again = run(&["--resume", id, "--permission-mode", "acceptEdits"]);
    assert!(again.contains("--permission-mode acceptEdits"), "{again}");
    let again = run(&["--resume", id, "--policy", "plan"]);
    assert!(again.contains("--permission-mode plan"), "{again}");
    let again = run(&["--resume", id]);
    assert!(again.contains("--permission-mode plan"), "{again}");
}

#[test]
fn what_cannot_be_followed_is_refused_before_anything_starts() {
    let desk = Desk::new();
    let work = desk.path("work");
    for wrong in [
        ["--resume", ""],
        ["--model", ""],
        ["--permission-mode", ""],
        ["--permission-mode", "bypassPermissions"],
    ] {
        let mut arguments = vec!["run", "--workspace", work.to_str().unwrap(), "go"];
        arguments.extend(wrong);
        let output = desk.output(&arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{wrong:?}: {}",
            said(&output)
        );
        assert!(!output.stderr.is_empty(), "{wrong:?}");
    }
    assert_eq!(desk.json(&["sessions", "--json"]), Vec::<Value>::new());
}

#[test]
fn a_session_that_is_open_elsewhere_is_not_taken_up() {
    let desk = Desk::new();
    desk.run("search", &[]);
    let row = desk.json(&["sessions", "--json"]).remove(0);
    let locks = desk.path("data");
    let opened = kandev_store::Store::open(&locks);
    let claim = opened
        .store
        .claim(row["session_id"].as_str().unwrap(), "another program")
        .unwrap();
    let work = desk.path("work");
    let arguments = [
        "run",
        "--workspace",
        work.to_str().unwrap(),
        "--resume",
        row["id"].as_str().unwrap(),
        "go on",
        "--rehearsal",
    ];
    let output = desk.output(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("another program"),
        "{}",
        said(&output)
    );
    drop(claim);
    // Nor is one that has no process, as long as another program numbers its events.
    let claim = opened.store.claim(row["id"].as_str().unwrap(), "an app");
    let output = desk.output(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(why.contains("an app"), "{why}");
    drop(claim.unwrap());
    assert_eq!(desk.output(&arguments).status.code(), Some(0));
}

#[test]
fn a_conversation_that_somebody_else_has_open_is_told_of_once() {
    let desk = Desk::new();
    let recording =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/transcripts/text_plain.ndjson");
    let work = desk.path("work");
    let told = || {
        let mut arguments = vec!["run", "--json", "--rehearsal-speed", "max", "--workspace"];
        arguments.extend([work.to_str().unwrap(), "--rehearsal"]);
        arguments.push(recording.to_str().unwrap());
        let events = desk.json(&arguments);
        let told = events
            .iter()
            .filter(|event| event["kind"] == "open_elsewhere");
        told.count()
    };
    assert_eq!(told(), 0);
    // The recording has the same conversation each time.
    let row = desk.json(&["sessions", "--json"]).remove(0);
    let opened = kandev_store::Store::open(&desk.path("data"));
    let id = row["session_id"].as_str().unwrap();
    let claim = opened.store.claim(id, "another program").unwrap();
    assert_eq!(told(), 1);
    drop(claim);
    assert_eq!(told(), 0);
}

#[test]
fn a_name_that_is_none_or_not_one_is_answered_in_a_sentence() {
    let desk = Desk::new();
    desk.run("search", &[]);
    for id in [
        "4f1c8a52-0000-4000-8000-000000000001",
        "4f1c8a52-0000-4000-8000-000000000002",
    ] {
        desk.in_terminal(id, "Same beginning", "Yes.");
    }
    let unknown = desk.output(&["show", "nothing-like-it", "--json"]);
    let words = String::from_utf8_lossy(&unknown.stderr);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(unknown.stdout.is_empty());
    for part in [
        "nothing-like-it",
        "1 of ours",
        "2 of Claude Code",
        desk.path("data").to_str().unwrap(),
        ".claude/projects",
    ] {
        assert!(words.contains(part), "{part} is not in {words}");
    }
    let several = desk.output(&["show", "4f1c8a52"]);
    let words = String::from_utf8_lossy(&several.stderr);
    assert_eq!(several.status.code(), Some(1));
    assert!(
        words.contains("000000000001") && words.contains("000000000002"),
        "{words}"
    );
    // Five characters are a name of nothing.
    assert_eq!(desk.output(&["show", "4f1c8"]).status.code(), Some(1));
}

#[test]
fn a_data_folder_that_cannot_be_used_is_told_and_the_session_goes_on() {
    let desk = Desk::new();
    fs::remove_dir(desk.path("data")).unwrap();
    fs::write(desk.path("data"), "no folder").unwrap();
    let work = desk.path("work");
    let output = desk.output(&[
        "run",
        "--json",
        "--rehearsal-speed",
        "max",
        "--workspace",
        work.to_str().unwrap(),
        "search",
        "--rehearsal",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(
        words.contains(desk.path("data").to_str().unwrap()) && words.lines().count() == 1,
        "{words}"
    );
    let events = lines(&output);
    assert!(events.iter().any(|event| event["type"] == "complete"));
    assert_eq!(
        numbers(&events),
        (1..=events.len() as u64).collect::<Vec<_>>()
    );
}

#[test]
fn a_reader_that_has_had_enough_ends_it_quietly() {
    let desk = Desk::new();
    for _ in 0..3 {
        desk.run("search", &[]);
    }
    let id = desk.json(&["sessions", "--json"]).remove(0)["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let work = desk.path("work");
    for (arguments, status) in [
        (vec!["sessions", "--json"], 0),
        (vec!["show", &id, "--json"], 0),
        (vec!["show", &id], 0),
        (vec!["search", "search", "--json"], 0),
        (
            vec![
                "run",
                "--json",
                "--rehearsal-speed",
                "max",
                "--workspace",
                work.to_str().unwrap(),
                "search",
                "--rehearsal",
            ],
            1,
        ),
    ] {
        let mut child = desk
            .kandev(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut words = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut words)
            .unwrap();
        assert_eq!(
            (child.wait().unwrap().code(), words.as_str()),
            (Some(status), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn lists_read_well_without_json() {
    let desk = Desk::new();
    desk.run("search for the timetable", &[]);
    desk.in_terminal(
        "4f1c8a52-0000-4000-8000-000000000001",
        "Where does the Kestrel nest?",
        "In the tower.",
    );
    let rows = desk.json(&["sessions", "--json"]);
    let list = desk.text(&["sessions"]);
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 2, "{list}");
    for (line, row) in lines.iter().zip(&rows) {
        assert!(
            line.starts_with(&row["id"].as_str().unwrap()[..8]),
            "{list}"
        );
        assert!(
            line.contains("just now") && line.contains(row["title"].as_str().unwrap()),
            "{list}"
        );
        assert_eq!(
            line.contains("terminal"),
            row["source"] == "terminal",
            "{list}"
        );
    }
    let title = |place: usize| lines[place].find(rows[place]["title"].as_str().unwrap());
    assert_eq!(title(0), title(1), "{list}");
    let found = desk.text(&["search", "timetable"]);
    assert!(
        found
            .lines()
            .next()
            .unwrap()
            .starts_with("search for the timetable"),
        "{found}"
    );
    assert!(found.contains("  prompt "), "{found}");
    assert!(!Path::new(&desk.path("work").join(".kandev")).exists());
}
