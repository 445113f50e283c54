//! The two debug files of a session: the raw lines in recorded form, and the events made from them. Rotated together, and
//! each raw file begins with what its process began with, so that it can be played and normalized by itself.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kandev_session::redact::{Form, Lines, Redactor};
use kandev_session::{Notices, RawDir, RawEntry};
use kandev_transcript::Event;
use serde::Deserialize;

use crate::folder;
use crate::recorded::{gap, recorded};

/// How many older files of each kind are kept.
const KEPT: usize = 4;
/// A turn that does not end is cut at so many times the size at which a file is full.
const PATIENCE: u64 = 4;
/// What a process begins with, as far as it is repeated in each of its files, in lines and bytes.
const HEAD_LINES: usize = 16;
const HEAD_BYTES: usize = 1 << 20;

pub(crate) struct Files {
    workspace: PathBuf,
    session: String,
    rotate_at: u64,
    notices: Notices,
    raw_lines: Lines<Stamp>,
    event_lines: Lines<()>,
    head: Head,
    state: State,
}

/// What a raw line is written with.
struct Stamp {
    t: u64,
    dir: RawDir,
    left_out: u64,
}

enum State {
    Unopened,
    Open(Pair),
    /// It was told why, and nothing is tried again.
    Failed,
}

struct Pair {
    folder: PathBuf,
    raw: BufWriter<File>,
    normalized: BufWriter<File>,
    /// Bytes of the raw file.
    size: u64,
    /// A turn has ended, and nothing was said since.
    between_turns: bool,
}

/// The recorded lines of the process that runs, up to the first prompt.
#[derive(Default)]
struct Head {
    lines: Vec<String>,
    bytes: usize,
    open: bool,
}

impl Files {
    pub(crate) fn new(
        workspace: &Path,
        session: &str,
        redactor: Arc<Redactor>,
        rotate_at: u64,
        notices: Notices,
    ) -> Self {
        Self {
            workspace: workspace.to_owned(),
            session: session.to_owned(),
            rotate_at,
            notices,
            raw_lines: Lines::new(Arc::clone(&redactor), Form::Raw),
            event_lines: Lines::new(redactor, Form::Events),
            head: Head::default(),
            state: State::Unopened,
        }
    }

    /// A raw line, after the events that were made from it.
    pub(crate) fn raw(&mut self, entry: &RawEntry) {
        if let State::Failed = self.state {
            return;
        }
        let line = &entry.line;
        let stamp = Stamp {
            t: line.t,
            dir: line.dir,
            left_out: entry.left_out,
        };
        let text = String::from_utf8_lossy(&line.line);
        let ready = self.raw_lines.push(stamp, &text);
        self.write_raw(ready);
    }

    pub(crate) fn event(&mut self, event: &Event) {
        if let State::Failed = self.state {
            return;
        }
        let Ok(line) = serde_json::to_string(event) else {
            return;
        };
        let ready = self.event_lines.push((), &line);
        self.write_events(ready);
    }

    /// All of a batch was given.
    pub(crate) fn flush(&mut self) {
        self.attempt(|pair| {
            pair.raw.flush()?;
            pair.normalized.flush()
        });
    }

    pub(crate) fn finish(&mut self) {
        let ready = self.event_lines.finish();
        self.write_events(ready);
        let ready = self.raw_lines.finish();
        self.write_raw(ready);
        self.flush();
    }

    fn write_raw(&mut self, ready: Vec<(Stamp, String)>) {
        for (stamp, line) in ready {
            let text = recorded(stamp.t, stamp.dir, &line);
            self.rotate_if_full();
            self.head.take(stamp.dir, &line, &text);
            let turn_ends = stamp.dir == RawDir::Out && is_result(&line);
            self.attempt(|pair| {
                if stamp.left_out > 0 {
                    writeln!(pair.raw, "{}", gap(stamp.t, stamp.left_out))?;
                }
                pair.size += text.len() as u64 + 1;
                pair.between_turns = turn_ends || (pair.between_turns && stamp.dir != RawDir::In);
                writeln!(pair.raw, "{text}")
            });
        }
    }

