//! The reading end of a journal.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kandev_transcript::Event;
use tokio::sync::watch;

use super::{BATCH, Shared};

/// A reader wants what memory does not hold any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Behind {
    /// The oldest number that is in memory.
    pub held_from: u64,
}

/// A place in a session's journal, and the wish for what follows it.
pub struct Subscription {
    journal: Arc<Shared>,
    after: Arc<AtomicU64>,
    /// Hears only of what may be shown.
    gated: bool,
    woken: watch::Receiver<u64>,
}

enum Step {
    Events(Vec<Arc<Event>>),
    Behind(Behind),
    Wait,
    Over,
}

impl Subscription {
    pub(super) fn new(journal: Arc<Shared>, after: Arc<AtomicU64>, gated: bool) -> Self {
        let numbers = if gated {
            &journal.shown
        } else {
            &journal.newest
        };
        let woken = numbers.subscribe();
        Self {
            journal,
            after,
            gated,
            woken,
        }
    }

    /// As [`Subscription::next_held`] for those who cannot fall behind, as everything is in memory or they alone keep the
    /// session's events. For others it ends when they do.
    pub async fn next(&mut self) -> Option<Vec<Arc<Event>>> {
        self.next_held().await?.ok()
    }

    /// The next events, in order and without a gap; waits when there is none yet. `None` once the session is closed and
    /// everything was read. Dropping the future loses nothing.
    ///
    /// # Errors
    /// [`Behind`] when the next event is not in memory any more: it is to be read where it is kept, and
    /// [`Subscription::seek`] goes on from there.
    pub async fn next_held(&mut self) -> Option<Result<Vec<Arc<Event>>, Behind>> {
        loop {
            self.woken.borrow_and_update();
            match self.step() {
                Step::Events(events) => return Some(Ok(events)),
                Step::Behind(behind) => return Some(Err(behind)),
                Step::Over => return None,
                // The sender lives in what this subscription holds.
                Step::Wait => self.woken.changed().await.ok()?,
            }
        }
    }

    /// The number of the last event this subscription returned.
    pub fn position(&self) -> u64 {
        self.after.load(Ordering::Relaxed)
    }

    /// Goes on after this number.
    pub fn seek(&mut self, after_seq: u64) {
        self.after.store(after_seq, Ordering::Relaxed);
    }

    fn step(&self) -> Step {
        let held = self.journal.read();
        let after = self.position();
        if after < held.before {
            return Step::Behind(Behind {
                held_from: held.before + 1,
            });
        }
        let last = held.before + held.events.len() as u64;
        let up_to = if self.gated {
            (*self.journal.shown.borrow()).min(last)
        } else {
            last
        };
        let place = |seq: u64| usize::try_from(seq - held.before).unwrap_or(usize::MAX);
        if after < up_to {
            let (start, end) = (place(after), place(up_to));
            let events = held.events.range(start..end.min(start + BATCH));
            let events: Vec<_> = events.cloned().collect();
            let read = after + events.len() as u64;
            self.after.store(read, Ordering::Relaxed);
            return Step::Events(events);
        }
        // What waits to be kept is still to come.
        if held.closed && after >= last {
            Step::Over
        } else {
            Step::Wait
        }
    }
}
