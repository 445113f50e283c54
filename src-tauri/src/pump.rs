//! The pump of one window: gathers events of all watched sessions and sends them in batches, no faster than the page
//! takes them. It knows cursors and a channel, and nothing of what the events say.
//!
//! A session's journal is read through a cursor, so a page that is slow, or hidden, costs a number and no queue. Deltas
//! are never merged here: a watcher relies on `seq` having no gaps.

mod told;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kandev_session::SessionInfo;
use kandev_transcript::{Event, FIELD_MAX, slim};
use serde_json::value::RawValue;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::api::StreamMsg;
use crate::past::PastList;
use told::Told;

/// One frame of a 60 Hz display.
const TICK: Duration = Duration::from_millis(16);
/// Events in one message.
const BATCH_MAX: usize = 1000;
/// Bytes of JSON after which a message is sent without waiting for more.
const BATCH_BYTES: usize = 1024 * 1024;
/// Messages that the page has not acknowledged.
const OPEN_MAX: u32 = 4;
/// Events that wait between the cursors and the pump.
const QUEUE: usize = 2 * BATCH_MAX;

/// The sessions as they are now. Shared, for every window gets the same.
#[derive(Debug, Clone, Default)]
pub struct List {
    /// Those with an actor, newest first.
    pub living: Arc<Vec<SessionInfo>>,
    /// Those without; nothing until they have been read.
    pub past: Option<PastList>,
}

/// Where the events of one session come from. Dropping the future of `next` loses nothing.
pub trait Source: Send + 'static {
    /// The next events in order; `None` when there will be no more.
    fn next(&mut self) -> impl Future<Output = Option<Vec<Arc<Event>>>> + Send;
}

impl Source for kandev_session::Subscription {
    async fn next(&mut self) -> Option<Vec<Arc<Event>>> {
        Self::next(self).await
    }
}

/// Feeds one channel until it is dropped.
pub struct Pump {
    queue: mpsc::Sender<Item>,
    watches: Arc<Mutex<Watches>>,
    credit: Arc<Credit>,
    task: JoinHandle<()>,
}

struct Item {
    session: Arc<str>,
    /// Which watch it was read for; one that was replaced since is void.
    watch: u64,
    event: Arc<Event>,
}

#[derive(Default)]
struct Watches {
    count: u64,
    /// By session: the number of its newest watch and the task that reads for it.
    open: HashMap<String, (u64, JoinHandle<()>)>,
}

impl Pump {
    /// Starts on the running tokio runtime. `send` returns false once nobody can hear it any more.
    pub fn start(
        list: watch::Receiver<List>,
        send: impl Fn(StreamMsg) -> bool + Send + 'static,
    ) -> Self {
        let (queue, items) = mpsc::channel(QUEUE);
        let watches = Arc::default();
        let credit = Arc::new(Credit::default());
        let loop_state = Loop {
            list,
            items,
            watches: Arc::clone(&watches),
            credit: Arc::clone(&credit),
            told: Told::default(),
            send: Box::new(send),
        };
        Self {
            queue,
            watches,
            credit,
            task: tokio::spawn(loop_state.run()),
        }
    }

    /// Sends what the source gives. An earlier watch of the same session ends.
    pub fn watch(&self, session: &str, mut source: impl Source) {
        let mut watches = self.watches();
        watches.count += 1;
        let watch = watches.count;
        let queue = self.queue.clone();
        let name: Arc<str> = session.into();
        let task = tokio::spawn(async move {
            while let Some(events) = source.next().await {
                for event in events {
                    if queue
                        .send(Item {
                            session: Arc::clone(&name),
                            watch,
                            event,
                        })
                        .await
                        .is_err()
                    {
                        return;
                    }
                }
            }
        });
        if let Some((_, earlier)) = watches.open.insert(session.to_owned(), (watch, task)) {
            earlier.abort();
        }
    }

    pub fn unwatch(&self, session: &str) {
        if let Some((_, task)) = self.watches().open.remove(session) {
            task.abort();
        }
    }

    /// The page has taken so many messages.
    pub fn acknowledge(&self, count: u32) {
        self.credit.give_back(count);
    }

    fn watches(&self) -> std::sync::MutexGuard<'_, Watches> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        self.task.abort();
        for (_, (_, task)) in self.watches().open.drain() {
            task.abort();
        }
    }
}

/// How many messages are on their way.
#[derive(Default)]
struct Credit {
    open: Mutex<u32>,
    freed: Notify,
}

