//! `kandev run` and `kandev doctor` as a script sees them: exit status, stdout, and what becomes of every bad CLI.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Answers the version and `initialize`, then goes on as told.
const READY: &str = r#"#!/bin/sh
case "$1" in --version) echo "2.1.332 (Claude Code)"; exit 0;; esac
read -r line
echo '{"type":"control_response","response":{"subtype":"success","request_id":"kandev-1","response":{"commands":[]}}}'
read -r line
"#;

struct Room {
    folder: TempDir,
}

struct Ended {
    code: Option<i32>,
    events: Vec<Value>,
    stderr: String,
}

impl Room {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn workspace(&self) -> PathBuf {
        let workspace = self.folder.path().join("workspace");
        fs::create_dir_all(&workspace).unwrap();
        workspace.canonicalize().unwrap()
    }

    fn file(&self, name: &str, content: &str, mode: u32) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn cli(&self, script: &str) -> PathBuf {
        self.file("claude", script, 0o755)
    }

    /// Runs one prompt with a CLI that is a script.
    fn run(&self, script: &str) -> Ended {
        let cli = self.cli(script);
        self.run_with(&cli, &self.workspace())
    }

    fn run_with(&self, cli: &Path, workspace: &Path) -> Ended {
        let mut command = kandev();
        command
            .args(["run", "--json", "--cli"])
            .arg(cli)
            .arg("--workspace")
            .arg(workspace)
            .arg("hello");
        end(command)
    }
}

thread_local! {
    /// A test has a thread, so its sessions are its own, and gone with it.
    static DATA: TempDir = tempfile::tempdir().unwrap();
}

fn kandev() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kandev"));
    DATA.with(|data| {
        command
            .env_remove("KANDEV_CLI")
            .env("KANDEV_DATA_DIR", data.path())
            .env("CLAUDE_CONFIG_DIR", data.path())
            .stdin(Stdio::null())
    });
    command
}

fn end(mut command: Command) -> Ended {
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    Ended {
        code: output.status.code(),
        events: text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Ended {
    fn of(&self, kind: &str) -> Vec<&Value> {
        self.events
            .iter()
            .filter(|event| event["type"] == kind)
            .collect()
    }

    /// The one error, which has a code and holds these words; and the prompt came back, or not.
    #[track_caller]
    fn failed(&self, status: i32, words: &str, prompt_is_back: bool) {
        assert_eq!(self.code, Some(status), "{self:#?}");
        let errors = self.of("error");
        assert_eq!(errors.len(), 1, "{self:#?}");
        assert!(
            errors[0]["error"].as_str().unwrap().contains(words),
            "{words:?} is not in {}",
            errors[0]
        );
        assert!(
            errors[0]["data"]["code"]
                .as_str()
                .is_some_and(|code| !code.is_empty())
        );
        let returned = self
            .of("notice")
            .iter()
            .any(|notice| notice["kind"] == "prompt_returned" && notice["data"]["text"] == "hello");
        assert_eq!(returned, prompt_is_back, "{self:#?}");
        let seqs: Vec<u64> = self
            .events
            .iter()
            .map(|event| event["seq"].as_u64().unwrap())
            .collect();
        assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    }
}

impl std::fmt::Debug for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "exit status {:?}", self.code)?;
        for event in self.events.iter().rev().take(20).rev() {
            writeln!(f, "{event}")?;
        }
        write!(f, "{}", self.stderr)
    }
}

#[test]
fn a_folder_that_is_gone() {
    let room = Room::new();
    let cli = room.cli(READY);
    room.run_with(&cli, &room.folder.path().join("gone"))
        .failed(3, "is gone", true);
    let file = room.file("file", "", 0o644);
    room.run_with(&cli, &file)
        .failed(3, "is not a folder", true);
}

