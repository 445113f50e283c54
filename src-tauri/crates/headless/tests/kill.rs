//! Whatever ends at whatever moment: what was shown is in the journal, nothing runs on, nothing stays locked. `kandev run`
//! stands for the program; the CLI is a script that streams. `KANDEV_KILL_POINTS` says how many moments are tried.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How many moments CI tries.
const POINTS: u64 = 24;
/// The stream of one turn, in pieces that the script prints with a pause between them.
const PIECES: u32 = 60;
const PAUSE: &str = "0.02";
const DATABASE: &str = "kandev.db";
const LOG: &str = "kandev.db-wal";
const SESSION: &str = "11111111-2222-4333-8444-555555555555";

fn points() -> u64 {
    std::env::var("KANDEV_KILL_POINTS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(POINTS)
}

/// A small generator, so that a moment that failed can be tried again by its number.
struct Dice(u64);

impl Dice {
    fn of(point: u64) -> Self {
        Self(point.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

struct Room {
    folder: TempDir,
}

impl Room {
    fn new() -> Self {
        let room = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(room.path("workspace")).unwrap();
        room.write_cli();
        room
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn kandev(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kandev"));
        command
            .args(words)
            .env_remove("KANDEV_CLI")
            .env("HOME", self.path("home"))
            .env("CLAUDE_CONFIG_DIR", self.path("home/.claude"))
            .env("KANDEV_DATA_DIR", self.path("data"))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, more: &[&str]) -> Command {
        let mut command = self.kandev(&["run", "--json", "--cli"]);
        command
            .arg(self.path("claude"))
            .arg("--workspace")
            .arg(self.path("workspace"))
            .args(more)
            .arg("count the words");
        command
    }

    /// A CLI that answers each prompt with a turn of many words and calls. It leaves a child of its own running, as a
    /// command of an agent does.
    fn write_cli(&self) {
        let pieces = self.path("pieces");
        fs::create_dir(&pieces).unwrap();
        for piece in 0..PIECES {
            fs::write(pieces.join(format!("{piece:03}")), lines(piece)).unwrap();
        }
        let init = json!({
            "type": "system", "subtype": "init", "session_id": SESSION, "cwd": self.path("workspace"), "model": "m",
            "tools": ["Bash"], "mcp_servers": [], "permissionMode": "default", "claude_code_version": "2.1.332",
            "uuid": "0e000000-0000-4000-8000-000000000000"
        });
        let result = json!({
            "type": "result", "subtype": "success", "is_error": false, "session_id": SESSION, "num_turns": 1,
            "duration_ms": 1, "duration_api_ms": 1, "result": "", "total_cost_usd": 0.0, "usage": {},
            "uuid": "0f000000-0000-4000-8000-000000000000"
        });
        let script = format!(
            r#"#!/bin/sh
case "$1" in --version) echo "2.1.332 (Claude Code)"; exit 0;; esac
sleep 600 &
while read -r line; do
  case "$line" in
    *'"initialize"'*)
      id=$(printf '%s' "$line" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
      echo '{{"type":"control_response","response":{{"subtype":"success","request_id":"'"$id"'","response":{{"commands":[]}}}}}}' ;;
    *'"control_request"'*) ;;
    *'"type":"user"'*)
      printf '%s\n' '{init}'
      for piece in {pieces}/*; do cat "$piece"; sleep {PAUSE}; done
      printf '%s\n' '{result}' ;;
  esac
done
kill %1 2>/dev/null
exit 0
"#,
            pieces = pieces.display()
        );
        let path = self.path("claude");
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn lines_of(&self, words: &[&str]) -> Vec<Value> {
        let output = self.kandev(words).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "kandev {words:?}: {stderr}");
        String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn only_session(&self) -> Value {
        let mut sessions = self.lines_of(&["sessions", "--json"]);
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        sessions.remove(0)
    }
}

/// One message of numbered words and, in every third piece, a call that stays open until the next piece.
fn lines(piece: u32) -> String {
    let message = format!("msg_{piece:03}");
    let stream = |event: Value| {
        json!({ "type": "stream_event", "session_id": SESSION, "parent_tool_use_id": null, "event": event,
                "uuid": format!("aa{piece:06}-0000-4000-8000-000000000000") })
    };
    let mut out = String::new();
    let mut say = |line: Value| writeln!(out, "{line}").unwrap();
    if piece % 3 == 1 {
        say(
            json!({ "type": "user", "session_id": SESSION, "parent_tool_use_id": null,
            "uuid": format!("bb{piece:06}-0000-4000-8000-000000000000"),
            "message": { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": format!("toolu_{:03}", piece - 1), "content": "done" }] } }),
        );
    }
    say(stream(json!({ "type": "message_start", "message": {
        "id": message, "type": "message", "role": "assistant", "model": "m", "content": [], "usage": {} } })));
    say(stream(
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
    ));
    let mut whole = String::new();
    for word in 0..25 {
        let text = format!("w{piece}-{word} ");
        whole.push_str(&text);
        say(stream(
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } }),
        ));
    }
    let assistant = |content: Value, number: u32| {
        json!({ "type": "assistant", "session_id": SESSION, "parent_tool_use_id": null,
            "uuid": format!("cc{piece:06}-0000-4000-8000-00000000000{number}"),
            "message": { "id": message, "type": "message", "role": "assistant", "model": "m",
                         "content": [content], "usage": {} } })
    };
    say(assistant(json!({ "type": "text", "text": whole }), 0));
    say(stream(json!({ "type": "content_block_stop", "index": 0 })));
    if piece.is_multiple_of(3) {
        let call = json!({ "type": "tool_use", "id": format!("toolu_{piece:03}"), "name": "Bash",
                           "input": { "command": format!("echo {piece}") } });
        say(assistant(call, 1));
    }
    say(stream(json!({ "type": "message_stop" })));
    out
}

/// A program of ours, what it showed so far, and the processes under it.
struct Running {
    child: Child,
    shown: thread::JoinHandle<Vec<Value>>,
}

impl Running {
    /// Returns once the first event is there.
    fn start(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        lines.read_line(&mut first).unwrap();
        let shown = thread::spawn(move || {
            let mut rest = String::new();
            // What is cut in the middle of a line was not shown.
            let _ = lines.read_to_string(&mut rest);
            std::iter::once(&*first)
                .chain(rest.split_inclusive('\n'))
                .filter(|line| line.ends_with('\n'))
                .map(|line| serde_json::from_str(line).unwrap())
                .collect()
        });
        Self { child, shown }
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn shown(self) -> Vec<Value> {
        self.shown.join().unwrap()
    }
}

/// The processes under that one, by `/proc`.
fn under(root: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        if let Some(parent) = stat(pid).map(|(parent, _)| parent) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        let below = children.get(&pid).cloned().unwrap_or_default();
        found.extend(&below);
        open.extend(below);
    }
    found
}

/// Parent and state of a process that is there.
fn stat(pid: u32) -> Option<(u32, char)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((fields.next()?.parse().ok()?, state))
}

fn is_alive(pid: u32) -> bool {
    stat(pid).is_some_and(|(_, state)| state != 'Z')
}

#[track_caller]
fn gone_within_5_s(pids: &[u32], about: &str) {
    let end = Instant::now() + Duration::from_secs(5);
    while pids.iter().any(|pid| is_alive(*pid)) {
        let left: Vec<_> = pids.iter().filter(|pid| is_alive(**pid)).collect();
        assert!(Instant::now() < end, "{about}: {left:?} run on");
        thread::sleep(Duration::from_millis(10));
    }
}

fn is_delta(event: &Value) -> bool {
    event["type"] == "message_chunk" || event["type"] == "reasoning"
}

fn texts(events: &[Value]) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::<String, String>::new();
    for event in events.iter().filter(|event| is_delta(event)) {
        let key = format!("{} {}", event["type"], event["message_id"]);
        let text = event.get("text").or(event.get("reasoning_text")).unwrap();
        texts
            .entry(key)
            .or_default()
            .push_str(text.as_str().unwrap());
    }
    texts
}

/// The journal has all that was shown, as it was shown, and its numbers have no gap.
#[track_caller]
fn holds(journal: &[Value], shown: &[Value], about: &str) {
    let mut next = 1;
    for event in journal {
        assert_eq!(event["seq"], next, "{about}: a gap before {event}");
        next = event
            .get("through")
            .unwrap_or(&event["seq"])
            .as_u64()
            .unwrap()
            + 1;
    }
    let kept: BTreeMap<u64, &Value> = journal
        .iter()
        .map(|event| (event["seq"].as_u64().unwrap(), event))
        .collect();
    for event in shown.iter().filter(|event| !is_delta(event)) {
        let seq = event["seq"].as_u64().unwrap();
        assert_eq!(
            kept.get(&seq).copied(),
            Some(event),
            "{about}: number {seq}"
        );
    }
    let kept = texts(journal);
    for (message, text) in texts(shown) {
        let whole = kept.get(&message).map_or("", String::as_str);
        assert!(
            whole.starts_with(&text),
            "{about}: {message}: {text:?} is not how {whole:?} begins"
        );
    }
}

/// What an end leaves: every call and every question closed, and the end itself told.
#[track_caller]
fn is_closed(journal: &[Value], about: &str) {
    let mut open = HashSet::new();
    for event in journal {
        let call = event["tool_call_id"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        match event["type"].as_str().unwrap() {
            "tool_call" => assert!(open.insert(call), "{about}: {event}"),
            "tool_update" if event["tool_status"] != "running" => {
                assert!(open.remove(&call), "{about}: {event}");
            }
            _ => {}
        }
    }
    assert_eq!(open, HashSet::new(), "{about}: calls that never end");
    let ends = |kind: &str| journal.iter().filter(|event| event["type"] == kind).count();
    assert_eq!(ends("session_ended"), 1, "{about}");
    let last = journal
        .iter()
        .rfind(|event| event["type"] == "session_state");
    assert_eq!(last.unwrap()["state"], "ended", "{about}");
}

fn show(room: &Room) -> (Value, Vec<Value>) {
    let session = room.only_session();
    let id = session["id"].as_str().unwrap().to_owned();
    let journal = room.lines_of(&["show", &id, "--json"]);
    (session, journal)
}

#[test]
fn a_program_that_is_killed_at_any_moment_has_lost_nothing_that_it_showed() {
    for point in 0..points() {
        let about = format!("point {point}");
        let room = Room::new();
        let mut running = Running::start(room.run(&[]));
        thread::sleep(Duration::from_millis(Dice::of(point + 1).below(1_800)));
        let below = under(running.child.id());
        running.kill();
        gone_within_5_s(&below, &about);
        let shown = running.shown();
        let (session, journal) = show(&room);
        holds(&journal, &shown, &about);
        is_closed(&journal, &about);
        assert_eq!(session["state"], "stopped", "{about}: {session}");
        if point.is_multiple_of(6) {
            // Nothing is locked: the conversation goes on in the same row.
            let id = session["id"].as_str().unwrap();
            if session["session_id"].is_string() {
                let status = room.run(&["--resume", id]).stdout(Stdio::null()).status();
                assert!(status.unwrap().success(), "{about}");
                let (again, longer) = show(&room);
                assert_eq!(again["id"], session["id"], "{about}");
                assert_eq!(&longer[..journal.len()], &journal[..], "{about}");
                assert!(longer.len() > journal.len(), "{about}");
            }
        }
    }
}

#[test]
fn a_cli_that_is_killed_at_any_moment_leaves_all_that_it_said_and_the_reason() {
    for point in 0..points() / 4 {
        let about = format!("point {point}");
        let room = Room::new();
        let mut running = Running::start(room.run(&[]));
        thread::sleep(Duration::from_millis(Dice::of(point + 900).below(1_200)));
        let below = under(running.child.id());
        let script = room.path("claude").to_string_lossy().into_owned();
        let cli = below.iter().find(|pid| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let words: Vec<_> = line.split(|byte| *byte == 0).collect();
            words.get(1).is_some_and(|word| *word == script.as_bytes())
        });
        let cli = *cli.unwrap_or_else(|| panic!("{about}: no CLI among {below:?}"));
        let killed = Command::new("kill")
            .arg("-KILL")
            .arg(cli.to_string())
            .status();
        assert!(killed.unwrap().success());
        assert_eq!(running.child.wait().unwrap().code(), Some(1), "{about}");
        gone_within_5_s(&below, &about);
        let shown = running.shown();
        let (session, journal) = show(&room);
        holds(&journal, &shown, &about);
        is_closed(&journal, &about);
        assert_eq!(
            shown.len() as u64,
            shown.last().unwrap()["seq"].as_u64().unwrap(),
            "{about}"
        );
        let state = session["state"].as_str().unwrap();
        assert!(["stopped", "failed"].contains(&state), "{about}: {session}");
        let problem = session["problem"].as_str().unwrap();
        assert!(problem.contains("SIGKILL"), "{about}: {problem}");
    }
}

#[test]
fn a_power_cut_leaves_a_journal_that_opens_and_is_how_the_whole_one_begins() {
    let room = Room::new();
    let mut running = Running::start(room.run(&[]));
    let mut cuts = Vec::new();
    let mut point = 0;
    while running.child.try_wait().unwrap().is_none() && cuts.len() < 12 {
        thread::sleep(Duration::from_millis(60));
        let copy = room.path(&format!("cut-{point}"));
        point += 1;
        copy_cut(&room.path("data"), &copy, &mut Dice::of(point));
        cuts.push(copy);
    }
    running.child.wait().unwrap();
    let (_, whole) = show(&room);
    let mut with_something = 0;
    for cut in cuts {
        let about = cut.display().to_string();
        let data = cut.to_string_lossy();
        let sessions = room.lines_of(&["sessions", "--json", "--data-dir", &data]);
        let Some(id) = sessions.first().and_then(|session| session["id"].as_str()) else {
            continue;
        };
        let journal = room.lines_of(&["show", id, "--json", "--data-dir", &data]);
        let said: Vec<_> = journal
            .iter()
            .take_while(|event| !closes(event))
            .cloned()
            .collect();
        with_something += usize::from(said.len() > 5);
        holds(&whole, &said, &about);
    }
    assert!(
        with_something > 3,
        "only {with_something} copies held a conversation"
    );
}

/// The first of what is added for an end that nobody told.
fn closes(event: &Value) -> bool {
    event["type"] == "session_ended"
        || (event["type"] == "tool_update" && event["tool_status"] == "error")
}

/// The database as it lies on the disk at one moment, the end of its log torn off.
fn copy_cut(from: &Path, to: &Path, dice: &mut Dice) {
    let file = |name: &str| fs::read(from.join(name)).unwrap_or_default();
    // The file itself changes when the log is written back: then it and the log are not of one moment.
    let (database, mut log) = loop {
        let (before, log) = (file(DATABASE), file(LOG));
        if before == file(DATABASE) {
            break (before, log);
        }
    };
    let torn = dice.below(log.len() as u64 / 4 + 1);
    log.truncate(log.len() - usize::try_from(torn).unwrap());
    fs::create_dir(to).unwrap();
    fs::write(to.join(DATABASE), database).unwrap();
    fs::write(to.join(LOG), log).unwrap();
}
