//! What a session's files tell, on its way into the journal.

use kandev_transcript::Event;

use super::catalogue::Terminal;
use super::import::mode_here;
use super::reading::{End, Going, Print, Reading};
use super::tables::{self, Imported, Mark};
use crate::journal::{self, Origin};
use crate::{EventWithoutSeq, StoreError, registry};

/// How many events share a transaction.
const TOGETHER: usize = 512;

/// Events on their way into the journal of one session.
pub(super) struct Writing<'a> {
    terminal: &'a Terminal,
    id: &'a str,
    /// Events that are there already and need only be the same.
    there: u64,
    expected: i64,
    /// The journal is to be emptied before the first event.
    clear: bool,
    /// How many events there are so far.
    pub count: u64,
    print: Print,
    waiting: Vec<Event>,
}

impl<'a> Writing<'a> {
    /// On top of what was written before; without that, in the place of all there is.
    pub fn after(terminal: &'a Terminal, id: &'a str, before: Option<Imported>) -> Self {
        Self {
            terminal,
            id,
            there: before.map_or(0, |before| before.events),
            expected: before.map_or(0, |before| before.print),
            clear: before.is_none(),
            count: 0,
            print: Print::new(),
            waiting: Vec::new(),
        }
    }

    /// Writes what is not there yet. False if what is there is not the beginning of what the file says now.
    pub fn tell(
        &mut self,
        reading: &Reading,
        going: &mut Option<(Going, u64, Print)>,
        end: End,
    ) -> Result<bool, StoreError> {
        let mut trouble = None;
        let mut same = true;
        let planned = reading.planned();
        let from = going.take().filter(|(going, count, print)| {
            let written = *count == self.there && print.number() == self.expected;
            written && planned.goes_on(going)
        });
        let from = from.map(|(going, count, print)| {
            (self.count, self.print) = (count, print);
            going
        });
        let told = planned.tell(from, end, &mut |told| {
            self.count += 1;
            self.print = self.print.add(&told.event);
            if self.count <= self.there {
                same = self.count < self.there || self.print.number() == self.expected;
                return same;
            }
            let EventWithoutSeq { at, emitted } = told.event;
            self.waiting.push(Event::new(self.count, at, emitted));
            if self.waiting.len() >= TOGETHER
                && let Err(error) = self.write(Mark::UNFINISHED, false)
            {
                trouble = Some(error);
                return false;
            }
            true
        })?;
        *going = told.map(|told| (told, self.count, self.print));
        match trouble {
            Some(error) => Err(error),
            None => Ok(same && self.count >= self.there),
        }
    }

    fn write(&mut self, mark: Mark, over: bool) -> Result<(), StoreError> {
        let events = std::mem::take(&mut self.waiting);
        let clear = std::mem::take(&mut self.clear);
        let id = self.id.to_owned();
        let imported = Imported {
            mark,
            over,
            events: self.count,
            print: self.print.number(),
        };
        self.terminal.inner.store.write(move |tx| {
            let own = registry::own_key(tx, &id)?;
            if clear {
                journal::clear(tx, own)?;
            }
            journal::append(tx, own, &events, Origin::Imported)?;
            tables::set_imported(tx, &id, imported)
        })
    }

    /// Writes the rest, and that the files were read to their ends.
    pub fn finish(
        &mut self,
        mark: Mark,
        over: bool,
        last_message_uuid: Option<String>,
    ) -> Result<(), StoreError> {
        self.write(mark, over)?;
        let Some(session) = self.terminal.session(self.id) else {
            return Ok(());
        };
        let store = &self.terminal.inner.store;
        let id = self.id.to_owned();
        store.write(move |tx| {
            tables::title_of_file(tx, &id, &session.title)?;
            tx.execute(
                "UPDATE sessions SET updated_at = ?2, last_message_uuid = ?3, model = ?4, permission_mode = ?5,
                 cli_version = ?6 WHERE id = ?1",
                rusqlite::params![
                    id,
                    session.updated_at,
                    last_message_uuid,
                    session.model,
                    mode_here(session.permission_mode.as_deref()),
                    session.cli_version
                ],
            )?;
            Ok(())
        })
    }
}
