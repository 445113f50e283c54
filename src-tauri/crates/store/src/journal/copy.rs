//! A journal as the beginning of another, and the end of one.

use rusqlite::{Connection, params};

use super::{last_seq, place, read};
use crate::{Store, StoreError, StoredSession, in_session, recovery, registry, search};

impl Store {
    /// Writes the row of a new session together with what it goes on from, the journal of another one up to this number: the
    /// history of a fork. A row without that is none.
    ///
    /// # Errors
    /// `NoSuchSession`, `Gap` when it has events already, and when the database cannot be written; then there is no row.
    pub fn begin_from(
        &self,
        from_id: &str,
        through_seq: u64,
        row: &StoredSession,
    ) -> Result<(), StoreError> {
        let (from_id, row) = (from_id.to_owned(), row.clone());
        self.write(move |tx| {
            let from = registry::key(tx, &from_id)?;
            registry::insert(tx, &row)?;
            take_up(tx, from, through_seq, registry::own_key(tx, &row.id)?)
        })?;
        self.registry_changed();
        Ok(())
    }
}

/// Gives a session that has no events the journal of another up to this number. What was open there is closed, for nothing
/// of it runs here.
pub(crate) fn take_up(tx: &Connection, from: i64, through: u64, to: i64) -> Result<(), StoreError> {
    let last = last_seq(tx, to)?;
    if last > 0 {
        return Err(StoreError::Gap { last, next: 1 });
    }
    copy(tx, from, through, to)?;
    recovery::close_open(tx, to)
}

fn copy(tx: &Connection, from: i64, through: u64, to: i64) -> Result<(), StoreError> {
    let shift = place(to, 0) - place(from, 0);
    tx.execute(
        "INSERT INTO journal (id, through, at, type, ref, parent, cli, turn, mark, pieces, body)
         SELECT id + ?, through, at, type, ref, parent, cli, turn, mark, pieces, body
         FROM journal WHERE id BETWEEN ? AND ?",
        [shift, place(from, 0), place(from, through)],
    )?;
    // The end may lie in the middle of a joined text.
    if last_seq(tx, to)? > through {
        let first = read::first_after(tx, to, through)?;
        let rest = read::events(tx, to, super::seq_of(first) - 1, through, 1)?;
        tx.execute("DELETE FROM journal WHERE id = ?", [first])?;
        super::append(tx, to, &rest, super::Origin::Live)?;
    }
    tx.execute(
        "INSERT INTO spans (session, began, ended, kind, ref)
         SELECT ?1, began, CASE WHEN ended > ?3 THEN ?4 ELSE ended END, kind, ref
         FROM spans WHERE session = ?2 AND began <= ?3",
        params![to, from, through.cast_signed(), i64::MAX],
    )?;
    in_session::copy(tx, from, through, to)
}

/// Forgets all events of a session.
pub(crate) fn clear(tx: &Connection, session: i64) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM journal WHERE id BETWEEN ? AND ?",
        [place(session, 0), place(session, u64::MAX)],
    )?;
    tx.execute("DELETE FROM spans WHERE session = ?", [session])?;
    in_session::clear(tx, session)?;
    let id: String = tx.query_row("SELECT id FROM sessions WHERE key = ?", [session], |row| {
        row.get(0)
    })?;
    search::forget(tx, &id)
}
