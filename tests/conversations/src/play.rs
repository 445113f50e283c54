//! Input into events, with the events of each line kept apart.

use kandev_transcript::{Emitted, Event, NoFiles, Replay, Transcript, at};
use kandev_wire::{Frame, Framer};

use crate::json::parts;

/// One line of input and the events that it gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub line: String,
    pub events: Vec<Emitted>,
}

/// A whole input, played.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    pub steps: Vec<Step>,
    /// What the end of the input gave.
    pub end: Vec<Emitted>,
    /// All of it, numbered.
    pub events: Vec<Event>,
}

impl Played {
    /// All events without their numbers.
    pub fn into_emitted(self) -> Vec<Emitted> {
        let steps = self.steps.into_iter().flat_map(|step| step.events);
        steps.chain(self.end).collect()
    }
}

/// Plays lines of either form, all at once.
pub fn play(bytes: &[u8]) -> Played {
    play_pieces([bytes])
}

/// Plays what comes in pieces, cut anywhere.
pub fn play_pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Played {
    let mut framer = Framer::default();
    let mut replay = Replay::new(Transcript::new(Box::new(NoFiles)));
    let mut steps = Vec::new();
    let mut events = Vec::new();
    let mut take = |frame: Frame<'_>| {
        let mut emitted = Vec::new();
        let line = match frame {
            Frame::Line(line) => {
                replay.line(line, &mut emitted);
                kandev_wire::text(line).into_owned()
            }
            Frame::Skipped { bytes, head } => {
                replay.line_skipped(bytes, head, &mut emitted);
                kandev_wire::text(head).into_owned()
            }
        };
        number(&emitted, replay.time(), &mut events);
        steps.push(Step {
            line,
            events: emitted,
        });
    };
    for piece in pieces {
        framer.push(piece, &mut take);
    }
    framer.finish(&mut take);
    let mut end = Vec::new();
    replay.finish(&mut end);
    number(&end, replay.time(), &mut events);
    Played { steps, end, events }
}

fn number(emitted: &[Emitted], time: Option<u64>, events: &mut Vec<Event>) {
    for emitted in emitted {
        let seq = events.len() as u64 + 1;
        events.push(Event::new(seq, at(time.unwrap_or(0)), emitted.clone()));
    }
}

/// The lines of both sides given to the state machine as a living session gives them, one call a line; and the same lines
/// in recorded form, to be played.
pub fn live(bytes: &[u8]) -> (Vec<Emitted>, Vec<u8>) {
    let mut transcript = Transcript::new(Box::new(NoFiles));
    let mut emitted = Vec::new();
    let mut recorded = Vec::new();
    let mut record = |dir: &str, line: &str| {
        let line = serde_json::json!({ "t": 0, "dir": dir, "line": { "__raw__": line } });
        recorded.extend_from_slice(line.to_string().as_bytes());
        recorded.push(b'\n');
    };
    for line in bytes.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let parts = parts(&kandev_wire::text(line));
        for line in parts.cli {
            transcript.cli_line(line.as_bytes(), &mut emitted);
            record("out", &line);
        }
        for line in parts.host {
            transcript.host_line(line.as_bytes(), &mut emitted);
            record("in", &line);
        }
    }
    transcript.finish(&mut emitted);
    (emitted, recorded)
}
