#![allow(clippy::unwrap_used)]

use kandev_transcript::EventBody;

use super::*;

fn event(seq: u64) -> Event {
    serde_json::from_value(serde_json::json!({
        "seq": seq, "at": "1970-01-01T00:00:00.000Z", "type": "title_changed", "title": seq.to_string(),
    }))
    .unwrap()
}

fn append(journal: &Journal, seqs: std::ops::RangeInclusive<u64>) {
    for seq in seqs {
        journal.append(event(seq));
    }
}

fn seqs(batch: &[Arc<Event>]) -> Vec<u64> {
    batch.iter().map(|event| event.seq).collect()
}

/// What can be read at once.
async fn at_hand(watcher: &mut Subscription) -> Vec<u64> {
    let mut seen = Vec::new();
    loop {
        tokio::select! {
            biased;
            batch = watcher.next() => match batch {
                Some(batch) => seen.extend(seqs(&batch)),
                None => return seen,
            },
            () = std::future::ready(()) => return seen,
        }
    }
}

#[tokio::test]
async fn a_subscription_reads_the_past_and_then_what_comes_without_a_gap() {
    let journal = Journal::new(Keeping::Memory, 0);
    append(&journal, 1..=3);
    let mut watcher = journal.reader().subscribe(1);
    assert_eq!(seqs(&watcher.next().await.unwrap()), [2, 3]);
    let (live, ()) = tokio::join!(watcher.next(), async {
        journal.append(event(4));
    });
    assert_eq!(live.unwrap()[0].seq, 4);
    drop(journal);
    assert!(watcher.next().await.is_none());
}

