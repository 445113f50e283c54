//! What crosses to a window of changed files: what git says of them, their two sides, what came of taking changes back.

pub use kandev_git::{GitChanges, GitCommit, GitDiff};
use serde::{Deserialize, Serialize};
use specta::Type;

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
