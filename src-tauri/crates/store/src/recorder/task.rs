//! The task that keeps one session: hears, gathers for a moment, writes, and says that it is written.

use std::sync::Arc;
use std::time::Duration;

use kandev_session::{Keeper, NewSession, Notices, Phase, Session, SessionInfo, Subscription};
use kandev_transcript::Event;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, timeout_at};

use super::Flush;
use crate::journal::{self, Origin};
use crate::lock::Claim;
use crate::{Store, StoreError, StoredSession, registry};

/// Between the beginnings of two transactions of one session. The first event after a silence does not wait.
const APART: Duration = Duration::from_millis(5);
/// So many events are written at once at most.
const TOGETHER: usize = 4_096;
/// Until a failed write is tried again.
const AGAIN: Duration = Duration::from_secs(5);
/// How often that is done when nobody has the session any more.
const LAST_TRIES: u32 = 12;

pub(super) struct Task {
    store: Store,
    id: String,
    request: NewSession,
    heard: Subscription,
    info: watch::Receiver<SessionInfo>,
    keeper: Keeper,
    notices: Notices,
    claim: Option<Claim>,
    /// Behind the claim, which is free when this is closed.
    asked: mpsc::UnboundedReceiver<Flush>,
    /// Heard and not kept.
    events: Vec<Arc<Event>>,
    /// The number up to which the session's events are kept.
    kept: u64,
    /// The row as it was written last; none before the first time.
    row: Option<StoredSession>,
    waiting: Vec<Flush>,
    /// The last write failed.
    failing: bool,
    /// So many have failed in a row.
    tries: u32,
    /// Nothing more will be heard.
    over: bool,
    /// Nobody can ask for a flush any more, or the info changes no more.
    deaf: (bool, bool),
    next: Instant,
}

impl Task {
    pub fn new(
        store: Store,
        session: &Session,
        request: &NewSession,
        asked: mpsc::UnboundedReceiver<Flush>,
    ) -> Self {
        let kept = session.held_from() - 1;
        Self {
            store,
            id: session.id().to_owned(),
            request: request.clone(),
            heard: session.watch_unkept(kept),
            info: session.info_changes(),
            keeper: session.keeper(),
            notices: session.notices(),
            claim: None,
            asked,
            events: Vec::new(),
            kept,
            row: None,
            waiting: Vec::new(),
            failing: false,
            tries: 0,
            over: false,
            deaf: (false, false),
            next: Instant::now(),
        }
    }

    pub async fn run(mut self) {
        loop {
            if self.row.is_some() && self.events.is_empty() {
                self.hear().await;
            }
            self.gather().await;
            self.next = Instant::now() + APART;
            match self.keep().await {
                Ok(()) => {
                    self.tries = 0;
                    self.keeper.kept(self.kept);
                    if std::mem::take(&mut self.failing) {
                        let text =
                            "What this session says is kept again, also what it said meanwhile.";
                        self.notices.tell("kept_again", text.to_owned());
                    }
                    self.answer(&Ok(()));
                }
                Err(error) => {
                    self.failed(&error);
                    let final_ = matches!(
                        error,
                        StoreError::NoSuchSession(_) | StoreError::Gap { .. } | StoreError::Closed
                    );
                    self.tries += 1;
                    if final_ || (self.over && self.tries > LAST_TRIES) {
                        return;
                    }
                    self.pause().await;
                }
            }
            if self.over && self.events.is_empty() {
                return;
            }
        }
    }

    /// Waits until there is something to write.
    async fn hear(&mut self) {
        if self.over {
            return;
        }
        let (unasked, unchanging) = self.deaf;
        tokio::select! {
            events = self.heard.next_held() => self.take(events),
            changed = self.info.changed(), if !unchanging => self.deaf.1 = changed.is_err(),
            asked = self.asked.recv(), if !unasked => match asked {
                Some(flush) => self.waiting.push(flush),
                None => self.deaf.0 = true,
            },
        }
    }

    /// Takes what comes within a moment, so that many small writes are few; at once for whoever waits for it.
    async fn gather(&mut self) {
        while !self.over && self.events.len() < TOGETHER {
            let until = match self.waiting.is_empty() && self.row.is_some() {
                true => self.next,
                false => Instant::now(),
            };
            match timeout_at(until, self.heard.next_held()).await {
                Ok(events) => self.take(events),
                Err(_) => return,
            }
        }
    }

    fn take(&mut self, heard: Option<Result<Vec<Arc<Event>>, kandev_session::Behind>>) {
        match heard {
            Some(Ok(events)) => self.events.extend(events),
            // It falls behind only if somebody else says what is kept.
            Some(Err(_)) | None => self.over = true,
        }
    }

