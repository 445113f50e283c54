//! What is remembered of the message that is being said and of what the turn has used.

use std::time::Instant;

use serde_json::Value;

/// The message that is being said and what the turn has used.
#[derive(Debug, Default)]
pub struct Voice {
    pub(super) message: Option<Message>,
    /// Tokens that the model would have to read next.
    pub(super) context: u64,
    pub(super) usage: Usage,
    pub(super) started: Option<Instant>,
    /// The texts of the newest message: what a result repeats.
    pub(super) last_text: String,
    /// Said in the first line of a turn.
    pub prompt_uuids: Vec<String>,
    pub(super) prompt_told: bool,
    /// Set in a turn that the CLI began.
    pub origin: Option<Value>,
}

#[derive(Debug)]
pub(super) struct Message {
    pub(super) id: String,
    pub(super) index: u64,
    pub(super) output: u64,
    pub(super) usage: Value,
}

#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Usage {
    pub(super) input: u64,
    pub(super) cache_read: u64,
    pub(super) cache_creation: u64,
    pub(super) output: u64,
}

impl Usage {
    /// US dollars.
    pub(super) fn cost(self) -> f64 {
        // No count comes near 2^52.
        #[allow(clippy::cast_precision_loss)]
        let of = |count: u64, millionth: f64| count as f64 * millionth / 1e6;
        of(self.input, 3.0)
            + of(self.cache_read, 0.3)
            + of(self.cache_creation, 3.75)
            + of(self.output, 15.0)
    }
}