#[test]
fn a_cli_that_is_not_there_or_a_text_file() {
    let room = Room::new();
    room.run_with(&room.folder.path().join("nothing"), &room.workspace())
        .failed(3, "nothing", true);
    for mode in [0o644, 0o755] {
        let text = room.file("notes.txt", "These are notes.\nNo program at all.\n", mode);
        room.run_with(&text, &room.workspace()).failed(3, "", true);
    }
}

#[test]
fn a_cli_that_prints_garbage() {
    let room = Room::new();
    let ended = room.run("#!/bin/sh\necho 'Segment 7 is out of toner'\n");
    ended.failed(3, "out of toner", true);
    assert_eq!(
        ended.of("unrecognized")[0]["raw"],
        "Segment 7 is out of toner"
    );
}

#[test]
fn a_cli_that_exits_at_once() {
    let room = Room::new();
    room.run("#!/bin/sh\necho 'licence expired' >&2\nexit 7\n")
        .failed(3, "licence expired", true);
    room.run("#!/bin/sh\nexit 0\n")
        .failed(3, "before it was ready", true);
}

#[test]
fn a_cli_that_is_too_old() {
    let room = Room::new();
    let ended = room.run("#!/bin/sh\necho '1.0.128 (Claude Code)'\n");
    ended.failed(3, "1.0.128 is too old", true);
    assert!(
        ended.of("error")[0]["data"]["next_step"]
            .as_str()
            .unwrap()
            .contains("Update")
    );
}

#[test]
fn a_cli_that_dies_in_mid_turn() {
    let room = Room::new();
    let workspace = room.workspace();
    let turn = format!(
        "echo '{}'\necho '{}'\necho 'out of memory' >&2\nexit 9\n",
        json!({ "type": "system", "subtype": "init", "cwd": workspace, "session_id": "c1", "model": "m" }),
        json!({ "type": "assistant", "session_id": "c1", "uuid": "a1", "message": { "id": "m1", "role": "assistant",
            "content": [{ "type": "text", "text": "I begin" }] } }),
    );
    let ended = room.run(&format!("{READY}{turn}"));
    ended.failed(1, "out of memory", false);
    assert_eq!(ended.of("message_chunk")[0]["text"], "I begin");
    assert_eq!(ended.of("session_ended")[0]["data"]["exit_code"], 9);
}

#[test]
fn a_cli_that_dies_before_it_takes_the_prompt() {
    let room = Room::new();
    room.run(&format!("{READY}echo 'no room' >&2\nexit 9\n"))
        .failed(1, "no room", true);
}

#[test]
fn a_cli_that_floods() {
    let room = Room::new();
    let ended =
        room.run("#!/bin/sh\n[ \"$1\" = --version ] && exit 0\nyes 'more and more and more'\n");
    ended.failed(3, "floods", true);
    assert!(ended.events.len() < 5_000, "{} events", ended.events.len());
}

#[test]
fn a_cli_that_works_in_another_folder() {
    let room = Room::new();
    let init = json!({ "type": "system", "subtype": "init", "cwd": "/", "session_id": "c1" });
    room.run(&format!("{READY}echo '{init}'\nsleep 600\n"))
        .failed(1, "and was stopped", false);
}

#[test]
fn a_turn_that_succeeds_and_one_that_fails() {
    let room = Room::new();
    for (is_error, status) in [(false, 0), (true, 1)] {
        let result = json!({ "type": "result", "subtype": "success", "is_error": is_error, "result": "said",
            "session_id": "c1", "num_turns": 1 });
        let ended = room.run(&format!("{READY}echo '{result}'\nread -r line\n"));
        assert_eq!(ended.code, Some(status), "{ended:#?}");
        assert_eq!(ended.of("complete").len(), 1);
    }
}

