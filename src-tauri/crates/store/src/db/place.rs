//! Whether the file that a connection writes is still the one that its path names. SQLite goes on writing to one that was
//! removed or replaced, and all of that is gone when the program ends.

use std::path::{Path, PathBuf};

use crate::StoreError;

/// The file as it was when it was opened.
pub(crate) struct Place {
    path: PathBuf,
    file: Option<Identity>,
}

/// Device and number of a file. None where the system does not let an open file be removed.
type Identity = (u64, u64);

impl Place {
    pub fn of(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            file: identity(path),
        }
    }

    /// # Errors
    /// [`StoreError::Gone`] when the path names no file or another one.
    pub fn is_held(&self) -> Result<(), StoreError> {
        match self.file.is_none() || self.file == identity(&self.path) {
            true => Ok(()),
            false => Err(StoreError::Gone),
        }
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<Identity> {
    None
}
