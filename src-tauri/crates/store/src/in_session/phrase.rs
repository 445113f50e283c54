//! The words that are looked for, as they stand.

use regex::Regex;

use super::FoundIn;
use super::words::{Found, pattern};
use crate::search::one_line;

/// Characters of it that are looked at.
const LONGEST: usize = 1_000;
/// Bytes around a hit of which a text is made, and the characters of it before the hit and in all.
const AROUND: usize = 1_024;
const BEFORE: usize = 48;
const LENGTH: usize = 220;

pub(super) struct Phrase {
    pattern: Regex,
    /// A part of it that stands in JSON as it is.
    plain: Option<Regex>,
}

impl Phrase {
    /// None of no words.
    pub fn read(words: &str) -> Option<Self> {
        let words: String = words.chars().take(LONGEST).collect();
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            return None;
        }
        let is_escaped = |c: char| c == '"' || c == '\\' || c.is_control();
        let parts = words.iter().flat_map(|word| word.split(is_escaped));
        let longest = parts.max_by_key(|part| part.len()).unwrap_or_default();
        Some(Self {
            plain: match longest {
                "" => None,
                part => pattern(&[part.to_owned()]),
            },
            pattern: pattern(&words)?,
        })
    }

    /// False when it is in none of the texts of this JSON.
    pub fn may_be_in(&self, json: &str) -> bool {
        self.plain.as_ref().is_none_or(|plain| plain.is_match(json))
    }

    /// The text around the first place where it stands, with marks.
    pub fn hit(&self, kind: FoundIn, text: &str) -> Option<Found> {
        let first = self.pattern.find(text)?;
        let from = text.floor_char_boundary(first.start().saturating_sub(AROUND));
        let to = text.ceil_char_boundary(text.len().min(first.end() + AROUND));
        let piece = one_line(&text[from..to]);
        let begins = one_line(&text[from..first.start()]).len();
        // The space before it is no part of what stands before it alone.
        let marks = self.pattern.find_iter(&piece).map(|place| place.range());
        let marks: Vec<_> = marks.collect();
        let main = marks.iter().find(|mark| mark.start >= begins)?.start;
        let count = |range: &str| range.chars().count();
        let mut start = main;
        for (back, (at, _)) in piece[..main].char_indices().rev().enumerate() {
            if back >= BEFORE {
                break;
            }
            start = at;
        }
        if start > 0
            && let Some(space) = piece[start..main].find(' ')
        {
            // Better from the beginning of a word.
            start += space + 1;
        }
        let end = piece[start..]
            .char_indices()
            .nth(LENGTH)
            .map_or(piece.len(), |(at, _)| start + at);
        let ahead = start > 0 || from > 0;
        let behind = end < piece.len() || to < text.len();
        let shown = format!(
            "{}{}{}",
            if ahead { "…" } else { "" },
            &piece[start..end],
            if behind { "…" } else { "" }
        );
        let place =
            |at: usize| (count(&piece[start..at.clamp(start, end)]) + usize::from(ahead)) as u32;
        let marks = marks
            .iter()
            .filter(|mark| mark.end > start && mark.start < end);
        let marks = marks.map(|mark| (place(mark.start), place(mark.end)));
        Some((kind, shown, marks.collect()))
    }
}
