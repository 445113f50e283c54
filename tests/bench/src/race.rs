//! The same conversation from the same stand-in, read by `kandev run` and by the official SDKs.
//!
//! The clock runs from the stand-in's first byte to the moment at which the reader hands on the result. The SDKs parse;
//! `kandev run --json` parses, derives the events and writes them as JSON into a pipe that this program reads.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::Programs;

const ROUNDS: usize = 3;

/// A reader's end: when it had the result, and how many messages or events it handed on.
#[derive(Debug, Clone, Copy, Deserialize)]
struct End {
    at: f64,
    count: u64,
}

pub fn race(programs: &Programs, mebibytes: u64) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let lines = folder.path().join("lines.ndjson");
    let mut file = BufWriter::new(File::create(&lines)?);
    let messages = kandev_conversations::recorded_turn(mebibytes << 20, &mut file)?;
    file.flush()?;
    let bytes = fs::metadata(&lines)?.len() as f64 / f64::from(1 << 20);
    println!(
        "the same {messages} messages ({bytes:.0} MiB) from the same stand-in, best of {ROUNDS}:"
    );
    let mut ours = None;
    for (name, reader) in [
        ("kandev run --json", Reader::Kandev),
        ("TypeScript SDK", Reader::TypeScript),
        ("Python SDK", Reader::Python),
    ] {
        let mut best: Option<(f64, u64)> = None;
        for _ in 0..ROUNDS {
            let (milliseconds, count) =
                reader.read(programs, &lines, folder.path()).context(name)?;
            if best.is_none_or(|(least, _)| milliseconds < least) {
                best = Some((milliseconds, count));
            }
        }
        let Some((milliseconds, count)) = best else {
            continue;
        };
        let seconds = milliseconds / 1000.0;
        let ours = *ours.get_or_insert(seconds);
        println!(
            "  {name:<18} {:>9.0} messages/s  {:>6.1} MiB/s  handed on {count:>7}  {:.2} of our rate",
            messages as f64 / seconds,
            bytes / seconds,
            ours / seconds,
        );
    }
    Ok(())
}

#[derive(Debug, Clone, Copy)]
enum Reader {
    Kandev,
    TypeScript,
    Python,
}

impl Reader {
    /// Milliseconds from the first byte to the result, and what was handed on.
    fn read(self, programs: &Programs, lines: &Path, folder: &Path) -> Result<(f64, u64)> {
        let home = tempfile::tempdir_in(folder)?;
        let started = home.path().join("started");
        let mut command = match self {
            Reader::Kandev => {
                let mut command = alone(&programs.kandev, home.path());
                command.args(["run", "--json", "--policy", "rules", "--cli"]);
                command
                    .arg(&programs.flat_out)
                    .arg("--workspace")
                    .arg(home.path())
                    .arg("go");
                command
            }
            Reader::TypeScript => {
                let mut command = alone(Path::new("node"), home.path());
                command
                    .arg(programs.sdks.join("read.mjs"))
                    .arg(&programs.flat_out);
                command
            }
            Reader::Python => {
                let python = if cfg!(windows) {
                    "python/Scripts/python.exe"
                } else {
                    "python/bin/python"
                };
                let mut command = alone(&programs.sdks.join(python), home.path());
                command
                    .arg(programs.sdks.join("read.py"))
                    .arg(&programs.flat_out);
                command
            }
        };
        let mut child = command
            .env("KANDEV_BENCH_LINES", lines)
            .env("KANDEV_BENCH_STARTED", &started)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("it does not start")?;
        let mut stdout = child.stdout.take().context("no pipe")?;
        let end = match self {
            Reader::Kandev => events(&mut stdout)?,
            Reader::TypeScript | Reader::Python => {
                let mut said = String::new();
                stdout.read_to_string(&mut said)?;
                serde_json::from_str(&said).with_context(|| format!("it said {said:?}"))?
            }
        };
        let status = child.wait()?;
        ensure!(status.success(), "it ended with {status}");
        let started: f64 = fs::read_to_string(started)?.parse()?;
        Ok((end.at - started, end.count))
    }
}

/// Reads events until the turn is complete, and the rest.
fn events(stdout: &mut impl Read) -> Result<End> {
    const COMPLETE: &[u8] = b"\"type\":\"complete\"";
    let mut end = None;
    let mut count = 0;
    let mut chunk = vec![0; 256 * 1024];
    let mut tail = Vec::new();
    loop {
        let length = stdout.read(&mut chunk)?;
        if length == 0 {
            break;
        }
        count += chunk[..length]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count() as u64;
        // The event comes near the end, and looking at everything would take our own time.
        tail.extend_from_slice(&chunk[length.saturating_sub(4096)..length]);
        if end.is_none()
            && tail
                .windows(COMPLETE.len())
                .any(|window| window == COMPLETE)
        {
            end = Some(now());
        }
        let keep = tail.len().saturating_sub(COMPLETE.len());
        tail.drain(..keep);
    }
    match end {
        Some(at) => Ok(End { at, count }),
        None => bail!("the turn was not completed"),
    }
}

fn now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64() * 1000.0)
}

/// A program with an empty home and nothing of this environment but the PATH: no account, no settings.
pub fn alone(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().current_dir(home);
    for name in ["PATH", "SystemRoot", "LANG"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
        .env("HOME", home)
        .env("USERPROFILE", home)
        .env("TMPDIR", std::env::temp_dir());
    command
}
