//! A session's files read into events: the lines of the active branch and of the subagents, told in order to a transcript,
//! so that they mean the same as on the wire.

use std::fs::File;
use std::path::{Path, PathBuf};

use kandev_transcript::{Emitted, EventBody, NoFiles, Transcript};
use serde_json::json;

use super::entry::{self, Entry, Kind};
use super::lines;
use super::plan::{Plan, Step};
use super::sidechains::{self, Chain};
use super::to_wire::{Said, Telling};
use crate::{EventWithoutSeq, StoreError};

/// The longest line that is shown as it stands, in bytes.
const SHOWN: u64 = 64 * 1024;

/// How many bytes must be the same for a file to be the one that was read before.
const SEAM: u64 = 256;

/// How a reading ends when the files are read to their ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// A process may still write: what it left open stays open.
    Live,
    /// Nobody writes: what is open ends.
    Over,
}

/// The files of one session, read so far.
pub(crate) struct Reading {
    path: PathBuf,
    session_id: String,
    /// Offset behind the last whole line.
    read: u64,
    /// The last bytes before that: if they are others, the file is another one.
    seam: Vec<u8>,
    entries: Vec<Entry>,
}

/// An event and the line of the main thread that it came from.
pub(crate) struct Told {
    pub event: EventWithoutSeq,
    /// The uuid of the line, if it is one of the main thread.
    pub line: Option<entry::Key>,
}

impl Reading {
    pub fn new(path: &Path, session_id: &str) -> Self {
        Self {
            path: path.to_owned(),
            session_id: session_id.to_owned(),
            read: 0,
            seam: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Only the end of the file, from the first whole line behind `offset`.
    ///
    /// # Errors
    /// As [`Reading::grow`].
    pub fn tail(path: &Path, session_id: &str, offset: u64) -> Result<Self, StoreError> {
        let mut reading = Self::new(path, session_id);
        let mut file = open(path)?;
        // Of the first line only the end is there.
        let mut first = offset > 0;
        let end = lines::each_line(&mut file, offset, &mut |offset, found| {
            if !std::mem::take(&mut first) {
                entry::of(offset, found, &mut |entry| reading.entries.push(entry));
            }
        });
        reading.read = end.map_err(|error| named(path, &error))?;
        Ok(reading)
    }

    /// Reads what was added to the file. One that was written over is read anew; whether it was.
    ///
    /// # Errors
    /// When the file cannot be read; the text names it.
    pub fn grow(&mut self) -> Result<bool, StoreError> {
        let mut file = open(&self.path)?;
        let size = file
            .metadata()
            .map_err(|error| named(&self.path, &error))?
            .len();
        let anew = size < self.read || self.seam_of(&mut file)? != self.seam;
        if anew {
            self.read = 0;
            self.entries.clear();
        }
        let entries = &mut self.entries;
        let end = lines::each_line(&mut file, self.read, &mut |offset, found| {
            entry::of(offset, found, &mut |entry| entries.push(entry));
        });
        self.read = end.map_err(|error| named(&self.path, &error))?;
        self.seam = self.seam_of(&mut file)?;
        Ok(anew)
    }

    fn seam_of(&self, file: &mut File) -> Result<Vec<u8>, StoreError> {
        let length = self.read.min(SEAM);
        lines::line_at(file, self.read - length, length).map_err(|error| named(&self.path, &error))
    }

    /// The file that is read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The newest message of the main thread on the active branch, as a resume names it.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn last_message_uuid(&self) -> Result<Option<String>, StoreError> {
        let active = super::branch::active(&self.entries);
        let message = |at: &&usize| matches!(self.entries[**at].kind, Kind::User | Kind::Assistant);
        let Some(at) = active.iter().rev().find(message) else {
            return Ok(None);
        };
        let entry = &self.entries[*at];
        let line = lines::line_at(&mut open(&self.path)?, entry.offset, entry.len);
        let line = line.map_err(|error| named(&self.path, &error))?;
        #[derive(serde::Deserialize)]
        struct Named {
            uuid: Option<String>,
        }
        let line = kandev_wire::read(&line);
        let named = serde_json::from_str::<Named>(line.json()).ok();
        Ok(named.and_then(|line| line.uuid))
    }

    /// Tells all events in order. `false` from `on_event` ends it.
    ///
    /// # Errors
    /// When a file cannot be read; the text names it.
    pub fn tell(&self, end: End, on_event: &mut dyn FnMut(Told) -> bool) -> Result<(), StoreError> {
        self.planned().tell(None, end, on_event).map(|_| ())
    }

    /// What there is to tell, in order.
    pub fn planned(&self) -> Planned<'_> {
        let chains = sidechains::of(&self.path, &self.session_id, &self.entries);
        let parts: Vec<_> = chains.iter().map(|chain| &chain.chain).collect();
        let plan = Plan::new(&self.entries, &parts);
        Planned {
            reading: self,
            chains,
            plan,
        }
    }
}

