//! What can still be read from a damaged database is taken over into a new one.
//!
//! Works on a copy. Rows are read as far as that goes, and behind a place that cannot be read the next one is looked for. If
//! the beginning of the file is damaged, that of a new database of the same version is tried in its place. The indexes are
//! made anew, so damage there loses nothing.

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use kandev_transcript::{Emitted, Event, EventBody};
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use serde_json::json;

use crate::db::{self, PAGE, migrations};
use crate::journal::{self, Origin, Raw};
use crate::opening::beside;
use crate::{Source, StoreError, StoredSession, registry};

/// What was taken over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Salvaged {
    pub sessions: usize,
    pub events: u64,
    /// Some of it could not be read.
    pub lost: bool,
}

/// The head of a database file, in bytes.
const HEAD: usize = 100;
/// How many events share a transaction.
const TOGETHER: usize = 1_024;

/// Takes over from the file that was set `aside` what can be read.
pub(crate) fn take_over(aside: &Path, into: &mut Connection) -> Salvaged {
    let nothing = Salvaged {
        lost: aside.is_dir() || fs::metadata(aside).is_ok_and(|file| file.len() > 0),
        ..Salvaged::default()
    };
    // Reading a pipe would wait for somebody to write into it.
    if !aside.is_file() {
        return nothing;
    }
    let copy = beside(aside, ".copy");
    let salvaged = readable(aside, &copy)
        .and_then(|from| take(&from, into))
        .unwrap_or(nothing);
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(beside(&copy, ending));
    }
    salvaged
}

