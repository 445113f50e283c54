//! Which folders are watched, and what of what is heard there matters.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kandev_git::Surroundings;

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

/// Folders of changed files that are watched where not all can be.
const FEW: usize = 512;

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

/// How far down a folder is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// What is in it, and not what is below.
    Itself,
    /// Each folder below it by itself, as long as there are not too many.
    Walked,
    /// All below it, which the system tells at no cost.
    Whole,
}

/// What is to be watched, and what of it matters.
pub(super) struct Watchable {
    pub(super) folders: Vec<(PathBuf, Depth)>,
    /// Folders that are watched at most, each by itself.
    pub(super) limit: usize,
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
    /// The folder is not there.
    pub(super) fn all(self, limit: usize) -> Result<Watchable, String> {
        self.is_there()?;
        let depth = if cfg!(any(target_os = "macos", windows)) {
            Depth::Whole
        } else {
            Depth::Walked
        };
        let mut folders = vec![(self.workspace.clone(), depth)];
        folders.extend(self.of_git());
        Ok(Watchable {
            folders,
            limit,
            matters: self,
        })
    }

    /// What git keeps, and where it knows of changes.
    ///
    /// # Errors
    /// The folder is not there.
    pub(super) fn few(self, limit: usize) -> Result<Watchable, String> {
        self.is_there()?;
        let parents: BTreeSet<&Path> = self
            .changed
            .iter()
            .filter_map(|file| file.parent())
            .filter(|folder| *folder != self.workspace && folder.is_dir())
            .take(FEW)
            .collect();
        let itself = |folder: &Path| (folder.to_owned(), Depth::Itself);
        let mut folders = vec![itself(&self.workspace)];
        folders.extend(parents.into_iter().map(itself));
        folders.extend(self.of_git());
        Ok(Watchable {
            folders,
            limit: limit.max(2 * FEW),
            matters: self,
        })
    }

    fn is_there(&self) -> Result<(), String> {
        if self.workspace.is_dir() {
            return Ok(());
        }
        Err("it is not there.".to_owned())
    }

    fn of_git(&self) -> impl Iterator<Item = (PathBuf, Depth)> {
        let each = |git: &PathBuf| {
            let refs = git.join("refs/heads");
            [(git.clone(), Depth::Itself), (refs, Depth::Walked)]
        };
        let all: Vec<_> = self.git.iter().flat_map(each).collect();
        all.into_iter().filter(|(folder, _)| folder.is_dir())
    }

    /// The folders in this one that are followed. Of a new folder, those that programs make are not.
    pub(super) fn in_it(&self, folder: &Path, is_new: bool) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        entries
            .flatten()
            // Links are not followed: a circle would have no end.
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .filter(|path| self.is_followed(path, is_new))
            .collect()
    }

    pub(super) fn is_followed(&self, folder: &Path, is_new: bool) -> bool {
        self.follows(folder) && !(is_new && is_made(folder))
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
