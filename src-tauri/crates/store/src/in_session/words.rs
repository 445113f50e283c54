//! Words in one session, in the order in which they were said.
//!
//! A message and a call are looked at as a whole, at the first of their rows, for there they are shown.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use kandev_transcript::screen::{Line, Screen};
use kandev_transcript::{EventBody, OutputStream, ToolCall};
use regex::Regex;
use rusqlite::{CachedStatement, Connection, OptionalExtension as _, params};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::phrase::Phrase;
use crate::journal::{MESSAGE_CHUNK, REASONING, last_seq, place, seq_of};
use crate::search::about_call;
use crate::{Store, StoreError, registry};

/// How long one question takes at most, about. What is not looked at by then is asked for again.
const WITHIN: Duration = Duration::from_millis(200);

/// In what kind of text a hit stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum FoundIn {
    Prompt,
    Answer,
    Reasoning,
    /// What a tool call is about.
    Tool,
    /// What came of a tool call.
    Output,
    Error,
    Notice,
}

/// One place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct SessionHit {
    /// The event with which its row begins: the first of a message's, the start of a tool call.
    #[specta(type = specta_typescript::Number)]
    pub seq: u64,
    pub kind: FoundIn,
    /// The text around the first of them, on one line.
    pub text: String,
    /// Where the words stand in `text`: from and to, in characters (Unicode scalar values, as `Array.from` counts).
    pub marks: Vec<(u32, u32)>,
}

/// What was found in one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct SessionHits {
    /// In order of `seq`, each once.
    pub hits: Vec<SessionHit>,
    /// It was looked no further than `through`: the limit was reached, or the time was up.
    pub more: bool,
    /// The number up to which it was looked. Who wants more asks again after it.
    #[specta(type = specta_typescript::Number)]
    pub through: u64,
    /// The session is still being read in, so the end may be missing.
    pub indexing: bool,
}

impl Store {
    /// Looks for these words as they stand there, in what was said after a number. Large and small letters are the same, and
    /// so is all white space. At most `limit` hits, and a bounded time.
    ///
    /// # Errors
    /// As [`Store::events_after`].
    pub fn find_in(
        &self,
        id: &str,
        words: &str,
        after: u64,
        limit: usize,
    ) -> Result<SessionHits, StoreError> {
        self.find_within(id, words, after, limit, WITHIN)
    }

    pub(super) fn find_within(
        &self,
        id: &str,
        words: &str,
        after: u64,
        limit: usize,
        within: Duration,
    ) -> Result<SessionHits, StoreError> {
        let began = Instant::now();
        self.read(|conn| {
            let session = registry::key(conn, id)?;
            let Some(phrase) = Phrase::read(words) else {
                return Ok(SessionHits {
                    through: last_seq(conn, session)?,
                    ..SessionHits::default()
                });
            };
            let mut found = SessionHits {
                through: after,
                ..SessionHits::default()
            };
            let mut looking = Looking::new(conn, session, phrase)?;
            let mut all = conn.prepare_cached(
                "SELECT id, through, type, ref, body FROM journal WHERE id BETWEEN ? AND ? ORDER BY id",
            )?;
            let mut rows = all.query([place(session, after) + 1, place(session, u64::MAX)])?;
            while let Some(row) = rows.next()? {
                if found.hits.len() >= limit || began.elapsed() > within && found.through > after {
                    found.more = true;
                    break;
                }
                found.hits.extend(looking.row(row)?);
                found.through = row.get::<_, i64>(1)?.cast_unsigned();
            }
            Ok(found)
        })
    }
}

struct Looking<'c> {
    phrase: Phrase,
    first: i64,
    last: i64,
    /// The first and the last row about something.
    ends: CachedStatement<'c>,
    /// What was said of a message last before a row, and what is said of it from there on.
    before: CachedStatement<'c>,
    onwards: CachedStatement<'c>,
    body: CachedStatement<'c>,
}

impl<'c> Looking<'c> {
    fn new(conn: &'c Connection, session: i64, phrase: Phrase) -> Result<Self, StoreError> {
        Ok(Self {
            phrase,
            first: place(session, 0),
            last: place(session, u64::MAX),
            ends: conn.prepare_cached(
                // Each by itself is a step in the index; both at once would be a walk over all rows about it.
                "SELECT (SELECT min(id) FROM journal WHERE ref = ?1 AND id BETWEEN ?2 AND ?3),
                    (SELECT max(id) FROM journal WHERE ref = ?1 AND id BETWEEN ?2 AND ?3)",
            )?,
            before: conn.prepare_cached(
                "SELECT type FROM journal WHERE ref = ?1 AND id BETWEEN ?2 AND ?3
                 AND type IN (?4, 'message_discarded') ORDER BY id DESC LIMIT 1",
            )?,
            onwards: conn.prepare_cached(
                "SELECT type, body FROM journal WHERE ref = ?1 AND id BETWEEN ?2 AND ?3
                 AND type IN (?4, 'message_discarded') ORDER BY id",
            )?,
            body: conn.prepare_cached("SELECT body FROM journal WHERE id = ?")?,
        })
    }

