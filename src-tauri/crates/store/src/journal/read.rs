//! Reads a journal in order.

use kandev_transcript::{Event, EventBody};
use rusqlite::{Connection, OptionalExtension, params};

use super::{place, row, seq_of};
use crate::{Store, StoreError, registry};

impl Store {
    /// At most `limit` rows of the journal after this number, in order. Who stands in the middle of a joined text gets the
    /// rest of it.
    ///
    /// # Errors
    /// `NoSuchSession`, and when the database cannot be read.
    pub fn events_after(
        &self,
        id: &str,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<Event>, StoreError> {
        self.read(|conn| events(conn, registry::key(conn, id)?, after_seq, u64::MAX, limit))
    }

    /// The newest event that is about something, by its id: a call, a task, a question.
    ///
    /// # Errors
    /// As [`Store::events_after`].
    pub fn newest_about(&self, id: &str, about: &str) -> Result<Option<Event>, StoreError> {
        self.read(|conn| newest_about(conn, registry::key(conn, id)?, about))
    }

    /// The number of the newest event that is about this prompt, or that ended the turn whose last message this is.
    ///
    /// # Errors
    /// As [`Store::events_after`].
    pub fn place_of(&self, id: &str, message_uuid: &str) -> Result<Option<u64>, StoreError> {
        self.read(|conn| {
            let session = registry::key(conn, id)?;
            let id = conn
                .prepare_cached(
                    "SELECT id FROM journal WHERE ref = ? AND id BETWEEN ? AND ?
                     AND type IN ('user_message', 'complete') ORDER BY id DESC LIMIT 1",
                )?
                .query_row(
                    params![message_uuid, place(session, 0), place(session, u64::MAX)],
                    |row| row.get(0),
                )
                .optional()?;
            Ok(id.map(seq_of))
        })
    }
}

/// The rows that have something after one number and up to another, the first `limit` of them.
pub(super) fn events(
    conn: &Connection,
    session: i64,
    after: u64,
    up_to: u64,
    limit: usize,
) -> Result<Vec<Event>, StoreError> {
    let mut select = conn.prepare_cached(&format!(
        "{} WHERE journal.id BETWEEN ? AND ? ORDER BY journal.id LIMIT ?",
        row::SELECT
    ))?;
    let first = first_after(conn, session, after)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = select.query([first, place(session, up_to), limit])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        events.extend(lenient(row, after, up_to)?);
    }
    Ok(events)
}

/// The event that has this number, or that stands for it too.
pub(crate) fn event_at(
    conn: &Connection,
    session: i64,
    seq: u64,
) -> Result<Option<Event>, StoreError> {
    let id = first_after(conn, session, seq.saturating_sub(1))?;
    by_id(conn, id)
}

/// The newest event about something, by its id.
pub(crate) fn newest_about(
    conn: &Connection,
    session: i64,
    about: &str,
) -> Result<Option<Event>, StoreError> {
    let id = conn
        .prepare_cached(
            "SELECT id FROM journal WHERE ref = ? AND id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
        )?
        .query_row(
            params![about, place(session, 0), place(session, u64::MAX)],
            |row| row.get::<_, i64>(0),
        )
        .optional()?;
    match id {
        Some(id) => by_id(conn, id),
        None => Ok(None),
    }
}

/// The number of the first event about something, by its id.
pub(crate) fn first_about(
    conn: &Connection,
    session: i64,
    about: &str,
) -> Result<Option<u64>, StoreError> {
    let id: Option<i64> = conn
        .prepare_cached("SELECT min(id) FROM journal WHERE ref = ? AND id BETWEEN ? AND ?")?
        .query_row(
            params![about, place(session, 0), place(session, u64::MAX)],
            |row| row.get(0),
        )?;
    Ok(id.map(seq_of))
}

/// The row with this id, whole.
pub(super) fn by_id(conn: &Connection, id: i64) -> Result<Option<Event>, StoreError> {
    let mut select = conn.prepare_cached(&format!("{} WHERE journal.id = ?", row::SELECT))?;
    let mut rows = select.query([id])?;
    match rows.next()? {
        Some(row) => lenient(row, 0, u64::MAX),
        None => Ok(None),
    }
}

/// The row that holds the next number, or where it would be.
pub(super) fn first_after(conn: &Connection, session: i64, after: u64) -> Result<i64, StoreError> {
    let holding = conn
        .prepare_cached(
            "SELECT id, through FROM journal WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
        )?
        .query_row([place(session, 0), place(session, after)], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?.cast_unsigned()))
        })
        .optional()?;
    Ok(match holding {
        Some((id, through)) if through > after => id,
        _ => place(session, after.saturating_add(1)),
    })
}

/// A row that cannot be read is shown as what it is: one odd row must not hide the others.
pub(super) fn lenient(
    row: &rusqlite::Row<'_>,
    after: u64,
    up_to: u64,
) -> Result<Option<Event>, StoreError> {
    match row::event(row, after, up_to) {
        Err(StoreError::Unreadable(why)) => {
            let seq = seq_of(row.get(0)?).max(after.saturating_add(1));
            let through = row.get::<_, i64>(1)?.cast_unsigned().min(up_to);
            let kept: String = row.get(8).unwrap_or_default();
            Ok(Some(Event {
                seq,
                through: (through > seq).then_some(through),
                at: row.get(2).unwrap_or_default(),
                session_id: row.get(6).unwrap_or_default(),
                parent_tool_call_id: row.get(5).unwrap_or_default(),
                body: EventBody::Unrecognized {
                    raw: format!("{kept} ({why})"),
                },
            }))
        }
        other => other,
    }
}

/// The number of the last event, 0 when there is none.
pub(crate) fn last_seq(conn: &Connection, session: i64) -> Result<u64, StoreError> {
    let last = conn
        .prepare_cached(
            "SELECT through FROM journal WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
        )?
        .query_row([place(session, 0), place(session, u64::MAX)], |row| {
            row.get::<_, i64>(0)
        })
        .optional()?;
    Ok(last.map_or(0, i64::cast_unsigned))
}

/// A row as it stands in a file that may be damaged.
pub(crate) struct Raw {
    pub session: i64,
    pub event: Event,
    /// The key of the CLI's session id.
    pub cli: Option<i64>,
}

/// The row with this id, without a look at another table.
pub(crate) fn raw(conn: &Connection, id: i64) -> Result<Raw, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT id, through, at, type, ref, parent, NULL, pieces, body, cli FROM journal WHERE id = ?",
    )?;
    let mut rows = select.query([id])?;
    let row = rows
        .next()?
        .ok_or_else(|| StoreError::Damaged(format!("row {id}")))?;
    let event = lenient(row, 0, u64::MAX)?;
    let mut event = event.ok_or_else(|| StoreError::Damaged(format!("row {id}")))?;
    // A number may be damaged too: a text stands for as many events as it has pieces.
    let pieces = row.get_ref(7)?.as_blob_or_null().ok().flatten();
    let most = event.seq + pieces.map_or(0, |pieces| pieces.len() as u64);
    match &event.body {
        EventBody::Notice { kind, .. } if kind == "lost" => {}
        _ => event.through = event.through.map(|through| through.min(most)),
    }
    Ok(Raw {
        session: id >> super::NUMBERS,
        event,
        cli: row.get(9)?,
    })
}

/// The CLI's session id with this key.
pub(crate) fn cli_id(conn: &Connection, key: i64) -> Result<Option<String>, StoreError> {
    let mut select = conn.prepare_cached("SELECT id FROM cli_ids WHERE key = ?")?;
    Ok(select.query_row([key], |row| row.get(0)).optional()?)
}
