//! The places that a reader jumps to.

use serde::{Deserialize, Serialize};
use specta::Type;

/// What stands at a place that a reader jumps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// A prompt of the main thread.
    Prompt,
    /// A tool call that failed, an error, a turn that failed.
    Error,
    /// A tool call that changes a file.
    Edit,
    /// A question to the person: of a tool, a plan, a permission, a server.
    Question,
}
