//! Hears of changes in the CLI's folders, which may come to be, go and come again at any time: of its sessions, and of the
//! processes that have them open.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::{Terminal, owner};

/// Changes that follow each other within this time are told together.
const TOGETHER: Duration = Duration::from_millis(150);
/// A change is told after this time at the latest, though more follow.
const LATEST: Duration = Duration::from_millis(600);
/// How often it is looked whether a folder that is not watched is there.
const LOOK: Duration = Duration::from_secs(1);

/// Watches until it is dropped.
pub struct Watching {
    news: Sender<News>,
    thread: Option<JoinHandle<()>>,
}

enum News {
    Changed(notify::Result<Event>),
    Stop,
}

impl Terminal {
    /// Calls `on_change` with the ids of the sessions that are new, changed or gone, or that a Claude Code has opened or let
    /// go, from a thread of its own and never while it runs already. The list is refreshed before.
    pub fn watch(&self, on_change: impl FnMut(Vec<String>) + Send + 'static) -> Watching {
        let (news, heard) = channel();
        let watched = Watched {
            folders: self
                .inner
                .projects
                .roots()
                .iter()
                .flat_map(|root| [root.join("projects"), root.join("sessions")])
                .map(|folder| (folder, false))
                .collect(),
            watcher: watcher(news.clone()),
        };
        let terminal = self.clone();
        let thread = std::thread::Builder::new()
            .name("kandev-terminal".to_owned())
            .spawn(move || run(&terminal, watched, &heard, on_change))
            .ok();
        Watching { news, thread }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.news.send(News::Stop);
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

fn watcher(news: Sender<News>) -> Option<RecommendedWatcher> {
    let tell = move |event| {
        let _ = news.send(News::Changed(event));
    };
    notify::recommended_watcher(tell).ok()
}

struct Watched {
    /// Each folder, and whether it is watched now.
    folders: Vec<(PathBuf, bool)>,
    /// Without one, the folders are looked at again and again.
    watcher: Option<RecommendedWatcher>,
}

impl Watched {
    /// Begins to watch what is there now. Whether that is news.
    fn look(&mut self) -> bool {
        let mut news = false;
        for (folder, watched) in &mut self.folders {
            let there = folder.is_dir();
            match (*watched, there, &mut self.watcher) {
                (false, true, Some(watcher)) => {
                    *watched = watcher.watch(folder, RecursiveMode::Recursive).is_ok();
                    news = true;
                }
                (false, true, None) => news = true,
                (true, false, Some(watcher)) => {
                    let _ = watcher.unwatch(folder);
                    *watched = false;
                    news = true;
                }
                _ => {}
            }
        }
        news
    }

    /// A folder that is itself gone, or another one now, has to be watched anew.
    fn heard(&mut self, event: &Event) {
        let gone = |folder: &Path| {
            matches!(
                event.kind,
                EventKind::Remove(_) | EventKind::Modify(notify::event::ModifyKind::Name(_))
            ) && event.paths.iter().any(|path| path == folder)
        };
        for (folder, watched) in &mut self.folders {
            if *watched && gone(folder) {
                if let Some(watcher) = &mut self.watcher {
                    let _ = watcher.unwatch(folder);
                }
                *watched = false;
            }
        }
    }
}

fn run(
    terminal: &Terminal,
    mut watched: Watched,
    heard: &Receiver<News>,
    mut on_change: impl FnMut(Vec<String>),
) {
    let mut open = open_now(terminal);
    // When the first of the changes came that are not told yet, and when the last.
    let mut since: Option<(Instant, Instant)> = None;
    if watched.look() {
        since = Some((Instant::now(), Instant::now()));
    }
    let mut looked = Instant::now();
    loop {
        let wait = match since {
            Some((first, last)) => (last + TOGETHER).min(first + LATEST),
            None => looked + LOOK,
        };
        match heard.recv_timeout(wait.saturating_duration_since(Instant::now())) {
            Ok(News::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            Ok(News::Changed(event)) => {
                // An error, too, may mean that something was missed.
                let reads = event.as_ref().is_ok_and(|event| event.kind.is_access());
                if let Ok(event) = &event {
                    watched.heard(event);
                }
                if !reads {
                    let now = Instant::now();
                    since = Some((since.map_or(now, |(first, _)| first), now));
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            if watched.look() && since.is_none() {
                since = Some((looked, looked));
            }
        }
        let due = since
            .is_some_and(|(first, last)| last.elapsed() >= TOGETHER || first.elapsed() >= LATEST);
        if due {
            since = None;
            // A database that cannot be written leaves the list right, and what changed is told.
            let (mut changed, _) = terminal.look();
            let open_before = std::mem::replace(&mut open, open_now(terminal));
            changed.extend(open_before.symmetric_difference(&open).cloned());
            if !changed.is_empty() {
                on_change(changed);
            }
        }
    }
}

/// Sessions of which a process says that it has them open. Whether it still runs is another question.
fn open_now(terminal: &Terminal) -> BTreeSet<String> {
    let roots = terminal.inner.projects.roots().iter();
    roots
        .flat_map(|root| owner::registered(root))
        .map(|registered| registered.session_id)
        .collect()
}
