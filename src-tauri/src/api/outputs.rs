//! What crosses to a window of what programs printed.

pub use kandev_transcript::OutputStream;
use kandev_transcript::screen::OutputLine;
use serde::{Deserialize, Serialize};
use specta::Type;

/// Where an output is read from. The page names calls and tasks, never files.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OutputSource {
    /// What a call gave, whole, from the journal.
    Call {
        tool_call_id: String,
        stream: OutputStream,
    },
    /// The file that holds all of an output which the CLI has cut.
    Stored { tool_call_id: String },
    /// What a background task has printed so far.
    Task { task_id: String },
}

/// Lines of an output.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Type)]
pub struct OutputPart {
    /// The number of the first of `lines`, from 0.
    pub from: u32,
    pub lines: Vec<OutputLine>,
    /// Lines so far.
    pub total: u32,
    /// Bytes so far, escapes and all.
    #[specta(type = specta_typescript::Number)]
    pub bytes: u64,
    /// All of it is read, and nothing more will come.
    pub done: bool,
    /// Why there is nothing, or less than there was, for a person.
    pub problem: Option<String>,
}

/// Where words stand in an output.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Type)]
pub struct OutputHits {
    /// The numbers of lines with the words, in order, from 0.
    pub lines: Vec<u32>,
    /// How many lines have them, as far as it was looked.
    pub total: u32,
    /// There are more than `lines`, or the time was up.
    pub more: bool,
}