#[test]
fn the_cli_gets_the_arguments_of_its_policy_and_the_state_events() {
    let room = Room::new();
    let result = json!({ "type": "result", "subtype": "success", "is_error": false, "result": "", "session_id": "c1" });
    let script = READY.replace(
        "read -r line\necho",
        "printf '%s\\n' \"$@\" \"$CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS\" > \"$0.args\"\nread -r line\necho",
    );
    let cli = room.cli(&format!("{script}echo '{result}'\nread -r line\n"));
    let mut command = kandev();
    command.args([
        "run",
        "--policy",
        "plan",
        "--model",
        "haiku",
        "--resume",
        "r1",
        "--resume-at",
        "m1",
        "--cli",
    ]);
    command
        .arg(&cli)
        .arg("--workspace")
        .arg(room.workspace())
        .arg("hello");
    assert_eq!(command.output().unwrap().status.code(), Some(0));
    let arguments = fs::read_to_string(room.folder.path().join("claude.args")).unwrap();
    let expected = "-p --output-format stream-json --input-format stream-json --verbose --include-partial-messages \
                    --permission-prompt-tool stdio --include-hook-events --forward-subagent-text --permission-mode plan \
                    --model haiku --resume r1 --resume-session-at m1 1";
    assert_eq!(
        arguments.split_whitespace().collect::<Vec<_>>().join(" "),
        expected
    );
}

