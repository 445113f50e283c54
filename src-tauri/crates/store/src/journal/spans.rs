//! What is open: questions and tasks, from the event that begins each to the one that ends it. Tool calls that run are only
//! looked for when their process is gone, so that each costs nothing while it is there.

use kandev_transcript::{Event, EventBody};
use rusqlite::{Connection, params};
use serde_json::Value;

use super::{place, seq_of};
use crate::StoreError;

/// The end of what has not ended.
const NEVER: i64 = i64::MAX;

const ASKED: &str = "asked";
const TASK: &str = "task";

/// Takes an event that begins or ends something.
pub(super) fn follow(tx: &Connection, session: i64, event: &Event) -> Result<(), StoreError> {
    let seq = event.seq;
    match &event.body {
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
    tx.prepare_cached("UPDATE spans SET ended = ? WHERE session = ? AND ended = ?")?
        .execute(params![seq.cast_signed(), session, NEVER])?;
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
    let mut open = tools(conn, session)?;
    let mut select = conn
        .prepare_cached("SELECT began FROM spans WHERE session = ? AND ended = ? AND kind = ?")?;
    let mut rows = select.query(params![session, NEVER, ASKED])?;
    while let Some(row) = rows.next()? {
        let began = row.get::<_, i64>(0)?.cast_unsigned();
        open.push((began, Open::Asked { began }));
    }
    open.sort_by_key(|(began, _)| *began);
    Ok(open.into_iter().map(|(_, open)| open).collect())
}

/// The tool calls that no end was told of.
fn tools(conn: &Connection, session: i64) -> Result<Vec<(u64, Open)>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT began.id, began.ref FROM journal AS began
         WHERE began.id BETWEEN ?1 AND ?2 AND began.type = 'tool_call' AND began.ref IS NOT NULL
         AND NOT EXISTS (
            SELECT 1 FROM journal AS over
            WHERE over.ref = began.ref AND over.id BETWEEN began.id AND ?2
            AND over.type = 'tool_update' AND over.body ->> '$.tool_status' <> 'running'
         )",
    )?;
    let mut rows = select.query([place(session, 0), place(session, u64::MAX)])?;
    let mut open = Vec::<(u64, Open)>::new();
    while let Some(row) = rows.next()? {
        let (began, id) = (seq_of(row.get(0)?), row.get(1)?);
        let tool = Open::Tool { id };
        if open.iter().all(|(_, known)| *known != tool) {
            open.push((began, tool));
        }
    }
    Ok(open)
}

/// The numbers of the questions and tasks that begin before this number and do not end before it.
pub(super) fn open_at(conn: &Connection, session: i64, seq: u64) -> Result<Vec<u64>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT began FROM spans WHERE session = ?1 AND ended >= ?2 AND began < ?2",
    )?;
    let numbers = select.query_map(params![session, seq.cast_signed()], |row| {
        row.get::<_, i64>(0)
    })?;
    let numbers = numbers.map(|began| Ok(began?.cast_unsigned()));
    numbers.collect()
}
