//! Conversations to try the core with: the recorded ones, made-up ones of any length, and both of them damaged.
//!
//! It owns what may be done to a conversation and the rules that hold whatever was done. The property tests, the fuzz
//! targets and the benchmarks share it; it refuses to know which of them asks.

mod corpus;
mod generate;
mod json;
mod long;
mod mutate;
mod play;
mod rules;
pub mod targets;

pub use corpus::{cli_lines, recordings};
pub use generate::{Turn, turn};
pub use long::{one_turn, recorded_turn};
pub use mutate::{Mutation, mutate};
pub use play::{Played, Step, live, play, play_pieces};
pub use rules::check;
