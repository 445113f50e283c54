//! What can go wrong between us and the CLI, told so that a person can act on it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::find::Tried;

/// Why the CLI could not be found, started or spoken to.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// No place had it; `tried` says where was looked and what was there.
    #[error("Claude Code was not found in any of {} places; install it, or choose its file", tried.len())]
    CliNotFound { tried: Vec<Tried> },
    /// The file that a person chose, or the one that was found, cannot be run.
    #[error("{} cannot be run: {reason}", path.display())]
    NotExecutable { path: PathBuf, reason: String },
    /// The CLI is a script and its interpreter is not there.
    #[error("{} needs {interpreter}, and {interpreter} was not found; install Node.js, or choose another file", script.display())]
    NodeMissing {
        script: PathBuf,
        interpreter: String,
        tried: Vec<Tried>,
    },
    #[error("the folder {} is gone", path.display())]
    FolderGone { path: PathBuf },
    #[error("{} is not a folder", path.display())]
    NotAFolder { path: PathBuf },
    #[error("{} did not start: {reason}", program.display())]
    SpawnFailed { program: PathBuf, reason: String },
    /// The process that watches over the CLI's tree could not do its work.
    #[error("the guard process {} failed: {reason}", program.display())]
    GuardFailed { program: PathBuf, reason: String },
    #[error("{} did not answer `--version` within {} s; its last words: {stderr_tail}", program.display(), limit.as_secs())]
    VersionTimeout {
        program: PathBuf,
        limit: Duration,
        stderr_tail: String,
    },
    /// It ran and said something that no Claude Code says.
    #[error("{} does not look like Claude Code: `--version` said {said:?}{}", program.display(), last_words(stderr_tail))]
    NotClaude {
        program: PathBuf,
        said: String,
        stderr_tail: String,
    },
    /// The text is no single line: it is empty or holds a line break.
    #[error("only one whole, non-empty line can be written at a time")]
    NotOneLine,
    #[error("the CLI no longer reads its input")]
    StdinClosed,
    #[error("{what}: {source}")]
    Io { what: String, source: io::Error },
}

fn last_words(tail: &str) -> String {
    if tail.is_empty() {
        String::new()
    } else {
        format!("; its last words: {tail}")
    }
}
