//! An event as a row of the journal and back.

use std::borrow::Cow;

use kandev_transcript::{Event, EventBody};
use rusqlite::{CachedStatement, Connection, params};

use super::{pieces, place, seq_of};
use crate::StoreError;

/// A body longer than this, in bytes, is kept as its beginning: the database takes none of more than a billion.
const LONGEST: usize = 512 << 20;

/// What a row of the journal holds. The body of a text is the text itself, that of all others is JSON.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row<'a> {
    pub session: i64,
    pub seq: u64,
    pub through: u64,
    pub at: Cow<'a, str>,
    pub kind: Cow<'a, str>,
    /// The id that it is about: of a message, a prompt, a tool call, a question or a task.
    pub about: Option<Cow<'a, str>>,
    pub parent: Option<Cow<'a, str>>,
    /// The key of the CLI's session id.
    pub cli: Option<i64>,
    pub turn: u64,
    pub mark: Option<Cow<'a, str>>,
    pub pieces: Option<Vec<u8>>,
    pub body: Cow<'a, str>,
}

/// What is asked for where rows become events.
pub(super) const SELECT: &str = "
SELECT journal.id, through, at, type, ref, parent, cli_ids.id, pieces, body
FROM journal LEFT JOIN cli_ids ON cli_ids.key = journal.cli";

pub(crate) const MESSAGE_CHUNK: &str = "message_chunk";
pub(crate) const REASONING: &str = "reasoning";

/// The kind and the message, if the event is a piece of a text.
pub(super) fn text_of(body: &EventBody) -> Option<(&'static str, &str, &str)> {
    match body {
        EventBody::MessageChunk { text, message_id } => Some((MESSAGE_CHUNK, message_id, text)),
        EventBody::Reasoning {
            reasoning_text,
            message_id,
        } => Some((REASONING, message_id, reasoning_text)),
        _ => None,
    }
}

/// The event's `type`.
pub(super) fn kind_of(body: &EventBody) -> &'static str {
    match body {
        EventBody::SessionStatus { .. } => "session_status",
        EventBody::AvailableCommands { .. } => "available_commands",
        EventBody::UserMessage(_) => "user_message",
        EventBody::MessageChunk { .. } => MESSAGE_CHUNK,
        EventBody::Reasoning { .. } => REASONING,
        EventBody::MessageDiscarded { .. } => "message_discarded",
        EventBody::ToolCall(_) => "tool_call",
        EventBody::ToolUpdate(_) => "tool_update",
        EventBody::Todos { .. } => "todos",
        EventBody::PermissionRequest(_) => "permission_request",
        EventBody::PermissionResolved { .. } => "permission_resolved",
        EventBody::PermissionCancelled { .. } => "permission_cancelled",
        EventBody::ContextWindow(_) => "context_window",
        EventBody::RateLimit { .. } => "rate_limit",
        EventBody::Complete { .. } => "complete",
        EventBody::Error { .. } => "error",
        EventBody::SessionState { .. } => "session_state",
        EventBody::TaskStarted(_) => "task_started",
        EventBody::TaskProgress(_) => "task_progress",
        EventBody::TaskNotification(_) => "task_notification",
        EventBody::TurnDiffUpdated { .. } => "turn_diff_updated",
        EventBody::Notice { .. } => "notice",
        EventBody::ModeChanged { .. } => "mode_changed",
        EventBody::ModelChanged { .. } => "model_changed",
        EventBody::TitleChanged { .. } => "title_changed",
        EventBody::SessionEnded { .. } => "session_ended",
        EventBody::Unrecognized { .. } => "unrecognized",
    }
}

/// The id that an event is about.
pub(super) fn about(body: &EventBody) -> Option<&str> {
    match body {
        EventBody::UserMessage(message) => message.uuid.as_deref(),
        EventBody::MessageChunk { message_id, .. }
        | EventBody::Reasoning { message_id, .. }
        | EventBody::MessageDiscarded { message_id } => Some(message_id),
        EventBody::ToolCall(call) | EventBody::ToolUpdate(call) => Some(&call.tool_call_id),
        EventBody::PermissionRequest(request) => Some(&request.pending_id),
        EventBody::PermissionResolved { pending_id, .. }
        | EventBody::PermissionCancelled { pending_id } => Some(pending_id),
        EventBody::Complete { data } => data.last_message_uuid.as_deref(),
        EventBody::TaskStarted(task)
        | EventBody::TaskProgress(task)
        | EventBody::TaskNotification(task) => task.task_id.as_deref(),
        _ => None,
    }
}

