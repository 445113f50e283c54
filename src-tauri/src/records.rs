//! What is kept of the sessions, for a runtime that must not wait for the disk: the registry and the journals, the CLI's
//! own folder, who has a conversation open.

mod owners;
mod terminal;

use std::sync::{Arc, Mutex, OnceLock};

use kandev_session::{NewSession, Session};
use kandev_store::{
    Following, Indexer, Owner, Projects, Recorder, Store, StoreError, StoredSession, Terminal,
    Watching,
};
use kandev_transcript::Event;
use tokio::sync::watch;

use crate::api::CommandError;
use terminal::Seen;

pub use terminal::Look;

/// What this program is called to others that want the same conversation.
const WHO: &str = "Kandev Desktop";

/// Cheap to clone.
#[derive(Clone)]
pub struct Records {
    store: Store,
    recorder: Recorder,
    terminal: Terminal,
    projects: Projects,
    news: Arc<watch::Sender<u64>>,
    /// Grows when something changed in the CLI's folder.
    folder: Arc<watch::Sender<u64>>,
    seen: Seen,
    /// Whether a session, by either id, has an actor here, which then is the one that writes its journal.
    lives: Arc<OnceLock<Lives>>,
    /// Held by whoever writes into the journal of a session without one, and while one gets it.
    journals: Arc<tokio::sync::Mutex<()>>,
    /// What runs behind: the search's index, and who listens to the folder.
    behind: Arc<Mutex<Behind>>,
}

type Lives = Box<dyn Fn(&str) -> bool + Send + Sync>;

#[derive(Default)]
struct Behind {
    indexer: Option<Indexer>,
    watching: Option<Watching>,
}

impl Records {
    /// With the conversations that the CLI keeps in these folders.
    pub fn new(store: Store, projects: Projects) -> Self {
        store.expect_indexer();
        Self {
            recorder: store.recorder(),
            terminal: store.terminal(projects.clone()),
            projects,
            store,
            news: Arc::new(watch::Sender::new(0)),
            folder: Arc::new(watch::Sender::new(0)),
            seen: Seen::default(),
            lives: Arc::default(),
            journals: Arc::default(),
            behind: Arc::default(),
        }
    }

    /// Nobody writes into the journal of a session without an actor while this is held.
    pub async fn alone(&self) -> tokio::sync::OwnedMutexGuard<()> {
        Arc::clone(&self.journals).lock_owned().await
    }

    /// Does something with the store, off the runtime's threads.
    pub async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, CommandError> {
        self.blocking(move |store| Ok(work(store)?)).await
    }

    /// The same for what fails otherwise.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, CommandError> + Send + 'static,
    ) -> Result<T, CommandError> {
        let store = self.store.clone();
        let failed = |error: tokio::task::JoinError| CommandError::new("failed", error.to_string());
        tokio::task::spawn_blocking(move || work(&store))
            .await
            .map_err(failed)?
    }

    /// Keeps what a session says from now on.
    pub fn follow(&self, session: &Session, request: &NewSession) -> Following {
        self.recorder.follow(session, request)
    }

    /// Grows whenever there may be something to read that no actor of this program says.
    pub fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    pub fn news_sender(&self) -> Arc<watch::Sender<u64>> {
        Arc::clone(&self.news)
    }

    /// Where the app keeps what is its own.
    pub fn data_dir(&self) -> std::path::PathBuf {
        self.store.data_dir().to_owned()
    }

    /// The folders in which the CLI keeps conversations.
    pub fn projects(&self) -> &Projects {
        &self.projects
    }

    /// Grows whenever this program changes the registry.
    pub fn registry(&self) -> watch::Receiver<u64> {
        self.store.changed()
    }

    /// Whether another program has changed the registry since this was asked last.
    pub async fn others_wrote(&self) -> bool {
        let news = Arc::clone(&self.news);
        let asked = self.with(move |store| {
            let wrote = store.poll_others()?;
            if wrote {
                // In here, since it is said once, and whoever asked may not wait for it any more.
                news.send_modify(|news| *news += 1);
            }
            Ok(wrote)
        });
        asked.await.unwrap_or(false)
    }

    /// What stands at the end of a session's journal.
    pub async fn standing(&self, id: &str) -> Result<Vec<Event>, CommandError> {
        let id = id.to_owned();
        self.with(move |store| store.standing(&id)).await
    }

    /// Writes the row of a new session that begins with the journal of another one, up to a number.
    pub async fn begin_with(
        &self,
        from: &str,
        through: u64,
        row: StoredSession,
    ) -> Result<(), CommandError> {
        let from = from.to_owned();
        self.with(move |store| store.begin_from(&from, through, &row))
            .await
    }

    /// Which program of ours carries a session, if it is another one.
    pub async fn carrier(&self, id: &str) -> Result<Option<Owner>, CommandError> {
        let id = id.to_owned();
        let claimed = self.with(move |store| Ok(store.claimed(&id))).await?;
        Ok(claimed.filter(|owner| owner.pid != std::process::id()))
    }

    /// The number up to which a session has to be copied for a fork at a message; without one, all of it.
    ///
    /// # Errors
    /// `no_such_message`.
    pub async fn through(
        &self,
        row: &StoredSession,
        at: Option<&str>,
    ) -> Result<u64, CommandError> {
        let (id, last) = (row.id.clone(), row.last_seq);
        let Some(at) = at.map(str::to_owned) else {
            return Ok(last);
        };
        let place = self.with(move |store| store.place_of(&id, &at)).await?;
        place.ok_or_else(|| {
            CommandError::new(
                "no_such_message",
                "the message is not in the session's journal",
            )
        })
    }
}
