//! One output, read by ranges of lines. What is kept of it is where lines begin; a file is never held whole.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kandev_transcript::screen::{Index, Line, Lines, OutputLine, Screen};
use regex::Regex;

use crate::api::{OutputHits, OutputPart};
use crate::plain_file;

/// Lines that one question gives at most.
const LINES_MAX: u32 = 2_000;
/// Text of them, in bytes. Of huge lines there are fewer.
const PART_MAX: usize = 4 << 20;
/// Bytes that are read at once.
const PIECE: usize = 64 * 1024;
/// How long the lines that were not asked for are counted meanwhile.
const COUNTING: Duration = Duration::from_millis(40);
/// How long the end of an output is looked for, and words.
const PATIENCE: Duration = Duration::from_secs(10);
/// Text that is copied.
pub const TEXT_MAX: usize = 10 << 20;
/// Text of huge lines in which words are looked for.
const LONG_LINES: usize = 16 << 20;

enum Bytes {
    Text(Arc<str>),
    File { file: File, path: PathBuf },
}

pub struct Reader {
    bytes: Bytes,
    index: Index,
}

/// Why there is no text to copy.
#[derive(Debug)]
pub enum NoText {
    TooLarge,
    Io(io::Error),
}

impl From<io::Error> for NoText {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Reader {
    pub fn of_text(text: String) -> Self {
        Self {
            bytes: Bytes::Text(text.into()),
            index: Index::default(),
        }
    }

    /// The same output for a look at all of it, while others read on here.
    ///
    /// # Errors
    /// When a file is not there any more.
    pub fn another(&self) -> io::Result<Self> {
        match &self.bytes {
            Bytes::Text(text) => Ok(Self {
                bytes: Bytes::Text(Arc::clone(text)),
                index: Index::default(),
            }),
            Bytes::File { path, .. } => Self::of_file(path),
        }
    }

    /// The path is a real one, in which no link is followed.
    ///
    /// # Errors
    /// When it cannot be opened, or is no plain file.
    pub fn of_file(path: &Path) -> io::Result<Self> {
        Ok(Self {
            bytes: Bytes::File {
                file: plain_file::open(path)?,
                path: path.to_owned(),
            },
            index: Index::default(),
        })
    }

    /// Bytes that are held in memory, but for what is known of lines.
    pub fn held(&self) -> usize {
        match &self.bytes {
            Bytes::Text(text) => text.len(),
            Bytes::File { .. } => 0,
        }
    }

    /// Lines from one on; `from` counts from the end when it is negative. `done` when all of it was read.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn part(&mut self, from: i64, count: u32) -> io::Result<OutputPart> {
        self.renew()?;
        let count = u64::from(count.min(LINES_MAX));
        let bytes = self.len()?;
        let began = Instant::now();
        let needed = match u64::try_from(from) {
            Ok(from) => from.saturating_add(count),
            Err(_) => u64::MAX,
        };
        loop {
            let limit = if self.index.total() < needed {
                PATIENCE
            } else {
                COUNTING
            };
            if self.index.read() >= bytes || began.elapsed() > limit {
                break;
            }
            self.read_on(bytes)?;
        }
        let total = self.index.total();
        let from = match u64::try_from(from) {
            Ok(from) => from.min(total),
            Err(_) => total.saturating_sub(from.unsigned_abs()),
        };
        let mut part = Part {
            wanted: from..from.saturating_add(count),
            lines: Vec::new(),
            text: 0,
        };
        let (mut screen, range) = self.index.span(part.wanted.clone());
        self.each(range, |piece| {
            screen.feed(piece, &mut part);
            !part.is_full()
        })?;
        screen.rest(&mut part);
        let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        Ok(OutputPart {
            from: number(from),
            lines: part.lines,
            total: number(total),
            bytes,
            done: self.index.read() >= bytes,
            problem: None,
        })
    }

