//! The user's words: given when the host writes them, and not a second time when the CLI echoes them (PROTOCOL 4.7).

use std::collections::VecDeque;

use kandev_wire::{ContentBlock, UserLine, text_of};

use crate::event::{Attachment, EventBody, UserMessage};
use crate::out::Out;
use crate::recent::Recent;

const KNOWN: usize = 512;
const WAITING: usize = 64;

/// Which prompts were given, and which of them the CLI has not echoed yet.
#[derive(Debug)]
pub(crate) struct Prompts {
    /// The host's side is part of the input, so a text that the CLI says unasked is the CLI's own.
    pub host_seen: bool,
    given: Recent,
    waiting: VecDeque<Waiting>,
    /// The newest echoes without their white space; waiting prompts come again, joined.
    echoed: VecDeque<String>,
}

#[derive(Debug)]
struct Waiting {
    uuid: Option<String>,
    text: String,
}

impl Prompts {
    pub fn new() -> Self {
        Self {
            host_seen: false,
            given: Recent::new(KNOWN),
            waiting: VecDeque::new(),
            echoed: VecDeque::new(),
        }
    }

    /// A prompt that the host writes. False if its uuid was used before: no turn will follow.
    pub fn given(&mut self, line: &UserLine<'_>, out: &mut Out) -> bool {
        let message = user_message(line, false);
        let new = message
            .uuid
            .as_deref()
            .is_none_or(|uuid| self.given.insert(uuid));
        self.waiting.push_back(Waiting {
            uuid: message.uuid.clone(),
            text: squeezed(&message.text),
        });
        if self.waiting.len() > WAITING {
            self.waiting.pop_front();
        }
        out.say_under(
            line.parent_tool_use_id.as_deref(),
            EventBody::UserMessage(message),
        );
        new
    }

    /// An echo that the CLI marks as such: a prompt only if it was not given before.
    pub fn replayed(&mut self, line: &UserLine<'_>, out: &mut Out) {
        let message = user_message(line, false);
        if !self.is_echo(&message) {
            if let Some(uuid) = &message.uuid {
                self.given.insert(uuid);
            }
            out.say_under(
                line.parent_tool_use_id.as_deref(),
                EventBody::UserMessage(message),
            );
        }
    }

    /// A text without a mark: an old version's echo, a subagent's prompt, or what the CLI put in.
    pub fn unmarked(&mut self, line: &UserLine<'_>, out: &mut Out) {
        let mut message = user_message(line, line.is_synthetic == Some(true));
        let parent = line.parent_tool_use_id.as_deref();
        if message
            .text
            .trim_start()
            .starts_with("[Request interrupted by user")
        {
            message.synthetic = true;
        }
        if !message.synthetic && parent.is_none() {
            let same = squeezed(&message.text);
            let known = message
                .uuid
                .as_deref()
                .is_some_and(|uuid| self.given.contains(uuid));
            if known || self.waiting.iter().any(|waiting| waiting.text == same) {
                self.is_echo(&message);
                return;
            }
            message.synthetic = self.host_seen;
        }
        out.say_under(parent, EventBody::UserMessage(message));
    }

    fn is_echo(&mut self, message: &UserMessage) -> bool {
        let text = squeezed(&message.text);
        let uuid = message.uuid.as_deref();
        let place = match uuid.filter(|uuid| self.given.contains(uuid)) {
            Some(uuid) => Some(
                self.waiting
                    .iter()
                    .position(|waiting| waiting.uuid.as_deref() == Some(uuid)),
            ),
            None => self
                .waiting
                .iter()
                .position(|waiting| waiting.uuid.is_none())
                .or_else(|| (!self.waiting.is_empty()).then_some(0))
                .map(Some),
        };
        let known = match place {
            Some(place) => {
                place.and_then(|place| self.waiting.remove(place));
                true
            }
            None => self.is_joined(&text),
        };
        self.echoed.push_back(text);
        if self.echoed.len() > WAITING {
            self.echoed.pop_front();
        }
        known
    }

    /// Whether the text is several of the last echoes in a row.
    fn is_joined(&self, text: &str) -> bool {
        let mut rest = text;
        for (count, echo) in self.echoed.iter().rev().enumerate() {
            match rest.strip_suffix(echo.as_str()) {
                Some("") => return count > 0,
                Some(before) => rest = before,
                None => return false,
            }
        }
        false
    }

    /// A turn is over: what was echoed before it is not joined again.
    pub fn turn_over(&mut self) {
        self.echoed.clear();
    }
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn user_message(line: &UserLine<'_>, synthetic: bool) -> UserMessage {
    let blocks = line
        .message
        .as_ref()
        .map_or(&[][..], |message| &message.content);
    UserMessage {
        text: text_of(blocks),
        uuid: line.uuid.as_deref().map(str::to_owned),
        attachments: blocks.iter().filter_map(attachment).collect(),
        synthetic,
    }
}

fn attachment(block: &ContentBlock<'_>) -> Option<Attachment> {
    let ContentBlock::Other { kind, source } = block else {
        return None;
    };
    let own = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(str::to_owned);
    let source = source.as_ref();
    Some(Attachment {
        kind: kind.clone().into_owned(),
        media_type: source.and_then(|source| own(&source.media_type)),
        url: source.and_then(|source| own(&source.url)),
        data: source.and_then(|source| own(&source.data)),
    })
}

/// What a slash command printed, without its tags.
pub(crate) fn local_command_output(text: &str) -> Option<&str> {
    let text = text.trim();
    let between = |tag: &str| {
        let inner = text.strip_prefix(&format!("<local-command-{tag}>"))?;
        inner.strip_suffix(&format!("</local-command-{tag}>"))
    };
    text.starts_with("<local-command-")
        .then(|| between("stdout").or_else(|| between("stderr")))
        .flatten()
}
