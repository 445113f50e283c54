//! A recorded conversation, or a plain one, played into the state machine line by line.
//!
//! The recorded form has one object a line, `{"t", "dir", "line"}`: milliseconds since the start, who spoke, and what.

use std::borrow::Cow;

use kandev_wire::{self as wire, RawValue};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::emitted::Emitted;
use crate::event::ResolvedBy;
use crate::transcript::{Exit, Start, Transcript};

/// Feeds a [`Transcript`] from lines of either form, each line being judged on its own.
pub struct Replay {
    transcript: Transcript,
    time: Option<u64>,
}

/// The key of a line that is no JSON object, and so is kept as text.
const RAW: &str = r#""__raw__""#;

#[derive(Deserialize)]
struct Recorded<'a> {
    t: Option<f64>,
    #[serde(borrow)]
    dir: Cow<'a, str>,
    #[serde(borrow)]
    line: &'a RawValue,
    #[serde(default, rename = "type")]
    kind: Option<IgnoredAny>,
}

impl Replay {
    pub fn new(transcript: Transcript) -> Self {
        Self {
            transcript,
            time: None,
        }
    }

    /// Takes one line without its end, and adds the events that it gives.
    pub fn line(&mut self, line: &[u8], out: &mut Vec<Emitted>) {
        let text = wire::text(line);
        if self.said_by_cli(&text, out) {
            return;
        }
        match recorded(&text) {
            Some(record) => {
                self.at(record.t);
                self.record(&record.dir, record.line, &text, out);
            }
            None => self.transcript.cli(&wire::read_text(&text), out),
        }
    }

    /// Takes a recorded line of the CLI in the form in which recorders write it: it is most of a recording, and reading
    /// its frame as JSON would mean to read every line twice. False if it is any other line.
    fn said_by_cli(&mut self, text: &str, out: &mut Vec<Emitted>) -> bool {
        let Some((t, inner)) = frame(text) else {
            return false;
        };
        let line = wire::read_text(inner);
        // If the frame holds more than that, or is cut, this is no JSON.
        let Ok(message) = line.from_cli() else {
            return false;
        };
        self.at(Some(t));
        self.transcript.cli_message(&message, &line, out);
        true
    }

    fn at(&mut self, t: Option<f64>) {
        if let Some(t) = t.filter(|t| *t >= 0.0) {
            self.time = Some(t.round() as u64);
        }
    }

    /// A line that was too long to keep.
    pub fn line_skipped(&mut self, bytes: u64, head: &[u8], out: &mut Vec<Emitted>) {
        self.transcript.cli_line_skipped(bytes, head, out);
    }

    /// The input is over.
    pub fn finish(&mut self, out: &mut Vec<Emitted>) {
        self.transcript.finish(out);
    }

    /// Milliseconds since the start, if the newest recorded line told them. Plain lines have no time.
    pub fn time(&self) -> Option<u64> {
        self.time
    }

    fn record(&mut self, dir: &str, line: &RawValue, whole: &str, out: &mut Vec<Emitted>) {
        let json = line.get();
        match dir {
            "out" => match verbatim(json) {
                Some(text) => {
                    for line in text.split('\n') {
                        self.transcript.cli(&wire::read_text(line), out);
                    }
                }
                None => self.transcript.cli(&wire::read_text(json), out),
            },
            "in" => match verbatim(json) {
                Some(text) => {
                    for line in text.split('\n') {
                        self.transcript.host(&wire::read_text(line), out);
                    }
                }
                None => self.transcript.host(&wire::read_text(json), out),
            },
            "stderr" => self
                .transcript
                .stderr(&verbatim(json).unwrap_or_else(|| json.to_owned())),
            "host" => {
                #[derive(Deserialize)]
                struct Host<'a> {
                    #[serde(default, borrow)]
                    stdin: Option<Cow<'a, str>>,
                    #[serde(default)]
                    signal: Option<IgnoredAny>,
                    #[serde(default, borrow)]
                    answering: Option<Cow<'a, str>>,
                    #[serde(default)]
                    by: Option<ResolvedBy>,
                }
                let Ok(host) = serde_json::from_str::<Host>(json) else {
                    return;
                };
                if host.signal.is_some() || host.stdin.as_deref() == Some("closed") {
                    self.transcript.ending();
                }
                if let (Some(question), Some(by)) = (host.answering, host.by) {
                    self.transcript.answered_by(&question, by);
                }
            }
            "meta" => self.transcript.started(start(json), out),
            "exit" => self.transcript.exited(exit(json), out),
            _ => self.transcript.cli(&wire::read_text(whole), out),
        }
    }
}

