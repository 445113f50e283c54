#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use kandev_session::Phase;
use kandev_transcript::{Event, EventBody, ToolStatus};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestCaseResult};
use rusqlite::Connection;
use tempfile::TempDir;

use super::beside;
use crate::db::migrations::{self, STEPS};
use crate::samples::{
    all, asked, chunk, conversation, gapless, joined, keep, numbered, open, place, prompt, row,
    titled, tool, tool_over,
};
use crate::{Opened, Source, Store, StoreError, StoredSession};

const NAME: &str = "kandev.db";

fn ids(store: &Store) -> Vec<String> {
    let sessions = store.sessions().unwrap();
    let mut ids: Vec<_> = sessions.into_iter().map(|session| session.id).collect();
    ids.sort();
    ids
}

fn set_aside(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains(".broken-"))
        .collect();
    names.sort();
    names
}

/// Ten sessions of a hundred turns, closed.
fn filled() -> TempDir {
    static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let place = place();
        for session in 0..10 {
            let id = format!("s{session}");
            place.store.put(&row(&id)).unwrap();
            let turn = |turn: usize| {
                let text = format!("{turn} ").repeat(40);
                [
                    prompt(&format!("{id}-{turn}"), &text),
                    chunk("m", &text),
                    titled(&text),
                ]
            };
            keep(&place.store, &id, &numbered(1, (0..100).flat_map(turn))).unwrap();
        }
        let crate::samples::Place { store, folder } = place;
        drop(store);
        fs::read(folder.path().join(NAME)).unwrap()
    });
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(NAME), &*FILE).unwrap();
    folder
}

/// Opens a damaged database: it is said, the file is kept, and what is there can be used.
fn opened_damaged(folder: &Path) -> (Store, String) {
    let Opened { store, problems } = Store::open(folder);
    let [problem] = &problems[..] else {
        panic!("{problems:?}");
    };
    let aside = set_aside(folder);
    assert!(
        !aside.is_empty() && problem.contains(&aside[0]),
        "{problem}: {aside:?}"
    );
    store.put(&row("new")).unwrap();
    keep(&store, "new", &numbered(1, [titled("goes on")])).unwrap();
    for id in ids(&store) {
        gapless(&all(&store, &id), 0);
        store.open_at(&id, crate::At::End, 50).unwrap();
    }
    (store, problem.clone())
}

#[test]
fn what_was_written_is_there_when_it_is_opened_again() {
    let place = place();
    place.store.put(&row("s")).unwrap();
    let events = numbered(1, [prompt("u", "go"), chunk("m", "a"), chunk("m", "b")]);
    keep(&place.store, "s", &events).unwrap();
    let crate::samples::Place { store, folder } = place;
    drop(store);
    assert!(
        !beside(&folder.path().join(NAME), "-wal").exists(),
        "it was closed"
    );
    assert_eq!(joined(&all(&open(folder.path()), "s")), joined(&events));
}

#[test]
fn an_older_database_takes_the_steps_that_are_missing() {
    for taken in 0..=STEPS.len() {
        let folder = tempfile::tempdir().unwrap();
        let mut conn = Connection::open(folder.path().join(NAME)).unwrap();
        migrations::migrate(&mut conn, &STEPS[..taken]).unwrap();
        assert_eq!(migrations::version(&conn).unwrap(), taken);
        if taken > 0 {
            crate::registry::insert(&conn, &row("s")).unwrap();
        }
        drop(conn);
        let store = open(folder.path());
        assert_eq!(ids(&store).len(), usize::from(taken > 0), "{taken} steps");
        store.put(&row("s")).unwrap();
        keep(&store, "s", &numbered(1, [titled("t")])).unwrap();
    }
}

#[test]
fn a_database_of_a_newer_version_is_left_as_it_is() {
    let folder = filled();
    let path = folder.path().join(NAME);
    Connection::open(&path)
        .unwrap()
        .pragma_update(None, "user_version", 1_000)
        .unwrap();
    let before = fs::read(&path).unwrap();
    let Opened { store, problems } = Store::open(folder.path());
    assert!(
        problems.len() == 1 && problems[0].contains("newer version"),
        "{problems:?}"
    );
    assert_eq!(ids(&store), Vec::<String>::new());
    store.put(&row("s")).unwrap();
    keep(&store, "s", &numbered(1, [titled("in memory")])).unwrap();
    assert_eq!(all(&store, "s").len(), 1);
    drop(store);
    assert!(fs::read(&path).unwrap() == before);
    assert_eq!(set_aside(folder.path()), Vec::<String>::new());
}

