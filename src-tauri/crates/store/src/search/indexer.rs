//! Keeps the index up with the journals and the CLI's files, behind everything else.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use kandev_transcript::Event;
use rusqlite::Connection;

use super::{intake, is_taken_up, tables};
use crate::{Store, StoreError};

/// How often it looks whether something was kept.
const PAUSE: Duration = Duration::from_secs(1);
/// How often it looks at the CLI's files when nobody says that they changed.
const FILES: Duration = Duration::from_secs(60);
/// Between two jobs the writer is left to others for so long.
const REST: Duration = Duration::from_millis(10);
/// Rows of a session that is gone, removed at once.
const PURGED: usize = 100;

/// A session in a file of the CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    /// The CLI's id.
    pub id: String,
    /// Changes whenever the file does.
    pub mark: String,
}

/// The CLI's files, as far as the index needs them.
pub trait SessionFiles: Send {
    /// All there are, the newest first.
    ///
    /// # Errors
    /// When they cannot be listed.
    fn files(&self) -> Result<Vec<SessionFile>, StoreError>;

    /// Tells the events of one of them in order, numbered as everywhere else, until it is told to break off.
    ///
    /// # Errors
    /// When it cannot be read.
    fn tell(
        &self,
        id: &str,
        each: &mut dyn FnMut(&Event) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;
}

/// How many of how many sessions are in the index, while it is not complete.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress(Arc<AtomicU64>);

/// Nobody has looked yet how many there are.
const UNKNOWN: u64 = u64::MAX;

impl Progress {
    pub fn get(&self) -> Option<(u32, u32)> {
        let both = self.0.load(Ordering::Relaxed);
        if both == UNKNOWN {
            return Some((0, 0));
        }
        let (done, of) = ((both >> 32) as u32, both as u32);
        (done < of).then_some((done, of))
    }

    fn begin(&self) {
        self.0.store(UNKNOWN, Ordering::Relaxed);
    }

    fn set(&self, done: usize, of: usize) {
        let both = ((done as u64) << 32) | (of as u64 & 0xFFFF_FFFF);
        self.0.store(both, Ordering::Relaxed);
    }
}

/// The thread that follows behind. Stops when it is dropped.
pub struct Indexer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    stopped: AtomicBool,
    /// Somebody said that the files changed.
    called: Mutex<bool>,
    bell: Condvar,
}

impl Indexer {
    /// There is something new in the CLI's files.
    pub fn files_changed(&self) {
        *self
            .shared
            .called
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = true;
        self.shared.bell.notify_all();
    }

