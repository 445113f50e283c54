//! Text and thinking are said once: what stands under each message's id is what its `assistant` lines say.

use std::collections::{BTreeMap, HashSet};

use kandev_transcript::{Emitted, EventBody};
use kandev_wire::FromCli;

use super::{Read, each_message};
use crate::json::{blocks, value};

const KINDS: [&str; 2] = ["text", "thinking"];

/// One process, as it was said and as it was heard.
#[derive(Default)]
struct Process {
    want: BTreeMap<(String, &'static str), String>,
    got: BTreeMap<(String, &'static str), String>,
    /// Ids under which others than `assistant` lines speak, or whose lines cannot be read apart from the code.
    others: HashSet<String>,
    /// Some `assistant` line has no id at all, or a line takes back what was confirmed.
    unsure: bool,
    /// Some other line has no id, so what it says stands under one that was made.
    strangers: bool,
}

/// Holds each process to the rule.
pub fn once(steps: &[Read<'_>], end: &[Emitted]) -> Result<(), String> {
    let mut process = Process::default();
    for step in steps {
        process.heard(&step.step.events);
        if step.parts.starts {
            process.agrees()?;
            process = Process::default();
        }
        each_message(step, |line, message| process.said(line, message));
    }
    process.heard(end);
    process.agrees()
}

impl Process {
    fn said(&mut self, line: &str, message: &FromCli<'_>) {
        self.unsure |= line.contains("refusal_fallback");
        let Some(json) = value(line) else {
            // Deeper than a value goes: what it says can only be read by the code that is judged.
            self.unsure = true;
            return;
        };
        if !matches!(message, FromCli::Assistant(_)) {
            match json["uuid"].as_str() {
                Some(uuid) if !uuid.is_empty() => drop(self.others.insert(uuid.to_owned())),
                _ => self.strangers = true,
            }
            return;
        }
        if !json["message"].is_object() {
            return;
        }
        let id = json["message"]["id"].as_str().or(json["uuid"].as_str());
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            self.unsure = true;
            return;
        };
        for block in blocks(&json) {
            for kind in KINDS {
                if block["type"] == kind
                    && let Some(text) = block[kind].as_str()
                {
                    self.want
                        .entry((id.to_owned(), kind))
                        .or_default()
                        .push_str(text);
                }
            }
        }
    }

    fn heard(&mut self, events: &[Emitted]) {
        for event in events {
            let (id, kind, text) = match &event.body {
                EventBody::MessageChunk { text, message_id } => (message_id, KINDS[0], text),
                EventBody::Reasoning {
                    reasoning_text,
                    message_id,
                } => (message_id, KINDS[1], reasoning_text),
                EventBody::MessageDiscarded { message_id } => {
                    self.got.retain(|(id, _), _| id != message_id);
                    continue;
                }
                _ => continue,
            };
            self.got
                .entry((id.clone(), kind))
                .or_default()
                .push_str(text);
        }
    }

    fn agrees(&self) -> Result<(), String> {
        let plain = |texts: &BTreeMap<(String, &'static str), String>| {
            let mut texts = texts.clone();
            texts.retain(|(id, _), text| !text.is_empty() && !self.others.contains(id));
            texts
        };
        let (want, got) = (plain(&self.want), plain(&self.got));
        for (key, text) in &want {
            if got.get(key) != Some(text) && !self.unsure {
                return Err(format!(
                    "{key:?} says {:?} instead of {text:?}",
                    got.get(key)
                ));
            }
        }
        match got.iter().find(|(key, _)| !want.contains_key(*key)) {
            Some((key, text)) if !self.unsure && !self.strangers => {
                Err(format!("{key:?} says {text:?}, which nobody said"))
            }
            _ => Ok(()),
        }
    }
}