#[test]
fn a_folder_that_cannot_be_used_is_told_and_memory_takes_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let Opened { store, problems } = Store::open(&file.join("below"));
    assert!(
        problems.len() == 1 && problems[0].contains("cannot be used"),
        "{problems:?}"
    );
    store.put(&row("s")).unwrap();
    keep(&store, "s", &numbered(1, [titled("t"), prompt("u", "go")])).unwrap();
    assert_eq!(all(&store, "s").len(), 2);
    assert_eq!(ids(&store), ["s"]);
}

#[test]
fn a_database_that_can_only_be_read_shows_what_is_in_it() {
    let folder = filled();
    let path = folder.path().join(NAME);
    let (conn, readers) = crate::db::open_read_only(&path).unwrap();
    let store = Store::new(crate::db::Db::read_only(conn, readers), folder.path());
    assert_eq!(ids(&store).len(), 10);
    assert_eq!(all(&store, "s3").len(), 300);
    assert!(matches!(
        store.put(&row("new")),
        Err(StoreError::ReadOnly(_))
    ));
    // And so it is where nothing beside it can be made.
    let conn = crate::db::readers::open_still(&path).unwrap();
    let readers = crate::db::Readers::of_still_file(&path);
    let store = Store::new(crate::db::Db::read_only(conn, readers), folder.path());
    assert_eq!(all(&store, "s3").len(), 300);
    assert!(matches!(
        store.archive("s3", true),
        Err(StoreError::ReadOnly(_))
    ));
}

#[test]
fn a_full_disk_loses_the_batch_and_nothing_else_and_can_be_written_again() {
    let place = place();
    place.store.put(&row("s")).unwrap();
    keep(&place.store, "s", &numbered(1, [titled("before")])).unwrap();
    let limit = |pages: i64| {
        let set = format!("PRAGMA max_page_count = {pages}");
        place
            .store
            .write(move |tx| Ok(tx.query_row(&set, [], |row| row.get::<_, i64>(0))?))
    };
    limit(1).unwrap();
    let large = "x".repeat(1 << 20);
    let refused = keep(
        &place.store,
        "s",
        &numbered(2, [titled("small"), titled(&large)]),
    );
    assert_eq!(refused, Err(StoreError::Full));
    assert_eq!(all(&place.store, "s"), numbered(1, [titled("before")]));
    limit(1 << 30).unwrap();
    keep(
        &place.store,
        "s",
        &numbered(2, [titled("small"), titled(&large)]),
    )
    .unwrap();
    assert_eq!(all(&place.store, "s").len(), 3);
}

#[test]
#[cfg(unix)]
fn a_database_that_is_taken_away_is_told_and_nothing_is_written_into_the_void() {
    let place = place();
    let (path, aside) = (
        place.folder.path().join(NAME),
        place.folder.path().join("a"),
    );
    place.store.put(&row("s")).unwrap();
    fs::rename(&path, &aside).unwrap();
    assert_eq!(place.store.put(&row("t")), Err(StoreError::Gone));
    fs::copy(&aside, &path).unwrap();
    assert_eq!(place.store.put(&row("t")), Err(StoreError::Gone));
    let events = numbered(1, [titled("kept when it is back")]);
    assert_eq!(keep(&place.store, "s", &events), Err(StoreError::Gone));
    fs::rename(&aside, &path).unwrap();
    keep(&place.store, "s", &events).unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(place.store.put(&row("t")), Err(StoreError::Gone));
    assert_eq!(ids(&place.store), ["s"]);
}

#[test]
fn an_empty_file_is_a_new_database() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(NAME), "").unwrap();
    open(folder.path()).put(&row("s")).unwrap();
    assert_eq!(ids(&open(folder.path())), ["s"]);
}

#[test]
fn a_folder_with_the_name_of_the_database_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join(NAME).join("inside")).unwrap();
    let (store, _) = opened_damaged(folder.path());
    assert_eq!(ids(&store), ["new"]);
    let aside = folder.path().join(&set_aside(folder.path())[0]);
    assert!(aside.join("inside").is_dir());
}

