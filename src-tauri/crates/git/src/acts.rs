//! What a person has git do: take files into the next commit, and make it.

use std::collections::BTreeSet;
use std::time::Duration;

use super::listing::{listed, named};
use super::program::Manner;
use super::repository::{Repository, refused};
use super::status::Entry;
use super::{Git, GitError};
use crate::GitCommit;

/// A filter may have to store a large file.
const STAGE_LIMIT: Duration = Duration::from_secs(120);
/// Hooks run tests, and somebody may be asked for a passphrase.
const COMMIT_LIMIT: Duration = Duration::from_secs(15 * 60);

/// Takes changed files into the next commit, or out of it.
///
/// # Errors
/// `NotListed`, and those of git.
pub async fn stage(git: Git, names: &[String], on: bool) -> Result<(), GitError> {
    let repository = Repository::of(git).await?;
    let status = listed(&repository).await?;
    let mut paths: BTreeSet<&[u8]> = BTreeSet::new();
    for name in names {
        let entry = named(&status, name, &repository.prefix)?;
        // Git refuses a name that is neither in the index nor there, and with it all others.
        let differs = if on { entry.unstaged } else { entry.staged };
        if !differs {
            continue;
        }
        paths.insert(&entry.path);
        // A move is a file that came and one that went.
        let old = entry.old_path.as_deref();
        paths.extend(old.filter(|_| !on || !entry.move_staged));
    }
    if paths.is_empty() {
        return Ok(());
    }
    let mut git = repository.git.clone();
    git.folder.clone_from(&repository.root);
    let stdin = paths.into_iter().collect::<Vec<_>>().join(&0);
    let args: &[&str] = if on {
        &["add", "--all"]
    } else {
        &["reset", "--quiet"]
    };
    let from_stdin = ["--pathspec-from-file=-", "--pathspec-file-nul"];
    let args: Vec<&str> = args.iter().chain(&from_stdin).copied().collect();
    let said = git.act(Manner::Stage, &args, &stdin, STAGE_LIMIT).await?;
    match said.code {
        Some(0) => Ok(()),
        _ => Err(refused(&said)),
    }
}

/// Commits what is staged. The repository's hooks run; what they say is told when they refuse.
///
/// # Errors
/// `NoMessage`, `NothingStaged`, and what git or a hook said.
pub async fn commit(git: Git, message: &str) -> Result<GitCommit, GitError> {
    if message.trim().is_empty() {
        return Err(GitError::NoMessage);
    }
    let repository = Repository::of(git).await?;
    let merges = repository
        .ask(&["rev-parse", "--verify", "--quiet", "MERGE_HEAD"])
        .await
        .is_ok();
    if !merges && staged(&repository).await?.is_empty() {
        return Err(GitError::NothingStaged);
    }
    let args = [
        "-c",
        "gc.auto=0",
        "-c",
        "maintenance.auto=false",
        "commit",
        "--cleanup=whitespace",
        "--file=-",
    ];
    let said = repository
        .git
        .act(Manner::Commit, &args, message.as_bytes(), COMMIT_LIMIT)
        .await?;
    if said.code != Some(0) {
        return Err(refused(&said));
    }
    let args = [
        "log",
        "-1",
        "--no-show-signature",
        "--no-color",
        "--no-decorate",
        "--format=%H%n%s",
    ];
    let made = repository.ask(&args).await?;
    let made = String::from_utf8_lossy(&made);
    let (hash, subject) = made
        .trim_end()
        .split_once('\n')
        .unwrap_or((made.trim(), ""));
    Ok(GitCommit {
        hash: hash.to_owned(),
        subject: subject.to_owned(),
    })
}

async fn staged(repository: &Repository) -> Result<Vec<Entry>, GitError> {
    let status = listed(repository).await?;
    Ok(status
        .entries
        .into_iter()
        .filter(|entry| entry.staged)
        .collect())
}
