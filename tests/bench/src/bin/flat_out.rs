//! A CLI that answers what a host asks at the start and then says a whole conversation as fast as it is read.
//!
//! `KANDEV_BENCH_LINES` names the file with the lines, `KANDEV_BENCH_TURNS` in its place a number of MiB to make up,
//! `KANDEV_BENCH_STARTED` a file that gets the time at which the first line went out, in milliseconds since the epoch.

use std::fs::{self, File};
use std::io::{self, BufRead, Write};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, thread};

use serde_json::{Value, json};

/// Bytes that are written at once.
const CHUNK: usize = 64 * 1024;

fn main() -> io::Result<()> {
    if env::args().any(|arg| arg == "--version" || arg == "-v") {
        println!("2.1.332 (Claude Code)");
        return Ok(());
    }
    let mut talking = None;
    for line in io::stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line?).unwrap_or_default();
        match line["type"].as_str() {
            Some("control_request") => {
                let response = json!({ "subtype": "success", "request_id": line["request_id"],
                    "response": { "commands": [], "models": [], "account": {}, "output_style": "default",
                        "available_output_styles": ["default"], "pid": std::process::id() } });
                let answer = json!({ "type": "control_response", "response": response });
                let mut out = io::stdout().lock();
                writeln!(out, "{answer}")?;
                out.flush()?;
            }
            // Answers to questions are still read while the conversation is said.
            Some("user") if talking.is_none() => talking = Some(thread::spawn(talk)),
            _ => {}
        }
    }
    match talking.map(thread::JoinHandle::join) {
        Some(Ok(said)) => said,
        _ => Ok(()),
    }
}

fn talk() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let started = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64() * 1000.0);
    if let Some(file) = env::var_os("KANDEV_BENCH_STARTED") {
        fs::write(file, started.to_string())?;
    }
    if let Some(lines) = env::var_os("KANDEV_BENCH_LINES") {
        let mut lines = io::BufReader::with_capacity(CHUNK, File::open(lines)?);
        io::copy(&mut lines, &mut out)?;
        return out.flush();
    }
    let size = env::var("KANDEV_BENCH_TURNS")
        .ok()
        .and_then(|size| size.parse().ok());
    kandev_conversations::one_turn(size.unwrap_or(1_u64) << 20, &mut out)
}
