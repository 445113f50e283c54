//! The steps from an empty file to today's tables. The file's `user_version` is the number of steps that it has taken.

use rusqlite::{Connection, TransactionBehavior};

use crate::{StoreError, in_session, journal, registry, search, terminal};

/// In the order in which they came to be. A released one is never changed: what is to be different is a new step.
pub(crate) const STEPS: &[&str] = &[
    registry::TABLES,
    journal::TABLES,
    terminal::TABLES,
    search::TABLES,
    in_session::TABLES,
];

/// How many steps the file has taken.
pub(crate) fn version(conn: &Connection) -> Result<usize, StoreError> {
    let version: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    usize::try_from(version).map_err(|_| StoreError::Damaged(format!("version {version}")))
}

/// Takes the steps that are missing. Another process may do the same at the same moment.
pub(crate) fn migrate(conn: &mut Connection, steps: &[&str]) -> Result<(), StoreError> {
    if version(conn)? >= steps.len() {
        return Ok(());
    }
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for step in steps.iter().skip(version(&tx)?) {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "user_version", steps.len() as i64)?;
    tx.commit()?;
    Ok(())
}
