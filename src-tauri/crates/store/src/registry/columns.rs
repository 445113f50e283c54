//! A row of `sessions` as a value and back.

use rusqlite::types::Type;
use rusqlite::{Connection, Row, named_params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::StoredSession;
use crate::StoreError;

/// The columns by name, and the journal's last number.
pub(super) const SELECT: &str = "
SELECT *, ifnull((
    SELECT through FROM journal WHERE journal.id BETWEEN key << 40 AND (key << 40) + 0xFFFFFFFFFF
    ORDER BY journal.id DESC LIMIT 1
), 0) AS last_seq FROM sessions";

pub(crate) fn by_key(conn: &Connection, key: i64) -> Result<StoredSession, StoreError> {
    let mut select = conn.prepare_cached(&format!("{SELECT} WHERE key = ?"))?;
    let mut rows = select.query([key])?;
    match rows.next()? {
        Some(row) => read(row),
        None => Err(StoreError::NoSuchSession(key.to_string())),
    }
}

/// The same without a look at the journal, which may be damaged.
pub(crate) fn by_stored_key(conn: &Connection, key: i64) -> Result<StoredSession, StoreError> {
    let mut select = conn.prepare_cached("SELECT *, 0 AS last_seq FROM sessions WHERE key = ?")?;
    let mut rows = select.query([key])?;
    match rows.next()? {
        Some(row) => read(row),
        None => Err(StoreError::NoSuchSession(key.to_string())),
    }
}

/// A row with its columns by name.
pub(crate) fn read(row: &Row<'_>) -> Result<StoredSession, StoreError> {
    let env: String = row.get("env")?;
    Ok(StoredSession {
        id: row.get("id")?,
        cli_session_id: row.get("cli_session_id")?,
        title: row.get("title")?,
        titled: row.get("titled")?,
        workspace: row.get("workspace")?,
        state: word(row, "state")?,
        since: row.get("since")?,
        policy: match row.get::<_, Option<String>>("policy")? {
            Some(policy) => Some(of_word(policy)?),
            None => None,
        },
        permission_mode: row.get("permission_mode")?,
        model: row.get("model")?,
        effort: row.get("effort")?,
        stop_check: word(row, "stop_check")?,
        permission_timeout_s: row.get("permission_timeout_s")?,
        cli_path: row.get("cli_path")?,
        env: serde_json::from_str(&env)?,
        started_at: row.get("started_at")?,
        updated_at: row.get("updated_at")?,
        source: word(row, "source")?,
        archived: row.get("archived")?,
        rehearsal: row.get("rehearsal")?,
        problem: row.get("problem")?,
        last_seq: number(row, "last_seq")?,
        last_message_uuid: row.get("last_message_uuid")?,
        cli_version: row.get("cli_version")?,
        host: row.get("host")?,
        forked_from: row.get("forked_from")?,
    })
}

/// Writes the row if there is none with its id.
pub(crate) fn insert(conn: &Connection, session: &StoredSession) -> Result<(), StoreError> {
    write(
        conn,
        "INSERT INTO sessions (id, cli_session_id, title, titled, workspace, state, since, policy,
            permission_mode, model, effort, stop_check, permission_timeout_s, cli_path, env, started_at, updated_at,
            source, archived, rehearsal, problem, last_message_uuid, cli_version, host, forked_from)
         VALUES (:id, :cli_session_id, :title, :titled, :workspace, :state, :since, :policy,
            :permission_mode, :model, :effort, :stop_check, :permission_timeout_s, :cli_path, :env, :started_at,
            :updated_at, :source, :archived, :rehearsal, :problem, :last_message_uuid, :cli_version, :host, :forked_from)
         ON CONFLICT (id) DO NOTHING",
        session,
    )?;
    Ok(())
}

