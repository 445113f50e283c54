//! Parts of a journal: what a window shows, and what it asks for when somebody scrolls.
//!
//! A part is cut where a turn begins if that is near, and its cost follows its size, not the journal's.

use kandev_transcript::Event;
use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::row::PROMPT;
use super::{place, read, seq_of, standing};
use crate::{Store, StoreError, registry};

/// A part holds no more than this, in bytes, unless one event alone does.
const LARGEST: u64 = 4 << 20;

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
    /// How many turns ended before it.
    #[specta(type = specta_typescript::Number)]
    pub turns_before: u64,
}

impl Store {
    /// The part of the journal with which a session is opened: about `rows` of its rows, at its end or around an event.
    ///
    /// # Errors
    /// As [`Store::events_after`].
    pub fn open_at(&self, id: &str, at: At, rows: usize) -> Result<Slice, StoreError> {
        self.read(|conn| {
            let session = registry::key(conn, id)?;
            match at {
                At::End => {
                    let from = backwards(conn, session, u64::MAX, rows)?;
                    slice(conn, session, from, u64::MAX)
                }
                At::Around(seq) => {
                    let from = backwards(conn, session, seq.saturating_add(1), rows / 2 + 1)?;
                    let through = forwards(conn, session, seq, rows / 2 + 1)?;
                    slice(conn, session, from, through)
                }
            }
        })
    }

    /// The part that ends before this number.
    ///
    /// # Errors
    /// As [`Store::events_after`].
    pub fn before(&self, id: &str, seq: u64, rows: usize) -> Result<Slice, StoreError> {
        self.read(|conn| {
            let session = registry::key(conn, id)?;
            let from = backwards(conn, session, seq, rows)?;
            slice(conn, session, from, seq.saturating_sub(1))
        })
    }

    /// The part that begins after this number.
    ///
    /// # Errors
    /// As [`Store::events_after`].
    pub fn after(&self, id: &str, seq: u64, rows: usize) -> Result<Slice, StoreError> {
        self.read(|conn| {
            let session = registry::key(conn, id)?;
            let through = forwards(conn, session, seq, rows)?;
            slice(conn, session, seq.saturating_add(1), through)
        })
    }
}

struct Step {
    seq: u64,
    through: u64,
    prompt: bool,
}

/// Rows from one on, as far as they fit, at most `limit`.
fn steps(
    conn: &Connection,
    sql: &str,
    range: [i64; 2],
    limit: usize,
) -> Result<Vec<Step>, StoreError> {
    let mut select = conn.prepare_cached(sql)?;
    let mut rows = select.query(range)?;
    let (mut steps, mut bytes) = (Vec::new(), 0u64);
    while let Some(row) = rows.next()? {
        bytes = bytes.saturating_add(row.get::<_, i64>(3)?.cast_unsigned());
        if steps.len() == limit || (bytes > LARGEST && !steps.is_empty()) {
            break;
        }
        let mark = row.get_ref(2)?.as_str().unwrap_or_default();
        steps.push(Step {
            seq: seq_of(row.get(0)?),
            through: row.get::<_, i64>(1)?.cast_unsigned(),
            prompt: mark == PROMPT,
        });
    }
    Ok(steps)
}

/// Where a part of about `rows` rows begins that ends before `end`.
fn backwards(conn: &Connection, session: i64, end: u64, rows: usize) -> Result<u64, StoreError> {
    let rows = rows.max(1);
    let range = [place(session, 0), place(session, end.saturating_sub(1))];
    let steps = steps(
        conn,
        "SELECT id, through, mark, octet_length(body) FROM journal WHERE id BETWEEN ? AND ? ORDER BY id DESC",
        range,
        rows * 2,
    )?;
    // The prompt that is nearest to the wish, if it leaves at least half of it.
    let wish = rows.min(steps.len()).saturating_sub(1);
    let near = steps
        .iter()
        .enumerate()
        .filter(|(at, step)| step.prompt && at + 1 >= rows.div_ceil(2))
        .min_by_key(|(at, _)| at.abs_diff(wish));
    let chosen = near.map(|(_, step)| step).or_else(|| steps.get(wish));
    Ok(chosen.map_or(1, |step| step.seq))
}

/// Where a part of about `rows` rows ends that begins after `after`.
fn forwards(conn: &Connection, session: i64, after: u64, rows: usize) -> Result<u64, StoreError> {
    let rows = rows.max(1);
    let first = read::first_after(conn, session, after)?;
    let steps = steps(
        conn,
        "SELECT id, through, mark, octet_length(body) FROM journal WHERE id BETWEEN ? AND ? ORDER BY id",
        [first, place(session, u64::MAX)],
        rows * 2,
    )?;
    let wish = rows.min(steps.len());
    // A part ends before a prompt.
    let near = (1..steps.len())
        .filter(|at| steps[*at].prompt && *at >= rows.div_ceil(2))
        .min_by_key(|at| at.abs_diff(wish));
    let end = near.unwrap_or(wish);
    Ok(end
        .checked_sub(1)
        .and_then(|last| steps.get(last))
        .map_or(after, |step| step.through))
}

fn slice(conn: &Connection, session: i64, from: u64, through: u64) -> Result<Slice, StoreError> {
    let events = read::events(conn, session, from.saturating_sub(1), through, usize::MAX)?;
    let last = read::last_seq(conn, session)?;
    let from = events
        .first()
        .map_or(from.min(last.saturating_add(1)), |event| event.seq);
    let through = events.last().map_or(from - 1, Event::last_seq);
    let before = conn
        .prepare_cached(
            "SELECT turn FROM journal WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
        )?
        .query_row([place(session, 0), place(session, from) - 1], |row| {
            row.get::<_, i64>(0)
        })
        .optional()?;
    Ok(Slice {
        standing: standing::before(conn, session, from)?,
        events,
        from,
        through,
        earlier: before.is_some(),
        later: last > through,
        turns_before: before.map_or(0, i64::cast_unsigned),
    })
}
