//! Conversations that were damaged in every way that a line can be: the rules that hold for any input still do.

#![allow(clippy::unwrap_used)]

mod found;
mod long;
mod pieces;
mod rules;
mod seeds;
