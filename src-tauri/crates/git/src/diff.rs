//! One file against the last commit.

use std::fs;
use std::path::Path;

use kandev_transcript::diff::of_new_file;

use super::listing::{listed, named};
use super::numbers::is_binary;
use super::repository::{Repository, path, place};
use super::status::Entry;
use super::{Git, GitError};
use crate::{GitDiff, GitStatus};

/// Bytes of a diff, and of a new file, that are shown.
const MOST: usize = 8 << 20;

/// The last commit against the file as it is. What git does not list has no diff.
///
/// # Errors
/// Those of the repository, and of running git.
pub async fn diff(git: Git, name: &str) -> Result<GitDiff, GitError> {
    let repository = Repository::of(git).await?;
    let status = listed(&repository).await?;
    let entry = match named(&status, name, &repository.prefix) {
        Ok(entry) => entry.clone(),
        Err(GitError::NotListed(_)) => return Ok(GitDiff::default()),
        Err(error) => return Err(error),
    };
    // Before the first commit all is new.
    if entry.status == GitStatus::Untracked || status.head.is_none() {
        let Some(file) = place(&repository.root, &entry.path) else {
            return Ok(GitDiff::default());
        };
        let name = name.to_owned();
        let read = tokio::task::spawn_blocking(move || new_file(&file, &name));
        return read.await.map_err(std::io::Error::other)?;
    }
    tracked(&repository, &entry).await
}

async fn tracked(repository: &Repository, entry: &Entry) -> Result<GitDiff, GitError> {
    let prefix = repository.prefix.as_bytes();
    let inside = |name: &[u8]| name.starts_with(prefix);
    let names = [Some(&entry.path), entry.old_path.as_ref()];
    let relative = names.into_iter().flatten().all(|name| inside(name));
    let from = |name: &[u8]| {
        // Names count from the folder that git runs in.
        let steps = repository.prefix.matches('/').count();
        let mut full = "../".repeat(steps).into_bytes();
        full.extend_from_slice(name);
        match name.strip_prefix(prefix) {
            Some(rest) => path(rest),
            None => path(&full),
        }
    };
    let mut args: Vec<std::ffi::OsString> = [
        "diff",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",
        "--submodule=short",
        "--find-renames",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--unified=3",
        "--inter-hunk-context=0",
        if relative {
            "--relative"
        } else {
            "--no-relative"
        },
        "HEAD",
        "--",
    ]
    .iter()
    .map(Into::into)
    .collect();
    args.extend(names.into_iter().flatten().map(|name| from(name).into()));
    let said = match repository.ask(&args).await {
        Ok(said) if said.len() > MOST => return Ok(too_large()),
        Err(GitError::TooMuch) => return Ok(too_large()),
        other => other?,
    };
    let text = String::from_utf8_lossy(&said);
    // Of a conflict git says first that it is one.
    let text = match text.strip_prefix("* Unmerged path ") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, diff)| diff),
        None => &text,
    };
    let binary = text
        .lines()
        .take_while(|line| !line.starts_with("@@ "))
        .any(|line| line.starts_with("Binary files "));
    Ok(GitDiff {
        diff: if binary {
            String::new()
        } else {
            text.to_owned()
        },
        binary,
        too_large: false,
    })
}

fn too_large() -> GitDiff {
    GitDiff {
        too_large: true,
        ..GitDiff::default()
    }
}

fn new_file(file: &Path, name: &str) -> Result<GitDiff, GitError> {
    let Ok(meta) = fs::symlink_metadata(file) else {
        return Ok(GitDiff::default());
    };
    if meta.len() > MOST as u64 {
        return Ok(too_large());
    }
    let bytes = if meta.is_symlink() {
        fs::read_link(file)?
            .to_string_lossy()
            .into_owned()
            .into_bytes()
    } else if meta.is_file() {
        fs::read(file)?
    } else {
        return Ok(GitDiff::default());
    };
    if is_binary(&bytes) {
        return Ok(GitDiff {
            binary: true,
            ..GitDiff::default()
        });
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(GitDiff {
        diff: of_new_file(&format!("b/{name}"), &text).text,
        ..GitDiff::default()
    })
}
