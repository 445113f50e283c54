//! Words in one session, in the order in which they were said.

use serde::{Deserialize, Serialize};
use specta::Type;

/// In what kind of text a hit stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FoundIn {
    Prompt,
    Answer,
    Reasoning,
    /// What a tool call is about.
    Tool,
    /// What came of a tool call.
    Output,
    Error,
    Notice,
}

/// One place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct SessionHit {
    /// The event with which its row begins: the first of a message's, the start of a tool call.
    #[specta(type = specta_typescript::Number)]
    pub seq: u64,
    pub kind: FoundIn,
    /// The text around the first of them, on one line.
    pub text: String,
    /// Where the words stand in `text`: from and to, in characters (Unicode scalar values, as `Array.from` counts).
    pub marks: Vec<(u32, u32)>,
}

/// What was found in one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct SessionHits {
    /// In order of `seq`, each once.
    pub hits: Vec<SessionHit>,
    /// It was looked no further than `through`: the limit was reached, or the time was up.
    pub more: bool,
    /// The number up to which it was looked. Who wants more asks again after it.
    #[specta(type = specta_typescript::Number)]
    pub through: u64,
    /// The session is still being read in, so the end may be missing.
    pub indexing: bool,
}
