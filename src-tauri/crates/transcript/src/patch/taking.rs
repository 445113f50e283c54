//! Hunks taken back from a text, the last first, so that each finds the lines that it left.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Before, Hunk, Line, Patch, Refused, Section, Sign, line_ends};

const BOM: char = '\u{feff}';

pub(super) fn take_back(
    patch: &Patch,
    now: Option<&str>,
    hunks: Option<&[usize]>,
) -> Result<Before, Refused> {
    if patch.sections.iter().any(|section| section.binary) {
        return Err(Refused::Binary);
    }
    let count = patch.hunks();
    let chosen: BTreeSet<usize> = match hunks {
        Some(hunks) => hunks.iter().copied().collect(),
        None => (0..count).collect(),
    };
    if let Some(unknown) = chosen.last().copied().filter(|last| *last >= count) {
        return Err(Refused::NoSuchHunk(unknown));
    }
    if hunks.is_some() && chosen.is_empty() || patch.sections.is_empty() {
        return Err(Refused::Nothing);
    }
    let whole = hunks.is_none();
    let exact = Taking::of(patch, now, &chosen, whole).run();
    match (exact, now.and_then(|now| now.strip_prefix(BOM))) {
        // The CLI reads a text without its mark, and writes it back with it.
        (Err(Refused::NotThere(_)), Some(plain)) => {
            let mut before = Taking::of(patch, Some(plain), &chosen, whole).run()?;
            if let Some(text) = &mut before.text {
                text.insert(0, BOM);
            }
            Ok(before)
        }
        (outcome, _) => outcome,
    }
}

struct Taking<'a> {
    sections: &'a [Section],
    /// Of all hunks, those to take back.
    chosen: &'a BTreeSet<usize>,
    /// The whole diff is taken back, with what no hunk says.
    whole: bool,
    /// The text as it is by now, each line with its end; nothing where there is no file.
    lines: Option<Vec<Cow<'a, str>>>,
    mostly: &'static str,
    in_place: bool,
}

impl<'a> Taking<'a> {
    fn of(
        patch: &'a Patch,
        now: Option<&'a str>,
        chosen: &'a BTreeSet<usize>,
        whole: bool,
    ) -> Self {
        let lines = |text: &'a str| text.split_inclusive('\n').map(Cow::Borrowed).collect();
        Self {
            sections: &patch.sections,
            chosen,
            whole,
            lines: now.map(lines),
            mostly: now.map_or("\n", line_ends::mostly),
            in_place: true,
        }
    }

    fn run(mut self) -> Result<Before, Refused> {
        let mut first: usize = self
            .sections
            .iter()
            .map(|section| section.hunks.len())
            .sum();
        for (number, section) in self.sections.iter().enumerate().rev() {
            first -= section.hunks.len();
            self.section(number, section, first)?;
        }
        Ok(Before {
            text: self.lines.map(|lines| lines.concat()),
            in_place: self.in_place,
        })
    }

    fn section(&mut self, number: usize, section: &Section, first: usize) -> Result<(), Refused> {
        let numbers = first..first + section.hunks.len();
        let chosen = numbers
            .clone()
            .filter(|index| self.chosen.contains(index))
            .count();
        if chosen == 0 && !self.whole {
            return Ok(());
        }
        let all = chosen == numbers.len();
        if section.new_path.is_none() && self.lines.is_some() {
            return Err(Refused::ThereAgain);
        }
        if section.new_path.is_none() {
            self.lines = Some(Vec::new());
        }
        for (hunk, index) in section.hunks.iter().zip(numbers).rev() {
            if self.chosen.contains(&index) {
                let place = self.place_of(number, hunk.new_start);
                self.hunk(hunk, index, place)?;
            }
        }
        if section.old_path.is_none() && all {
            match &self.lines {
                None => return Err(Refused::Gone),
                Some(lines) if lines.is_empty() => self.lines = None,
                // Somebody wrote more into it since.
                Some(_) => return Err(Refused::NotThere(first)),
            }
        }
        Ok(())
    }

    /// Where a line of this section's new text is by now: the later sections' hunks that stay have moved it.
    fn place_of(&self, number: usize, line: usize) -> usize {
        let mut index: usize = self.sections[..=number]
            .iter()
            .map(|section| section.hunks.len())
            .sum();
        let mut line = line;
        for section in &self.sections[number + 1..] {
            let mut moved = line;
            for hunk in &section.hunks {
                let (old, new) = (hunk.old_side().count(), hunk.new_side().count());
                if !self.chosen.contains(&index) && hunk.old_start + old.max(1) <= line {
                    moved = (moved + new).saturating_sub(old);
                }
                index += 1;
            }
            line = moved;
        }
        line
    }

