//! What the CLI's lines mean: events, tool details, the todo fold, the context window.
//!
//! Pure functions over [`kandev_wire`] lines: no I/O, no clock, no processes. Whoever calls gives the time and, where a
//! diff needs it, the text of the file.

mod detail;
pub mod diff;
mod event;
mod files;
pub mod normalize;
mod todos;
mod turn_diff;

pub use detail::*;
pub use event::*;
pub use files::*;
pub use todos::*;
pub use turn_diff::*;
