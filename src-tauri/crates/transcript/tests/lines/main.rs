//! Short conversations of lines that no recording has: each a rule in its smallest form.

#![allow(clippy::unwrap_used)]

mod ends;
mod odd;
mod prompts;
mod questions;
mod say;
mod texts;
mod tools;
