#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use kandev_transcript::{Event, EventBody, ToolStatus};
use proptest::prelude::*;

use super::{At, EventWithoutSeq, Slice};
use crate::samples::{
    AT, all, asked, chunk, conversation, gapless, joined, keep, numbered, place, prompt, row,
    thought, titled, tool, tool_over, withdrawn,
};
use crate::{Source, Store, StoreError};

/// Keeps events in batches of these sizes, over and over.
fn keep_in(store: &Store, id: &str, events: &[Event], batches: &[usize]) {
    let mut rest = events;
    for size in batches.iter().cycle() {
        if rest.is_empty() {
            return;
        }
        let (batch, later) = rest.split_at((*size).min(rest.len()));
        keep(store, id, batch).unwrap();
        rest = later;
    }
}

fn rows(store: &Store) -> i64 {
    store
        .read(|conn| Ok(conn.query_row("SELECT count(*) FROM journal", [], |row| row.get(0))?))
        .unwrap()
}

/// What stands before a number, told from all events.
fn stands(events: &[Event], before: u64) -> Vec<u64> {
    let mut standing = BTreeMap::new();
    for event in events.iter().take_while(|event| event.seq < before) {
        match &event.body {
            EventBody::TitleChanged { .. } => {
                standing.insert("title".to_owned(), event.seq);
            }
            EventBody::PermissionRequest(asked) => {
                standing
                    .entry(asked.pending_id.clone())
                    .or_insert(event.seq);
            }
            EventBody::PermissionCancelled { pending_id } => {
                standing.remove(pending_id);
            }
            _ => {}
        }
    }
    let mut numbers: Vec<_> = standing.into_values().collect();
    numbers.sort_unstable();
    numbers
}

fn numbers(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.seq).collect()
}

fn is_prompt(event: &Event) -> bool {
    matches!(event.body, EventBody::UserMessage(_))
}

