//! The recorded conversations, replayed: the rules that hold in each of them, and a snapshot of each.

#![allow(clippy::unwrap_used)]

mod form;
mod rules;
mod snapshots;
mod splits;
mod wire_lines;
