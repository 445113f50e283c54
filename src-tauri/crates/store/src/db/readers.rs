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
        idle: Mutex<Vec<Connection>>,
    },
    One(Arc<Mutex<Connection>>),
}

impl Readers {
    pub fn of_file(path: &Path) -> Self {
        Self::File {
            path: path.to_owned(),
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
            Self::One(conn) => read(&conn.lock().unwrap_or_else(PoisonError::into_inner)),
            Self::File { path, idle } => {
                let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let conn = match kept {
                    Some(conn) => conn,
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

fn open(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(Duration::from_millis(BUSY))?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok(conn)
}
