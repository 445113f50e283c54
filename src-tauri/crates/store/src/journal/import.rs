//! Takes events over that were said elsewhere, each once.
//!
//! The same thing said again is known by its id. Of a text it is known how much of it is there, and the rest is added. What
//! has no id gets one from its time and its words; beside a journal that was written live, where the times differ, it goes
//! with the event before it that has one.

use std::collections::{HashMap, HashSet};
use std::mem;

use kandev_transcript::{Emitted, Event, EventBody, ToolStatus};
use rusqlite::{Connection, OptionalExtension, params};

use super::row::{self, MESSAGE_CHUNK, REASONING};
use super::{EventWithoutSeq, Origin, append, last_seq, place};
use crate::{Store, StoreError, registry};

/// How many events share a transaction.
const TOGETHER: usize = 512;

impl Store {
    /// Appends what is not there yet, by the ids of messages, prompts and tool calls: to import twice changes nothing, and a
    /// journal that is empty takes everything, in the same numbers. Gives the number of the last event.
    ///
    /// # Errors
    /// `NoSuchSession`, and when the database cannot be written; what was written until then is kept.
    pub fn import(
        &self,
        id: &str,
        events: impl Iterator<Item = EventWithoutSeq>,
    ) -> Result<u64, StoreError> {
        let mut events = events.peekable();
        let mut import: Option<Import> = None;
        loop {
            let some: Vec<_> = events.by_ref().take(TOGETHER).collect();
            let id = id.to_owned();
            let (known, last) = self.write(move |tx| {
                let session = registry::key(tx, &id)?;
                let mut import = match import {
                    Some(import) => import,
                    None => Import::begin(tx, session)?,
                };
                let last = import.take(tx, session, some)?;
                Ok((import, last))
            })?;
            import = Some(known);
            if events.peek().is_none() {
                return Ok(last);
            }
        }
    }
}

/// An id for an event that has none.
pub(super) fn made_id(at: &str, body: &str) -> String {
    // FNV-1a: it has to be the same in every version of this program.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in at.bytes().chain([0]).chain(body.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("#{hash:016x}")
}

struct Import {
    /// Nothing was there, so nothing can be there twice.
    fresh: bool,
    /// All that is there was imported.
    imported_before: bool,
    /// Of each text: the bytes that are in the journal, and the bytes that came so far.
    texts: HashMap<(&'static str, String), (usize, usize)>,
    /// The last event with an id was known.
    known: bool,
}

impl Import {
    fn begin(tx: &Connection, session: i64) -> Result<Self, StoreError> {
        let imported_before = tx.query_row(
            "SELECT source = 'terminal' FROM sessions WHERE key = ?",
            [session],
            |row| row.get(0),
        )?;
        Ok(Self {
            fresh: last_seq(tx, session)? == 0,
            imported_before,
            texts: HashMap::new(),
            known: false,
        })
    }

    fn take(
        &mut self,
        tx: &Connection,
        session: i64,
        events: Vec<EventWithoutSeq>,
    ) -> Result<u64, StoreError> {
        let mut last = last_seq(tx, session)?;
        let mut fresh = Vec::new();
        let mut now = HashSet::new();
        for EventWithoutSeq { at, emitted } in events {
            let Some(emitted) = self.new_part(tx, session, &at, emitted, &mut now)? else {
                continue;
            };
            last += 1;
            fresh.push(Event::new(last, at, emitted));
        }
        append(tx, session, &fresh, Origin::Imported)
    }

    /// What of an event is not there yet. `now` are those that came in this transaction and are not written yet.
    fn new_part(
        &mut self,
        tx: &Connection,
        session: i64,
        at: &str,
        mut emitted: Emitted,
        now: &mut HashSet<String>,
    ) -> Result<Option<Emitted>, StoreError> {
        if self.fresh {
            return Ok(Some(emitted));
        }
        if let Some((kind, message, text)) = row::text_of(&emitted.body) {
            let length = text.len();
            let key = (kind, message.to_owned());
            let (there, seen) = match self.texts.get(&key) {
                Some(known) => *known,
                None => (there(tx, session, kind, message)?, 0),
            };
            let seen_now = seen + length;
            self.texts.insert(key, (there.max(seen_now), seen_now));
            self.known = seen_now <= there;
            if self.known {
                return Ok(None);
            }
            if there > seen {
                drop_head(&mut emitted.body, there - seen);
            }
            return Ok(Some(emitted));
        }
        let kind = row::kind_of(&emitted.body);
        let known = match row::about(&emitted.body) {
            Some(about) => {
                let status = match &emitted.body {
                    EventBody::ToolUpdate(call) => Some(call.tool_status),
                    _ => None,
                };
                let key = format!("{kind} {about} {status:?}");
                self.known = is_there(tx, session, kind, about, status)? || !now.insert(key);
                self.known
            }
            None => {
                let body = row::body_of(&emitted.body)?;
                let id = made_id(at, &body);
                let said = is_there(tx, session, kind, &id, None)?;
                said || !now.insert(format!("{kind} {id}")) || (self.known && !self.imported_before)
            }
        };
        Ok((!known).then_some(emitted))
    }
}

fn drop_head(body: &mut EventBody, bytes: usize) {
    if let EventBody::MessageChunk { text, .. }
    | EventBody::Reasoning {
        reasoning_text: text,
        ..
    } = body
    {
        // Two tellings of one text have the same letters, so a letter is never cut; if they differ, all of it is new.
        let rest = text.get(bytes..).map(str::to_owned);
        *text = rest.unwrap_or_else(|| mem::take(text));
    }
}

/// The bytes of a text that are in the journal.
fn there(tx: &Connection, session: i64, kind: &str, message: &str) -> Result<usize, StoreError> {
    debug_assert!(matches!(kind, MESSAGE_CHUNK | REASONING));
    let sum: i64 = tx
        .prepare_cached(
            "SELECT ifnull(sum(octet_length(body)), 0) FROM journal
             WHERE ref = ? AND id BETWEEN ? AND ? AND type = ?",
        )?
        .query_row(
            params![message, place(session, 0), place(session, u64::MAX), kind],
            |row| row.get(0),
        )?;
    Ok(usize::try_from(sum).unwrap_or_default())
}

fn is_there(
    tx: &Connection,
    session: i64,
    kind: &str,
    about: &str,
    status: Option<ToolStatus>,
) -> Result<bool, StoreError> {
    let status = match status {
        Some(ToolStatus::Running) => Some("running"),
        // Two ends of one call are one.
        Some(ToolStatus::Complete | ToolStatus::Error) => Some("ended"),
        None => None,
    };
    let found = tx
        .prepare_cached(
            "SELECT 1 FROM journal WHERE ref = ?1 AND id BETWEEN ?2 AND ?3 AND type = ?4
             AND (?5 IS NULL OR (body ->> '$.tool_status' = 'running') = (?5 = 'running')) LIMIT 1",
        )?
        .query_row(
            params![
                about,
                place(session, 0),
                place(session, u64::MAX),
                kind,
                status
            ],
            |_| Ok(()),
        )
        .optional()?;
    Ok(found.is_some())
}
