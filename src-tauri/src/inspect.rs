//! The raw lines of a session for the page: redacted, in pages, and each no longer than a person reads.

use std::borrow::Cow;
use std::sync::Arc;

use kandev_session::redact::{Form, Lines, Redactor};
use kandev_session::{RawDir, RawEntry, RawLine as Line, Session};
use serde::Serialize;
use specta::Type;

/// Lines of a page, and bytes of them, at most.
const PAGE_LINES: usize = 500;
const PAGE_BYTES: usize = 2 << 20;
/// Bytes of a line that are shown.
const SHOWN: usize = 32 << 10;
/// A line longer than this, in bytes, is cut before it is looked at.
const LOOKED_AT: usize = 1 << 20;

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
    page(&session.raw(after, limit.clamp(1, PAGE_LINES)))
}

fn page(entries: &[RawEntry]) -> Vec<RawLine> {
    let redactor = Arc::new(Redactor::from_environment());
    let mut redacting = Lines::new(Arc::clone(&redactor), Form::Raw);
    let mut done = Vec::new();
    let mut bytes = 0;
    for entry in entries {
        let text = String::from_utf8_lossy(&entry.line.line);
        bytes += text.len().min(SHOWN);
        let text = match text.len() > LOOKED_AT {
            // What is left of it is no JSON, and is redacted as the text that it is.
            true => Cow::Owned(cut(&text, LOOKED_AT).to_owned()),
            false => text,
        };
        done.extend(redacting.push(entry, &text));
        if bytes > PAGE_BYTES {
            break;
        }
    }
    done.extend(redacting.finish());
    done.iter()
        .map(|(entry, line)| shown(entry, line))
        .collect()
}

fn shown(entry: &RawEntry, line: &str) -> RawLine {
    let raw: &Line = &entry.line;
    let seq = |seq: u64| (seq > 0).then_some(seq);
    let dir = match raw.dir {
        RawDir::Err => "err",
        dir => dir.recorded(),
    };
    RawLine {
        index: raw.index,
        at: kandev_transcript::at(raw.unix_ms),
        dir: dir.to_owned(),
        line: cut(line, SHOWN).to_owned(),
        bytes: raw.line.len() as u64,
        first_seq: seq(raw.first_seq),
        last_seq: seq(raw.last_seq),
        left_out: entry.left_out,
    }
}

fn cut(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
