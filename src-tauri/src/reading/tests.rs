#![allow(clippy::unwrap_used)]

use std::sync::Mutex;
use std::time::Duration;

use kandev_session::{Keeping, NewSession, Phase, Policy, StartOptions, StopCheck};
use kandev_transcript::EventBody;
use kandev_transport::{Guard, Search};

use super::*;

/// A journal that a test writes, and an actor that it may have.
#[derive(Clone)]
struct Desk {
    kept: Arc<Mutex<Vec<Event>>>,
    actor: Arc<Mutex<Option<Session>>>,
    news: Arc<watch::Sender<u64>>,
}

impl Desk {
    fn new() -> Self {
        Self {
            kept: Arc::default(),
            actor: Arc::default(),
            news: Arc::new(watch::Sender::new(0)),
        }
    }

    fn keep(&self, events: impl IntoIterator<Item = Event>) {
        self.kept.lock().unwrap().extend(events);
        self.say();
    }

    fn say(&self) {
        self.news.send_modify(|news| *news += 1);
    }

    fn read(&self, after: u64) -> Reading<Self> {
        Reading::new(self.clone(), "s", after)
    }
}

impl Journal for Desk {
    async fn after(&self, _: &str, after: u64, rows: usize) -> Result<Vec<Event>, CommandError> {
        let kept = self.kept.lock().unwrap();
        let rest = kept.iter().filter(|event| event.last_seq() > after);
        Ok(rest.take(rows).cloned().collect())
    }

    fn actor(&self, _: &str) -> Option<Session> {
        self.actor.lock().unwrap().clone()
    }

    fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }
}

fn event(seq: u64, through: Option<u64>) -> Event {
    Event {
        seq,
        through,
        at: "1970-01-01T00:00:00.000Z".to_owned(),
        session_id: None,
        parent_tool_call_id: None,
        body: EventBody::MessageChunk {
            text: seq.to_string(),
            message_id: "m".to_owned(),
        },
    }
}

fn seqs(events: &[Arc<Event>]) -> Vec<u64> {
    events.iter().map(|event| event.seq).collect()
}

/// Nothing comes within a moment.
async fn is_silent(reading: &mut Reading<Desk>) -> bool {
    let moment = Duration::from_millis(50);
    tokio::time::timeout(moment, reading.next()).await.is_err()
}

/// A session whose CLI is not there, once it has failed; its events are kept elsewhere.
async fn failed(home: &std::path::Path) -> Session {
    let search = Search {
        chosen: Some(home.join("no-such-claude")),
        ..Search::from_environment()
    };
    let options = StartOptions {
        keeping: Keeping::Elsewhere,
        ..StartOptions::new(search, Guard::this_executable().unwrap())
    };
    let request = NewSession {
        stop_check: StopCheck::Off,
        ..NewSession::new(home.to_string_lossy().into_owned(), Policy::Supervised)
    };
    let session = Session::start("s".to_owned(), request, options);
    let mut info = session.info_changes();
    info.wait_for(|info| info.phase == Phase::Failed)
        .await
        .unwrap();
    session
}

#[tokio::test]
async fn what_is_kept_comes_first_and_then_what_is_added_to_it() {
    let desk = Desk::new();
    desk.keep([event(1, None), event(2, Some(5)), event(6, None)]);
    let mut reading = desk.read(0);
    assert_eq!(seqs(&reading.next().await.unwrap()), [1, 2, 6]);
    assert!(is_silent(&mut reading).await);
    desk.say();
    assert!(is_silent(&mut reading).await, "news that is none");
    desk.keep([event(7, None)]);
    assert_eq!(seqs(&reading.next().await.unwrap()), [7]);
}

#[tokio::test]
async fn a_joined_text_counts_for_all_its_pieces() {
    let desk = Desk::new();
    desk.keep([event(1, None), event(2, Some(5))]);
    let mut reading = desk.read(0);
    reading.next().await.unwrap();
    desk.keep([event(6, None)]);
    assert_eq!(seqs(&reading.next().await.unwrap()), [6]);
}

#[tokio::test]
async fn a_session_that_begins_to_live_is_heard_from_there_on_and_only_what_is_kept() {
    let home = tempfile::tempdir().unwrap();
    let desk = Desk::new();
    let mut reading = desk.read(0);
    assert!(is_silent(&mut reading).await);
    let session = failed(home.path()).await;
    let keeper = session.keeper();
    *desk.actor.lock().unwrap() = Some(session.clone());
    desk.say();
    assert!(is_silent(&mut reading).await, "nothing of it is kept");
    keeper.kept(1);
    assert_eq!(seqs(&reading.next().await.unwrap()), [1]);

    // It goes; what it has said since is in the journal by then.
    let mut all = session.watch_unkept(0);
    let said = all.next().await.unwrap();
    desk.keep(said.iter().map(|event| Event::clone(event)));
    *desk.actor.lock().unwrap() = None;
    desk.say();
    let mut seen = vec![1];
    keeper.kept(said.len() as u64);
    drop((session, keeper));
    while seen.len() < said.len() {
        seen.extend(seqs(&reading.next().await.unwrap()));
    }
    assert_eq!(seen, seqs(&said));
    assert!(is_silent(&mut reading).await);
}

#[tokio::test]
async fn who_was_too_slow_gets_the_rest_from_the_journal() {
    const MANY: usize = 10_000;
    let home = tempfile::tempdir().unwrap();
    let session = failed(home.path()).await;
    let keeper = session.keeper();
    let desk = Desk::new();
    *desk.actor.lock().unwrap() = Some(session.clone());
    let mut all = session.watch_unkept(0);
    for number in 0..MANY {
        session.notices().tell("n", number.to_string());
    }
    let mut count = 0;
    while count < MANY {
        let said = all.next().await.unwrap();
        count += said.len();
        desk.keep(said.iter().map(|event| Event::clone(event)));
    }
    let last = all.position();
    keeper.kept(last);
    assert!(session.held_from() > 1, "memory has let go of the first");
    let mut reading = desk.read(0);
    let mut seen = Vec::new();
    while seen.last() != Some(&last) {
        seen.extend(seqs(&reading.next().await.unwrap()));
    }
    assert_eq!(seen, (1..=last).collect::<Vec<_>>());
}
