//! From events to the parts of a page: pieces of a message as one text, a tool call once, with what came of it.

use std::collections::HashMap;

use indexmap::IndexMap;
use kandev_transcript::{
    Attachment, Behavior, Event, EventBody, ResolvedBy, SessionEnd, ToolCall, ToolStatus,
    TurnEnding, TurnSummary,
};

#[derive(Debug, PartialEq)]
pub(super) enum Block {
    Prompt {
        at: String,
        text: String,
        images: Vec<Attachment>,
    },
    /// What the CLI put into the conversation in the user's place.
    Inserted(String),
    Answer(String),
    Thinking(String),
    Tool(Box<ToolCall>),
    Note(String),
    Error(String),
    /// How a turn ended.
    Turn(String),
}

/// What is open while the events are read.
pub(super) struct Blocks<'a> {
    void: &'a HashMap<String, u64>,
    /// The text that goes on in each thread.
    texts: IndexMap<Option<String>, Text>,
    calls: IndexMap<String, (ToolCall, bool)>,
    /// What open questions are about.
    questions: HashMap<String, String>,
}

struct Text {
    message_id: String,
    thinking: bool,
    text: String,
}

type Ready = Vec<(Block, bool)>;

/// Notes which messages were taken back.
pub(super) fn discarded(events: &[Event], void: &mut HashMap<String, u64>) {
    for event in events {
        if let EventBody::MessageDiscarded { message_id } = &event.body {
            void.insert(message_id.clone(), event.seq);
        }
    }
}

impl<'a> Blocks<'a> {
    pub fn new(void: &'a HashMap<String, u64>) -> Self {
        Self {
            void,
            texts: IndexMap::new(),
            calls: IndexMap::new(),
            questions: HashMap::new(),
        }
    }

    pub fn event(&mut self, event: Event, ready: &mut Ready) {
        let within = event.parent_tool_call_id.is_some();
        let thread = event.parent_tool_call_id;
        let body = match event.body {
            EventBody::MessageChunk { text, message_id } => {
                return self.text(thread, message_id, false, text, event.seq, ready);
            }
            EventBody::Reasoning {
                reasoning_text,
                message_id,
            } => return self.text(thread, message_id, true, reasoning_text, event.seq, ready),
            EventBody::ToolCall(call) => {
                self.close(&thread, ready);
                self.calls.insert(call.tool_call_id.clone(), (call, within));
                return;
            }
            EventBody::ToolUpdate(call) if call.tool_status == ToolStatus::Running => {
                if let Some(open) = self.calls.get_mut(&call.tool_call_id) {
                    open.0 = call;
                }
                return;
            }
            EventBody::ToolUpdate(call) => {
                self.close(&Some(call.tool_call_id.clone()), ready);
                self.calls.shift_remove(&call.tool_call_id);
                Block::Tool(Box::new(call))
            }
            EventBody::UserMessage(message) if message.synthetic => Block::Inserted(message.text),
            EventBody::UserMessage(message) => Block::Prompt {
                at: event.at,
                text: message.text,
                images: message.attachments,
            },
            EventBody::PermissionRequest(request) => {
                let about = format!("{} {}", request.tool_name, request.tool_title);
                self.questions.insert(request.pending_id, about);
                return;
            }
            EventBody::PermissionResolved {
                pending_id,
                behavior,
                by,
                message,
                ..
            } => {
                let about = self.questions.remove(&pending_id).unwrap_or_default();
                Block::Note(answered(&about, behavior, by, message.as_deref()))
            }
            EventBody::PermissionCancelled { pending_id } => {
                let about = self.questions.remove(&pending_id).unwrap_or_default();
                Block::Note(format!("Withdrawn: {about}"))
            }
            EventBody::Complete { data } => {
                self.all(ready);
                Block::Turn(turn(&data))
            }
            EventBody::Error { error, .. } => Block::Error(error),
            EventBody::RateLimit {
                rate_limit_message, ..
            } => Block::Note(rate_limit_message),
            EventBody::Notice { text, .. } if !text.is_empty() => Block::Note(text),
            EventBody::ModeChanged { mode } => Block::Note(format!("Permission mode: {mode}")),
            EventBody::ModelChanged { model } => Block::Note(format!("Model: {model}")),
            EventBody::SessionEnded { data } => {
                self.finish(ready);
                Block::Note(ended(&data))
            }
            EventBody::Unrecognized { raw } => Block::Note(raw),
            EventBody::Notice { .. }
            | EventBody::SessionStatus { .. }
            | EventBody::AvailableCommands { .. }
            | EventBody::MessageDiscarded { .. }
            | EventBody::Todos { .. }
            | EventBody::ContextWindow(_)
            | EventBody::SessionState { .. }
            | EventBody::TaskStarted(_)
            | EventBody::TaskProgress(_)
            | EventBody::TaskNotification(_)
            | EventBody::TurnDiffUpdated { .. }
            | EventBody::TitleChanged { .. } => return,
        };
        self.close(&thread, ready);
        ready.push((body, within));
    }

