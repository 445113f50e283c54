//! Takes the events of a session into the index, in small jobs for the writer: what is said right now never waits long.

use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;

use kandev_transcript::Event;

use super::gather::{Gather, Step};
use super::tables::{self, Reached};
use crate::{Store, StoreError};

/// Bytes of text in one job of the writer, and steps.
const JOB_BYTES: usize = 64 * 1024;
const JOB_STEPS: usize = 128;
/// Rows of a journal that are read at once.
const ROWS: usize = 512;

/// Asked between two jobs: whether to go on.
pub(super) type GoOn<'a> = &'a dyn Fn() -> bool;

/// Takes in what the journal of a session has after the number that was reached. `ended`: what stands at its end is whole.
/// False when it was told to stop before the end.
pub(super) fn journal(
    store: &Store,
    id: &str,
    ended: bool,
    go_on: GoOn<'_>,
) -> Result<bool, StoreError> {
    let mut after = store
        .read(|conn| tables::reached(conn, id))?
        .map_or(0, |reached| reached.through);
    let mut gather = Gather::default();
    loop {
        let events = store.events_after(id, after, ROWS)?;
        let last = events.len() < ROWS;
        let mut steps = Vec::new();
        for event in &events {
            gather.event(event, &mut steps);
        }
        after = events.last().map_or(after, Event::last_seq);
        if last && ended {
            gather.finish(&mut steps);
        }
        // A message that goes on is read once more from its beginning.
        let through = gather
            .open_from()
            .map_or(after, |open| open.saturating_sub(1));
        for job in jobs(steps) {
            let id = id.to_owned();
            store.write(move |tx| {
                let no = tables::number(tx, &id)?;
                tables::apply(tx, no, &job)
            })?;
        }
        let id = id.to_owned();
        store.write(move |tx| {
            let no = tables::number(tx, &id)?;
            let sql = "UPDATE search_sessions SET through = max(through, ?2) WHERE no = ?1";
            tx.prepare_cached(sql)?.execute([no, through as i64])?;
            Ok(())
        })?;
        if last {
            return Ok(true);
        }
        if !go_on() {
            return Ok(false);
        }
    }
}

/// A file of the CLI on its way into the index. Its events are told from the first on each time, as the branch that they
/// are read along may have changed; what was taken in already is only summed up, to see that it is still the same.
pub(super) struct File<'a> {
    store: &'a Store,
    id: String,
    before: Reached,
    gather: Gather,
    steps: u64,
    sum: i64,
    waiting: Vec<Step>,
    bytes: usize,
    /// The number of the last event.
    last: u64,
    error: Option<StoreError>,
}

impl<'a> File<'a> {
    pub fn new(store: &'a Store, id: &str) -> Result<Self, StoreError> {
        let before = store.read(|conn| tables::reached(conn, id))?;
        Ok(Self {
            store,
            id: id.to_owned(),
            before: before.unwrap_or_default(),
            gather: Gather::default(),
            steps: 0,
            sum: 0,
            waiting: Vec::new(),
            bytes: 0,
            last: 0,
            error: None,
        })
    }

    /// Takes the next event. Breaks off when it is told to stop, or when it cannot be written.
    pub fn event(&mut self, event: &Event, go_on: GoOn<'_>) -> ControlFlow<()> {
        self.last = event.last_seq();
        let mut steps = Vec::new();
        self.gather.event(event, &mut steps);
        for step in steps {
            self.steps += 1;
            self.sum = summed(self.sum, &step);
            if self.steps < self.before.steps {
                continue;
            }
            if self.steps == self.before.steps {
                if self.sum != self.before.sum {
                    return self.changed();
                }
                continue;
            }
            self.bytes += weight(&step);
            self.waiting.push(step);
            if self.bytes >= JOB_BYTES || self.waiting.len() >= JOB_STEPS {
                let written = self.write(None);
                self.keep(written)?;
                if !go_on() {
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The file was read to its end. True when all of it is in the index; false when it has to be read again, because it
    /// is not any more what it was.
    pub fn end(mut self, mark: &str) -> Result<bool, StoreError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if self.steps < self.before.steps {
            let _ = self.changed();
            return self.error.map_or(Ok(false), Err);
        }
        // What ends with the file may go on later: it is no step that counts.
        let mut rest = Vec::new();
        self.gather.finish(&mut rest);
        self.write(None)?;
        self.waiting = rest;
        self.write(Some(mark.to_owned()))?;
        Ok(true)
    }

    /// Why it broke off, if that was an error.
    pub fn error(self) -> Option<StoreError> {
        self.error
    }

    /// Another branch is read now: all over again, the next time.
    fn changed(&mut self) -> ControlFlow<()> {
        let id = self.id.clone();
        let forgotten = self.store.write(move |tx| tables::forget(tx, &id));
        self.keep(forgotten)?;
        ControlFlow::Break(())
    }

    fn keep(&mut self, outcome: Result<(), StoreError>) -> ControlFlow<()> {
        match outcome {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn write(&mut self, mark: Option<String>) -> Result<(), StoreError> {
        self.bytes = 0;
        let steps = std::mem::take(&mut self.waiting);
        let (id, count, sum) = (self.id.clone(), self.steps as i64, self.sum);
        let through = mark.as_ref().map_or(0, |_| self.last as i64);
        self.store.write(move |tx| {
            let no = tables::number(tx, &id)?;
            tables::apply(tx, no, &steps)?;
            tx.prepare_cached(
                "UPDATE search_sessions SET steps = ?2, sum = ?3, mark = ?4, through = max(through, ?5)
                 WHERE no = ?1",
            )?
            .execute(rusqlite::params![no, count, sum, mark, through])?;
            Ok(())
        })
    }
}

/// In pieces that are written at once.
fn jobs(steps: Vec<Step>) -> Vec<Vec<Step>> {
    let mut jobs = Vec::new();
    let mut job = Vec::new();
    let mut bytes = 0;
    for step in steps {
        bytes += weight(&step);
        job.push(step);
        if bytes >= JOB_BYTES || job.len() >= JOB_STEPS {
            jobs.push(std::mem::take(&mut job));
            bytes = 0;
        }
    }
    if !job.is_empty() {
        jobs.push(job);
    }
    jobs
}

fn weight(step: &Step) -> usize {
    match step {
        Step::Put(passage) => passage.text.len(),
        Step::Forget { .. } => 0,
    }
}

/// The same in every build and every process, unlike the standard library's own.
fn summed(sum: i64, step: &Step) -> i64 {
    struct Fnv(u64);
    impl Hasher for Fnv {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, bytes: &[u8]) {
            for byte in bytes {
                self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325 ^ sum.cast_unsigned());
    match step {
        Step::Put(passage) => {
            hasher.write(&passage.seq.to_le_bytes());
            passage.text.hash(&mut hasher);
        }
        Step::Forget { message_id, before } => {
            hasher.write(&before.to_le_bytes());
            message_id.hash(&mut hasher);
        }
    }
    hasher.finish().cast_signed()
}
