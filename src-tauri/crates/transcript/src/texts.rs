//! Text and thinking: what streams is a preview, what an `assistant` line says counts, and each is said once (PROTOCOL 4.3).

use kandev_wire::{AbandonedBlocks, Halves};

use crate::event::EventBody;
use crate::out::Out;
use crate::recent::Recent;

const SAID: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Thinking,
}

/// The messages that stream now: one for the main thread, and one for each subagent that streams.
#[derive(Debug)]
pub(crate) struct Texts {
    streaming: Vec<Streaming>,
    /// Messages of which confirmed blocks were said that are not held any more. What streams under such an id again is
    /// no preview: taking it back would void what counts.
    said: Recent,
}

impl Default for Texts {
    fn default() -> Self {
        Self {
            streaming: Vec::new(),
            said: Recent::new(SAID),
        }
    }
}

#[derive(Debug)]
struct Streaming {
    parent: Option<String>,
    id: String,
    text: Tail,
    thinking: Tail,
    /// The finished blocks in order, for the case that the rest has to be taken back.
    confirmed: Vec<(Kind, String)>,
}

/// What was said of a block that no `assistant` line has confirmed yet.
#[derive(Debug, Default)]
struct Tail {
    said: String,
    /// Half a character, held back until the next delta shows the other half.
    half: Option<u16>,
}

impl Tail {
    fn is_empty(&self) -> bool {
        self.said.is_empty() && self.half.is_none()
    }

    /// What the delta adds to what was said.
    fn grow(&mut self, text: &str, halves: Halves) -> String {
        let mut added = String::with_capacity(text.len());
        let mut rest = text;
        if let Some(high) = self.half.take() {
            match halves.leading.and_then(|low| Halves::join(high, low)) {
                Some(whole) => {
                    added.push(whole);
                    rest = rest
                        .strip_prefix(char::REPLACEMENT_CHARACTER)
                        .unwrap_or(rest);
                }
                None => added.push(char::REPLACEMENT_CHARACTER),
            }
        }
        if halves.trailing.is_some()
            && let Some(before) = rest.strip_suffix(char::REPLACEMENT_CHARACTER)
        {
            self.half = halves.trailing;
            rest = before;
        }
        added.push_str(rest);
        self.said.push_str(&added);
        added
    }
}

impl Texts {
    /// A message begins: what the one before it in the same thread left open will never be confirmed.
    pub fn start(&mut self, parent: Option<&str>, id: Option<&str>, out: &mut Out) {
        if let Some(at) = self.position(parent) {
            self.streaming[at].take_back(out);
            self.let_go(at);
        }
        if let Some(id) = id {
            self.preview(parent, id);
        }
    }

    /// Begins to show a message as it streams. False if it cannot be shown so.
    fn preview(&mut self, parent: Option<&str>, id: &str) -> bool {
        let new = !self.said.contains(id) && self.streaming.iter().all(|message| message.id != id);
        if new {
            self.streaming.push(Streaming::new(parent, id));
        }
        new
    }

    fn let_go(&mut self, at: usize) {
        let message = self.streaming.swap_remove(at);
        if !message.confirmed.is_empty() {
            self.said.insert(message.id.as_str());
        }
    }

    pub fn delta(
        &mut self,
        parent: Option<&str>,
        id: Option<&str>,
        kind: Kind,
        text: &str,
        halves: Halves,
        out: &mut Out,
    ) {
        let at = match (self.position(parent), id) {
            (Some(at), _) => at,
            // The start was not seen; the line itself may name the message.
            (None, Some(id)) if self.preview(parent, id) => self.streaming.len() - 1,
            (None, _) => return,
        };
        let message = &mut self.streaming[at];
        let added = message.tail(kind).grow(text, halves);
        say(kind, added, &message.id, parent, out);
    }

