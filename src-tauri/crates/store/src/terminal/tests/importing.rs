//! Sessions of a terminal in the journal.

use std::fs;

use kandev_session::Phase;
use kandev_transcript::EventBody;
use proptest::prelude::*;
use serde_json::json;

use super::support::*;
use crate::terminal::import::Followed;
use crate::terminal::reading::End;
use crate::{Opening, Source, StoredSession};

fn shown(world: &World, id: &str) -> Vec<String> {
    world.journal(id).iter().map(short).collect()
}

#[test]
fn an_opened_session_has_the_numbers_of_its_file() {
    for version in VERSIONS {
        let world = World::of(version);
        for session in world.terminal.list().unwrap() {
            assert_eq!(world.terminal.open(&session.id).unwrap(), Opening::Ready);
            let events = events_of(&world.file(&session.id), &session.id, End::Over);
            let journal = world.journal(&session.id);
            assert_eq!(journal.last().unwrap().last_seq() as usize, events.len());
            let row = world.store.session(&session.id).unwrap().unwrap();
            assert_eq!((row.source, row.state), (Source::Terminal, Phase::Stopped));
            assert!(row.last_message_uuid.is_some());
        }
    }
}

#[test]
fn opening_twice_changes_nothing() {
    let world = World::of("2.1.332");
    let first = world.terminal.follow("agent").unwrap();
    assert_eq!(world.terminal.follow("agent").unwrap(), first);
    let before = shown(&world, "agent");
    // Neither does another program that knows nothing of the first one.
    let other = crate::Store::open(world.data.path()).store;
    let terminal = other.terminal(crate::Projects::at([world.claude.path().to_owned()]));
    terminal.refresh().unwrap();
    assert_eq!(terminal.follow("agent").unwrap(), first);
    assert_eq!(shown(&world, "agent"), before);
}

#[test]
fn a_file_that_grows_adds_to_the_journal() {
    let world = World::new();
    world.write(
        "s",
        &[user("a", None, "one"), assistant("b", Some("a"), "two")],
    );
    let first = world.terminal.follow("s").unwrap();
    world.add(
        "s",
        &text(&[
            user("c", Some("b"), "three"),
            assistant("d", Some("c"), "four"),
        ]),
    );
    let second = world.terminal.follow("s").unwrap();
    assert!(!second.anew && second.last_seq > first.last_seq);
    let texts = shown(&world, "s");
    assert!(texts.contains(&"user c: three".to_owned()), "{texts:?}");
}

#[test]
fn a_conversation_that_goes_on_from_an_earlier_message_is_read_anew() {
    let world = World::new();
    world.write(
        "s",
        &[
            user("a", None, "one"),
            assistant("b", Some("a"), "two"),
            user("c", Some("b"), "three"),
        ],
    );
    world.terminal.follow("s").unwrap();
    world.add("s", &text(&[user("d", Some("b"), "other")]));
    let followed = world.terminal.follow("s").unwrap();
    assert!(followed.anew);
    let texts = shown(&world, "s");
    assert!(
        texts.contains(&"user d: other".to_owned()) && !texts.contains(&"user c: three".to_owned())
    );
    assert_eq!(
        world.journal("s").last().unwrap().last_seq(),
        followed.last_seq
    );
}

#[test]
fn a_file_that_became_shorter_is_read_anew() {
    let world = World::new();
    world.write(
        "s",
        &[user("a", None, "one"), assistant("b", Some("a"), "two")],
    );
    world.terminal.follow("s").unwrap();
    world.write("s", &[user("x", None, "else")]);
    assert!(world.terminal.follow("s").unwrap().anew);
    assert_eq!(shown(&world, "s")[0], "user x: else");
}

#[test]
fn a_file_that_was_written_over_is_read_anew() {
    let world = World::new();
    world.write(
        "s",
        &[user("a", None, "one"), assistant("b", Some("a"), "two")],
    );
    world.terminal.follow("s").unwrap();
    let mut other = vec![user("x", None, "else")];
    other.extend((0..5).map(|number| assistant(&format!("y{number}"), Some("x"), "more")));
    world.write("s", &other);
    assert!(world.terminal.follow("s").unwrap().anew);
    let texts = shown(&world, "s");
    assert!(
        texts.iter().all(|text| !text.starts_with("unrecognized")),
        "{texts:?}"
    );
}

