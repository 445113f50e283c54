//! Stdout as lines: only `\n` ends one, of any length up to a limit.

use std::time::Duration;

use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::{mpsc, watch};

use super::{Exit, Output};

/// Bytes asked for at a time.
pub(super) const CHUNK: usize = 64 * 1024;
/// After the end, silence for so long means that somebody else holds the pipe and nothing more will come.
const SILENCE_AFTER_END: Duration = Duration::from_secs(2);

/// Cuts chunks into lines. Knows bytes only, so a character may be split anywhere.
#[derive(Debug)]
pub(super) struct Splitter {
    line: Vec<u8>,
    /// Bytes of the running line that were let go because it is too long.
    let_go: u64,
    limit: usize,
}

/// A finished line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cut {
    Whole(Vec<u8>),
    Overlong(u64),
}

impl Splitter {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            let_go: 0,
            limit,
        }
    }

    /// Takes bytes up to and including the first `\n`; the line if that finished one, and what is left of the chunk.
    pub(super) fn take<'a>(&mut self, chunk: &'a [u8]) -> (Option<Cut>, &'a [u8]) {
        match memchr(b'\n', chunk) {
            Some(end) => {
                self.add(&chunk[..end]);
                (Some(self.cut()), &chunk[end + 1..])
            }
            None => {
                self.add(chunk);
                (None, &[])
            }
        }
    }

    /// What stands after the last `\n`, if anything does.
    pub(super) fn finish(&mut self) -> Option<Cut> {
        (!self.line.is_empty() || self.let_go > 0).then(|| self.cut())
    }

    /// The running line so far.
    pub(super) fn unfinished(&self) -> &[u8] {
        &self.line
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.let_go == 0 && self.line.len() + bytes.len() <= self.limit {
            self.line.extend_from_slice(bytes);
        } else {
            self.let_go += (self.line.len() + bytes.len()) as u64;
            self.line = Vec::new();
        }
    }

    fn cut(&mut self) -> Cut {
        let line = std::mem::take(&mut self.line);
        match std::mem::take(&mut self.let_go) {
            0 => Cut::Whole(line),
            bytes => Cut::Overlong(bytes),
        }
    }
}

/// Reads a chunk; 0 at the end of the pipe, or of anything that could still come through it.
pub(super) async fn read_some(
    pipe: &mut (impl AsyncRead + Unpin),
    buffer: &mut [u8],
    ended: &mut watch::Receiver<Option<Exit>>,
) -> usize {
    let silence_after_end = async {
        let _ = ended.wait_for(Option::is_some).await;
        tokio::time::sleep(SILENCE_AFTER_END).await;
    };
    tokio::select! {
        biased;
        read = pipe.read(buffer) => read.unwrap_or(0),
        () = silence_after_end => 0,
    }
}

pub(super) async fn read(
    mut pipe: impl AsyncRead + Unpin,
    limit: usize,
    mut ended: watch::Receiver<Option<Exit>>,
    events: mpsc::Sender<Output>,
) {
    let mut splitter = Splitter::new(limit);
    let mut buffer = vec![0; CHUNK];
    loop {
        let read = read_some(&mut pipe, &mut buffer, &mut ended).await;
        if read == 0 {
            break;
        }
        let mut rest = &buffer[..read];
        while !rest.is_empty() {
            let (cut, left) = splitter.take(rest);
            rest = left;
            if let Some(cut) = cut
                && events.send(output(cut)).await.is_err()
            {
                return;
            }
        }
    }
    if let Some(cut) = splitter.finish() {
        let _ = events.send(output(cut)).await;
    }
}

fn output(cut: Cut) -> Output {
    match cut {
        Cut::Whole(line) => Output::Line(line),
        Cut::Overlong(bytes) => Output::Overlong { bytes },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn split(chunks: &[&[u8]], limit: usize) -> Vec<Cut> {
        let mut splitter = Splitter::new(limit);
        let mut cuts = Vec::new();
        for chunk in chunks {
            let mut rest = *chunk;
            while !rest.is_empty() {
                let (cut, left) = splitter.take(rest);
                cuts.extend(cut);
                rest = left;
            }
        }
        cuts.extend(splitter.finish());
        cuts
    }

    fn whole(text: &str) -> Cut {
        Cut::Whole(text.as_bytes().to_vec())
    }

    #[test]
    fn only_a_newline_ends_a_line() {
        let text = "a\rb\u{2028}c\u{85}d\u{0}e\r\n\nlast";
        assert_eq!(
            split(&[text.as_bytes()], 100),
            [
                whole("a\rb\u{2028}c\u{85}d\u{0}e\r"),
                whole(""),
                whole("last")
            ]
        );
    }

    #[test]
    fn every_split_of_a_multibyte_line_gives_the_same_lines() {
        let text = "{\"text\":\"漢字 🦀 é\"}\nnächste\n".as_bytes();
        let expected = split(&[text], 100);
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let chunks = [&text[..first], &text[first..second], &text[second..]];
                assert_eq!(split(&chunks, 100), expected, "cut at {first} and {second}");
            }
        }
    }

    #[test]
    fn a_line_over_the_limit_is_counted_and_the_next_one_is_whole() {
        let cuts = [Cut::Overlong(11), whole("0123456789"), whole("ok")];
        assert_eq!(split(&[b"0123456789a\n0123456789\nok"], 10), cuts);
        assert_eq!(
            split(&[b"0123", b"4567", b"89a", b"\n0123456789\nok"], 10),
            cuts
        );
    }

    #[test]
    fn an_overlong_last_line_is_counted_too() {
        assert_eq!(split(&[b"abc", b"defg"], 4), [Cut::Overlong(7)]);
    }
}
