//! Answers a search: the newest places first, by session, within a bounded time.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use rusqlite::{CachedStatement, Connection, OptionalExtension, Rows};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::fold::folded;
use super::passage::HitKind;
use super::snippet::snippet;
use super::tables;
use super::words::Words;
use crate::{Source, StoreError};

/// Hits of one session. The rest of them is in the session itself.
const PER_SESSION: usize = 20;
/// How long an answer may take on a computer that is busy with other things; what is not found by then is not in it.
const WITHIN: Duration = Duration::from_millis(150);
/// How long texts are read one by one, for what no index knows.
const READING: Duration = Duration::from_millis(25);

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct SearchAnswer {
    /// By session, the one with the newest hit first; within a session the newest first.
    pub hits: Vec<Hit>,
    /// There is more than this: the limit was reached, or the time was up.
    pub more: bool,
    /// How many of how many sessions are searchable, while the rest is still read. 0 of 0: nobody has looked yet how many
    /// there are.
    pub indexing: Option<(u32, u32)>,
}

/// One place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct Hit {
    /// Ours. For a session of a terminal, the CLI's.
    pub session: String,
    pub cli_session_id: Option<String>,
    pub title: String,
    pub workspace: String,
    pub source: Source,
    pub archived: bool,
    /// The event in which it stands: the first of a message's, the start of a tool call.
    #[specta(type = specta_typescript::Number)]
    pub seq: u64,
    /// RFC 3339.
    pub at: String,
    pub kind: HitKind,
    /// The text around, on one line.
    pub text: String,
    /// Where the words stand in `text`: from and to, in characters (Unicode scalar values, as `Array.from` counts).
    pub marks: Vec<(u32, u32)>,
}

/// What a hit says of its session.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Named {
    pub id: String,
    pub cli_session_id: Option<String>,
    pub title: String,
    pub workspace: String,
    pub source: Source,
    pub archived: bool,
}

/// `named` tells of a session by its id, and `None` when it is not to be found.
pub(super) fn find(
    conn: &Connection,
    typed: &str,
    limit: usize,
    named: impl Fn(&str) -> Result<Option<Named>, StoreError>,
) -> Result<SearchAnswer, StoreError> {
    let words = Words::read(typed);
    if words.is_empty() || limit == 0 {
        return Ok(SearchAnswer::default());
    }
    let mut found = Found::new(conn, &words, limit, named)?;
    let short = words.short_match();
    match (words.long_match(), short) {
        (Some(long), Some(short)) if words.short_is_complete() => {
            let mut by_long = conn.prepare_cached(LONG)?;
            let mut by_short = conn.prepare_cached(SHORT)?;
            found.both(by_long.query([long])?, by_short.query([short])?)?;
        }
        (Some(long), _) => {
            let mut by_long = conn.prepare_cached(LONG)?;
            found.each(by_long.query([long])?, !words.short.is_empty(), WITHIN)?;
        }
        (None, short) => {
            if let Some(short) = &short {
                let mut by_short = conn.prepare_cached(SHORT)?;
                found.each(by_short.query([short])?, false, WITHIN)?;
            }
            // Where a short word stands inside of a longer one, only reading tells.
            if !(found.is_full() || short.is_some() && words.short_is_complete()) {
                let mut all =
                    conn.prepare_cached("SELECT id FROM search_texts ORDER BY id DESC")?;
                found.each(all.query([])?, true, READING)?;
            }
        }
    }
    Ok(found.answer())
}

const LONG: &str = "SELECT rowid FROM search_long WHERE search_long MATCH ?1 ORDER BY rowid DESC";
const SHORT: &str =
    "SELECT rowid FROM search_short WHERE search_short MATCH ?1 ORDER BY rowid DESC";

struct Found<'a, N> {
    conn: &'a Connection,
    words: &'a Words,
    limit: usize,
    named: N,
    text: CachedStatement<'a>,
    began: Instant,
    count: usize,
    more: bool,
    sessions: HashMap<i64, Session>,
}

#[derive(Default)]
struct Session {
    named: Option<Named>,
    seqs: HashSet<u64>,
    hits: Vec<(i64, Hit)>,
}