#[tokio::test]
async fn a_slow_watcher_gets_everything_in_bounded_batches() {
    let journal = Journal::new(Keeping::Memory, 0);
    let mut watcher = journal.reader().subscribe(0);
    append(&journal, 1..=2_000);
    drop(journal);
    let mut seen = Vec::new();
    while let Some(batch) = watcher.next().await {
        assert!(batch.len() <= BATCH);
        seen.extend(seqs(&batch));
    }
    assert_eq!(seen, (1..=2_000).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_subscription_from_beyond_the_end_waits_for_its_number() {
    let journal = Journal::new(Keeping::Memory, 0);
    journal.append(event(1));
    let mut watcher = journal.reader().subscribe(1);
    let (batch, ()) = tokio::join!(watcher.next(), async {
        journal.append(event(2));
    });
    assert_eq!(batch.unwrap()[0].seq, 2);
}

#[tokio::test]
async fn what_every_watcher_has_read_is_let_go_and_nothing_else() {
    for keeping in [Keeping::UntilRead, Keeping::Memory] {
        let journal = Journal::new(keeping, 0);
        let mut quick = journal.reader().subscribe(0);
        let mut slow = journal.reader().subscribe(0);
        let in_memory = || journal.0.read().events.len();
        let (mut heard, mut heard_late) = (0, 0);
        for seq in 1..=20_000 {
            journal.append(event(seq));
            if seq % 100 == 0 {
                heard += quick.next().await.unwrap().len();
                if seq > 10_000 {
                    heard_late += slow.next().await.unwrap().len();
                }
            }
            if seq == 10_000 {
                assert_eq!(in_memory(), 10_000, "the slow one has read nothing");
            }
        }
        assert_eq!((heard, heard_late), (20_000, 20_000));
        journal.append(event(20_001));
        let (held, all) = (in_memory(), keeping == Keeping::Memory);
        assert_eq!(held == 20_001, all, "{held} are in memory");
        assert!(all || held <= Held::WORTH_IT, "{held} are in memory");
        drop(slow);
        assert_eq!(quick.next().await.unwrap()[0].seq, 20_001);
        let late = journal.reader().subscribe(0).next_held().await.unwrap();
        assert_eq!(late.is_ok(), all, "who comes late is told what is missing");
    }
}

#[tokio::test]
async fn a_watcher_hears_of_an_event_when_it_was_kept_and_the_recorder_before() {
    let journal = Journal::new(Keeping::Elsewhere, 0);
    let reader = journal.reader();
    let keeper = reader.keeper();
    let (mut watcher, mut recorder) = (reader.subscribe(0), reader.subscribe_unkept(0));
    append(&journal, 1..=5);
    assert_eq!(at_hand(&mut watcher).await, [0; 0]);
    assert_eq!(at_hand(&mut recorder).await, [1, 2, 3, 4, 5]);
    keeper.kept(3);
    assert_eq!(at_hand(&mut watcher).await, [1, 2, 3]);
    let ((), batch) = tokio::join!(async { keeper.kept(5) }, watcher.next());
    assert_eq!(seqs(&batch.unwrap()), [4, 5], "it is woken by the keeping");
}

#[tokio::test]
async fn what_cannot_be_kept_is_shown_and_held_until_it_is() {
    let journal = Journal::new(Keeping::Elsewhere, 0);
    let reader = journal.reader();
    let keeper = reader.keeper();
    let mut watcher = reader.subscribe(0);
    append(&journal, 1..=2);
    keeper.unkept();
    assert_eq!(at_hand(&mut watcher).await, [1, 2]);
    append(&journal, 3..=10_000);
    assert_eq!(
        at_hand(&mut watcher).await,
        (3..=10_000).collect::<Vec<_>>()
    );
    assert_eq!(reader.held_from(), 1, "all of it waits to be kept");
    keeper.kept(10_000);
    assert_eq!(reader.held_from(), 10_000 - TAIL + 1);
    append(&journal, 10_001..=10_001);
    assert_eq!(
        at_hand(&mut watcher).await,
        [0; 0],
        "the gate is closed again"
    );
    keeper.kept(10_001);
    assert_eq!(at_hand(&mut watcher).await, [10_001]);
}

#[tokio::test]
async fn a_watcher_that_fell_out_of_memory_is_told_so_and_goes_on_where_it_likes() {
    let journal = Journal::new(Keeping::Elsewhere, 0);
    let reader = journal.reader();
    let keeper = reader.keeper();
    let mut watcher = reader.subscribe(0);
    append(&journal, 1..=6_000);
    keeper.kept(6_000);
    let held_from = 6_000 - TAIL + 1;
    let behind = Behind { held_from };
    assert_eq!(watcher.next_held().await.unwrap().unwrap_err(), behind);
    assert_eq!(watcher.position(), 0, "it has not moved");
    watcher.seek(held_from - 1);
    assert_eq!(
        at_hand(&mut watcher).await,
        (held_from..=6_000).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn the_end_of_a_session_is_the_end_of_what_was_kept_of_it() {
    let journal = Journal::new(Keeping::Elsewhere, 0);
    let reader = journal.reader();
    let keeper = reader.keeper();
    let (mut watcher, mut recorder) = (reader.subscribe(0), reader.subscribe_unkept(0));
    append(&journal, 1..=2);
    drop(journal);
    assert_eq!(seqs(&recorder.next().await.unwrap()), [1, 2]);
    assert!(recorder.next().await.is_none());
    assert_eq!(at_hand(&mut watcher).await, [0; 0]);
    keeper.kept(2);
    assert_eq!(seqs(&watcher.next().await.unwrap()), [1, 2]);
    assert!(watcher.next().await.is_none());
}

#[tokio::test]
async fn with_the_last_keeper_the_gate_opens() {
    let journal = Journal::new(Keeping::Elsewhere, 0);
    let reader = journal.reader();
    let keeper = reader.keeper();
    let mut watcher = reader.subscribe(0);
    append(&journal, 1..=1);
    drop(keeper.clone());
    assert_eq!(at_hand(&mut watcher).await, [0; 0]);
    drop(keeper);
    assert_eq!(at_hand(&mut watcher).await, [1]);
}

#[tokio::test]
async fn a_journal_that_goes_on_counts_on_and_says_that_the_past_is_elsewhere() {
    let journal = Journal::new(Keeping::Elsewhere, 7);
    let reader = journal.reader();
    assert_eq!((journal.last_seq(), reader.held_from()), (7, 8));
    let mut early = reader.subscribe(0);
    let behind = early.next_held().await.unwrap().unwrap_err();
    assert_eq!(behind, Behind { held_from: 8 });
    journal.append(event(8));
    let mut recorder = reader.subscribe_unkept(7);
    let batch = recorder.next().await.unwrap();
    let EventBody::TitleChanged { title } = &batch[0].body else {
        panic!("{batch:?}");
    };
    assert_eq!(title, "8");
}
