//! Sessions of a terminal in the journal: taken over when they are opened, brought up as their files grow.

use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use kandev_transcript::{Event, EventBody};

use super::catalogue::{SessionFile, Terminal, TerminalSession, lock};
use super::entry::key;
use super::glance::glance;
use super::reading::{End, Going, Print, Reading, named};
use super::sidechains;
use super::tables::{self, Imported, Mark};
use super::writing::Writing;
use crate::journal;
use crate::{EventWithoutSeq, Source, StoreError, StoredSession, registry};

/// A file of more than so many bytes is not read before something is shown.
const QUICK: u64 = 4 * 1024 * 1024;
/// How much of its end is shown first, in bytes.
const TAIL: u64 = 512 * 1024;

/// What is there of a session that is opened.
#[derive(Debug, Clone, PartialEq)]
pub enum Opening {
    /// The journal has all of it.
    Ready,
    /// It is long and not in the journal yet: its end, in numbers of its own. [`Terminal::follow`] brings the rest.
    Tail(Vec<Event>),
}

/// What became of a journal that was brought up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Followed {
    /// The number of its last event.
    pub last_seq: u64,
    /// The conversation goes on from an earlier message, so what was read of the journal is not true any more.
    pub anew: bool,
}

/// One session's file as it was read last.
#[derive(Default)]
pub(super) struct Import {
    reading: Option<Reading>,
    /// What was told of it into the journal, to go on from there.
    going: Option<(Going, u64, Print)>,
}

/// The mode in which a session of a terminal would go on here. What it was let do there is no word of what it may do here:
/// of all modes only the one that changes nothing is kept.
pub(super) fn mode_here(mode: Option<&str>) -> Option<String> {
    mode.filter(|mode| *mode == "plan").map(str::to_owned)
}

/// The row of a session that was never taken up here.
pub(super) fn row_of(session: &TerminalSession) -> StoredSession {
    StoredSession {
        cli_session_id: Some(session.id.clone()),
        title: session.title.clone(),
        // Even its first words say more of it than the next ones.
        titled: true,
        workspace: session.workspace.clone(),
        permission_mode: mode_here(session.permission_mode.as_deref()),
        model: session.model.clone(),
        started_at: session.started_at.clone(),
        archived: session.archived,
        last_message_uuid: session.last_message_uuid.clone(),
        cli_version: session.cli_version.clone(),
        host: session.host.clone(),
        forked_from: session.forked_from.clone(),
        ..StoredSession::bare(session.id.clone(), Source::Terminal, &session.updated_at)
    }
}

impl Terminal {
    /// Makes a session readable: in the journal if that is quick, else its end.
    ///
    /// # Errors
    /// `NoSuchSession`, when a file cannot be read (the text names it), and when the database cannot be written.
    pub fn open(&self, id: &str) -> Result<Opening, StoreError> {
        let file = self.known_file(id)?;
        let imported = self.imported(id)?;
        let there = imported.is_some_and(|imported| imported.mark == mark_of(&file));
        if file.listed.size <= QUICK || there {
            self.follow(id)?;
            return Ok(Opening::Ready);
        }
        self.tail(id).map(Opening::Tail)
    }

    /// The end of a session, in numbers of its own, without reading the rest.
    ///
    /// # Errors
    /// As [`Terminal::open`].
    pub fn tail(&self, id: &str) -> Result<Vec<Event>, StoreError> {
        let file = self.known_file(id)?;
        let mut length = TAIL;
        loop {
            let from = file.listed.size.saturating_sub(length);
            let reading = Reading::tail(&file.listed.path, id, from)?;
            let mut events = Vec::new();
            reading.tell(End::Live, &mut |told| {
                let seq = events.len() as u64 + 1;
                events.push(Event::new(seq, told.event.at, told.event.emitted));
                true
            })?;
            // One line may be longer than that.
            if !events.is_empty() || from == 0 {
                return Ok(events);
            }
            length = length.saturating_mul(8);
        }
    }

    /// Brings the journal of a session up to its files. It costs nothing when they are the same.
    ///
    /// # Errors
    /// As [`Terminal::open`]. What was written until then is kept, and taken up the next time.
    pub fn follow(&self, id: &str) -> Result<Followed, StoreError> {
        let import = Arc::clone(lock(&self.inner.imports).entry(id.to_owned()).or_default());
        let mut import = lock(&import);
        self.row(id)?;
        match self.bring_up(id, &mut import) {
            // Another process did the same at the same time.
            Err(StoreError::Gap { .. }) => self.bring_up(id, &mut import),
            result => result,
        }
    }

