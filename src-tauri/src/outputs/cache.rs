//! The outputs that somebody reads: a few of them, and none for long after the last look.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::reader::Reader;
use crate::api::OutputSource;

/// Outputs that are kept open.
const OPEN_MAX: usize = 16;
/// Bytes of texts that are held.
const HELD_MAX: usize = 64 << 20;
/// How long one is kept after the last look.
pub(super) const IDLE: Duration = Duration::from_secs(60);

/// Which output: of a session, and as new as the event that it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub session: String,
    pub source: OutputSource,
    pub version: u64,
}

struct Entry {
    key: Key,
    reader: Arc<Mutex<Reader>>,
    held: usize,
    used: Instant,
}

#[derive(Default)]
struct Kept {
    entries: Vec<Entry>,
    /// Somebody sees to it that they go.
    swept: bool,
}

#[derive(Clone, Default)]
pub struct Cache(Arc<Mutex<Kept>>);

impl Cache {
    pub fn get(&self, key: &Key) -> Option<Arc<Mutex<Reader>>> {
        let mut kept = self.kept();
        let entry = kept.entries.iter_mut().find(|entry| entry.key == *key)?;
        entry.used = Instant::now();
        Some(Arc::clone(&entry.reader))
    }

    /// Keeps it in the place of an older one of the same output. To be called on the runtime.
    pub fn put(&self, key: Key, reader: Reader) -> Arc<Mutex<Reader>> {
        let held = reader.held();
        let reader = Arc::new(Mutex::new(reader));
        let mut kept = self.kept();
        kept.entries
            .retain(|entry| entry.key.session != key.session || entry.key.source != key.source);
        kept.entries.push(Entry {
            key,
            reader: Arc::clone(&reader),
            held,
            used: Instant::now(),
        });
        kept.entries.sort_by_key(|entry| entry.used);
        let too_much = |entries: &[Entry]| {
            let held: usize = entries.iter().map(|entry| entry.held).sum();
            entries.len() > OPEN_MAX || held > HELD_MAX && entries.len() > 1
        };
        while too_much(&kept.entries) {
            kept.entries.remove(0);
        }
        if !std::mem::replace(&mut kept.swept, true) {
            tokio::spawn(sweep(Arc::clone(&self.0)));
        }
        reader
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.kept().entries.len()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        lock(&self.0)
    }
}

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets go of them one by one, and ends with the last.
async fn sweep(kept: Arc<Mutex<Kept>>) {
    loop {
        let next = {
            let mut kept = lock(&kept);
            kept.entries.retain(|entry| entry.used.elapsed() < IDLE);
            match kept.entries.iter().map(|entry| entry.used).min() {
                Some(oldest) => oldest + IDLE,
                None => {
                    kept.swept = false;
                    return;
                }
            }
        };
        tokio::time::sleep_until(next).await;
    }
}
