//! A session as spans: one `streamjson.prompt` for each turn, and under it one for each thing that was said, asked and
//! answered, each with what was on the wire (`raw`) and what it meant (`normalized`).

mod about;
mod head;
mod text;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kandev_session::redact::Redactor;
use kandev_session::{RawDir, RawLine};
use kandev_transcript::{Event, EventBody, TurnSummary};
use opentelemetry::trace::{Span as _, SpanBuilder, Status, TraceContextExt as _, Tracer as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::{SdkTracer, Span};
use serde_json::{Value, json};

use self::about::{about, summarize};
use self::head::Head;
use self::text::OpenTexts;

/// The longest text of a span, in bytes.
const LONGEST: usize = 16 << 10;
/// Questions and prompts that are remembered at most.
const REMEMBERED: usize = 1000;

pub(crate) struct Spans {
    tracer: SdkTracer,
    session: String,
    redactor: Arc<Redactor>,
    turn: Option<Span>,
    /// The turn that runs or, between turns, the last one.
    parent: Context,
    turns: i64,
    /// Prompts that were sent while a turn ran.
    queue: VecDeque<Prompt>,
    texts: OpenTexts,
    /// Questions of the CLI by request id: what was asked, and when.
    asked: HashMap<String, (Asked, SystemTime)>,
}

struct Prompt {
    at: SystemTime,
    raw: String,
    normalized: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Permission,
    PreToolUse,
}

impl Spans {
    pub(crate) fn new(tracer: SdkTracer, session: &str, redactor: Arc<Redactor>) -> Self {
        Self {
            tracer,
            session: session.to_owned(),
            texts: OpenTexts::new(Arc::clone(&redactor)),
            redactor,
            turn: None,
            parent: Context::new(),
            turns: 0,
            queue: VecDeque::new(),
            asked: HashMap::new(),
        }
    }

    /// A line and the events that were made from it.
    pub(crate) fn line(&mut self, line: &RawLine, events: &[Arc<Event>]) {
        let text = String::from_utf8_lossy(&line.line);
        let at = time(line);
        match line.dir {
            RawDir::Out => {
                let head: Head = serde_json::from_str(&text).unwrap_or_default();
                self.said(&head, &text, at, events);
            }
            RawDir::In => {
                let head: Head = serde_json::from_str(&text).unwrap_or_default();
                self.told(&head, &text, at, events);
            }
            // What ends with the process was said by nobody.
            RawDir::Exit => {
                self.each(&text, at, events);
                self.end_texts(|_| true);
                self.end_turn(at, None);
            }
            RawDir::Meta | RawDir::Host | RawDir::Err => self.each(&text, at, events),
        }
    }

    pub(crate) fn finish(&mut self) {
        self.end_texts(|_| true);
        self.end_turn(SystemTime::now(), None);
    }

    /// A line of the CLI.
    fn said(&mut self, head: &Head, text: &str, at: SystemTime, events: &[Arc<Event>]) {
        let parent = head.parent_tool_use_id.as_deref();
        let stream = head.event.as_ref().map_or("", |event| event.kind.as_str());
        let begins = (head.kind == "assistant" || stream == "message_start") && parent.is_none();
        if begins && self.turn.is_none() {
            let prompt = self.queue.pop_front();
            self.begin_turn(at, prompt);
        }
        match (head.kind.as_str(), stream) {
            ("stream_event", "content_block_start" | "message_start") => {
                self.end_texts(|of| of == parent.unwrap_or_default());
            }
            ("system", _) => {
                let normalized = self.json_of(events);
                let mut span = self.start("streamjson.system", at);
                if let Some(subtype) = &head.subtype {
                    span.set_attribute(KeyValue::new("subtype", subtype.clone()));
                }
                self.complete(span, text, normalized, at);
            }
            ("control_request", _) => self.question(head, at),
            _ => {}
        }
        self.each(text, at, events);
        match (head.kind.as_str(), stream) {
            ("stream_event", "content_block_stop" | "message_stop") | ("assistant", _) => {
                self.end_texts(|of| of == parent.unwrap_or_default());
            }
            ("result", _) => self.end_texts(|_| true),
            _ => {}
        }
        for event in events {
            if let EventBody::Complete { data } = &event.body {
                self.end_turn(at, Some(data));
            }
        }
    }

    fn question(&mut self, head: &Head, at: SystemTime) {
        let (Some(id), Some(request)) = (&head.request_id, &head.request) else {
            return;
        };
        let hook = request
            .input
            .as_ref()
            .and_then(|input| input.hook_event_name.as_deref());
        let asked = match (request.subtype.as_str(), hook) {
            ("can_use_tool", _) => Asked::Permission,
            ("hook_callback", Some("PreToolUse")) => Asked::PreToolUse,
            _ => return,
        };
        if self.asked.len() < REMEMBERED {
            self.asked.insert(id.clone(), (asked, at));
        }
    }

    /// A line of the host.
    fn told(&mut self, head: &Head, text: &str, at: SystemTime, events: &[Arc<Event>]) {
        match head.kind.as_str() {
            "user" => {
                let message = events
                    .iter()
                    .find(|event| matches!(event.body, EventBody::UserMessage(_)));
                let prompt = Prompt {
                    at,
                    raw: self.redacted(text),
                    normalized: message.map_or_else(|| "[]".to_owned(), |event| self.json(event)),
                };
                if self.turn.is_none() {
                    // Whatever was queued was taken into a turn that is over.
                    self.queue.clear();
                    self.begin_turn(at, Some(prompt));
                } else if self.queue.len() < REMEMBERED {
                    self.queue.push_back(prompt);
                }
            }
            "control_response" => {
                let response = head.response.as_ref();
                let id = response.and_then(|response| response.request_id.as_deref());
                let asked = id.and_then(|id| self.asked.remove(id));
                if let Some((Asked::PreToolUse, since)) = asked {
                    let answer = response.and_then(|response| response.response.as_ref());
                    self.hook_answered(text, answer, since, at);
                }
                let since = asked.map_or(at, |(_, since)| since);
                self.answered(text, since, at, events);
            }
            _ => self.each(text, at, events),
        }
    }

    /// No event tells of it, so what was decided stands in the place of one.
    fn hook_answered(
        &mut self,
        text: &str,
        answer: Option<&Value>,
        since: SystemTime,
        at: SystemTime,
    ) {
        let output = answer.map_or(&Value::Null, |answer| &answer["hookSpecificOutput"]);
        let normalized = json!({
            "type": "hook_response",
            "hook_event": "PreToolUse",
            "decision": output["permissionDecision"],
            "reason": output["permissionDecisionReason"],
        });
        let normalized = self.redacted(&normalized.to_string());
        let span = self.start("streamjson.control.hook_response.pre_tool_use", since);
        self.complete(span, text, normalized, at);
    }

    fn answered(&mut self, text: &str, since: SystemTime, at: SystemTime, events: &[Arc<Event>]) {
        for event in events {
            if let EventBody::PermissionResolved { .. } = event.body {
                self.event_span(
                    "streamjson.control.permission_response",
                    text,
                    since,
                    at,
                    event,
                );
            }
        }
        let rest: Vec<_> = events
            .iter()
            .filter(|event| !matches!(event.body, EventBody::PermissionResolved { .. }))
            .cloned()
            .collect();
        self.each(text, at, &rest);
    }

    /// A span for each event that has one of its own.
    fn each(&mut self, text: &str, at: SystemTime, events: &[Arc<Event>]) {
        for event in events {
            let name = match &event.body {
                EventBody::MessageChunk {
                    text: piece,
                    message_id,
                } => {
                    self.piece(
                        "streamjson.message_chunk",
                        text,
                        at,
                        event,
                        message_id,
                        piece,
                    );
                    continue;
                }
                EventBody::Reasoning {
                    reasoning_text,
                    message_id,
                } => {
                    self.piece(
                        "streamjson.reasoning",
                        text,
                        at,
                        event,
                        message_id,
                        reasoning_text,
                    );
                    continue;
                }
                EventBody::ToolCall(_) => "streamjson.tool_call",
                EventBody::ToolUpdate(_) => "streamjson.tool_update",
                EventBody::ContextWindow(_) => "streamjson.context_window",
                EventBody::Complete { .. } => "streamjson.complete",
                EventBody::PermissionRequest(_) => {
                    "streamjson.control.control_request.can_use_tool"
                }
                EventBody::PermissionResolved { .. } => "streamjson.control.permission_response",
                _ => continue,
            };
            self.event_span(name, text, at, at, event);
        }
    }

    fn piece(
        &mut self,
        name: &'static str,
        raw: &str,
        at: SystemTime,
        event: &Event,
        message_id: &str,
        piece: &str,
    ) {
        let parent = event.parent_tool_call_id.as_deref().unwrap_or_default();
        if !self.texts.is_open(name, parent, message_id) {
            self.end_texts(|of| of == parent);
            let mut span = self.start(name, at);
            span.set_attribute(KeyValue::new("message_id", message_id.to_owned()));
            about(&mut span, event);
            self.texts.open(name, parent, message_id, span);
        }
        self.texts.add(name, parent, message_id, at, raw, piece);
    }

    fn end_texts(&mut self, which: impl Fn(&str) -> bool) {
        self.texts.end(which);
    }

    fn event_span(
        &mut self,
        name: &'static str,
        raw: &str,
        since: SystemTime,
        at: SystemTime,
        event: &Event,
    ) {
        let mut span = self.start(name, since);
        about(&mut span, event);
        let normalized = self.json(event);
        self.complete(span, raw, normalized, at);
    }

    fn begin_turn(&mut self, at: SystemTime, prompt: Option<Prompt>) {
        self.turns += 1;
        let builder = SpanBuilder::from_name("streamjson.prompt").with_start_time(at);
        let mut span = self.tracer.build_with_context(builder, &Context::new());
        span.set_attributes([
            KeyValue::new("kandev.session_id", self.session.clone()),
            KeyValue::new("turn", self.turns),
        ]);
        let (raw, normalized, sent) = match prompt {
            Some(prompt) => (prompt.raw, prompt.normalized, prompt.at),
            // The CLI began it by itself, as when a task has ended.
            None => ("{}".to_owned(), "[]".to_owned(), at),
        };
        span.add_event_with_timestamp("raw", sent, vec![KeyValue::new("data", raw)]);
        span.add_event_with_timestamp("normalized", sent, vec![KeyValue::new("data", normalized)]);
        self.parent = Context::new().with_remote_span_context(span.span_context().clone());
        self.turn = Some(span);
    }

    /// `how` is what its result said; without one it was cut off.
    fn end_turn(&mut self, at: SystemTime, how: Option<&TurnSummary>) {
        let Some(mut span) = self.turn.take() else {
            return;
        };
        match how {
            Some(summary) => summarize(&mut span, summary),
            None => span.set_status(Status::error("the turn has no result")),
        }
        span.end_with_timestamp(at);
    }

    fn start(&self, name: &'static str, at: SystemTime) -> Span {
        let builder = SpanBuilder::from_name(name).with_start_time(at);
        let mut span = self.tracer.build_with_context(builder, &self.parent);
        span.set_attribute(KeyValue::new("kandev.session_id", self.session.clone()));
        span
    }

    fn complete(&self, mut span: Span, raw: &str, normalized: String, at: SystemTime) {
        let raw = self.redacted(raw);
        span.add_event_with_timestamp("raw", at, vec![KeyValue::new("data", raw)]);
        span.add_event_with_timestamp("normalized", at, vec![KeyValue::new("data", normalized)]);
        span.end_with_timestamp(at);
    }

    fn json_of(&self, events: &[Arc<Event>]) -> String {
        match events {
            [event] => self.json(event),
            events => self.redacted(&serde_json::to_string(events).unwrap_or_default()),
        }
    }

    fn json(&self, event: &Event) -> String {
        self.redacted(&serde_json::to_string(event).unwrap_or_default())
    }

    fn redacted(&self, text: &str) -> String {
        short(&self.redactor.line(text))
    }
}

/// As much of it as a span takes.
fn short(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let mut end = LONGEST;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}… ({} bytes in all)", &text[..end], text.len())
}

fn time(line: &RawLine) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(line.unix_ms)
}
