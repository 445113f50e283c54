//! The places that a reader jumps to, by an index of their own. A call stands at its first event, whatever became of it
//! later, so that the order of the places is that of the rows.

use kandev_transcript::{
    ActionType, Event, EventBody, NormalizedPayload, ResolvedBy, ToolCall, ToolStatus,
};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::journal::{first_about, place, seq_of};
use crate::{Store, StoreError, registry};

/// What stands at a place that a reader jumps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// A prompt of the main thread.
    Prompt,
    /// A tool call that failed, an error, a turn that failed, a process that broke off.
    Error,
    /// A tool call that changes a file.
    Edit,
    /// A question to the person: of a tool, a plan, a permission, a server.
    Question,
}

const ERROR: &str = "error";
const EDIT: &str = "edit";
const QUESTION: &str = "question";

/// The step of this room in `db::migrations`: what is marked from now on, and what was said before. Prompts are marked in
/// the journal itself.
pub(crate) const TABLES: &str = "
CREATE TABLE journal_marks (
    session INTEGER NOT NULL,
    what TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (session, what, seq)
) STRICT, WITHOUT ROWID;
CREATE TEMP TABLE told AS
    SELECT id, ref, type, body ->> '$.tool_status' AS status, body ->> '$.normalized.kind' AS kind,
        body ->> '$.action_type' AS action, ifnull(body ->> '$.data.is_error', 0) AS failed,
        body ->> '$.kind' AS notice, ifnull(body ->> '$.data.expected', 1) AS expected
    FROM journal
    WHERE type IN ('tool_call', 'tool_update', 'permission_request', 'error', 'complete', 'notice', 'session_ended')
    AND json_valid(body);
INSERT OR IGNORE INTO journal_marks (session, what, seq)
    SELECT id >> 40,
        CASE WHEN type = 'permission_request' OR type = 'notice' OR kind IN ('ask_user', 'show_plan') THEN 'question'
            WHEN type IN ('tool_call', 'tool_update') THEN 'edit' ELSE 'error' END,
        CASE WHEN type IN ('tool_call', 'tool_update') THEN
            (SELECT min(first.id) FROM journal AS first
             WHERE first.ref = told.ref AND first.id BETWEEN (told.id >> 40) << 40 AND told.id)
            ELSE id END & 0xFFFFFFFFFF
    FROM told
    WHERE type IN ('tool_call', 'tool_update') AND ref IS NOT NULL AND kind IN ('modify_file', 'ask_user', 'show_plan')
        OR type = 'permission_request' AND action NOT IN ('question', 'plan')
        OR type = 'notice' AND notice = 'elicitation'
        OR type = 'error' OR type = 'complete' AND failed OR type = 'session_ended' AND NOT expected;
INSERT OR IGNORE INTO journal_marks (session, what, seq)
    SELECT id >> 40, 'error',
        (SELECT min(first.id) FROM journal AS first
         WHERE first.ref = told.ref AND first.id BETWEEN (told.id >> 40) << 40 AND told.id) & 0xFFFFFFFFFF
    FROM told WHERE type IN ('tool_call', 'tool_update') AND ref IS NOT NULL AND status = 'error';
DROP TABLE told;
";

impl Store {
    /// The number with which the next of these begins after a number, or (`back`) the last one before it.
    ///
    /// # Errors
    /// As [`Store::events_after`].
    pub fn mark(
        &self,
        id: &str,
        what: Mark,
        from: u64,
        back: bool,
    ) -> Result<Option<u64>, StoreError> {
        self.read(|conn| {
            let session = registry::key(conn, id)?;
            match what {
                Mark::Prompt => prompt(conn, session, from, back),
                Mark::Error => marked(conn, session, ERROR, from, back),
                Mark::Edit => marked(conn, session, EDIT, from, back),
                Mark::Question => marked(conn, session, QUESTION, from, back),
            }
        })
    }
}

fn prompt(
    conn: &Connection,
    session: i64,
    from: u64,
    back: bool,
) -> Result<Option<u64>, StoreError> {
    let (sql, range) = match back {
        true => (
            "SELECT id FROM journal WHERE mark = 'prompt' AND id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
            [place(session, 0), place(session, from) - 1],
        ),
        false => (
            "SELECT id FROM journal WHERE mark = 'prompt' AND id BETWEEN ? AND ? ORDER BY id LIMIT 1",
            [place(session, from) + 1, place(session, u64::MAX)],
        ),
    };
    let mut select = conn.prepare_cached(sql)?;
    let id = select.query_row(range, |row| row.get(0)).optional()?;
    Ok(id.map(seq_of))
}

