//! The raw lines of one session while it lives: what the CLI said, what was written to it, its stderr, and how each of its
//! processes began and ended. Bounded: old lines go, the first ones of each process stay.
//!
//! A line is published once the events made from it are in the journal. Readers go through a cursor, as they do there,
//! and learn how many lines they came too late for.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::watch;

/// Bytes of lines that are held. The newest line is held whatever its length.
const HELD: usize = 16 << 20;
/// The lines of a process that stay whatever comes after them, and what they may take in all, in bytes.
const FIRST_LINES: u64 = 24;
const FIRST_BYTES: usize = 2 << 20;
/// How many lines one read returns at most.
const BATCH: usize = 512;
/// What a line takes besides its text, in bytes.
const FRAME: usize = 128;

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawDir {
    /// A process was started: `{"argv", "env", "cwd"}`.
    Meta,
    /// The CLI, on stdout.
    Out,
    /// The host, on the CLI's stdin.
    In,
    /// The CLI, on stderr.
    Err,
    /// What the host did besides writing: `{"stdin": "closed"}`, `{"signal"}`, `{"skipped_bytes"}`,
    /// `{"answering", "by"}` before an answer that is not the user's own.
    Host,
    /// The process is gone: `{"code", "signal"}`.
    Exit,
}

impl RawDir {
    /// The word for it in recorded form.
    pub fn recorded(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::Out => "out",
            Self::In => "in",
            Self::Err => "stderr",
            Self::Host => "host",
            Self::Exit => "exit",
        }
    }
}

/// One line, as it came or went.
#[derive(Debug, Clone)]
pub struct RawLine {
    /// From 1, without gaps within a session.
    pub index: u64,
    /// Milliseconds since the Unix epoch.
    pub unix_ms: u64,
    /// Milliseconds since the session began.
    pub t: u64,
    pub dir: RawDir,
    /// Without its end. Secrets are in it: whoever shows or writes it redacts it first.
    pub line: Arc<Vec<u8>>,
    /// The numbers of the events that were made from it; both 0 when there were none.
    pub first_seq: u64,
    pub last_seq: u64,
    first: bool,
}

/// A line as a reader gets it.
#[derive(Debug, Clone)]
pub struct RawEntry {
    pub line: Arc<RawLine>,
    /// Lines between the one before and this one that are not held any more.
    pub left_out: u64,
}

#[derive(Debug, Default)]
struct Ring {
    /// First lines of processes that would have gone otherwise.
    kept: Vec<Arc<RawLine>>,
    kept_bytes: usize,
    lines: VecDeque<Arc<RawLine>>,
    bytes: usize,
}

type Shared = Arc<Mutex<Ring>>;

/// The writing end. There is one, and dropping it ends every subscription.
pub(crate) struct RawLog {
    shared: Shared,
    newest: watch::Sender<u64>,
    started: Instant,
    /// The line whose events are being recorded.
    open: Option<RawLine>,
    next: u64,
    /// How many of the lines to come are the first ones of their process.
    first: u64,
}

/// Opens subscriptions; cheap to clone.
#[derive(Clone)]
pub(crate) struct RawReader {
    shared: Shared,
    newest: watch::Receiver<u64>,
}

/// A place in a session's raw lines, and the wish for what follows it.
pub struct RawSubscription {
    shared: Shared,
    newest: watch::Receiver<u64>,
    after: u64,
}

impl RawLog {
    pub(crate) fn new() -> Self {
        Self {
            shared: Shared::default(),
            newest: watch::Sender::new(0),
            started: Instant::now(),
            open: None,
            next: 1,
            first: FIRST_LINES,
        }
    }

    /// Takes one line. The events that are recorded from now on come of it.
    pub(crate) fn line(&mut self, dir: RawDir, line: impl Into<Arc<Vec<u8>>>) {
        self.settle();
        if dir == RawDir::Meta {
            self.first = FIRST_LINES;
        }
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        self.open = Some(RawLine {
            index: self.next,
            unix_ms: u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX),
            t: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            dir,
            line: line.into(),
            first_seq: 0,
            last_seq: 0,
            first: self.first > 0,
        });
        self.next += 1;
        self.first = self.first.saturating_sub(1);
    }

    /// An event has this number.
    pub(crate) fn recorded(&mut self, seq: u64) {
        if let Some(open) = &mut self.open {
            if open.first_seq == 0 {
                open.first_seq = seq;
            }
            open.last_seq = seq;
        }
    }

    /// All events of the newest line are recorded: it is published.
    pub(crate) fn settle(&mut self) {
        if let Some(line) = self.open.take() {
            let index = line.index;
            lock(&self.shared).push(Arc::new(line));
            self.newest.send_replace(index);
        }
    }

    pub(crate) fn reader(&self) -> RawReader {
        RawReader {
            shared: Arc::clone(&self.shared),
            newest: self.newest.subscribe(),
        }
    }
}

impl Drop for RawLog {
    fn drop(&mut self) {
        self.settle();
    }
}

impl RawReader {
    /// What is held after the line of this number, the oldest first.
    pub(crate) fn read(&self, after: u64, limit: usize) -> Vec<RawEntry> {
        lock(&self.shared).read(after, limit)
    }

    pub(crate) fn subscribe(&self, after: u64) -> RawSubscription {
        RawSubscription {
            shared: Arc::clone(&self.shared),
            newest: self.newest.clone(),
            after,
        }
    }
}

