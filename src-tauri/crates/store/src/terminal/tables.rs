//! What is known of the CLI's files, so that an unchanged one is not read again.

use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};

use super::catalogue::SessionFile;
use super::glance::Glance;
use crate::StoreError;

/// The step of this room in `db::migrations`.
///
/// `cli_files`: a session's file as it was when its ends were read. `cli_imports`: how much of a file is in the journal of
/// the session that has its id; `size` is -1 while that is not complete. `cli_titles`: what a row of `sessions` is called
/// after its file, so that a name that a person gave here is known as one.
pub(crate) const TABLES: &str = "
CREATE TABLE cli_files (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    session TEXT NOT NULL,
    title TEXT NOT NULL,
    cwd TEXT NOT NULL,
    glance TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX cli_files_session ON cli_files (session);
CREATE TABLE cli_imports (
    session TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    agents INTEGER NOT NULL,
    over INTEGER NOT NULL,
    events INTEGER NOT NULL,
    print INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE cli_titles (
    session TEXT PRIMARY KEY,
    title TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// A file whose ends were read.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub size: u64,
    pub changed: i64,
    pub glance: Glance,
}

/// All files by their paths.
pub(crate) fn known(conn: &Connection) -> Result<Vec<(PathBuf, Known)>, StoreError> {
    let mut select = conn.prepare_cached("SELECT path, size, changed, glance FROM cli_files")?;
    let mut rows = select.query([])?;
    let mut known = Vec::new();
    while let Some(row) = rows.next()? {
        let path: String = row.get(0)?;
        let glance = row.get_ref(3)?.as_str().unwrap_or_default();
        // What another version wrote is read from the file again.
        if let Ok(glance) = serde_json::from_str::<Glance>(glance)
            && glance.made != 0
        {
            let file = Known {
                size: row.get::<_, i64>(1)?.cast_unsigned(),
                changed: row.get(2)?,
                glance,
            };
            known.push((PathBuf::from(path), file));
        }
    }
    Ok(known)
}

/// Keeps what was read of files, and forgets those that are gone.
pub(super) fn keep(
    tx: &Connection,
    read: &[Arc<SessionFile>],
    gone: &[PathBuf],
) -> Result<(), StoreError> {
    let mut insert = tx.prepare_cached(
        "INSERT OR REPLACE INTO cli_files (path, size, changed, session, title, cwd, glance)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    for file in read {
        let SessionFile { listed, id, glance } = &**file;
        let Some(path) = listed.path.to_str() else {
            continue;
        };
        insert.execute(params![
            path,
            listed.size.cast_signed(),
            listed.changed,
            id,
            glance.title().unwrap_or_default(),
            glance.cwd.as_deref().unwrap_or_default(),
            serde_json::to_string(glance)?,
        ])?;
    }
    let mut delete = tx.prepare_cached("DELETE FROM cli_files WHERE path = ?")?;
    for path in gone.iter().filter_map(|path| path.to_str()) {
        delete.execute([path])?;
    }
    Ok(())
}

/// A session's files at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Bytes; -1 for files that were not read to their ends.
    pub size: i64,
    pub changed: i64,
    /// Stands for the files of its subagents.
    pub agents: i64,
}

impl Mark {
    pub const UNFINISHED: Self = Self {
        size: -1,
        changed: 0,
        agents: 0,
    };
}

/// How much of a session's files is in its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Imported {
    pub mark: Mark,
    /// What was open at the end was closed.
    pub over: bool,
    pub events: u64,
    /// Of all events.
    pub print: i64,
}

pub(crate) fn imported(conn: &Connection, session: &str) -> Result<Option<Imported>, StoreError> {
    let sql =
        "SELECT size, changed, agents, over, events, print FROM cli_imports WHERE session = ?";
    let imported = conn.prepare_cached(sql)?.query_row([session], |row| {
        Ok(Imported {
            mark: Mark {
                size: row.get(0)?,
                changed: row.get(1)?,
                agents: row.get(2)?,
            },
            over: row.get(3)?,
            events: row.get::<_, i64>(4)?.cast_unsigned(),
            print: row.get(5)?,
        })
    });
    Ok(imported.optional()?)
}

pub(crate) fn set_imported(
    tx: &Connection,
    session: &str,
    imported: Imported,
) -> Result<(), StoreError> {
    let Imported {
        mark,
        over,
        events,
        print,
    } = imported;
    tx.prepare_cached(
        "INSERT OR REPLACE INTO cli_imports (session, size, changed, agents, over, events, print)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![
        session,
        mark.size,
        mark.changed,
        mark.agents,
        over,
        events.cast_signed(),
        print
    ])?;
    Ok(())
}

/// Calls a row what its file is called, unless a person has given it another name here.
pub(crate) fn title_of_file(tx: &Connection, session: &str, title: &str) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE sessions SET title = ?2 WHERE id = ?1
         AND title = (SELECT title FROM cli_titles WHERE session = ?1)",
        [session, title],
    )?;
    let sql = "INSERT OR REPLACE INTO cli_titles (session, title) VALUES (?, ?)";
    tx.prepare_cached(sql)?.execute([session, title])?;
    Ok(())
}

pub(crate) fn forget_import(tx: &Connection, session: &str) -> Result<(), StoreError> {
    tx.execute("DELETE FROM cli_imports WHERE session = ?", [session])?;
    tx.execute("DELETE FROM cli_titles WHERE session = ?", [session])?;
    Ok(())
}
