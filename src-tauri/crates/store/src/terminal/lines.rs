//! A session file as lines with their places. A line that is not at its end yet is left for the next reading.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use kandev_wire::MAX_LINE;

/// How much is read at once, in bytes.
const CHUNK: usize = 256 * 1024;
/// How much is kept of each end of a line that is too long, in bytes.
const ENDS: usize = 4 * 1024;

/// A line without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found<'a> {
    Line(&'a [u8]),
    /// Longer than [`MAX_LINE`]: its two ends, from which its place in the conversation can be told.
    TooLong {
        bytes: u64,
        head: &'a [u8],
        tail: &'a [u8],
    },
}

/// Reads whole lines from `from` on and gives each with its offset. Gives the offset from which to go on: behind the last
/// whole line. A last line without its end counts when it is one JSON object, to which nothing can be added.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn each_line(
    file: &mut File,
    from: u64,
    on_line: &mut dyn FnMut(u64, Found<'_>),
) -> io::Result<u64> {
    each_line_up_to(file, from, MAX_LINE, on_line)
}

fn each_line_up_to(
    file: &mut File,
    from: u64,
    limit: usize,
    on_line: &mut dyn FnMut(u64, Found<'_>),
) -> io::Result<u64> {
    file.seek(SeekFrom::Start(from))?;
    let mut partial = Partial::new(from, limit);
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut rest = &chunk[..count];
        while let Some(end) = memchr::memchr(b'\n', rest) {
            partial.add(&rest[..end]);
            partial.hand_on(on_line);
            rest = &rest[end + 1..];
        }
        partial.add(rest);
    }
    if partial.is_whole() {
        let end = partial.start + partial.bytes;
        partial.hand_on(on_line);
        return Ok(end);
    }
    Ok(partial.start)
}

/// The line that is being read.
struct Partial {
    start: u64,
    bytes: u64,
    limit: usize,
    kept: Vec<u8>,
    /// The newest bytes of a line that is too long.
    tail: Vec<u8>,
}

