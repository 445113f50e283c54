//! Finding within one session: words, and the next prompt, error, edit or question.
//!
//! It reads the journal itself, so that what was said a moment ago is found, and what tools printed. The index of the search
//! over all sessions knows neither.

mod marks;
mod words;

pub use marks::Mark;
pub use words::{FoundIn, SessionHit, SessionHits};
