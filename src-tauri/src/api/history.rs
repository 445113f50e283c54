//! What crosses to a window of sessions that last: rows without a process, parts of a journal, what came of a restore.

use kandev_session::{Phase, Policy};
pub use kandev_store::{Format, Mark, Owner, SearchAnswer, SessionHits, Slice, Source};
use serde::Serialize;
use specta::Type;

/// A session without a living process: ours from an earlier day, or one that was begun in a terminal.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct PastSession {
    /// Ours; the CLI's own of one that was begun in a terminal.
    pub id: String,
    pub cli_session_id: Option<String>,
    pub title: String,
    /// The folder in which it began.
    pub workspace: String,
    /// The folder is not there any more; the conversation is.
    pub folder_gone: bool,
    pub state: Phase,
    /// Since when it is in that state, RFC 3339.
    pub since: String,
    /// When something was last said in it, RFC 3339.
    pub updated_at: String,
    pub policy: Option<Policy>,
    pub model: Option<String>,
    pub source: Source,
    pub archived: bool,
    /// Played by the rehearsal CLI: it can be read and not gone on with.
    pub rehearsal: bool,
    pub problem: Option<String>,
    pub forked_from: Option<String>,
    /// Who has it open elsewhere.
    pub owner: Option<Owner>,
    /// When the CLI will delete its file, RFC 3339.
    pub cleanup_at: Option<String>,
    /// The newest event's number; null of one that was begun in a terminal and never opened.
    #[specta(type = Option<specta_typescript::Number>)]
    pub last_seq: Option<u64>,
    /// The CLI's file.
    #[specta(type = Option<specta_typescript::Number>)]
    pub size_bytes: Option<u64>,
}

/// A session as it is first shown.
#[derive(Debug, Clone, Serialize, Type)]
pub struct OpenedSession {
    pub slice: Slice,
    /// No prompt can be sent to it as it is. The row, and `owner`, say why.
    pub read_only: bool,
    /// The CLI's file is still being read and the slice holds its end, with numbers of its own. The message `anew` says when
    /// to open it again; it is not to be watched until then.
    pub importing: bool,
    pub owner: Option<Owner>,
}

/// Where the file is that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Exported {
    pub path: String,
}

/// Files that were set back, or forward again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Restored {
    /// What stood there before, for `redo_rewind`.
    pub snapshot: String,
    pub files: Vec<String>,
    /// Files that are not what they should be now, as far as that can be told.
    pub left: Vec<String>,
}
