//! Stderr as lines, and its last words kept for the moment something goes wrong.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::AsyncRead;
use tokio::sync::{mpsc, watch};

use super::lines::{CHUNK, Cut, Splitter, read_some};
use super::{Exit, Output};

const TAIL_BYTES: usize = 64 * 1024;
const TAIL_LINES: usize = 200;

/// The last words: at most 200 lines and 64 KiB.
#[derive(Debug, Default)]
pub(super) struct Tail(Mutex<Words>);

#[derive(Debug, Default)]
struct Words {
    lines: VecDeque<String>,
    bytes: usize,
    /// A last line that is not finished yet: a prompt, for example.
    unfinished: String,
}

impl Tail {
    pub(super) fn text(&self) -> String {
        let words = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let unfinished = (!words.unfinished.is_empty()).then_some(&words.unfinished);
        words
            .lines
            .iter()
            .chain(unfinished)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn push(&self, line: String) {
        let mut words = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        words.unfinished.clear();
        words.bytes += line.len() + 1;
        words.lines.push_back(line);
        while words.lines.len() > TAIL_LINES || words.bytes > TAIL_BYTES {
            match words.lines.pop_front() {
                Some(line) => words.bytes -= line.len() + 1,
                None => break,
            }
        }
    }

    fn set_unfinished(&self, bytes: &[u8]) {
        let mut words = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Room for it is taken from the same budget, so a long one is shown by its end.
        let shown = &bytes[bytes.len().saturating_sub(TAIL_BYTES / 16)..];
        words.unfinished = String::from_utf8_lossy(shown).into_owned();
    }
}

/// Reads lines; what is too long for one goes out in pieces.
pub(super) async fn read(
    mut pipe: impl AsyncRead + Unpin,
    tail: Arc<Tail>,
    mut ended: watch::Receiver<Option<Exit>>,
    events: mpsc::Sender<Output>,
) {
    let mut splitter = Splitter::new(usize::MAX);
    let mut buffer = vec![0; CHUNK];
    loop {
        let read = read_some(&mut pipe, &mut buffer, &mut ended).await;
        let mut rest = &buffer[..read];
        while !rest.is_empty() {
            let (mut cut, left) = splitter.take(rest);
            rest = left;
            if cut.is_none() && splitter.unfinished().len() > TAIL_BYTES / 2 {
                cut = splitter.finish();
            }
            if !say(cut, &tail, &events).await {
                return;
            }
        }
        if read == 0 {
            break;
        }
        tail.set_unfinished(splitter.unfinished());
    }
    say(splitter.finish(), &tail, &events).await;
}

/// False when nobody listens any more.
async fn say(cut: Option<Cut>, tail: &Tail, events: &mpsc::Sender<Output>) -> bool {
    let Some(Cut::Whole(line)) = cut else {
        return true;
    };
    let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(&line)).into_owned();
    tail.push(line.clone());
    events.send(Output::Stderr(line)).await.is_ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    async fn read_all(bytes: &[u8]) -> (String, Vec<String>) {
        let tail = Arc::new(Tail::default());
        let (sender, mut events) = mpsc::channel(4);
        let (_ended, watch) = watch::channel(None);
        let reader = read(
            std::io::Cursor::new(bytes.to_vec()),
            Arc::clone(&tail),
            watch,
            sender,
        );
        let collect = async {
            let mut lines = Vec::new();
            while let Some(Output::Stderr(line)) = events.recv().await {
                lines.push(line);
            }
            lines
        };
        let ((), lines) = tokio::join!(reader, collect);
        (tail.text(), lines)
    }

    #[tokio::test]
    async fn the_tail_keeps_the_last_lines_of_a_flood() {
        let flood: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let (tail, lines) = read_all(flood.as_bytes()).await;
        assert_eq!(lines.len(), 10_000);
        assert_eq!(tail.lines().count(), TAIL_LINES);
        assert!(tail.ends_with("line 9999"), "{tail}");
    }

    #[tokio::test]
    async fn the_tail_stays_small_when_lines_are_long_or_never_end() {
        let flood = [
            vec![b'x'; 300_000],
            b"\nshort\n".to_vec(),
            vec![b'y'; 300_000],
        ]
        .concat();
        let (tail, lines) = read_all(&flood).await;
        assert!(tail.len() <= TAIL_BYTES, "{}", tail.len());
        assert!(tail.ends_with('y'));
        assert_eq!(lines.iter().map(String::len).sum::<usize>(), 600_005);
    }

    #[tokio::test]
    async fn invalid_bytes_are_shown_and_a_carriage_return_is_not() {
        let (tail, lines) = read_all(b"caf\xe9\r\nend").await;
        assert_eq!(lines, ["caf\u{fffd}", "end"]);
        assert_eq!(tail, "caf\u{fffd}\nend");
    }

    #[test]
    fn an_unfinished_line_is_among_the_last_words() {
        let tail = Tail::default();
        tail.push("first".to_owned());
        tail.set_unfinished(b"Password: ");
        assert_eq!(tail.text(), "first\nPassword: ");
    }
}
