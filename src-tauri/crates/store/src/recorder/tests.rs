#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use kandev_session::{Keeping, Phase, Session, StartOptions, Subscription};
use kandev_transcript::{Event, EventBody};
use kandev_transport::{Guard, Search};
use tokio::time::timeout;

use super::Following;
use crate::samples::{all, gapless, keep, numbered, place, row, titled};
use crate::{Store, StoreError};

/// How long anything in here may take; a test that needs it has failed.
const LIMIT: Duration = Duration::from_secs(60);

/// A session without a process, which says what it is told to.
fn session(store: &Store, id: &str) -> (Session, Following) {
    let stored = store.session(id).unwrap().unwrap_or(row(id));
    let program = std::env::current_exe().unwrap();
    let mut options = StartOptions::new(Search::from_environment(), Guard { program });
    options.keeping = Keeping::Elsewhere;
    let request = stored.request();
    let past = stored.past(Vec::new());
    let session = Session::restore(id.to_owned(), request.clone(), past, options);
    let following = store.recorder().follow(&session, &request);
    (session, following)
}

fn say(session: &Session, text: &str) {
    session.notices().tell("said", text.to_owned());
}

/// Kind and text of the notices.
fn notices(events: &[Event]) -> Vec<(&str, &str)> {
    let notice = |event| match event {
        &Event {
            body: EventBody::Notice {
                ref kind, ref text, ..
            },
            ..
        } => Some((&**kind, &**text)),
        _ => None,
    };
    events.iter().filter_map(notice).collect()
}

async fn next(heard: &mut Subscription) -> Vec<Arc<Event>> {
    timeout(LIMIT, heard.next()).await.unwrap().unwrap()
}

