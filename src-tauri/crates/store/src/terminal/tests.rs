//! Sessions as the CLI kept them, of four versions, and what may stand in a file besides.
#![allow(clippy::unwrap_used)]

mod catalogue;
mod importing;
mod looking;
mod made_up;
mod recorded;
mod support;
