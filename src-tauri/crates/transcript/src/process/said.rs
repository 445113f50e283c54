//! What the model says, what tools give, and the end of a turn.

use kandev_wire::{
    AssistantMessage, ContentBlock, Delta, Halves, StreamEvent, TurnResult, UserLine, text_of,
};

use super::Process;
use crate::calls::{ResultOf, goes_on};
use crate::event::{EventBody, ToolStatus};
use crate::normalize::ToolResult;
use crate::notices;
use crate::out::Out;
use crate::prompts::local_command_output;
use crate::texts::Kind;
use crate::turn::by_model;

impl Process {
    pub(super) fn stream(&mut self, line: &StreamEvent<'_>, out: &mut Out) {
        let parent = line.parent_tool_use_id.as_deref();
        let named = line.api_message_id.as_deref();
        let Some(event) = &line.event else {
            // The older form: a delta without an event around it.
            if let Some(delta) = &line.delta {
                self.grow(parent, named, delta, line.halves, out);
            }
            return;
        };
        match event.kind.as_deref() {
            Some("message_start") => {
                let id = event
                    .message
                    .as_ref()
                    .and_then(|message| message.id.as_deref())
                    .or(named);
                self.texts.start(parent, id, out);
                if parent.is_none() {
                    self.work();
                    self.context.streams(event, out);
                }
            }
            Some("content_block_delta") => {
                if let Some(delta) = &event.delta {
                    self.grow(parent, named, delta, line.halves, out);
                }
            }
            Some("message_delta") if parent.is_none() => self.context.streams(event, out),
            Some("message_stop") => self.texts.stop(parent, line.abandoned_blocks.as_ref(), out),
            _ => {}
        }
    }

    fn grow(
        &mut self,
        parent: Option<&str>,
        named: Option<&str>,
        delta: &Delta<'_>,
        halves: Halves,
        out: &mut Out,
    ) {
        let (kind, text) = match (delta.kind.as_deref(), &delta.text, &delta.thinking) {
            (Some("text_delta") | None, Some(text), _) => (Kind::Text, text),
            (Some("thinking_delta") | None, _, Some(thinking)) => (Kind::Thinking, thinking),
            _ => return,
        };
        self.texts.delta(parent, named, kind, text, halves, out);
    }

    pub(super) fn assistant(&mut self, line: &AssistantMessage<'_>, out: &mut Out) {
        let parent = line.parent_tool_use_id.as_deref();
        if parent.is_none() {
            self.turn.assistant_line(line);
            self.context.says(line, out);
        }
        let Some(message) = &line.message else { return };
        let id = out.id_or_made(message.id.as_deref().or(line.uuid.as_deref()));
        let id = id.as_ref();
        if !line.supersedes.is_empty() {
            self.spoken.retract(&line.supersedes, Some(id), out);
        }
        self.spoken.by(line.uuid.as_deref(), parent, id);
        let is_result =
            |block: &&ContentBlock<'_>| matches!(block, ContentBlock::ToolResult { .. });
        let results = message.content.iter().filter(is_result).count();
        for block in &message.content {
            match block {
                ContentBlock::Text { text } => {
                    self.texts.confirm(parent, id, Kind::Text, text, out);
                    self.turn.text_shown |= parent.is_none() && !text.is_empty();
                    if line.error.is_some() && parent.is_none() {
                        self.turn.showed(text, id);
                    }
                }
                ContentBlock::Thinking { thinking } if !thinking.is_empty() => {
                    self.texts
                        .confirm(parent, id, Kind::Thinking, thinking, out);
                }
                ContentBlock::ToolUse { id, name, input } => {
                    self.calls.start(id, name, *input, parent, out)
                }
                ContentBlock::ToolResult {
                    tool_use_id,
                    content,
                    is_error,
                } => {
                    let result = ToolResult {
                        content: *content,
                        // Of the line, so of no block if there are several.
                        tool_use_result: line.tool_use_result.filter(|_| results == 1),
                        is_error: *is_error,
                    };
                    self.tool_result(
                        &ResultOf {
                            call_id: tool_use_id,
                            result,
                            goes_on: false,
                        },
                        parent,
                        out,
                    );
                }
                ContentBlock::Thinking { .. } | ContentBlock::Other { .. } => {}
            }
        }
    }