/// Waits until the journal has so many events.
async fn kept(store: &Store, id: &str, events: usize) -> Vec<Event> {
    timeout(LIMIT, async {
        loop {
            if store.session(id).unwrap().is_some() {
                let all = all(store, id);
                if all.len() >= events {
                    return all;
                }
            }
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap()
}

fn limit(store: &Store, pages: i64) {
    let set = format!("PRAGMA max_page_count = {pages}");
    store
        .write(move |tx| Ok(tx.query_row(&set, [], |_| Ok(()))?))
        .unwrap();
}

#[tokio::test]
async fn what_is_shown_is_in_the_journal() {
    let place = place();
    let (session, following) = session(&place.store, "s");
    let mut heard = session.watch(0);
    for text in ["one", "two", "three"] {
        say(&session, text);
        let shown = next(&mut heard).await;
        let last = shown.last().unwrap().last_seq();
        let there = all(&place.store, "s");
        assert!(there.last().unwrap().last_seq() >= last, "{text}");
    }
    following.flush().await.unwrap();
    let there = all(&place.store, "s");
    let said = notices(&there);
    assert_eq!(said, [("said", "one"), ("said", "two"), ("said", "three")]);
    let stored = place.store.session("s").unwrap().unwrap();
    assert_eq!((&*stored.title, stored.last_seq), ("Title of s", 3));
    assert_eq!(stored.updated_at, there[2].at);
}

#[tokio::test]
async fn a_session_that_is_let_go_at_once_is_kept_to_its_last_word() {
    let place = place();
    let (session, following) = session(&place.store, "s");
    drop(following);
    for number in 0..2_000 {
        say(&session, &number.to_string());
    }
    drop(session);
    let there = kept(&place.store, "s", 2_000).await;
    assert_eq!(gapless(&there, 0), 2_000);
}

#[tokio::test]
async fn a_session_that_is_taken_up_again_counts_on() {
    let place = place();
    for round in 1..=3 {
        let (session, following) = session(&place.store, "s");
        say(&session, &round.to_string());
        timeout(LIMIT, async {
            while session.info().last_seq < round {
                tokio::task::yield_now().await;
            }
        })
        .await
        .unwrap();
        following.flush().await.unwrap();
        drop(session);
        timeout(LIMIT, following.over()).await.unwrap();
        assert_eq!(place.store.claimed("s"), None, "it is free for the next");
    }
    let there = all(&place.store, "s");
    assert_eq!(
        notices(&there),
        [("said", "1"), ("said", "2"), ("said", "3")]
    );
    let stored = place.store.session("s").unwrap().unwrap();
    assert_eq!(stored.state, Phase::Stopped);
    assert_eq!(stored.cli_session_id.as_deref(), Some("cli-s"));
}

#[tokio::test]
async fn a_full_disk_is_told_once_and_what_was_said_meanwhile_is_kept_when_there_is_room() {
    let place = place();
    let (session, following) = session(&place.store, "s");
    let mut heard = session.watch(0);
    say(&session, "before");
    next(&mut heard).await;
    limit(&place.store, 1);
    let large = "x".repeat(1 << 20);
    say(&session, &large);
    let mut shown = Vec::new();
    while notices(&shown).len() < 2 {
        shown.extend(
            next(&mut heard)
                .await
                .iter()
                .map(|event| Event::clone(event)),
        );
    }
    let told = notices(&shown);
    assert_eq!(told[0], ("said", &*large), "it is shown all the same");
    assert!(
        told[1].0 == "not_kept" && told[1].1.contains("the disk is full"),
        "{:?}",
        told[1]
    );
    for _ in 0..3 {
        assert_eq!(following.flush().await, Err(StoreError::Full));
    }
    say(&session, "meanwhile");
    next(&mut heard).await;
    assert_eq!(all(&place.store, "s").len(), 1);
    limit(&place.store, 1 << 30);
    following.flush().await.unwrap();
    let there = kept(&place.store, "s", 5).await;
    let kinds: Vec<_> = notices(&there).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["said", "said", "not_kept", "said", "kept_again"]);
    gapless(&there, 0);
}

#[tokio::test]
async fn a_session_that_another_program_writes_is_told_and_not_written() {
    let place = place();
    let claim = place.store.claim("s", "kandev").unwrap();
    let (session, _following) = session(&place.store, "s");
    let mut heard = session.watch(0);
    let told = next(&mut heard).await;
    let told: Vec<_> = told.iter().map(|event| Event::clone(event)).collect();
    assert_eq!(notices(&told)[0].0, "not_kept");
    say(&session, "goes on");
    next(&mut heard).await;
    assert_eq!(place.store.session("s").unwrap(), None);
    drop(claim);
}

#[tokio::test]
async fn a_journal_that_is_not_the_one_it_went_on_from_is_left_alone() {
    let place = place();
    place.store.put(&row("s")).unwrap();
    let (session, _following) = session(&place.store, "s");
    // Before the first write nobody can know.
    let before = numbered(1, [titled("somebody else was here")]);
    keep(&place.store, "s", &before).unwrap();
    let mut heard = session.watch(0);
    let told = next(&mut heard).await;
    let told: Vec<_> = told.iter().map(|event| Event::clone(event)).collect();
    assert_eq!(notices(&told)[0].0, "not_kept");
    assert_eq!(all(&place.store, "s"), before);
}

#[tokio::test]
async fn a_session_that_was_deleted_goes_on_unkept() {
    let place = place();
    let (session, following) = session(&place.store, "s");
    say(&session, "one");
    following.flush().await.unwrap();
    kept(&place.store, "s", 1).await;
    place.store.delete("s").unwrap();
    let mut heard = session.watch(1);
    say(&session, "two");
    let shown = next(&mut heard).await;
    let shown: Vec<_> = shown.iter().map(|event| Event::clone(event)).collect();
    assert_eq!(notices(&shown)[0], ("said", "two"));
    assert_eq!(place.store.session("s").unwrap(), None);
}

#[tokio::test]
async fn what_a_person_sets_meanwhile_stays_set() {
    let place = place();
    let (session, following) = session(&place.store, "s");
    say(&session, "one");
    kept(&place.store, "s", 1).await;
    place.store.archive("s", true).unwrap();
    place.store.relocate("s", "/elsewhere").unwrap();
    say(&session, "two");
    kept(&place.store, "s", 2).await;
    following.flush().await.unwrap();
    let stored = place.store.session("s").unwrap().unwrap();
    assert!(stored.archived);
    assert_eq!(stored.workspace, "/elsewhere");
}
