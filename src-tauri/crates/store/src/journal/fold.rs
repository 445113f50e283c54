//! Makes one row of the rows of a text.

use rusqlite::{Connection, params};

use super::row::{MESSAGE_CHUNK, REASONING};
use super::{pieces, place, seq_of};
use crate::StoreError;

struct Part {
    id: i64,
    through: u64,
    pieces: Option<Vec<u8>>,
    body: String,
}

/// Joins the rows of the text that ends with this number.
pub(super) fn join(tx: &Connection, session: i64, last: u64) -> Result<(), StoreError> {
    let parts = parts(tx, session, last)?;
    let (Some(newest), Some(oldest)) = (parts.first(), parts.last()) else {
        return Ok(());
    };
    if parts.len() == 1 {
        return Ok(());
    }
    let mut body = String::with_capacity(parts.iter().map(|part| part.body.len()).sum());
    let mut lengths = Vec::new();
    for part in parts.iter().rev() {
        match &part.pieces {
            Some(pieces) => lengths.extend_from_slice(pieces),
            None => pieces::push(&mut lengths, part.body.len()),
        }
        body.push_str(&part.body);
    }
    tx.prepare_cached("DELETE FROM journal WHERE id > ? AND id <= ?")?
        .execute([oldest.id, newest.id])?;
    tx.prepare_cached("UPDATE journal SET through = ?, pieces = ?, body = ? WHERE id = ?")?
        .execute(params![
            newest.through.cast_signed(),
            lengths,
            body,
            oldest.id
        ])?;
    Ok(())
}

/// The newest first.
fn parts(tx: &Connection, session: i64, last: u64) -> Result<Vec<Part>, StoreError> {
    let mut select = tx.prepare_cached(
        "SELECT id, through, type, ref, parent, cli, pieces, body FROM journal
         WHERE id BETWEEN ? AND ? ORDER BY id DESC",
    )?;
    let mut rows = select.query([place(session, 0), place(session, last)])?;
    let mut parts = Vec::<Part>::new();
    let mut text = None;
    while let Some(row) = rows.next()? {
        let kind: String = row.get(2)?;
        if !matches!(&*kind, MESSAGE_CHUNK | REASONING) {
            break;
        }
        let this: (String, Option<String>, Option<String>, Option<i64>) =
            (kind, row.get(3)?, row.get(4)?, row.get(5)?);
        if text.get_or_insert_with(|| this.clone()) != &this {
            break;
        }
        let through = row.get::<_, i64>(1)?.cast_unsigned();
        // What a damaged file has lost lies between them.
        if parts
            .last()
            .is_some_and(|next| seq_of(next.id) != through + 1)
        {
            break;
        }
        parts.push(Part {
            id: row.get(0)?,
            through,
            pieces: row.get(6)?,
            body: row.get(7)?,
        });
    }
    Ok(parts)
}
