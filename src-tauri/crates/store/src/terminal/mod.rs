//! The sessions that the CLI keeps itself.

/// The step of this room in `db::migrations`.
pub(crate) const TABLES: &str = "";
