//! What the CLI's lines mean: events, tool details, the todo fold, the context window.
//!
//! Pure functions over [`kandev_wire`] lines: no I/O, no clock, no processes. Whoever calls gives the time and, where a
//! diff needs it, the text of the file.

mod at;
mod calls;
mod context;
mod detail;
pub mod diff;
mod edit;
mod elicitations;
mod emitted;
mod end;
mod ending;
mod event;
mod facts;
mod files;
mod ids;
pub mod normalize;
mod notices;
mod out;
mod outputs;
pub mod patch;
mod process;
mod prompts;
mod questions;
mod recent;
mod replay;
mod retract;
pub mod screen;
mod sentences;
mod slim;
mod tasks;
mod texts;
mod todos;
mod transcript;
mod turn;
mod turn_diff;

pub use at::at;
pub use detail::*;
pub use emitted::*;
pub use ending::*;
pub use event::*;
pub use files::*;
pub use outputs::OutputStream;
pub use replay::*;
pub use slim::*;
pub use todos::*;
pub use transcript::*;
pub use turn_diff::*;
