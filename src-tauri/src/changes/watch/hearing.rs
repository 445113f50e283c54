//! Watches folders until it is dropped, on a thread of its own.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use notify::event::ModifyKind;
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::folders::{Depth, Folders, Watchable};

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
        let watcher = notify::recommended_watcher(tell).map_err(|error| said(&error))?;
        let mut watching = Watching {
            watcher,
            folders: watchable.matters,
            room: watchable.limit,
            #[cfg(test)]
            known: std::sync::Arc::default(),
        };
        for (folder, depth) in &watchable.folders {
            watching.begin(folder, *depth, watchable.limit)?;
        }
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
    /// How many more folders may be watched, each by itself.
    room: usize,
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

    fn begin(&mut self, folder: &Path, depth: Depth, limit: usize) -> Result<(), String> {
        match depth {
            Depth::Whole => self
                .watcher
                .watch(folder, RecursiveMode::Recursive)
                .map_err(|error| said(&error)),
            Depth::Itself => self.add(folder).map(drop),
            Depth::Walked => match self.walk(folder, false) {
                Ok(true) => Ok(()),
                Ok(false) => Err(format!("it has more than {limit} folders.")),
                Err(error) => Err(error),
            },
        }
    }

    /// A folder that is new is watched with all below it, as far as there is room.
    fn follow(&mut self, path: &Path) {
        // Where the system tells all below a folder, this is told too.
        let each = !cfg!(any(target_os = "macos", windows));
        let is_folder = || path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        if each && is_folder() && self.folders.is_followed(path, true) {
            let _ = self.walk(path, true);
        }
    }

    /// False if there is no room for all of it. Each folder is watched before it is read: what comes into it in between is
    /// seen or told.
    fn walk(&mut self, top: &Path, is_new: bool) -> Result<bool, String> {
        let mut next = VecDeque::from([top.to_owned()]);
        while let Some(folder) = next.pop_front() {
            if self.room == 0 {
                return Ok(false);
            }
            if self.add(&folder)? {
                next.extend(self.folders.in_it(&folder, is_new));
            }
        }
        Ok(true)
    }

    /// False if it went meanwhile.
    fn add(&mut self, folder: &Path) -> Result<bool, String> {
        match self.watcher.watch(folder, RecursiveMode::NonRecursive) {
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(said(&error)),
            Ok(()) => {
                self.room = self.room.saturating_sub(1);
                #[cfg(test)]
                self.known
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .push(folder.to_owned());
                Ok(true)
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
