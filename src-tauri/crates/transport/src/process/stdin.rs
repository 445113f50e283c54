//! Stdin, one whole line at a time. A queue and one task: lines never interleave, and who sends never waits, so a CLI
//! that does not read cannot hold up the one who has to read it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};

use crate::TransportError;

/// Writes lines to the CLI, one whole line at a time, in the order of the calls. Never blocks.
#[derive(Debug, Clone)]
pub struct Stdin {
    queue: mpsc::UnboundedSender<Write>,
    closed: Arc<AtomicBool>,
}

/// Resolves once the line is in the pipe. May be dropped: the line is written all the same.
#[derive(Debug)]
pub struct Written(oneshot::Receiver<()>);

#[derive(Debug)]
pub(super) enum Write {
    Line(String, oneshot::Sender<()>),
    Close,
}

/// The writing task's end of the queue.
#[derive(Debug)]
pub(super) struct Queue {
    writes: mpsc::UnboundedReceiver<Write>,
    closed: Arc<AtomicBool>,
}

impl Stdin {
    pub(super) fn new() -> (Self, Queue) {
        let (queue, writes) = mpsc::unbounded_channel();
        let closed = Arc::new(AtomicBool::new(false));
        (
            Self {
                queue,
                closed: Arc::clone(&closed),
            },
            Queue { writes, closed },
        )
    }

    /// Queues one line, without its `\n`.
    ///
    /// # Errors
    /// `NotOneLine` for blank text or text with a line break in it (the CLI ends on a bad line), `StdinClosed` after
    /// `close` and when the CLI no longer reads.
    pub fn send(&self, line: String) -> Result<Written, TransportError> {
        if line.trim().is_empty() || line.contains(['\n', '\r']) {
            return Err(TransportError::NotOneLine);
        }
        if self.closed.load(Ordering::SeqCst) {
            return Err(TransportError::StdinClosed);
        }
        let (done, written) = oneshot::channel();
        self.queue
            .send(Write::Line(line, done))
            .map_err(|_| TransportError::StdinClosed)?;
        Ok(Written(written))
    }

    /// Closes stdin once all queued lines are written. The CLI finishes its turn and leaves.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        let _ = self.queue.send(Write::Close);
    }
}

impl Written {
    /// # Errors
    /// `StdinClosed` when the line did not get into the pipe as a whole.
    pub async fn done(self) -> Result<(), TransportError> {
        self.0.await.map_err(|_| TransportError::StdinClosed)
    }
}

/// Writes until it is told to close, nobody is left to tell, or the CLI stops reading.
pub(super) async fn write(mut pipe: impl AsyncWrite + Unpin, mut queue: Queue) {
    while let Some(Write::Line(mut line, done)) = queue.writes.recv().await {
        line.push('\n');
        if pipe.write_all(line.as_bytes()).await.is_err() || pipe.flush().await.is_err() {
            break;
        }
        let _ = done.send(());
    }
    // Dropping the queue tells all who still wait that their lines were not delivered.
    queue.closed.store(true, Ordering::SeqCst);
    let _ = pipe.shutdown().await;
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn lines_arrive_whole_and_in_order() {
        let (stdin, queue) = Stdin::new();
        let long = "x".repeat(200_000);
        for line in ["first", long.as_str(), "漢字"] {
            stdin.send(line.to_owned()).unwrap();
        }
        stdin.close();
        let mut pipe = Vec::new();
        write(&mut pipe, queue).await;
        assert_eq!(pipe, format!("first\n{long}\n漢字\n").as_bytes());
    }

    #[tokio::test]
    async fn what_is_no_single_line_is_refused() {
        let (stdin, _queue) = Stdin::new();
        for text in ["", "  ", "\n", "{}\n", "{}\r", "a\nb"] {
            let refused = stdin.send(text.to_owned());
            assert!(
                matches!(refused, Err(TransportError::NotOneLine)),
                "{text:?}"
            );
        }
    }

    #[tokio::test]
    async fn after_close_nothing_more_is_taken() {
        let (stdin, queue) = Stdin::new();
        let written = stdin.send("last".to_owned()).unwrap();
        stdin.close();
        assert!(matches!(
            stdin.send("late".to_owned()),
            Err(TransportError::StdinClosed)
        ));
        let mut pipe = Vec::new();
        write(&mut pipe, queue).await;
        assert_eq!(pipe, b"last\n");
        written.done().await.unwrap();
    }

    #[tokio::test]
    async fn a_line_that_was_not_delivered_is_told() {
        let (stdin, queue) = Stdin::new();
        let (ours, theirs) = tokio::io::duplex(16);
        let stuck = stdin.send("longer than the pipe takes".to_owned()).unwrap();
        let behind = stdin.send("behind it".to_owned()).unwrap();
        let writer = tokio::spawn(write(ours, queue));
        drop(theirs);
        assert!(matches!(
            stuck.done().await,
            Err(TransportError::StdinClosed)
        ));
        assert!(matches!(
            behind.done().await,
            Err(TransportError::StdinClosed)
        ));
        writer.await.unwrap();
        assert!(matches!(
            stdin.send("later".to_owned()),
            Err(TransportError::StdinClosed)
        ));
    }
}
