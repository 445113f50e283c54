//! Stdout: one whole line at a time, unless it was told to misbehave.

use std::io::{self, Write};
use std::thread::sleep;
use std::time::Duration;

use crate::misbehave::{self, MidTurn, Misbehaviour};

const GARBAGE: [&[u8]; 5] = [
    b"not json at all",
    b"{\"type\":\"brand_new_kind\",\"answer\":42}",
    b"[1,2,3]",
    b"\xff\xfe\x00 no text either",
    b"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"te",
];

pub struct Output {
    misbehaviour: Misbehaviour,
    /// Lines of turns so far; 0 before the first `system/init`.
    turn_lines: usize,
    lines: usize,
}

impl Output {
    pub fn new(misbehaviour: Misbehaviour) -> Self {
        Self {
            misbehaviour,
            turn_lines: 0,
            lines: 0,
        }
    }

    /// Writes one line. `in_turn`: it belongs to a turn.
    pub fn line(&mut self, line: &str, in_turn: bool) -> io::Result<()> {
        self.write(line.as_bytes())?;
        self.lines += 1;
        if self.misbehaviour.garbage && self.lines.is_multiple_of(2) {
            let garbage = GARBAGE[self.lines / 2 % GARBAGE.len()];
            self.write(garbage)?;
        }
        if in_turn || self.turn_lines > 0 {
            self.turn_lines += 1;
        }
        if self.turn_lines == self.misbehaviour.after.unwrap_or(6) {
            self.mid_turn();
        }
        Ok(())
    }

    fn write(&self, line: &[u8]) -> io::Result<()> {
        let mut whole = Vec::with_capacity(line.len() + 1);
        whole.extend_from_slice(line);
        whole.push(b'\n');
        let mut out = io::stdout().lock();
        if !self.misbehaviour.split {
            out.write_all(&whole)?;
            return out.flush();
        }
        // 7 is odd and no divisor of anything that the wire repeats, so every kind of place gets cut.
        for piece in whole.chunks(7.max(whole.len() / 16) | 1) {
            out.write_all(piece)?;
            out.flush()?;
            sleep(Duration::from_micros(200));
        }
        Ok(())
    }

    fn mid_turn(&self) {
        match self.misbehaviour.mid_turn {
            None => {}
            Some(MidTurn::Hang) => misbehave::hang(),
            Some(MidTurn::Exit(code)) => {
                eprintln!("the rehearsal CLI was told to die in mid-turn");
                std::process::exit(code);
            }
            Some(MidTurn::Signal(signal)) => {
                eprintln!("the rehearsal CLI was told to die in mid-turn");
                std::process::exit(misbehave::die_by_signal(signal));
            }
        }
    }
}