impl RawSubscription {
    /// The next lines, in order; waits when there is none yet. `None` once the session is closed and everything was read.
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Vec<RawEntry>> {
        loop {
            self.newest.borrow_and_update();
            let batch = self.read();
            if !batch.is_empty() {
                return Some(batch);
            }
            if self.newest.changed().await.is_err() {
                let rest = self.read();
                return (!rest.is_empty()).then_some(rest);
            }
        }
    }

    fn read(&mut self) -> Vec<RawEntry> {
        let batch = lock(&self.shared).read(self.after, BATCH);
        if let Some(last) = batch.last() {
            self.after = last.line.index;
        }
        batch
    }
}

impl Ring {
    fn push(&mut self, line: Arc<RawLine>) {
        self.bytes += size(&line);
        self.lines.push_back(line);
        while self.bytes > HELD && self.lines.len() > 1 {
            let Some(oldest) = self.lines.pop_front() else {
                break;
            };
            let size = size(&oldest);
            self.bytes -= size;
            if oldest.first && self.kept_bytes + size <= FIRST_BYTES {
                self.kept_bytes += size;
                self.kept.push(oldest);
            }
        }
    }

    fn read(&self, after: u64, limit: usize) -> Vec<RawEntry> {
        let kept = self.kept.partition_point(|line| line.index <= after);
        let lines = self.lines.partition_point(|line| line.index <= after);
        let mut before = after;
        let held = self.kept[kept..].iter().chain(self.lines.range(lines..));
        held.take(limit)
            .map(|line| RawEntry {
                left_out: line.index - std::mem::replace(&mut before, line.index) - 1,
                line: Arc::clone(line),
            })
            .collect()
    }
}

/// What it takes in memory, in bytes.
fn size(line: &RawLine) -> usize {
    line.line.capacity() + FRAME
}

fn lock(shared: &Shared) -> MutexGuard<'_, Ring> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn say(log: &mut RawLog, dir: RawDir, text: &str) {
        log.line(dir, text.as_bytes().to_vec());
    }

    fn texts(entries: &[RawEntry]) -> Vec<String> {
        let text = |entry: &RawEntry| String::from_utf8(entry.line.line.to_vec()).unwrap();
        entries.iter().map(text).collect()
    }

    #[test]
    fn a_line_is_there_once_its_events_are_and_names_them() {
        let mut log = RawLog::new();
        let reader = log.reader();
        say(&mut log, RawDir::Out, "one");
        log.recorded(1);
        log.recorded(2);
        assert!(reader.read(0, 9).is_empty());
        say(&mut log, RawDir::In, "two");
        log.settle();
        log.recorded(3);
        let lines = reader.read(0, 9);
        assert_eq!(texts(&lines), ["one", "two"]);
        let seqs = lines.iter().map(|e| (e.line.first_seq, e.line.last_seq));
        assert_eq!(seqs.collect::<Vec<_>>(), [(1, 2), (0, 0)]);
        assert_eq!(texts(&reader.read(1, 9)), ["two"]);
        assert!(reader.read(7, 9).is_empty());
    }

    #[test]
    fn a_flood_leaves_the_first_lines_of_each_process_and_says_how_many_went() {
        let mut log = RawLog::new();
        let reader = log.reader();
        let long = "x".repeat(1 << 20);
        for process in ["first", "second"] {
            say(&mut log, RawDir::Meta, process);
            for _ in 1..FIRST_LINES {
                say(&mut log, RawDir::Out, "early");
            }
            for _ in 0..40 {
                say(&mut log, RawDir::Out, &long);
            }
        }
        log.settle();
        let lines = reader.read(0, usize::MAX);
        let count = |text: &str| texts(&lines).iter().filter(|line| *line == text).count();
        assert_eq!((count("first"), count("second")), (1, 1));
        assert_eq!(count("early") as u64, 2 * (FIRST_LINES - 1));
        let held: usize = lines.iter().map(|entry| size(&entry.line)).sum();
        assert!(held <= HELD + FIRST_BYTES, "{held}");
        let seen = lines.len() as u64 + lines.iter().map(|entry| entry.left_out).sum::<u64>();
        assert_eq!(seen, 2 * (FIRST_LINES + 40));
    }

    #[test]
    fn a_line_longer_than_all_that_is_held_is_held_as_the_newest() {
        let mut log = RawLog::new();
        let reader = log.reader();
        for _ in 0..FIRST_LINES {
            say(&mut log, RawDir::Out, "early");
        }
        log.line(RawDir::Out, vec![b'x'; HELD + 1]);
        log.settle();
        assert_eq!(reader.read(FIRST_LINES, 9)[0].line.line.len(), HELD + 1);
        say(&mut log, RawDir::Out, "after");
        log.settle();
        let last = &reader.read(FIRST_LINES, 9)[0];
        assert_eq!(
            (last.left_out, last.line.line.as_slice()),
            (1, &b"after"[..])
        );
    }

    #[tokio::test]
    async fn a_subscription_reads_the_past_and_then_what_comes_until_the_end() {
        let mut log = RawLog::new();
        say(&mut log, RawDir::Out, "one");
        say(&mut log, RawDir::Out, "two");
        let mut watcher = log.reader().subscribe(0);
        assert_eq!(texts(&watcher.next().await.unwrap()), ["one"]);
        let (live, ()) = tokio::join!(watcher.next(), async { log.settle() });
        assert_eq!(texts(&live.unwrap()), ["two"]);
        say(&mut log, RawDir::Exit, "three");
        drop(log);
        assert_eq!(texts(&watcher.next().await.unwrap()), ["three"]);
        assert!(watcher.next().await.is_none());
    }
}
