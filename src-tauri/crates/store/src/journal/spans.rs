//! What is open: questions, tasks and tool calls, from the event that begins each to the one that ends it.

use kandev_transcript::{Event, EventBody, ToolStatus};
use rusqlite::{Connection, params};
use serde_json::Value;

use super::place;
use crate::StoreError;

/// The end of what has not ended.
const NEVER: i64 = i64::MAX;

const ASKED: &str = "asked";
const TASK: &str = "task";
/// Only while it runs: nobody asks later what ran in the middle.
const TOOL: &str = "tool";

/// Takes an event that begins or ends something.
pub(super) fn follow(tx: &Connection, session: i64, event: &Event) -> Result<(), StoreError> {
    let seq = event.seq;
    match &event.body {
        EventBody::ToolCall(call) => begin(tx, session, TOOL, &call.tool_call_id, seq),
        EventBody::ToolUpdate(call) if call.tool_status != ToolStatus::Running => {
            tx.prepare_cached("DELETE FROM spans WHERE session = ? AND kind = ? AND ref = ?")?
                .execute(params![session, TOOL, call.tool_call_id])?;
            Ok(())
        }
        EventBody::PermissionRequest(asked) => begin(tx, session, ASKED, &asked.pending_id, seq),
        EventBody::PermissionResolved { pending_id, .. }
        | EventBody::PermissionCancelled { pending_id } => end(tx, session, ASKED, pending_id, seq),
        EventBody::TaskStarted(task) => match &task.task_id {
            Some(id) => begin(tx, session, TASK, id, seq),
            None => Ok(()),
        },
        EventBody::TaskNotification(task) => match &task.task_id {
            Some(id) => end(tx, session, TASK, id, seq),
            None => Ok(()),
        },
        EventBody::Notice { kind, data, .. } => {
            let text = |name: &str| data.get(name).and_then(Value::as_str);
            match (&**kind, text("request_id"), text("task_id")) {
                ("elicitation", Some(id), _) => begin(tx, session, ASKED, id, seq),
                ("elicitation_resolved", Some(id), _) => end(tx, session, ASKED, id, seq),
                ("background_tasks_changed", _, Some(id)) => begin(tx, session, TASK, id, seq),
                // With a patch it only tells of a change.
                ("task_updated", _, Some(id)) if data.get("patch").is_none() => {
                    end(tx, session, TASK, id, seq)
                }
                _ => Ok(()),
            }
        }
        EventBody::SessionEnded { .. } => close(tx, session, seq),
        _ => Ok(()),
    }
}

/// Ends all that is open: there is no process any more that could.
pub(crate) fn close(tx: &Connection, session: i64, seq: u64) -> Result<(), StoreError> {
    tx.prepare_cached("DELETE FROM spans WHERE session = ? AND kind = ?")?
        .execute(params![session, TOOL])?;
    tx.prepare_cached("UPDATE spans SET ended = ? WHERE session = ? AND ended = ?")?
        .execute(params![seq.cast_signed(), session, NEVER])?;
    Ok(())
}

/// Finds the tool calls that run at the end of a journal which came in one piece.
pub(super) fn find_tools(tx: &Connection, session: i64) -> Result<(), StoreError> {
    tx.execute(
        "INSERT OR IGNORE INTO spans (session, began, ended, kind, ref)
         SELECT ?1, began.id - ?2, ?4, ?5, began.ref FROM journal AS began
         WHERE began.id BETWEEN ?2 AND ?3 AND began.type = 'tool_call' AND began.ref IS NOT NULL
         AND NOT EXISTS (
            SELECT 1 FROM journal AS over
            WHERE over.ref = began.ref AND over.id BETWEEN began.id AND ?3
            AND over.type = 'tool_update' AND over.body ->> '$.tool_status' <> 'running'
         )",
        params![
            session,
            place(session, 0),
            place(session, u64::MAX),
            NEVER,
            TOOL
        ],
    )?;
    Ok(())
}

fn begin(tx: &Connection, session: i64, kind: &str, id: &str, seq: u64) -> Result<(), StoreError> {
    tx.prepare_cached(
        // Who asks again under an id that is open asks the same.
        "INSERT INTO spans (session, began, ended, kind, ref) SELECT ?1, ?2, ?3, ?4, ?5
         WHERE NOT EXISTS (SELECT 1 FROM spans WHERE session = ?1 AND kind = ?4 AND ref = ?5 AND ended = ?3)",
    )?
    .execute(params![session, seq.cast_signed(), NEVER, kind, id])?;
    Ok(())
}

fn end(tx: &Connection, session: i64, kind: &str, id: &str, seq: u64) -> Result<(), StoreError> {
    tx.prepare_cached(
        "UPDATE spans SET ended = ? WHERE session = ? AND kind = ? AND ref = ? AND ended = ?",
    )?
    .execute(params![seq.cast_signed(), session, kind, id, NEVER])?;
    Ok(())
}

/// Something that has begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Open {
    Tool { id: String },
    Asked { began: u64 },
}

/// The tool calls and questions that are open at the end of the journal, in order.
pub(crate) fn open_now(conn: &Connection, session: i64) -> Result<Vec<Open>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT kind, ref, began FROM spans WHERE session = ? AND ended = ? AND kind <> ? ORDER BY began",
    )?;
    let mut rows = select.query(params![session, NEVER, TASK])?;
    let mut open = Vec::new();
    while let Some(row) = rows.next()? {
        let kind: String = row.get(0)?;
        open.push(if kind == TOOL {
            Open::Tool { id: row.get(1)? }
        } else {
            Open::Asked {
                began: row.get::<_, i64>(2)?.cast_unsigned(),
            }
        });
    }
    Ok(open)
}

/// The numbers of the questions and tasks that begin before this number and do not end before it.
pub(super) fn open_at(conn: &Connection, session: i64, seq: u64) -> Result<Vec<u64>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT began FROM spans WHERE session = ?1 AND ended >= ?2 AND began < ?2 AND kind <> ?3",
    )?;
    let numbers = select.query_map(params![session, seq.cast_signed(), TOOL], |row| {
        row.get::<_, i64>(0)
    })?;
    let numbers = numbers.map(|began| Ok(began?.cast_unsigned()));
    numbers.collect()
}
