//! One turn of any length, written as it is made.

use std::io::{self, Write};

use serde_json::Value;

use crate::{cli_lines, recordings, turn};

/// A made-up turn of at least so many bytes; nobody needs to answer in it.
///
/// # Errors
/// It cannot be written.
pub fn one_turn(size: u64, out: &mut impl Write) -> io::Result<()> {
    let (mut written, mut number) = (0, 0);
    let mut last = String::new();
    while written < size {
        for line in turn(number).cli {
            let begins = line.contains(r#""subtype":"init""#);
            if begins && number == 0 {
                writeln!(out, "{}", anywhere(&line))?;
            } else if line.starts_with(r#"{"type":"result""#) {
                last = line;
            } else if !(line.starts_with(r#"{"type":"control_request""#) || begins) {
                written += line.len() as u64 + 1;
                writeln!(out, "{line}")?;
            }
        }
        number += 1;
    }
    writeln!(out, "{last}")?;
    out.flush()
}

/// A turn of at least so many bytes from what the CLI said in all recordings, over and over, with ids of its own each
/// time; nobody needs to answer in it. Returns the number of its lines.
///
/// # Errors
/// The recordings cannot be read, or the turn cannot be written.
pub fn recorded_turn(size: u64, out: &mut impl Write) -> io::Result<u64> {
    const SAID: [&str; 5] = [
        "assistant",
        "user",
        "stream_event",
        "rate_limit_event",
        "system",
    ];
    let (mut init, mut result) = (None, None);
    let mut lines = Vec::new();
    for recording in recordings()?.into_values() {
        for line in String::from_utf8_lossy(&cli_lines(&recording)).lines() {
            let Ok(value) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            let kind = value["type"].as_str().unwrap_or_default();
            if value["subtype"] == "init" {
                init.get_or_insert_with(|| line.to_owned());
            } else if kind == "result" && value["is_error"] == false {
                result.get_or_insert_with(|| line.to_owned());
            } else if SAID.contains(&kind) && value["session_id"].is_string() {
                lines.push(line.to_owned());
            }
        }
    }
    let missing = || io::Error::other("the recordings have no whole turn");
    let (init, result) = (init.ok_or_else(missing)?, result.ok_or_else(missing)?);
    writeln!(out, "{}", anywhere(&init))?;
    let (mut written, mut count, mut round) = (0, 2, 0);
    while written < size {
        round += 1;
        for line in &lines {
            let line = line
                .replace("toolu_", &format!("toolu_{round}_"))
                .replace("msg_", &format!("msg_{round}_"));
            writeln!(out, "{line}")?;
            written += line.len() as u64 + 1;
            count += 1;
            if written >= size {
                break;
            }
        }
    }
    writeln!(out, "{result}")?;
    out.flush()?;
    Ok(count)
}

/// The line without the folder: a host rightly stops a CLI that works in another one than it was given.
fn anywhere(init: &str) -> String {
    let mut init: Value = serde_json::from_str(init).unwrap_or_default();
    if let Value::Object(fields) = &mut init {
        fields.shift_remove("cwd");
    }
    init.to_string()
}
