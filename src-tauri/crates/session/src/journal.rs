//! The journal of one session while it lives: its events in order, as far as they are in memory.
//!
//! Readers go through a cursor and are woken by the newest number, so a slow one holds a number instead of a queue. Where
//! the journal is kept elsewhere, memory holds what is not kept there yet and a short tail of the rest; a reader who wants
//! more is told so, and readers who show events hear of one only when it was kept.

mod subscription;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use kandev_transcript::Event;
use tokio::sync::watch;

pub use subscription::{Behind, Subscription};

/// How many events one read returns at most.
const BATCH: usize = 512;
/// How many events stay in memory that are kept elsewhere.
const TAIL: u64 = 4_096;

/// Where the events of a session are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Keeping {
    /// All of them stay in memory.
    #[default]
    Memory,
    /// In memory until every watcher has read them. Who comes later has fallen behind.
    UntilRead,
    /// Somebody else keeps them and says so by [`Keeper::kept`]. Watchers hear of an event only then, so that nothing is
    /// shown that could be lost.
    Elsewhere,
}

/// What the writing end and all reading ends share.
struct Shared {
    keeping: Keeping,
    held: RwLock<Held>,
    /// The newest number, and the newest that may be shown.
    newest: watch::Sender<u64>,
    shown: watch::Sender<u64>,
}

/// The events that are in memory.
#[derive(Default)]
struct Held {
    events: VecDeque<Arc<Event>>,
    /// How many there were before these.
    before: u64,
    /// Up to this number they are kept elsewhere.
    kept: u64,
    /// They may be shown without being kept.
    open: bool,
    /// No more will come.
    closed: bool,
    keepers: usize,
    /// The numbers that the readers have read, if what all have read may go.
    readers: Vec<Weak<AtomicU64>>,
}

impl Held {
    /// Before this many wait to go, nobody looks whether they may.
    const WORTH_IT: usize = 2 * BATCH;

    fn let_go(&mut self, keeping: Keeping) {
        let up_to = match keeping {
            Keeping::Memory => return,
            Keeping::Elsewhere => self.kept.saturating_sub(TAIL),
            Keeping::UntilRead if self.events.len() < Self::WORTH_IT => return,
            Keeping::UntilRead => {
                self.readers.retain(|reader| reader.strong_count() > 0);
                let positions = self.readers.iter().filter_map(Weak::upgrade);
                match positions.map(|at| at.load(Ordering::Relaxed)).min() {
                    Some(read) => read,
                    None => return,
                }
            }
        };
        let gone = usize::try_from(up_to.saturating_sub(self.before)).unwrap_or(usize::MAX);
        let gone = gone.min(self.events.len());
        self.events.drain(..gone);
        self.before += gone as u64;
    }
}

impl Shared {
    fn read(&self) -> RwLockReadGuard<'_, Held> {
        self.held.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Held> {
        self.held.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self, seq: u64) {
        let mut held = self.write();
        held.open = false;
        held.kept = held.kept.max(seq.min(*self.newest.borrow()));
        held.let_go(self.keeping);
        self.show(held.kept);
    }

    fn unkept(&self) {
        let mut held = self.write();
        held.open = true;
        self.show(*self.newest.borrow());
    }

    /// Whoever changes what is shown holds the lock, so that it never goes back.
    fn show(&self, seq: u64) {
        self.shown.send_if_modified(|shown| {
            let more = seq > *shown;
            *shown = seq.max(*shown);
            more
        });
    }
}

/// The writing end. There is one, and dropping it ends every subscription.
pub(crate) struct Journal(Arc<Shared>);

/// Opens subscriptions; cheap to clone.
#[derive(Clone)]
pub(crate) struct JournalReader(Arc<Shared>);

/// Says what of a session's journal is kept elsewhere. Does not hold the session. When the last one is gone, nobody keeps
/// anything any more: that is as [`Keeper::unkept`].
pub struct Keeper(Arc<Shared>);

impl Keeper {
    /// All events up to this number are kept.
    pub fn kept(&self, seq: u64) {
        self.0.kept(seq);
    }

    /// Events cannot be kept as of now. Watchers hear of them all the same, and memory holds them until they are.
    pub fn unkept(&self) {
        self.0.unkept();
    }
}

impl Clone for Keeper {
    fn clone(&self) -> Self {
        JournalReader(Arc::clone(&self.0)).keeper()
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let mut held = self.0.write();
        held.keepers -= 1;
        let last = held.keepers == 0;
        drop(held);
        if last {
            self.0.unkept();
        }
    }
}

impl Journal {
    /// One that goes on after the event of this number, which is 0 for a new one.
    pub(crate) fn new(keeping: Keeping, after: u64) -> Self {
        let held = Held {
            before: after,
            kept: after,
            ..Held::default()
        };
        Self(Arc::new(Shared {
            keeping,
            held: RwLock::new(held),
            newest: watch::Sender::new(after),
            shown: watch::Sender::new(after),
        }))
    }

    /// The newest event's number, 0 when there is none.
    pub(crate) fn last_seq(&self) -> u64 {
        *self.0.newest.borrow()
    }

    /// Keeps an event. Its `seq` is the next number.
    pub(crate) fn append(&self, event: Event) -> Arc<Event> {
        let seq = event.seq;
        debug_assert_eq!(seq, self.last_seq() + 1, "a journal has no gaps");
        let event = Arc::new(event);
        let mut held = self.0.write();
        held.let_go(self.0.keeping);
        held.events.push_back(Arc::clone(&event));
        self.0.newest.send_replace(seq);
        if self.0.keeping != Keeping::Elsewhere || held.open {
            self.0.show(seq);
        }
        event
    }

    pub(crate) fn reader(&self) -> JournalReader {
        JournalReader(Arc::clone(&self.0))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.0.write().closed = true;
        for numbers in [&self.0.newest, &self.0.shown] {
            numbers.send_modify(|_| {});
        }
    }
}

impl JournalReader {
    /// What may be shown after this number.
    pub(crate) fn subscribe(&self, after_seq: u64) -> Subscription {
        self.begin(after_seq, true)
    }

    /// All after this number, kept or not.
    pub(crate) fn subscribe_unkept(&self, after_seq: u64) -> Subscription {
        self.begin(after_seq, false)
    }

    pub(crate) fn keeper(&self) -> Keeper {
        self.0.write().keepers += 1;
        Keeper(Arc::clone(&self.0))
    }

    /// The oldest number that is in memory, or the next one when there is none.
    pub(crate) fn held_from(&self) -> u64 {
        self.0.read().before + 1
    }

    fn begin(&self, after_seq: u64, gated: bool) -> Subscription {
        let after = Arc::new(AtomicU64::new(after_seq));
        if self.0.keeping == Keeping::UntilRead {
            self.0.write().readers.push(Arc::downgrade(&after));
        }
        Subscription::new(Arc::clone(&self.0), after, gated)
    }
}