    fn hunk(&mut self, hunk: &Hunk, index: usize, place: usize) -> Result<(), Refused> {
        let lines = self.lines.as_mut().ok_or(Refused::Gone)?;
        let new: Vec<&Line> = hunk.new_side().collect();
        let wanted = if new.is_empty() {
            place
        } else {
            place.saturating_sub(1)
        };
        let at = found(lines, &new, wanted).map_err(|places| match places {
            0 => Refused::NotThere(index),
            places => Refused::Ambiguous(index, places),
        })?;
        self.in_place &= at == wanted;
        let old = before(hunk, &lines[at..at + new.len()], lines, at, self.mostly);
        let end = at + old.len();
        lines.splice(at..at + new.len(), old);
        // Only the last line of a text may be without an end.
        let inside = end.min(lines.len().saturating_sub(1));
        let touched = lines.get(at.saturating_sub(1)..inside).unwrap_or_default();
        if touched.iter().any(|line| !line.ends_with('\n')) {
            return Err(Refused::NotThere(index));
        }
        Ok(())
    }
}

/// Where these lines stand: at the wanted place, or else in the only one. In how many if not.
fn found(lines: &[Cow<'_, str>], new: &[&Line], wanted: usize) -> Result<usize, usize> {
    if new.is_empty() {
        // Nothing around it says where it was, but in an empty text.
        return if lines.is_empty() { Ok(0) } else { Err(0) };
    }
    let there = |at: usize| lines.get(at..at + new.len());
    let fits = |there: &[Cow<'_, str>]| there.iter().zip(new).all(|(line, new)| is(line, new));
    if there(wanted).is_some_and(fits) {
        return Ok(wanted);
    }
    // Only the last line of a text may be without an end, so elsewhere the words decide.
    let open = new
        .iter()
        .any(|line| line.sign != Sign::Both && !line.newline);
    let last = lines.len().saturating_sub(new.len());
    let places: Vec<usize> = same_words(lines, new)
        .into_iter()
        .filter(|at| match *at == last {
            true => there(*at).is_some_and(fits),
            false => !open,
        })
        .collect();
    match places[..] {
        [at] => Ok(at),
        _ => Err(places.len()),
    }
}

/// Where these lines stand whatever their ends, in a time that does not grow with how often they nearly do (Knuth, Morris
/// and Pratt).
fn same_words(lines: &[Cow<'_, str>], new: &[&Line]) -> Vec<usize> {
    let words: Vec<&str> = new.iter().map(|line| line_ends::bare(&line.text)).collect();
    // How much of the beginning stands again at the end of so many.
    let mut again = vec![0; words.len()];
    let mut length = 0;
    for at in 1..words.len() {
        while length > 0 && words[at] != words[length] {
            length = again[length - 1];
        }
        length += usize::from(words[at] == words[length]);
        again[at] = length;
    }
    let mut places = Vec::new();
    let mut length = 0;
    for (at, line) in lines.iter().enumerate() {
        let line = line_ends::bare(line);
        while length > 0 && line != words[length] {
            length = again[length - 1];
        }
        length += usize::from(line == words[length]);
        if length == words.len() {
            places.push(at + 1 - length);
            length = again[length - 1];
        }
    }
    places
}

/// A context line may have got or lost the end of the text since; a line that was written may not.
fn is(line: &str, wanted: &Line) -> bool {
    line_ends::bare(line) == line_ends::bare(&wanted.text)
        && (wanted.sign == Sign::Both || line.ends_with('\n') == wanted.newline)
}

/// What stood there before the hunk. What both sides have stays as it is in the text.
fn before<'a>(
    hunk: &Hunk,
    there: &[Cow<'a, str>],
    lines: &[Cow<'a, str>],
    at: usize,
    mostly: &'static str,
) -> Vec<Cow<'a, str>> {
    // A diff that tells `\r` apart is believed where the text still has it as the diff says.
    let says_ends = hunk.lines.iter().any(|line| line.text.ends_with('\r'));
    let exact = there
        .iter()
        .zip(hunk.new_side())
        .all(|(line, new)| line.strip_suffix('\n').unwrap_or(line) == new.text);
    let mut out = Vec::new();
    let mut next = 0;
    for line in &hunk.lines {
        match line.sign {
            Sign::Both => {
                out.push(there[next].clone());
                next += 1;
            }
            Sign::New => next += 1,
            Sign::Old => {
                let text = if says_ends && exact {
                    line.text.as_str()
                } else {
                    line_ends::bare(&line.text)
                };
                let end = match (line.newline, says_ends && exact) {
                    (false, _) => "",
                    (true, true) => "\n",
                    (true, false) => {
                        // The line that took its place, or the one above it.
                        let after = lines.get(at + next).map(AsRef::as_ref);
                        let above = (at + next)
                            .checked_sub(1)
                            .and_then(|above| lines.get(above));
                        line_ends::between(after, above.map(AsRef::as_ref), mostly)
                    }
                };
                out.push(Cow::Owned(format!("{text}{end}")));
            }
        }
    }
    out
}
