//! The tables of the search, and what is done to them.
//!
//! A row of `search_texts` is a text, or a piece of one, with its place. Its number grows with the time at which it was
//! said, so the indexes give the newest first without sorting. `search_long` knows every three characters that follow each
//! other, `search_short` the words that are shorter. Nothing here is precious: it can all be made again.

use rusqlite::{Connection, OptionalExtension, params};

use super::fold::one_line;
use super::gather::Step;
use super::passage::{HitKind, Passage};
use super::short;
use crate::StoreError;

/// The step of this room in `db::migrations`.
pub(crate) const TABLES: &str = "
CREATE TABLE search_sessions (
    no INTEGER PRIMARY KEY,
    -- As in `sessions`, or the CLI's own; null once its texts are to go.
    id TEXT UNIQUE,
    -- The number up to which the journal was taken in.
    through INTEGER NOT NULL DEFAULT 0,
    -- Of a file of the CLI: how it was when it was taken in to its end, the steps taken, and a sum over them.
    mark TEXT,
    steps INTEGER NOT NULL DEFAULT 0,
    sum INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE search_texts (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    of TEXT,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX search_texts_seq ON search_texts (session, seq);
CREATE INDEX search_texts_of ON search_texts (session, of) WHERE of IS NOT NULL;
CREATE VIRTUAL TABLE search_long USING fts5
    (text, content = 'search_texts', content_rowid = 'id', columnsize = 0, tokenize = 'trigram');
CREATE VIRTUAL TABLE search_short USING fts5
    (tokens, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
";

/// Bytes of one row. A longer text is several, which overlap so that a word at the seam is in one of them.
const PIECE: usize = 16 * 1024;
const OVERLAP: usize = 256;
/// Numbers for one second. Beyond so many, a row counts as one of a little later.
const PER_SECOND: i64 = 16;

// The sign keeps SQLite from the index by number, along which it would read all of the session.
const OF_MESSAGE: &str =
    "SELECT id, text FROM search_texts WHERE session = ?1 AND of = ?2 AND +seq < ?3";
const FIRST_OF: &str =
    "SELECT min(+seq) FROM search_texts WHERE session = ?1 AND of = ?2 AND kind = ?3";

/// How far a session was taken in.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Reached {
    pub no: i64,
    pub through: u64,
    pub mark: Option<String>,
    pub steps: u64,
    pub sum: i64,
}

pub(super) fn reached(conn: &Connection, id: &str) -> Result<Option<Reached>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT no, through, mark, steps, sum FROM search_sessions WHERE id = ?1",
    )?;
    let row = statement.query_row([id], |row| {
        Ok(Reached {
            no: row.get(0)?,
            through: row.get::<_, i64>(1)?.unsigned_abs(),
            mark: row.get(2)?,
            steps: row.get::<_, i64>(3)?.unsigned_abs(),
            sum: row.get(4)?,
        })
    });
    Ok(row.optional()?)
}

