//! Adds events to the end of a journal.

use std::borrow::{Borrow, Cow};
use std::sync::Arc;

use kandev_transcript::{Event, EventBody};
use rusqlite::{CachedStatement, Connection, OptionalExtension};

use super::row::{self, Row};
use super::{fold, import, pieces, place, spans};
use crate::{Store, StoreError, in_session, registry};

/// Where events come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A session says them now.
    Live,
    /// A file has them. Those without an id get one, so that they are known again.
    Imported,
}

impl Store {
    /// Adds events to a journal, all or none of them. Their numbers follow the last one and each other. Gives the last number.
    /// Living sessions are followed by [`Store::recorder`] instead.
    ///
    /// # Errors
    /// `NoSuchSession`, `Gap`, and when the database cannot be written.
    pub fn append(&self, id: &str, events: Vec<Arc<Event>>) -> Result<u64, StoreError> {
        let id = id.to_owned();
        self.write(move |tx| append(tx, registry::own_key(tx, &id)?, &events, Origin::Live))
    }
}

/// Adds events that follow the last one and each other. Gives the last number.
pub(crate) fn append<E: Borrow<Event>>(
    tx: &Connection,
    session: i64,
    events: &[E],
    origin: Origin,
) -> Result<u64, StoreError> {
    let mut end = End::of(tx, session)?;
    let mut clis = CliIds::default();
    let mut out = Out {
        tx,
        rows: row::inserting(tx)?,
        body: Vec::new(),
    };
    let mut rest = events;
    while let Some(first) = rest.first().map(Borrow::borrow) {
        if first.seq != end.last + 1 {
            return Err(StoreError::Gap {
                last: end.last,
                next: first.seq,
            });
        }
        let cli = clis.key(tx, first.session_id.as_deref())?;
        let taken = match Text::of(first, cli) {
            Some(text) => {
                let taken = rest
                    .iter()
                    .take_while(|event| text.goes_on((*event).borrow()))
                    .count();
                end.text(&mut out, &text, &rest[..taken])?;
                taken
            }
            None => {
                end.other(&mut out, first, cli, origin)?;
                1
            }
        };
        rest = &rest[taken..];
    }
    Ok(end.last)
}

/// Where rows go.
struct Out<'c> {
    tx: &'c Connection,
    rows: CachedStatement<'c>,
    /// For the body of the next row.
    body: Vec<u8>,
}

/// Where a journal ends.
struct End {
    session: i64,
    last: u64,
    turn: u64,
    /// The text that its last row is a piece of.
    text: Option<OpenText>,
    /// That row is the only one of it.
    whole: bool,
}

#[derive(PartialEq)]
struct OpenText {
    kind: String,
    message: String,
    parent: Option<String>,
    cli: Option<i64>,
}

/// A text of which some events in a row are pieces.
struct Text<'a> {
    kind: &'static str,
    message: &'a str,
    first: &'a Event,
    cli: Option<i64>,
}

impl<'a> Text<'a> {
    fn of(first: &'a Event, cli: Option<i64>) -> Option<Self> {
        let (kind, message, _) = row::text_of(&first.body)?;
        Some(Self {
            kind,
            message,
            first,
            cli,
        })
    }

    fn goes_on(&self, event: &Event) -> bool {
        row::text_of(&event.body)
            .is_some_and(|(kind, message, _)| kind == self.kind && message == self.message)
            && event.parent_tool_call_id == self.first.parent_tool_call_id
            && event.session_id == self.first.session_id
    }

    fn is_of(&self, open: &OpenText) -> bool {
        open.kind == self.kind
            && open.message == self.message
            && open.parent == self.first.parent_tool_call_id
            && open.cli == self.cli
    }
}

impl End {
    fn of(tx: &Connection, session: i64) -> Result<Self, StoreError> {
        let end = tx
            .prepare_cached(
                "SELECT through, turn, type, ref, parent, cli FROM journal
                 WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
            )?
            .query_row([place(session, 0), place(session, u64::MAX)], |row| {
                let kind: String = row.get(2)?;
                let is_text = matches!(&*kind, row::MESSAGE_CHUNK | row::REASONING);
                Ok(Self {
                    session,
                    last: row.get::<_, i64>(0)?.cast_unsigned(),
                    turn: row.get::<_, i64>(1)?.cast_unsigned(),
                    text: match is_text {
                        true => Some(OpenText {
                            kind,
                            message: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
                            parent: row.get(4)?,
                            cli: row.get(5)?,
                        }),
                        false => None,
                    },
                    whole: false,
                })
            })
            .optional()?;
        Ok(end.unwrap_or(Self {
            session,
            last: 0,
            turn: 0,
            text: None,
            whole: false,
        }))
    }