#[test]
fn wrong_usage_is_exit_status_two() {
    let room = Room::new();
    let workspace = room.workspace();
    let workspace = workspace.to_str().unwrap();
    for arguments in [
        vec!["run"],
        vec!["run", "--workspace", workspace],
        vec![
            "run",
            "--workspace",
            workspace,
            "--policy",
            "whatever",
            "hello",
        ],
        vec![
            "run",
            "--workspace",
            workspace,
            "--image",
            "/no/such.png",
            "hello",
        ],
        vec![
            "run",
            "--workspace",
            workspace,
            "--image",
            env!("CARGO_BIN_EXE_kandev"),
            "hello",
        ],
        vec!["run", "--rehearsal", "/no/such/recording"],
        vec![
            "run",
            "--workspace",
            workspace,
            "--resume-at",
            "m1",
            "hello",
        ],
    ] {
        let output = kandev().args(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn ctrl_c_ends_a_run_whose_cli_does_not_listen() {
    let mute = "echo here\nwhile read -r line; do :; done\n";
    let hangs_at_initialize = format!(
        "#!/bin/sh\ncase \"$1\" in --version) echo \"2.1.332 (Claude Code)\"; exit 0;; esac\n{mute}"
    );
    for script in [hangs_at_initialize, format!("{READY}{mute}")] {
        let room = Room::new();
        let mut command = kandev();
        command.args(["run", "--json", "hello", "--cli"]);
        command.arg(room.cli(&script)).arg("--workspace");
        let mut run = Live::start(command.arg(room.workspace()), room.folder);
        run.until("unrecognized");
        run.signal("INT");
        let rest: Vec<Value> = std::iter::from_fn(|| run.next()).collect();
        assert_eq!(run.child.wait().unwrap().code(), Some(130), "{rest:#?}");
        // The CLI's own limits on an answer to `initialize` are not what ended it.
        assert!(
            rest.iter().all(|event| event["type"] != "error"),
            "{rest:#?}"
        );
        assert_eq!(rest.last().unwrap()["state"], "ended");
    }
}

#[test]
fn nothing_that_a_cli_says_steers_the_terminal() {
    let evil = r"\u001b[2J\u001b]0;t\u0007\u0008a\rb\u009b\u202e";
    let lines = [
        r#"{"type":"system","subtype":"init","session_id":"s","cwd":"$PWD","model":"EVIL","claude_code_version":"EVIL","tools":[]}"#,
        r#"{"type":"system","subtype":"informational","content":"EVIL"}"#,
        r#"{"type":"assistant","message":{"id":"m","content":[{"type":"thinking","thinking":"EVIL"},{"type":"text","text":"EVIL"}]}}"#,
        r#"{"type":"assistant","message":{"id":"n","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"rm EVIL","description":"EVIL"}},{"type":"tool_use","id":"u","name":"EVIL","input":{}}]}}"#,
        r#"{"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{"command":"rm EVIL","description":"EVIL"},"decision_reason":"EVIL","permission_suggestions":[{"type":"addRules","behavior":"allow","rules":[{"toolName":"Bash","ruleContent":"EVIL"}]}]}}"#,
        r#"{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":[{"question":"EVIL","options":[{"label":"EVIL","description":"EVIL"}]}]}}}"#,
        r#"{"type":"result","subtype":"success","is_error":true,"result":"EVIL"}"#,
    ];
    // The turn ends once both questions are answered, so both have been put.
    let print = |lines: &[&str]| {
        let said = lines.join("\n").replace("EVIL", evil);
        format!("cat <<LINES\n{}\nLINES\n", said.replace('\\', r"\\"))
    };
    let (asked, ended) = lines.split_at(lines.len() - 1);
    let (asked, ended) = (print(asked), print(ended));
    let script = format!("{READY}{asked}read -r line\nread -r line\n{ended}");
    let room = Room::new();
    let mut command = kandev();
    command.args(["run", "hello", "--cli"]);
    command.arg(room.cli(&script)).arg("--workspace");
    let output = command.arg(room.workspace()).output().unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(
        page.contains("rm ") && page.contains("always allow"),
        "{page:?}"
    );
    let steers = |c: &char| c.is_control() && !matches!(c, '\n' | '\t') || *c == '\u{202e}';
    assert_eq!(page.chars().find(steers), None, "{page:?}");
}

/// A run that is talked to.
struct Live {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    folder: TempDir,
}

impl Live {
    fn rehearsal(prompt: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = kandev();
        command
            .args(["run", "--json", "--rehearsal-speed", "max", "--workspace"])
            .arg(folder.path());
        command.args([prompt, "--rehearsal"]);
        Self::start(&mut command, folder)
    }

    fn start(command: &mut Command, folder: TempDir) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            stdin,
            stdout,
            folder,
        }
    }

    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        (self.stdout.read_line(&mut line).unwrap() > 0)
            .then(|| serde_json::from_str(&line).unwrap())
    }

    fn until(&mut self, kind: &str) -> Value {
        std::iter::from_fn(|| self.next())
            .find(|event| event["type"] == kind)
            .unwrap()
    }

    fn answer(&mut self, answer: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{answer}").unwrap();
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-s", name, &pid])
                .status()
                .unwrap()
                .success()
        );
    }

    /// The exit status and the rest. The workspace was named by a person: the rehearsal wrote nothing there.
    fn end(mut self) -> (ExitStatus, Vec<Value>) {
        let rest: Vec<Value> = std::iter::from_fn(|| self.next()).collect();
        let status = self.child.wait().unwrap();
        assert_eq!(fs::read_dir(self.folder.path()).unwrap().count(), 0);
        (status, rest)
    }
}

#[test]
fn a_script_answers_with_json_lines() {
    let mut run = Live::rehearsal("edit");
    let question = run.until("permission_request");
    run.answer(&json!("this is no answer"));
    run.answer(&json!({ "pending_id": "unknown", "behavior": "allow" }));
    run.answer(&json!({ "pending_id": question["pending_id"], "behavior": "deny", "message": "not that one" }));
    let resolved = run.until("permission_resolved");
    assert_eq!(
        (&resolved["behavior"], &resolved["by"]),
        (&json!("deny"), &json!("user"))
    );
    // Whatever else is asked: nobody is there any more.
    run.stdin = None;
    let (status, rest) = run.end();
    assert_eq!(status.code(), Some(0));
    let by: Vec<&Value> = rest
        .iter()
        .filter(|event| event["type"] == "permission_resolved")
        .map(|event| &event["by"])
        .collect();
    assert!(
        !by.is_empty() && by.iter().all(|by| **by == "policy"),
        "{by:?}"
    );
}

