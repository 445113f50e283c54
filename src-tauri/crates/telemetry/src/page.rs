//! Raw lines for a person to look at: redacted, a page at a time, and each no longer than a person reads.

use std::sync::Arc;

use kandev_session::redact::{Form, Lines, Redactor};
use kandev_session::{RawEntry, RawLine};

/// Lines of a page, and bytes of them, at most.
pub const PAGE_LINES: usize = 500;
const PAGE_BYTES: usize = 2 << 20;
/// Bytes of a line that are shown.
const SHOWN: usize = 32 << 10;
/// A line longer than this, in bytes, is cut before it is looked at.
const LOOKED_AT: usize = 1 << 20;

/// One line of a page.
#[derive(Debug, Clone)]
pub struct Shown {
    pub line: Arc<RawLine>,
    /// Redacted, and cut where it is long.
    pub text: String,
    /// Lines between the one before and this one that are not held any more.
    pub left_out: u64,
}

/// As many of the lines as make a page. It takes a moment: not for the threads of a runtime.
pub fn page(entries: &[RawEntry], redactor: &Arc<Redactor>) -> Vec<Shown> {
    let mut redacting = Lines::new(Arc::clone(redactor), Form::Raw);
    let mut done = Vec::new();
    let mut bytes = 0;
    for entry in entries.iter().take(PAGE_LINES) {
        let text = String::from_utf8_lossy(&entry.line.line);
        bytes += text.len().min(SHOWN);
        // What is left of a long one is no JSON, and is redacted as the text that it is.
        done.extend(redacting.push(entry, cut(&text, LOOKED_AT)));
        if bytes > PAGE_BYTES {
            break;
        }
    }
    done.extend(redacting.finish());
    done.into_iter()
        .map(|(entry, text)| Shown {
            line: Arc::clone(&entry.line),
            text: cut(&text, SHOWN).to_owned(),
            left_out: entry.left_out,
        })
        .collect()
}

fn cut(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
