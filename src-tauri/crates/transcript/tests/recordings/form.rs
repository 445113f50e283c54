//! Recordings as the tests read them, apart from the code that is tested.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use kandev_transcript::{Event, NoFiles, Replay, Transcript, at};
use kandev_wire::{Frame, Framer};
use serde_json::Value;

/// One process of a recording: its lines, bytes as stored and JSON as read.
pub struct Process {
    pub name: String,
    pub bytes: Vec<u8>,
    pub records: Vec<Record>,
}

pub struct Record {
    pub dir: String,
    pub line: Value,
}

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/transcripts")
}

/// Every recording, by its path below the folder.
pub fn all() -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "ndjson") {
                let name = path.strip_prefix(folder()).unwrap().with_extension("");
                let name = name.to_str().unwrap().replace(['/', '\\'], "_");
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    assert!(
        found.len() > 170,
        "the recordings are not where they should be: {}",
        found.len()
    );
    found
}

/// Every process of every recording.
pub fn processes() -> Vec<Process> {
    let mut all_processes = Vec::new();
    for (name, bytes) in all() {
        let mut processes: Vec<Process> = Vec::new();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let record: Value = serde_json::from_str(kandev_wire::read(line).json()).unwrap();
            let dir = record["dir"].as_str().unwrap().to_owned();
            if dir == "meta" || processes.is_empty() {
                let name = format!("{name}#{}", processes.len() + 1);
                processes.push(Process {
                    name,
                    bytes: Vec::new(),
                    records: Vec::new(),
                });
            }
            let process = processes.last_mut().unwrap();
            process.bytes.extend_from_slice(line);
            process.records.push(Record {
                dir,
                line: record["line"].clone(),
            });
        }
        all_processes.extend(processes);
    }
    all_processes
}

impl Process {
    /// The CLI's lines.
    pub fn out(&self) -> impl Iterator<Item = &Value> {
        self.records
            .iter()
            .filter(|record| record.dir == "out")
            .map(|record| &record.line)
    }

    pub fn of_type<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.out().filter(move |line| line["type"] == kind)
    }
}

/// The events of some bytes that come in the given pieces.
pub fn replay<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Event> {
    let mut framer = Framer::default();
    let mut replay = Replay::new(Transcript::new(Box::new(NoFiles)));
    let mut emitted = Vec::new();
    let mut events: Vec<Event> = Vec::new();
    let mut number = |emitted: &mut Vec<_>, time: Option<u64>| {
        for emitted in emitted.drain(..) {
            let seq = events.len() as u64 + 1;
            events.push(Event::new(seq, at(time.unwrap_or(0)), emitted));
        }
    };
    let take = |frame: Frame<'_>, replay: &mut Replay, emitted: &mut Vec<_>| match frame {
        Frame::Line(line) => replay.line(line, emitted),
        Frame::Skipped { bytes, head } => replay.line_skipped(bytes, head, emitted),
    };
    for piece in pieces {
        framer.push(piece, |frame| {
            take(frame, &mut replay, &mut emitted);
            number(&mut emitted, replay.time());
        });
    }
    framer.finish(|frame| take(frame, &mut replay, &mut emitted));
    replay.finish(&mut emitted);
    number(&mut emitted, replay.time());
    events
}