    /// Forgets what of a session's file is kept in memory, once nobody looks at it.
    pub fn let_go(&self, id: &str) {
        lock(&self.inner.imports).remove(id);
    }

    fn bring_up(&self, id: &str, import: &mut Import) -> Result<Followed, StoreError> {
        let file = self.known_file(id)?;
        let end = match self.recent_owner(id) {
            Some(_) => End::Live,
            None => End::Over,
        };
        let mark = mark_of(&file);
        let before = self.imported(id)?;
        if let Some(before) = before
            && before.mark == mark
            && (before.over || end == End::Live)
        {
            return Ok(Followed {
                last_seq: before.events,
                anew: false,
            });
        }
        if import
            .reading
            .as_ref()
            .is_some_and(|reading| reading.path() != file.listed.path)
        {
            *import = Import::default();
        }
        let Import { reading, going } = import;
        let reading = reading.get_or_insert_with(|| Reading::new(&file.listed.path, id));
        if reading.grow()? {
            *going = None;
        }
        let mut anew = false;
        let mut writing = Writing::after(self, id, before);
        if !writing.tell(reading, going, end)? {
            anew = before.is_some_and(|before| before.events > 0);
            writing = Writing::after(self, id, None);
            writing.tell(reading, going, end)?;
        }
        let last_message_uuid = reading.last_message_uuid()?;
        writing.finish(mark, end == End::Over, last_message_uuid)?;
        Ok(Followed {
            last_seq: writing.count,
            anew,
        })
    }

    /// What was said in a session of ours by others, after this message: it went on in a terminal meanwhile. Without the
    /// message, or if the file does not have it, everything; [`crate::Store::import`] adds only what is not there.
    ///
    /// # Errors
    /// As [`Terminal::open`].
    #[cfg(test)]
    pub(super) fn news(
        &self,
        cli_session_id: &str,
        since: Option<&str>,
    ) -> Result<Vec<EventWithoutSeq>, StoreError> {
        Ok(self.news_of(&self.known_file(cli_session_id)?, since)?.0)
    }

    /// And the newest message of the file.
    fn news_of(
        &self,
        file: &SessionFile,
        since: Option<&str>,
    ) -> Result<(Vec<EventWithoutSeq>, Option<String>), StoreError> {
        let mut reading = Reading::new(&file.listed.path, &file.id);
        reading.grow()?;
        let since = since.map(key);
        let mut all = Vec::new();
        // How many events there are up to the message, once it was told.
        let mut after = None;
        reading.tell(End::Over, &mut |told| {
            if !is_of_a_process(&told.event.emitted.body) {
                all.push(told.event);
            }
            if since.is_some() && told.line == since {
                after = Some(all.len());
            }
            true
        })?;
        all.drain(..after.unwrap_or(0));
        Ok((all, reading.last_message_uuid()?))
    }

    /// Adds to the journal of a session of ours what was said in it elsewhere, once. Gives the number of its last event.
    ///
    /// # Errors
    /// As [`Terminal::open`].
    pub fn catch_up(&self, id: &str) -> Result<u64, StoreError> {
        let store = &self.inner.store;
        let row = store.session(id)?;
        let row = row.ok_or_else(|| StoreError::NoSuchSession(id.to_owned()))?;
        let Some(cli_id) = row.cli_session_id.clone() else {
            return Ok(row.last_seq);
        };
        let Ok(file) = self.known_file(&cli_id) else {
            return Ok(row.last_seq);
        };
        let path = &file.listed.path;
        let newest = glance(path)
            .map_err(|error| named(path, &error))?
            .last_message_uuid;
        if newest.is_some() && newest == row.last_message_uuid {
            return Ok(row.last_seq);
        }
        let (news, newest) = self.news_of(&file, row.last_message_uuid.as_deref())?;
        let last = store.import(id, news.into_iter())?;
        if last > row.last_seq || row.last_message_uuid != newest {
            // Nothing else of the row: it took a while, and a person may have named or deleted it meanwhile.
            store.write(move |tx| {
                tx.execute(
                    "UPDATE sessions SET last_message_uuid = ?2 WHERE id = ?1",
                    (&row.id, newest),
                )?;
                Ok(())
            })?;
            store.registry_changed();
        }
        Ok(last)
    }