impl Credit {
    async fn take(&self) {
        loop {
            let freed = self.freed.notified();
            {
                let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
                if *open < OPEN_MAX {
                    *open += 1;
                    return;
                }
            }
            freed.await;
        }
    }

    fn give_back(&self, count: u32) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open = open.saturating_sub(count);
        self.freed.notify_one();
    }
}

struct Loop {
    list: watch::Receiver<List>,
    items: mpsc::Receiver<Item>,
    watches: Arc<Mutex<Watches>>,
    credit: Arc<Credit>,
    told: Told,
    send: Box<dyn Fn(StreamMsg) -> bool + Send>,
}

/// The events of one message, session by session.
#[derive(Default)]
struct Batch {
    sessions: Vec<(Arc<str>, Vec<Box<RawValue>>)>,
    events: usize,
    bytes: usize,
}

impl Batch {
    fn is_full(&self) -> bool {
        self.events >= BATCH_MAX || self.bytes >= BATCH_BYTES
    }

    fn add(&mut self, session: Arc<str>, event: Box<RawValue>) {
        self.events += 1;
        self.bytes += event.get().len();
        match self
            .sessions
            .iter_mut()
            .find(|(known, _)| *known == session)
        {
            Some((_, events)) => events.push(event),
            None => self.sessions.push((session, vec![event])),
        }
    }
}

/// The event as it crosses: of what is too long for a row only the beginning and the end.
fn for_page(event: &Event) -> serde_json::Result<Box<RawValue>> {
    let json = serde_json::value::to_raw_value(event)?;
    if json.get().len() <= FIELD_MAX {
        return Ok(json);
    }
    let mut event = event.clone();
    slim(&mut event);
    serde_json::value::to_raw_value(&event)
}

impl Loop {
    async fn run(mut self) {
        self.list.mark_changed();
        let mut last_flush: Option<Instant> = None;
        while let Some(first) = self.next().await {
            self.credit.take().await;
            let mut held_credit = true;
            // In the past when nothing was sent for a frame: then what is there goes at once.
            let due = last_flush.map_or_else(Instant::now, |flush| flush + TICK);
            let batch = self.gather(first, due).await;
            last_flush = Some(Instant::now());
            for message in self.messages(batch) {
                if !std::mem::take(&mut held_credit) {
                    self.credit.take().await;
                }
                if !(self.send)(message) {
                    return;
                }
            }
            if held_credit {
                self.credit.give_back(1);
            }
        }
    }

    /// Waits for something to send: an event, or (`Some(None)`) a changed list. `None` once both ends are gone.
    async fn next(&mut self) -> Option<Option<Item>> {
        tokio::select! {
            changed = self.list.changed() => match changed {
                Ok(()) => { self.list.mark_changed(); Some(None) }
                Err(_) => self.items.recv().await.map(Some),
            },
            item = self.items.recv() => item.map(Some),
        }
    }

    async fn gather(&mut self, first: Option<Item>, due: Instant) -> Batch {
        let mut batch = Batch::default();
        if let Some(item) = first {
            self.take(item, &mut batch);
        }
        while !batch.is_full() {
            match self.items.try_recv() {
                Ok(item) => self.take(item, &mut batch),
                Err(_) => match timeout_at(due, self.items.recv()).await {
                    Ok(Some(item)) => self.take(item, &mut batch),
                    Ok(None) | Err(_) => break,
                },
            }
        }
        batch
    }

    fn take(&self, item: Item, batch: &mut Batch) {
        let is_current = {
            let watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
            watches
                .open
                .get(&*item.session)
                .is_some_and(|(watch, _)| *watch == item.watch)
        };
        if !is_current {
            return;
        }
        // An event holds nothing but text, numbers and JSON, so this cannot fail.
        if let Ok(json) = for_page(&item.event) {
            batch.add(item.session, json);
        }
    }

    fn messages(&mut self, batch: Batch) -> Vec<StreamMsg> {
        let changed = self.list.has_changed().unwrap_or(false);
        let lists = if changed {
            let list = self.list.borrow_and_update().clone();
            self.told.news(list)
        } else {
            Vec::new()
        };
        let events = batch
            .sessions
            .into_iter()
            .map(|(session, events)| StreamMsg::Events {
                session: session.as_ref().to_owned(),
                events,
            });
        lists.into_iter().chain(events).collect()
    }
}

#[cfg(test)]
mod tests;