    /// Ends it after the job that it is at; what is missing is made up for another time.
    pub fn stop(&mut self) {
        self.shared.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Indexer {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn stop(&self) {
        // Under the lock: who has looked and does not wait yet would not hear the bell.
        let called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        self.stopped.store(true, Ordering::Relaxed);
        drop(called);
        self.bell.notify_all();
    }

    /// Whether to go on, after leaving the writer to others for a moment.
    fn rest(&self) -> bool {
        self.wait(REST);
        !self.stopped.load(Ordering::Relaxed)
    }

    /// Waits until it is called, and not longer than this. Whether it was.
    fn wait(&self, time: Duration) -> bool {
        let called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        if self.stopped.load(Ordering::Relaxed) {
            return false;
        }
        let (called, _) = self
            .bell
            .wait_timeout(called, time)
            .unwrap_or_else(PoisonError::into_inner);
        *called
    }
}

impl Store {
    /// An indexer will be started: until it has looked, the search does not say that all is searched.
    pub fn expect_indexer(&self) {
        self.indexing().begin();
    }

    /// Starts the thread that keeps the search up with what is said. It holds the store open.
    pub fn indexer(&self, files: impl SessionFiles + 'static) -> Indexer {
        self.expect_indexer();
        let shared = Arc::new(Shared::default());
        let (store, seen) = (self.clone(), Arc::clone(&shared));
        let thread = std::thread::Builder::new()
            .name("kandev-search".to_owned())
            .spawn(move || follow(&store, &files, &seen));
        Indexer {
            shared,
            thread: thread.ok(),
        }
    }

    /// Takes into the index what is missing there, for at most this long. How many of how many sessions are in it then,
    /// if not all.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn index_now(
        &self,
        files: &dyn SessionFiles,
        within: Duration,
    ) -> Result<Option<(u32, u32)>, StoreError> {
        let began = Instant::now();
        let go_on = || began.elapsed() < within;
        journals(self, &go_on)?;
        if go_on() {
            self::files(self, files, &go_on)?;
        }
        Ok(self.indexing().get())
    }
}

/// What fails here is tried again with the next round; the journal is what tells of a disk that is full.
fn follow(store: &Store, files: &dyn SessionFiles, shared: &Shared) {
    let go_on = || shared.rest();
    let mut looked: Option<Instant> = None;
    let mut seen = None;
    while !shared.stopped.load(Ordering::Relaxed) {
        // An idle app asks the disk for two dates, and nothing else.
        let now = written(store);
        if now.is_none() || now != seen {
            let done = journals(store, &go_on);
            seen = now.filter(|_| done.is_ok());
        }
        let called =
            std::mem::take(&mut *shared.called.lock().unwrap_or_else(PoisonError::into_inner));
        if called || looked.is_none_or(|looked| looked.elapsed() > FILES) {
            looked = Some(Instant::now());
            let _ = self::files(store, files, &go_on);
        }
        shared.wait(PAUSE);
    }
}

/// When the database was written last, by whichever program; `None` where that cannot be told.
fn written(store: &Store) -> Option<[Option<(SystemTime, u64)>; 2]> {
    let look = |name: &str| {
        let file = std::fs::metadata(store.data_dir().join(name)).ok()?;
        Some((file.modified().ok()?, file.len()))
    };
    let files = ["kandev.db", "kandev.db-wal"].map(look);
    (store.lasts() && files[0].is_some()).then_some(files)
}

/// Takes in what the journals have, the newest session first, and lets go of sessions that are gone. One that cannot be
/// read does not keep the others out.
fn journals(store: &Store, go_on: intake::GoOn<'_>) -> Result<(), StoreError> {
    let mut trouble = Ok(());
    for (id, ended) in store.read(behind)? {
        match intake::journal(store, &id, ended, go_on) {
            Ok(true) | Err(StoreError::NoSuchSession(_)) => {}
            Ok(false) => return Ok(()),
            Err(error) => trouble = trouble.and(Err(error)),
        }
        if !go_on() {
            return trouble;
        }
    }
    let gone = store.read(|conn| {
        let mut statement =
            conn.prepare_cached("SELECT no FROM search_sessions WHERE id IS NULL")?;
        let gone = statement.query_map([], |row| row.get(0))?;
        Ok(gone.collect::<Result<Vec<i64>, _>>()?)
    })?;
    for no in gone {
        while !store.write(move |tx| tables::purge(tx, no, PURGED))? {
            if !go_on() {
                return trouble;
            }
        }
    }
    trouble
}

/// The sessions whose journal is longer than what was taken in, and whether they are over.
fn behind(conn: &Connection) -> Result<Vec<(String, bool)>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT id, over FROM (
            SELECT sessions.id AS id, updated_at, state IN ('stopped', 'failed') AS over,
                ifnull((SELECT through FROM search_sessions WHERE search_sessions.id = sessions.id), 0) AS taken,
                ifnull((SELECT through FROM journal
                    WHERE journal.id BETWEEN key << 40 AND (key << 40) + 0xFFFFFFFFFF
                    ORDER BY journal.id DESC LIMIT 1), 0) AS last
            FROM sessions)
         WHERE last > taken ORDER BY updated_at DESC",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Takes in the files that changed, the newest first, and forgets those that are gone.
pub(super) fn files(
    store: &Store,
    files: &dyn SessionFiles,
    go_on: intake::GoOn<'_>,
) -> Result<(), StoreError> {
    let listed = files.files()?;
    let (all, missing) = (listed.len(), store.read(|conn| missing(conn, &listed))?);
    forget_gone(store, &listed)?;
    let mut left = missing.len();
    let progress = store.indexing();
    progress.set(all - left, all);
    for file in missing {
        let mut intake = intake::File::new(store, &file.id)?;
        let mut broken_off = false;
        let told = files.tell(&file.id, &mut |event| {
            let flow = intake.event(event, go_on);
            broken_off = flow.is_break();
            flow
        });
        // A file that cannot be read stays for another time; the others do not wait for it.
        if told.is_ok() && !broken_off {
            intake.end(&file.mark)?;
        } else if let Some(error) = intake.error() {
            return Err(error);
        }
        if !go_on() {
            return Ok(());
        }
        if !broken_off {
            left -= 1;
            progress.set(all - left, all);
        }
    }
    // What could not be read is no reason to wait for more.
    progress.set(all, all);
    Ok(())
}

/// The files that are not in the index as they are now. What is in a journal is taken in from there.
fn missing(conn: &Connection, listed: &[SessionFile]) -> Result<Vec<SessionFile>, StoreError> {
    let mut imported = conn.prepare_cached(
        "SELECT 1 FROM sessions WHERE id = ?1 AND EXISTS (SELECT 1 FROM journal
            WHERE journal.id BETWEEN key << 40 AND (key << 40) + 0xFFFFFFFFFF)",
    )?;
    let mut missing = Vec::new();
    for file in listed {
        let taken = tables::reached(conn, &file.id)?.and_then(|reached| reached.mark);
        if taken.as_deref() != Some(&file.mark)
            && !imported.exists([&file.id])?
            && !is_taken_up(conn, &file.id)?
        {
            missing.push(file.clone());
        }
    }
    Ok(missing)
}

/// Sessions that are in the index and nowhere else any more.
fn forget_gone(store: &Store, listed: &[SessionFile]) -> Result<(), StoreError> {
    let indexed = store.read(|conn| {
        let mut statement = conn.prepare_cached(
            "SELECT id FROM search_sessions WHERE id IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.id = search_sessions.id)",
        )?;
        let ids = statement.query_map([], |row| row.get(0))?;
        Ok(ids.collect::<Result<Vec<String>, _>>()?)
    })?;
    let listed: std::collections::HashSet<&str> =
        listed.iter().map(|file| file.id.as_str()).collect();
    let gone: Vec<String> = indexed
        .into_iter()
        .filter(|id| !listed.contains(id.as_str()))
        .collect();
    if gone.is_empty() {
        return Ok(());
    }
    store.write(move |tx| gone.iter().try_for_each(|id| tables::forget(tx, id)))
}
