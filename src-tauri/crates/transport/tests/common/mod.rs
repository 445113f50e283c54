//! Small fake CLIs: shell scripts in a folder of their own, run through the real guard.
#![allow(clippy::unwrap_used, dead_code)]

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kandev_transport::{Exit, Found, Guard, Output, Process, Source, Spawn, spawn};

pub fn guard() -> Guard {
    Guard {
        program: PathBuf::from(env!("CARGO_BIN_EXE_kandev-listen")),
    }
}

pub struct FakeCli {
    pub folder: tempfile::TempDir,
    pub program: PathBuf,
}

impl FakeCli {
    /// A CLI that is this `sh` script.
    pub fn new(script: &str) -> Self {
        Self::with_content(&format!("#!/bin/sh\n{script}\n"))
    }

    pub fn with_content(content: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("claude");
        // Written by another process: a descriptor of ours, open for writing, could be inherited by what another test
        // starts at this moment, and then the file cannot be executed ("text file busy").
        let mut writer = Command::new("sh")
            .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
            .arg(&program)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = writer.stdin.take().unwrap();
        stdin.write_all(content.as_bytes()).unwrap();
        drop(stdin);
        assert!(writer.wait().unwrap().success());
        Self { folder, program }
    }

    pub fn found(&self) -> Found {
        Found {
            program: self.program.clone(),
            args: Vec::new(),
            source: Source::Chosen,
            path: OsString::from("/usr/bin:/bin"),
            tried: Vec::new(),
        }
    }

    pub fn to_spawn(&self) -> Spawn {
        Spawn::new(self.found(), self.folder.path(), guard())
    }

    pub async fn start(&self) -> Process {
        spawn(self.to_spawn()).await.unwrap()
    }
}

/// Everything it says to its end.
pub async fn all(process: &mut Process) -> Vec<Output> {
    let mut outputs = Vec::new();
    while let Some(output) = process.events.recv().await {
        outputs.push(output);
    }
    outputs
}

pub fn line(text: &str) -> Output {
    Output::Line(text.as_bytes().to_vec())
}

pub fn exited(code: i32) -> Output {
    Output::Exited(Exit {
        code: Some(code),
        signal: None,
    })
}

pub fn killed_by(signal: &str) -> Exit {
    Exit {
        code: None,
        signal: Some(signal.to_owned()),
    }
}

/// Waits until the condition holds; fails after the limit, naming it.
pub async fn until(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < limit, "after {limit:?} still not: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The numbers that the script wrote into this file, one a line, once there are `count` of them.
pub async fn pids(file: &Path, count: usize) -> Vec<i32> {
    let read = || -> Vec<i32> {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.lines()
            .filter_map(|line| line.trim().parse().ok())
            .collect()
    };
    until(
        "all processes have told their number",
        Duration::from_secs(20),
        || read().len() >= count,
    )
    .await;
    read()
}

/// Whether the process runs; one that only waits to be reaped does not.
pub fn is_alive(pid: i32) -> bool {
    let output = Command::new("ps")
        .args(["-o", "stat=", "-p", &pid.to_string()])
        .output()
        .unwrap();
    let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}
