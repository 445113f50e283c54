//! Which folders are watched, and what of what is heard there matters.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use crate::git::Surroundings;

/// Made by programs, and large: not followed where git does not say what it ignores, as of a folder that is new.
const MADE: &[&str] = &[
    "node_modules",
    "target",
    ".venv",
    "venv",
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".gradle",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".turbo",
    ".cache",
    ".hg",
    ".svn",
];

/// The files of a repository that say what is committed and staged.
const OF_GIT: &[&str] = &[
    "index",
    "HEAD",
    "packed-refs",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "ORIG_HEAD",
];

/// What is to be watched for one session.
#[derive(Debug, Clone)]
pub(super) struct Folders {
    workspace: PathBuf,
    /// Of the repository: its own folder, and the one that its worktrees share.
    git: Vec<PathBuf>,
    /// Git has said what it ignores.
    git_says: bool,
    ignored: BTreeSet<PathBuf>,
    changed: Vec<PathBuf>,
}

/// Folders, each without those below it, and what of them matters.
pub(super) struct Watchable {
    pub(super) folders: Vec<PathBuf>,
    /// The rest of it is below the first folder, and told by the system too.
    pub(super) recursive: bool,
    /// New folders are watched too, as long as there are no more than this.
    pub(super) grows: Option<usize>,
    pub(super) matters: Folders,
}

impl Folders {
    pub(super) fn of(workspace: &Path, known: &Surroundings) -> Self {
        let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        let workspace = real(&workspace.to_owned());
        let within = |path: &PathBuf| workspace.join(path);
        Self {
            git: known.git_folders.iter().map(real).collect(),
            git_says: !known.git_folders.is_empty(),
            ignored: known.ignored.iter().map(within).collect(),
            changed: known.changed.iter().map(within).collect(),
            workspace,
        }
    }

    /// All of the folder that can change what git says.
    ///
    /// # Errors
    /// The folder is not there, or there are more than so many.
    pub(super) fn all(self, limit: usize) -> Result<Watchable, String> {
        self.is_there()?;
        let recursive = cfg!(any(target_os = "macos", windows));
        let mut folders = if recursive {
            vec![self.workspace.clone()]
        } else {
            walk(&self.workspace, limit, &|folder| self.follows(folder))
                .ok_or_else(|| format!("it has more than {limit} folders."))?
        };
        folders.extend(self.of_git());
        Ok(Watchable {
            folders,
            recursive,
            grows: (!recursive).then_some(limit),
            matters: self,
        })
    }

    /// What git keeps, and where it knows of changes.
    ///
    /// # Errors
    /// The folder is not there.
    pub(super) fn few(self, limit: usize) -> Result<Watchable, String> {
        self.is_there()?;
        let mut folders: BTreeSet<PathBuf> = self
            .changed
            .iter()
            .filter_map(|file| Some(file.parent()?.to_owned()))
            .take(limit.min(512))
            .collect();
        folders.insert(self.workspace.clone());
        folders.extend(self.of_git());
        Ok(Watchable {
            folders: folders.into_iter().collect(),
            recursive: false,
            grows: None,
            matters: self,
        })
    }

    fn is_there(&self) -> Result<(), String> {
        if self.workspace.is_dir() {
            return Ok(());
        }
        Err("it is not there.".to_owned())
    }

    fn of_git(&self) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        for git in &self.git {
            folders.push(git.clone());
            let refs = git.join("refs/heads");
            folders.extend(walk(&refs, 512, &|_| true).unwrap_or_default());
        }
        folders.retain(|folder| folder.is_dir());
        folders
    }

    /// A new folder with all below it that is followed; nothing if there are more than so many.
    pub(super) fn below(&self, folder: &Path, limit: usize) -> Option<Vec<PathBuf>> {
        let follows = |folder: &Path| self.follows(folder) && !is_made(folder);
        if !follows(folder) {
            return Some(Vec::new());
        }
        walk(folder, limit, &follows)
    }

    /// Whether what is in this folder can matter.
    fn follows(&self, folder: &Path) -> bool {
        let of_git = folder.file_name().is_some_and(|name| name == ".git");
        let made = !self.git_says && is_made(folder);
        !of_git && !made && !self.ignored.contains(folder)
    }

    /// Whether a change of this path can change what git says.
    pub(super) fn matters(&self, path: &Path) -> bool {
        for git in &self.git {
            if let Ok(below) = path.strip_prefix(git) {
                return of_git(below);
            }
        }
        let Ok(below) = path.strip_prefix(&self.workspace) else {
            return true;
        };
        let mut so_far = self.workspace.clone();
        for part in below.components() {
            so_far.push(part);
            if !self.follows(&so_far) {
                return false;
            }
        }
        // Ours, on its way to become a file.
        !path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(".kandev-"))
    }
}

fn is_made(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| MADE.contains(&name))
}

fn of_git(below: &Path) -> bool {
    let lock = below.extension().is_some_and(|end| end == "lock");
    let named = OF_GIT.iter().any(|name| below == Path::new(name));
    !lock && (named || below.starts_with("refs/heads") || below == Path::new("info/exclude"))
}

fn walk(top: &Path, limit: usize, follows: &dyn Fn(&Path) -> bool) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut next = VecDeque::from([top.to_owned()]);
    while let Some(folder) = next.pop_front() {
        if found.len() >= limit {
            return None;
        }
        if let Ok(entries) = fs::read_dir(&folder) {
            for entry in entries.flatten() {
                // Links are not followed: a circle would have no end.
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let path = entry.path();
                if is_folder && follows(&path) {
                    next.push_back(path);
                }
            }
            found.push(folder);
        }
    }
    Some(found)
}
