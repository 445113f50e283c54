//! What keeps the list true: a look at every file of the folders, which reads the ends of those that changed.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::watch;

use super::Terminal;
use super::catalogue::{SessionFile, lock};
use super::glance::glance;
use super::projects::Listed;
use super::tables::{self, Known};
use crate::StoreError;

/// So many files are listed as soon as they are read: a window shows no more of a list at once.
const FIRST: usize = 200;
/// So many more are listed at a time after them. To make the list costs a little each time.
const MORE: usize = 600;

/// The files that are listed.
#[derive(Default)]
pub(super) struct Files {
    /// What the database knows was taken over.
    recalled: bool,
    /// Files that the database knows, in none of these folders.
    strangers: Vec<PathBuf>,
    pub all: HashMap<PathBuf, Arc<SessionFile>>,
}

/// How the folders differ from what is listed.
struct Differences {
    /// Files that are new or changed, the newest first, each with what is known of it.
    unread: Vec<(Listed, Option<Arc<SessionFile>>)>,
    gone: Vec<PathBuf>,
}

impl Terminal {
    /// Lists what an earlier look has found, unless that was done: it takes no look at the folders, so a file may have
    /// changed since or be gone.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn recall(&self) -> Result<(), StoreError> {
        let mut files = lock(&self.inner.files);
        if std::mem::replace(&mut files.recalled, true) {
            return Ok(());
        }
        for (path, known) in self.inner.store.read(tables::known)? {
            let Some(root) = self.inner.projects.root_of(&path) else {
                files.strangers.push(path);
                continue;
            };
            let Known {
                size,
                changed,
                glance,
            } = known;
            let file = SessionFile {
                id: id_of(&path),
                listed: Listed {
                    path: path.clone(),
                    root,
                    size,
                    changed,
                },
                glance,
            };
            files.all.insert(path, Arc::new(file));
        }
        Ok(())
    }

    /// Looks at every file, and reads the ends of those that changed. Gives the ids of sessions that are new, changed or
    /// gone since the last time, in this program or another one.
    ///
    /// # Errors
    /// When the database cannot be read or written; the list is right all the same.
    pub fn refresh(&self) -> Result<Vec<String>, StoreError> {
        let (changed, kept) = self.look();
        kept.map(|()| changed)
    }

    /// Grows while a look has many files to read, whenever more of them are listed. The newest are read first.
    pub fn steps(&self) -> watch::Receiver<u64> {
        self.inner.steps.subscribe()
    }

    /// The same as [`Terminal::refresh`], and whether what was read is kept for the next start.
    pub(super) fn look(&self) -> (Vec<String>, Result<(), StoreError>) {
        // Another one would read the same files.
        let _alone = lock(&self.inner.looking);
        let mut kept = self.recall();
        let Differences { unread, mut gone } = self.differences();
        let mut read: Vec<Arc<SessionFile>> = Vec::with_capacity(unread.len());
        let (mut listed, mut step) = (0, FIRST);
        for (now, old) in unread {
            let Ok(new) = glance(&now.path) else {
                // It went away, or may not be read: then it cannot be opened either.
                gone.extend(old.map(|_| now.path));
                continue;
            };
            let glance = match old {
                Some(old) if old.listed.size <= now.size => new.keep(old.glance.clone()),
                _ => new,
            };
            read.push(Arc::new(SessionFile {
                id: id_of(&now.path),
                listed: now,
                glance,
            }));
            if read.len() - listed == step {
                self.put(&read[listed..], &gone);
                (listed, step) = (read.len(), MORE);
                self.inner.steps.send_modify(|steps| *steps += 1);
            }
        }
        self.put(&read[listed..], &gone);
        let mut changed: Vec<String> = read.iter().map(|file| file.id.clone()).collect();
        changed.extend(gone.iter().map(|path| id_of(path)));
        gone.append(&mut lock(&self.inner.files).strangers);
        if !read.is_empty() || !gone.is_empty() {
            let store = &self.inner.store;
            kept = kept.and(store.write(move |tx| tables::keep(tx, &read, &gone)));
        }
        (changed, kept)
    }

    fn differences(&self) -> Differences {
        let now = self.inner.projects.files();
        let files = lock(&self.inner.files);
        let seen: HashSet<&Path> = now.iter().map(|listed| listed.path.as_path()).collect();
        let paths = files.all.keys();
        let gone = paths.filter(|path| !seen.contains(path.as_path()));
        let gone = gone.cloned().collect();
        let with_old = now.into_iter().map(|listed| {
            let old = files.all.get(&listed.path).cloned();
            (listed, old)
        });
        let differs = |(listed, old): &(Listed, Option<Arc<SessionFile>>)| {
            old.as_ref().is_none_or(|old| old.listed != *listed)
        };
        let mut unread: Vec<_> = with_old.filter(differs).collect();
        // What a person looks for, and what goes on from another session before that, which so is never listed alone.
        unread.sort_by_key(|(listed, _)| std::cmp::Reverse(listed.changed));
        Differences { unread, gone }
    }

    /// Lists what was read, and what is gone no more, at once.
    fn put(&self, read: &[Arc<SessionFile>], gone: &[PathBuf]) {
        let mut files = lock(&self.inner.files);
        for path in gone {
            files.all.remove(path);
        }
        for file in read {
            files.all.insert(file.listed.path.clone(), Arc::clone(file));
        }
    }
}

/// The CLI's id of a session: the name of its file.
fn id_of(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