    fn row(&mut self, row: &rusqlite::Row<'_>) -> Result<Option<SessionHit>, StoreError> {
        let id = row.get(0)?;
        let kind = row.get_ref(2)?.as_str().unwrap_or_default();
        let about = row.get_ref(3)?.as_str_or_null().ok().flatten();
        let body = || row.get_ref(4).map(|body| body.as_str().unwrap_or_default());
        let hit = match (kind, about) {
            (MESSAGE_CHUNK, Some(message)) => self
                .message(id, message, MESSAGE_CHUNK, body()?)?
                .and_then(|text| self.phrase.hit(FoundIn::Answer, &text)),
            (REASONING, Some(message)) => self
                .message(id, message, REASONING, body()?)?
                .and_then(|text| self.phrase.hit(FoundIn::Reasoning, &text)),
            ("tool_call" | "tool_update", Some(call)) => self.call(id, call, body()?)?,
            ("user_message" | "error" | "notice" | "rate_limit", _) => self.other(body()?),
            _ => None,
        };
        Ok(hit.map(|(kind, text, marks)| SessionHit {
            seq: seq_of(id),
            kind,
            text,
            marks,
        }))
    }

    /// The text of a message that begins with this row.
    fn message<'t>(
        &mut self,
        id: i64,
        message: &str,
        kind: &str,
        own: &'t str,
    ) -> Result<Option<Cow<'t, str>>, StoreError> {
        let range = params![message, self.first, self.last];
        let (first, last): (i64, i64) = self
            .ends
            .query_row(range, |row| Ok((row.get(0)?, row.get(1)?)))?;
        if (first, last) == (id, id) {
            return Ok(Some(Cow::Borrowed(own)));
        }
        let before: Option<String> = self
            .before
            .query_row(params![message, self.first, id - 1, kind], |row| row.get(0))
            .optional()?;
        if before.is_some_and(|before| before == kind) {
            // The row that it belongs to began earlier.
            return Ok(None);
        }
        let mut rows = self.onwards.query(params![message, id, self.last, kind])?;
        let mut text = String::new();
        while let Some(row) = rows.next()? {
            if row.get_ref(0)?.as_str().unwrap_or_default() != kind {
                // It was taken back.
                return Ok(None);
            }
            text.push_str(row.get_ref(1)?.as_str().unwrap_or_default());
        }
        Ok(Some(Cow::Owned(text)))
    }

    /// A call that begins with this row, as it is now.
    fn call(&mut self, id: i64, call: &str, own: &str) -> Result<Option<Found>, StoreError> {
        let range = params![call, self.first, self.last];
        let (first, last): (i64, i64) = self
            .ends
            .query_row(range, |row| Ok((row.get(0)?, row.get(1)?)))?;
        if first != id {
            return Ok(None);
        }
        if last == id {
            return Ok(self.of_call(own));
        }
        let mut newest = self.body.query([last])?;
        let Some(newest) = newest.next()? else {
            return Ok(None);
        };
        let newest = newest.get_ref(0)?.as_str().unwrap_or_default();
        Ok(of_call(&self.phrase, newest))
    }

    fn of_call(&self, json: &str) -> Option<Found> {
        of_call(&self.phrase, json)
    }

    fn other(&self, json: &str) -> Option<Found> {
        if !self.phrase.may_be_in(json) {
            return None;
        }
        match serde_json::from_str(json).ok()? {
            EventBody::UserMessage(message) if !message.synthetic => {
                self.phrase.hit(FoundIn::Prompt, &message.text)
            }
            EventBody::Error { error, .. } => self.phrase.hit(FoundIn::Error, &error),
            EventBody::Notice { text, .. } => self.phrase.hit(FoundIn::Notice, &text),
            EventBody::RateLimit {
                rate_limit_message, ..
            } => self.phrase.hit(FoundIn::Notice, &rate_limit_message),
            _ => None,
        }
    }
}

pub(super) type Found = (FoundIn, String, Vec<(u32, u32)>);

fn of_call(phrase: &Phrase, json: &str) -> Option<Found> {
    // Escapes may stand in the middle of a word.
    let coloured = memchr::memmem::find(json.as_bytes(), b"\\u001b").is_some();
    if !coloured && !phrase.may_be_in(json) {
        return None;
    }
    let call: ToolCall = match serde_json::from_str(json).ok()? {
        EventBody::ToolCall(call) | EventBody::ToolUpdate(call) => call,
        _ => return None,
    };
    let (_, about) = about_call(&call);
    let in_about = phrase.hit(FoundIn::Tool, &about);
    in_about.or_else(|| {
        let streams = [
            OutputStream::Stdout,
            OutputStream::Stderr,
            OutputStream::Text,
        ];
        let texts = streams
            .iter()
            .filter_map(|stream| call.normalized.output(*stream));
        let mut texts = texts.chain(call.normalized.changes());
        texts.find_map(|text| phrase.hit(FoundIn::Output, &without_escapes(&text)))
    })
}

fn without_escapes(text: &str) -> Cow<'_, str> {
    if memchr::memchr(0x1b, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::new();
    let mut take = |_, line: Line<'_>| {
        line.push_text(&mut plain);
        plain.push('\n');
    };
    let mut screen = Screen::default().with_long_lines(text.len());
    screen.feed(text.as_bytes(), &mut take);
    screen.rest(&mut take);
    Cow::Owned(plain)
}

/// The pattern of a phrase, as all places share it.
pub(super) fn pattern(words: &[String]) -> Option<Regex> {
    let words: Vec<_> = words.iter().map(|word| regex::escape(word)).collect();
    Regex::new(&format!("(?i){}", words.join(r"\s+"))).ok()
}
