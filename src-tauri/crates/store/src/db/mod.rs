//! The connections: one that writes, on a thread of its own, and a few that read.

pub(crate) mod migrations;
mod place;
pub(crate) mod readers;
mod writer;

use std::path::Path;
use std::sync::{Arc, Mutex};

use rusqlite::{Connection, OpenFlags};

use crate::StoreError;
use place::Place;
pub(crate) use readers::Readers;
pub(crate) use writer::Writer;

/// How long a transaction waits for that of another process, in milliseconds.
const BUSY: u64 = 5_000;
/// The size of a page, in bytes. Events are larger than most rows.
pub(crate) const PAGE: usize = 8_192;
/// From so many pages in the write-ahead log on, a commit moves them into the file; fewer wait until nobody writes.
const CHECKPOINT_PAGES: u32 = 8_000;
/// What a transaction may change without writing before it is committed, in KiB.
const CACHE: i64 = 16_384;

pub(crate) struct Db {
    pub readers: Readers,
    pub writer: Writer,
    /// What is written outlives the program.
    pub lasts: bool,
}

impl Db {
    /// Takes a connection that is set up and migrated. Readers of a file open it again; a database in memory has the one
    /// connection for all.
    pub fn new(conn: Connection, file: Option<&Path>) -> Self {
        let conn = Arc::new(Mutex::new(conn));
        let readers = match file {
            Some(path) => Readers::of_file(path),
            None => Readers::of_one(Arc::clone(&conn)),
        };
        Self {
            readers,
            writer: Writer::spawn(conn, file.map(Place::of)),
            lasts: file.is_some(),
        }
    }

    /// One that answers everything with `Closed`: not even memory can be had.
    pub fn none() -> Self {
        Self {
            readers: Readers::None,
            writer: Writer::none(),
            lasts: false,
        }
    }

    /// One that refuses to be written.
    pub fn read_only(conn: Connection, readers: Readers) -> Self {
        Self {
            readers,
            writer: Writer::spawn(Arc::new(Mutex::new(conn)), None),
            lasts: false,
        }
    }
}

/// Opens the file to write it, and makes it when there is none.
pub(crate) fn open_file(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(std::time::Duration::from_millis(BUSY))?;
    // Has a meaning for a file that begins, before it has a log.
    conn.pragma_update(None, "page_size", PAGE as i64)?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    set_up(&conn)?;
    conn.pragma_update(None, "cache_size", -CACHE)?;
    conn.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    Ok(conn)
}

/// Opens a file that can only be read. Without the files beside it that a reader shares with a writer, it is read as it
/// stands there.
pub(crate) fn open_read_only(path: &Path) -> Result<(Connection, Readers), StoreError> {
    let shared = readers::open(path).and_then(|conn| {
        conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok((conn, Readers::of_file(path)))
    });
    shared.or_else(|_| {
        let conn = readers::open_still(path)?;
        conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok((conn, Readers::of_still_file(path)))
    })
}

pub(crate) fn open_memory() -> Result<Connection, StoreError> {
    let conn = Connection::open_in_memory()?;
    set_up(&conn)?;
    Ok(conn)
}

fn set_up(conn: &Connection) -> Result<(), StoreError> {
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok(())
}
