//! What has to be known to hear of changes without asking git for each: where it keeps its own, what it ignores, and which
//! files have changed.

use std::path::PathBuf;

use super::listing::listed;
use super::repository::{Repository, path};
use super::{Git, GitError};

/// Paths are from the session's folder, or in full.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The repository's own folder, and the one that its worktrees share.
    pub git_folders: Vec<PathBuf>,
    /// Folders that are ignored as a whole.
    pub ignored: Vec<PathBuf>,
    pub changed: Vec<PathBuf>,
}

/// # Errors
/// Those of the repository.
pub async fn surroundings(git: Git) -> Result<Surroundings, GitError> {
    const IGNORED: &[&str] = &[
        "ls-files",
        "--others",
        "--ignored",
        "--exclude-standard",
        "--directory",
        "-z",
        "--",
        ".",
    ];
    let repository = Repository::of(git).await?;
    let (own, shared, ignored, status) = tokio::join!(
        repository.ask(&["rev-parse", "--absolute-git-dir"]),
        repository.ask(&["rev-parse", "--git-common-dir"]),
        repository.ask(IGNORED),
        listed(&repository),
    );
    let folder = |said: Vec<u8>| {
        let line = said.strip_suffix(b"\n").unwrap_or(&said);
        repository.git.folder.join(path(line))
    };
    let mut git_folders = vec![folder(own?)];
    if let Some(shared) = shared.ok().map(folder)
        && shared.canonicalize().ok() != git_folders[0].canonicalize().ok()
    {
        git_folders.push(shared);
    }
    // Without these more is heard than has to be.
    let ignored = ignored.unwrap_or_default();
    let ignored = ignored
        .split(|byte| *byte == 0)
        .filter_map(|name| name.strip_suffix(b"/"))
        .map(path)
        .collect();
    let inside = repository.prefix.as_bytes();
    let changed = status.map(|status| status.entries).unwrap_or_default();
    let changed = changed
        .iter()
        .filter_map(|entry| entry.path.strip_prefix(inside))
        .map(path)
        .collect();
    Ok(Surroundings {
        git_folders,
        ignored,
        changed,
    })
}