    /// The lines in which this stands.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn find(&mut self, words: &Regex, limit: usize) -> io::Result<OutputHits> {
        let mut hits = OutputHits::default();
        let mut text = String::new();
        let mut look = |number: u64, line: Line<'_>| {
            text.clear();
            line.push_text(&mut text);
            if words.is_match(&text) {
                hits.total += 1;
                if hits.lines.len() < limit {
                    hits.lines.push(u32::try_from(number).unwrap_or(u32::MAX));
                }
            }
        };
        let whole = self.all(LONG_LINES, &mut look, || true)?;
        hits.more = !whole || hits.lines.len() < hits.total as usize;
        Ok(hits)
    }

    /// All of it as plain text.
    ///
    /// # Errors
    /// `TooLarge` beyond [`TEXT_MAX`], and when the file cannot be read.
    pub fn text(&mut self) -> Result<String, NoText> {
        let mut text = String::new();
        let cut = std::cell::Cell::new(false);
        let mut take = |number: u64, line: Line<'_>| {
            if cut.get() {
                return;
            }
            if number > 0 {
                text.push('\n');
            }
            line.push_text(&mut text);
            cut.set(line.is_cut() || text.len() > TEXT_MAX);
        };
        let whole = self.all(TEXT_MAX, &mut take, || !cut.get())?;
        match whole && !cut.get() {
            true => Ok(text),
            false => Err(NoText::TooLarge),
        }
    }

    /// Writes all of it as plain text. Lines that are too huge for that are written as they were printed, with all others.
    ///
    /// # Errors
    /// When the file cannot be read, or `into` not written.
    pub fn save(&mut self, into: &mut File) -> io::Result<()> {
        let mut out = io::BufWriter::new(&*into);
        let mut failed = None;
        let cut = std::cell::Cell::new(false);
        let mut text = String::new();
        let mut take = |_: u64, line: Line<'_>| {
            text.clear();
            line.push_text(&mut text);
            text.push('\n');
            cut.set(cut.get() || line.is_cut());
            if let Err(error) = out.write_all(text.as_bytes()) {
                failed = Some(error);
            }
        };
        let len = self.len()?;
        let mut screen = Screen::default().with_long_lines(LONG_LINES);
        self.each(0..len, |piece| {
            screen.feed(piece, &mut take);
            !cut.get()
        })?;
        screen.end(&mut take);
        screen.rest(&mut take);
        out.flush()?;
        drop(out);
        if let Some(error) = failed {
            return Err(error);
        }
        if cut.get() {
            into.set_len(0)?;
            into.seek(SeekFrom::Start(0))?;
            let mut failed = Ok(());
            self.each(0..len, |piece| {
                failed = into.write_all(piece);
                failed.is_ok()
            })?;
            failed?;
        }
        Ok(())
    }

    /// Gives all lines to `out` while `go_on`. False when that, or the time, ended it.
    fn all(
        &mut self,
        long_lines: usize,
        out: &mut dyn Lines,
        go_on: impl Fn() -> bool,
    ) -> io::Result<bool> {
        let began = Instant::now();
        let len = self.len()?;
        let mut screen = Screen::default().with_long_lines(long_lines);
        let whole = self.each(0..len, |piece| {
            screen.feed(piece, out);
            go_on() && began.elapsed() < PATIENCE
        })?;
        screen.end(out);
        screen.rest(out);
        Ok(whole)
    }

    /// Reads the next piece, up to `end`.
    fn read_on(&mut self, end: u64) -> io::Result<()> {
        let from = self.index.read();
        let Self { bytes, index } = self;
        each(bytes, from..end.min(from + PIECE as u64), |piece| {
            index.feed(piece);
            true
        })?;
        match index.read() > from {
            true => Ok(()),
            // It became shorter a moment ago.
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn each(
        &mut self,
        range: std::ops::Range<u64>,
        take: impl FnMut(&[u8]) -> bool,
    ) -> io::Result<bool> {
        each(&mut self.bytes, range, take)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(match &self.bytes {
            Bytes::Text(text) => text.len() as u64,
            Bytes::File { file, .. } => file.metadata()?.len(),
        })
    }

    /// A file that was written anew is another one. One that is gone can be read as long as it is open.
    fn renew(&mut self) -> io::Result<()> {
        let Bytes::File { file, path } = &self.bytes else {
            return Ok(());
        };
        let is_other = match std::fs::metadata(path) {
            Ok(there) => !same(&there, &file.metadata()?),
            Err(_) => false,
        };
        if is_other || self.len()? < self.index.read() {
            let path = path.clone();
            *self = Self::of_file(&path)?;
        }
        Ok(())
    }
}

/// Gives the bytes piece by piece as long as `take` wants them. False when it did not want them all.
fn each(
    bytes: &mut Bytes,
    range: std::ops::Range<u64>,
    mut take: impl FnMut(&[u8]) -> bool,
) -> io::Result<bool> {
    match bytes {
        Bytes::Text(text) => {
            let range = range.start as usize..(range.end as usize).min(text.len());
            let bytes = text.as_bytes().get(range).unwrap_or_default();
            Ok(bytes.chunks(PIECE).all(take))
        }
        Bytes::File { file, .. } => {
            file.seek(SeekFrom::Start(range.start))?;
            let mut rest = file.take(range.end.saturating_sub(range.start));
            let mut piece = vec![0; PIECE];
            loop {
                match rest.read(&mut piece) {
                    Ok(0) => return Ok(true),
                    Ok(length) => {
                        if !take(&piece[..length]) {
                            return Ok(false);
                        }
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        }
    }
}

#[cfg(unix)]
fn same(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// An open file cannot be replaced there.
#[cfg(not(unix))]
fn same(_: &std::fs::Metadata, _: &std::fs::Metadata) -> bool {
    true
}

struct Part {
    wanted: std::ops::Range<u64>,
    lines: Vec<OutputLine>,
    text: usize,
}

impl Part {
    fn is_full(&self) -> bool {
        self.text >= PART_MAX
    }
}

impl Lines for Part {
    fn line(&mut self, number: u64, line: Line<'_>) {
        if self.wanted.contains(&number) && !self.is_full() {
            let line = line.to_output();
            self.text += line.runs.iter().map(|run| run.text.len()).sum::<usize>();
            self.lines.push(line);
        }
    }
}
