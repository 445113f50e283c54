//! The changed files of a session: their two sides, changes taken back from them, and news of the folder they are in. Knows
//! nothing of where a diff came from; it is read, found in the file as it is now, or refused.

mod file;
mod revert;
mod sides;
mod watch;

pub use revert::{Wanted, preview, revert};
pub use sides::sides;
pub use watch::Watches;
