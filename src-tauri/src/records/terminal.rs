//! The conversations in the CLI's own folder: listed, read in, followed while somebody looks.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kandev_store::{At, Opening, Slice, Source, StoreError, StoredSession};

use super::owners::others;
use super::{Behind, Records, WHO};
use crate::api::{CommandError, OpenedSession};
use crate::past::of_terminal;

/// The sessions that somebody looks at, each as often as it is looked at.
#[derive(Clone, Default)]
pub(super) struct Seen(Arc<Mutex<HashMap<String, usize>>>);

/// Somebody looks at a session until this is dropped.
pub struct Look {
    seen: Seen,
    records: Records,
    id: String,
}

/// Told of a session whose journal is another one than it was.
type OnAnew = Box<dyn Fn(&str) + Send + Sync>;

impl Seen {
    fn has(&self, id: &str) -> bool {
        self.all().contains_key(id)
    }

    fn ids(&self) -> Vec<String> {
        self.all().keys().cloned().collect()
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Look {
    fn drop(&mut self) {
        let mut seen = self.seen.all();
        if let Some(count) = seen.get_mut(&self.id) {
            *count -= 1;
            if *count == 0 {
                seen.remove(&self.id);
                drop(seen);
                self.records.terminal.let_go(&self.id);
            }
        }
    }
}

impl Records {
    /// Somebody looks at a session: what others say in it is read as they say it.
    pub fn look(&self, id: &str) -> Look {
        *self.seen.all().entry(id.to_owned()).or_default() += 1;
        Look {
            seen: self.seen.clone(),
            records: self.clone(),
            id: id.to_owned(),
        }
    }

    /// Grows when something changed in the CLI's folder.
    pub fn folder_changes(&self) -> tokio::sync::watch::Receiver<u64> {
        self.folder.subscribe()
    }

    /// Lists what was in the folder when it was looked at last, maybe by an earlier program.
    pub async fn recall_folder(&self) {
        let terminal = self.terminal.clone();
        // What cannot be recalled is read from the files.
        let _ = self.with(move |_| terminal.recall()).await;
    }

    /// Grows while many files of the folder are read, whenever more of them can be listed.
    pub fn folder_steps(&self) -> tokio::sync::watch::Receiver<u64> {
        self.terminal.steps()
    }

    /// Looks at all files of the folder. After that, and not before, it is listened to and searched.
    pub async fn read_folder(&self) {
        let terminal = self.terminal.clone();
        // What could not be kept of it is read again by the next start.
        let _ = self.with(move |_| terminal.refresh()).await;
        let mut behind = self.behind();
        // Earlier it would have found nothing there to take in. Without one who listens all is over.
        if behind.watching.is_some() && behind.indexer.is_none() {
            behind.indexer = Some(self.store.indexer(self.terminal.clone()));
        }
        drop(behind);
        self.folder.send_modify(|changes| *changes += 1);
    }

    /// Listens to the folder, and keeps the search up with it once it was read. `lives` says whether a session, by either
    /// id, has an actor here, which then is the one that writes its journal; `on_anew` is told of sessions whose journal was
    /// written anew.
    pub fn listen(
        &self,
        lives: impl Fn(&str) -> bool + Send + Sync + 'static,
        on_anew: impl Fn(&str) + Send + Sync + 'static,
    ) {
        // Only the first who listens says so; there is one.
        let _ = self.lives.set(Box::new(lives));
        let records = self.clone();
        let watching = self.terminal.watch(move |changed| {
            records.changed(&changed, &on_anew);
        });
        self.behind().watching = Some(watching);
    }

    /// Ends what runs behind and closes the file. It takes a moment: not for the threads of the runtime.
    pub fn close(&self) {
        let Behind { indexer, watching } = std::mem::take(&mut *self.behind());
        drop((indexer, watching));
        self.store.close();
    }

    fn changed(&self, changed: &[String], on_anew: &dyn Fn(&str)) {
        let changed: HashSet<&str> = changed
            .iter()
            .map(String::as_str)
            .filter(|id| !self.lives(id))
            .collect();
        if changed.is_empty() {
            // What is written for our own sessions is heard from their actors.
            return;
        }
        for id in self.seen.ids() {
            let followed = if changed.contains(id.as_str()) {
                self.terminal.follow(&id).map(|followed| followed.anew)
            } else {
                self.caught_up(&id, &changed).map(|()| false)
            };
            // What cannot be read now is read with the next change, or when it is opened.
            if followed.is_ok_and(|anew| anew) {
                on_anew(&id);
            }
        }
        if let Some(indexer) = &self.behind().indexer {
            indexer.files_changed();
        }
        self.news.send_modify(|news| *news += 1);
        self.folder.send_modify(|changes| *changes += 1);
    }

    fn lives(&self, id: &str) -> bool {
        self.lives.get().is_some_and(|lives| lives(id))
    }

    /// One of ours that went on in a terminal.
    fn caught_up(&self, id: &str, changed: &HashSet<&str>) -> Result<(), StoreError> {
        let Some(row) = self.store.session(id)? else {
            return Ok(());
        };
        let cli = row.cli_session_id.as_deref();
        let is_meant = row.source == Source::Kandev
            && !row.rehearsal
            && cli.is_some_and(|cli| changed.contains(cli));
        if is_meant {
            self.catch_up_now(id)?;
        }
        Ok(())
    }

    /// Rows of the conversations that are not ours.
    pub async fn in_terminal(&self) -> Result<Vec<crate::api::PastSession>, CommandError> {
        let terminal = self.terminal.clone();
        self.with(move |store| {
            let read_in = store.read_in()?;
            let rows = terminal.list()?.into_iter().map(|session| {
                let last_seq = read_in.get(&session.id).copied();
                of_terminal(session, last_seq)
            });
            Ok(rows.collect())
        })
        .await
    }

    /// A conversation of the CLI for a window: its journal, or the end of it while it is read in. `on_anew` is told when
    /// it was.
    pub async fn open_in_terminal(
        &self,
        id: &str,
        at: At,
        rows: usize,
        on_anew: OnAnew,
    ) -> Result<OpenedSession, CommandError> {
        let (id, records) = (id.to_owned(), self.clone());
        self.blocking(move |store| {
            let terminal = &records.terminal;
            let opened = |slice, importing| OpenedSession {
                slice,
                read_only: true,
                importing,
                owner: others(terminal.owner(&id)),
            };
            // Somebody may want a place that only the whole has.
            let opening = match at {
                At::End => terminal.open(&id)?,
                At::Around(_) => terminal.follow(&id).map(|_| Opening::Ready)?,
            };
            match opening {
                Opening::Ready => Ok(opened(store.open_at(&id, at, rows)?, false)),
                Opening::Tail(events) => {
                    let opened = opened(tail(events), true);
                    let (id, records) = (id.clone(), records.clone());
                    std::thread::spawn(move || {
                        if records.terminal.follow(&id).is_ok() {
                            on_anew(&id);
                            records.folder.send_modify(|changes| *changes += 1);
                        }
                    });
                    Ok(opened)
                }
            }
        })
        .await
    }

    /// The row of a conversation of the CLI, all of which is in the journal then.
    pub async fn read_in(&self, id: &str) -> Result<StoredSession, CommandError> {
        let (id, records) = (id.to_owned(), self.clone());
        self.with(move |store| {
            let followed = records.terminal.follow(&id);
            if !records.seen.has(&id) {
                // What it takes to follow it further is as large as the conversation.
                records.terminal.let_go(&id);
            }
            followed?;
            store.session(&id)?.ok_or(StoreError::NoSuchSession(id))
        })
        .await
    }

    /// The row of a conversation of the CLI, without reading it in.
    pub async fn terminal_row(&self, id: &str) -> Result<StoredSession, CommandError> {
        let (id, terminal) = (id.to_owned(), self.terminal.clone());
        self.with(move |_| terminal.row(&id)).await
    }

    /// Makes a conversation of the CLI one of ours, with this row.
    pub async fn take_over(&self, id: &str, row: StoredSession) -> Result<(), CommandError> {
        let (id, terminal) = (id.to_owned(), self.terminal.clone());
        self.with(move |_| terminal.take_over(&id, &row)).await
    }

    /// Whether others have said something in a conversation of ours since we did.
    pub async fn has_news(&self, row: &StoredSession) -> bool {
        let (cli, last) = (row.cli_session_id.clone(), row.last_message_uuid.clone());
        let terminal = self.terminal.clone();
        let newest = self.with(move |_| {
            // It may have been said just now.
            terminal.refresh()?;
            Ok(cli.and_then(|cli| terminal.session(&cli)?.last_message_uuid))
        });
        let newest = newest.await.unwrap_or_default();
        newest.is_some() && newest != last
    }

    /// The title that a conversation has in the CLI's folder, as far as that was looked at.
    pub fn cli_title(&self, cli: &str) -> Option<String> {
        Some(self.terminal.session(cli)?.title)
    }

    /// Adds to the journal of a session of ours without an actor what others have said in it.
    pub async fn catch_up(&self, id: &str) -> Result<(), CommandError> {
        let (id, records) = (id.to_owned(), self.clone());
        self.with(move |_| records.catch_up_now(&id)).await
    }

    /// While whoever carries the session writes its journal, nobody else does.
    fn catch_up_now(&self, id: &str) -> Result<(), StoreError> {
        let _alone = self.journals.blocking_lock();
        if self.lives(id) {
            return Ok(());
        }
        if let Ok(_carrying) = self.store.claim(id, WHO) {
            self.terminal.catch_up(id)?;
        }
        Ok(())
    }

    /// Deletes what the CLI keeps of a conversation, with the parts that it goes on from. There is no way back.
    pub async fn delete_cli_files(&self, cli: &str) -> Result<(), CommandError> {
        let (cli, records) = (cli.to_owned(), self.clone());
        self.blocking(move |_| {
            let terminal = &records.terminal;
            terminal.refresh()?;
            let listed = terminal.list()?.into_iter();
            let parts = listed
                .filter(|session| session.id == cli)
                .flat_map(|session| session.parts);
            // Old ones first: what is left after a fault is the whole.
            let mut ids: Vec<String> = parts.collect();
            ids.push(cli);
            for id in ids {
                let Some(path) = terminal.file(&id) else {
                    continue;
                };
                lies_within(&path, records.projects.roots())?;
                terminal.delete_file(&id)?;
            }
            Ok(())
        })
        .await
    }

    fn behind(&self) -> MutexGuard<'_, Behind> {
        self.behind.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a conversation, in numbers of its own.
fn tail(events: Vec<kandev_transcript::Event>) -> Slice {
    let through = events.last().map_or(0, kandev_transcript::Event::last_seq);
    Slice {
        standing: Vec::new(),
        events,
        from: 1,
        through,
        earlier: true,
        later: false,
        turns_before: 0,
    }
}

/// A file that is deleted lies where the CLI keeps conversations, whatever links say.
fn lies_within(path: &Path, roots: &[std::path::PathBuf]) -> Result<(), CommandError> {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let within = folder.is_some_and(|folder| {
        let mut projects = roots
            .iter()
            .filter_map(|root| root.join("projects").canonicalize().ok());
        projects.any(|projects| folder.starts_with(projects))
    });
    if within {
        return Ok(());
    }
    let text = format!(
        "{} is not where Claude Code keeps its conversations, so it is not deleted",
        path.display()
    );
    Err(CommandError::new("not_deleted", text))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_what_lies_in_a_folder_of_the_cli_is_deleted() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("claude");
        let project = root.join("projects/-work");
        let outside = home.path().join("outside");
        std::fs::create_dir_all(&project).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("projects/door")).unwrap();
        let roots = [root.clone()];
        lies_within(&project.join("a.jsonl"), &roots).unwrap();
        for path in [
            root.join("projects/door/a.jsonl"),
            outside.join("a.jsonl"),
            root.join("settings.json"),
            root.join("projects/gone/a.jsonl"),
        ] {
            let refused = lies_within(&path, &roots).unwrap_err();
            assert_eq!(refused.code, "not_deleted", "{}", path.display());
        }
    }
}
