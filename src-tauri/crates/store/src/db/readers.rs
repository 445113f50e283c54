//! The connections that read. Each sees the database as it was when its statement began, whatever is written meanwhile.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::BUSY;
use crate::StoreError;

/// So many are kept for the next reader.
const KEPT: usize = 4;

pub(crate) enum Readers {
    File {
        path: PathBuf,
        /// Nobody can change it.
        still: bool,
        idle: Mutex<Vec<Connection>>,
    },
    One(Arc<Mutex<Connection>>),
    None,
}

impl Readers {
    pub fn of_file(path: &Path) -> Self {
        Self::file(path, false)
    }

    pub fn of_still_file(path: &Path) -> Self {
        Self::file(path, true)
    }

    fn file(path: &Path, still: bool) -> Self {
        Self::File {
            path: path.to_owned(),
            still,
            idle: Mutex::default(),
        }
    }

    pub fn of_one(conn: Arc<Mutex<Connection>>) -> Self {
        Self::One(conn)
    }

    /// Reads within one view of the database.
    pub fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self {
            Self::None => Err(StoreError::Closed),
            Self::One(conn) => read(&conn.lock().unwrap_or_else(PoisonError::into_inner)),
            Self::File { path, still, idle } => {
                let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let conn = match kept {
                    Some(conn) => conn,
                    None if *still => open_still(path)?,
                    None => open(path)?,
                };
                let tx = conn.unchecked_transaction()?;
                let answer = read(&tx);
                tx.finish()?;
                let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
                if idle.len() < KEPT {
                    idle.push(conn);
                }
                answer
            }
        }
    }

    pub fn close(&self) {
        if let Self::File { idle, .. } = self {
            idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }
}

pub(crate) fn open(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    set_up(Connection::open_with_flags(path, flags)?)
}

/// Looks at the file alone, and trusts that it does not change.
pub(crate) fn open_still(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let uri = format!("file:{}?immutable=1", escaped(path));
    set_up(Connection::open_with_flags(uri, flags)?)
}

fn set_up(conn: Connection) -> Result<Connection, StoreError> {
    conn.busy_timeout(Duration::from_millis(BUSY))?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok(conn)
}

/// A path as a part of a URI; on Windows it begins at its drive.
fn escaped(path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "/");
    let mut uri = String::with_capacity(path.len() + 1);
    if path.as_bytes().get(1) == Some(&b':') {
        uri.push('/');
    }
    for letter in path.chars() {
        match letter {
            '%' => uri.push_str("%25"),
            '?' => uri.push_str("%3f"),
            '#' => uri.push_str("%23"),
            other => uri.push(other),
        }
    }
    uri
}
