//! What lasts: the registry of sessions, their journals, the search over them, and the CLI's own session files.
//!
//! Owns one SQLite file, which several processes may have open at once, and reads the folder in which the CLI keeps its
//! conversations. Knows no process but by its number, decides nothing about a session, and never writes where the CLI
//! does. Every call waits for the disk: an async caller goes through `spawn_blocking`.

mod db;
mod error;
mod export;
mod in_session;
mod journal;
mod lock;
mod opening;
mod private;
mod recorder;
mod recovery;
mod registry;
mod salvage;
#[cfg(test)]
mod samples;
mod search;
mod store;
mod terminal;

pub use error::StoreError;
pub use export::*;
pub use in_session::*;
pub use journal::{At, EventWithoutSeq, Slice};
pub use lock::*;
pub use recorder::{Following, Recorder};
pub use registry::{Source, StoredSession};
pub use search::*;
pub use store::{Opened, Store};
pub use terminal::*;
