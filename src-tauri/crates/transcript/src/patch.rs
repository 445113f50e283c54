//! Unified diffs, read again, and taken back from a text as it is now.
//!
//! A diff may hold several sections of one file, as a turn's does: each is an edit of what the one before it left. What is
//! taken back must stand in the text, at its place or at one other; where it does not, nothing is.

mod line_ends;
mod parse;
mod taking;

use std::fmt;

pub use parse::parse;

/// A diff of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    /// In the order in which they were made.
    pub sections: Vec<Section>,
}

/// One edit of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// Nothing for a file that there was not.
    pub old_path: Option<String>,
    /// Nothing for a file that is gone.
    pub new_path: Option<String>,
    /// The file's mode before, where the diff says it.
    pub old_mode: Option<u32>,
    pub binary: bool,
    pub hunks: Vec<Hunk>,
}

/// A changed place, with unchanged lines around it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    /// From 1; where a side is empty, the line before.
    pub old_start: usize,
    pub new_start: usize,
    pub lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub sign: Sign,
    /// Without `\n`; a `\r` is part of it.
    pub text: String,
    /// False for the last line of a text that does not end with one.
    pub newline: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    Both,
    Old,
    New,
}

/// What is there once changes are taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Before {
    /// Nothing: the file is to go, for it was created.
    pub text: Option<String>,
    /// Every hunk stood where the diff says.
    pub in_place: bool,
}

/// Why a diff is not taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// This line of the diff, from 1, is not one of a unified diff.
    Unreadable(usize),
    SeveralFiles,
    Nothing,
    Binary,
    /// There is no hunk of this number, from 0.
    NoSuchHunk(usize),
    /// The lines of this hunk, from 0, are not in the text.
    NotThere(usize),
    /// They are in this many places, and not where the diff says.
    Ambiguous(usize, usize),
    /// The file is not there.
    Gone,
    /// The diff deleted the file, and it is there.
    ThereAgain,
}

impl std::error::Error for Refused {}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(line) => write!(f, "Line {line} of the diff cannot be read."),
            Self::SeveralFiles => f.write_str("The diff is of several files."),
            Self::Nothing => f.write_str("The diff changes nothing."),
            Self::Binary => f.write_str("The file is binary: its changes are not lines."),
            Self::NoSuchHunk(hunk) => write!(f, "The diff has no change {}.", hunk + 1),
            Self::NotThere(hunk) => write!(
                f,
                "Change {} is not in the file as it is now: these lines were changed again since.",
                hunk + 1
            ),
            Self::Ambiguous(hunk, places) => write!(
                f,
                "The file went on since, and the lines of change {} are now in it {places} times.",
                hunk + 1
            ),
            Self::Gone => f.write_str("The file is not there any more."),
            Self::ThereAgain => f.write_str("The file was deleted, and there is one again."),
        }
    }
}

impl Patch {
    /// How many hunks there are in all sections.
    pub fn hunks(&self) -> usize {
        self.sections
            .iter()
            .map(|section| section.hunks.len())
            .sum()
    }

    /// Where the file was before and is now, as the diff says it, if that is not the same.
    pub fn renamed(&self) -> Option<(&str, &str)> {
        let old = self.sections.first()?.old_path.as_deref()?;
        let new = self.sections.last()?.new_path.as_deref()?;
        (old != new).then_some((old, new))
    }

    /// The text without these hunks, numbered from 0 through all sections; without all of them if none are named. `now` is
    /// nothing where there is no file. Line ends stay those of the text.
    ///
    /// # Errors
    /// Why it is not done.
    pub fn take_back(&self, now: Option<&str>, hunks: Option<&[usize]>) -> Result<Before, Refused> {
        taking::take_back(self, now, hunks)
    }

    /// How many lines come back and go when these hunks are taken back.
    pub fn counts(&self, hunks: Option<&[usize]>) -> (u32, u32) {
        let (mut back, mut gone) = (0, 0);
        let all = self.sections.iter().flat_map(|section| &section.hunks);
        for (index, hunk) in all.enumerate() {
            if hunks.is_some_and(|hunks| !hunks.contains(&index)) {
                continue;
            }
            for line in &hunk.lines {
                match line.sign {
                    Sign::Both => {}
                    Sign::Old => back += 1,
                    Sign::New => gone += 1,
                }
            }
        }
        (back, gone)
    }
}

impl Hunk {
    fn old_side(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.sign != Sign::New)
    }

    fn new_side(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.sign != Sign::Old)
    }
}

#[cfg(test)]
mod tests;
