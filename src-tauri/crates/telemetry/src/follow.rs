//! Follows one session: raw lines and the events made from them go to the files and the spans, off the session's path.

use std::collections::VecDeque;
use std::sync::Arc;

use kandev_session::{RawEntry, RawSubscription, Subscription};
use kandev_transcript::Event;

use crate::files::Files;
use crate::spans::Spans;

/// What is done with a session's lines and events. Everything in it may block.
pub(crate) struct Recorder {
    files: Files,
    spans: Option<Spans>,
    /// Events whose raw line has not come yet.
    events: VecDeque<Arc<Event>>,
}

pub(crate) async fn follow(
    mut raw: RawSubscription,
    mut events: Subscription,
    mut recorder: Recorder,
) {
    while let Some(lines) = raw.next().await {
        // A line is published after its events, so they are there.
        let newest = lines.iter().map(|entry| entry.line.last_seq).max();
        let mut fresh = Vec::new();
        while events.position() < newest.unwrap_or_default() {
            match next(&mut events).await {
                Some(batch) => fresh.extend(batch),
                None => break,
            }
        }
        let Some(done) = blocking(recorder, move |recorder| recorder.take(&lines, fresh)).await
        else {
            return;
        };
        recorder = done;
    }
    let mut rest = Vec::new();
    while let Some(batch) = next(&mut events).await {
        rest.extend(batch);
    }
    blocking(recorder, move |recorder| recorder.finish(rest)).await;
}

/// What memory does not hold any more is not worth waiting for: the log goes on without it.
async fn next(events: &mut Subscription) -> Option<Vec<Arc<Event>>> {
    loop {
        match events.next_held().await? {
            Ok(batch) => return Some(batch),
            Err(behind) => events.seek(behind.held_from - 1),
        }
    }
}

/// Nothing if it panicked: then the session is followed no more.
async fn blocking(
    mut recorder: Recorder,
    work: impl FnOnce(&mut Recorder) + Send + 'static,
) -> Option<Recorder> {
    let worked = tokio::task::spawn_blocking(move || {
        work(&mut recorder);
        recorder
    });
    worked.await.ok()
}

impl Recorder {
    pub(crate) fn new(files: Files, spans: Option<Spans>) -> Self {
        Self {
            files,
            spans,
            events: VecDeque::new(),
        }
    }

    fn take(&mut self, lines: &[RawEntry], events: Vec<Arc<Event>>) {
        self.events.extend(events);
        for entry in lines {
            self.files.raw(entry);
            let made = self.made_from(entry);
            if let Some(spans) = &mut self.spans {
                spans.line(&entry.line, &made);
            }
        }
        self.files.flush();
    }

    fn finish(&mut self, events: Vec<Arc<Event>>) {
        self.events.extend(events);
        for event in self.events.drain(..) {
            self.files.event(&event);
        }
        self.files.finish();
        if let Some(spans) = &mut self.spans {
            spans.finish();
        }
    }

    /// Writes the events up to those of a line and gives back its own. Those before are the session's and have no line.
    fn made_from(&mut self, entry: &RawEntry) -> Vec<Arc<Event>> {
        let (first, last) = (entry.line.first_seq, entry.line.last_seq);
        let mut made = Vec::new();
        while self.events.front().is_some_and(|event| event.seq <= last)
            && let Some(event) = self.events.pop_front()
        {
            self.files.event(&event);
            if event.seq >= first {
                made.push(event);
            }
        }
        made
    }
}
