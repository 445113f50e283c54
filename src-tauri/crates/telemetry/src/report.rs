//! A report that a person sends: the conversation as far as it is held, in recorded form and redacted.

use std::sync::Arc;

use kandev_session::redact::{Form, Lines, Redactor};
use kandev_session::{RawDir, RawEntry};
use serde_json::{Map, Value, json};

use crate::recorded::{gap, recorded};

/// The report as text. What is known `about` the session and the program stands in its first line, under `kandev`.
pub fn report(
    entries: &[RawEntry],
    workspace: &str,
    about: Map<String, Value>,
    redactor: Arc<Redactor>,
) -> String {
    let mut lines = Lines::new(Arc::clone(&redactor), Form::Raw);
    let mut out = String::new();
    let mut about = Some(about);
    if entries
        .first()
        .is_none_or(|entry| entry.line.dir != RawDir::Meta)
    {
        // No process was ever there, so nothing says what it was given.
        let meta = json!({ "argv": [], "env": {}, "cwd": workspace, "kandev": about.take() });
        write(
            &mut out,
            recorded(0, RawDir::Meta, &redactor.line(&meta.to_string())),
        );
    }
    for entry in entries {
        let line = &entry.line;
        let mut text = String::from_utf8_lossy(&line.line).into_owned();
        if line.dir == RawDir::Meta
            && let Some(about) = about.take()
            && let Ok(Value::Object(mut meta)) = serde_json::from_str(&text)
        {
            meta.insert("kandev".to_owned(), Value::Object(about));
            text = Value::Object(meta).to_string();
        }
        let with = (line.t, line.dir, entry.left_out);
        write_all(&mut out, lines.push(with, &text));
    }
    write_all(&mut out, lines.finish());
    out
}

fn write_all(out: &mut String, lines: Vec<((u64, RawDir, u64), String)>) {
    for ((t, dir, left_out), line) in lines {
        if left_out > 0 {
            write(out, gap(t, left_out));
        }
        write(out, recorded(t, dir, &line));
    }
}

fn write(out: &mut String, line: String) {
    out.push_str(&line);
    out.push('\n');
}
