#![allow(clippy::unwrap_used)]

use kandev_session::Policy;
use kandev_store::{Owner, OwnerKind};

use super::*;

/// A session of ours that stopped.
pub fn row(id: &str) -> PastSession {
    PastSession {
        id: id.to_owned(),
        cli_session_id: Some(format!("cli-{id}")),
        title: format!("title of {id}"),
        workspace: "/work".to_owned(),
        folder_gone: false,
        state: Phase::Stopped,
        since: "2026-01-01T00:00:00.000Z".to_owned(),
        updated_at: "2026-01-01T00:00:00.000Z".to_owned(),
        policy: Some(Policy::Supervised),
        model: None,
        source: Source::Kandev,
        archived: false,
        rehearsal: false,
        problem: None,
        forked_from: None,
        owner: None,
        cleanup_at: None,
        last_seq: Some(3),
        size_bytes: None,
    }
}

fn at(id: &str, cli: &str, day: u32) -> PastSession {
    PastSession {
        cli_session_id: Some(cli.to_owned()),
        updated_at: format!("2026-01-{day:02}T00:00:00.000Z"),
        ..row(id)
    }
}

fn file(cli: &str, day: u32) -> PastSession {
    PastSession {
        source: Source::Terminal,
        policy: None,
        last_seq: None,
        ..at(cli, cli, day)
    }
}

fn ids(rows: &[PastSession]) -> Vec<&str> {
    rows.iter().map(|row| row.id.as_str()).collect()
}

#[test]
fn both_sources_are_one_list_newest_first() {
    let rows = merge(
        vec![at("a", "1", 3), at("b", "2", 1)],
        vec![file("x", 2), file("y", 4)],
    );
    assert_eq!(ids(&rows), ["y", "a", "x", "b"]);
}

#[test]
fn a_session_of_ours_stands_for_its_file() {
    let rows = merge(vec![at("a", "1", 1)], vec![file("1", 5), file("2", 1)]);
    assert_eq!(ids(&rows), ["2", "a"], "of one time, by id");
    assert_eq!(rows[1].source, Source::Kandev);
}

#[test]
fn rehearsals_of_one_recording_are_sessions_of_their_own() {
    let rehearsal = |id: &str| PastSession {
        rehearsal: true,
        ..at(id, "recorded", 1)
    };
    let rows = merge(
        vec![rehearsal("a"), rehearsal("b")],
        vec![file("recorded", 2)],
    );
    assert_eq!(ids(&rows), ["recorded", "a", "b"]);
}

#[test]
fn of_two_rows_for_one_conversation_the_newer_is_shown() {
    let rows = merge(vec![at("old", "1", 1), at("new", "1", 2)], Vec::new());
    assert_eq!(ids(&rows), ["new"]);
    let rows = merge(vec![at("new", "1", 2), at("old", "1", 1)], Vec::new());
    assert_eq!(ids(&rows), ["new"]);
}

#[test]
fn nothing_runs_without_somebody_who_has_it_open() {
    let mut left = PastSession {
        state: Phase::Tool,
        ..row("a")
    };
    let mut open = PastSession {
        owner: Some(Owner {
            kind: OwnerKind::Kandev,
            pid: 1,
            what: "open".to_owned(),
        }),
        ..left.clone()
    };
    settle(&mut left);
    settle(&mut open);
    assert_eq!((left.state, open.state), (Phase::Stopped, Phase::Tool));
    let mut failed = PastSession {
        state: Phase::Failed,
        ..row("a")
    };
    settle(&mut failed);
    assert_eq!(failed.state, Phase::Failed);
}

#[test]
fn what_did_not_change_stays_the_same_row() {
    let known = share(&PastList::default(), vec![row("a"), row("b")]);
    let mut changed = row("b");
    changed.archived = true;
    let next = share(&known, vec![changed, row("a")]);
    assert!(Arc::ptr_eq(&known[0], &next[1]));
    assert!(next[0].archived);
}
