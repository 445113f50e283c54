//! News of the sessions' folders, for the windows that look at them. Nothing is watched while nobody looks, nothing is asked
//! again and again, and no process is started by what is heard.

mod folders;
mod hearing;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use kandev_git::{self as git, Git};

use crate::api::WorkspaceWatch;

use folders::Folders;
use hearing::Hearing;

/// Tells a window that a session's folder has changed.
type Tell = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// Managed state: the folders that are watched, and for whom.
pub struct Watches {
    tell: Tell,
    watched: Arc<Mutex<Map>>,
    /// Folders that one session takes at most: the system has so many for all programs together.
    limit: usize,
}

/// By session.
type Map = HashMap<String, Watched>;

#[derive(Default)]
struct Watched {
    windows: BTreeSet<String>,
    /// Nothing while it begins.
    hearing: Option<Hearing>,
    problem: Option<String>,
}

/// Folders of one session, where the system wants to know each of them.
const LIMIT: usize = 12_000;

impl Watches {
    /// `tell` gets the window and the session, on a thread of its own.
    pub fn new(tell: impl Fn(&str, &str) + Send + Sync + 'static) -> Self {
        Self {
            tell: Arc::new(tell),
            watched: Arc::default(),
            limit: LIMIT,
        }
    }

    /// Begins to watch for a window. Another one that looks at the same session shares it.
    pub async fn watch(
        &self,
        window: &str,
        session: &str,
        folder: &Path,
        git: Option<Git>,
    ) -> WorkspaceWatch {
        {
            let mut watched = lock(&self.watched);
            if let Some(known) = watched.get_mut(session) {
                known.windows.insert(window.to_owned());
                return WorkspaceWatch {
                    problem: known.problem.clone(),
                };
            }
            let entry = watched.entry(session.to_owned()).or_default();
            entry.windows.insert(window.to_owned());
        }
        let (hearing, problem) = self.begin(session, folder, git).await;
        // If nobody looks any more by now, it ends here.
        let mut watched = lock(&self.watched);
        let replaced = match watched.get_mut(session) {
            Some(entry) => {
                entry.problem.clone_from(&problem);
                std::mem::replace(&mut entry.hearing, hearing)
            }
            None => hearing,
        };
        drop(watched);
        // Its thread may be waiting for the same lock.
        drop(replaced);
        WorkspaceWatch { problem }
    }

    pub fn unwatch(&self, window: &str, session: &str) {
        self.let_go(|windows, known| {
            if known == session {
                windows.remove(window);
            }
        });
    }

    /// The window is gone, or its page is.
    pub fn forget_window(&self, window: &str) {
        self.let_go(|windows, _| {
            windows.remove(window);
        });
    }

    /// The session is gone, or its folder is another one.
    pub fn forget_session(&self, session: &str) {
        let gone = lock(&self.watched).remove(session);
        drop(gone);
    }

    fn let_go(&self, change: impl Fn(&mut BTreeSet<String>, &str)) {
        let mut gone = Vec::new();
        let mut watched = lock(&self.watched);
        watched.retain(|session, entry| {
            change(&mut entry.windows, session);
            if entry.windows.is_empty() {
                gone.push(entry.hearing.take());
            }
            !entry.windows.is_empty()
        });
        drop(watched);
        // Their threads may be waiting for the same lock.
        drop(gone);
    }

    async fn begin(
        &self,
        session: &str,
        folder: &Path,
        git: Option<Git>,
    ) -> (Option<Hearing>, Option<String>) {
        let known = match git {
            Some(git) => git::surroundings(git).await.unwrap_or_default(),
            None => git::Surroundings::default(),
        };
        let folders = Folders::of(folder, &known);
        let on_change = self.on_change(session);
        let (limit, tell) = (self.limit, on_change.clone());
        let all = {
            let folders = folders.clone();
            tokio::task::spawn_blocking(move || Hearing::start(folders.all(limit)?, tell)).await
        };
        let why = match all {
            Ok(Ok(hearing)) => return (Some(hearing), None),
            Ok(Err(why)) => why,
            Err(error) => error.to_string(),
        };
        let few =
            tokio::task::spawn_blocking(move || Hearing::start(folders.few(limit)?, on_change));
        match few.await {
            Ok(Ok(hearing)) => {
                let text = format!(
                    "Not all of the folder is watched: {why} Only what git knows to have changed is; everything else shows when you refresh."
                );
                (Some(hearing), Some(text))
            }
            Ok(Err(error)) => (
                None,
                Some(format!(
                    "The folder cannot be watched: {error} Refresh to see what changed."
                )),
            ),
            Err(error) => (None, Some(error.to_string())),
        }
    }

    fn on_change(&self, session: &str) -> impl Fn() + Clone + Send + 'static {
        let (tell, session) = (Arc::clone(&self.tell), session.to_owned());
        let watched: Weak<Mutex<Map>> = Arc::downgrade(&self.watched);
        move || {
            let Some(watched) = watched.upgrade() else {
                return;
            };
            let windows = lock(&watched)
                .get(&session)
                .map(|entry| entry.windows.clone())
                .unwrap_or_default();
            for window in windows {
                tell(&window, &session);
            }
        }
    }

    #[cfg(test)]
    fn folders(&self, session: &str) -> Vec<std::path::PathBuf> {
        let watched = lock(&self.watched);
        let hearing = watched
            .get(session)
            .and_then(|entry| entry.hearing.as_ref());
        hearing.map(Hearing::folders).unwrap_or_default()
    }
}

fn lock(watched: &Mutex<Map>) -> MutexGuard<'_, Map> {
    watched.lock().unwrap_or_else(PoisonError::into_inner)
}
