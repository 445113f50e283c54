//! From events to passages: pieces of a message become one text once the message is whole.

use std::collections::HashMap;

use kandev_transcript::{Event, EventBody, ToolStatus};

use super::passage::{HitKind, Passage, of_call};

/// What is to be done to the index.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    Put(Passage),
    /// What was said under this message before this number is void.
    Forget {
        message_id: String,
        before: u64,
    },
}

/// Reads the events of one session in order.
#[derive(Default)]
pub(super) struct Gather {
    /// The message that goes on in each thread: the main one and those of subagents.
    open: HashMap<Option<String>, Message>,
}

struct Message {
    id: String,
    seq: u64,
    at: String,
    text: String,
}

impl Gather {
    pub fn event(&mut self, event: &Event, steps: &mut Vec<Step>) {
        let thread = &event.parent_tool_call_id;
        match &event.body {
            EventBody::MessageChunk { text, message_id } => {
                if let Some(open) = self.open.get_mut(thread)
                    && open.id == *message_id
                {
                    open.text.push_str(text);
                    return;
                }
                self.close(thread, steps);
                let message = Message {
                    id: message_id.clone(),
                    seq: event.seq,
                    at: event.at.clone(),
                    text: text.clone(),
                };
                self.open.insert(thread.clone(), message);
            }
            EventBody::MessageDiscarded { message_id } => {
                self.open.retain(|_, open| open.id != *message_id);
                steps.push(Step::Forget {
                    message_id: message_id.clone(),
                    before: event.seq,
                });
            }
            // Thinking is not searched; it ends the text before it.
            EventBody::Reasoning { .. } => self.close(thread, steps),
            EventBody::UserMessage(message) => {
                self.close(thread, steps);
                if !message.synthetic {
                    let text = message.text.clone();
                    steps.push(put(event, HitKind::Prompt, message.uuid.clone(), text));
                }
            }
            EventBody::ToolCall(call) => {
                self.close(thread, steps);
                let (kind, text) = of_call(call);
                steps.push(put(event, kind, Some(call.tool_call_id.clone()), text));
            }
            EventBody::ToolUpdate(call) if call.tool_status != ToolStatus::Running => {
                // What the call ends is a subagent, perhaps.
                self.close(&Some(call.tool_call_id.clone()), steps);
                let (kind, text) = of_call(call);
                let mut step = put(event, kind, Some(call.tool_call_id.clone()), text);
                if let Step::Put(passage) = &mut step {
                    passage.replaces = true;
                }
                steps.push(step);
            }
            EventBody::TitleChanged { title } => {
                steps.push(put(event, HitKind::Title, None, title.clone()));
            }
            EventBody::Complete { .. } | EventBody::SessionEnded { .. } => self.finish(steps),
            _ => {}
        }
    }

    /// The number where the oldest message begins that is not whole yet.
    pub fn open_from(&self) -> Option<u64> {
        self.open.values().map(|message| message.seq).min()
    }

    /// Nothing more comes: what there is, is whole.
    pub fn finish(&mut self, steps: &mut Vec<Step>) {
        let mut rest: Vec<_> = self.open.drain().map(|(_, message)| message).collect();
        rest.sort_by_key(|message| message.seq);
        steps.extend(rest.into_iter().map(whole));
    }

    fn close(&mut self, thread: &Option<String>, steps: &mut Vec<Step>) {
        steps.extend(self.open.remove(thread).map(whole));
    }
}

fn whole(message: Message) -> Step {
    Step::Put(Passage {
        seq: message.seq,
        at: message.at,
        kind: HitKind::Answer,
        of: Some(message.id),
        replaces: false,
        text: message.text,
    })
}

fn put(event: &Event, kind: HitKind, of: Option<String>, text: String) -> Step {
    Step::Put(Passage {
        seq: event.seq,
        at: event.at.clone(),
        kind,
        of,
        replaces: false,
        text,
    })
}
