//! Short conversations of lines that no recording has: each a rule in its smallest form.

#![allow(clippy::unwrap_used)]

mod elicitations;
mod ends;
mod odd;
mod older;
mod prompts;
mod questions;
mod retract;
mod say;
mod table;
mod tasks;
mod texts;
mod tools;
