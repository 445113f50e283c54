//! Texts that stream: the pieces of a block are one span, which ends with the block.

use std::sync::Arc;
use std::time::SystemTime;

use kandev_session::redact::{Form, Lines, Redactor};
use opentelemetry::KeyValue;
use opentelemetry::trace::Span as _;
use opentelemetry_sdk::trace::Span;
use serde_json::json;

use super::short;

/// How much of a block's raw lines and of its text is held, in bytes.
const HELD_RAW: usize = 64 << 10;
const HELD_TEXT: usize = 1 << 20;

pub(super) struct OpenTexts {
    redactor: Arc<Redactor>,
    open: Vec<OpenText>,
}

struct OpenText {
    name: &'static str,
    parent: String,
    message_id: String,
    span: Span,
    newest: SystemTime,
    raw: Vec<String>,
    raw_bytes: usize,
    text: String,
    pieces: i64,
}

impl OpenTexts {
    pub(super) fn new(redactor: Arc<Redactor>) -> Self {
        Self {
            redactor,
            open: Vec::new(),
        }
    }

    pub(super) fn is_open(&self, name: &str, parent: &str, message_id: &str) -> bool {
        self.open
            .iter()
            .any(|text| text.is(name, parent, message_id))
    }

    pub(super) fn open(&mut self, name: &'static str, parent: &str, message_id: &str, span: Span) {
        self.open.push(OpenText {
            name,
            parent: parent.to_owned(),
            message_id: message_id.to_owned(),
            span,
            newest: SystemTime::UNIX_EPOCH,
            raw: Vec::new(),
            raw_bytes: 0,
            text: String::new(),
            pieces: 0,
        });
    }

    pub(super) fn add(
        &mut self,
        name: &str,
        parent: &str,
        message_id: &str,
        at: SystemTime,
        raw: &str,
        piece: &str,
    ) {
        let mut open = self.open.iter_mut();
        let Some(text) = open.find(|text| text.is(name, parent, message_id)) else {
            return;
        };
        text.newest = at;
        text.pieces += 1;
        if text.raw_bytes < HELD_RAW {
            text.raw_bytes += raw.len();
            text.raw.push(raw.to_owned());
        }
        if text.text.len() < HELD_TEXT {
            text.text.push_str(piece);
        }
    }

    /// Ends the texts of those whose `parent` is meant.
    pub(super) fn end(&mut self, which: impl Fn(&str) -> bool) {
        if self.open.is_empty() {
            return;
        }
        let (ended, open): (Vec<_>, Vec<_>) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|text| which(&text.parent));
        self.open = open;
        for text in ended {
            text.end(&self.redactor);
        }
    }
}

impl OpenText {
    fn is(&self, name: &str, parent: &str, message_id: &str) -> bool {
        self.name == name && self.parent == parent && self.message_id == message_id
    }

    /// The pieces are redacted as the one text that they are.
    fn end(mut self, redactor: &Arc<Redactor>) {
        let mut lines = Lines::new(Arc::clone(redactor), Form::Raw);
        let mut raw: Vec<String> = Vec::new();
        for line in &self.raw {
            raw.extend(lines.push((), line).into_iter().map(|((), line)| line));
        }
        raw.extend(lines.finish().into_iter().map(|((), line)| line));
        let (kind, field) = match self.name {
            "streamjson.reasoning" => ("reasoning", "reasoning_text"),
            _ => ("message_chunk", "text"),
        };
        let normalized = json!({
            "type": kind,
            "message_id": self.message_id,
            field: short(&redactor.text(&self.text)),
        });
        self.span
            .set_attribute(KeyValue::new("pieces", self.pieces));
        let raw = KeyValue::new("data", short(&raw.join("\n")));
        let normalized = KeyValue::new("data", normalized.to_string());
        self.span
            .add_event_with_timestamp("raw", self.newest, vec![raw]);
        self.span
            .add_event_with_timestamp("normalized", self.newest, vec![normalized]);
        self.span.end_with_timestamp(self.newest);
    }
}