impl Partial {
    fn new(start: u64, limit: usize) -> Self {
        Self {
            start,
            bytes: 0,
            limit,
            kept: Vec::new(),
            tail: Vec::new(),
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        let was = self.bytes;
        self.bytes += bytes.len() as u64;
        if self.bytes <= self.limit as u64 {
            self.kept.extend_from_slice(bytes);
            return;
        }
        if was <= self.limit as u64 {
            let from = self.kept.len().saturating_sub(ENDS);
            self.tail = self.kept[from..].to_vec();
            self.kept.truncate(ENDS);
            self.kept.shrink_to_fit();
        }
        self.tail
            .extend_from_slice(&bytes[bytes.len().saturating_sub(ENDS)..]);
        let excess = self.tail.len().saturating_sub(ENDS);
        self.tail.drain(..excess);
    }

    fn hand_on(&mut self, on_line: &mut dyn FnMut(u64, Found<'_>)) {
        if self.bytes > self.limit as u64 {
            let found = Found::TooLong {
                bytes: self.bytes,
                head: &self.kept,
                tail: &self.tail,
            };
            on_line(self.start, found);
        } else {
            let line = self.kept.strip_suffix(b"\r").unwrap_or(&self.kept);
            if !line.trim_ascii().is_empty() {
                on_line(self.start, Found::Line(line));
            }
        }
        self.start += self.bytes + 1;
        self.bytes = 0;
        self.kept.clear();
        self.tail.clear();
    }

    fn is_whole(&self) -> bool {
        self.bytes > 0
            && self.bytes <= self.limit as u64
            && self.kept.trim_ascii_end().ends_with(b"}")
            && kandev_wire::read(&self.kept).from_cli().is_ok()
    }
}

/// Reads `len` bytes at `offset`: one line as [`each_line`] found it.
///
/// # Errors
/// When the file cannot be read, or ends before.
pub(crate) fn line_at(file: &mut File, offset: u64, len: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = vec![0; usize::try_from(len).map_err(io::Error::other)?];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A JSON object that begins in the middle of a line and goes to its end: what a process wrote behind a line that another
/// one could not finish. Its offset within the line.
pub(crate) fn whole_tail(line: &[u8]) -> Option<usize> {
    const BEGINNINGS: [&[u8]; 3] = [br#"{"parentUuid":"#, br#"{"type":""#, br#"{"type": ""#];
    BEGINNINGS.into_iter().find_map(|beginning| {
        let starts = memchr::memmem::find_iter(line, beginning).filter(|start| *start > 0);
        // Each is read to the end of the line, so they are not to be many.
        starts
            .take(16)
            .find(|start| kandev_wire::read(&line[*start..]).from_cli().is_ok())
    })
}

/// Whether a file has these bytes. They are few.
pub(crate) fn contains(path: &Path, bytes: &[u8]) -> bool {
    let Ok(mut file) = File::open(path) else {
        return false;
    };
    let finder = memchr::memmem::Finder::new(bytes);
    let mut chunk = vec![0; 256 * 1024];
    let mut kept = 0;
    loop {
        match file.read(&mut chunk[kept..]) {
            Ok(0) => return false,
            Ok(count) => {
                let filled = kept + count;
                if finder.find(&chunk[..filled]).is_some() {
                    return true;
                }
                kept = bytes.len().saturating_sub(1).min(filled);
                chunk.copy_within(filled - kept..filled, 0);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    fn lines(bytes: &[u8], from: u64, limit: usize) -> (Vec<(u64, String)>, u64) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let mut got = Vec::new();
        let end = each_line_up_to(&mut file, from, limit, &mut |offset, found| {
            got.push((
                offset,
                match found {
                    Found::Line(line) => String::from_utf8_lossy(line).into_owned(),
                    Found::TooLong { bytes, head, tail } => format!(
                        "{bytes}:{}…{}",
                        String::from_utf8_lossy(head),
                        String::from_utf8_lossy(tail)
                    ),
                },
            ));
        })
        .unwrap();
        (got, end)
    }

    #[test]
    fn a_half_written_last_line_waits_and_a_whole_one_without_its_end_does_not() {
        let (got, end) = lines(b"{\"a\":1}\r\n\n{\"b\":", 0, 1000);
        assert_eq!(got, [(0, "{\"a\":1}".to_owned())]);
        assert_eq!(end, 10);
        let (got, end) = lines(b"{\"a\":1}\n{\"b\":2}", 0, 1000);
        assert_eq!(got.len(), 2);
        assert_eq!((got[1].0, end), (8, 15));
    }

    #[test]
    fn of_a_line_that_is_too_long_both_ends_are_left() {
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(3 * CHUNK));
        let (got, end) = lines(format!("{long}\n{{}}\n").as_bytes(), 0, 2 * CHUNK);
        assert!(
            got[0]
                .1
                .starts_with(&format!("{}:{{\"a\":\"xxx", long.len()))
        );
        assert!(got[0].1.ends_with("xxx\"}"));
        assert_eq!(got[1], (long.len() as u64 + 1, "{}".to_owned()));
        assert_eq!(end, long.len() as u64 + 4);
    }

    #[test]
    fn what_follows_a_cut_line_without_a_break_is_found() {
        let line = br#"{"parentUuid":null,"mess{"parentUuid":"a","type":"user"}"#;
        assert_eq!(whole_tail(line), Some(24));
        assert_eq!(whole_tail(br#"{"parentUuid":"a","type":"user"}"#), None);
        assert_eq!(whole_tail(br#"nothing of the kind"#), None);
    }

    proptest! {
        #[test]
        fn a_file_that_is_read_in_two_steps_gives_the_same_lines(
            parts in proptest::collection::vec("[a-c]{0,20}(\r?\n)?", 0..12), cut in 0.0..1.0f64
        ) {
            let bytes = parts.concat().into_bytes();
            let cut = (bytes.len() as f64 * cut) as usize;
            let (whole, end) = lines(&bytes, 0, 1000);
            let (mut first, middle) = lines(&bytes[..cut], 0, 1000);
            let (rest, second_end) = lines(&bytes, middle, 1000);
            first.extend(rest);
            prop_assert_eq!(first, whole);
            prop_assert_eq!(second_end, end);
        }
    }
}
