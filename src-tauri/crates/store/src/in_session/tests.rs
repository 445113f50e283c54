#![allow(clippy::unwrap_used)]

use std::time::Duration;

use kandev_transcript::{Emitted, Event, EventBody};
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::{FoundIn, Mark, SessionHits};
use crate::db::migrations;
use crate::samples::{
    append, asked, chunk, conversation, keep, numbered, open, place, prompt, row, say, thought,
    titled,
};
use crate::{Source, Store, StoredSession, registry};

const WHATS: [Mark; 4] = [Mark::Prompt, Mark::Error, Mark::Edit, Mark::Question];

fn body(body: Value) -> Emitted {
    say(None, serde_json::from_value(body).unwrap())
}

fn call(id: &str, kind: &str, status: &str, detail: Value) -> Emitted {
    let event = if status == "running" {
        "tool_call"
    } else {
        "tool_update"
    };
    body(json!({
        "type": event, "tool_call_id": id, "tool_name": "T", "tool_title": "Tool", "tool_status": status,
        "normalized": { "kind": kind, kind: detail },
    }))
}

fn edit(id: &str, status: &str) -> Emitted {
    let mutation = json!({ "type": "patch", "content": null, "old_content": "a", "new_content": "b",
        "diff": "--- a\n+++ b\n@@ -1 +1 @@\n-const OLD\n+const NEW\n", "start_line": 1 });
    call(
        id,
        "modify_file",
        status,
        json!({ "file_path": "src/lib.rs", "mutations": [mutation] }),
    )
}

fn shell(id: &str, status: &str, stdout: &str) -> Emitted {
    let output = match status {
        "running" => Value::Null,
        _ => {
            json!({ "exit_code": 0, "stdout": stdout, "stderr": "", "interrupted": false, "truncated": false })
        }
    };
    let detail = json!({ "command": "npm run build", "work_dir": null, "description": null, "timeout": null,
        "background": false, "output": output });
    call(id, "shell_exec", status, detail)
}

fn question(id: &str) -> Emitted {
    call(
        id,
        "ask_user",
        "running",
        json!({ "questions": [], "answers": {} }),
    )
}

fn failed() -> Emitted {
    body(json!({ "type": "error", "error": "The disk is full", "data": { "code": "disk" } }))
}

fn turn(is_error: bool) -> Emitted {
    let data = json!({ "is_error": is_error, "permission_denials": [], "cost_usd": null, "total_cost_usd": null,
        "duration_ms": null, "duration_api_ms": null, "num_turns": null, "input_tokens": null, "output_tokens": null,
        "subtype": null, "terminal_reason": null, "last_message_uuid": null });
    body(json!({ "type": "complete", "data": data }))
}

fn ended(expected: bool) -> Emitted {
    let data = json!({ "exit_code": 1, "signal": null, "stderr_tail": "", "expected": expected });
    body(json!({ "type": "session_ended", "data": data }))
}

fn by_policy(id: &str) -> Emitted {
    body(
        json!({ "type": "permission_resolved", "pending_id": id, "behavior": "allow", "by": "policy" }),
    )
}

fn elicitation() -> Emitted {
    body(
        json!({ "type": "notice", "kind": "elicitation", "text": "Which branch?", "data": { "request_id": "q" } }),
    )
}

fn kept(said: impl IntoIterator<Item = Emitted>) -> crate::samples::Place {
    let place = place();
    place.store.put(&row("s")).unwrap();
    keep(&place.store, "s", &numbered(1, said)).unwrap();
    place
}

/// All of them, forwards.
fn marks(store: &Store, id: &str, what: Mark) -> Vec<u64> {
    let next = |from: &u64| store.mark(id, what, *from, false).unwrap();
    std::iter::successors(next(&0), next).collect()
}

fn backwards(store: &Store, id: &str, what: Mark) -> Vec<u64> {
    let next = |from: &u64| store.mark(id, what, *from, true).unwrap();
    std::iter::successors(next(&u64::MAX), next).collect()
}

fn session() -> Vec<Emitted> {
    vec![
        prompt("u1", "Begin"),      // 1
        edit("e1", "running"),      // 2
        shell("b1", "running", ""), // 3
        edit("e1", "complete"),     // 4
        edit("e2", "running"),      // 5
        edit("e2", "error"),        // 6
        shell("b1", "error", "no"), // 7
        asked("p1"),                // 8
        asked("p2"),                // 9
        by_policy("p2"),            // 10
        question("q1"),             // 11
        elicitation(),              // 12
        failed(),                   // 13
        turn(true),                 // 14
        prompt("u2", "Go on"),      // 15
        turn(false),                // 16
        ended(true),                // 17
        ended(false),               // 18
    ]
}

fn check(store: &Store, id: &str) {
    let all = WHATS.map(|what| marks(store, id, what));
    assert_eq!(
        all,
        [
            vec![1, 15],
            vec![3, 5, 13, 14, 18],
            vec![2, 5],
            vec![8, 11, 12]
        ],
        "prompts, errors, edits, questions"
    );
    for (what, mut forwards) in WHATS.into_iter().zip(all) {
        forwards.reverse();
        assert_eq!(backwards(store, id, what), forwards);
    }
}

