//! The last lines of an output, which a program can still write over, and where it writes.

use std::collections::VecDeque;

use unicode_width::UnicodeWidthChar as _;
use vte::{Params, Perform};

use super::row::{COLUMNS, Cell, Row};
use super::style::Style;
use super::{Line, Lines};

/// So many lines can be written over. What is above them stays what it is.
pub(super) const ROWS: usize = 500;
/// A tab ends at a multiple of this.
const TAB: u32 = 8;

#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// The number of the first row.
    pub first: u64,
    /// Never empty.
    rows: VecDeque<Row>,
    /// The row that is written to.
    row: usize,
    pub column: u32,
    pub style: Style,
    /// The lowest line that the cursor went up to since somebody asked.
    pub went_up_to: u64,
    /// Something was shown, which happens between escapes alone.
    pub printed: bool,
    /// Bytes of text beyond the last column that may still be kept.
    pub keep: usize,
}

impl Grid {
    pub fn new(first: u64, style: Style) -> Self {
        Self {
            first,
            rows: VecDeque::from([Row::default()]),
            row: 0,
            column: 0,
            style,
            went_up_to: u64::MAX,
            printed: false,
            keep: 0,
        }
    }

    /// Lines so far. A line end at the end opens no further one.
    pub fn total(&self) -> u64 {
        let open = self.rows.back().is_some_and(|row| !row.is_empty());
        self.first + self.rows.len() as u64 - u64::from(!open)
    }

    /// The line that is written to.
    pub fn line(&self) -> u64 {
        self.first + self.row as u64
    }

    pub fn rest(&self, out: &mut dyn Lines) {
        let total = self.total();
        for (number, row) in (self.first..total).zip(&self.rows) {
            out.line(number, Line(row));
        }
    }

    /// A new line is written, and nothing of the lines above matters to it.
    pub fn is_fresh(&self) -> bool {
        self.row + 1 == self.rows.len() && self.column == 0 && self.rows[self.row].is_empty()
    }

    fn new_row(&mut self, out: &mut dyn Lines) {
        let row = if self.rows.len() < ROWS {
            Row::default()
        } else {
            let mut row = self.rows.pop_front().unwrap_or_default();
            out.line(self.first, Line(&row));
            self.first += 1;
            row.reset();
            row
        };
        self.rows.push_back(row);
        self.row = self.rows.len() - 1;
    }

    fn line_end(&mut self, out: &mut dyn Lines) {
        self.column = 0;
        match self.row + 1 < self.rows.len() {
            true => self.row += 1,
            false => self.new_row(out),
        }
    }

    /// Who clears the screen or goes to a place on it draws anew: below, for what was said is to be read.
    fn begin_below(&mut self, out: &mut dyn Lines) {
        self.row = self.rows.len() - 1;
        self.column = 0;
        if !self.rows[self.row].is_empty() {
            self.new_row(out);
        }
    }

    fn up(&mut self, rows: u32) {
        self.row = self.row.saturating_sub(rows as usize);
        self.went_up_to = self.went_up_to.min(self.line());
    }

    fn down(&mut self, rows: u32) {
        self.row = (self.row + rows as usize).min(self.rows.len() - 1);
    }

    fn put(&mut self, character: char) {
        let row = &mut self.rows[self.row];
        // None of DEL, which shows nothing.
        let Some(width) = character.width() else {
            return;
        };
        let mut width = width as u32;
        if width == 0 && self.column <= COLUMNS {
            if row.join(self.column, character) {
                return;
            }
            width = 1;
        }
        match self.column.saturating_add(width) <= COLUMNS {
            true => row.put(self.column, character, width, self.style),
            false => row.add_beyond(self.column, character, width, &mut self.keep),
        }
        self.column = self.column.saturating_add(width);
    }

    /// A tab is kept as one, so that what is copied is what was printed. Over text it is a step.
    fn tab(&mut self) {
        let row = &mut self.rows[self.row];
        let width = TAB - self.column % TAB;
        if self.column >= COLUMNS {
            row.add_beyond(self.column, '\t', width, &mut self.keep);
        } else if self.column >= row.len() {
            row.put(self.column, '\t', width, self.style);
        }
        self.column = self.column.saturating_add(width);
    }

    fn erase_below(&mut self) {
        self.rows[self.row].erase_from(self.column);
        self.rows.truncate(self.row + 1);
    }
}

/// Takes what the parser reads.
pub(super) struct Writing<'a> {
    pub grid: &'a mut Grid,
    pub out: &'a mut dyn Lines,
}

impl Perform for Writing<'_> {
    #[inline]
    fn print(&mut self, character: char) {
        let grid = &mut *self.grid;
        grid.printed = true;
        let row = &mut grid.rows[grid.row];
        if matches!(character, ' '..='~') && grid.column == row.len() && grid.column < COLUMNS {
            row.push(Cell::new(character, grid.style));
            grid.column += 1;
        } else {
            grid.put(character);
        }
    }

    fn execute(&mut self, byte: u8) {
        let grid = &mut *self.grid;
        match byte {
            b'\n' => grid.line_end(self.out),
            b'\r' => grid.column = 0,
            0x08 => grid.column = grid.column.saturating_sub(1),
            b'\t' => grid.tab(),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, between: &[u8], ignore: bool, action: char) {
        // What begins with a sign of its own is about the terminal and not about text.
        if ignore || !between.is_empty() {
            return;
        }
        let grid = &mut *self.grid;
        let first = params.iter().next().and_then(|param| param.first());
        let first = u32::from(first.copied().unwrap_or(0));
        let steps = first.max(1);
        match action {
            'm' => grid.style.apply(params),
            'A' => grid.up(steps),
            'B' => grid.down(steps),
            'C' => grid.column = grid.column.max((grid.column + steps).min(COLUMNS)),
            'D' => grid.column = grid.column.saturating_sub(steps),
            'E' => {
                grid.down(steps);
                grid.column = 0;
            }
            'F' => {
                grid.up(steps);
                grid.column = 0;
            }
            'G' => grid.column = (steps - 1).min(COLUMNS),
            'H' | 'f' => grid.begin_below(self.out),
            'J' => match first {
                0 => grid.erase_below(),
                2 | 3 => grid.begin_below(self.out),
                _ => {}
            },
            'K' => {
                let (column, row) = (grid.column, &mut grid.rows[grid.row]);
                match first {
                    0 => row.erase_from(column),
                    1 => row.blank_through(column),
                    2 => row.erase_from(0),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}