/// Checks a slice against all events.
fn check(slice: &Slice, events: &[Event]) {
    let last = events.len() as u64;
    let part = &events[slice.from as usize - 1..slice.through as usize];
    assert_eq!(joined(&slice.events), joined(part));
    assert_eq!(gapless(&slice.events, slice.from - 1), slice.through);
    assert_eq!(
        (slice.earlier, slice.later),
        (slice.from > 1, slice.through < last)
    );
    let before = &events[..slice.from as usize - 1];
    let ends = |event: &&Event| matches!(event.body, EventBody::Complete { .. });
    let turns = before.iter().filter(ends).count();
    assert_eq!(slice.turns_before, turns as u64);
    assert_eq!(numbers(&slice.standing), stands(events, slice.from));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_reader_hears_everything_once_however_it_was_written(
        said in conversation(),
        batches in prop::collection::vec(1..9usize, 1..6),
        limit in 1..5usize,
    ) {
        let place = place();
        place.store.put(&row("s")).unwrap();
        let events = numbered(1, said);
        keep_in(&place.store, "s", &events, &batches);
        let last = events.len() as u64;
        for after in 0..=last {
            let read = place.store.events_after("s", after, usize::MAX).unwrap();
            prop_assert_eq!(gapless(&read, after), last);
            prop_assert_eq!(joined(&read), joined(&events[after as usize..]));
        }
        // In steps, as one reads who follows.
        let (mut after, mut read) = (0, Vec::new());
        loop {
            let some = place.store.events_after("s", after, limit).unwrap();
            prop_assert!(some.len() <= limit);
            let Some(end) = some.last() else { break };
            after = end.last_seq();
            read.extend(some);
        }
        prop_assert_eq!(joined(&read), joined(&events));
        // A text that has ended is one row.
        let mut texts = joined(&events).len();
        let open = joined(&events).last().map_or(0, |event| event.last_seq() - event.seq);
        let kept = usize::try_from(rows(&place.store)).unwrap();
        texts = texts.max(1);
        prop_assert!(kept <= texts + open as usize, "{kept} rows for {texts} texts");
    }

    #[test]
    fn slices_of_any_size_from_anywhere_are_parts_of_the_whole(
        said in conversation(),
        batches in prop::collection::vec(1..9usize, 1..6),
        rows in 1..8usize,
    ) {
        let place = place();
        place.store.put(&row("s")).unwrap();
        let events = numbered(1, said);
        keep_in(&place.store, "s", &events, &batches);
        let last = events.len() as u64;
        let newest = place.store.open_at("s", At::End, rows).unwrap();
        check(&newest, &events);
        prop_assert_eq!(newest.through, last);
        prop_assert_eq!(numbers(&place.store.standing("s").unwrap()), stands(&events, u64::MAX));
        for seq in 1..=last {
            let around = place.store.open_at("s", At::Around(seq), rows).unwrap();
            check(&around, &events);
            prop_assert!(around.from <= seq && seq <= around.through);
            let before = place.store.before("s", seq, rows).unwrap();
            check(&before, &events);
            prop_assert_eq!(before.through, seq - 1);
            prop_assert_eq!(before.events.is_empty(), seq == 1);
            let after = place.store.after("s", seq, rows).unwrap();
            check(&after, &events);
            prop_assert_eq!(after.from, seq + 1);
            prop_assert_eq!(after.events.is_empty(), seq == last);
        }
    }

    #[test]
    fn to_import_again_changes_nothing_and_what_is_new_is_added(
        said in conversation(),
        cut in 0..40usize,
        live in any::<bool>(),
    ) {
        let place = place();
        let source = if live { Source::Kandev } else { Source::Terminal };
        place.store.put(&crate::StoredSession { source, ..row("s") }).unwrap();
        let told = |said: &[_]| -> Vec<EventWithoutSeq> {
            let at = (0..).map(|ms: usize| format!("2026-01-02T03:04:05.{ms:03}Z"));
            let said = said.iter().cloned();
            said.zip(at).map(|(emitted, at)| EventWithoutSeq { at, emitted }).collect()
        };
        let cut = cut.min(said.len());
        let whole = told(&said);
        place.store.import("s", whole[..cut].iter().cloned()).unwrap();
        let first = all(&place.store, "s");
        prop_assert_eq!(gapless(&first, 0), cut as u64);
        place.store.import("s", whole[..cut].iter().cloned()).unwrap();
        prop_assert_eq!(&all(&place.store, "s"), &first);
        place.store.import("s", whole.iter().cloned()).unwrap();
        let all_of_it = all(&place.store, "s");
        gapless(&all_of_it, 0);
        place.store.import("s", whole.iter().cloned()).unwrap();
        prop_assert_eq!(&all(&place.store, "s"), &all_of_it);
        // No letter of a text is lost or there twice.
        let letters = |events: &[Event], id: &str| -> String {
            let text = |event: &Event| match &event.body {
                EventBody::MessageChunk { text, message_id } if message_id == id => text.clone(),
                _ => String::new(),
            };
            events.iter().map(text).collect()
        };
        for id in ["a", "b"] {
            prop_assert_eq!(letters(&all_of_it, id), letters(&numbered(1, said.clone()), id));
        }
    }
}

