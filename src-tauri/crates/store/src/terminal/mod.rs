//! The sessions that the CLI keeps itself: which there are, what they hold, who has them open.
//!
//! Reads the CLI's folder and never writes there, but for a file that a person asks to delete. What is read becomes events
//! through the same transcript as a live session's lines, and so means the same. A list costs one look at each file and
//! the two ends of those that changed (PROTOCOL 9).

mod branch;
mod catalogue;
mod chains;
mod content;
mod entry;
mod glance;
mod import;
mod lines;
mod looking;
mod owner;
mod plan;
mod projects;
mod reading;
mod sidechains;
mod system_lines;
mod tables;
mod taken_up;
#[cfg(test)]
mod tests;
mod texts;
mod to_wire;
mod watching;
mod writing;

pub use catalogue::{Terminal, TerminalSession};
pub use import::{Followed, Opening};
pub use projects::Projects;
pub(crate) use tables::TABLES;
pub use watching::Watching;
