//! What a program printed, as the lines that a terminal would show of it.

mod line;

pub use line::{OutputLine, OutputRun};
