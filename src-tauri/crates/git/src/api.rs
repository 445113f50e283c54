//! What git says, as it crosses to a window.

use serde::Serialize;
use specta::Type;

/// What became of a file since the last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum GitStatus {
    Added,
    Modified,
    Deleted,
    Renamed,
    Untracked,
    /// Two sides of a merge changed it, and nobody has said yet what it shall be.
    Conflict,
}

/// One file that is not what the last commit holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct GitFile {
    /// From the session's folder, with `/`. It begins with `../` for a file beside that folder, which is listed only when it
    /// is staged. Bytes that are no text are U+FFFD. A folder with a repository of its own ends with `/`.
    pub path: String,
    /// Where it was, of one that was renamed.
    pub old_path: Option<String>,
    pub status: GitStatus,
    /// Something of it goes into the next commit.
    pub staged: bool,
    /// Something of it does not.
    pub unstaged: bool,
    /// Lines; null where that is not known, as of a binary file.
    pub added: Option<u32>,
    pub removed: Option<u32>,
    pub binary: bool,
}

/// What git says of the session's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Type)]
pub struct GitChanges {
    /// The repository's folder; null: there is none, or `problem` says why it cannot be used.
    pub root: Option<String>,
    /// Null: no branch is checked out.
    pub branch: Option<String>,
    /// The commit; null where there is none yet.
    pub head: Option<String>,
    pub files: Vec<GitFile>,
    /// So many further files are left out.
    pub more: u32,
    /// What went wrong, for a person.
    pub problem: Option<String>,
}

/// One file against the last commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Type)]
pub struct GitDiff {
    /// Unified, with `a/` and `b/` before the names; empty when nothing differs, and of a file that is binary or too large.
    pub diff: String,
    pub binary: bool,
    pub too_large: bool,
}

/// A commit that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct GitCommit {
    pub hash: String,
    /// The first line of its message.
    pub subject: String,
}
