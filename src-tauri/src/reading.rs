//! The events of one session for a window: those that are kept first, then what is said, without a gap and none twice.
//!
//! A session may begin to live while it is watched, and stop; what other programs write into its journal is heard too.

use std::sync::Arc;
use std::time::Duration;

use kandev_session::{Session, Subscription};
use kandev_transcript::Event;
use tokio::sync::watch;

use crate::api::CommandError;
use crate::pump::Source;

/// Rows of the journal that one read takes.
const BATCH: usize = 512;
/// What should be kept and could not be read is asked for again after this.
const AGAIN: Duration = Duration::from_secs(1);

/// What is read from.
pub trait Journal: Send + Sync + 'static {
    /// At most so many rows of what is kept after this number.
    fn after(
        &self,
        id: &str,
        after: u64,
        rows: usize,
    ) -> impl Future<Output = Result<Vec<Event>, CommandError>> + Send;

    /// The actor, while there is one.
    fn actor(&self, id: &str) -> Option<Session>;

    /// A number that grows whenever actors come or go, or something was kept that no actor of this program said.
    fn news(&self) -> watch::Receiver<u64>;
}

/// A place in a session's journal.
pub struct Reading<J> {
    journal: J,
    id: String,
    after: u64,
    live: Option<Subscription>,
    news: watch::Receiver<u64>,
}

impl<J: Journal> Reading<J> {
    pub fn new(journal: J, id: &str, after: u64) -> Self {
        let news = journal.news();
        Self {
            journal,
            id: id.to_owned(),
            after,
            live: None,
            news,
        }
    }

    async fn kept(&mut self) -> Option<Vec<Arc<Event>>> {
        // What cannot be read now is tried again with the next news; the list says what is wrong.
        let events = self.journal.after(&self.id, self.after, BATCH).await.ok()?;
        let last = events.last()?;
        self.after = last.last_seq();
        Some(events.into_iter().map(Arc::new).collect())
    }

    /// The next of a living session; `None` when it lives no more.
    async fn said(&mut self) -> Option<Vec<Arc<Event>>> {
        loop {
            let live = self.live.as_mut()?;
            match live.next_held().await {
                Some(Ok(events)) => {
                    self.after = live.position();
                    return Some(events);
                }
                // Memory has let go of what comes next.
                Some(Err(_)) => {
                    if let Some(events) = self.kept().await {
                        if let Some(live) = &mut self.live {
                            live.seek(self.after);
                        }
                        return Some(events);
                    }
                    tokio::time::sleep(AGAIN).await;
                }
                None => {
                    self.live = None;
                    return None;
                }
            }
        }
    }
}

impl<J: Journal> Source for Reading<J> {
    async fn next(&mut self) -> Option<Vec<Arc<Event>>> {
        loop {
            if self.live.is_none() {
                // Before it is looked for, so that nothing comes unnoticed meanwhile.
                self.news.borrow_and_update();
                let session = self.journal.actor(&self.id);
                self.live = session.map(|session| session.watch(self.after));
            }
            if let Some(events) = self.said().await {
                return Some(events);
            }
            if let Some(events) = self.kept().await {
                return Some(events);
            }
            self.news.changed().await.ok()?;
        }
    }
}

#[cfg(test)]
mod tests;
