//! What the registry knows of the CLI's sessions.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::StoreError;

/// What is known here of a session by the CLI's id.
pub(super) struct TakenUp {
    pub ours: bool,
    pub archived: bool,
    /// Given by a person.
    pub title: Option<String>,
    /// It was moved.
    pub workspace: Option<String>,
}

/// By the CLI's id.
pub(super) fn taken_up(conn: &Connection) -> Result<HashMap<String, TakenUp>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT cli_session_id, source = 'kandev', archived, ifnull(cli_titles.title <> sessions.title, 1), sessions.title,
         workspace FROM sessions LEFT JOIN cli_titles ON cli_titles.session = sessions.id
         WHERE cli_session_id IS NOT NULL",
    )?;
    let mut rows = select.query([])?;
    let mut taken: HashMap<String, TakenUp> = HashMap::new();
    while let Some(row) = rows.next()? {
        let ours: bool = row.get(1)?;
        let renamed: bool = row.get(3)?;
        let workspace: Option<String> = row.get(5)?;
        let own = TakenUp {
            ours,
            archived: row.get(2)?,
            title: if renamed { row.get(4)? } else { None },
            workspace: workspace.filter(|workspace| !workspace.is_empty()),
        };
        let id: String = row.get(0)?;
        match taken.get_mut(&id) {
            Some(known) if !ours => known.ours |= ours,
            _ => {
                taken.insert(id, own);
            }
        }
    }
    Ok(taken)
}
