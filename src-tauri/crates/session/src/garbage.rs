//! What came over the pipes and was no protocol: kept short for the last words, counted so that a flood ends.

use std::collections::VecDeque;

/// Unreadable text in a row, in bytes and lines, that ends a process before it is ready and afterwards.
const AT_START: (usize, usize) = (1 << 20, 2_000);
const LATER: (usize, usize) = (8 << 20, 20_000);

const LINES: usize = 8;
/// Characters of a line.
const WIDTH: usize = 300;

#[derive(Debug, Default)]
pub(crate) struct Garbage {
    bytes: usize,
    lines: usize,
    unkept: u64,
    stdout: VecDeque<String>,
    stderr: VecDeque<String>,
}

impl Garbage {
    /// A line of stdout that nobody can read.
    pub(crate) fn hear(&mut self, raw: &str) {
        self.bytes += raw.len();
        self.lines += 1;
        keep(&mut self.stdout, raw);
    }

    /// A line of stdout that makes sense.
    pub(crate) fn sense(&mut self) {
        self.bytes = 0;
        self.lines = 0;
    }

    pub(crate) fn stderr(&mut self, line: &str) {
        keep(&mut self.stderr, line);
    }

    pub(crate) fn is_flood(&self, ready: bool) -> bool {
        let (bytes, lines) = if ready { LATER } else { AT_START };
        self.bytes > bytes || self.lines > lines
    }

    /// One more line of a flood that is being ended.
    pub(crate) fn let_go(&mut self) {
        self.unkept += 1;
    }

    /// How many lines were let go.
    pub(crate) fn unkept(&self) -> u64 {
        self.unkept
    }

    /// What it said last, on stderr if it said anything there; empty if nothing.
    pub(crate) fn last_words(&self) -> String {
        let lines = if self.stderr.is_empty() {
            &self.stdout
        } else {
            &self.stderr
        };
        lines
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

fn keep(lines: &mut VecDeque<String>, line: &str) {
    if line.trim().is_empty() {
        return;
    }
    if lines.len() == LINES {
        lines.pop_front();
    }
    lines.push_back(line.chars().take(WIDTH).collect());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_are_those_of_stderr_if_there_are_any() {
        let mut garbage = Garbage::default();
        assert_eq!(garbage.last_words(), "");
        garbage.hear("not JSON");
        assert_eq!(garbage.last_words(), "not JSON");
        for line in 0..20 {
            garbage.stderr(&format!("line {line}"));
        }
        garbage.stderr("  ");
        assert!(garbage.last_words().starts_with("line 12\n"));
        assert!(garbage.last_words().ends_with("line 19"));
    }

    #[test]
    fn a_flood_is_unreadable_text_without_a_break() {
        let mut garbage = Garbage::default();
        let line = "y".repeat(1000);
        for _ in 0..1_000 {
            garbage.hear(&line);
        }
        assert!(!garbage.is_flood(false));
        garbage.sense();
        for _ in 0..1_050 {
            garbage.hear(&line);
        }
        assert!(garbage.is_flood(false));
        assert!(!garbage.is_flood(true));
    }
}