    /// A session of a terminal becomes one of ours: `row`, whose `cli_session_id` it is, gets its journal. What is listed
    /// from now on is that.
    ///
    /// # Errors
    /// As [`Terminal::open`].
    pub fn take_over(&self, id: &str, row: &StoredSession) -> Result<(), StoreError> {
        let followed = self.follow(id)?;
        let store = &self.inner.store;
        // All at once: a row of ours without the history would hide that it is there.
        store.write({
            let (id, row) = (id.to_owned(), row.clone());
            move |tx| {
                registry::insert(tx, &row)?;
                registry::update(tx, &row)?;
                let theirs = registry::own_key(tx, &id)?;
                if followed.last_seq > 0 {
                    let ours = registry::own_key(tx, &row.id)?;
                    journal::take_up(tx, theirs, followed.last_seq, ours)?;
                }
                journal::clear(tx, theirs)?;
                tx.execute("DELETE FROM sessions WHERE key = ?", [theirs])?;
                tables::forget_import(tx, &id)
            }
        })?;
        self.let_go(id);
        store.registry_changed();
        Ok(())
    }

    /// A session's file, looked for once more if it is not known: it may have come to be just now.
    fn known_file(&self, id: &str) -> Result<SessionFile, StoreError> {
        if let Some(file) = self.session_file(id)
            && let Some(file) = now(file)
        {
            return Ok(file);
        }
        self.refresh()?;
        self.session_file(id)
            .ok_or_else(|| StoreError::NoSuchSession(id.to_owned()))
    }

    fn imported(&self, id: &str) -> Result<Option<Imported>, StoreError> {
        self.inner.store.read(|conn| {
            let Some(imported) = tables::imported(conn, id)? else {
                return Ok(None);
            };
            // A journal that does not end there was written by somebody else.
            let last = match registry::own_key(conn, id) {
                Ok(own) => journal::last_seq(conn, own)?,
                Err(StoreError::NoSuchSession(_)) => 0,
                Err(error) => return Err(error),
            };
            Ok(Some(imported).filter(|imported| imported.events == last))
        })
    }
}

/// The file as it is now; none if it is gone.
fn now(mut file: SessionFile) -> Option<SessionFile> {
    let stat = fs::metadata(&file.listed.path).ok()?;
    file.listed.size = stat.len();
    let changed = stat.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    file.listed.changed = i64::try_from(changed.as_nanos()).ok()?;
    Some(file)
}

fn mark_of(file: &SessionFile) -> Mark {
    Mark {
        size: file.listed.size.cast_signed(),
        changed: file.listed.changed,
        agents: agents_mark(&file.listed.path, &file.id),
    }
}

/// A number that is another one when a subagent has said more.
fn agents_mark(path: &Path, id: &str) -> i64 {
    let mut hasher = DefaultHasher::new();
    for file in sidechains::files(path, id) {
        let size = fs::metadata(&file).map_or(0, |stat| stat.len());
        (file, size).hash(&mut hasher);
    }
    hasher.finish().cast_signed()
}

/// Whether an event tells of a process rather than of the conversation.
fn is_of_a_process(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::SessionState { .. }
            | EventBody::SessionStatus { .. }
            | EventBody::ModeChanged { .. }
            | EventBody::ModelChanged { .. }
    )
}

impl crate::SessionFiles for Terminal {
    fn files(&self) -> Result<Vec<crate::SessionFile>, StoreError> {
        let files: HashMap<String, Arc<SessionFile>> = Terminal::files(self)
            .into_iter()
            .map(|file| (file.id.clone(), file))
            .collect();
        let listed = self.list()?;
        let named = listed.into_iter().filter_map(|session| {
            let file = files.get(&session.id)?;
            let mark = mark_of(file);
            Some(crate::SessionFile {
                id: session.id,
                mark: format!("{}-{}-{}", mark.size, mark.changed, mark.agents),
            })
        });
        Ok(named.collect())
    }

    fn tell(
        &self,
        id: &str,
        each: &mut dyn FnMut(&Event) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let file = self.known_file(id)?;
        let mut reading = Reading::new(&file.listed.path, id);
        reading.grow()?;
        let mut seq = 0;
        reading.tell(End::Over, &mut |told| {
            seq += 1;
            let event = Event::new(seq, told.event.at, told.event.emitted);
            each(&event).is_continue()
        })
    }
}
