//! The state machine: lines of both directions in, events out. One path for a live session and for a recorded one.

use kandev_wire::{self as wire, FromCli, Line, ToCli};

use crate::emitted::Emitted;
use crate::event::{EventBody, ResolvedBy};
use crate::files::Files;
use crate::ids::Place;
use crate::out::Out;
use crate::process::Process;

/// How a process was started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Start {
    pub resumed: bool,
    /// It goes on from another session under an id of its own.
    pub forked: bool,
    pub cwd: Option<String>,
}

/// How a process ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exit {
    pub code: Option<i32>,
    /// The signal's name, as in `SIGKILL`.
    pub signal: Option<String>,
}

/// The meaning of one session, line by line. What it remembers does not grow with the length of the session.
pub struct Transcript {
    files: Box<dyn Files + Send>,
    session_id: Option<String>,
    process: Process,
    /// How many lines the CLI has said.
    lines: u64,
}

impl Transcript {
    /// A session before its first process. `files` gives the text that an asked edit would change.
    pub fn new(files: Box<dyn Files + Send>) -> Self {
        Self {
            files,
            session_id: None,
            process: Process::new(Start::default()),
            lines: 0,
        }
    }

    /// A process starts: the ids of the one before it mean nothing any more, and what it left open is closed.
    pub fn started(&mut self, start: Start, out: &mut Vec<Emitted>) {
        self.finish(out);
        if !start.resumed || start.forked {
            self.session_id = None;
        }
        let resumed = start.resumed;
        let process = Process::new(start).with_host();
        self.process = match resumed {
            true => process.after(&mut self.process),
            false => process,
        };
    }

    /// A session that was here before: what stood at its end goes on with its next process. `standing` are the newest
    /// events of their kinds, `saved_uuid` is the newest message of a turn that ended.
    pub fn restore<'a>(
        &mut self,
        standing: impl IntoIterator<Item = &'a EventBody>,
        saved_uuid: Option<&str>,
    ) {
        self.process.restore(standing, saved_uuid);
    }

    /// One line of the CLI's stdout, without its end.
    pub fn cli_line(&mut self, line: &[u8], out: &mut Vec<Emitted>) {
        self.cli(&wire::read(line), out);
    }

    pub(crate) fn cli(&mut self, line: &Line<'_>, out: &mut Vec<Emitted>) {
        match line.from_cli() {
            Ok(message) => self.cli_message(&message, line, out),
            Err(_) if line.is_blank() => {}
            Err(_) => self.out(out).say(EventBody::Unrecognized {
                raw: line.raw().to_owned(),
            }),
        }
    }

    pub(crate) fn cli_message(
        &mut self,
        message: &FromCli<'_>,
        line: &Line<'_>,
        out: &mut Vec<Emitted>,
    ) {
        if let Some(id) = message.session_id()
            && self.session_id.as_deref() != Some(id)
        {
            self.session_id = Some(id.to_owned());
        }
        let place = Place {
            line: self.lines,
            json: line.raw(),
        };
        self.lines += 1;
        let mut out = Out {
            session_id: self.session_id.as_deref(),
            events: out,
            place,
        };
        self.process
            .cli(message, line, self.files.as_ref(), &mut out);
        self.process.settle(&mut out);
    }

    /// One line of stdout that was too long to keep: `bytes` is its length, `head` its beginning.
    pub fn cli_line_skipped(&mut self, bytes: u64, head: &[u8], out: &mut Vec<Emitted>) {
        let head = String::from_utf8_lossy(head);
        let raw = format!("{head}… (a line of {bytes} bytes, too long to keep)");
        self.out(out).say(EventBody::Unrecognized { raw });
    }

    /// One line that the host wrote: a prompt gives `user_message`, an answer `permission_resolved`.
    pub fn host_line(&mut self, line: &[u8], out: &mut Vec<Emitted>) {
        self.host(&wire::read(line), out);
    }

    pub(crate) fn host(&mut self, line: &Line<'_>, out: &mut Vec<Emitted>) {
        // What the CLI cannot read either has no meaning; the CLI's reaction shows on its own side.
        let message = line.to_cli().unwrap_or(ToCli::Unknown);
        let mut out = Out {
            session_id: self.session_id.as_deref(),
            events: out,
            place: Place::default(),
        };
        self.process.host(&message, &mut out);
        self.process.settle(&mut out);
    }

    /// Names who gives the answer that the next [`Self::host_line`] carries for this question; else it is the user.
    pub fn answered_by(&mut self, pending_id: &str, by: ResolvedBy) {
        self.process.questions.answered_by(pending_id, by);
    }

    /// The host closed stdin or sent a signal: the process is expected to end.
    pub fn ending(&mut self) {
        self.process.end.forced = true;
    }

    /// What the process wrote to stderr: a line, or some of them.
    pub fn stderr(&mut self, text: &str) {
        self.process.end.stderr(text);
    }

    /// The process is gone and its pipes are read to the end.
    pub fn exited(&mut self, exit: Exit, out: &mut Vec<Emitted>) {
        let mut out = Out {
            session_id: self.session_id.as_deref(),
            events: out,
            place: Place::default(),
        };
        self.process.exited(exit, &mut out);
        self.process.settle(&mut out);
    }

    /// The input is over without an exit: what is open is closed.
    pub fn finish(&mut self, out: &mut Vec<Emitted>) {
        let mut out = Out {
            session_id: self.session_id.as_deref(),
            events: out,
            place: Place::default(),
        };
        self.process.close(&mut out);
        self.process.settle(&mut out);
    }

    /// The CLI's id of the session, once it is known.
    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// The message after which a resume may cut: the newest prompt, or the newest message of a finished turn.
    pub fn last_message_uuid(&self) -> Option<&str> {
        self.process.turn.resume_uuid()
    }

    fn out<'a>(&'a self, events: &'a mut Vec<Emitted>) -> Out<'a> {
        Out {
            session_id: self.session_id.as_deref(),
            events,
            place: Place::default(),
        }
    }
}