#[test]
fn the_end_of_a_long_session_is_there_at_once() {
    let world = World::new();
    let mut lines = vec![user("u0", None, "begin")];
    for number in 0..3000 {
        let (own, parent) = (
            format!("a{number}"),
            lines.last().unwrap()["uuid"].as_str().unwrap().to_owned(),
        );
        lines.push(assistant(&own, Some(&parent), &"word ".repeat(400)));
    }
    lines.push(user("last", Some("a2999"), "the end"));
    world.write("s", &lines);
    let Opening::Tail(events) = world.terminal.open("s").unwrap() else {
        panic!("the file is long");
    };
    let texts: Vec<_> = events.iter().map(short).collect();
    assert!(texts.contains(&"user last: the end".to_owned()));
    assert!((50..1000).contains(&texts.len()), "{}", texts.len());
    let followed = world.terminal.follow("s").unwrap();
    assert_eq!(world.terminal.open("s").unwrap(), Opening::Ready);
    assert!(followed.last_seq > 3000);
}

#[test]
fn the_end_of_a_session_whose_last_line_is_long_is_found() {
    let world = World::new();
    world.write(
        "s",
        &[
            user("a", None, "one"),
            assistant("b", Some("a"), &"x".repeat(6 << 20)),
        ],
    );
    let Opening::Tail(events) = world.terminal.open("s").unwrap() else {
        panic!("the file is long");
    };
    assert!(
        events
            .iter()
            .any(|event| matches!(event.body, EventBody::MessageChunk { .. }))
    );
}

fn ours(world: &World, id: &str, cli: &str) -> StoredSession {
    let mut row = world.terminal.row(cli).unwrap();
    row.id = id.to_owned();
    row.source = Source::Kandev;
    row
}

#[test]
fn a_session_that_is_taken_over_keeps_its_history_and_leaves_the_list() {
    let world = World::of("2.1.332");
    world.terminal.follow("chat").unwrap();
    let before = shown(&world, "chat");
    let row = ours(&world, "k1", "chat");
    world.terminal.take_over("chat", &row).unwrap();
    assert_eq!(shown(&world, "k1"), before);
    assert!(
        world
            .terminal
            .list()
            .unwrap()
            .iter()
            .all(|session| session.id != "chat")
    );
    let row = world.store.session("chat").unwrap().unwrap();
    assert_eq!((row.id.as_str(), row.source), ("k1", Source::Kandev));
    // Who has not heard of it reads it in no second time.
    let gone = Err(crate::StoreError::NoSuchSession("chat".to_owned()));
    assert_eq!(world.terminal.follow("chat"), gone);
    assert_eq!(world.terminal.row("chat").map(|_| ()), gone.map(|_| ()));
    assert_eq!(world.store.session("chat").unwrap().unwrap().id, "k1");
}

#[test]
fn a_session_that_cannot_be_taken_over_stays_what_it_was() {
    let world = World::of("2.1.332");
    world.terminal.follow("chat").unwrap();
    let before = shown(&world, "chat");
    let mut mine = ours(&world, "k1", "chat");
    mine.cli_session_id = None;
    mine.title = "mine".to_owned();
    world.store.put(&mine).unwrap();
    let said = crate::samples::numbered(1, [crate::samples::prompt("u", "go")]);
    crate::samples::keep(&world.store, "k1", &said).unwrap();
    let row = ours(&world, "k1", "chat");
    let refused = world.terminal.take_over("chat", &row).unwrap_err();
    assert_eq!(refused, crate::StoreError::Gap { last: 1, next: 1 });
    let row = world.store.session("k1").unwrap().unwrap();
    assert_eq!((&*row.title, row.cli_session_id), ("mine", None));
    assert_eq!(world.store.session("chat").unwrap().unwrap().id, "chat");
    assert_eq!(shown(&world, "chat"), before);
}

#[test]
fn what_a_terminal_let_itself_do_is_not_allowed_here() {
    for (mode, here) in [
        ("bypassPermissions", None),
        ("acceptEdits", None),
        ("auto", None),
        ("default", None),
        ("plan", Some("plan")),
    ] {
        let world = World::new();
        let mut prompt = user("a", None, "one");
        prompt["permissionMode"] = json!(mode);
        world.write("s", &[prompt, assistant("b", Some("a"), "two")]);
        let listed = world.terminal.session("s").unwrap();
        assert_eq!(listed.permission_mode.as_deref(), Some(mode));
        let row = world.terminal.row("s").unwrap();
        assert_eq!(row.permission_mode.as_deref(), here, "{mode}");
        world.terminal.follow("s").unwrap();
        let row = world.terminal.row("s").unwrap();
        assert_eq!(row.permission_mode.as_deref(), here, "{mode}");
    }
}