#[test]
fn every_place_is_reached_forwards_and_backwards_in_the_order_of_the_rows() {
    let place = kept(session());
    check(&place.store, "s");
    assert_eq!(
        place.store.mark("s", Mark::Edit, 3, false).unwrap(),
        Some(5)
    );
    assert_eq!(place.store.mark("s", Mark::Edit, 5, true).unwrap(), Some(2));
    assert!(place.store.mark("gone", Mark::Edit, 0, false).is_err());
}

#[test]
fn a_fork_has_the_places_that_it_begins_with_and_a_deleted_session_none() {
    let place = kept(session());
    place.store.begin_from("s", 7, &row("fork")).unwrap();
    assert_eq!(marks(&place.store, "fork", Mark::Edit), [2, 5]);
    assert_eq!(marks(&place.store, "fork", Mark::Prompt), [1]);
    assert!(marks(&place.store, "fork", Mark::Question).is_empty());
    place.store.delete("s").unwrap();
    let left = place.store.read(|conn| {
        let left = conn.query_row(
            "SELECT count(DISTINCT session) FROM journal_marks",
            [],
            |row| row.get::<_, i64>(0),
        );
        Ok(left?)
    });
    assert_eq!(left.unwrap(), 1, "only those of the fork");
}

#[test]
fn a_conversation_that_is_read_in_has_its_places() {
    let place = place();
    let terminal = StoredSession::bare("t".to_owned(), Source::Terminal, crate::samples::AT);
    place.store.put(&terminal).unwrap();
    let events = session().into_iter().map(|emitted| crate::EventWithoutSeq {
        at: crate::samples::AT.to_owned(),
        emitted,
    });
    place.store.import("t", events).unwrap();
    check(&place.store, "t");
}

#[test]
fn an_older_database_gets_the_places_of_what_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kandev.db");
    let before = migrations::STEPS.len() - 1;
    {
        let mut conn = Connection::open(&file).unwrap();
        // Written by an older program, which has no such table: it is there for the writing alone.
        migrations::migrate(&mut conn, migrations::STEPS).unwrap();
        registry::insert(&conn, &row("s")).unwrap();
        append(&conn, "s", &numbered(1, session())).unwrap();
        conn.execute(
            "DELETE FROM journal_marks WHERE what = 'question' AND seq = 8",
            [],
        )
        .unwrap();
        conn.execute_batch("DROP TABLE journal_marks").unwrap();
        conn.execute(
            "UPDATE journal SET body = 'damaged' WHERE id & 0xFF = 17",
            [],
        )
        .unwrap();
        conn.pragma_update(None, "user_version", before as i64)
            .unwrap();
    }
    let store = open(folder.path());
    let all = WHATS.map(|what| marks(&store, "s", what));
    // What the policy answered was asked, as far as the older program knew.
    assert_eq!(
        all,
        [
            vec![1, 15],
            vec![3, 5, 13, 14, 18],
            vec![2, 5],
            vec![8, 9, 11, 12]
        ]
    );
}

fn hits(store: &Store, words: &str) -> Vec<(u64, FoundIn)> {
    let found = store.find_in("s", words, 0, 100).unwrap();
    assert!(!found.more);
    found.hits.iter().map(|hit| (hit.seq, hit.kind)).collect()
}

/// The marked parts of the hits.
fn marked(found: &SessionHits) -> Vec<String> {
    let of = |(text, (from, to)): (&str, &(u32, u32))| -> String {
        text.chars()
            .skip(*from as usize)
            .take((to - from) as usize)
            .collect()
    };
    let all = found
        .hits
        .iter()
        .flat_map(|hit| hit.marks.iter().map(|mark| (hit.text.as_str(), mark)));
    all.map(of).collect()
}

#[test]
fn words_are_found_in_everything_that_is_shown_in_the_order_in_which_it_was_said() {
    let place = kept([
        prompt("u1", "Where is the\n  Ferry?"),
        thought("m1", "the ferry may be "),
        thought("m1", "at sea: the fer"),
        chunk("m1", "The FER"),
        chunk("m1", "RY leaves"),
        shell("b1", "running", ""),
        titled("no row"),
        edit("e1", "running"),
        shell(
            "b1",
            "complete",
            "a \u{1b}[31mfer\u{1b}[1mry\u{1b}[0m in colours",
        ),
        failed(),
        elicitation(),
        edit("e1", "complete"),
    ]);
    let store = &place.store;
    let kinds = hits(store, "ferry");
    assert_eq!(
        kinds,
        [
            (1, FoundIn::Prompt),
            (2, FoundIn::Reasoning),
            (4, FoundIn::Answer),
            (6, FoundIn::Output)
        ]
    );
    assert_eq!(
        hits(store, "  THE   ferry "),
        [
            (1, FoundIn::Prompt),
            (2, FoundIn::Reasoning),
            (4, FoundIn::Answer)
        ]
    );
    assert_eq!(hits(store, "npm run"), [(6, FoundIn::Tool)]);
    assert_eq!(hits(store, "const new"), [(8, FoundIn::Output)]);
    assert_eq!(hits(store, "DISK is"), [(10, FoundIn::Error)]);
    assert_eq!(hits(store, "branch?"), [(11, FoundIn::Notice)]);
    assert_eq!(hits(store, "a.c"), [], "no word is a pattern");
    assert_eq!(hits(store, " \t"), []);
    let found = store.find_in("s", "ferry", 0, 100).unwrap();
    assert_eq!(marked(&found), ["Ferry", "ferry", "FERRY", "ferry"]);
    assert_eq!(found.hits[0].text, "Where is the Ferry?");
}

