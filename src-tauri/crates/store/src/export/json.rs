//! The events as they are, with the session before them.

use std::io::Write;

use kandev_transcript::Event;
use serde_json::json;

use crate::{StoreError, StoredSession};

pub(super) fn write(
    session: &StoredSession,
    batches: impl Iterator<Item = Result<Vec<Event>, StoreError>>,
    mut out: impl Write,
) -> Result<(), StoreError> {
    let head = json!({
        "id": session.id,
        "session_id": session.cli_session_id,
        "title": session.title,
        "workspace": session.workspace,
        "source": session.source,
        "policy": session.policy,
        "model": session.model,
        "started_at": session.started_at,
        "updated_at": session.updated_at,
        "cli_version": session.cli_version,
    });
    write!(
        out,
        "{{\"kandev_export\":1,\n\"session\":{head},\n\"events\":["
    )?;
    let mut before = "\n";
    for batch in batches {
        for event in batch? {
            write!(out, "{before}")?;
            serde_json::to_writer(&mut out, &event)?;
            before = ",\n";
        }
    }
    write!(out, "\n]}}\n")?;
    Ok(out.flush()?)
}