/// Writes the row in the place of the one with its id.
pub(crate) fn update(conn: &Connection, session: &StoredSession) -> Result<(), StoreError> {
    let changed = write(
        conn,
        "UPDATE sessions SET cli_session_id = :cli_session_id, title = :title, titled = :titled,
            workspace = :workspace, state = :state, since = :since, policy = :policy,
            permission_mode = :permission_mode, model = :model, effort = :effort, stop_check = :stop_check,
            permission_timeout_s = :permission_timeout_s, cli_path = :cli_path, env = :env, started_at = :started_at,
            updated_at = :updated_at, source = :source, archived = :archived, rehearsal = :rehearsal,
            problem = :problem, last_message_uuid = :last_message_uuid, cli_version = :cli_version, host = :host,
            forked_from = :forked_from
         WHERE id = :id",
        session,
    )?;
    match changed {
        0 => Err(StoreError::NoSuchSession(session.id.clone())),
        _ => Ok(()),
    }
}

/// Writes what a living session says of itself, and nothing of what a person has set in its row meanwhile.
pub(crate) fn update_living(conn: &Connection, session: &StoredSession) -> Result<(), StoreError> {
    let policy = session.policy.as_ref().map(to_word).transpose()?;
    conn.prepare_cached(
        "UPDATE sessions SET cli_session_id = :cli_session_id, title = :title, titled = :titled, state = :state,
            since = :since, policy = :policy, permission_mode = :permission_mode, model = :model, effort = :effort,
            permission_timeout_s = :permission_timeout_s, updated_at = :updated_at, problem = :problem,
            last_message_uuid = :last_message_uuid, cli_version = :cli_version, forked_from = :forked_from
         WHERE id = :id",
    )?
    .execute(named_params! {
        ":id": session.id,
        ":cli_session_id": session.cli_session_id,
        ":title": session.title,
        ":titled": session.titled,
        ":state": to_word(&session.state)?,
        ":since": session.since,
        ":policy": policy,
        ":permission_mode": session.permission_mode,
        ":model": session.model,
        ":effort": session.effort,
        ":permission_timeout_s": session.permission_timeout_s,
        ":updated_at": session.updated_at,
        ":problem": session.problem,
        ":last_message_uuid": session.last_message_uuid,
        ":cli_version": session.cli_version,
        ":forked_from": session.forked_from,
    })?;
    Ok(())
}

fn write(conn: &Connection, sql: &str, session: &StoredSession) -> Result<usize, StoreError> {
    let policy = session.policy.as_ref().map(to_word).transpose()?;
    Ok(conn.prepare_cached(sql)?.execute(named_params! {
        ":id": session.id,
        ":cli_session_id": session.cli_session_id,
        ":title": session.title,
        ":titled": session.titled,
        ":workspace": session.workspace,
        ":state": to_word(&session.state)?,
        ":since": session.since,
        ":policy": policy,
        ":permission_mode": session.permission_mode,
        ":model": session.model,
        ":effort": session.effort,
        ":stop_check": to_word(&session.stop_check)?,
        ":permission_timeout_s": session.permission_timeout_s,
        ":cli_path": session.cli_path,
        ":env": serde_json::to_string(&session.env)?,
        ":started_at": session.started_at,
        ":updated_at": session.updated_at,
        ":source": to_word(&session.source)?,
        ":archived": session.archived,
        ":rehearsal": session.rehearsal,
        ":problem": session.problem,
        ":last_message_uuid": session.last_message_uuid,
        ":cli_version": session.cli_version,
        ":host": session.host,
        ":forked_from": session.forked_from,
    })?)
}

/// A number that counts, from the database's signed ones.
pub(crate) fn number(row: &Row<'_>, column: &str) -> Result<u64, StoreError> {
    let number: i64 = row.get(column)?;
    u64::try_from(number)
        .map_err(|_| rusqlite::Error::InvalidColumnType(0, column.to_owned(), Type::Integer).into())
}

fn word<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> Result<T, StoreError> {
    of_word(row.get(column)?)
}

fn of_word<T: DeserializeOwned>(word: String) -> Result<T, StoreError> {
    Ok(serde_json::from_value(Value::String(word))?)
}

/// A choice without fields is stored as the word that crosses to a window.
fn to_word(choice: &impl Serialize) -> Result<String, StoreError> {
    match serde_json::to_value(choice)? {
        Value::String(word) => Ok(word),
        other => Err(StoreError::Unreadable(other.to_string())),
    }
}