impl<'a, N: Fn(&str) -> Result<Option<Named>, StoreError>> Found<'a, N> {
    fn new(
        conn: &'a Connection,
        words: &'a Words,
        limit: usize,
        named: N,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            conn,
            words,
            limit,
            named,
            text: conn.prepare_cached(
                "SELECT session, seq, kind, at, text FROM search_texts WHERE id = ?1",
            )?,
            began: Instant::now(),
            count: 0,
            more: false,
            sessions: HashMap::new(),
        })
    }

    fn is_full(&self) -> bool {
        self.count >= self.limit
    }

    /// Takes the rows one after the other; `check` those of which no index says that all words are in them.
    fn each(
        &mut self,
        mut rows: Rows<'_>,
        check: bool,
        within: Duration,
    ) -> Result<(), StoreError> {
        let began = Instant::now();
        while let Some(row) = rows.next()? {
            if self.is_full() || began.elapsed() > within || self.began.elapsed() > WITHIN {
                self.more = true;
                break;
            }
            self.take(row.get(0)?, check)?;
        }
        Ok(())
    }

    /// Takes the rows that are in both lists, each of which has the newest first.
    fn both(&mut self, mut long: Rows<'_>, mut short: Rows<'_>) -> Result<(), StoreError> {
        let mut next = [first(&mut long)?, first(&mut short)?];
        while let [Some(a), Some(b)] = next {
            if self.is_full() || self.began.elapsed() > WITHIN {
                self.more = true;
                break;
            }
            if a == b {
                self.take(a, false)?;
            }
            if a >= b {
                next[0] = first(&mut long)?;
            }
            if b >= a {
                next[1] = first(&mut short)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, id: i64, check: bool) -> Result<(), StoreError> {
        let mut rows = self.text.query([id])?;
        let Some(row) = rows.next()? else {
            return Ok(());
        };
        let (no, seq) = (row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs());
        if !self.sessions.contains_key(&no) {
            let session = Session {
                named: name_of(self.conn, no, &self.named)?,
                ..Session::default()
            };
            self.sessions.insert(no, session);
        }
        let Some(session) = self.sessions.get_mut(&no) else {
            return Ok(());
        };
        let Some(named) = &session.named else {
            return Ok(());
        };
        if session.hits.len() >= PER_SESSION {
            self.more = true;
            return Ok(());
        }
        if session.seqs.contains(&seq) {
            return Ok(());
        }
        let text = row.get_ref(4)?.as_str().unwrap_or_default();
        if check {
            let small = folded(text);
            if !self.words.all().all(|word| small.contains(word)) {
                return Ok(());
            }
        }
        let (around, marks) = snippet(text, self.words.all());
        session.seqs.insert(seq);
        let kind: String = row.get(2)?;
        let hit = Hit {
            session: named.id.clone(),
            cli_session_id: named.cli_session_id.clone(),
            title: named.title.clone(),
            workspace: named.workspace.clone(),
            source: named.source,
            archived: named.archived,
            seq,
            at: row.get(3)?,
            kind: tables::kind(&kind),
            text: around,
            marks,
        };
        session.hits.push((id, hit));
        self.count += 1;
        Ok(())
    }

    fn answer(self) -> SearchAnswer {
        let mut sessions: Vec<_> = self
            .sessions
            .into_values()
            .filter(|session| !session.hits.is_empty())
            .map(|session| session.hits)
            .collect();
        for hits in &mut sessions {
            hits.sort_by_key(|(id, _)| std::cmp::Reverse(*id));
        }
        sessions.sort_by_key(|hits| std::cmp::Reverse(hits[0].0));
        SearchAnswer {
            hits: sessions.into_iter().flatten().map(|(_, hit)| hit).collect(),
            more: self.more,
            indexing: None,
        }
    }
}

fn first(rows: &mut Rows<'_>) -> Result<Option<i64>, StoreError> {
    Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
}

fn name_of(
    conn: &Connection,
    no: i64,
    named: impl Fn(&str) -> Result<Option<Named>, StoreError>,
) -> Result<Option<Named>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT id FROM search_sessions WHERE no = ?1")?;
    let id: Option<Option<String>> = statement.query_row([no], |row| row.get(0)).optional()?;
    match id.flatten() {
        Some(id) => named(&id),
        None => Ok(None),
    }
}