    /// Nothing more comes: what is open is shown as it is.
    pub fn finish(&mut self, ready: &mut Ready) {
        self.all(ready);
        for (_, (call, within)) in self.calls.drain(..) {
            ready.push((Block::Tool(Box::new(call)), within));
        }
    }

    fn text(
        &mut self,
        thread: Option<String>,
        message_id: String,
        thinking: bool,
        text: String,
        seq: u64,
        ready: &mut Ready,
    ) {
        if self.void.get(&message_id).is_some_and(|until| seq < *until) {
            return;
        }
        if let Some(open) = self.texts.get_mut(&thread)
            && open.message_id == message_id
            && open.thinking == thinking
        {
            open.text.push_str(&text);
            return;
        }
        self.close(&thread, ready);
        let text = Text {
            message_id,
            thinking,
            text,
        };
        self.texts.insert(thread, text);
    }

    fn close(&mut self, thread: &Option<String>, ready: &mut Ready) {
        if let Some(text) = self.texts.shift_remove(thread) {
            ready.extend(whole(text, thread.is_some()));
        }
    }

    fn all(&mut self, ready: &mut Ready) {
        for (thread, text) in self.texts.drain(..) {
            ready.extend(whole(text, thread.is_some()));
        }
    }
}

fn whole(text: Text, within: bool) -> Option<(Block, bool)> {
    if text.text.trim().is_empty() {
        return None;
    }
    let block = match text.thinking {
        true => Block::Thinking(text.text),
        false => Block::Answer(text.text),
    };
    Some((block, within))
}

fn answered(about: &str, behavior: Behavior, by: ResolvedBy, message: Option<&str>) -> String {
    let word = match behavior {
        Behavior::Allow => "Allowed",
        Behavior::Deny => "Denied",
    };
    let by = match by {
        ResolvedBy::User => "",
        ResolvedBy::Policy => " without asking",
        ResolvedBy::Timeout => " as nobody answered in time",
        ResolvedBy::SessionEnd => " as the session ended",
    };
    let message = message.map(|message| format!(" ({message})"));
    format!("{word}{by}: {about}{}", message.unwrap_or_default())
}

fn turn(data: &TurnSummary) -> String {
    let word = match data.ending() {
        TurnEnding::Done => "Done",
        TurnEnding::Interrupted => "Interrupted",
        TurnEnding::Failed => "Failed",
    };
    let mut parts = vec![word.to_owned()];
    if let Some(millis) = data
        .duration_ms
        .as_ref()
        .and_then(serde_json::Number::as_f64)
    {
        parts.push(format!("{:.1} s", millis / 1000.0));
    }
    if let Some(cost) = data.cost_usd {
        // A sum of differences can be a hair below nothing.
        parts.push(format!("${:.4}", cost.abs()));
    }
    if let (Some(input), Some(output)) = (&data.input_tokens, &data.output_tokens) {
        parts.push(format!("{input} tokens in, {output} out"));
    }
    parts.join(" · ")
}

fn ended(data: &SessionEnd) -> String {
    let how = match (&data.signal, data.exit_code) {
        (Some(signal), _) => format!(" by {signal}"),
        (None, Some(code)) if code != 0 => format!(" with status {code}"),
        _ => String::new(),
    };
    format!("The process ended{how}.")
}
