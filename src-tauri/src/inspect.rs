//! The raw lines of a session for the page: redacted, in pages, and each no longer than a person reads.

use std::sync::Arc;

use kandev_session::redact::Redactor;
use kandev_session::{RawDir, Session};
use kandev_telemetry::{PAGE_LINES, Shown, page};
use serde::Serialize;
use specta::Type;

/// One line of the conversation between this program and the CLI.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RawLine {
    /// From 1, without gaps within a session.
    #[specta(type = specta_typescript::Number)]
    pub index: u64,
    /// RFC 3339 with milliseconds.
    pub at: String,
    /// `in`, `out` or `err`; `meta`, `host` and `exit` tell of the process itself.
    pub dir: String,
    /// Redacted, and cut where it is long.
    pub line: String,
    /// Its length on the wire.
    #[specta(type = specta_typescript::Number)]
    pub bytes: u64,
    /// The events that were made from it.
    #[specta(type = Option<specta_typescript::Number>)]
    pub first_seq: Option<u64>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub last_seq: Option<u64>,
    /// Lines between the one before and this one that are not held any more.
    #[specta(type = specta_typescript::Number)]
    pub left_out: u64,
}

/// A page of what is held after the line of this number. It takes a moment: not for the threads of the runtime.
pub fn lines(session: &Session, after: u64, limit: u32) -> Vec<RawLine> {
    let limit = usize::try_from(limit).unwrap_or(PAGE_LINES);
    let entries = session.raw(after, limit.clamp(1, PAGE_LINES));
    let redactor = Arc::new(Redactor::from_environment());
    page(&entries, &redactor)
        .into_iter()
        .map(RawLine::from)
        .collect()
}

impl From<Shown> for RawLine {
    fn from(shown: Shown) -> Self {
        let Shown {
            line,
            text,
            left_out,
        } = shown;
        let seq = |seq: u64| (seq > 0).then_some(seq);
        let dir = match line.dir {
            RawDir::Err => "err",
            dir => dir.recorded(),
        };
        Self {
            index: line.index,
            at: kandev_transcript::at(line.unix_ms),
            dir: dir.to_owned(),
            line: text,
            bytes: line.line.len() as u64,
            first_seq: seq(line.first_seq),
            last_seq: seq(line.last_seq),
            left_out,
        }
    }
}