#[test]
fn what_was_said_in_a_terminal_meanwhile_is_added_once() {
    let world = World::new();
    world.write(
        "s",
        &[user("a", None, "one"), assistant("b", Some("a"), "two")],
    );
    let mut row = ours(&world, "k1", "s");
    row.last_message_uuid = Some("b".to_owned());
    world.terminal.take_over("s", &row).unwrap();
    let before = world.store.session("k1").unwrap().unwrap().last_seq;
    assert_eq!(
        world.terminal.catch_up("k1").unwrap(),
        before,
        "nothing was said"
    );
    let call = json!({"id": "m", "role": "assistant", "content": [
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
    ]});
    let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]});
    world.add(
        "s",
        &text(&[
            user("c", Some("b"), "three"),
            line("assistant", "d", Some("c"), call),
            line("user", "e", Some("d"), result),
            assistant("f", Some("e"), "four"),
        ]),
    );
    let news = world.terminal.news("s", Some("b")).unwrap();
    assert!(
        matches!(&news[0].emitted.body, EventBody::UserMessage(message) if message.text == "three")
    );
    let last = world.terminal.catch_up("k1").unwrap();
    let texts = shown(&world, "k1");
    for said in ["user c: three", "says msg_f: four"] {
        assert_eq!(
            texts.iter().filter(|text| *text == said).count(),
            1,
            "{texts:?}"
        );
    }
    assert_eq!(
        texts
            .iter()
            .filter(|text| text.starts_with("call t1"))
            .count(),
        1
    );
    assert_eq!(world.terminal.catch_up("k1").unwrap(), last);
    let everything = world.terminal.news("s", None).unwrap();
    assert_eq!(
        world.store.import("k1", everything.into_iter()).unwrap(),
        last
    );
    let row = world.store.session("k1").unwrap().unwrap();
    assert_eq!(row.last_message_uuid.as_deref(), Some("f"));
}

#[test]
fn a_session_that_is_not_there_says_so() {
    let world = World::new();
    let error = world.terminal.open("nobody").unwrap_err();
    assert_eq!(error, crate::StoreError::NoSuchSession("nobody".to_owned()));
}

/// The recorded sessions: the name of the version, and of the session.
fn recordings() -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    for version in VERSIONS {
        for entry in fs::read_dir(recorded(version)).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            if let Some(name) = name
                .strip_suffix(".jsonl")
                .filter(|name| !name.starts_with("agent-"))
            {
                all.push((version, name.to_owned()));
            }
        }
    }
    all.sort();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn importing_in_two_steps_is_importing_in_one(which in 0..1000_usize, cut in 0.0..1.0f64) {
        let all = recordings();
        let (version, name) = &all[which % all.len()];
        let whole = World::of(version);
        whole.terminal.follow(name).unwrap();
        let world = World::of(version);
        let bytes = fs::read(world.file(name)).unwrap();
        let cut = (bytes.len() as f64 * cut) as usize;
        fs::write(world.file(name), &bytes[..cut]).unwrap();
        world.terminal.refresh().unwrap();
        let first = world.terminal.follow(name).unwrap_or(Followed { last_seq: 0, anew: false });
        fs::write(world.file(name), &bytes).unwrap();
        world.terminal.refresh().unwrap();
        let second = world.terminal.follow(name).unwrap();
        prop_assert!(second.last_seq >= first.last_seq || second.anew);
        prop_assert_eq!(world.journal(name), whole.journal(name));
    }

    #[test]
    fn a_living_session_that_is_followed_is_what_it_is_when_it_is_read_at_once(
        which in 0..1000_usize, mut cuts in proptest::collection::vec(0.0..1.0f64, 1..6)
    ) {
        let all = recordings();
        let (version, name) = &all[which % all.len()];
        let whole = World::of(version);
        let _claim = whole.store.claim(name, "kandev").unwrap();
        whole.terminal.follow(name).unwrap();
        let world = World::of(version);
        let _claim = world.store.claim(name, "kandev").unwrap();
        let bytes = fs::read(world.file(name)).unwrap();
        cuts.sort_by(f64::total_cmp);
        cuts.push(1.0);
        for cut in cuts {
            fs::write(world.file(name), &bytes[..(bytes.len() as f64 * cut) as usize]).unwrap();
            // An empty file is none.
            let _ = world.terminal.follow(name);
        }
        prop_assert_eq!(world.journal(name), whole.journal(name));
    }
}
