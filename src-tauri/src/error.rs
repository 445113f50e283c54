//! Errors of the crates on their way to the page.

use kandev_git::GitError;
use kandev_session::SessionError;
use kandev_store::StoreError;
use kandev_transport::TransportError;

use crate::api::CommandError;

impl From<SessionError> for CommandError {
    fn from(error: SessionError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<TransportError> for CommandError {
    fn from(error: TransportError) -> Self {
        Self::new(code(&error), error.to_string())
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::NoSuchSession(_) => "no_such_session",
            StoreError::Full => "disk_full",
            StoreError::Unreadable(_) | StoreError::Damaged(_) => "not_readable",
            _ => "not_kept",
        };
        Self::new(code, error.to_string())
    }
}

impl From<GitError> for CommandError {
    fn from(error: GitError) -> Self {
        let code = match &error {
            GitError::NotInstalled => "git_missing",
            GitError::NoRepository => "no_repository",
            GitError::NotTrusted { .. } => "git_not_trusted",
            GitError::TimedOut(_) => "git_timed_out",
            GitError::NothingStaged => "nothing_staged",
            GitError::NoMessage => "no_message",
            _ => "git_failed",
        };
        Self::new(code, error.to_string())
    }
}

fn code(error: &TransportError) -> &'static str {
    match error {
        TransportError::CliNotFound { .. } => "cli_not_found",
        TransportError::NodeMissing { .. } => "node_missing",
        TransportError::FolderGone { .. } => "folder_gone",
        TransportError::NotAFolder { .. } => "not_a_folder",
        TransportError::NotExecutable { .. }
        | TransportError::SpawnFailed { .. }
        | TransportError::GuardFailed { .. }
        | TransportError::VersionTimeout { .. }
        | TransportError::NotClaude { .. }
        | TransportError::NotOneLine
        | TransportError::StdinClosed
        | TransportError::Io { .. } => "cli_failed",
    }
}