    pub(super) fn user(&mut self, line: &UserLine<'_>, out: &mut Out) {
        let parent = line.parent_tool_use_id.as_deref();
        if parent.is_none() {
            self.turn.user_line(line.uuid.as_deref());
        }
        let Some(message) = &line.message else { return };
        let is_result =
            |block: &&ContentBlock<'_>| matches!(block, ContentBlock::ToolResult { .. });
        let results = message.content.iter().filter(is_result).count();
        let attachments = message
            .content
            .iter()
            .any(|block| matches!(block, ContentBlock::Other { source, .. } if source.is_some()));
        for block in &message.content {
            if let ContentBlock::ToolResult {
                tool_use_id,
                content,
                is_error,
            } = block
            {
                // The tool's own data belongs to the line; with several results in it, to none of them.
                let data = line.tool_use_result.filter(|_| results == 1);
                let result = ToolResult {
                    content: *content,
                    tool_use_result: data,
                    is_error: *is_error,
                };
                let goes_on = line.tool_use_result.is_some_and(goes_on);
                self.tool_result(
                    &ResultOf {
                        call_id: tool_use_id,
                        result,
                        goes_on,
                    },
                    parent,
                    out,
                );
            }
        }
        let text = text_of(&message.content);
        if let Some(output) = local_command_output(&text) {
            if !output.is_empty() {
                let message_id = out.id_or_made(line.uuid.as_deref()).into_owned();
                out.say_under(
                    parent,
                    EventBody::MessageChunk {
                        text: output.to_owned(),
                        message_id,
                    },
                );
            }
            self.turn.text_shown |= parent.is_none() && !output.trim().is_empty();
            return;
        }
        if line.is_replay == Some(true) {
            self.prompts.replayed(line, out);
        } else if !text.trim().is_empty() || text.is_empty() && attachments {
            if parent.is_none()
                && text
                    .trim_start()
                    .starts_with("[Request interrupted by user")
            {
                self.turn.interrupted();
            }
            self.prompts.unmarked(line, out);
        }
    }

    fn tool_result(&mut self, of: &ResultOf<'_>, parent: Option<&str>, out: &mut Out) {
        if !self.prompts.host_seen {
            self.questions
                .settled_by_result(of.call_id, of.result.is_error, out);
        }
        if !self.calls.finish(of, out) {
            if self.calls.is_news(of) {
                notices::orphan(of, parent, out);
            }
            return;
        }
        self.questions.look_at(&self.calls, false);
        let Some(EventBody::ToolUpdate(call)) = out.events.last().map(|event| &event.body) else {
            return;
        };
        if call.tool_status != ToolStatus::Complete {
            return;
        }
        let main_thread = out
            .events
            .last()
            .is_some_and(|event| event.parent_tool_call_id.is_none());
        let todos = if main_thread {
            self.todos.fold(&call.normalized)
        } else {
            None
        };
        self.turn_diff.record(&call.normalized);
        if let Some(items) = todos {
            out.say(EventBody::Todos { items });
        }
        self.tell_turn_diff(false, out);
    }

    /// Says what the turn's edits changed, if that is to be told now.
    pub(super) fn tell_turn_diff(&mut self, over: bool, out: &mut Out) {
        if self.turn_diff.is_due(over) {
            let (files, diff) = (self.turn_diff.files(), self.turn_diff.diff().to_owned());
            out.say(EventBody::TurnDiffUpdated { files, diff });
        }
    }

    pub(super) fn result(&mut self, result: &TurnResult<'_>, out: &mut Out) {
        self.texts.end(out);
        if let Some(text) = self.turn.unshown_text(result) {
            let message_id = out.id_or_made(result.uuid.as_deref()).into_owned();
            self.turn.showed(&text, &message_id);
            out.say(EventBody::MessageChunk { text, message_id });
        }
        self.calls.turn_over(result.is_error.unwrap_or(false), out);
        self.questions.look_at(&self.calls, true);
        let sizes = by_model(result.models()).unwrap_or_default();
        self.context.sizes_are(sizes, self.facts.model(), out);
        self.settle_tasks(out);
        self.tell_turn_diff(true, out);
        self.turn.over(result, out);
        self.turn_diff.clear();
        self.prompts.turn_over();
        self.rest();
    }
}
