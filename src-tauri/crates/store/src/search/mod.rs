//! Full-text search over all sessions: those in the journal and those in the CLI's own files.
//!
//! Owns the index and what of an event is in it. It is not part of keeping an event: an indexer follows behind, by number
//! in a journal and by file beside it, and can be stopped and taken up anywhere. So a stream is never held up by it, and a
//! lost index is only built again.

mod find;
mod fold;
mod gather;
mod indexer;
mod intake;
mod passage;
mod short;
mod snippet;
mod tables;
#[cfg(test)]
mod tests;
mod words;

pub use find::{Hit, SearchAnswer};
pub(crate) use fold::one_line;
pub(crate) use indexer::Progress;
pub use indexer::{Indexer, SessionFile, SessionFiles};
pub use passage::HitKind;
pub(crate) use passage::of_call as about_call;
pub(crate) use tables::{TABLES, forget};

use rusqlite::{Connection, OptionalExtension};

use crate::{Store, StoreError};
use find::Named;

impl Store {
    /// Looks for places where all of these words stand, in whatever order and inside of other words too; words in quotes
    /// stand together. Large and small letters are the same. At most `limit` hits, and a bounded time.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn search(&self, words: &str, limit: usize) -> Result<SearchAnswer, StoreError> {
        let mut answer = self.read(|conn| find::find(conn, words, limit, |id| named(conn, id)))?;
        answer.indexing = self.indexing().get();
        Ok(answer)
    }
}

/// The session of this id. A session of a terminal that was taken up here is found as ours alone.
fn named(conn: &Connection, id: &str) -> Result<Option<Named>, StoreError> {
    if is_taken_up(conn, id)? {
        return Ok(None);
    }
    let mut statement = conn.prepare_cached(
        "SELECT id, cli_session_id, title, workspace, source = 'kandev', archived FROM sessions WHERE id = ?1",
    )?;
    let row = statement.query_row([id], |row| {
        Ok(Named {
            id: row.get(0)?,
            cli_session_id: row.get(1)?,
            title: row.get(2)?,
            workspace: row.get(3)?,
            source: if row.get(4)? {
                crate::Source::Kandev
            } else {
                crate::Source::Terminal
            },
            archived: row.get(5)?,
        })
    });
    match row.optional()? {
        Some(named) => Ok(Some(named)),
        None => named_file(conn, id),
    }
}

/// A session that stands in a file of the CLI alone.
fn named_file(conn: &Connection, id: &str) -> Result<Option<Named>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT title, cwd FROM cli_files WHERE session = ?1 ORDER BY changed DESC LIMIT 1",
    )?;
    let row = statement.query_row([id], |row| {
        Ok(Named {
            id: id.to_owned(),
            cli_session_id: Some(id.to_owned()),
            title: row.get(0)?,
            workspace: row.get(1)?,
            source: crate::Source::Terminal,
            archived: false,
        })
    });
    Ok(row.optional()?)
}

/// Whether this is the CLI's id of a session that is ours.
fn is_taken_up(conn: &Connection, id: &str) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT 1 FROM sessions WHERE cli_session_id = ?1 AND source = 'kandev' AND id <> ?1",
    )?;
    Ok(statement.exists([id])?)
}