#[test]
fn a_text_that_ends_becomes_one_row_that_still_knows_its_pieces() {
    let place = place();
    place.store.put(&row("s")).unwrap();
    let mut said: Vec<_> = ["Hel", "lo, ", "wör", "ld"]
        .map(|text| chunk("m", text))
        .into();
    said.push(titled("over"));
    keep_in(&place.store, "s", &numbered(1, said), &[1]);
    assert_eq!(rows(&place.store), 2);
    let texts: Vec<_> = (0..4)
        .map(|after| place.store.events_after("s", after, 1).unwrap().remove(0))
        .map(|event| match event.body {
            EventBody::MessageChunk { text, .. } => (event.seq, event.through, text),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        texts,
        [
            (1, Some(4), "Hello, wörld".to_owned()),
            (2, Some(4), "lo, wörld".to_owned()),
            (3, Some(4), "wörld".to_owned()),
            (4, None, "ld".to_owned()),
        ]
    );
}

#[test]
fn an_event_that_does_not_follow_is_refused_and_nothing_of_its_batch_is_kept() {
    let place = place();
    place.store.put(&row("s")).unwrap();
    let mut events = numbered(1, [titled("a"), titled("b"), titled("c")]);
    events[2].seq = 4;
    let refused = keep(&place.store, "s", &events);
    assert_eq!(refused, Err(StoreError::Gap { last: 2, next: 4 }));
    assert_eq!(all(&place.store, "s"), []);
    keep(&place.store, "s", &events[..2]).unwrap();
    let again = keep(&place.store, "s", &events[1..2]);
    assert_eq!(again, Err(StoreError::Gap { last: 2, next: 2 }));
    assert_eq!(
        keep(&place.store, "nobody", &events),
        Err(StoreError::NoSuchSession("nobody".to_owned()))
    );
}

#[test]
fn sessions_lie_apart() {
    let place = place();
    for id in ["a", "b", "c"] {
        place.store.put(&row(id)).unwrap();
        keep(
            &place.store,
            id,
            &numbered(1, [titled(id), prompt("u", id)]),
        )
        .unwrap();
    }
    place.store.delete("b").unwrap();
    for id in ["a", "c"] {
        assert_eq!(
            all(&place.store, id),
            numbered(1, [titled(id), prompt("u", id)])
        );
        assert_eq!(place.store.session(id).unwrap().unwrap().last_seq, 2);
    }
    assert_eq!(rows(&place.store), 4);
    let gone = place.store.events_after("b", 0, 1);
    assert_eq!(gone, Err(StoreError::NoSuchSession("b".to_owned())));
}

#[test]
fn a_fork_has_the_past_up_to_its_message_and_nothing_open() {
    let place = place();
    place.store.put(&row("old")).unwrap();
    let said = [
        prompt("u1", "go"),
        tool("t1"),
        tool("t2"),
        tool_over("t1"),
        asked("q"),
        chunk("m", "one"),
        chunk("m", "two"),
        tool_over("t2"),
        withdrawn("q"),
        titled("later"),
    ];
    keep(&place.store, "old", &numbered(1, said)).unwrap();
    place.store.put(&row("new")).unwrap();
    place.store.begin_from("old", 6, &row("new")).unwrap();
    let events = all(&place.store, "new");
    assert_eq!(gapless(&events, 0), 8);
    assert_eq!(joined(&events)[..5], joined(&all(&place.store, "old"))[..5]);
    assert_eq!(events[5].body, chunk("m", "one").body);
    assert!(events[6..].iter().any(|event| matches!(
        &event.body,
        EventBody::ToolUpdate(call) if call.tool_call_id == "t2" && call.tool_status == ToolStatus::Error
    )));
    assert!(events[6..].iter().any(|event| matches!(
        &event.body,
        EventBody::PermissionResolved { pending_id, .. } if pending_id == "q"
    )));
    assert_eq!(place.store.standing("new").unwrap(), []);
    // A second time there is something already.
    let refused = place.store.begin_from("old", 6, &row("new"));
    assert_eq!(refused, Err(StoreError::Gap { last: 8, next: 1 }));
    assert_eq!(place.store.place_of("new", "u1").unwrap(), Some(1));
}

#[test]
fn a_session_that_goes_on_from_another_begins_whole_or_not_at_all() {
    let place = place();
    place.store.put(&row("old")).unwrap();
    let said = numbered(1, [prompt("u1", "one"), prompt("u2", "two")]);
    keep(&place.store, "old", &said).unwrap();
    let nobody = place.store.begin_from("nobody", 1, &row("new"));
    assert_eq!(nobody, Err(StoreError::NoSuchSession("nobody".to_owned())));
    let new = crate::StoredSession {
        cli_session_id: None,
        ..row("new")
    };
    assert_eq!(place.store.session("new").unwrap(), None);
    place.store.begin_from("old", 1, &new).unwrap();
    assert_eq!(all(&place.store, "new"), said[..1]);
    let again = place.store.begin_from("old", 2, &new);
    assert_eq!(again, Err(StoreError::Gap { last: 1, next: 1 }));
}

#[test]
fn what_was_written_live_and_stands_in_a_file_too_is_there_once() {
    let place = place();
    place.store.put(&row("s")).unwrap();
    let live = [
        prompt("u1", "go"),
        thought("m", "hm"),
        chunk("m", "All "),
        chunk("m", "done"),
        titled("T"),
        tool("t"),
        tool_over("t"),
    ];
    keep(&place.store, "s", &numbered(1, live.clone())).unwrap();
    // The file has whole messages and other times.
    let file = [
        prompt("u1", "go"),
        thought("m", "hm"),
        chunk("m", "All done"),
        titled("T"),
        tool("t"),
        tool_over("t"),
        prompt("u2", "more"),
        chunk("n", "new"),
    ];
    let told = file.map(|emitted| EventWithoutSeq {
        at: "2027-01-01T00:00:00.000Z".to_owned(),
        emitted,
    });
    let last = place.store.import("s", told.into_iter()).unwrap();
    assert_eq!(last, 9);
    let events = all(&place.store, "s");
    assert_eq!(joined(&events[..6]), joined(&numbered(1, live))[..6]);
    let new: Vec<_> = events.iter().filter(|event| event.at != AT).collect();
    assert_eq!(numbers(&events)[events.len() - 2..], [8, 9]);
    assert_eq!(new.len(), 2);
}

#[test]
fn a_slice_begins_with_a_turn_where_one_is_near() {
    let place = place();
    place.store.put(&row("s")).unwrap();
    let turn = |number: u64| {
        let mut said = vec![prompt(&format!("u{number}"), "go")];
        said.extend((0..8).map(|step| titled(&format!("{number}.{step}"))));
        said
    };
    let events = numbered(1, (0..10).flat_map(turn));
    keep(&place.store, "s", &events).unwrap();
    for rows in 6..30 {
        let slice = place.store.open_at("s", At::End, rows).unwrap();
        assert!(is_prompt(&slice.events[0]), "{rows} rows");
        assert!(slice.events.len() * 2 >= rows && slice.events.len() <= rows * 2);
        let before = place.store.before("s", slice.from, rows).unwrap();
        assert!(is_prompt(&before.events[0]), "{rows} rows before");
        let after = place.store.after("s", before.from - 1, rows).unwrap();
        let next = &events[after.through as usize..];
        assert!(next.first().is_none_or(is_prompt), "{rows} rows after");
    }
    // One turn without an end is cut anywhere.
    place.store.put(&row("long")).unwrap();
    keep(
        &place.store,
        "long",
        &numbered(1, (0..500).map(|n| titled(&n.to_string()))),
    )
    .unwrap();
    let slice = place.store.open_at("long", At::End, 50).unwrap();
    assert_eq!((slice.from, slice.through), (451, 500));
}

#[test]
fn few_large_events_make_a_small_slice() {
    let place = place();
    place.store.put(&row("s")).unwrap();
    let large = "x".repeat(1 << 20);
    let said = (0..20).map(|number| prompt(&format!("u{number}"), &large));
    keep(&place.store, "s", &numbered(1, said)).unwrap();
    let slice = place.store.open_at("s", At::End, 200).unwrap();
    assert!(
        (1..=4).contains(&slice.events.len()),
        "{}",
        slice.events.len()
    );
    let before = place.store.before("s", slice.from, 200).unwrap();
    assert_eq!(before.through + 1, slice.from);
    assert!(!before.events.is_empty());
}
