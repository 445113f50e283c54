//! Full-text search over the journals.

use kandev_transcript::Event;
use rusqlite::Connection;

use crate::StoreError;

/// The step of this room in `db::migrations`.
pub(crate) const TABLES: &str = "";

/// Takes an event that the writer keeps, within its transaction. A text comes once it is whole, with its first number.
/// `session` is the row's key in `sessions`.
pub(crate) fn index(_tx: &Connection, _session: i64, _event: &Event) -> Result<(), StoreError> {
    Ok(())
}