#[test]
#[cfg(unix)]
fn a_pipe_with_the_name_of_the_database_is_set_aside_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(folder.path().join(NAME))
        .status();
    assert!(made.unwrap().success());
    let (_, problem) = opened_damaged(folder.path());
    assert!(problem.contains("no file"), "{problem}");
}

#[test]
#[cfg(unix)]
fn what_was_said_can_be_read_by_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let files = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| {
                path.metadata()
                    .is_ok_and(|file| file.is_file() && file.len() > 0)
            })
            .collect::<Vec<_>>()
    };
    let open_to_others = |folder: &Path| {
        let files = files(folder).into_iter();
        files
            .filter(|path| mode(path) & 0o077 != 0)
            .collect::<Vec<_>>()
    };
    let used = |folder: &Path| {
        let opened = Store::open(folder);
        opened.store.put(&row("s")).unwrap();
        let at = opened.store.session("s").unwrap().unwrap().last_seq + 1;
        keep(&opened.store, "s", &numbered(at, [titled("t")])).unwrap();
        opened.store
    };
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("made/by/it");
    let store = used(&folder);
    assert!(files(&folder).len() > 1, "the log is looked at, too");
    assert_eq!(open_to_others(&folder), Vec::<std::path::PathBuf>::new());
    assert_eq!(mode(&folder), 0o700);
    // Made by an older version, and left with its log by one that was killed.
    let older = parent.path().join("older");
    fs::create_dir(&older).unwrap();
    for path in files(&folder) {
        let copy = older.join(path.file_name().unwrap());
        fs::copy(&path, &copy).unwrap();
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o644)).unwrap();
    }
    drop(store);
    let store = used(&older);
    assert_eq!(open_to_others(&older), Vec::<std::path::PathBuf>::new());
    drop(store);
    // One that is damaged is neither.
    fs::write(older.join(NAME), "no database".repeat(1000)).unwrap();
    let store = used(&older);
    assert_eq!(set_aside(&older).len(), 1);
    assert_eq!(open_to_others(&older), Vec::<std::path::PathBuf>::new());
    drop(store);
}

#[test]
fn a_file_that_is_no_database_is_set_aside_whole() {
    for content in [
        "no database at all, but long enough to look like one".repeat(1_000),
        "short".to_owned(),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(NAME), &content).unwrap();
        let (store, _) = opened_damaged(folder.path());
        assert_eq!(ids(&store), ["new"]);
        let aside = folder.path().join(&set_aside(folder.path())[0]);
        assert_eq!(fs::read_to_string(aside).unwrap(), content);
    }
}

#[test]
fn a_broken_head_costs_nothing() {
    for broken in [1, 16, 100] {
        let folder = filled();
        let path = folder.path().join(NAME);
        let mut bytes = fs::read(&path).unwrap();
        bytes[..broken].fill(0xff);
        fs::write(&path, bytes).unwrap();
        let (store, problem) = opened_damaged(folder.path());
        assert_eq!(ids(&store).len(), 11, "{problem}");
        assert!(
            problem.contains("10 sessions with 3000 events"),
            "{problem}"
        );
        for session in 0..10 {
            assert_eq!(all(&store, &format!("s{session}")).len(), 300);
        }
    }
}

#[test]
fn a_lost_first_page_costs_nothing_either() {
    let folder = filled();
    let path = folder.path().join(NAME);
    let mut bytes = fs::read(&path).unwrap();
    bytes[..crate::db::PAGE].fill(0);
    fs::write(&path, bytes).unwrap();
    let (store, problem) = opened_damaged(folder.path());
    assert_eq!(ids(&store).len(), 11, "{problem}");
}

#[test]
fn damage_that_is_met_later_is_seen_to_when_it_is_opened_next() {
    let folder = filled();
    let store = open(folder.path());
    let before: i64 = store.read(|_| Ok(0)).unwrap();
    assert_eq!(before, 0);
    let met = store.read(|_| Err::<(), _>(StoreError::Damaged("here".to_owned())));
    assert!(met.is_err());
    assert!(folder.path().join("kandev.db.suspect").exists());
    drop(store);
    // It was looked through and is whole.
    drop(open(folder.path()));
    assert!(!folder.path().join("kandev.db.suspect").exists());
}

