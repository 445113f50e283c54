//! The list of sessions in the CLI's folders.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use specta::Type;
use tokio::sync::watch;

use super::chains::{self, Link, Linked};
use super::entry::millis;
use super::glance::Glance;
use super::import::Import;
use super::lines::contains;
use super::looking::Files;
use super::projects::{Folders, Listed, Projects};
use super::sidechains;
use super::tables;
use super::taken_up::{TakenUp, taken_up};
use crate::{Owner, Source, Store, StoreError, StoredSession};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// A session that the CLI keeps and that is none of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct TerminalSession {
    /// The CLI's id.
    pub id: String,
    pub title: String,
    /// The title was given by a person.
    pub titled: bool,
    /// The folder where it began, from which it is resumed; as this system reaches it.
    pub workspace: String,
    pub folder_gone: bool,
    /// RFC 3339.
    pub started_at: String,
    /// RFC 3339, of the file.
    pub updated_at: String,
    #[specta(type = specta_typescript::Number)]
    pub size_bytes: u64,
    /// The session from which it was forked.
    pub forked_from: Option<String>,
    /// Sessions that it goes on from, whose history it holds.
    pub parts: Vec<String>,
    /// When the CLI will delete it, RFC 3339.
    pub cleanup_at: Option<String>,
    /// Where its CLI runs if not here: `wsl:NAME`.
    pub host: Option<String>,
    pub branch: Option<String>,
    pub cli_version: Option<String>,
    pub model: Option<String>,
    pub permission_mode: Option<String>,
    pub last_prompt: Option<String>,
    /// The message after which a resume may cut.
    pub last_message_uuid: Option<String>,
    pub archived: bool,
}

/// The sessions in the CLI's folders. Cheap to clone.
#[derive(Clone)]
pub struct Terminal {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub store: Store,
    pub projects: Projects,
    pub files: Mutex<Files>,
    /// Held during a look at the folders, in which the list can be read.
    pub looking: Mutex<()>,
    pub steps: watch::Sender<u64>,
    /// One for each session that was opened, so that none is imported twice at once.
    pub imports: Mutex<HashMap<String, Arc<Mutex<Import>>>>,
    /// Who had which session open, and when that was looked at.
    pub recent_owners: Mutex<Option<(Instant, HashMap<String, Owner>)>>,
    /// Which file holds which message.
    holds: Mutex<HashMap<(PathBuf, i64, String), bool>>,
}

/// A session's file and what its ends say.
#[derive(Clone)]
pub(super) struct SessionFile {
    pub listed: Listed,
    pub id: String,
    pub glance: Glance,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store {
    /// The sessions of these folders. Nothing is read until [`Terminal::recall`] or [`Terminal::refresh`].
    pub fn terminal(&self, projects: Projects) -> Terminal {
        Terminal {
            inner: Arc::new(Inner {
                store: self.clone(),
                projects,
                files: Mutex::default(),
                looking: Mutex::default(),
                steps: watch::Sender::new(0),
                imports: Mutex::default(),
                recent_owners: Mutex::default(),
                holds: Mutex::default(),
            }),
        }
    }
}

impl Terminal {
    /// The sessions as they were at the last [`Terminal::refresh`], as far as it is, the newest first, without those that
    /// are ours.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn list(&self) -> Result<Vec<TerminalSession>, StoreError> {
        let taken = self.inner.store.read(taken_up)?;
        let mut files = self.files();
        files.sort_by(|a, b| (b.listed.changed, &b.id).cmp(&(a.listed.changed, &a.id)));
        // Two folders may hold a copy of the same session: the newer one counts.
        let mut seen = HashSet::new();
        files.retain(|file| seen.insert(file.id.clone()));
        let links = self.links(&files, &taken);
        let mut parts: HashMap<&str, Vec<String>> = HashMap::new();
        for (id, link) in &links {
            if let Link::PartOf(whole) = link {
                parts.entry(whole).or_default().push(id.clone());
            }
        }
        let mut folders = Folders::default();
        let mut kept_days = HashMap::new();
        let mut list = Vec::with_capacity(files.len());
        for file in &files {
            let own = taken.get(&file.id);
            let hidden = own.is_some_and(|own| own.ours)
                || matches!(links.get(&file.id), Some(Link::PartOf(_)));
            if hidden {
                continue;
            }
            let root = file.listed.root;
            let days = *kept_days
                .entry(root)
                .or_insert_with(|| self.inner.projects.kept_days(root));
            let mut session = self.session_of(file, days, &mut folders);
            if let Some(Link::ForkOf(origin)) = links.get(&file.id) {
                session.forked_from = Some(origin.clone());
            }
            session.parts = parts.remove(file.id.as_str()).unwrap_or_default();
            session.parts.sort();
            if let Some(own) = own {
                session.archived = own.archived;
                if let Some(title) = &own.title {
                    session.title.clone_from(title);
                    session.titled = true;
                }
                if let Some(workspace) = &own.workspace {
                    session.workspace.clone_from(workspace);
                    session.folder_gone = folders.gone(workspace);
                }
            }
            list.push(session);
        }
        Ok(list)
    }

    /// One session, whether it is ours, listed or a part of another. Its links to others are not looked for.
    pub fn session(&self, id: &str) -> Option<TerminalSession> {
        let file = self.session_file(id)?;
        let days = self.inner.projects.kept_days(file.listed.root);
        Some(self.session_of(&file, days, &mut Folders::default()))
    }

    /// Where a session is kept.
    pub fn file(&self, id: &str) -> Option<PathBuf> {
        Some(self.session_file(id)?.listed.path)
    }

