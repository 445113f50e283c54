//! The prompts on their way: kept until the CLI shows that it took them, so that none is lost with a process.

use std::collections::VecDeque;

use kandev_wire::{FromCli, PromptBlock, SystemBody, user_message};
use serde_json::{Value, json};

use crate::{PromptImage, SessionError};

/// What a person sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Prompt {
    pub text: String,
    pub images: Vec<PromptImage>,
    pub uuid: String,
}

impl Prompt {
    /// # Errors
    /// [`SessionError::BadImage`] for a type that the CLI does not take.
    pub(crate) fn new(
        text: String,
        images: Vec<PromptImage>,
        uuid: String,
    ) -> Result<Self, SessionError> {
        let known = |image: &&PromptImage| {
            matches!(
                &*image.media_type,
                "image/png" | "image/jpeg" | "image/gif" | "image/webp"
            )
        };
        match images.iter().find(|image| !known(image)) {
            Some(image) => Err(SessionError::BadImage {
                media_type: image.media_type.clone(),
            }),
            None => Ok(Self { text, images, uuid }),
        }
    }

    /// As one line for the CLI.
    pub(crate) fn line(&self) -> String {
        let mut blocks = Vec::with_capacity(1 + self.images.len());
        if !self.text.is_empty() || self.images.is_empty() {
            blocks.push(PromptBlock::text(&self.text));
        }
        blocks.extend(
            self.images
                .iter()
                .map(|image| PromptBlock::image(&image.media_type, &image.data)),
        );
        user_message(&blocks, &self.uuid)
    }

    /// What a composer needs to have it back.
    pub(crate) fn data(&self) -> Value {
        json!({ "text": self.text, "uuid": self.uuid, "images": self.images })
    }
}

/// A prompt that was written and not seen to be taken.
#[derive(Debug)]
struct Sent {
    prompt: Prompt,
    /// A turn was running; its own lines say nothing about this prompt.
    during_turn: bool,
    /// The CLI tells what becomes of it, by its uuid.
    tracked: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Prompts {
    /// For when the CLI is ready.
    waiting: VecDeque<Prompt>,
    sent: Vec<Sent>,
    /// Those that the CLI took before it showed which conversation it has.
    held: Option<Vec<Prompt>>,
}

impl Prompts {
    pub(crate) fn wait(&mut self, prompt: Prompt) {
        self.waiting.push_back(prompt);
    }

    pub(crate) fn next_waiting(&mut self) -> Option<Prompt> {
        self.waiting.pop_front()
    }

    /// Takes out a prompt that still waits here.
    pub(crate) fn withdraw(&mut self, uuid: &str) -> Option<Prompt> {
        let place = self.waiting.iter().position(|prompt| prompt.uuid == uuid)?;
        self.waiting.remove(place)
    }

    pub(crate) fn sent(&mut self, prompt: Prompt, during_turn: bool) {
        self.sent.push(Sent {
            prompt,
            during_turn,
            tracked: false,
        });
    }

    /// What is taken from now on may have to come back.
    pub(crate) fn hold(&mut self) {
        self.held = Some(Vec::new());
    }

    /// The CLI has the conversation that is meant.
    pub(crate) fn release(&mut self) {
        self.held = None;
    }

    /// It has another one: nothing was delivered.
    pub(crate) fn take_back(&mut self) {
        let held = self.held.take().unwrap_or_default().into_iter();
        let back = held.map(|prompt| Sent {
            prompt,
            during_turn: false,
            tracked: false,
        });
        self.sent.splice(..0, back);
    }

    /// Whether the newest prompts make the CLI leave its conversation.
    pub(crate) fn clear_the_conversation(&self) -> bool {
        let clears = |prompt: &Prompt| {
            let word = prompt.text.split_whitespace().next();
            matches!(word, Some("/clear" | "/reset" | "/new"))
        };
        let sent = self.sent.iter().map(|sent| &sent.prompt);
        sent.chain(self.held.iter().flatten()).any(clears)
    }

    /// Reads from a line which prompts were taken. Returns the one that the CLI gave up, if it says so.
    pub(crate) fn observe(&mut self, message: &FromCli<'_>) -> Option<Prompt> {
        if self.sent.is_empty() {
            return None;
        }
        match message {
            FromCli::CommandLifecycle(lifecycle) => {
                let uuid = lifecycle.command_uuid.as_deref()?;
                let place = self.sent.iter().position(|sent| sent.prompt.uuid == uuid)?;
                match lifecycle.state.as_deref() {
                    Some("queued") => self.sent[place].tracked = true,
                    Some("started" | "completed") => {
                        let sent = self.sent.remove(place);
                        self.held
                            .iter_mut()
                            .for_each(|held| held.push(sent.prompt.clone()));
                    }
                    Some("cancelled") => return Some(self.sent.remove(place).prompt),
                    _ => {}
                }
            }
            // A model request begins, and it has all that was waiting.
            FromCli::System(system) => match &system.body {
                SystemBody::Init(_) => self.taken(|_| true),
                SystemBody::Status(status) if status.status.as_deref() == Some("requesting") => {
                    self.taken(|_| true)
                }
                _ => {}
            },
            FromCli::StreamEvent(event) => {
                let kind = event.event.as_ref().and_then(|body| body.kind.as_deref());
                let begins = kind == Some("message_start");
                self.taken(|sent| begins || !sent.during_turn);
            }
            FromCli::Assistant(_) | FromCli::Result(_) => self.taken(|sent| !sent.during_turn),
            _ => {}
        }
        None
    }

    fn taken(&mut self, shown: impl Fn(&Sent) -> bool) {
        let taken = self
            .sent
            .extract_if(.., |sent| !sent.tracked && shown(sent));
        let taken = taken.map(|sent| sent.prompt);
        match &mut self.held {
            Some(held) => held.extend(taken),
            None => drop(taken.count()),
        }
    }

    /// Takes out all that was not delivered, in the order it was sent; those that wait can stay for the next process.
    pub(crate) fn undelivered(&mut self, keep_waiting: bool) -> Vec<Prompt> {
        let waiting = if keep_waiting {
            VecDeque::new()
        } else {
            std::mem::take(&mut self.waiting)
        };
        self.sent
            .drain(..)
            .map(|sent| sent.prompt)
            .chain(waiting)
            .collect()
    }
}