/// What is there of a conversation after it was broken off: a beginning.
fn is_beginning(there: &[Event], whole: &[Event], at_least: u64) -> TestCaseResult {
    let last = gapless(there, 0);
    prop_assert!(last >= at_least, "{} of at least {}", last, at_least);
    prop_assert_eq!(joined(there), joined(&whole[..last as usize]));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn broken_off_at_any_moment_what_was_kept_is_there(
        said in conversation(),
        batches in prop::collection::vec(1..6usize, 1..5),
        moment in 0..60usize,
        torn in prop::option::of(0.0..1.0f64),
    ) {
        let place = place();
        place.store.put(&row("s")).unwrap();
        let events = numbered(1, said);
        let copy = tempfile::tempdir().unwrap();
        let (mut rest, mut kept) = (&events[..], 0);
        for (turn, size) in batches.iter().cycle().enumerate() {
            if rest.is_empty() || turn == moment {
                break;
            }
            let (batch, later) = rest.split_at((*size).min(rest.len()));
            kept = keep(&place.store, "s", batch).unwrap();
            rest = later;
        }
        // In the middle of a transaction, which so never ends.
        let (from, to) = (place.folder.path().to_owned(), copy.path().to_owned());
        let half = rest.to_vec();
        place.store.write(move |tx| {
            crate::samples::append(tx, "s", &half)?;
            for name in [NAME.to_owned(), format!("{NAME}-wal")] {
                fs::copy(from.join(&name), to.join(&name))?;
            }
            Ok(())
        }).unwrap();
        let mut at_least = kept;
        if let Some(torn) = torn {
            let log = copy.path().join(format!("{NAME}-wal"));
            let bytes = fs::read(&log).unwrap();
            let left = (bytes.len() as f64 * torn) as usize;
            fs::write(&log, &bytes[..left]).unwrap();
            at_least = 0;
        }
        let Opened { store, problems } = Store::open(copy.path());
        prop_assert_eq!(problems, Vec::<String>::new());
        match store.session("s").unwrap() {
            None => prop_assert_eq!(at_least, 0),
            Some(_) => is_beginning(&all(&store, "s"), &events, at_least)?,
        }
        let whole = store.read(|conn| {
            Ok(conn.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))?)
        });
        prop_assert_eq!(whole, Ok("ok".to_owned()));
    }

    #[test]
    fn whatever_is_overwritten_the_store_opens_and_goes_on(
        places in prop::collection::vec((0.0..1.0f64, prop::collection::vec(any::<u8>(), 1..600)), 1..6),
        cut in prop::option::of(0.0..1.0f64),
    ) {
        let folder = filled();
        let path = folder.path().join(NAME);
        let mut bytes = fs::read(&path).unwrap();
        let length = bytes.len();
        for (place, wrong) in places {
            let at = (place * length as f64) as usize;
            let end = (at + wrong.len()).min(length);
            bytes[at..end].copy_from_slice(&wrong[..end - at]);
        }
        if let Some(cut) = cut {
            bytes.truncate((cut * length as f64) as usize);
        }
        fs::write(&path, &bytes).unwrap();
        let Opened { store, problems } = Store::open(folder.path());
        if !problems.is_empty() {
            let aside = set_aside(folder.path());
            prop_assert!(!aside.is_empty(), "{:?}", problems);
            let kept = fs::read(folder.path().join(&aside[0])).unwrap();
            prop_assert!(kept == bytes, "the damaged file is kept as it was");
        }
        store.put(&row("new")).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let sessions = store.sessions().unwrap();
        for session in sessions {
            gapless(&all(&store, &session.id), 0);
        }
        keep(&store, "new", &numbered(1, [titled("goes on")])).unwrap();
    }
}

#[test]
fn most_of_a_damaged_conversation_is_taken_over_and_what_is_lost_has_a_place() {
    let folder = filled();
    let path = folder.path().join(NAME);
    let mut bytes = fs::read(&path).unwrap();
    // A page in the middle of the events.
    let page = crate::db::PAGE;
    let at = bytes.len() / 2 / page * page;
    bytes[at..at + page].fill(0xee);
    fs::write(&path, bytes).unwrap();
    let (store, problem) = opened_damaged(folder.path());
    let ids = ids(&store);
    assert_eq!(ids.len(), 11, "{problem}");
    let events: usize = ids.iter().map(|id| all(&store, id).len()).sum();
    assert!(events > 2_800, "{events} events: {problem}");
    for id in ids.iter().filter(|id| *id != "new") {
        let events = all(&store, id);
        assert_eq!(events.last().unwrap().last_seq(), 300, "{id}");
    }
    assert!(problem.contains("could not be read"), "{problem}");
}