    /// Adds pieces of one text as one row.
    fn text<E: Borrow<Event>>(
        &mut self,
        out: &mut Out<'_>,
        text: &Text<'_>,
        events: &[E],
    ) -> Result<(), StoreError> {
        let goes_on = self.text.as_ref().is_some_and(|open| text.is_of(open));
        if !goes_on {
            self.end_text(out.tx)?;
        }
        self.whole = !goes_on;
        let first = text.first;
        let mut through = self.last;
        let mut body = Cow::Borrowed("");
        let mut lengths = Vec::new();
        for event in events.iter().map(Borrow::borrow) {
            if event.seq != through + 1 {
                return Err(StoreError::Gap {
                    last: through,
                    next: event.seq,
                });
            }
            let piece = row::text_of(&event.body).map_or("", |(_, _, piece)| piece);
            match body.is_empty() {
                true => body = Cow::Borrowed(piece),
                false => body.to_mut().push_str(piece),
            }
            pieces::push(&mut lengths, piece.len());
            // Of one that was joined before, the lengths are not known any more.
            for _ in event.seq..event.last_seq() {
                pieces::push(&mut lengths, 0);
            }
            through = event.last_seq();
        }
        row::insert(
            &mut out.rows,
            &Row {
                session: self.session,
                seq: first.seq,
                through,
                at: Cow::Borrowed(&first.at),
                kind: Cow::Borrowed(text.kind),
                about: Some(Cow::Borrowed(text.message)),
                parent: first.parent_tool_call_id.as_deref().map(Cow::Borrowed),
                cli: text.cli,
                turn: self.turn,
                mark: None,
                pieces: (through > first.seq).then_some(lengths),
                body,
            },
        )?;
        self.last = through;
        self.text = Some(OpenText {
            kind: text.kind.to_owned(),
            message: text.message.to_owned(),
            parent: first.parent_tool_call_id.clone(),
            cli: text.cli,
        });
        Ok(())
    }

    fn other(
        &mut self,
        out: &mut Out<'_>,
        event: &Event,
        cli: Option<i64>,
        origin: Origin,
    ) -> Result<(), StoreError> {
        self.end_text(out.tx)?;
        let kind = row::kind_of(&event.body);
        row::write_body(&event.body, &mut out.body)?;
        let body =
            str::from_utf8(&out.body).map_err(|error| StoreError::Unreadable(error.to_string()))?;
        let mut about = row::about(&event.body).map(Cow::Borrowed);
        if about.is_none() && origin == Origin::Imported {
            about = Some(Cow::Owned(import::made_id(&event.at, body)));
        }
        self.turn += u64::from(matches!(event.body, EventBody::Complete { .. }));
        row::insert(
            &mut out.rows,
            &Row {
                session: self.session,
                seq: event.seq,
                through: event.last_seq(),
                at: Cow::Borrowed(&event.at),
                kind: Cow::Borrowed(kind),
                about,
                parent: event.parent_tool_call_id.as_deref().map(Cow::Borrowed),
                cli,
                turn: self.turn,
                mark: row::mark_of(event, kind).map(Cow::Borrowed),
                pieces: None,
                body: Cow::Borrowed(body),
            },
        )?;
        self.last = event.last_seq();
        spans::follow(out.tx, self.session, event)?;
        in_session::follow(out.tx, self.session, event)
    }

    /// The text at the end is whole: its rows become one.
    fn end_text(&mut self, tx: &Connection) -> Result<(), StoreError> {
        match self.text.take() {
            Some(_) if !self.whole => fold::join(tx, self.session, self.last),
            _ => Ok(()),
        }
    }
}

/// The keys of the CLI's session ids, the last of which is mostly the next.
#[derive(Default)]
struct CliIds(Option<(String, i64)>);

impl CliIds {
    fn key(&mut self, tx: &Connection, id: Option<&str>) -> Result<Option<i64>, StoreError> {
        let Some(id) = id else { return Ok(None) };
        if let Some((known, key)) = &self.0
            && known == id
        {
            return Ok(Some(*key));
        }
        let known = tx
            .prepare_cached("SELECT key FROM cli_ids WHERE id = ?")?
            .query_row([id], |row| row.get(0))
            .optional()?;
        let key = match known {
            Some(key) => key,
            None => {
                tx.prepare_cached("INSERT INTO cli_ids (id) VALUES (?)")?
                    .execute([id])?;
                tx.last_insert_rowid()
            }
        };
        self.0 = Some((id.to_owned(), key));
        Ok(Some(key))
    }
}
