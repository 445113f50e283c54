//! One line while it can be written over.

use super::line::{OutputLine, OutputRun};
use super::style::{CONCEALED, SHOWN, Style};

/// Characters without a width that one cell takes; what comes after them is noise.
const EXTRAS: usize = 8;

/// What stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    /// The character in the lower 21 bits, the flags of its style above.
    packed: u32,
    fg: super::style::Colour,
    bg: super::style::Colour,
}

const FLAGS: u32 = 21;
const CHARACTER: u32 = (1 << FLAGS) - 1;
/// The column belongs to the character to its left.
const COVERED: u32 = CHARACTER;

impl Cell {
    pub fn new(character: char, style: Style) -> Self {
        let shown = match style.flags & CONCEALED {
            0 => character,
            _ => ' ',
        };
        Self::packed(u32::from(shown), style)
    }

    pub fn blank() -> Self {
        Self::new(' ', Style::default())
    }

    fn covered(style: Style) -> Self {
        Self::packed(COVERED, style)
    }

    fn packed(low: u32, style: Style) -> Self {
        Self {
            packed: low | (style.flags & SHOWN) << FLAGS,
            fg: style.fg,
            bg: style.bg,
        }
    }

    fn is_covered(self) -> bool {
        self.packed & CHARACTER == COVERED
    }

    /// None of a column that a wide character covers.
    fn character(self) -> Option<char> {
        char::from_u32(self.packed & CHARACTER)
    }

    fn style(self) -> Style {
        Style {
            fg: self.fg,
            bg: self.bg,
            flags: self.packed >> FLAGS,
        }
    }

    fn same_style(self, other: Self) -> bool {
        self.packed >> FLAGS == other.packed >> FLAGS && self.fg == other.fg && self.bg == other.bg
    }
}

/// Columns that a row keeps. What is written beyond is only counted, and kept as text on demand.
pub(super) const COLUMNS: u32 = 10_000;

#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    cells: Vec<Cell>,
    /// Characters without a width, by the column that they belong to.
    extras: Vec<(u32, char)>,
    /// What was written beyond the last column: where it ends, its UTF-16 units, and the text if it is kept.
    beyond: u32,
    units: u32,
    tail: String,
}

impl Row {
    pub fn len(&self) -> u32 {
        self.cells.len() as u32
    }

    pub fn is_empty(&self) -> bool {
        self.cells.is_empty() && self.units == 0
    }

    /// As new, with the memory that it has.
    pub fn reset(&mut self) {
        self.cells.clear();
        self.extras.clear();
        self.forget_beyond();
    }

    fn forget_beyond(&mut self) {
        (self.beyond, self.units) = (0, 0);
        self.tail.clear();
    }

    /// Writes what is one column wide at the end of the row.
    #[inline]
    pub fn push(&mut self, cell: Cell) {
        self.cells.push(cell);
    }

    /// Writes a character that is some columns wide, at a column before [`COLUMNS`].
    pub fn put(&mut self, column: u32, character: char, width: u32, style: Style) {
        let (from, to) = (column as usize, (column + width) as usize);
        if self.cells.len() < from {
            self.cells.resize(from, Cell::blank());
        }
        self.uncover(from);
        self.uncover(to);
        if !self.extras.is_empty() {
            self.extras
                .retain(|(at, _)| !(column..column + width).contains(at));
        }
        if self.cells.len() < to {
            self.cells.resize(to, Cell::covered(style));
        }
        self.cells[from] = Cell::new(character, style);
        self.cells[from + 1..to].fill(Cell::covered(style));
    }

    /// A character that is cut at this column is none any more.
    fn uncover(&mut self, at: usize) {
        if self.cells.get(at).is_some_and(|cell| cell.is_covered()) {
            let start = self.start_of(at);
            let length = self.cells[at..]
                .iter()
                .take_while(|cell| cell.is_covered())
                .count();
            self.cells[start..at + length].fill(Cell::blank());
            self.extras.retain(|(column, _)| *column != start as u32);
        }
    }

    /// The column of the character that covers this one.
    fn start_of(&self, at: usize) -> usize {
        self.cells[..=at]
            .iter()
            .rposition(|cell| !cell.is_covered())
            .unwrap_or(0)
    }

    /// Adds a character without a width to the one before this column. False when there is none.
    pub fn join(&mut self, column: u32, character: char) -> bool {
        if column == 0 || column > self.len() {
            return false;
        }
        let at = self.start_of(column as usize - 1) as u32;
        if self.extras.iter().filter(|(there, _)| *there == at).count() < EXTRAS {
            let place = self.extras.partition_point(|(there, _)| *there <= at);
            self.extras.insert(place, (at, character));
        }
        true
    }

    /// Takes note of what is written beyond the last column.
    pub fn add_beyond(&mut self, column: u32, character: char, width: u32, keep: &mut usize) {
        // What is written over there is not shown either way.
        if column < self.beyond {
            return;
        }
        self.beyond = column.saturating_add(width);
        self.units = self.units.saturating_add(character.len_utf16() as u32);
        if *keep >= character.len_utf8() {
            *keep -= character.len_utf8();
            self.tail.push(character);
        }
    }

    /// Nothing stands from this column on.
    pub fn erase_from(&mut self, column: u32) {
        self.uncover(column as usize);
        self.cells.truncate(column as usize);
        self.extras.retain(|(at, _)| *at < column);
        if column < COLUMNS {
            self.forget_beyond();
        }
    }

    /// Blanks stand up to and with this column, as far as there is anything.
    pub fn blank_through(&mut self, column: u32) {
        let end = (column as usize).saturating_add(1).min(self.cells.len());
        self.uncover(end);
        self.cells[..end].fill(Cell::blank());
        self.extras.retain(|(at, _)| *at as usize >= end);
    }

    fn each(&self, mut each: impl FnMut(Cell, char, &[(u32, char)])) {
        let mut extras = &self.extras[..];
        for (column, cell) in self.cells.iter().enumerate() {
            let Some(character) = cell.character() else {
                continue;
            };
            let own = extras
                .iter()
                .take_while(|(at, _)| *at as usize == column)
                .count();
            let (own, rest) = extras.split_at(own);
            extras = rest;
            each(*cell, character, own);
        }
    }

    /// The text, with what is kept of that beyond the last column.
    pub fn push_text(&self, text: &mut String) {
        self.each(|_, character, extras| {
            text.push(character);
            text.extend(extras.iter().map(|(_, extra)| *extra));
        });
        text.push_str(&self.tail);
    }

    /// Whether [`Row::push_text`] gives less than was written.
    pub fn is_cut(&self) -> bool {
        self.units as usize != self.tail.encode_utf16().count()
    }

    pub fn line(&self) -> OutputLine {
        let mut runs = Vec::<OutputRun>::new();
        let mut last: Option<Cell> = None;
        self.each(|cell, character, extras| {
            if !last.is_some_and(|last| last.same_style(cell)) {
                runs.push(cell.style().run());
            }
            last = Some(cell);
            if let Some(run) = runs.last_mut() {
                run.text.push(character);
                run.text.extend(extras.iter().map(|(_, extra)| *extra));
            }
        });
        OutputLine {
            runs,
            cut: (self.units > 0).then_some(self.units),
        }
    }
}
