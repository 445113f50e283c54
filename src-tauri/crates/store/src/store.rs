//! The handle on the database: cheap to clone, closes the file when the last clone goes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::watch;

use crate::db::Db;
use crate::search::Progress;
use crate::{Recorder, StoreError, opening};

/// The registry and the journals of one data folder.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    db: Db,
    data_dir: PathBuf,
    /// As other programs' changes are counted.
    seen: Mutex<i64>,
    changed: watch::Sender<u64>,
    indexing: Progress,
}

/// An open store, and what a person should know of how it was opened.
pub struct Opened {
    pub store: Store,
    /// Whole sentences: what is wrong, what was done about it, what it means.
    pub problems: Vec<String>,
}

impl Store {
    /// Opens the database in the app's data folder, `kandev.db`, and makes it when there is none. Never fails: a damaged
    /// file is set aside and what can be read of it is taken over, one that cannot be used at all is replaced by a database
    /// in memory, and either is said.
    pub fn open(data_dir: &Path) -> Opened {
        opening::open(data_dir)
    }

    /// The data folder of the app, unless it is told another.
    pub fn data_dir_default() -> Option<PathBuf> {
        Some(dirs::data_dir()?.join("dev.kandev.desktop"))
    }

    /// Where the database and what belongs to it are kept.
    pub fn data_dir(&self) -> &Path {
        &self.inner.data_dir
    }

    /// Whether what is written outlives the program. If not, why stands in [`Opened::problems`].
    pub fn lasts(&self) -> bool {
        self.inner.db.lasts
    }

    /// A number that grows whenever the registry changes.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.inner.changed.subscribe()
    }

    /// Whether another program has written to the database since this was asked last; if so, the registry counts as
    /// changed. Sessions that such a program has left behind are ended, which is written in its place and counts too.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn poll_others(&self) -> Result<bool, StoreError> {
        // It counts what others than this connection commit, and all that is written here goes through it.
        let version = self.write(|tx| {
            Ok(tx.pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0))?)
        })?;
        let mut seen = self
            .inner
            .seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *seen, version);
        drop(seen);
        let others = before != version && before != 0;
        if others {
            self.registry_changed();
        }
        let ended = self.recover()?;
        Ok(others || ended > 0)
    }

    /// Closes the file now, whoever still holds the store: what is asked of it after this is refused as closed. A program
    /// that ends without it leaves a file that is looked through when it is opened next.
    pub fn close(&self) {
        self.inner.close();
    }

    /// Follows living sessions and keeps what they say.
    pub fn recorder(&self) -> Recorder {
        Recorder::new(self.clone())
    }

    pub(crate) fn new(db: Db, data_dir: &Path) -> Self {
        Self {
            inner: Arc::new(Inner {
                db,
                data_dir: data_dir.to_owned(),
                seen: Mutex::default(),
                changed: watch::Sender::new(0),
                indexing: Progress::default(),
            }),
        }
    }

    /// How far the search is.
    pub(crate) fn indexing(&self) -> &Progress {
        &self.inner.indexing
    }

    pub(crate) fn registry_changed(&self) {
        self.inner.changed.send_modify(|version| *version += 1);
    }

    /// Reads within one view of the database.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.noted(self.inner.db.readers.read(read))
    }

    /// Writes within an IMMEDIATE transaction on the writer's thread and waits until it is committed. An error undoes what
    /// `write` did. It may not call the store itself.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.noted(self.inner.db.writer.write(write))
    }

    /// A file in which damage was met is looked through when it is opened next.
    fn noted<T>(&self, outcome: Result<T, StoreError>) -> Result<T, StoreError> {
        if matches!(outcome, Err(StoreError::Damaged(_))) {
            opening::suspect(&self.inner.data_dir);
        }
        outcome
    }

    /// The same without waiting: `reply` is called on the writer's thread.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        write: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
        reply: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        self.inner.db.writer.submit(write, reply);
    }
}

impl Inner {
    fn close(&self) {
        // The writer is the last to close, and so moves what is in the write-ahead log into the file.
        self.db.readers.close();
        self.db.writer.close();
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.close();
    }
}
