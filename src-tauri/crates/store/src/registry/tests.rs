#![allow(clippy::unwrap_used)]

use kandev_session::{EnvVar, NewSession, Phase, Policy};

use crate::samples::{place, row};
use crate::{Source, StoreError, StoredSession};

#[test]
fn a_row_comes_back_as_it_was_written() {
    let place = place();
    let full = StoredSession {
        permission_mode: Some("acceptEdits".to_owned()),
        model: Some("m".to_owned()),
        effort: Some("high".to_owned()),
        cli_path: Some("/x/claude".to_owned()),
        env: vec![EnvVar {
            name: "A".to_owned(),
            value: "b=c".to_owned(),
        }],
        problem: Some("why".to_owned()),
        last_message_uuid: Some("u".to_owned()),
        cli_version: Some("2.1.332".to_owned()),
        host: Some("wsl:Debian".to_owned()),
        forked_from: Some("f".to_owned()),
        state: Phase::RateLimited,
        policy: Some(Policy::Autonomous),
        archived: true,
        rehearsal: true,
        ..row("s")
    };
    place.store.put(&full).unwrap();
    assert_eq!(place.store.session("s").unwrap().as_ref(), Some(&full));
    assert_eq!(place.store.session("cli-s").unwrap().as_ref(), Some(&full));
    let bare = StoredSession {
        policy: None,
        permission_mode: None,
        cli_session_id: None,
        ..row("s")
    };
    place.store.put(&bare).unwrap();
    assert_eq!(place.store.session("s").unwrap(), Some(bare));
    assert_eq!(place.store.session("cli-s").unwrap(), None);
}

#[test]
fn the_list_has_our_sessions_and_the_newest_first() {
    let place = place();
    for (id, updated_at, source) in [
        ("old", "2026-01-01T00:00:00.000Z", Source::Kandev),
        ("new", "2026-01-03T00:00:00.000Z", Source::Kandev),
        ("terminal", "2026-01-04T00:00:00.000Z", Source::Terminal),
    ] {
        let session = StoredSession {
            updated_at: updated_at.to_owned(),
            source,
            ..row(id)
        };
        place.store.put(&session).unwrap();
    }
    let ids = || -> Vec<String> {
        let sessions = place.store.sessions().unwrap();
        sessions.into_iter().map(|session| session.id).collect()
    };
    assert_eq!(ids(), ["new", "old"]);
    place.store.delete("new").unwrap();
    assert_eq!(ids(), ["old"]);
}

#[test]
fn the_cli_id_names_ours_before_the_row_of_its_file() {
    let place = place();
    let terminal = StoredSession {
        source: Source::Terminal,
        cli_session_id: Some("both".to_owned()),
        ..row("terminal")
    };
    let ours = StoredSession {
        cli_session_id: Some("both".to_owned()),
        ..row("ours")
    };
    place.store.put(&terminal).unwrap();
    place.store.put(&ours).unwrap();
    assert_eq!(place.store.session("both").unwrap().unwrap().id, "ours");
    assert_eq!(
        place.store.session("terminal").unwrap().unwrap().id,
        "terminal"
    );
}

#[test]
fn what_a_person_sets_is_kept_and_told() {
    let place = place();
    place.store.put(&row("s")).unwrap();
    let mut changes = place.store.changed();
    for step in 0..4 {
        changes.borrow_and_update();
        match step {
            0 => place.store.rename("s", "Mine").unwrap(),
            1 => place.store.archive("s", true).unwrap(),
            2 => place.store.relocate("cli-s", "/elsewhere").unwrap(),
            _ => place.store.archive("s", false).unwrap(),
        }
        assert!(changes.has_changed().unwrap(), "step {step}");
    }
    let session = place.store.session("s").unwrap().unwrap();
    assert_eq!(session.title, "Mine");
    assert_eq!(session.workspace, "/elsewhere");
    assert!(!session.archived && session.titled);
    let nobody = place.store.rename("nobody", "x");
    assert_eq!(nobody, Err(StoreError::NoSuchSession("nobody".to_owned())));
}

#[test]
fn no_variable_with_a_secret_name_is_stored() {
    let mut session = row("s");
    let mut request: NewSession = session.request();
    for (name, value) in [("ANTHROPIC_API_KEY", "k"), ("LANG", "C"), ("MY_TOKEN", "t")] {
        request.env.push(EnvVar {
            name: name.to_owned(),
            value: value.to_owned(),
        });
    }
    session.chosen(&request);
    let names: Vec<_> = session.env.iter().map(|var| &*var.name).collect();
    assert_eq!(names, ["LANG"]);
}

#[test]
fn another_program_that_writes_is_noticed() {
    let place = place();
    assert!(!place.store.poll_others().unwrap());
    place.store.put(&row("mine")).unwrap();
    assert!(!place.store.poll_others().unwrap(), "that was this one");
    let other = crate::samples::open(place.folder.path());
    other.put(&row("other")).unwrap();
    let changes = place.store.changed();
    assert!(place.store.poll_others().unwrap());
    assert!(changes.has_changed().unwrap());
    assert!(!place.store.poll_others().unwrap(), "once is enough");
    assert!(place.store.session("other").unwrap().is_some());
    let left = StoredSession {
        state: Phase::Tool,
        ..row("left behind")
    };
    place.store.put(&left).unwrap();
    assert!(place.store.poll_others().unwrap(), "its end was written");
    assert!(!place.store.poll_others().unwrap());
}