    /// The message has streamed to its end; blocks that the CLI gave up are taken back.
    pub fn stop(
        &mut self,
        parent: Option<&str>,
        abandoned: Option<&AbandonedBlocks<'_>>,
        out: &mut Out,
    ) {
        let Some(at) = self.position(parent) else {
            return;
        };
        let message = &mut self.streaming[at];
        if abandoned.is_some_and(|blocks| {
            blocks
                .api_message_id
                .as_deref()
                .is_none_or(|id| id == message.id)
        }) {
            message.take_back(out);
        }
        if message.text.is_empty() && message.thinking.is_empty() {
            self.let_go(at);
        }
    }

    /// An `assistant` line says a whole block: only what the stream has not shown of it is still to be said.
    pub fn confirm(
        &mut self,
        parent: Option<&str>,
        id: &str,
        kind: Kind,
        whole: &str,
        out: &mut Out,
    ) {
        let Some(message) = self.streaming.iter_mut().find(|message| message.id == id) else {
            self.said.insert(id);
            return say(kind, whole.to_owned(), id, parent, out);
        };
        let tail = std::mem::take(message.tail(kind));
        match whole.strip_prefix(tail.said.as_str()) {
            Some(rest) => {
                say(kind, rest.to_owned(), id, parent, out);
                message.confirmed.push((kind, whole.to_owned()));
            }
            None => {
                message.confirmed.push((kind, whole.to_owned()));
                out.say_under(
                    parent,
                    EventBody::MessageDiscarded {
                        message_id: id.to_owned(),
                    },
                );
                message.say_confirmed(out);
                for (kind, tail) in [
                    (Kind::Thinking, &message.thinking),
                    (Kind::Text, &message.text),
                ] {
                    say(kind, tail.said.clone(), id, parent, out);
                }
            }
        }
    }

    /// The turn or the input is over: nothing more will be confirmed.
    pub fn end(&mut self, out: &mut Out) {
        for message in &mut self.streaming {
            message.take_back(out);
        }
        while !self.streaming.is_empty() {
            self.let_go(0);
        }
    }

    fn position(&self, parent: Option<&str>) -> Option<usize> {
        self.streaming
            .iter()
            .position(|message| message.parent.as_deref() == parent)
    }
}

impl Streaming {
    fn new(parent: Option<&str>, id: &str) -> Self {
        Self {
            parent: parent.map(str::to_owned),
            id: id.to_owned(),
            text: Tail::default(),
            thinking: Tail::default(),
            confirmed: Vec::new(),
        }
    }

    fn tail(&mut self, kind: Kind) -> &mut Tail {
        match kind {
            Kind::Text => &mut self.text,
            Kind::Thinking => &mut self.thinking,
        }
    }

    /// Voids the message if part of it is unconfirmed, and says the confirmed part again.
    fn take_back(&mut self, out: &mut Out) {
        if self.text.is_empty() && self.thinking.is_empty() {
            return;
        }
        let parent = self.parent.clone();
        for kind in [Kind::Thinking, Kind::Text] {
            let Tail { said, half } = std::mem::take(self.tail(kind));
            if said.is_empty() && half.is_some() {
                // It was held back, but what is taken back must have been said.
                say(
                    kind,
                    char::REPLACEMENT_CHARACTER.to_string(),
                    &self.id,
                    parent.as_deref(),
                    out,
                );
            }
        }
        out.say_under(
            parent.as_deref(),
            EventBody::MessageDiscarded {
                message_id: self.id.clone(),
            },
        );
        self.say_confirmed(out);
    }

    fn say_confirmed(&self, out: &mut Out) {
        for (kind, text) in &self.confirmed {
            say(*kind, text.clone(), &self.id, self.parent.as_deref(), out);
        }
    }
}

fn say(kind: Kind, text: String, id: &str, parent: Option<&str>, out: &mut Out) {
    if text.is_empty() {
        return;
    }
    let message_id = id.to_owned();
    out.say_under(
        parent,
        match kind {
            Kind::Text => EventBody::MessageChunk { text, message_id },
            Kind::Thinking => EventBody::Reasoning {
                reasoning_text: text,
                message_id,
            },
        },
    );
}