/// Whether it is a prompt of the main thread: where a turn begins.
pub(super) fn is_prompt(event: &Event) -> bool {
    event.parent_tool_call_id.is_none()
        && matches!(&event.body, EventBody::UserMessage(message) if !message.synthetic)
}

/// The marks of events that hold until the next one of their kind.
pub(super) const STANDING: [&str; 8] = [
    "session_status",
    "available_commands",
    "todos",
    "context_window",
    "mode_changed",
    "model_changed",
    "title_changed",
    "session_state",
];
pub(super) const PROMPT: &str = "prompt";

pub(super) fn mark_of(event: &Event, kind: &'static str) -> Option<&'static str> {
    if is_prompt(event) {
        return Some(PROMPT);
    }
    STANDING.contains(&kind).then_some(kind)
}

/// The body of an event that is no text, in the place of what `into` held.
pub(super) fn write_body(body: &EventBody, into: &mut Vec<u8>) -> Result<(), StoreError> {
    into.clear();
    serde_json::to_writer(&mut *into, body)?;
    if into.len() > LONGEST {
        let bytes = into.len();
        let beginning = String::from_utf8_lossy(&into[..LONGEST / 8]).into_owned();
        let raw = format!("{beginning}… (an event of {bytes} bytes, too long to keep)");
        into.clear();
        serde_json::to_writer(into, &EventBody::Unrecognized { raw })?;
    }
    Ok(())
}

/// The same as a text of its own.
pub(super) fn body_of(body: &EventBody) -> Result<String, StoreError> {
    let mut json = Vec::new();
    write_body(body, &mut json)?;
    String::from_utf8(json).map_err(|error| StoreError::Unreadable(error.to_string()))
}

/// How rows are written; prepared once for many.
pub(super) fn inserting(conn: &Connection) -> Result<CachedStatement<'_>, StoreError> {
    Ok(conn.prepare_cached(
        "INSERT INTO journal (id, through, at, type, ref, parent, cli, turn, mark, pieces, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?)
}

pub(super) fn insert(into: &mut CachedStatement<'_>, row: &Row<'_>) -> Result<(), StoreError> {
    into.execute(params![
        place(row.session, row.seq),
        row.through.cast_signed(),
        row.at,
        row.kind,
        row.about,
        row.parent,
        row.cli,
        row.turn.cast_signed(),
        row.mark,
        row.pieces,
        row.body,
    ])?;
    Ok(())
}

/// The event that a row of [`SELECT`] is, as far as it lies after one number and not after another. None if nothing of it
/// does.
pub(super) fn event(
    row: &rusqlite::Row<'_>,
    after: u64,
    up_to: u64,
) -> Result<Option<Event>, StoreError> {
    let first = seq_of(row.get(0)?);
    let last = row.get::<_, i64>(1)?.cast_unsigned();
    let (from, through) = (first.max(after.saturating_add(1)), last.min(up_to));
    if from > through {
        return Ok(None);
    }
    let kind = row.get_ref(3)?.as_str().unwrap_or_default();
    let stored = row
        .get_ref(8)?
        .as_str()
        .map_err(|error| StoreError::Unreadable(error.to_string()))?;
    let body = match kind {
        MESSAGE_CHUNK | REASONING => {
            let lengths = row.get_ref(7)?.as_blob_or_null().ok().flatten();
            let cut = |count: u64| match lengths {
                Some(lengths) => pieces::length_of(lengths, count),
                None if count == 0 => 0,
                None => stored.len(),
            };
            let text = stored
                .get(cut(from - first)..cut(through - first + 1))
                .ok_or_else(|| StoreError::Unreadable(format!("the pieces of event {first}")))?
                .to_owned();
            let message_id = row.get::<_, Option<String>>(4)?.unwrap_or_default();
            match kind {
                MESSAGE_CHUNK => EventBody::MessageChunk { text, message_id },
                _ => EventBody::Reasoning {
                    reasoning_text: text,
                    message_id,
                },
            }
        }
        _ => serde_json::from_str(stored)?,
    };
    Ok(Some(Event {
        seq: from,
        through: (through > from).then_some(through),
        at: row.get(2)?,
        session_id: row.get(6)?,
        parent_tool_call_id: row.get(5)?,
        body,
    }))
}
