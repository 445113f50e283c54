//! What is known of a session that was here before.

use kandev_transcript::Event;

use crate::Phase;

/// What a session goes on from that had a process before, in this program or an earlier one.
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    /// The newest event's number in its journal.
    pub last_seq: u64,
    /// The CLI's id of it; none if the CLI never had one.
    pub cli_session_id: Option<String>,
    pub title: String,
    /// The title says something of the conversation, so no prompt takes its place.
    pub titled: bool,
    /// As the CLI confirmed it.
    pub permission_mode: Option<String>,
    pub model: Option<String>,
    pub effort: Option<String>,
    pub phase: Phase,
    /// RFC 3339, of the phase.
    pub since: String,
    /// RFC 3339.
    pub started_at: String,
    pub problem: Option<String>,
    pub cli_version: Option<String>,
    /// Of a fork that has no conversation of its own yet: the message after which it was forked.
    pub last_message_uuid: Option<String>,
    pub forked_from: Option<String>,
    /// The newest events of the kinds that stand until the next one, such as `todos` and `context_window`, in order.
    pub standing: Vec<Event>,
}
