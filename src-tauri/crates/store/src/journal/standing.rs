//! What holds at a place of a journal because of what was said before.

use kandev_transcript::Event;
use rusqlite::{Connection, OptionalExtension, params};

use super::row::STANDING;
use super::{place, read, seq_of, spans};
use crate::{Store, StoreError, registry};

impl Store {
    /// What stands at the end of the journal: the newest of each kind that holds until the next one, open questions, tasks
    /// that run.
    ///
    /// # Errors
    /// As [`Store::events_after`].
    pub fn standing(&self, id: &str) -> Result<Vec<Event>, StoreError> {
        self.read(|conn| before(conn, registry::key(conn, id)?, u64::MAX >> 1))
    }
}

/// What stands before this number, in order. One look-up for each kind and each thing that is open.
pub(super) fn before(conn: &Connection, session: i64, seq: u64) -> Result<Vec<Event>, StoreError> {
    let mut numbers = spans::open_at(conn, session, seq)?;
    let mut newest = conn.prepare_cached(
        "SELECT id FROM journal WHERE mark = ? AND id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
    )?;
    let (first, last) = (place(session, 0), place(session, seq) - 1);
    for mark in STANDING {
        let id = newest
            .query_row(params![mark, first, last], |row| row.get::<_, i64>(0))
            .optional()?;
        numbers.extend(id.map(seq_of));
    }
    numbers.sort_unstable();
    let mut events = Vec::with_capacity(numbers.len());
    for seq in numbers {
        events.extend(read::by_id(conn, place(session, seq))?);
    }
    Ok(events)
}
