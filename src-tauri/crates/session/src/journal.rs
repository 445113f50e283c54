//! The journal of one session while it lives: its events in order, in memory.
//!
//! Readers go through a cursor and are woken by the newest number, so a slow one holds a number instead of a queue. What
//! is asked of it (append, read after a number) is what a database answers too. A journal that need not last lets go of
//! what every reader has read, so that its memory does not grow with the session.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};

use kandev_transcript::Event;
use tokio::sync::watch;

/// How many events one read returns at most.
const BATCH: usize = 512;

type Events = Arc<RwLock<Kept>>;

/// The events that are in memory.
#[derive(Default)]
struct Kept {
    events: VecDeque<Arc<Event>>,
    /// How many there were before these.
    before: u64,
    /// The numbers that the readers have read, if what all have read may go.
    readers: Option<Vec<Weak<AtomicU64>>>,
}

impl Kept {
    /// Before this many wait to go, nobody looks whether they may.
    const WORTH_IT: usize = 2 * BATCH;

    fn let_go(&mut self) {
        let Some(readers) = &mut self.readers else {
            return;
        };
        if self.events.len() < Self::WORTH_IT {
            return;
        }
        readers.retain(|reader| reader.strong_count() > 0);
        let positions = readers.iter().filter_map(Weak::upgrade);
        let Some(read) = positions.map(|at| at.load(Ordering::Relaxed)).min() else {
            return;
        };
        let gone = usize::try_from(read.saturating_sub(self.before)).unwrap_or(usize::MAX);
        let gone = gone.min(self.events.len());
        self.events.drain(..gone);
        self.before += gone as u64;
    }
}

/// The writing end. There is one, and dropping it ends every subscription.
pub(crate) struct Journal {
    events: Events,
    newest: watch::Sender<u64>,
}

/// Opens subscriptions; cheap to clone.
#[derive(Clone)]
pub(crate) struct JournalReader {
    events: Events,
    newest: watch::Receiver<u64>,
}

/// A place in a session's journal, and the wish for what follows it.
pub struct Subscription {
    events: Events,
    newest: watch::Receiver<u64>,
    after: Arc<AtomicU64>,
}

impl Journal {
    /// One that `keeps` all events, or those that not every reader has read.
    pub(crate) fn new(keeps: bool) -> Self {
        let kept = Kept {
            readers: (!keeps).then(Vec::new),
            ..Kept::default()
        };
        Self {
            events: Arc::new(RwLock::new(kept)),
            newest: watch::Sender::new(0),
        }
    }

    /// The newest event's number, 0 when there is none.
    pub(crate) fn last_seq(&self) -> u64 {
        *self.newest.borrow()
    }

    /// Keeps an event. Its `seq` is the next number.
    pub(crate) fn append(&self, event: Event) -> Arc<Event> {
        let seq = event.seq;
        debug_assert_eq!(seq, self.last_seq() + 1, "a journal has no gaps");
        let event = Arc::new(event);
        let mut kept = self.events.write().unwrap_or_else(PoisonError::into_inner);
        kept.let_go();
        kept.events.push_back(Arc::clone(&event));
        drop(kept);
        self.newest.send_replace(seq);
        event
    }

    pub(crate) fn reader(&self) -> JournalReader {
        JournalReader {
            events: Arc::clone(&self.events),
            newest: self.newest.subscribe(),
        }
    }
}

impl JournalReader {
    pub(crate) fn subscribe(&self, after_seq: u64) -> Subscription {
        let after = Arc::new(AtomicU64::new(after_seq));
        let mut kept = self.events.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(readers) = &mut kept.readers {
            readers.push(Arc::downgrade(&after));
        }
        drop(kept);
        Subscription {
            events: Arc::clone(&self.events),
            newest: self.newest.clone(),
            after,
        }
    }
}

