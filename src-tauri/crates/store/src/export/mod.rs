//! A conversation as a file to keep: Markdown, JSON or HTML.
//!
//! Reads the journal piece by piece and writes as it goes, so memory does not follow the length of a session. What anybody
//! said stays text: nothing in it becomes markup of the page, a script or an address that is loaded.

mod blocks;
mod clean;
mod html;
mod json;
mod markdown;
#[cfg(test)]
mod tests;
mod tool;

use std::collections::HashMap;
use std::io::{self, Write};

use kandev_transcript::Event;
use serde::{Deserialize, Serialize};
use specta::Type;

use self::blocks::{Block, Blocks};
use crate::{Store, StoreError, StoredSession};

/// Rows of the journal that are read at once.
const ROWS: usize = 256;

/// What kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    Markdown,
    /// An object with the session and all its events, each as it stands in the journal.
    Json,
    /// One page with everything in it; no script, nothing that is loaded.
    Html,
}

impl Format {
    /// What the names of such files end with.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Json => "json",
            Self::Html => "html",
        }
    }
}

/// A kind of page: what stands before the conversation, each part of it, and what stands after it.
trait Page {
    fn begin(&mut self, session: &StoredSession) -> io::Result<()>;
    /// `within` a subagent's work.
    fn block(&mut self, block: &Block, within: bool) -> io::Result<()>;
    fn end(&mut self) -> io::Result<()>;
}

impl Store {
    /// Writes a session that has a journal, by our id or the CLI's.
    ///
    /// # Errors
    /// `NoSuchSession`, and when the database cannot be read or `out` cannot be written.
    pub fn export(&self, id: &str, format: Format, out: impl Write) -> Result<(), StoreError> {
        let session = self
            .session(id)?
            .ok_or_else(|| StoreError::NoSuchSession(id.to_owned()))?;
        let mut after = 0;
        let mut ended = false;
        let batches = std::iter::from_fn(|| {
            if ended {
                return None;
            }
            let batch = self.events_after(&session.id, after, ROWS);
            match &batch {
                Ok(events) => {
                    ended = events.len() < ROWS;
                    after = events.last().map_or(after, Event::last_seq);
                }
                Err(_) => ended = true,
            }
            Some(batch)
        });
        let void = match format {
            Format::Json => HashMap::new(),
            Format::Markdown | Format::Html => self.discarded(&session.id)?,
        };
        write(&session, &void, batches, format, out)
    }

    /// The messages that were taken back, each with the number of the event that did it last.
    fn discarded(&self, id: &str) -> Result<HashMap<String, u64>, StoreError> {
        let mut void = HashMap::new();
        let mut after = 0;
        loop {
            let events = self.events_after(id, after, ROWS)?;
            blocks::discarded(&events, &mut void);
            after = events.last().map_or(after, Event::last_seq);
            if events.len() < ROWS {
                return Ok(void);
            }
        }
    }
}

/// `void` has the numbers before which a message's text does not count.
fn write(
    session: &StoredSession,
    void: &HashMap<String, u64>,
    batches: impl Iterator<Item = Result<Vec<Event>, StoreError>>,
    format: Format,
    out: impl Write,
) -> Result<(), StoreError> {
    let out = io::BufWriter::new(out);
    match format {
        Format::Json => json::write(session, batches, out),
        Format::Markdown => pages(session, void, batches, markdown::Markdown::new(out)),
        Format::Html => pages(session, void, batches, html::Html::new(out)),
    }
}

fn pages(
    session: &StoredSession,
    void: &HashMap<String, u64>,
    batches: impl Iterator<Item = Result<Vec<Event>, StoreError>>,
    mut page: impl Page,
) -> Result<(), StoreError> {
    page.begin(session)?;
    let mut blocks = Blocks::new(void);
    let mut ready = Vec::new();
    for batch in batches {
        for event in batch? {
            blocks.event(event, &mut ready);
            for (block, within) in ready.drain(..) {
                page.block(&block, within)?;
            }
        }
    }
    blocks.finish(&mut ready);
    for (block, within) in ready.drain(..) {
        page.block(&block, within)?;
    }
    Ok(page.end()?)
}
