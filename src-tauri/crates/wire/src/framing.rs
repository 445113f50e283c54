//! Bytes into lines: only `\n` ends one, a `\r` before it goes, and the chunks may be cut anywhere.

/// The longest line that is kept, in bytes: 256 MiB, more than twice the longest one that was ever seen.
pub const MAX_LINE: usize = 256 << 20;

/// How much of a line that is too long is kept to show what it was, in bytes.
const KEPT_OF_SKIPPED: usize = 1024;

/// One line without its end, or what is left of one that was too long to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame<'a> {
    Line(&'a [u8]),
    /// The line was longer than the limit; the session goes on with the next one.
    Skipped {
        /// Its whole length.
        bytes: u64,
        /// Its beginning.
        head: &'a [u8],
    },
}

/// Cuts a stream of bytes into lines. Its memory is bounded by the limit.
#[derive(Debug)]
pub struct Framer {
    limit: usize,
    partial: Vec<u8>,
    /// The length so far of the current line, once it is over the limit.
    skipping: Option<u64>,
}

impl Default for Framer {
    fn default() -> Self {
        Self::new(MAX_LINE)
    }
}

impl Framer {
    /// A framer that skips lines of more than `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            partial: Vec::new(),
            skipping: None,
        }
    }

    /// Takes the next bytes and hands on each line that they complete, in order.
    pub fn push(&mut self, mut chunk: &[u8], mut on_line: impl FnMut(Frame<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', chunk) {
            let (line, rest) = (&chunk[..end], &chunk[end + 1..]);
            if self.partial.is_empty() && self.skipping.is_none() && line.len() <= self.limit {
                on_line(Frame::Line(trim(line)));
            } else {
                self.keep(line);
                self.hand_on(&mut on_line);
            }
            chunk = rest;
        }
        self.keep(chunk);
    }

    /// The input is over: a last line without its `\n` counts.
    pub fn finish(&mut self, mut on_line: impl FnMut(Frame<'_>)) {
        if !self.partial.is_empty() || self.skipping.is_some() {
            self.hand_on(&mut on_line);
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        if let Some(length) = &mut self.skipping {
            *length += bytes.len() as u64;
        } else if self.partial.len() + bytes.len() > self.limit {
            self.skipping = Some((self.partial.len() + bytes.len()) as u64);
            let room = KEPT_OF_SKIPPED
                .saturating_sub(self.partial.len())
                .min(bytes.len());
            self.partial.extend_from_slice(&bytes[..room]);
            self.partial.truncate(KEPT_OF_SKIPPED);
            self.partial.shrink_to_fit();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn hand_on(&mut self, on_line: &mut impl FnMut(Frame<'_>)) {
        match self.skipping.take() {
            Some(bytes) => on_line(Frame::Skipped {
                bytes,
                head: &self.partial,
            }),
            None => on_line(Frame::Line(trim(&self.partial))),
        }
        self.partial.clear();
        // One giant line must not keep its memory for the rest of the session.
        self.partial.shrink_to(1 << 20);
    }
}

fn trim(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(limit: usize, chunks: &[&[u8]]) -> Vec<String> {
        let mut framer = Framer::new(limit);
        let mut all = Vec::new();
        let mut note = |frame: Frame<'_>| {
            all.push(match frame {
                Frame::Line(line) => String::from_utf8_lossy(line).into_owned(),
                Frame::Skipped { bytes, head } => format!("skipped {bytes}, head {}", head.len()),
            })
        };
        for chunk in chunks {
            framer.push(chunk, &mut note);
        }
        framer.finish(&mut note);
        all
    }

    #[test]
    fn every_cut_gives_the_same_lines() {
        let bytes = "{\"a\":\"日本 😀\"}\r\n\n\u{2028}x\ny\rz\nlast".as_bytes();
        let whole = frames(MAX_LINE, &[bytes]);
        assert_eq!(
            whole,
            ["{\"a\":\"日本 😀\"}", "", "\u{2028}x", "y\rz", "last"]
        );
        for cut in 0..=bytes.len() {
            for second in cut..=bytes.len() {
                assert_eq!(
                    frames(
                        MAX_LINE,
                        &[&bytes[..cut], &bytes[cut..second], &bytes[second..]]
                    ),
                    whole
                );
            }
        }
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_the_next_one_is_read() {
        let long = vec![b'x'; 5000];
        let mut bytes = long.clone();
        bytes.extend_from_slice(b"\nnext\n");
        for size in [1, 7, 999, 5000, bytes.len()] {
            let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
            assert_eq!(
                frames(2000, &chunks),
                ["skipped 5000, head 1024", "next"],
                "chunks of {size}"
            );
            assert_eq!(
                frames(5000, &chunks),
                [String::from_utf8_lossy(&long).as_ref(), "next"]
            );
        }
    }

    #[test]
    fn a_last_line_over_the_limit_is_told_as_well() {
        assert_eq!(frames(10, &[b"0123456789abc"]), ["skipped 13, head 13"]);
    }
}