    fn write_events(&mut self, ready: Vec<((), String)>) {
        for ((), line) in ready {
            self.attempt(|pair| writeln!(pair.normalized, "{line}"));
        }
    }

    fn rotate_if_full(&mut self) {
        let State::Open(pair) = &self.state else {
            return;
        };
        let full = pair.size >= self.rotate_at && pair.between_turns;
        if !full && pair.size < self.rotate_at.saturating_mul(PATIENCE) {
            return;
        }
        let head = self.head.lines.join("\n");
        let session = self.session.clone();
        self.attempt(|pair| {
            pair.raw.flush()?;
            pair.normalized.flush()?;
            for kind in ["raw", "normalized"] {
                rotate(&pair.folder, kind, &session)?;
            }
            *pair = Pair::open(pair.folder.clone(), &session)?;
            if !head.is_empty() {
                pair.size = head.len() as u64;
                writeln!(pair.raw, "{head}")?;
            }
            Ok(())
        });
    }

    /// The first failure is told and is the last one: the session goes on without the files.
    fn attempt(&mut self, write: impl FnOnce(&mut Pair) -> io::Result<()>) {
        if let State::Unopened = self.state {
            let opened = folder::prepare(&self.workspace)
                .and_then(|folder| Pair::open(folder, &self.session));
            match opened {
                Ok(pair) => self.state = State::Open(pair),
                Err(error) => return self.fail(&error),
            }
        }
        if let State::Open(pair) = &mut self.state
            && let Err(error) = write(pair)
        {
            self.fail(&error);
        }
    }

    fn fail(&mut self, error: &io::Error) {
        self.state = State::Failed;
        let text = format!(
            "The debug files of this session cannot be written any more: {error}. The session goes on without them."
        );
        self.notices.tell("debug_log", text);
    }
}

impl Pair {
    fn open(folder: PathBuf, session: &str) -> io::Result<Self> {
        let raw = folder::append(&folder, &name("raw", session, 0))?;
        let normalized = folder::append(&folder, &name("normalized", session, 0))?;
        Ok(Self {
            size: raw.metadata()?.len(),
            raw: BufWriter::new(raw),
            normalized: BufWriter::new(normalized),
            folder,
            between_turns: false,
        })
    }
}

impl Head {
    fn take(&mut self, dir: RawDir, line: &str, recorded: &str) {
        if dir == RawDir::Meta {
            *self = Self {
                open: true,
                ..Self::default()
            };
        }
        let prompt = dir == RawDir::In && line.contains(r#""type":"user""#);
        let fits = self.lines.len() < HEAD_LINES && self.bytes + recorded.len() < HEAD_BYTES;
        self.open &= fits && !prompt;
        if self.open {
            self.bytes += recorded.len();
            self.lines.push(recorded.to_owned());
        }
    }
}

/// The newest file has no number, the one before it has the number 1.
fn name(kind: &str, session: &str, age: usize) -> String {
    match age {
        0 => format!("{kind}-streamjson-{session}.jsonl"),
        age => format!("{kind}-streamjson-{session}.{age}.jsonl"),
    }
}

fn rotate(folder: &Path, kind: &str, session: &str) -> io::Result<()> {
    for age in (0..KEPT).rev() {
        let from = folder.join(name(kind, session, age));
        match fs::rename(from, folder.join(name(kind, session, age + 1))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// A line that a turn ends with. Its `type` can stand anywhere in it (PROTOCOL 4).
fn is_result(line: &str) -> bool {
    #[derive(Deserialize)]
    struct Kind<'a> {
        #[serde(borrow, rename = "type")]
        kind: Cow<'a, str>,
    }
    // The test only spares the reading of lines that cannot be one.
    line.contains(r#""result""#)
        && serde_json::from_str::<Kind>(line).is_ok_and(|line| line.kind == "result")
}
