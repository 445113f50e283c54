//! Watches folders until it is dropped, on a thread of its own.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use notify::event::ModifyKind;
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::folders::{Folders, Watchable};

/// Changes that follow each other within this time are told together.
const TOGETHER: Duration = Duration::from_millis(300);
/// A change is told after this time at the latest, though more follow.
const LATEST: Duration = Duration::from_millis(1_200);

pub(super) struct Hearing {
    news: Sender<News>,
    thread: Option<JoinHandle<()>>,
    #[cfg(test)]
    folders: std::sync::Arc<std::sync::Mutex<Vec<std::path::PathBuf>>>,
}

enum News {
    Changed(notify::Result<Event>),
    Stop,
}

impl Hearing {
    /// # Errors
    /// Why the folders cannot be watched, as a sentence.
    pub(super) fn start(
        watchable: Watchable,
        on_change: impl Fn() + Send + 'static,
    ) -> Result<Self, String> {
        let (news, heard) = channel();
        let teller = news.clone();
        let tell = move |event| {
            let _ = teller.send(News::Changed(event));
        };
        let mut watcher = notify::recommended_watcher(tell).map_err(|error| said(&error))?;
        for (index, folder) in watchable.folders.iter().enumerate() {
            let whole = watchable.recursive && index == 0;
            let mode = if whole {
                RecursiveMode::Recursive
            } else {
                RecursiveMode::NonRecursive
            };
            match watcher.watch(folder, mode) {
                // It went meanwhile.
                Err(error) if index > 0 && is_gone(&error) => {}
                outcome => outcome.map_err(|error| said(&error))?,
            }
        }
        let mut watching = Watching {
            watcher,
            folders: watchable.matters,
            room: watchable
                .grows
                .map(|limit| limit.saturating_sub(watchable.folders.len())),
            #[cfg(test)]
            known: std::sync::Arc::new(std::sync::Mutex::new(watchable.folders)),
        };
        #[cfg(test)]
        let folders = std::sync::Arc::clone(&watching.known);
        let thread = std::thread::Builder::new()
            .name("kandev-changes".to_owned())
            .spawn(move || watching.run(&heard, on_change))
            .map_err(|error| format!("{error}."))?;
        Ok(Self {
            news,
            thread: Some(thread),
            #[cfg(test)]
            folders,
        })
    }

    #[cfg(test)]
    pub(super) fn folders(&self) -> Vec<std::path::PathBuf> {
        self.folders
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone()
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        let _ = self.news.send(News::Stop);
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

struct Watching {
    watcher: RecommendedWatcher,
    folders: Folders,
    /// How many more folders may be watched; nothing if new ones need not be.
    room: Option<usize>,
    #[cfg(test)]
    known: std::sync::Arc<std::sync::Mutex<Vec<std::path::PathBuf>>>,
}

impl Watching {
    fn run(&mut self, heard: &Receiver<News>, on_change: impl Fn()) {
        // When the first of the changes came that are not told yet, and when the last.
        let mut since: Option<(Instant, Instant)> = None;
        loop {
            let news = match since {
                None => heard.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some((first, last)) => {
                    let due = (last + TOGETHER).min(first + LATEST);
                    heard.recv_timeout(due.saturating_duration_since(Instant::now()))
                }
            };
            match news {
                Ok(News::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(News::Changed(event)) => {
                    if self.matters(&event) {
                        let now = Instant::now();
                        since = Some((since.map_or(now, |(first, _)| first), now));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    since = None;
                    on_change();
                }
            }
        }
    }

    fn matters(&mut self, event: &notify::Result<Event>) -> bool {
        // An error, or a queue that ran over, may mean that something was missed.
        let Ok(event) = event else {
            return true;
        };
        if event.need_rescan() {
            return true;
        }
        if event.kind.is_access() {
            return false;
        }
        let comes = matches!(
            event.kind,
            EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_))
        );
        let mut any = false;
        for path in &event.paths {
            if self.folders.matters(path) {
                any = true;
                if comes {
                    self.follow(path);
                }
            }
        }
        any
    }

    /// A folder that is new is watched with all below it, as far as there is room.
    fn follow(&mut self, path: &Path) {
        let Some(room) = self.room else {
            return;
        };
        if !path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            return;
        }
        let Some(folders) = self.folders.below(path, room) else {
            self.room = Some(0);
            return;
        };
        for folder in folders {
            if self
                .watcher
                .watch(&folder, RecursiveMode::NonRecursive)
                .is_ok()
            {
                self.room = self.room.map(|room| room.saturating_sub(1));
                #[cfg(test)]
                self.known
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .push(folder);
            }
        }
    }
}

fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

fn said(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "the system watches as many folders as it can (on Linux fs.inotify.max_user_watches says how many)."
                .to_owned()
        }
        ErrorKind::PathNotFound => "it is not there.".to_owned(),
        _ => format!("{error}."),
    }
}