#[test]
fn a_script_gives_a_server_what_it_asks_for() {
    let recording =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/transcripts/elicitation.ndjson");
    let folder = tempfile::tempdir().unwrap();
    let mut command = kandev();
    command
        .args(["run", "--json", "--rehearsal-speed", "max", "--workspace"])
        .arg(folder.path())
        .args(["Ask me through the server", "--rehearsal"])
        .arg(recording);
    let mut run = Live::start(&mut command, folder);
    let call = run.until("permission_request");
    run.answer(&json!({ "pending_id": call["pending_id"], "behavior": "allow" }));
    let asked = std::iter::from_fn(|| run.next())
        .find(|event| event["kind"] == "elicitation")
        .unwrap();
    let content = json!({ "colour": "blue" });
    run.answer(&json!({ "pending_id": asked["data"]["request_id"], "behavior": "allow", "updated_input": content }));
    let answered = std::iter::from_fn(|| run.next())
        .find(|event| event["kind"] == "elicitation_resolved")
        .unwrap();
    assert_eq!(
        (&answered["data"]["action"], &answered["data"]["content"]),
        (&json!("accept"), &content)
    );
    run.stdin = None;
    assert_eq!(run.end().0.code(), Some(0));
}

#[test]
fn ctrl_c_interrupts_and_leaves_with_130() {
    let mut run = Live::rehearsal("bash");
    run.until("permission_request");
    run.signal("INT");
    let (status, rest) = run.end();
    assert_eq!(status.code(), Some(130));
    let kinds: Vec<&str> = rest
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    assert!(
        kinds.contains(&"permission_cancelled") && kinds.contains(&"session_ended"),
        "{kinds:?}"
    );
}

#[test]
fn a_request_to_go_is_followed_at_once() {
    let mut run = Live::rehearsal("bash");
    run.until("permission_request");
    run.signal("TERM");
    let (status, rest) = run.end();
    assert_eq!(status.code(), Some(130));
    assert_eq!(rest.last().unwrap()["state"], "ended");
}

#[test]
fn the_tour_as_text_needs_nobody() {
    let output = kandev()
        .args(["run", "--rehearsal", "--rehearsal-speed", "max"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    for words in [
        "questions are allowed, as this is a rehearsal",
        "✓ Edit ",
        "✗ Bash: npm test",
        "done · ",
        "> Show me",
    ] {
        assert!(text.contains(words), "{words:?} is missing");
    }
    assert!(
        !text.contains('\u{1b}'),
        "no escape sequence without a terminal"
    );
}

#[test]
fn a_recording_is_played_with_its_own_prompts() {
    let recording =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/transcripts/multi_turn.ndjson");
    let mut command = kandev();
    command
        .args(["run", "--json", "--rehearsal-speed", "max", "--rehearsal"])
        .arg(recording);
    let ended = end(command);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(ended.of("complete").len() > 1, "{ended:#?}");
}

#[test]
fn the_doctor_names_what_it_found_and_what_is_wrong() {
    let room = Room::new();
    let doctor = |cli: &Path| {
        let output = kandev()
            .arg("doctor")
            .arg("--cli")
            .arg(cli)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (code, text) = doctor(&room.cli("#!/bin/sh\necho '2.1.332 (Claude Code)'\n"));
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("2.1.332") && text.contains("a session can start"),
        "{text}"
    );
    let (code, text) = doctor(&room.cli("#!/bin/sh\necho '2.0.76 (Claude Code)'\n"));
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("older than 2.1.88"), "{text}");
    let (code, text) = doctor(&room.cli("#!/bin/sh\necho '1.0.128 (Claude Code)'\n"));
    assert_eq!(code, Some(3), "{text}");
    assert!(
        text.contains("too old") && text.contains("Update"),
        "{text}"
    );
    let (code, text) = doctor(&room.folder.path().join("nothing"));
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("Problem") && text.contains("Next"), "{text}");
}
