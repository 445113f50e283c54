//! `kandev normalize`: lines in, events out, in constant memory.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use kandev_transcript::{Emitted, Event, NoFiles, Replay, Transcript, at};
use kandev_wire::{Frame, Framer};

/// Bytes that are read at once.
const CHUNK: usize = 256 * 1024;
/// Bytes of events that are gathered before they are written, while more input is there already.
const GATHER: usize = 256 * 1024;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Lines of the CLI's stdout, or recorded `{"t","dir","line"}` lines; stdin if it is not given.
    file: Option<PathBuf>,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let output = io::stdout().lock();
    let outcome = match &args.file {
        Some(path) => {
            let file =
                File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
            normalize(file, output)
        }
        None => normalize(io::stdin().lock(), output),
    };
    match outcome {
        // Whoever reads the events has had enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        outcome => outcome.map(|()| ExitCode::SUCCESS).context("cannot copy"),
    }
}

/// Reads to the end. Each piece that a read gives is answered at once, so events come as the lines do.
pub fn normalize(mut input: impl Read, output: impl Write) -> io::Result<()> {
    let mut framer = Framer::default();
    let mut printer = Printer::new(output);
    let mut replay = Replay::new(Transcript::new(Box::new(NoFiles)));
    let mut emitted = Vec::new();
    let mut chunk = vec![0; CHUNK];
    let mut failed = Ok(());
    loop {
        let length = match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        framer.push(&chunk[..length], |frame| {
            if failed.is_ok() {
                take(frame, &mut replay, &mut emitted);
                failed = printer.print(&mut emitted, replay.time());
            }
        });
        std::mem::replace(&mut failed, Ok(()))?;
        printer.flush()?;
    }
    framer.finish(|frame| take(frame, &mut replay, &mut emitted));
    replay.finish(&mut emitted);
    printer.print(&mut emitted, replay.time())?;
    printer.flush()
}

fn take(frame: Frame<'_>, replay: &mut Replay, emitted: &mut Vec<Emitted>) {
    match frame {
        Frame::Line(line) => replay.line(line, emitted),
        Frame::Skipped { bytes, head } => replay.line_skipped(bytes, head, emitted),
    }
}

/// Numbers the events and writes them as JSON lines.
struct Printer<W> {
    output: W,
    gathered: Vec<u8>,
    seq: u64,
}

impl<W: Write> Printer<W> {
    fn new(output: W) -> Self {
        Self {
            output,
            gathered: Vec::with_capacity(GATHER),
            seq: 0,
        }
    }

    /// `time` is that of a recording; without one the events are of now.
    fn print(&mut self, emitted: &mut Vec<Emitted>, time: Option<u64>) -> io::Result<()> {
        if emitted.is_empty() {
            return Ok(());
        }
        let time = at(time.unwrap_or_else(now));
        for emitted in emitted.drain(..) {
            self.seq += 1;
            let event = Event::new(self.seq, time.clone(), emitted);
            serde_json::to_writer(&mut self.gathered, &event)?;
            self.gathered.push(b'\n');
        }
        if self.gathered.len() >= GATHER {
            self.write()
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write()?;
        self.output.flush()
    }

    fn write(&mut self) -> io::Result<()> {
        self.output.write_all(&self.gathered)?;
        self.gathered.clear();
        self.gathered.shrink_to(4 * GATHER);
        Ok(())
    }
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as u64)
}