/// The lines of a session and its subagents in the order in which they are told.
pub(crate) struct Planned<'a> {
    reading: &'a Reading,
    chains: Vec<Chain>,
    plan: Plan,
}

/// A session of which some lines were told, and which can go on.
pub(crate) struct Going {
    session: Session,
    steps: Vec<Step>,
}

impl Planned<'_> {
    /// Whether what was told is the beginning of what there is to tell now.
    pub fn goes_on(&self, going: &Going) -> bool {
        self.plan.steps.starts_with(&going.steps)
    }

    /// Tells what comes after what was told, or everything. Gives what it takes to go on later, unless it was ended or the
    /// end of the files was told as the end of the session or a turn.
    ///
    /// # Errors
    /// As [`Reading::tell`].
    pub fn tell(
        self,
        going: Option<Going>,
        end: End,
        on_event: &mut dyn FnMut(Told) -> bool,
    ) -> Result<Option<Going>, StoreError> {
        let Self {
            reading,
            chains,
            plan,
        } = self;
        let mut going = going.unwrap_or_else(|| Going {
            session: Session::new(&reading.session_id),
            steps: Vec::new(),
        });
        let session = &mut going.session;
        let mut main = open(&reading.path)?;
        let mut others: Vec<Option<File>> = chains.iter().map(|_| None).collect();
        for step in &plan.steps[going.steps.len()..] {
            let Step { sidechain, entry } = *step;
            let (entry, path, file) = match sidechain {
                None => (&reading.entries[entry as usize], &reading.path, &mut main),
                Some(chain) => {
                    let read = &chains[chain as usize];
                    let file = &mut others[chain as usize];
                    let file = match file {
                        Some(file) => file,
                        None => file.insert(open(&read.path)?),
                    };
                    (&read.chain.entries[entry as usize], &read.path, file)
                }
            };
            let parent = sidechain.and_then(|chain| plan.calls[chain as usize].as_deref());
            session.entry(entry, path, file, parent)?;
            let line = entry.uuid.filter(|_| sidechain.is_none());
            if !session.hand_on(line, on_event) {
                return Ok(None);
            }
        }
        let last = plan.steps.iter().rfind(|step| step.sidechain.is_none());
        let rests = last.is_some_and(|step| reading.entries[step.entry as usize].rests);
        if end == End::Live && !(rests && session.telling.running()) {
            going.steps = plan.steps;
            return Ok(Some(going));
        }
        session.turn_over();
        if end == End::Over {
            session.transcript.finish(&mut session.emitted);
        }
        session.hand_on(None, on_event);
        Ok(None)
    }
}

/// What is told to the transcript of one session.
struct Session {
    transcript: Transcript,
    telling: Telling,
    said: Vec<Said>,
    emitted: Vec<Emitted>,
    /// The same with their times.
    events: Vec<EventWithoutSeq>,
    /// The time of the newest line, in milliseconds since the Unix epoch.
    at: i64,
}

