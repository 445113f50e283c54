//! What can go wrong between a journal and a disk.

use rusqlite::ErrorCode;

/// Why something could not be kept or read. Cloned to everyone who waited for the same transaction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error("the disk is full")]
    Full,
    #[error("the database cannot be written: {0}")]
    ReadOnly(String),
    #[error(
        "the database was removed or replaced while it was in use; a new start makes a new one"
    )]
    Gone,
    #[error("another program is writing to the database and does not stop")]
    Busy,
    #[error("the database is damaged: {0}")]
    Damaged(String),
    #[error("it was written by a newer version of this app, which is needed to open it")]
    Newer,
    #[error("no session `{0}`")]
    NoSuchSession(String),
    #[error("the journal ends at {last}, so event {next} cannot follow")]
    Gap { last: u64, next: u64 },
    #[error("another program writes this session: it is {0}")]
    Taken(String),
    #[error("what is stored there cannot be read: {0}")]
    Unreadable(String),
    #[error("the database is closed")]
    Closed,
    #[error("{0}")]
    Other(String),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error;
        let text = error.to_string();
        if let Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::Utf8Error(..)
        | Error::InvalidColumnType(..) = error
        {
            return Self::Unreadable(text);
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::ReadOnly(text)
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(text),
            _ => Self::Other(text),
        }
    }
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::Full,
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly(error.to_string())
            }
            _ => Self::Other(error.to_string()),
        }
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}
