#![allow(clippy::unwrap_used)]

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::Duration;

use kandev_session::StopCheck;
use kandev_transcript::{
    Event, EventBody, NormalizedPayload, ReadFile, ShellExec, ToolCall, ToolStatus, UserMessage,
};

use super::*;
use crate::{Source, StoredSession};

const LONG: Duration = Duration::from_secs(60);

/// Files of the CLI that a test writes.
#[derive(Default)]
struct Desk {
    _folder: Option<tempfile::TempDir>,
    sessions: RefCell<Vec<(String, u32, Vec<Event>)>>,
}

impl SessionFiles for Desk {
    fn files(&self) -> Result<Vec<SessionFile>, StoreError> {
        let sessions = self.sessions.borrow();
        let file = |(id, version, _): &(String, u32, _)| SessionFile {
            id: id.clone(),
            mark: version.to_string(),
        };
        Ok(sessions.iter().map(file).collect())
    }

    fn tell(
        &self,
        id: &str,
        each: &mut dyn FnMut(&Event) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let sessions = self.sessions.borrow();
        let (_, _, events) = sessions.iter().find(|(known, ..)| known == id).unwrap();
        for event in events {
            if each(event).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl Desk {
    fn new() -> (Self, Store) {
        let folder = tempfile::tempdir().unwrap();
        let opened = Store::open(folder.path());
        assert_eq!(opened.problems, Vec::<String>::new());
        let desk = Self {
            _folder: Some(folder),
            ..Self::default()
        };
        (desk, opened.store)
    }

    /// A session that says this, or says this from now on, and is in the index.
    fn says(&self, store: &Store, id: &str, bodies: Vec<(Option<&str>, EventBody)>) {
        let day = self.sessions.borrow().len();
        let events = bodies
            .into_iter()
            .enumerate()
            .map(|(place, (parent, body))| Event {
                seq: place as u64 + 1,
                through: None,
                at: format!("2026-11-{:02}T10:00:{:02}.000Z", day % 28 + 1, place % 60),
                session_id: None,
                parent_tool_call_id: parent.map(str::to_owned),
                body,
            });
        let events = events.collect();
        let mut sessions = self.sessions.borrow_mut();
        match sessions.iter_mut().find(|(known, ..)| known == id) {
            Some(known) => (known.1, known.2) = (known.1 + 1, events),
            None => {
                store.put(&row(id)).unwrap();
                sessions.push((id.to_owned(), 1, events));
            }
        }
        drop(sessions);
        assert_eq!(store.index_now(self, LONG).unwrap(), None);
        // What has to be read again is read with the next round.
        assert_eq!(store.index_now(self, LONG).unwrap(), None);
    }
}

fn row(id: &str) -> StoredSession {
    StoredSession {
        cli_session_id: Some(id.to_owned()),
        title: format!("Title of {id}"),
        titled: true,
        workspace: "/w".to_owned(),
        stop_check: StopCheck::Off,
        ..StoredSession::bare(id.to_owned(), Source::Terminal, "")
    }
}

fn prompt(text: &str) -> (Option<&'static str>, EventBody) {
    let message = UserMessage {
        text: text.to_owned(),
        uuid: None,
        attachments: Vec::new(),
        synthetic: false,
    };
    (None, EventBody::UserMessage(message))
}

fn chunk(id: &str, text: &str) -> (Option<&'static str>, EventBody) {
    let body = EventBody::MessageChunk {
        text: text.to_owned(),
        message_id: id.to_owned(),
    };
    (None, body)
}

fn call(id: &str, status: ToolStatus, title: &str, normalized: NormalizedPayload) -> EventBody {
    let call = ToolCall {
        tool_call_id: id.to_owned(),
        tool_name: "Tool".to_owned(),
        tool_title: title.to_owned(),
        tool_status: status,
        normalized,
        elapsed_seconds: None,
        slimmed: Vec::new(),
    };
    match status {
        ToolStatus::Running => EventBody::ToolCall(call),
        _ => EventBody::ToolUpdate(call),
    }
}

fn shell(command: &str) -> NormalizedPayload {
    NormalizedPayload::ShellExec {
        shell_exec: ShellExec {
            command: Some(command.to_owned()),
            ..ShellExec::default()
        },
    }
}

/// The places that are found: session and number.
fn found(store: &Store, words: &str) -> Vec<(String, u64)> {
    let answer = store.search(words, 100).unwrap();
    for hit in &answer.hits {
        let length = hit.text.chars().count() as u32;
        assert!(
            hit.marks
                .iter()
                .all(|(from, to)| from < to && *to <= length),
            "{hit:?}"
        );
    }
    answer
        .hits
        .into_iter()
        .map(|hit| (hit.session, hit.seq))
        .collect()
}

fn places(of: &[(&str, u64)]) -> Vec<(String, u64)> {
    of.iter()
        .map(|(id, seq)| ((*id).to_owned(), *seq))
        .collect()
}

#[test]
fn prompts_answers_commands_and_paths_are_found_where_they_stand() {
    let (desk, store) = Desk::new();
    let read = NormalizedPayload::ReadFile {
        read_file: ReadFile {
            file_path: "/home/me/code/ferry/src/timetable.rs".to_owned(),
            ..ReadFile::default()
        },
    };
    desk.says(
        &store,
        "a",
        vec![
            prompt("Where does the Kestrel nest?"),
            chunk("m", "It nests in "),
            chunk("m", "the old bell-"),
            chunk("m", "tower."),
            (
                None,
                call(
                    "t1",
                    ToolStatus::Running,
                    "List nests",
                    shell("ls -la nests/*.toml"),
                ),
            ),
            (
                None,
                call(
                    "t1",
                    ToolStatus::Complete,
                    "List nests",
                    shell("ls -la nests/*.toml"),
                ),
            ),
            (
                Some("t9"),
                call("t2", ToolStatus::Running, "timetable.rs", read),
            ),
        ],
    );
    for (words, seq) in [
        ("kestrel", 1),
        ("KESTREL nest", 1),
        ("bell-tower", 2),
        ("\"in the old\"", 2),
        ("nests/*.toml", 5),
        ("List nests", 5),
        ("ferry/src/time", 7),
    ] {
        let found = found(&store, words);
        assert!(found.contains(&("a".to_owned(), seq)), "{words}: {found:?}");
    }
    assert_eq!(found(&store, "kestrel tower"), []);
    assert_eq!(found(&store, "\"old the in\""), []);
    assert_eq!(found(&store, "List nests"), places(&[("a", 5)]));
}

#[test]
fn a_message_is_one_text_however_it_came_and_whoever_spoke_between() {
    let (desk, store) = Desk::new();
    let said = |parent, id, text: &str| (parent, chunk(id, text).1);
    desk.says(
        &store,
        "a",
        vec![
            said(None, "m", "interlea"),
            said(Some("t"), "n", "subordi"),
            said(None, "m", "ved words"),
            said(Some("t"), "n", "nate words"),
        ],
    );
    assert_eq!(found(&store, "interleaved"), places(&[("a", 1)]));
    assert_eq!(found(&store, "subordinate"), places(&[("a", 2)]));
}

#[test]
fn what_was_discarded_is_not_found_and_what_was_said_again_is() {
    let (desk, store) = Desk::new();
    let discarded = EventBody::MessageDiscarded {
        message_id: "m".to_owned(),
    };
    let bodies = vec![
        chunk("m", "phantom and solid"),
        prompt("between"),
        (None, discarded),
        chunk("m", "solid"),
        prompt("after"),
    ];
    desk.says(&store, "a", bodies);
    assert_eq!(found(&store, "phantom"), []);
    assert_eq!(found(&store, "solid"), places(&[("a", 4)]));
}

#[test]
fn words_of_every_script_and_length_are_found() {
    let (desk, store) = Desk::new();
    desk.says(
        &store,
        "a",
        vec![
            prompt("在数据库中检索会话"),
            prompt("Größe der ÄNDERUNG in Go, see main.rs"),
            prompt("データベースを検索 🚢"),
            prompt("a -> b, an algorithm of C#"),
        ],
    );
    for (words, seqs) in [
        ("检索", &[1][..]),
        ("索", &[3, 1]),
        ("数据库 检索", &[1]),
        ("会话 zzz", &[]),
        ("änderung", &[2]),
        ("GRÖSSE", &[]),
        ("größe", &[2]),
        ("go", &[4, 2]),
        ("rs", &[2]),
        ("->", &[4]),
        ("c#", &[4]),
        ("検索", &[3]),
        ("🚢", &[3]),
        ("algorithm go", &[4]),
        ("qz", &[]),
    ] {
        let expected: Vec<_> = seqs.iter().map(|seq| ("a".to_owned(), *seq)).collect();
        let mut found = found(&store, words);
        found.sort_by_key(|(_, seq)| std::cmp::Reverse(*seq));
        let mut sorted = expected.clone();
        sorted.sort_by_key(|(_, seq)| std::cmp::Reverse(*seq));
        assert_eq!(found, sorted, "{words}");
    }
}

#[test]
fn nothing_that_is_typed_is_syntax() {
    let (desk, store) = Desk::new();
    desk.says(
        &store,
        "a",
        vec![prompt("plain words OR none, NOT (this) text:that ^x *")],
    );
    for words in [
        "\"",
        "\"\"\"",
        "AND",
        "OR",
        "NOT",
        "NEAR(a b)",
        "text:that",
        "(this)",
        "^x*",
        "a\0b",
        "*",
        "'; DROP TABLE",
        "%",
        "_",
        "\\",
        "-x",
        "{a b}: c",
        "\u{202e}",
        "%_%",
    ] {
        store.search(words, 10).unwrap();
    }
    assert_eq!(found(&store, "OR"), places(&[("a", 1)]));
    assert_eq!(found(&store, "text:that"), places(&[("a", 1)]));
    assert_eq!(found(&store, "plain NOT"), places(&[("a", 1)]));
    assert_eq!(found(&store, "plain -none"), []);
    assert_eq!(found(&store, "   "), []);
}

#[test]
fn the_newest_session_is_first_and_none_takes_all_the_room() {
    let (desk, store) = Desk::new();
    for id in ["old", "middle", "new"] {
        let bodies = (0..50).map(|_| prompt("harbour")).collect();
        desk.says(&store, id, bodies);
    }
    let answer = store.search("harbour", 45).unwrap();
    let ids: Vec<_> = answer.hits.iter().map(|hit| hit.session.as_str()).collect();
    let expected: Vec<_> = ["new"; 20]
        .into_iter()
        .chain(["middle"; 20])
        .chain(["old"; 5])
        .collect();
    assert_eq!(ids, expected);
    assert!(answer.more);
    assert_eq!(answer.hits[0].seq, 50);
    assert!(!store.search("harbour", 100).unwrap().hits.is_empty());
}

#[test]
fn before_anybody_has_looked_the_search_does_not_say_that_this_is_all() {
    let (desk, store) = Desk::new();
    store.expect_indexer();
    assert_eq!(store.search("anchor", 10).unwrap().indexing, Some((0, 0)));
    desk.says(&store, "a", vec![prompt("anchor")]);
    assert_eq!(store.search("anchor", 10).unwrap().indexing, None);
}

#[test]
fn archived_sessions_are_marked_and_deleted_ones_are_gone() {
    let (desk, store) = Desk::new();
    desk.says(&store, "a", vec![prompt("anchor")]);
    store.archive("a", true).unwrap();
    let hit = &store.search("anchor", 10).unwrap().hits[0];
    assert!(hit.archived && hit.title == "Title of a" && hit.source == Source::Terminal);
    store.delete("a").unwrap();
    assert_eq!(found(&store, "anchor"), []);
    // And nothing of it stays.
    desk.sessions.borrow_mut().clear();
    for _ in 0..3 {
        store.index_now(&desk, LONG).unwrap();
    }
    let left = |table: &str| {
        let sql = format!("SELECT count(*) FROM {table}");
        store
            .read(|conn| Ok(conn.query_row(&sql, [], |row| row.get::<_, i64>(0))?))
            .unwrap()
    };
    assert_eq!((left("search_texts"), left("search_sessions")), (0, 0));
    store
        .write(|tx| {
            tx.execute_batch(
                "INSERT INTO search_long (search_long, rank) VALUES ('integrity-check', 1)",
            )?;
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_session_that_was_taken_up_here_is_found_once_as_ours() {
    let (desk, store) = Desk::new();
    desk.says(&store, "cli", vec![prompt("lighthouse")]);
    let ours = StoredSession {
        id: "ours".to_owned(),
        source: Source::Kandev,
        ..row("cli")
    };
    store.put(&ours).unwrap();
    assert_eq!(found(&store, "lighthouse"), []);
}

#[test]
fn a_file_that_grows_is_read_on_and_one_that_changed_is_read_anew() {
    let (desk, store) = Desk::new();
    let mut said = vec![prompt("first thing"), chunk("m", "an unfinished ans")];
    desk.says(&store, "a", said.clone());
    assert_eq!(found(&store, "unfinished"), places(&[("a", 2)]));
    said.push(chunk("m", "wer"));
    said.push(prompt("second thing"));
    desk.says(&store, "a", said.clone());
    assert_eq!(found(&store, "\"unfinished answer\""), places(&[("a", 2)]));
    assert_eq!(found(&store, "thing"), places(&[("a", 4), ("a", 1)]));
    said[0] = prompt("other thing");
    desk.says(&store, "a", said);
    assert_eq!(found(&store, "first"), []);
    assert_eq!(found(&store, "thing"), places(&[("a", 4), ("a", 1)]));
}

#[test]
fn an_index_that_was_stopped_anywhere_is_taken_up_there() {
    let (desk, store) = Desk::new();
    let all: Vec<_> = (0..1_000)
        .map(|n| prompt(&format!("buoy number {n}, seen")))
        .collect();
    desk.says(&store, "other", vec![prompt("raft")]);
    store.put(&row("a")).unwrap();
    let events = all.into_iter().enumerate().map(|(place, (_, body))| Event {
        seq: place as u64 + 1,
        through: None,
        at: "2026-11-01T10:00:00.000Z".to_owned(),
        session_id: None,
        parent_tool_call_id: None,
        body,
    });
    desk.sessions
        .borrow_mut()
        .push(("a".to_owned(), 1, events.collect()));
    let mut rounds = 0;
    while store.index_now(&desk, Duration::ZERO).unwrap().is_some() || rounds == 0 {
        rounds += 1;
        // With no time at all only the check of the journals is done: each round gets the time for one job.
        let jobs = std::cell::Cell::new(0);
        let go_on = || jobs.replace(jobs.get() + 1) < 1;
        indexer::files(&store, &desk, &go_on).unwrap();
        assert!(rounds < 50);
    }
    assert!(rounds > 3, "{rounds}");
    for n in [0, 1, 500, 999] {
        let words = format!("\"buoy number {n}, seen\"");
        let exact = found(&store, &words)
            .iter()
            .filter(|(_, seq)| *seq == n + 1)
            .count();
        assert_eq!(exact, 1, "{n}");
    }
    let rows = store.read(|conn| {
        Ok(
            conn.query_row("SELECT count(*) FROM search_texts", [], |row| {
                row.get::<_, i64>(0)
            })?,
        )
    });
    assert_eq!(rows.unwrap(), 1_001);
}

#[test]
fn a_long_text_is_found_at_its_beginning_its_seams_and_its_end() {
    let (desk, store) = Desk::new();
    let words: Vec<String> = (0..20_000).map(|n| format!("w{n}x")).collect();
    desk.says(&store, "a", vec![prompt(&words.join(" "))]);
    for n in (0..20_000).step_by(7) {
        if n % 700 == 0 || (2_000..2_400).contains(&n) {
            assert_eq!(found(&store, &format!("w{n}x")), places(&[("a", 1)]), "{n}");
        }
    }
}

#[test]
fn the_thread_follows_what_is_kept_and_stops_when_it_is_told() {
    let (desk, store) = Desk::new();
    let events = vec![Event {
        seq: 1,
        through: None,
        at: "2026-11-01T10:00:00.000Z".to_owned(),
        session_id: None,
        parent_tool_call_id: None,
        body: prompt("halyard").1,
    }];
    store.put(&row("a")).unwrap();
    desk.sessions.borrow_mut().push(("a".to_owned(), 1, events));
    let mut indexer = store.indexer(Desk {
        _folder: None,
        sessions: RefCell::new(desk.sessions.take()),
    });
    until(|| !found(&store, "halyard").is_empty());
    // A journal that grows is followed by itself.
    let row = StoredSession {
        id: "b".to_owned(),
        cli_session_id: None,
        source: Source::Kandev,
        ..row("b")
    };
    store.put(&row).unwrap();
    let said = |text: &str| crate::EventWithoutSeq {
        at: "2026-11-02T10:00:00.000Z".to_owned(),
        emitted: kandev_transcript::Emitted {
            session_id: None,
            parent_tool_call_id: None,
            body: prompt(text).1,
        },
    };
    store.import("b", [said("spinnaker")].into_iter()).unwrap();
    until(|| !found(&store, "spinnaker").is_empty());
    store.import("b", [said("topsail")].into_iter()).unwrap();
    until(|| !found(&store, "topsail").is_empty());
    indexer.stop();
    store.import("b", [said("mizzen")].into_iter()).unwrap();
    assert_eq!(found(&store, "mizzen"), []);
    assert_eq!(store.index_now(&desk, LONG).unwrap(), None);
    assert_eq!(found(&store, "mizzen").len(), 1);
}

/// Waits for what another thread does.
fn until(is_so: impl Fn() -> bool) {
    let began = std::time::Instant::now();
    while !is_so() {
        assert!(began.elapsed() < LONG, "it never came");
        std::thread::yield_now();
    }
}
