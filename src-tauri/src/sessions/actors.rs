//! The actors that there are, and the list that is made of them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indexmap::IndexMap;
use kandev_session::{Session, SessionInfo};
use kandev_store::Following;
use tempfile::TempDir;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::follower::{Hold, follow};
use crate::past::{self, PastList};
use crate::pump::List;
use crate::records::Records;

/// The list is made anew at most this often.
const LIST_TICK: Duration = Duration::from_millis(16);

/// How long it may take until nobody follows a session any more that was let go of.
const FREE_LIMIT: Duration = Duration::from_secs(1);

/// Found by our id; cheap to clone.
#[derive(Clone)]
pub(super) struct Actors(Arc<Inner>);

struct Inner {
    open: Mutex<IndexMap<String, Entry>>,
    changed: Notify,
    /// Grows when one comes or goes.
    news: Arc<watch::Sender<u64>>,
}

pub(super) struct Entry {
    session: Session,
    following: Arc<Following>,
    hold: Hold,
    /// Says that a row changed, for as long as the session is on the list.
    follower: JoinHandle<()>,
    /// The folder of a rehearsal; gone with the entry.
    _scratch: Option<TempDir>,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.follower.abort();
    }
}

impl Entry {
    pub(super) fn new(
        session: Session,
        following: Following,
        hold: Hold,
        records: Records,
        actors: &Actors,
        scratch: Option<TempDir>,
    ) -> Self {
        let say = actors.clone();
        let follower = follow(&session, hold.clone(), records, move || {
            say.0.changed.notify_one();
        });
        Self {
            session,
            following: Arc::new(following),
            hold,
            follower: tokio::spawn(follower),
            _scratch: scratch,
        }
    }

    /// Ends the actor at once; the future is over when what it has said is kept, or cannot be, and another one may be in its
    /// place.
    pub(super) fn end(self) -> impl Future<Output = ()> + Send + 'static {
        let following = Arc::clone(&self.following);
        drop(self);
        async move {
            // It was told in the session when this failed.
            let _ = following.flush().await;
            // Who takes the session up next finds it held otherwise. While its events cannot be kept, nobody waits for that.
            let _ = tokio::time::timeout(FREE_LIMIT, following.over()).await;
        }
    }
}

impl Actors {
    pub(super) fn new(news: Arc<watch::Sender<u64>>) -> Self {
        Self(Arc::new(Inner {
            open: Mutex::default(),
            changed: Notify::new(),
            news,
        }))
    }

    pub(super) fn get(&self, id: &str) -> Option<Session> {
        Some(self.open().get(id)?.session.clone())
    }

    /// Whether there is one for this id, ours or the CLI's.
    pub(super) fn lives(&self, id: &str) -> bool {
        let open = self.open();
        let is_cli = |entry: &Entry| {
            let info = entry.session.info();
            !info.rehearsal && info.cli_session_id.as_deref() == Some(id)
        };
        open.contains_key(id) || open.values().any(is_cli)
    }

    /// What holds the conversation for a session.
    pub(super) fn hold(&self, id: &str) -> Option<Hold> {
        Some(self.open().get(id)?.hold.clone())
    }

    /// What keeps the events of a session.
    pub(super) fn following(&self, id: &str) -> Option<Arc<Following>> {
        Some(Arc::clone(&self.open().get(id)?.following))
    }

    pub(super) fn all(&self) -> Vec<Session> {
        let open = self.open();
        open.values().map(|entry| entry.session.clone()).collect()
    }

    /// Newest first.
    pub(super) fn rows(&self) -> Vec<SessionInfo> {
        let open = self.open();
        open.values()
            .rev()
            .map(|entry| entry.session.info())
            .collect()
    }

    pub(super) fn insert(&self, id: String, entry: Entry) {
        self.open().insert(id, entry);
        self.say();
    }

    pub(super) fn take(&self, id: &str) -> Option<Entry> {
        self.open().shift_remove(id)
    }

    pub(super) fn take_all(&self) -> Vec<Entry> {
        let all = std::mem::take(&mut *self.open());
        all.into_values().collect()
    }

    /// Actors have come or gone.
    pub(super) fn say(&self) {
        self.0.changed.notify_one();
        self.0.news.send_modify(|news| *news += 1);
    }

    fn open(&self) -> std::sync::MutexGuard<'_, IndexMap<String, Entry>> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes the lists whenever something of them may have changed.
pub(super) async fn publish(
    actors: Actors,
    mut past: watch::Receiver<Option<PastList>>,
    list: watch::Sender<List>,
) {
    loop {
        tokio::select! {
            () = actors.0.changed.notified() => {}
            changed = past.changed() => if changed.is_err() {
                // Nobody lists what is past any more; the living are told all the same.
                actors.0.changed.notified().await;
            }
        }
        let rows = actors.rows();
        let past = past
            .borrow_and_update()
            .as_ref()
            .map(|past| past::without(past, &rows));
        list.send_if_modified(|old| update(old, rows, past));
        tokio::time::sleep(LIST_TICK).await;
    }
}

/// Whether anything differs, part by part.
fn update(old: &mut List, living: Vec<SessionInfo>, past: Option<PastList>) -> bool {
    let living_differs = *old.living != living;
    if living_differs {
        old.living = Arc::new(living);
    }
    let same_rows = |a: &PastList, b: &PastList| {
        a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| Arc::ptr_eq(a, b))
    };
    let past_differs = match (&old.past, &past) {
        (Some(old), Some(new)) => !same_rows(old, new),
        (old, new) => old.is_some() != new.is_some(),
    };
    if past_differs {
        old.past = past;
    }
    living_differs || past_differs
}
