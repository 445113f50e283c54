//! Every recorded conversation, redacted: it is recorded form still, and the events made from it are the redacted events
//! of the original.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kandev_session::RawDir;
use kandev_session::redact::{Form, Lines, Redactor};
use kandev_telemetry::recorded;
use kandev_transcript::{Event, NoFiles, Replay, Transcript, at};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Entry<'a> {
    t: f64,
    dir: String,
    #[serde(borrow)]
    line: &'a RawValue,
}

fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/transcripts");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "ndjson"))
        .collect();
    files.sort();
    assert!(files.len() > 100);
    files
}

fn events(recording: &str) -> Vec<String> {
    let mut replay = Replay::new(Transcript::new(Box::new(NoFiles)));
    let mut emitted = Vec::new();
    let mut events = Vec::new();
    let mut number = |emitted: &mut Vec<_>, time: Option<u64>| {
        for one in emitted.drain(..) {
            let seq = events.len() as u64 + 1;
            let event = Event::new(seq, at(time.unwrap_or_default()), one);
            events.push(serde_json::to_string(&event).unwrap());
        }
    };
    for line in recording.lines() {
        replay.line(line.as_bytes(), &mut emitted);
        number(&mut emitted, replay.time());
    }
    replay.finish(&mut emitted);
    number(&mut emitted, replay.time());
    events
}

/// The line as it was on the wire.
fn wire(entry: &Entry<'_>) -> String {
    let json = entry.line.get();
    match serde_json::from_str::<Value>(json) {
        Ok(Value::String(text)) => text,
        Ok(Value::Object(map)) if map.len() == 1 && map.contains_key("__raw__") => {
            map["__raw__"].as_str().unwrap().to_owned()
        }
        _ => json.to_owned(),
    }
}

fn dir(word: &str) -> RawDir {
    match word {
        "meta" => RawDir::Meta,
        "out" => RawDir::Out,
        "in" => RawDir::In,
        "stderr" => RawDir::Err,
        "exit" => RawDir::Exit,
        _ => RawDir::Host,
    }
}

fn redacted(recording: &str, redactor: &Arc<Redactor>) -> String {
    let mut lines = Lines::new(Arc::clone(redactor), Form::Raw);
    let mut out = Vec::new();
    for line in recording.lines().filter(|line| !line.is_empty()) {
        let entry: Entry<'_> = serde_json::from_str(line).unwrap();
        out.extend(lines.push((entry.t as u64, dir(&entry.dir)), &wire(&entry)));
    }
    out.extend(lines.finish());
    out.iter()
        .map(|((t, dir), line)| recorded(*t, *dir, line) + "\n")
        .collect()
}

fn redacted_events(events: &[String], redactor: &Arc<Redactor>) -> Vec<Value> {
    let mut lines = Lines::new(Arc::clone(redactor), Form::Events);
    let mut out: Vec<_> = events
        .iter()
        .flat_map(|event| lines.push((), event))
        .collect();
    out.extend(lines.finish());
    out.iter().map(|((), line)| timeless(line)).collect()
}

fn timeless(event: &str) -> Value {
    let mut event: Value = serde_json::from_str(event).unwrap();
    event.as_object_mut().unwrap().remove("at");
    event
}

fn check(redactor: Redactor) {
    let redactor = Arc::new(redactor);
    for file in recordings() {
        let recording = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        let expected = redacted_events(&events(&recording), &redactor);
        let found = redacted(&recording, &redactor);
        let found: Vec<Value> = events(&found).iter().map(|event| timeless(event)).collect();
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{}", file.display());
        }
        assert_eq!(found.len(), expected.len(), "{}", file.display());
    }
}

#[test]
fn the_events_of_a_redacted_recording_are_the_redacted_events() {
    check(Redactor::default());
}

#[test]
fn so_are_those_of_a_report_that_names_nobody() {
    check(Redactor::default().with_person("/home/dev", "dev"));
}
