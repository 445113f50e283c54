//! What the CLI's lines mean: events, tool details, the todo fold, the context window.
//!
//! Pure functions over [`kandev_wire`] lines: no I/O, no clock, no processes. Whoever calls gives the time and, where a
//! diff needs it, the text of the file.

mod detail;
mod event;

pub use detail::*;
pub use event::*;