fn marked(
    conn: &Connection,
    session: i64,
    what: &str,
    from: u64,
    back: bool,
) -> Result<Option<u64>, StoreError> {
    let mut select = conn.prepare_cached(match back {
        true => {
            "SELECT seq FROM journal_marks WHERE session = ? AND what = ? AND seq < ? ORDER BY seq DESC LIMIT 1"
        }
        false => {
            "SELECT seq FROM journal_marks WHERE session = ? AND what = ? AND seq > ? ORDER BY seq LIMIT 1"
        }
    })?;
    let from = i64::try_from(from).unwrap_or(i64::MAX);
    let seq = select.query_row(params![session, what, from], |row| row.get::<_, i64>(0));
    Ok(seq.optional()?.map(i64::cast_unsigned))
}

/// Takes an event that was written a moment ago.
pub(crate) fn follow(tx: &Connection, session: i64, event: &Event) -> Result<(), StoreError> {
    let seq = event.seq;
    match &event.body {
        EventBody::ToolCall(call) | EventBody::ToolUpdate(call) => {
            follow_call(tx, session, call, seq)
        }
        // The call of such a tool stands for the question.
        EventBody::PermissionRequest(asked)
            if !matches!(asked.action_type, ActionType::Question | ActionType::Plan) =>
        {
            add(tx, session, QUESTION, seq)
        }
        // Nobody was asked.
        EventBody::PermissionResolved {
            pending_id,
            by: ResolvedBy::Policy,
            ..
        } => match first_about(tx, session, pending_id)? {
            Some(began) => remove(tx, session, QUESTION, began),
            None => Ok(()),
        },
        EventBody::Notice { kind, .. } if kind == "elicitation" => add(tx, session, QUESTION, seq),
        EventBody::Error { .. } => add(tx, session, ERROR, seq),
        EventBody::Complete { data } if data.is_error => add(tx, session, ERROR, seq),
        EventBody::SessionEnded { data } if !data.expected => add(tx, session, ERROR, seq),
        _ => Ok(()),
    }
}

fn follow_call(tx: &Connection, session: i64, call: &ToolCall, seq: u64) -> Result<(), StoreError> {
    let kind = match &call.normalized {
        NormalizedPayload::ModifyFile { .. } => Some(EDIT),
        NormalizedPayload::AskUser { .. } | NormalizedPayload::ShowPlan { .. } => Some(QUESTION),
        _ => None,
    };
    let failed = (call.tool_status == ToolStatus::Error).then_some(ERROR);
    if kind.is_none() && failed.is_none() {
        return Ok(());
    }
    let began = first_about(tx, session, &call.tool_call_id)?.unwrap_or(seq);
    kind.into_iter()
        .chain(failed)
        .try_for_each(|what| add(tx, session, what, began))
}

fn add(tx: &Connection, session: i64, what: &str, seq: u64) -> Result<(), StoreError> {
    tx.prepare_cached("INSERT OR IGNORE INTO journal_marks (session, what, seq) VALUES (?, ?, ?)")?
        .execute(params![session, what, seq.cast_signed()])?;
    Ok(())
}

fn remove(tx: &Connection, session: i64, what: &str, seq: u64) -> Result<(), StoreError> {
    tx.prepare_cached("DELETE FROM journal_marks WHERE session = ? AND what = ? AND seq = ?")?
        .execute(params![session, what, seq.cast_signed()])?;
    Ok(())
}

/// Gives a session the marks of another up to a number.
pub(crate) fn copy(tx: &Connection, from: i64, through: u64, to: i64) -> Result<(), StoreError> {
    tx.execute(
        "INSERT OR IGNORE INTO journal_marks (session, what, seq)
         SELECT ?, what, seq FROM journal_marks WHERE session = ? AND seq <= ?",
        params![to, from, through.cast_signed()],
    )?;
    Ok(())
}

pub(crate) fn clear(tx: &Connection, session: i64) -> Result<(), StoreError> {
    tx.execute("DELETE FROM journal_marks WHERE session = ?", [session])?;
    Ok(())
}