/// The number of a session here; it gets one if it has none.
pub(super) fn number(tx: &Connection, id: &str) -> Result<i64, StoreError> {
    tx.prepare_cached("INSERT OR IGNORE INTO search_sessions (id) VALUES (?1)")?
        .execute([id])?;
    let mut statement = tx.prepare_cached("SELECT no FROM search_sessions WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0))?)
}

pub(super) fn apply(tx: &Connection, session: i64, steps: &[Step]) -> Result<(), StoreError> {
    for step in steps {
        match step {
            Step::Put(passage) => put(tx, session, passage)?,
            Step::Forget { message_id, before } => {
                remove(tx, OF_MESSAGE, params![session, message_id, *before as i64])?;
            }
        }
    }
    Ok(())
}

/// The texts of a session are not found any more. They go when there is time.
pub(crate) fn forget(tx: &Connection, id: &str) -> Result<(), StoreError> {
    tx.prepare_cached("UPDATE search_sessions SET id = NULL WHERE id = ?1")?
        .execute([id])?;
    Ok(())
}

/// Removes some of the texts of a session that is to go, and the session with the last of them. True when nothing of it is
/// left.
pub(super) fn purge(tx: &Connection, session: i64, rows: usize) -> Result<bool, StoreError> {
    let gone = remove(
        tx,
        "SELECT id, text FROM search_texts WHERE session = ?1 LIMIT ?2",
        params![session, rows as i64],
    )?;
    if gone == rows {
        return Ok(false);
    }
    tx.execute("DELETE FROM search_sessions WHERE no = ?1", [session])?;
    Ok(true)
}

/// What was taken in already stays as it is.
fn put(tx: &Connection, session: i64, passage: &Passage) -> Result<(), StoreError> {
    let text = one_line(&passage.text);
    if text.is_empty() {
        return Ok(());
    }
    let mut seq = passage.seq as i64;
    if passage.replaces
        && let Some(first) = first_of(tx, session, passage)?
    {
        seq = first;
    }
    let mut statement = tx.prepare_cached(
        "SELECT id, text FROM search_texts WHERE session = ?1 AND seq = ?2 ORDER BY id",
    )?;
    let there = statement
        .query_map(params![session, seq], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<Vec<(i64, String)>, _>>()?;
    let pieces = pieces(&text);
    if !there.is_empty() {
        if there
            .iter()
            .map(|(_, text)| text.as_str())
            .eq(pieces.iter().copied())
        {
            return Ok(());
        }
        for (id, text) in there {
            remove_row(tx, id, &text)?;
        }
    }
    for piece in pieces {
        put_row(tx, session, seq, passage, piece)?;
    }
    Ok(())
}

fn first_of(tx: &Connection, session: i64, passage: &Passage) -> Result<Option<i64>, StoreError> {
    let mut statement = tx.prepare_cached(FIRST_OF)?;
    let first = statement.query_row(params![session, passage.of, passage.kind.word()], |row| {
        row.get(0)
    })?;
    Ok(first)
}

fn put_row(
    tx: &Connection,
    session: i64,
    seq: i64,
    passage: &Passage,
    text: &str,
) -> Result<(), StoreError> {
    let id = free_id(tx, &passage.at)?;
    tx.prepare_cached(
        "INSERT INTO search_texts (id, session, seq, kind, at, of, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![id, session, seq, passage.kind.word(), passage.at, passage.of, text])?;
    tx.prepare_cached("INSERT INTO search_long (rowid, text) VALUES (?1, ?2)")?
        .execute(params![id, text])?;
    tx.prepare_cached("INSERT INTO search_short (rowid, tokens) VALUES (?1, ?2)")?
        .execute(params![id, short::tokens(text)])?;
    Ok(())
}

/// Removes the rows that a query for id and text gives; how many they were.
fn remove(
    tx: &Connection,
    which: &str,
    params: impl rusqlite::Params,
) -> Result<usize, StoreError> {
    let mut statement = tx.prepare_cached(which)?;
    let rows = statement
        .query_map(params, |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<Vec<(i64, String)>, _>>()?;
    for (id, text) in &rows {
        remove_row(tx, *id, text)?;
    }
    Ok(rows.len())
}

fn remove_row(tx: &Connection, id: i64, text: &str) -> Result<(), StoreError> {
    tx.prepare_cached(
        "INSERT INTO search_long (search_long, rowid, text) VALUES ('delete', ?1, ?2)",
    )?
    .execute(params![id, text])?;
    tx.prepare_cached(
        "INSERT INTO search_short (search_short, rowid, tokens) VALUES ('delete', ?1, ?2)",
    )?
    .execute(params![id, short::tokens(text)])?;
    tx.prepare_cached("DELETE FROM search_texts WHERE id = ?1")?
        .execute([id])?;
    Ok(())
}

/// A number that is free, at this time or soon after it.
fn free_id(tx: &Connection, at: &str) -> Result<i64, StoreError> {
    let second = at
        .parse::<jiff::Timestamp>()
        .map_or(0, jiff::Timestamp::as_second);
    let mut id = second.max(0) * PER_SECOND + 1;
    let mut width = PER_SECOND - 1;
    let mut statement =
        tx.prepare_cached("SELECT max(id) FROM search_texts WHERE id BETWEEN ?1 AND ?2")?;
    while let Some(taken) =
        statement.query_row([id, id + width], |row| row.get::<_, Option<i64>>(0))?
    {
        id = taken + 1;
        // A thousand texts of one second are passed in a few steps.
        width = (width * 4).min(1 << 16);
    }
    Ok(id)
}

fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut from = 0;
    while text.len() - from > PIECE {
        let end = text.floor_char_boundary(from + PIECE);
        pieces.push(&text[from..end]);
        from = text.floor_char_boundary(end - OVERLAP);
    }
    pieces.push(&text[from..]);
    pieces
}

/// The kind that stands in a row.
pub(super) fn kind(word: &str) -> HitKind {
    HitKind::of_word(word)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_a_message_or_a_call_has_is_found_without_reading_the_session() {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(TABLES).unwrap();
        for query in [OF_MESSAGE, FIRST_OF] {
            let plan: String = conn
                .prepare(&format!("EXPLAIN QUERY PLAN {query}"))
                .unwrap()
                .query_row(params![1, "of", "x"], |row| row.get("detail"))
                .unwrap();
            assert!(plan.contains("search_texts_of"), "{query}: {plan}");
        }
    }
}