/// A copy of the damaged file of which at least the tables can be found.
fn readable(aside: &Path, copy: &Path) -> Result<Connection, StoreError> {
    let page = first_page(copy)?;
    let mut last = StoreError::Damaged("it is no database".to_owned());
    for replaced in [0, HEAD, PAGE] {
        fs::copy(aside, copy)?;
        let log = beside(aside, "-wal");
        if log.exists() {
            fs::copy(log, beside(copy, "-wal"))?;
        }
        if replaced > 0 {
            replace(copy, page.get(..replaced).unwrap_or(&page))?;
        }
        match tables(copy) {
            Ok(conn) => return Ok(conn),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The first page of a database of this version that has nothing in it.
fn first_page(copy: &Path) -> Result<Vec<u8>, StoreError> {
    let path = beside(copy, ".fresh");
    let mut conn = db::open_file(&path)?;
    migrations::migrate(&mut conn, migrations::STEPS)?;
    // With the last connection the log goes into the file.
    drop(conn);
    let bytes = fs::read(&path);
    fs::remove_file(&path)?;
    let mut bytes = bytes?;
    bytes.truncate(PAGE);
    Ok(bytes)
}

fn replace(copy: &Path, head: &[u8]) -> Result<(), StoreError> {
    let mut file = OpenOptions::new().write(true).open(copy)?;
    let pages = u32::try_from(file.metadata()?.len() / PAGE as u64).unwrap_or(u32::MAX);
    file.write_all(head)?;
    // The size in pages, no free pages, and that both are meant.
    for (at, number) in [(28, pages), (32, 0), (36, 0), (24, 1), (92, 1)] {
        file.seek(SeekFrom::Start(at))?;
        file.write_all(&number.to_be_bytes())?;
    }
    Ok(())
}

fn tables(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    // An entry of the list of tables that cannot be read does not hide the others.
    conn.pragma_update(None, "writable_schema", true)?;
    conn.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE name IN ('sessions', 'journal')",
        [],
        |row| row.get::<_, i64>(0),
    )
    .map_err(StoreError::from)
    .and_then(|tables| match tables {
        2 => Ok(conn),
        _ => Err(StoreError::Damaged("it has not our tables".to_owned())),
    })
}

fn take(from: &Connection, into: &mut Connection) -> Result<Salvaged, StoreError> {
    let mut salvaged = Salvaged::default();
    let tx = into.transaction()?;
    walk(from, "sessions", "key", &mut salvaged.lost, |key| {
        let row = registry::by_stored_key(from, key)?;
        registry::insert(&tx, &row)?;
        // The journal's rows name it by its key.
        tx.execute("UPDATE sessions SET key = ? WHERE id = ?", (key, row.id))?;
        Ok(())
    })?;
    tx.commit()?;
    let mut waiting = Vec::new();
    let mut lost = false;
    walk(from, "journal", "id", &mut lost, |id| {
        let raw = journal::raw(from, id)?;
        if waiting.len() == TOGETHER {
            salvaged.events += keep(from, into, &waiting)?;
            waiting.clear();
        }
        waiting.push(raw);
        Ok(())
    })?;
    salvaged.events += keep(from, into, &waiting)?;
    salvaged.lost |= lost;
    salvaged.sessions = into.query_row("SELECT count(*) FROM sessions", [], |row| {
        row.get::<_, i64>(0)
            .map(|count| usize::try_from(count).unwrap_or_default())
    })?;
    Ok(salvaged)
}

/// Visits the rows of a table that can be read, in order.
fn walk(
    from: &Connection,
    table: &str,
    column: &str,
    lost: &mut bool,
    mut visit: impl FnMut(i64) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let next = |after: i64| -> Result<Option<i64>, StoreError> {
        let sql =
            format!("SELECT {column} FROM {table} WHERE {column} > ? ORDER BY {column} LIMIT 1");
        let found = from
            .prepare_cached(&sql)?
            .query_row([after], |row| row.get(0))
            .optional()?;
        match found {
            // Pages that are mixed up can lead in a circle.
            Some(id) if id <= after => Err(StoreError::Damaged(format!("{id} follows {after}"))),
            found => Ok(found),
        }
    };
    let mut at = 0;
    loop {
        match next(at) {
            Ok(Some(id)) => {
                at = id;
                match visit(id) {
                    Err(StoreError::Damaged(_) | StoreError::Unreadable(_)) => *lost = true,
                    other => other?,
                }
            }
            Ok(None) => return Ok(()),
            Err(_) => {
                *lost = true;
                let Some(beyond) = beyond(at, &next) else {
                    return Ok(());
                };
                at = beyond;
            }
        }
    }
}

/// The first place after this one behind which a row can be read.
fn beyond(at: i64, next: &impl Fn(i64) -> Result<Option<i64>, StoreError>) -> Option<i64> {
    let mut bad = at;
    let mut good = (0..62)
        .map(|power| at.saturating_add(1 << power))
        .find(|place| next(*place).is_ok())?;
    while good - bad > 1 {
        let middle = bad + (good - bad) / 2;
        match next(middle) {
            Ok(_) => good = middle,
            Err(_) => bad = middle,
        }
    }
    Some(good)
}

/// Adds events to their journals. Gives how many rows that were.
fn keep(from: &Connection, into: &mut Connection, rows: &[Raw]) -> Result<u64, StoreError> {
    let tx = into.transaction()?;
    for of_session in rows.chunk_by(|one, other| one.session == other.session) {
        let session = of_session[0].session;
        if registry::by_key(&tx, session).is_err() {
            nameless(&tx, session, &of_session[0].event)?;
        }
        let mut last = journal::last_seq(&tx, session)?;
        let mut events = Vec::with_capacity(of_session.len());
        for (at, Raw { event, cli, .. }) in of_session.iter().enumerate() {
            let mut event = event.clone();
            if let Some(next) = of_session.get(at + 1) {
                let before = next.event.seq.saturating_sub(1).max(event.seq);
                event.through = event.through.map(|through| through.min(before));
            }
            event.session_id = cli.and_then(|key| journal::cli_id(from, key).ok().flatten());
            if event.seq <= last {
                continue;
            }
            if event.seq > last + 1 {
                events.push(gap(last + 1, event.seq - 1, &event));
            }
            last = event.last_seq();
            events.push(event);
        }
        journal::append(&tx, session, &events, Origin::Live)?;
    }
    tx.commit()?;
    Ok(rows.len() as u64)
}

/// Stands for the events that are lost.
fn gap(first: u64, last: u64, next: &Event) -> Event {
    let emitted = Emitted {
        session_id: next.session_id.clone(),
        parent_tool_call_id: None,
        body: EventBody::Notice {
            kind: "lost".to_owned(),
            text: "A part of the conversation could not be read from the damaged database."
                .to_owned(),
            data: json!({ "first_seq": first, "last_seq": last }),
        },
    };
    let mut event = Event::new(first, next.at.clone(), emitted);
    event.through = (last > first).then_some(last);
    event
}

/// A row for a journal whose own row is lost.
fn nameless(tx: &Connection, session: i64, first: &Event) -> Result<(), StoreError> {
    let row = StoredSession {
        cli_session_id: first.session_id.clone(),
        title: "Recovered session".to_owned(),
        titled: true,
        policy: Some(kandev_session::Policy::default()),
        problem: Some("What was known of this session was lost with a damaged database; what was said is here.".to_owned()),
..StoredSession::bare(uuid::Uuid::new_v4().to_string(), Source::Kandev, &first.at)
};
    registry::insert(tx, &row)?;
    tx.execute(
        "UPDATE sessions SET key = ? WHERE id = ?",
        (session, row.id),
    )?;
    Ok(())
}
