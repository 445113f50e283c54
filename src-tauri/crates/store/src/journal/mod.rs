//! The journals: the events of each session in order, the pieces of a text joined when it ends.

use kandev_transcript::{Emitted, Event};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{Store, StoreError};

pub(crate) const TABLES: &str = "
-- id is the session's key << 40 | seq: the events of a session lie together and in order.
-- turn: how many prompts of the main thread there are up to this event. mark: what the newest of its kind stands for.
CREATE TABLE journal (
    id INTEGER PRIMARY KEY,
    through INTEGER NOT NULL,
    at TEXT NOT NULL,
    type TEXT NOT NULL,
    ref TEXT,
    parent TEXT,
    cli INTEGER,
    turn INTEGER NOT NULL,
    mark TEXT,
    pieces BLOB,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX journal_ref ON journal (ref) WHERE ref IS NOT NULL;
CREATE INDEX journal_mark ON journal (mark) WHERE mark IS NOT NULL;
CREATE TABLE cli_ids (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE
) STRICT;
-- What begins with one event and ends with another: a question, a task, a tool call while it runs.
CREATE TABLE spans (
    session INTEGER NOT NULL,
    began INTEGER NOT NULL,
    ended INTEGER NOT NULL,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    PRIMARY KEY (session, kind, ref, began)
) STRICT, WITHOUT ROWID;
CREATE INDEX spans_ended ON spans (session, ended, began);
";

/// An event that comes from elsewhere and gets its number here.
#[derive(Debug, Clone, PartialEq)]
pub struct EventWithoutSeq {
    /// RFC 3339 with milliseconds.
    pub at: String,
    pub emitted: Emitted,
}

/// Where a session is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    End,
    /// Around the event of this number.
    Around(u64),
}

/// A part of a session's journal, and what stands where it begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct Slice {
    /// What was said before and still holds where `events` begin, in order: the newest of each kind that stands until the
    /// next one, open questions, tasks that run.
    pub standing: Vec<Event>,
    pub events: Vec<Event>,
    /// The first number in it; one more than `through` when it is empty.
    #[specta(type = specta_typescript::Number)]
    pub from: u64,
    /// The last number in it.
    #[specta(type = specta_typescript::Number)]
    pub through: u64,
    /// There are events before it.
    pub earlier: bool,
    /// There are events after it.
    pub later: bool,
    /// How many prompts of the main thread come before it.
    #[specta(type = specta_typescript::Number)]
    pub turns_before: u64,
}

impl Store {
    /// At most `limit` rows of the journal after this number, in order. Who stands in the middle of a joined text gets the
    /// rest of it.
    ///
    /// # Errors
    /// `NoSuchSession`, and when the database cannot be read.
    pub fn events_after(
        &self,
        _id: &str,
        _after_seq: u64,
        _limit: usize,
    ) -> Result<Vec<Event>, StoreError> {
        Err(StoreError::Closed)
    }

    /// The part of the journal with which a session is opened: about `rows` of its rows.
    ///
    /// # Errors
    /// As [`Store::events_after`].
    pub fn open_at(&self, _id: &str, _at: At, _rows: usize) -> Result<Slice, StoreError> {
        Err(StoreError::Closed)
    }

    /// The part that ends before this number.
    ///
    /// # Errors
    /// As [`Store::events_after`].
    pub fn before(&self, _id: &str, _seq: u64, _rows: usize) -> Result<Slice, StoreError> {
        Err(StoreError::Closed)
    }

    /// The part that begins after this number.
    ///
    /// # Errors
    /// As [`Store::events_after`].
    pub fn after(&self, _id: &str, _seq: u64, _rows: usize) -> Result<Slice, StoreError> {
        Err(StoreError::Closed)
    }

    /// What stands at the end of the journal.
    ///
    /// # Errors
    /// As [`Store::events_after`].
    pub fn standing(&self, _id: &str) -> Result<Vec<Event>, StoreError> {
        Err(StoreError::Closed)
    }

    /// Gives a session that has none the journal of another up to this number.
    ///
    /// # Errors
    /// As [`Store::events_after`], and when the database cannot be written.
    pub fn copy(&self, _from: &str, _through: u64, _to: &str) -> Result<(), StoreError> {
        Err(StoreError::Closed)
    }

    /// Appends what is not there yet, by the ids of messages, prompts and tool calls: to import twice changes nothing.
    /// Gives the number of the last event.
    ///
    /// # Errors
    /// As [`Store::copy`].
    pub fn import(
        &self,
        _id: &str,
        _events: impl Iterator<Item = EventWithoutSeq>,
    ) -> Result<u64, StoreError> {
        Err(StoreError::Closed)
    }
}

pub(crate) fn clear(_conn: &Connection, _session: i64) -> Result<(), StoreError> {
    Ok(())
}