fn living(id: &str) -> StoredSession {
    StoredSession {
        state: Phase::Tool,
        ..row(id)
    }
}

#[test]
fn a_session_that_its_program_left_behind_is_ended_as_it_would_have_ended() {
    let place = place();
    place.store.put(&living("s")).unwrap();
    let said = [
        prompt("u", "go"),
        tool("over"),
        tool_over("over"),
        tool("open"),
        asked("q"),
        chunk("m", "half an an"),
    ];
    keep(&place.store, "s", &numbered(1, said.clone())).unwrap();
    let crate::samples::Place { store, folder } = place;
    drop(store);
    let store = open(folder.path());
    let events = all(&store, "s");
    assert_eq!(events[..6], numbered(1, said));
    let ends: Vec<_> = events[6..].iter().map(|event| &event.body).collect();
    assert!(
        matches!(
            ends[..],
            [
                EventBody::ToolUpdate(call),
                EventBody::PermissionResolved { .. },
                EventBody::SessionEnded { .. },
                EventBody::SessionState { state: kandev_transcript::SessionState::Ended },
            ] if call.tool_call_id == "open" && call.tool_status == ToolStatus::Error
        ),
        "{ends:?}"
    );
    let session = store.session("s").unwrap().unwrap();
    assert_eq!(session.state, Phase::Stopped);
    assert!(
        session
            .problem
            .unwrap()
            .contains("The next prompt resumes it.")
    );
    assert_eq!(session.permission_mode.as_deref(), Some("default"));
    // Once.
    assert_eq!(store.recover(), Ok(0));
    drop(store);
    assert_eq!(all(&open(folder.path()), "s"), events);
}

#[test]
fn a_session_that_had_not_begun_promises_no_conversation_to_go_on_with() {
    let place = place();
    let begun = StoredSession {
        cli_session_id: None,
        ..living("s")
    };
    place.store.put(&begun).unwrap();
    assert_eq!(place.store.recover(), Ok(1));
    let session = place.store.session("s").unwrap().unwrap();
    assert_eq!(session.state, Phase::Stopped);
    let problem = session.problem.unwrap();
    assert!(
        problem.contains("next one begins") && !problem.contains("resumes"),
        "{problem}"
    );
}

#[test]
fn a_session_that_ended_in_its_journal_gets_no_second_end() {
    let place = place();
    place.store.put(&living("s")).unwrap();
    let ended = EventBody::SessionState {
        state: kandev_transcript::SessionState::Ended,
    };
    let events = numbered(1, [prompt("u", "go"), crate::samples::say(None, ended)]);
    keep(&place.store, "s", &events).unwrap();
    assert_eq!(place.store.recover(), Ok(1));
    assert_eq!(all(&place.store, "s"), events);
    assert_eq!(
        place.store.session("s").unwrap().unwrap().state,
        Phase::Stopped
    );
}

#[test]
fn a_session_that_another_program_carries_is_left_alone() {
    let place = place();
    place.store.put(&living("s")).unwrap();
    let terminal = StoredSession {
        source: Source::Terminal,
        ..living("terminal")
    };
    place.store.put(&terminal).unwrap();
    let claim = place.store.claim("s", "kandev").unwrap();
    assert_eq!(place.store.recover(), Ok(0));
    assert_eq!(
        place.store.session("s").unwrap().unwrap().state,
        Phase::Tool
    );
    drop(claim);
    assert_eq!(place.store.recover(), Ok(1));
    assert_eq!(
        place.store.session("s").unwrap().unwrap().state,
        Phase::Stopped
    );
    assert_eq!(
        place.store.session("terminal").unwrap().unwrap().state,
        Phase::Tool
    );
}

#[test]
fn two_programs_write_to_one_database() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [open(folder.path()), open(folder.path())];
    std::thread::scope(|scope| {
        for (number, store) in stores.iter().enumerate() {
            scope.spawn(move || {
                let id = number.to_string();
                store.put(&row(&id)).unwrap();
                for seq in 1..=100 {
                    keep(store, &id, &numbered(seq, [titled(&id)])).unwrap();
                }
            });
        }
    });
    for store in &stores {
        for id in ["0", "1"] {
            assert_eq!(gapless(&all(store, id), 0), 100);
        }
    }
}