#[test]
fn a_quote_a_backslash_and_a_control_character_are_found_as_they_stand() {
    let place = kept([
        prompt("u1", r#"say "yes" to C:\new"#),
        shell("b1", "running", ""),
        shell("b1", "complete", "a\tb \"quoted\" \\ end"),
    ]);
    for (words, seqs) in [
        (r#""yes""#, vec![1]),
        (r"C:\NEW", vec![1]),
        ("\"", vec![1, 2]),
        ("\\", vec![1, 2]),
        ("a b", vec![2]),
    ] {
        let found: Vec<_> = hits(&place.store, words)
            .iter()
            .map(|(seq, _)| *seq)
            .collect();
        assert_eq!(found, seqs, "{words}");
    }
}

#[test]
fn a_message_that_was_taken_back_is_not_found_and_what_came_after_it_is() {
    let gone = body(json!({ "type": "message_discarded", "message_id": "m" }));
    let place = kept([chunk("m", "first try"), gone, chunk("m", "second try")]);
    assert_eq!(hits(&place.store, "first"), []);
    assert_eq!(hits(&place.store, "try"), [(3, FoundIn::Answer)]);
}

#[test]
fn who_asks_on_after_the_limit_or_the_time_gets_the_rest_each_once() {
    let said = (0..300).map(|n| prompt(&format!("u{n}"), &format!("a needle {n}")));
    let place = kept(said);
    for (limit, within) in [(7, Duration::MAX), (1_000, Duration::ZERO)] {
        let (mut after, mut seqs) = (0, Vec::new());
        loop {
            let found = place
                .store
                .find_within("s", "needle", after, limit, within)
                .unwrap();
            assert!(found.hits.len() <= limit && (found.through > after || !found.more));
            seqs.extend(found.hits.iter().map(|hit| hit.seq));
            after = found.through;
            if !found.more {
                break;
            }
        }
        assert_eq!(seqs, (1..=300).collect::<Vec<_>>());
    }
}

#[test]
fn of_a_long_text_the_place_is_shown() {
    let long = format!(
        "{} needle {}",
        "hay ".repeat(100_000),
        "straw ".repeat(100_000)
    );
    let place = kept([shell("b", "running", ""), shell("b", "complete", &long)]);
    let found = place.store.find_in("s", "Needle", 0, 1).unwrap();
    assert_eq!(marked(&found), ["needle"]);
    let text = &found.hits[0].text;
    assert!(
        text.starts_with("…hay") && text.ends_with('…') && text.chars().count() < 230,
        "{text}"
    );
}

/// What a plain look at the joined texts of messages finds.
fn by_looking(events: &[Event], word: &str) -> Vec<u64> {
    let mut texts: Vec<(bool, String, u64, String)> = Vec::new();
    for event in events {
        let (thought, id, text) = match &event.body {
            EventBody::MessageChunk { text, message_id } => (false, message_id, text),
            EventBody::Reasoning {
                reasoning_text,
                message_id,
            } => (true, message_id, reasoning_text),
            _ => continue,
        };
        match texts
            .iter_mut()
            .find(|(is, of, ..)| (*is, of) == (thought, id))
        {
            Some((.., whole)) => whole.push_str(text),
            None => texts.push((thought, id.clone(), event.seq, text.clone())),
        }
    }
    let found = texts
        .iter()
        .filter(|(.., text)| text.to_lowercase().contains(word));
    found.map(|(_, _, seq, _)| *seq).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn texts_are_found_wherever_they_are_torn_apart(said in conversation(), word in "[az漢🦀]{1,2}") {
        let events = numbered(1, said);
        let place = place();
        place.store.put(&row("s")).unwrap();
        for batch in events.chunks(3) {
            keep(&place.store, "s", batch).unwrap();
        }
        let found = place.store.find_in("s", &word, 0, 1_000).unwrap();
        let texts = found.hits.iter().filter(|hit| matches!(hit.kind, FoundIn::Answer | FoundIn::Reasoning));
        prop_assert_eq!(texts.map(|hit| hit.seq).collect::<Vec<_>>(), by_looking(&events, &word));
        let sorted = found.hits.windows(2).all(|hits| hits[0].seq < hits[1].seq);
        prop_assert!(sorted);
    }
}
