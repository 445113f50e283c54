//! The journals: the events of each session in order, the pieces of a text joined once it has ended.
//!
//! A row stands for one event, or for pieces of one text that follow each other; then it knows their lengths, so that a
//! reader who has heard some of them gets the rest. Numbers never change: to join pieces is to say the same in fewer rows.

mod append;
mod copy;
mod fold;
mod import;
mod pieces;
mod read;
mod row;
mod slice;
mod spans;
mod standing;
#[cfg(test)]
mod tests;

use kandev_transcript::Emitted;

pub(crate) use append::{Origin, append};
pub(crate) use copy::{clear, take_up};
pub(crate) use read::{Raw, cli_id, event_at, first_about, last_seq, newest_about, raw};
pub(crate) use row::{MESSAGE_CHUNK, REASONING};
pub use slice::{At, Slice};
pub(crate) use spans::{Open, close as close_spans, open_now};

pub(crate) const TABLES: &str = "
-- id is the session's key << 40 | seq: the events of a session lie together and in order. turn: how many turns have ended up
-- to this one. mark: what it stands for until the next of its kind. pieces: the lengths of the texts that were joined.
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
-- What begins with one event and ends with another: a question, a task.
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

/// So many numbers a session has at most.
const NUMBERS: u32 = 40;

/// The row that begins with this number.
pub(crate) fn place(session: i64, seq: u64) -> i64 {
    let last = (1 << NUMBERS) - 1;
    (session << NUMBERS) | i64::try_from(seq).unwrap_or(last).min(last)
}

pub(crate) fn seq_of(id: i64) -> u64 {
    (id & ((1 << NUMBERS) - 1)).cast_unsigned()
}
