//! Follows living sessions and keeps what they say.

mod task;
#[cfg(test)]
mod tests;

use kandev_session::{NewSession, Session};
use tokio::sync::{mpsc, oneshot};

use crate::{Store, StoreError};
use task::Task;

/// Writes the events of living sessions into their journals, and says to each what is kept.
#[derive(Clone)]
pub struct Recorder {
    store: Store,
}

/// The task that follows one session. It ends with the session, not with this handle.
pub struct Following {
    flushes: mpsc::UnboundedSender<Flush>,
}

/// Waits until all that was said so far is kept.
type Flush = oneshot::Sender<Result<(), StoreError>>;

impl Recorder {
    pub(crate) fn new(store: Store) -> Self {
        Self { store }
    }

    /// Writes the session's row and follows it, on the current tokio runtime. The session keeps its events
    /// [elsewhere](kandev_session::Keeping::Elsewhere); what cannot be kept is told by a notice `not_kept`, tried again
    /// every few seconds, and told by `kept_again` once that works.
    pub fn follow(&self, session: &Session, request: &NewSession) -> Following {
        let (flushes, asked) = mpsc::unbounded_channel();
        let task = Task::new(self.store.clone(), session, request, asked);
        tokio::spawn(task.run());
        Following { flushes }
    }
}

impl Following {
    /// Returns when all is kept that the session has said so far, or when that failed.
    ///
    /// # Errors
    /// Why it could not be kept. It is tried again.
    pub async fn flush(&self) -> Result<(), StoreError> {
        let (done, kept) = oneshot::channel();
        if self.flushes.send(done).is_err() {
            // The session is over and its last event was kept, or nobody keeps it any more.
            return Ok(());
        }
        kept.await.unwrap_or(Ok(()))
    }

    /// Returns when the session is not followed any more, so that another one may be in its place. That is soon after the
    /// session was dropped, or up to a minute if what it said cannot be kept.
    pub async fn over(&self) {
        self.flushes.closed().await;
    }
}