impl Subscription {
    /// The next events, in order and without a gap; waits when there is none yet. `None` once the session is closed and
    /// everything was read. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Vec<Arc<Event>>> {
        loop {
            self.newest.borrow_and_update();
            let batch = self.read();
            if !batch.is_empty() {
                return Some(batch);
            }
            if self.newest.changed().await.is_err() {
                let rest = self.read();
                return (!rest.is_empty()).then_some(rest);
            }
        }
    }

    /// The number of the last event this subscription returned.
    pub fn position(&self) -> u64 {
        self.after.load(Ordering::Relaxed)
    }

    fn read(&mut self) -> Vec<Arc<Event>> {
        let kept = self.events.read().unwrap_or_else(PoisonError::into_inner);
        let start = usize::try_from(self.position().saturating_sub(kept.before))
            .unwrap_or(usize::MAX)
            .min(kept.events.len());
        let batch: Vec<_> = kept.events.range(start..).take(BATCH).cloned().collect();
        if let Some(last) = batch.last() {
            self.after.store(last.seq, Ordering::Relaxed);
        }
        batch
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use kandev_transcript::EventBody;

    use super::*;

    fn event(seq: u64) -> Event {
        Event {
            seq,
            at: "1970-01-01T00:00:00.000Z".to_owned(),
            session_id: None,
            parent_tool_call_id: None,
            body: EventBody::TitleChanged {
                title: seq.to_string(),
            },
        }
    }

    #[tokio::test]
    async fn a_subscription_reads_the_past_and_then_what_comes_without_a_gap() {
        let journal = Journal::new(true);
        for seq in 1..=3 {
            journal.append(event(seq));
        }
        let mut watcher = journal.reader().subscribe(1);
        let past = watcher.next().await.unwrap();
        assert_eq!(
            past.iter().map(|event| event.seq).collect::<Vec<_>>(),
            [2, 3]
        );
        let (live, ()) = tokio::join!(watcher.next(), async {
            journal.append(event(4));
        });
        assert_eq!(live.unwrap()[0].seq, 4);
        drop(journal);
        assert!(watcher.next().await.is_none());
    }

    #[tokio::test]
    async fn a_slow_watcher_gets_everything_in_bounded_batches() {
        let journal = Journal::new(true);
        let mut watcher = journal.reader().subscribe(0);
        for seq in 1..=2_000 {
            journal.append(event(seq));
        }
        drop(journal);
        let mut seen = Vec::new();
        while let Some(batch) = watcher.next().await {
            assert!(batch.len() <= BATCH);
            seen.extend(batch.iter().map(|event| event.seq));
        }
        assert_eq!(seen, (1..=2_000).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_subscription_from_beyond_the_end_waits_for_its_number() {
        let journal = Journal::new(true);
        journal.append(event(1));
        let mut watcher = journal.reader().subscribe(1);
        let (batch, ()) = tokio::join!(watcher.next(), async {
            journal.append(event(2));
        });
        assert_eq!(batch.unwrap()[0].seq, 2);
    }

    #[tokio::test]
    async fn what_every_watcher_has_read_is_let_go_and_nothing_else() {
        for keeps in [false, true] {
            let journal = Journal::new(keeps);
            let mut quick = journal.reader().subscribe(0);
            let mut slow = journal.reader().subscribe(0);
            let in_memory = || journal.events.read().unwrap().events.len();
            let (mut heard, mut heard_late) = (0, 0);
            for seq in 1..=20_000 {
                journal.append(event(seq));
                if seq % 100 == 0 {
                    heard += quick.next().await.unwrap().len();
                    if seq > 10_000 {
                        heard_late += slow.next().await.unwrap().len();
                    }
                }
                if seq == 10_000 {
                    assert_eq!(in_memory(), 10_000, "the slow one has read nothing");
                }
            }
            assert_eq!((heard, heard_late), (20_000, 20_000));
            journal.append(event(20_001));
            let kept = in_memory();
            assert_eq!(kept == 20_001, keeps, "{kept} are in memory");
            assert!(keeps || kept <= Kept::WORTH_IT, "{kept} are in memory");
            drop(slow);
            assert_eq!(quick.next().await.unwrap()[0].seq, 20_001);
        }
    }
}
