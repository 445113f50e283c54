//! Where the lines of a long output begin, so that some of them can be read without the others.

use std::ops::Range;

use super::grid::ROWS;
use super::{Checkpoint, Screen};

/// Bytes between two places, about.
const STEP: u64 = 64 * 1024;
/// Bytes after which a place is kept that takes more memory, where no line begins that later ones leave alone.
const WHOLE_STEP: u64 = 4 * 1024 * 1024;
/// Places that are kept. Beyond so many, every other one goes.
const PLACES: usize = 16 * 1024;
/// The same for those that take more memory.
const WHOLE: usize = 32;

struct Place {
    offset: u64,
    checkpoint: Checkpoint,
    /// The line that is written to there: those before it are written over only after the cursor went up again.
    reached: u64,
    /// The lowest line that the cursor went up to between here and the next place.
    went_up_to: u64,
}

/// What is known of an output after it was read once.
pub struct Index {
    screen: Screen,
    /// Bytes that were read.
    read: u64,
    /// In order; the first is the beginning.
    places: Vec<Place>,
    /// Where a place was looked for last.
    tried: u64,
    step: u64,
    whole_step: u64,
}

impl Default for Index {
    fn default() -> Self {
        Self::with_steps(STEP, WHOLE_STEP)
    }
}

impl Index {
    /// With a place every so many bytes, and one that takes more memory.
    pub(super) fn with_steps(step: u64, whole_step: u64) -> Self {
        let screen = Screen::default();
        let beginning = screen.fresh().map(|checkpoint| Place {
            offset: 0,
            checkpoint,
            reached: 0,
            went_up_to: u64::MAX,
        });
        Self {
            screen,
            read: 0,
            places: Vec::from_iter(beginning),
            tried: 0,
            step,
            whole_step,
        }
    }

    /// Bytes that were read.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// Lines so far.
    pub fn total(&self) -> u64 {
        self.screen.total()
    }

    /// Takes the next bytes of the output.
    pub fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let due = (self.tried + self.step).saturating_sub(self.read);
            let length = match usize::try_from(due).unwrap_or(usize::MAX) {
                // A place is where a line begins.
                0 => memchr::memchr(b'\n', &rest[..rest.len().min(self.step as usize)])
                    .map_or(rest.len().min(self.step as usize), |at| at + 1),
                due => due.min(rest.len()),
            };
            let (now, later) = rest.split_at(length);
            self.screen.feed(now, &mut ());
            self.read += length as u64;
            self.note_ups();
            if due == 0 {
                self.add_place();
            }
            rest = later;
        }
    }

    /// Places that were written over are none any more.
    fn note_ups(&mut self) {
        let went_up_to = self.screen.take_went_up_to();
        if went_up_to == u64::MAX {
            return;
        }
        if let Some(last) = self.places.last_mut() {
            last.went_up_to = last.went_up_to.min(went_up_to);
        }
        for at in (1..self.places.len()).rev() {
            let checkpoint = &self.places[at].checkpoint;
            if !checkpoint.holds(went_up_to) {
                let gone = self.places.remove(at);
                let before = &mut self.places[at - 1];
                before.went_up_to = before.went_up_to.min(gone.went_up_to);
            } else if !checkpoint.is_whole() {
                // Those before it begin with lines that are further up.
                break;
            }
        }
    }

    fn add_place(&mut self) {
        self.tried = self.read;
        let last = self.places.last().map_or(0, |place| place.offset);
        // What is drawn again and again leaves no beginning of a line alone.
        let checkpoint = match self.read - last >= self.whole_step {
            true => self.screen.whole(),
            false => self.screen.fresh(),
        };
        let Some(checkpoint) = checkpoint else {
            return;
        };
        let is_whole = checkpoint.is_whole();
        self.places.push(Place {
            offset: self.read,
            reached: self.screen.reached(),
            checkpoint,
            went_up_to: u64::MAX,
        });
        if self.places.len() > PLACES {
            self.step *= 2;
            self.thin(|_| true);
        }
        let wholes = self
            .places
            .iter()
            .filter(|place| place.checkpoint.is_whole());
        if is_whole && wholes.count() > WHOLE {
            self.whole_step *= 2;
            self.thin(Checkpoint::is_whole);
        }
    }

    /// Every other one of these goes.
    fn thin(&mut self, which: impl Fn(&Checkpoint) -> bool) {
        let mut places = Vec::<Place>::with_capacity(self.places.len());
        let mut goes = false;
        for place in self.places.drain(..) {
            let counts = which(&place.checkpoint);
            match places.last_mut() {
                Some(last) if counts && goes => {
                    last.went_up_to = last.went_up_to.min(place.went_up_to);
                }
                _ => places.push(place),
            }
            goes ^= counts;
        }
        self.places = places;
    }

    /// What to read for the lines from one on and up to another: the bytes, and the screen that they go to. What it gives of
    /// those lines, and what it holds of them after that, is what they are.
    pub fn span(&self, lines: Range<u64>) -> (Screen, Range<u64>) {
        let start = self
            .places
            .iter()
            .rposition(|place| place.checkpoint.line() <= lines.start);
        let Some(start) = start else {
            return (Screen::default(), 0..self.read);
        };
        let later = &self.places[start..];
        let far = lines.end.saturating_add(ROWS as u64);
        let mut end = None;
        for (at, place) in later.iter().enumerate() {
            if place.reached < lines.end {
                continue;
            }
            end.get_or_insert(place.offset);
            if place.went_up_to < lines.end {
                // Some of them are written over after this.
                end = Some(later.get(at + 1).map_or(self.read, |next| next.offset));
            }
            if place.reached >= far {
                break;
            }
        }
        let first = &self.places[start];
        let end = end.unwrap_or(self.read);
        (Screen::from(&first.checkpoint), first.offset..end)
    }
}
