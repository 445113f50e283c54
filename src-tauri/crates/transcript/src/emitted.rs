//! An event before it has its number and its time.

use crate::event::{Event, EventBody};

/// What the state machine says; whoever keeps the journal numbers it.
#[derive(Debug, Clone, PartialEq)]
pub struct Emitted {
    pub session_id: Option<String>,
    pub parent_tool_call_id: Option<String>,
    pub body: EventBody,
}

impl Event {
    /// Gives an event its number (from 1, without gaps) and its time (RFC 3339 with milliseconds, see [`crate::at`]).
    pub fn new(seq: u64, at: String, emitted: Emitted) -> Self {
        let Emitted {
            session_id,
            parent_tool_call_id,
            body,
        } = emitted;
        Event {
            seq,
            through: None,
            at,
            session_id,
            parent_tool_call_id,
            body,
        }
    }
}
