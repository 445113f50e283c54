//! What a program printed, as the lines that a terminal would show of it: colours, carriage returns, erasing, a cursor that
//! goes up. Knows no file and no width of a window, and keeps no more than the lines that can still be written over.
//!
//! How the bytes come in pieces changes nothing, and no bytes make it fail. What is for the terminal alone (titles, links,
//! images) is dropped. Bytes that are no UTF-8 become U+FFFD.

mod grid;
mod index;
mod line;
mod row;
mod style;
#[cfg(test)]
mod tests;

use vte::Parser;

use grid::{Grid, Writing};
use row::Row;
use style::Style;

pub use index::Index;
pub use line::{OutputLine, OutputRun};

/// Columns of a line that are shown. What a line has beyond them is counted.
pub const COLUMNS: u32 = row::COLUMNS;

/// Takes lines, each once and in order, when they are what they stay.
pub trait Lines {
    fn line(&mut self, number: u64, line: Line<'_>);
}

/// Counts alone.
impl Lines for () {
    fn line(&mut self, _: u64, _: Line<'_>) {}
}

impl<F: FnMut(u64, Line<'_>)> Lines for F {
    fn line(&mut self, number: u64, line: Line<'_>) {
        self(number, line);
    }
}

/// A line as it is now.
#[derive(Clone, Copy)]
pub struct Line<'a>(&'a Row);

impl Line<'_> {
    pub fn to_output(self) -> OutputLine {
        self.0.line()
    }

    /// Adds its text, escapes left out.
    pub fn push_text(self, text: &mut String) {
        self.0.push_text(text);
    }

    /// Whether that text is less than was printed.
    pub fn is_cut(self) -> bool {
        self.0.is_cut()
    }
}

/// A place in an output from which it can be read on without what is before it.
#[derive(Debug, Clone)]
pub struct Checkpoint(Kind);

#[derive(Debug, Clone)]
enum Kind {
    /// A line begins there. It holds as long as the cursor does not go up above that line.
    Fresh { line: u64, style: Style },
    /// All that can be written over.
    Whole(Box<Grid>),
}

impl Checkpoint {
    /// The first line that comes out of it.
    pub fn line(&self) -> u64 {
        match &self.0 {
            Kind::Fresh { line, .. } => *line,
            Kind::Whole(grid) => grid.first,
        }
    }

    fn is_whole(&self) -> bool {
        matches!(self.0, Kind::Whole(_))
    }

    /// Whether it still holds when the cursor has gone up to this line.
    pub fn holds(&self, went_up_to: u64) -> bool {
        match &self.0 {
            Kind::Fresh { line, .. } => *line <= went_up_to,
            Kind::Whole(_) => true,
        }
    }
}

/// Reads an output.
pub struct Screen {
    parser: Parser,
    grid: Grid,
    /// The beginning of a character whose end has not come.
    partial: Vec<u8>,
    /// No escape is open.
    ground: bool,
}

impl Default for Screen {
    fn default() -> Self {
        Self::of(Grid::new(0, Style::default()))
    }
}

impl Screen {
    fn of(grid: Grid) -> Self {
        Self {
            parser: Parser::new(),
            grid,
            partial: Vec::new(),
            ground: true,
        }
    }

    /// One that goes on from a place.
    pub fn from(place: &Checkpoint) -> Self {
        Self::of(match &place.0 {
            Kind::Fresh { line, style } => Grid::new(*line, *style),
            Kind::Whole(grid) => Grid::clone(grid),
        })
    }

    /// Keeps the text of huge lines too, at most so many bytes of it in all.
    #[must_use]
    pub fn with_long_lines(mut self, bytes: usize) -> Self {
        self.grid.keep = bytes;
        self
    }

    /// Reads on. The lines that cannot be written over any more go out.
    pub fn feed(&mut self, bytes: &[u8], out: &mut dyn Lines) {
        let mut bytes = bytes;
        while !self.partial.is_empty() && !bytes.is_empty() {
            self.partial.push(bytes[0]);
            bytes = &bytes[1..];
            let taken = std::mem::take(&mut self.partial);
            self.decode(&taken, out);
        }
        self.decode(bytes, out);
    }

    /// There is nothing more: a character whose end is missing is none.
    pub fn end(&mut self, out: &mut dyn Lines) {
        if !self.partial.is_empty() {
            self.partial.clear();
            self.read("\u{fffd}".as_bytes(), out);
        }
    }

    /// The parser gets whole characters alone, so that pieces of one are the same as the whole.
    fn decode(&mut self, bytes: &[u8], out: &mut dyn Lines) {
        let mut rest = bytes;
        loop {
            match str::from_utf8(rest) {
                Ok(text) => return self.read(text.as_bytes(), out),
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    self.read(valid, out);
                    let Some(length) = error.error_len() else {
                        self.partial.extend_from_slice(after);
                        return;
                    };
                    self.read("\u{fffd}".as_bytes(), out);
                    rest = &after[length..];
                }
            }
        }
    }

    fn read(&mut self, text: &[u8], out: &mut dyn Lines) {
        if text.is_empty() {
            return;
        }
        let mut rest = text;
        if let Some(escape) = memchr::memrchr(0x1b, text) {
            let (before, after) = text.split_at(escape + 1);
            self.advance(before, out);
            self.ground = false;
            rest = after;
        }
        self.grid.printed = false;
        self.advance(rest, out);
        self.ground |= self.grid.printed;
    }

    fn advance(&mut self, text: &[u8], out: &mut dyn Lines) {
        let grid = &mut self.grid;
        self.parser.advance(&mut Writing { grid, out }, text);
    }

    /// The lines that can still be written over, as they are now.
    pub fn rest(&self, out: &mut dyn Lines) {
        self.grid.rest(out);
    }

    /// Lines so far.
    pub fn total(&self) -> u64 {
        self.grid.total()
    }

    /// The first line that can still be written over.
    pub fn first(&self) -> u64 {
        self.grid.first
    }

    /// The line that is written to.
    fn reached(&self) -> u64 {
        self.grid.line()
    }

    /// The lowest line that the cursor went up to since this was asked last; the highest number if it did not.
    pub fn take_went_up_to(&mut self) -> u64 {
        std::mem::replace(&mut self.grid.went_up_to, u64::MAX)
    }

    /// The place that is reached, if a line begins here.
    pub fn fresh(&self) -> Option<Checkpoint> {
        let is_fresh = self.is_between() && self.grid.is_fresh();
        is_fresh.then(|| {
            Checkpoint(Kind::Fresh {
                line: self.total(),
                style: self.grid.style,
            })
        })
    }

    /// The place that is reached with all that can be written over, which may be much.
    pub fn whole(&self) -> Option<Checkpoint> {
        self.is_between()
            .then(|| Checkpoint(Kind::Whole(Box::new(self.grid.clone()))))
    }

    fn is_between(&self) -> bool {
        self.ground && self.partial.is_empty()
    }
}
