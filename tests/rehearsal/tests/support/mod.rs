//! A scripted host: starts the rehearsal CLI and speaks to it over its real pipes.
#![allow(clippy::unwrap_used, dead_code)]

pub mod tour;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Long enough for a loaded machine; a line that has not come by then will not come.
const LIMIT: Duration = Duration::from_secs(60);

pub struct Host {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    stderr: Option<std::thread::JoinHandle<String>>,
    /// Everything the CLI said, in order.
    pub said: Vec<Value>,
}

impl Host {
    pub fn start(args: &[&str], variables: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir();
        Self::start_in(&folder, args, variables)
    }

    pub fn start_in(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kandev-rehearsal"))
            .args([
                "-p",
                "--output-format",
                "stream-json",
                "--input-format",
                "stream-json",
                "--verbose",
                "--include-partial-messages",
            ])
            .args(["--permission-prompt-tool", "stdio"])
            .args(args)
            .envs(variables.iter().copied())
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            loop {
                let mut line = Vec::new();
                if stdout.read_until(b'\n', &mut line).unwrap_or(0) == 0
                    || sender.send(line).is_err()
                {
                    return;
                }
            }
        });
        let mut errors = child.stderr.take().unwrap();
        let stderr = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = errors.read_to_string(&mut text);
            text
        });
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            stderr: Some(stderr),
            said: Vec::new(),
        }
    }

    pub fn write(&mut self, bytes: &[u8]) {
        // The CLI may be gone already; what it said tells.
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
    }

    pub fn send(&mut self, line: &Value) {
        self.write(format!("{line}\n").as_bytes());
    }

    pub fn initialize(&mut self) -> Value {
        self.request("init", &json!({"subtype": "initialize"}));
        self.until(|line| line["type"] == "control_response")
    }

    pub fn prompt(&mut self, text: &str) {
        self.send(&json!({"type": "user", "message": {"role": "user", "content": text}, "parent_tool_use_id": null}));
    }

    pub fn request(&mut self, id: &str, request: &Value) {
        self.send(&json!({"type": "control_request", "request_id": id, "request": request}));
    }

    /// Answers a control request of the CLI.
    pub fn respond(&mut self, request: &Value, payload: &Value) {
        self.send(&json!({"type": "control_response", "response": {"subtype": "success", "request_id": request["request_id"], "response": payload}}));
    }

    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// The next line as it came, without its line end; nothing at the end of stdout.
    pub fn raw(&mut self) -> Option<Vec<u8>> {
        match self.lines.recv_timeout(LIMIT) {
            Ok(mut line) => {
                assert_eq!(line.pop(), Some(b'\n'), "a line without its end");
                Some(line)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!(
                "the CLI says nothing; the last it said: {:#?}",
                self.said.last()
            ),
        }
    }

    pub fn line(&mut self) -> Option<Value> {
        let line: Value = serde_json::from_slice(&self.raw()?).unwrap();
        self.said.push(line.clone());
        Some(line)
    }

    /// Reads up to the first line that is meant.
    pub fn until(&mut self, meant: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self
                .line()
                .expect("the CLI ended before it said what was waited for");
            if meant(&line) {
                return line;
            }
        }
    }

    /// Reads a turn to its result, answering every question as `decide` says.
    pub fn turn(&mut self, mut decide: impl FnMut(&Value) -> Value) -> Value {
        loop {
            let line = self.line().expect("the CLI ended in mid-turn");
            if line["type"] == "result" {
                return line;
            }
            if line["type"] == "control_request" {
                let payload = decide(&line["request"]);
                self.respond(&line, &payload);
            }
        }
    }

    pub fn asked(&self) -> Vec<&Value> {
        self.said
            .iter()
            .filter(|line| line["type"] == "control_request")
            .map(|line| &line["request"])
            .collect()
    }

    /// Waits for the end: exit status and stderr.
    pub fn end(mut self) -> (ExitStatus, String) {
        while self.raw().is_some() {}
        let status = self.child.wait().unwrap();
        (status, self.stderr.take().unwrap().join().unwrap())
    }

    pub fn end_by_kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

pub fn allow(request: &Value) -> Value {
    json!({"behavior": "allow", "updatedInput": request["input"]})
}

pub fn deny(_: &Value) -> Value {
    json!({"behavior": "deny", "message": "Not now."})
}

/// The folder with the recorded conversations.
pub fn transcripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../transcripts")
}

pub fn recording(name: &str) -> String {
    transcripts()
        .join(name)
        .with_extension("ndjson")
        .to_str()
        .unwrap()
        .to_owned()
}

/// A recording, initialized and with a prompt sent.
pub fn play(name: &str) -> Host {
    let mut host = Host::start(&["--recording", &recording(name), "--speed", "max"], &[]);
    host.initialize();
    host.prompt("Go on");
    host
}