    /// The row of a session of a terminal, made when there is none: what a person gives it (a name, a place in the archive)
    /// is kept there.
    ///
    /// # Errors
    /// `NoSuchSession`, also for one that is ours by now, and when the database cannot be written.
    pub fn row(&self, id: &str) -> Result<StoredSession, StoreError> {
        match self.inner.store.session(id)? {
            Some(row) if row.id == id || row.source == Source::Terminal => return Ok(row),
            // A second row would keep a second journal of it, which nobody lists and nobody deletes.
            Some(_) => return Err(StoreError::NoSuchSession(id.to_owned())),
            None => {}
        }
        let session = self
            .session(id)
            .ok_or_else(|| StoreError::NoSuchSession(id.to_owned()))?;
        let row = super::import::row_of(&session);
        self.inner.store.put(&row)?;
        self.inner
            .store
            .write(move |tx| tables::title_of_file(tx, &session.id, &session.title))?;
        Ok(row)
    }

    /// Deletes the CLI's own file of a session, and what belongs to it. There is no way back.
    ///
    /// # Errors
    /// `NoSuchSession`, and when it cannot be deleted; the text names the file.
    pub fn delete_file(&self, id: &str) -> Result<(), StoreError> {
        let path = self
            .file(id)
            .ok_or_else(|| StoreError::NoSuchSession(id.to_owned()))?;
        let remove = |path: &Path| {
            fs::remove_file(path).map_err(|error| super::reading::named(path, &error))
        };
        // Old versions keep subagents among the sessions; those in a folder of the session's own go with that. The session
        // itself goes after them: what is left after a fault is still listed.
        let agents = sidechains::files(&path, id).into_iter();
        for agent in agents.filter(|agent| agent.parent() == path.parent()) {
            remove(&agent)?;
        }
        remove(&path)?;
        let beside = path.with_extension("");
        match fs::remove_dir_all(&beside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(super::reading::named(&beside, &error));
            }
            _ => {}
        }
        let id = id.to_owned();
        self.inner
            .store
            .write(move |tx| tables::forget_import(tx, &id))?;
        self.refresh().map(|_| ())
    }

    /// The files in which somebody speaks.
    pub(super) fn files(&self) -> Vec<Arc<SessionFile>> {
        let files = lock(&self.inner.files);
        let talking = files
            .all
            .values()
            .filter(|file| file.glance.talks && !file.glance.sidechain);
        talking.cloned().collect()
    }

    pub(super) fn session_file(&self, id: &str) -> Option<SessionFile> {
        let files = lock(&self.inner.files);
        let of_id = files.all.values().filter(|file| file.id == id);
        let newest = of_id.max_by_key(|file| file.listed.changed);
        newest.map(|file| SessionFile::clone(file))
    }

    fn session_of(&self, file: &SessionFile, days: u64, folders: &mut Folders) -> TerminalSession {
        let SessionFile { listed, id, glance } = file;
        let cwd = glance.cwd.as_deref().unwrap_or_default();
        let workspace = self.inner.projects.reached(listed.root, cwd);
        let host = self.inner.projects.host(listed.root);
        let changed_ms = (listed.changed / 1_000_000).cast_unsigned();
        let began = glance.began.as_deref().map_or(0, millis);
        TerminalSession {
            id: id.clone(),
            title: glance.title().unwrap_or(id).to_owned(),
            titled: glance.custom_title.is_some(),
            // One of another system may keep whoever looks for it waiting.
            folder_gone: host.is_none() && folders.gone(&workspace),
            workspace,
            started_at: match u64::try_from(began) {
                Ok(began) if began > 0 => kandev_transcript::at(began),
                _ => kandev_transcript::at((glance.made / 1_000_000).cast_unsigned()),
            },
            updated_at: kandev_transcript::at(changed_ms),
            size_bytes: listed.size,
            forked_from: None,
            parts: Vec::new(),
            cleanup_at: Some(kandev_transcript::at(
                changed_ms.saturating_add(days.saturating_mul(DAY_MS)),
            )),
            host,
            branch: glance.branch.clone(),
            cli_version: glance.version.clone(),
            model: glance.model.clone(),
            permission_mode: glance.mode.clone(),
            last_prompt: glance.last_prompt.clone(),
            last_message_uuid: glance.last_message_uuid.clone(),
            archived: false,
        }
    }

    fn links(
        &self,
        files: &[Arc<SessionFile>],
        taken: &HashMap<String, TakenUp>,
    ) -> HashMap<String, Link> {
        let by_id: HashMap<&str, &SessionFile> = files
            .iter()
            .map(|file| (file.id.as_str(), &**file))
            .collect();
        let linked: Vec<Linked> = files
            .iter()
            .filter_map(|file| {
                Some(Linked {
                    id: &file.id,
                    first_uuid: file.glance.first_uuid.as_deref()?,
                    last_uuid: file.glance.last_message_uuid.as_deref(),
                    changed: file.listed.changed,
                    made: file.glance.made,
                    forked: taken.get(&file.id).is_some_and(|own| own.ours),
                })
            })
            .collect();
        chains::links(&linked, &mut |id, uuid| {
            by_id.get(id).is_some_and(|file| self.holds(file, uuid))
        })
    }

    /// Whether a file has a message. The answer is kept as long as the file is the same.
    fn holds(&self, file: &SessionFile, uuid: &str) -> bool {
        if file.glance.last_message_uuid.as_deref() == Some(uuid) {
            return true;
        }
        let key = (
            file.listed.path.clone(),
            file.listed.changed,
            uuid.to_owned(),
        );
        if let Some(known) = lock(&self.inner.holds).get(&key) {
            return *known;
        }
        let found = contains(&file.listed.path, uuid.as_bytes());
        lock(&self.inner.holds).insert(key, found);
        found
    }
}
