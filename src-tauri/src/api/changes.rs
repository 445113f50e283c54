//! What crosses to a window of changed files: what git says of them, their two sides, what came of taking changes back.

use serde::{Deserialize, Serialize};
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

/// Whether the folder of a session can be watched.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Type)]
pub struct WorkspaceWatch {
    /// Why not all of it is watched, for a person.
    pub problem: Option<String>,
}

/// A file before and after a diff.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Type)]
pub struct FileSides {
    /// Null: there was no such file, or it cannot be told.
    pub old: Option<String>,
    /// The file as it is now; null: there is none.
    pub new: Option<String>,
    /// The diff's lines stand in the file as it is now. If not, the file went on since.
    pub matches: bool,
    pub binary: bool,
    pub too_large: bool,
}

/// What it would do to take changes back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Type)]
pub struct RevertPreview {
    pub can: bool,
    /// Why not, for a person.
    pub why: Option<String>,
    /// The file would be deleted: the diff created it.
    pub deletes: bool,
    /// The file would come back: the diff deleted it.
    pub recreates: bool,
    pub lines_added: u32,
    pub lines_removed: u32,
}

/// Changes that were taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Reverted {
    /// What stood there before, for `redo_rewind`.
    pub snapshot: String,
    /// In full.
    pub path: String,
}

/// An editor that is on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct EditorInfo {
    pub id: String,
    pub name: String,
    /// It runs in a terminal.
    pub terminal: bool,
}

/// How a diff is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum DiffStyle {
    #[default]
    Unified,
    Split,
}