impl Session {
    fn new(session_id: &str) -> Self {
        Self {
            transcript: Transcript::new(Box::new(NoFiles)),
            telling: Telling::new(session_id),
            said: Vec::new(),
            emitted: Vec::new(),
            events: Vec::new(),
            at: 0,
        }
    }

    fn entry(
        &mut self,
        entry: &Entry,
        path: &Path,
        file: &mut File,
        parent: Option<&str>,
    ) -> Result<(), StoreError> {
        match entry.kind {
            Kind::Link => return Ok(()),
            Kind::Broken => {
                let shown = entry.len.min(SHOWN);
                let line = lines::line_at(file, entry.offset, shown);
                let line = line.map_err(|error| named(path, &error))?;
                if shown < entry.len {
                    self.transcript
                        .cli_line_skipped(entry.len, &line, &mut self.emitted);
                } else {
                    // It is told as no JSON, which it is not.
                    self.transcript.cli_line(&line, &mut self.emitted);
                }
                return Ok(());
            }
            _ => {}
        }
        let line = lines::line_at(file, entry.offset, entry.len);
        let line = line.map_err(|error| named(path, &error))?;
        self.telling.line(&line, parent, &mut self.said);
        let mut said = std::mem::take(&mut self.said);
        if said.first() == Some(&Said::TurnOver) {
            // It was over when the line before this one was said.
            said.remove(0);
            self.end_turn();
            self.timed();
        }
        if entry.at > 0 {
            self.at = entry.at;
        }
        for said in said {
            match said {
                Said::Cli(line) => self.transcript.cli_line(line.as_bytes(), &mut self.emitted),
                Said::Host(line) => self
                    .transcript
                    .host_line(line.as_bytes(), &mut self.emitted),
                Said::TurnOver => self.end_turn(),
            }
        }
        Ok(())
    }

    fn turn_over(&mut self) {
        if self.telling.running() {
            self.telling.rest();
            self.end_turn();
        }
    }

    /// The file does not tell the result of a turn, but what it did to the rest has to happen: calls without an end end,
    /// and the next turn's changes are counted anew. The result itself is nobody's to invent.
    fn end_turn(&mut self) {
        let result = json!({ "type": "result", "is_error": true });
        let mut emitted = Vec::new();
        self.transcript
            .cli_line(result.to_string().as_bytes(), &mut emitted);
        emitted.retain(|event| {
            !matches!(
                event.body,
                EventBody::Complete { .. } | EventBody::Error { .. }
            )
        });
        self.emitted.append(&mut emitted);
    }

    fn hand_on(
        &mut self,
        line: Option<entry::Key>,
        on_event: &mut dyn FnMut(Told) -> bool,
    ) -> bool {
        self.timed();
        let events = std::mem::take(&mut self.events);
        events
            .into_iter()
            .all(|event| on_event(Told { event, line }))
    }

    /// What was emitted was said at the time of the newest line.
    fn timed(&mut self) {
        let at = kandev_transcript::at(u64::try_from(self.at).unwrap_or_default());
        let timed = self.emitted.drain(..).map(|emitted| EventWithoutSeq {
            at: at.clone(),
            emitted,
        });
        self.events.extend(timed);
    }
}

/// A number for all events so far, in order: the same events give the same one, in every build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Print(u64);

impl Print {
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub fn add(self, event: &EventWithoutSeq) -> Self {
        let mut hash = self.0;
        let mut add = |bytes: &[u8]| {
            for byte in bytes {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        };
        add(event.at.as_bytes());
        add(event
            .emitted
            .parent_tool_call_id
            .as_deref()
            .unwrap_or_default()
            .as_bytes());
        add(&serde_json::to_vec(&event.emitted.body).unwrap_or_default());
        Self(hash)
    }

    pub fn number(self) -> i64 {
        self.0.cast_signed()
    }
}

pub(crate) fn open(path: &Path) -> Result<File, StoreError> {
    File::open(path).map_err(|error| named(path, &error))
}

/// The error with the name of the file that it is about.
pub(crate) fn named(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Unreadable(format!("{}: {error}", path.display()))
}
