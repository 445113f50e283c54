//! The changed files of a session's folder, as git tells them.

use std::collections::HashSet;

use super::numbers::{self, Budget, Content};
use super::repository::{Repository, place};
use super::status::{self, Entry, Status};
use super::{Git, GitError};
use crate::{GitChanges, GitFile, GitStatus};

/// Files that are told.
const FILES_MAX: usize = 2_000;

const STATUS: &[&str] = &[
    "status",
    "--porcelain=v2",
    "--branch",
    "-z",
    "--untracked-files=all",
    // What is in a submodule is its own repository's, whose configuration is not ours to switch off.
    "--ignore-submodules=dirty",
    "--find-renames",
    "--no-ahead-behind",
    "--",
    ".",
];

const COUNTS: &[&str] = &[
    "diff",
    "--numstat",
    "-z",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=dirty",
    "--find-renames",
    "--no-relative",
    "HEAD",
    "--",
    ".",
];

/// Beside a session's folder only what the next commit will hold.
const STAGED_BESIDE: &[&str] = &[
    "diff",
    "--cached",
    "--raw",
    "-z",
    "--no-abbrev",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=dirty",
    "--find-renames",
    "--no-relative",
];

/// What differs from the last commit. A repository that cannot be used is told as a problem.
///
/// # Errors
/// That git could not be run at all.
pub async fn changes(git: Result<Git, GitError>) -> Result<GitChanges, GitError> {
    let repository = match git {
        Ok(git) => Repository::of(git).await,
        Err(error) => Err(error),
    };
    let repository = match repository {
        Ok(repository) => repository,
        Err(GitError::NoRepository) => return Ok(GitChanges::default()),
        Err(GitError::Io(error)) => return Err(error.into()),
        Err(error) => {
            return Ok(GitChanges {
                problem: Some(error.to_string()),
                ..GitChanges::default()
            });
        }
    };
    let root = Some(repository.root.to_string_lossy().into_owned());
    let (status, counts) = tokio::join!(listed(&repository), repository.ask(COUNTS));
    let status = match status {
        Ok(status) => status,
        Err(error) => {
            return Ok(GitChanges {
                root,
                problem: Some(error.to_string()),
                ..GitChanges::default()
            });
        }
    };
    let more = status.entries.len().saturating_sub(FILES_MAX);
    let mut kept = status.entries;
    if more > 0 {
        // What git knows counts for more than a heap of new files.
        kept.sort_by_key(|entry| entry.status == GitStatus::Untracked);
        kept.truncate(FILES_MAX);
        kept.sort_by(|a, b| a.path.cmp(&b.path));
    }
    // Without them the list is right all the same.
    let counts = counts.map(|said| numbers::read(&said)).unwrap_or_default();
    let (root_path, prefix) = (repository.root, repository.prefix);
    let files = tokio::task::spawn_blocking(move || {
        let mut budget = Budget::default();
        let told = |entry: &Entry| {
            let content = match (entry.status, counts.get(&entry.path)) {
                (GitStatus::Conflict, _) => (None, false),
                (_, Some(Some(lines))) => (Some(*lines), false),
                (_, Some(None)) => (None, true),
                (GitStatus::Untracked | GitStatus::Added, None) => {
                    let file = place(&root_path, &entry.path);
                    match file.map(|file| budget.count(&file)) {
                        Some(Content::Lines(lines)) => (Some((lines, 0)), false),
                        Some(Content::Binary) => (None, true),
                        Some(Content::Unknown) | None => (None, false),
                    }
                }
                _ => (None, false),
            };
            file(entry, &prefix, content)
        };
        kept.iter().map(told).collect::<Vec<_>>()
    });
    Ok(GitChanges {
        root,
        branch: status.branch,
        head: status.head,
        files: files.await.unwrap_or_default(),
        more: u32::try_from(more).unwrap_or(u32::MAX),
        problem: None,
    })
}

/// The names of the files that differ from the last commit, for what wants to know no more.
///
/// # Errors
/// Those of the repository.
pub async fn changed(git: Git) -> Result<Vec<String>, GitError> {
    let repository = Repository::of(git).await?;
    let status = listed(&repository).await?;
    let prefix = &repository.prefix;
    let names = status
        .entries
        .iter()
        .map(|entry| shown(&entry.path, prefix));
    Ok(names.collect())
}

fn file(entry: &Entry, prefix: &str, (lines, binary): (Option<(u32, u32)>, bool)) -> GitFile {
    GitFile {
        path: shown(&entry.path, prefix),
        old_path: entry.old_path.as_deref().map(|old| shown(old, prefix)),
        status: entry.status,
        staged: entry.staged,
        unstaged: entry.unstaged,
        added: lines.map(|(added, _)| added),
        removed: lines.map(|(_, removed)| removed),
        binary,
    }
}

/// All that git tells of the folder, and what is staged beside it.
pub(super) async fn listed(repository: &Repository) -> Result<Status, GitError> {
    let mut status = status::read(&repository.ask(STATUS).await?);
    if repository.prefix.is_empty() {
        return Ok(status);
    }
    let staged = status::read_raw(&repository.ask(STAGED_BESIDE).await?);
    let known: HashSet<Vec<u8>> = status
        .entries
        .iter()
        .map(|entry| entry.path.clone())
        .collect();
    let inside = repository.prefix.as_bytes();
    let beside = staged
        .into_iter()
        .filter(|entry| !entry.path.starts_with(inside) && !known.contains(&entry.path));
    status.entries.extend(beside);
    Ok(status)
}

/// A name from the root, as it is shown: from the session's folder.
pub(super) fn shown(name: &[u8], prefix: &str) -> String {
    let name = String::from_utf8_lossy(name);
    let mut up = String::new();
    let mut folder = prefix;
    loop {
        if let Some(rest) = name.strip_prefix(folder) {
            return format!("{up}{rest}");
        }
        up.push_str("../");
        let parent = folder.trim_end_matches('/');
        folder = &folder[..parent.rfind('/').map_or(0, |at| at + 1)];
    }
}

/// The entry that is shown under this name.
///
/// # Errors
/// `NotListed`, `LookAlike`.
pub(super) fn named<'s>(
    status: &'s Status,
    name: &str,
    prefix: &str,
) -> Result<&'s Entry, GitError> {
    let mut found = status
        .entries
        .iter()
        .filter(|entry| shown(&entry.path, prefix) == name);
    match (found.next(), found.next()) {
        (Some(entry), None) => Ok(entry),
        (Some(_), Some(_)) => Err(GitError::LookAlike(name.to_owned())),
        _ => Err(GitError::NotListed(name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shown_from_the_session_s_folder() {
        assert_eq!(shown(b"src/a", ""), "src/a");
        assert_eq!(shown(b"src/a", "src/"), "a");
        assert_eq!(shown(b"src/a", "docs/"), "../src/a");
        assert_eq!(shown(b"a/b/x", "a/c/d/"), "../../b/x");
        assert_eq!(shown(b"a/c/d/e", "a/c/d/"), "e");
        assert_eq!(shown(b"x\xff", ""), "x\u{fffd}");
    }
}