    /// Writes what was heard and how the session is now, in one transaction.
    async fn keep(&mut self) -> Result<(), StoreError> {
        let info = self.info.borrow_and_update().clone();
        if self.row.is_none() {
            self.begin(info.clone()).await?;
        }
        let Some(written) = &self.row else {
            return Ok(());
        };
        let mut row = written.clone();
        row.take(&info);
        if let Some(last) = self.events.last()
            && row.updated_at < last.at
        {
            row.updated_at.clone_from(&last.at);
        }
        // A session that nobody holds any more has no process.
        if self.over && !row.is_over() {
            row.state = Phase::Stopped;
            row.since.clone_from(&row.updated_at);
        }
        let news = (row != *written).then(|| row.clone());
        if self.events.is_empty() && news.is_none() {
            return Ok(());
        }
        let notable = differs(written, &row);
        let events: Arc<[Arc<Event>]> = std::mem::take(&mut self.events).into();
        let (id, again) = (self.id.clone(), self.failing);
        let outcome = {
            let events = Arc::clone(&events);
            self.write(move |tx| {
                let session = registry::own_key(tx, &id)?;
                if let Some(row) = &news {
                    registry::update_living(tx, row)?;
                }
                // A commit that was said to fail may have succeeded.
                let there = match again {
                    true => journal::last_seq(tx, session)?,
                    false => 0,
                };
                let new = events.partition_point(|event| event.seq <= there);
                journal::append(tx, session, &events[new..], Origin::Live)
            })
            .await
        };
        match outcome {
            Ok(last) => {
                self.kept = last;
                self.row = Some(row);
                if notable {
                    self.store.registry_changed();
                }
                Ok(())
            }
            Err(error) => {
                self.events = events.to_vec();
                Err(error)
            }
        }
    }

    /// Writes the row for the first time, or takes up the one that is there.
    async fn begin(&mut self, info: SessionInfo) -> Result<(), StoreError> {
        if self.claim.is_none() {
            let (store, id) = (self.store.clone(), self.id.clone());
            let claim = tokio::task::spawn_blocking(move || store.claim(&id, "Kandev")).await;
            let claim = claim.map_err(|error| StoreError::Other(error.to_string()))?;
            self.claim = Some(claim.map_err(|owner| StoreError::Taken(owner.what))?);
        }
        let (request, kept) = (self.request.clone(), self.kept);
        let row = self
            .write(move |tx| begin(tx, &info, &request, kept))
            .await?;
        self.row = Some(row);
        self.store.registry_changed();
        Ok(())
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.store.submit(work, move |outcome| {
            let _ = reply.send(outcome);
        });
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// The session goes on, in memory; said once.
    fn failed(&mut self, error: &StoreError) {
        if !std::mem::replace(&mut self.failing, true) {
            let text = format!(
                "What this session says is not kept: {error}. It goes on, and keeping it is tried again."
            );
            self.notices.tell("not_kept", text);
        }
        self.keeper.unkept();
        self.answer(&Err(error.clone()));
    }

    fn answer(&mut self, outcome: &Result<(), StoreError>) {
        for flush in self.waiting.drain(..) {
            let _ = flush.send(outcome.clone());
        }
    }

    /// Until it is time to try again, or somebody asks for it, or the session ends. Memory has what is said meanwhile.
    async fn pause(&mut self) {
        let (unasked, _) = self.deaf;
        tokio::select! {
            () = tokio::time::sleep(AGAIN) => {}
            asked = self.asked.recv(), if !unasked => match asked {
                Some(flush) => self.waiting.push(flush),
                None => self.deaf.0 = true,
            },
            () = closed(&mut self.info), if self.tries == 1 && !self.over => {}
        }
    }
}

async fn closed(info: &mut watch::Receiver<SessionInfo>) {
    while info.changed().await.is_ok() {}
}

fn begin(
    tx: &Connection,
    info: &SessionInfo,
    request: &NewSession,
    kept: u64,
) -> Result<StoredSession, StoreError> {
    let new = StoredSession::new(info, request);
    registry::insert(tx, &new)?;
    let session = registry::own_key(tx, &info.id)?;
    let mut row = registry::by_key(tx, session)?;
    if row.last_seq != kept {
        return Err(StoreError::Gap {
            last: row.last_seq,
            next: kept + 1,
        });
    }
    row.take(info);
    row.chosen(request);
    registry::update(tx, &row)?;
    Ok(row)
}

/// Whether the list of sessions shows another row, apart from what a living session shows itself.
fn differs(one: &StoredSession, other: &StoredSession) -> bool {
    one.is_over() != other.is_over()
        || one.title != other.title
        || one.cli_session_id != other.cli_session_id
        || one.problem != other.problem
}
