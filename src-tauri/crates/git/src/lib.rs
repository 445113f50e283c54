//! What git says of a folder, and what a person has it do. Git runs as a process, and only when somebody looks or asks.
//! Knows nothing of sessions and windows.
//!
//! The folder may hold a repository that somebody else made: looking at it runs none of its programs, whatever its
//! configuration says. Its hooks run for a commit, which a person asks for, and its filters for what is staged.

mod acts;
mod api;
mod diff;
mod draft;
mod listing;
mod numbers;
mod program;
mod repository;
mod status;
mod surroundings;
#[cfg(test)]
mod tests;
mod tree;

use std::path::PathBuf;
use std::time::Duration;

pub use acts::{commit, stage};
pub use api::{GitChanges, GitCommit, GitDiff, GitFile, GitStatus};
pub use diff::diff;
pub use draft::draft;
pub use listing::{changed, changes};
pub use program::Git;
pub use surroundings::{Surroundings, surroundings};

/// Why git did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("Git is not installed, or is not on PATH.")]
    NotInstalled,
    #[error("This folder is in no repository.")]
    NoRepository,
    #[error("This folder is a bare repository: it has no files to compare with the last commit.")]
    Bare,
    #[error(
        "Git does not use this repository, because its folder belongs to another user. If you trust what is in it: {command}"
    )]
    NotTrusted { command: String },
    /// Its configuration leads to another folder.
    #[error("The repository says that its files are in {0}, where this folder is not.")]
    Elsewhere(PathBuf),
    #[error(
        "The repository's configuration has a filter with a name that cannot be switched off: {0:?}."
    )]
    OddFilter(String),
    #[error("Git did not answer within {} seconds, so it was stopped.", .0.as_secs())]
    TimedOut(Duration),
    #[error("Git said more than can be shown.")]
    TooMuch,
    #[error("{0}")]
    Refused(String),
    #[error("git could not be run: {0}")]
    Io(#[from] std::io::Error),
    #[error("two files have names that are no text and look alike: {0}")]
    LookAlike(String),
    #[error("git does not list {0} as changed")]
    NotListed(String),
    #[error("nothing is staged: choose the files that the commit shall hold")]
    NothingStaged,
    #[error("a commit needs a message")]
    NoMessage,
}
