//! Finding within one session: words, and the next prompt, error, edit or question.
//!
//! It reads the journal itself, so that what was said a moment ago is found, and what tools printed. The index of the search
//! over all sessions knows neither.

mod marks;
mod phrase;
#[cfg(test)]
mod tests;
mod words;

pub use marks::Mark;
pub(crate) use marks::{TABLES, clear, copy, follow};
pub use words::{FoundIn, SessionHit, SessionHits};