/// The time and the line of `{"t": T, "dir": "out", "line": {...}}`.
fn frame(text: &str) -> Option<(f64, &str)> {
    fn after<'a>(text: &'a str, token: &str) -> Option<&'a str> {
        Some(
            text.trim_ascii_start()
                .strip_prefix(token)?
                .trim_ascii_start(),
        )
    }
    let number = after(after(after(text, "{")?, r#""t""#)?, ":")?;
    let end = number.find(|c: char| !matches!(c, '0'..='9' | '.'))?;
    let t = serde_json::from_str(&number[..end]).ok()?;
    let dir = after(after(after(&number[end..], ",")?, r#""dir""#)?, ":")?;
    let line = after(
        after(after(after(dir, r#""out""#)?, ",")?, r#""line""#)?,
        ":",
    )?;
    let inner = line.trim_ascii_end().strip_suffix('}')?.trim_ascii_end();
    let verbatim = after(inner, "{")?.starts_with(RAW);
    (!verbatim).then_some((t, inner))
}

/// The line in recorded form; a line that the CLI printed has a `type`.
fn recorded(text: &str) -> Option<Recorded<'_>> {
    let object = text.trim_ascii_start().strip_prefix('{')?;
    // Both tests only spare the reading of lines that cannot be one.
    if object.trim_ascii_start().starts_with(r#""type""#) || !text.contains(r#""dir""#) {
        return None;
    }
    serde_json::from_str::<Recorded>(text)
        .ok()
        .filter(|record| record.kind.is_none())
}

/// Text that was recorded as such because it is no JSON: a string, or `{"__raw__": string}`.
fn verbatim(json: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Raw {
        __raw__: String,
    }
    // Halves of surrogate pairs may stand in it, which a string cannot hold.
    let read = |json: &str| wire::read_text(json).json().to_owned();
    if json.starts_with('"') {
        return serde_json::from_str(&read(json)).ok();
    }
    let inner = json.strip_prefix('{')?;
    if !inner.trim_ascii_start().starts_with(RAW) {
        return None;
    }
    serde_json::from_str::<Raw>(&read(json))
        .ok()
        .map(|raw| raw.__raw__)
}

fn start(json: &str) -> Start {
    #[derive(Default, Deserialize)]
    struct Meta {
        #[serde(default)]
        argv: Vec<String>,
        #[serde(default)]
        cwd: Option<String>,
    }
    let Meta { argv, cwd } = serde_json::from_str(json).unwrap_or_default();
    let has = |flags: &[&str]| {
        argv.iter()
            .any(|arg| flags.contains(&arg.split('=').next().unwrap_or(arg)))
    };
    Start {
        resumed: has(&["--resume", "-r", "--continue", "-c"]),
        forked: has(&["--fork-session"]),
        cwd,
    }
}

fn exit(json: &str) -> Exit {
    #[derive(Default, Deserialize)]
    struct Recorded {
        #[serde(default)]
        code: Option<i32>,
        #[serde(default)]
        signal: Option<String>,
    }
    let Recorded { code, signal } = serde_json::from_str(json).unwrap_or_default();
    match code {
        // The way in which process libraries say that a signal ended it.
        Some(code) if code < 0 => Exit {
            code: None,
            signal: signal.or_else(|| Some(signal_name(-code))),
        },
        _ => Exit { code, signal },
    }
}

fn signal_name(number: i32) -> String {
    let name = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}
