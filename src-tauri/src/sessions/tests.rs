#![allow(clippy::unwrap_used)]

use kandev_store::{Projects, Store};
use kandev_transcript::{Event, EventBody};

use super::*;
use crate::pump::Source as _;
use crate::restoring;
use crate::snapshots::{Roots, Snapshots};

struct Desk {
    home: tempfile::TempDir,
    sessions: Sessions,
}

/// Sessions whose CLI is not there: they fail without a process.
fn desk() -> Desk {
    let home = tempfile::tempdir().unwrap();
    let sessions = open(home.path());
    Desk { home, sessions }
}

fn open(home: &Path) -> Sessions {
    let cli = home.join("no-such-claude");
    let equipment = Equipment {
        launch: Some(Box::new(move || Launch {
            cli: Some(cli.clone()),
            ..Launch::default()
        })),
        ..Equipment::default()
    };
    let opened = Store::open(&home.join("data"));
    assert_eq!(opened.problems, Vec::<String>::new());
    let projects = Projects::at([home.join("claude")]);
    Sessions::new(equipment, Records::new(opened.store, projects))
}

fn request(workspace: &Path) -> NewSession {
    NewSession {
        stop_check: StopCheck::Off,
        ..NewSession::new(workspace.to_string_lossy().into_owned(), Policy::Supervised)
    }
}

impl Desk {
    async fn start(&self, first: Option<FirstPrompt>) -> SessionInfo {
        let request = request(self.home.path());
        self.sessions.start(request, first).await.unwrap()
    }

    /// One that has failed, as it then is.
    async fn failed(&self) -> SessionInfo {
        let first = FirstPrompt {
            text: "begin".to_owned(),
            images: Vec::new(),
        };
        let info = self.start(Some(first)).await;
        let session = self.sessions.get(&info.id).unwrap();
        let mut changes = session.info_changes();
        let failed = changes.wait_for(|info| info.phase == Phase::Failed).await;
        failed.unwrap().clone()
    }

    /// What is read after one number up to another.
    async fn read(&self, id: &str, after: u64, last: u64) -> Vec<Arc<Event>> {
        let mut reading = self.sessions.read(id, after);
        let mut events: Vec<Arc<Event>> = Vec::new();
        while events.last().is_none_or(|event| event.last_seq() < last) {
            events.extend(reading.next().await.unwrap());
        }
        events
    }

    /// What the list says once it is as wanted.
    async fn list(&self, wanted: impl FnMut(&List) -> bool) -> List {
        let mut list = self.sessions.list();
        list.wait_for(wanted).await.unwrap().clone()
    }
}

fn past_ids(list: &List) -> Vec<String> {
    let past = list.past.iter().flat_map(|past| past.iter());
    past.map(|row| row.id.clone()).collect()
}

#[tokio::test]
async fn the_list_is_newest_first_and_follows_what_becomes_of_a_session() {
    let desk = desk();
    let first = desk.start(None).await;
    let second = desk.start(None).await;
    assert_eq!(first.phase, Phase::Starting);
    let list = desk
        .list(|list| {
            list.living.len() == 2 && list.living.iter().all(|row| row.phase == Phase::Failed)
        })
        .await;
    let rows = &list.living;
    assert_eq!([&rows[0].id, &rows[1].id], [&second.id, &first.id]);
    assert!(rows[0].problem.is_some());
}

#[tokio::test]
async fn a_first_prompt_comes_back_with_the_start_that_failed_and_tries_no_second_one() {
    let desk = desk();
    let info = desk.failed().await;
    let mut events = desk.sessions.read(&info.id, 0);
    let (mut errors, mut returned) = (0, false);
    while !returned {
        for event in events.next().await.unwrap() {
            match &event.body {
                EventBody::Error { .. } => errors += 1,
                EventBody::Notice { kind, .. } => returned |= kind == "prompt_returned",
                _ => {}
            }
        }
    }
    assert_eq!(errors, 1);
}

#[tokio::test]
async fn an_ended_session_that_is_put_down_is_one_of_the_past_and_one_that_runs_is_not() {
    let desk = desk();
    let info = desk.start(None).await;
    let refused = desk.sessions.remove(&info.id).await.unwrap_err();
    assert_eq!(refused.code, "still_running");
    desk.list(|list| list.living.iter().any(|row| row.phase == Phase::Failed))
        .await;
    desk.sessions.remove(&info.id).await.unwrap();
    let list = desk
        .list(|list| list.living.is_empty() && !past_ids(list).is_empty())
        .await;
    assert_eq!(past_ids(&list), [info.id.as_str()]);
    let gone = desk.sessions.remove(&info.id).await.unwrap_err();
    assert_eq!(gone.code, "no_such_session");
}

#[tokio::test]
async fn what_was_said_is_read_the_same_with_an_actor_and_without_one_and_by_the_next_start() {
    let desk = desk();
    let info = desk.failed().await;
    desk.sessions.bring_up(&info.id).await;
    let opened = desk.sessions.open(&info.id, None, 400).await.unwrap();
    let last = opened.slice.through;
    assert!(last > 1);
    let said = desk.read(&info.id, 0, last).await;
    desk.sessions.remove(&info.id).await.unwrap();
    assert_eq!(desk.read(&info.id, 0, last).await, said);

    let Desk { home, sessions } = desk;
    sessions.stop_all().await;
    drop(sessions);
    let sessions = open(home.path());
    let desk = Desk { home, sessions };
    assert_eq!(desk.read(&info.id, 1, last).await, said[1..]);
    let opened = desk.sessions.open(&info.id, None, 400).await.unwrap();
    assert_eq!(opened.slice.through, last);
    assert!(!opened.read_only);
}

#[tokio::test]
async fn a_watch_goes_on_when_the_session_gets_an_actor_and_no_number_is_used_twice() {
    let desk = desk();
    let info = desk.failed().await;
    desk.sessions.remove(&info.id).await.unwrap();
    let mut watch = desk.sessions.read(&info.id, 0);
    let mut seqs: Vec<u64> = Vec::new();
    let before = watch.next().await.unwrap();
    seqs.extend(before.iter().map(|event| event.seq));

    let session = desk.sessions.ready(&info.id).await.unwrap();
    let text = "go on".to_owned();
    session.prompt(text, Vec::new()).await.unwrap();
    let mut returned = false;
    while !returned {
        for event in watch.next().await.unwrap() {
            seqs.push(event.seq);
            returned |=
                matches!(&event.body, EventBody::Notice { kind, .. } if kind == "prompt_returned");
        }
    }
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    assert!(seqs.len() > before.len() + 1);
}

#[tokio::test]
async fn the_past_is_named_put_away_moved_and_deleted() {
    let desk = desk();
    let info = desk.failed().await;
    let sessions = &desk.sessions;
    sessions.remove(&info.id).await.unwrap();
    sessions.rename(&info.id, "  a name ").await.unwrap();
    let is_named = |list: &List| {
        let past = list.past.iter().flat_map(|past| past.iter());
        past.into_iter().any(|row| row.title == "a name")
    };
    desk.list(is_named).await;
    assert_eq!(
        sessions.rename(&info.id, " ").await.unwrap_err().code,
        "bad_title"
    );

    sessions.archive(&info.id, true).await.unwrap();
    desk.list(|list| {
        list.past
            .iter()
            .flat_map(|past| past.iter())
            .any(|row| row.archived)
    })
    .await;

    let gone = desk.home.path().join("elsewhere");
    let folder = gone.to_string_lossy().into_owned();
    assert_eq!(sessions.relocate(&info.id, &folder).await.unwrap(), info.id);
    desk.list(|list| {
        list.past
            .iter()
            .flat_map(|past| past.iter())
            .any(|row| row.folder_gone)
    })
    .await;
    assert!(sessions.open(&info.id, None, 9).await.unwrap().read_only);
    let refused = sessions.ready(&info.id).await.map(|_| ()).unwrap_err();
    assert_eq!(refused.code, "folder_gone");
    sessions.recreate_folder(&info.id).await.unwrap();
    assert!(gone.is_dir());
    assert!(sessions.ready(&info.id).await.is_ok());

    let deleted = sessions.delete(&info.id, false).await.unwrap();
    assert_eq!(deleted, [info.id.as_str()]);
    desk.list(|list| list.living.is_empty() && list.past.is_some() && past_ids(list).is_empty())
        .await;
    let unknown = sessions.open(&info.id, None, 9).await.unwrap_err();
    assert_eq!(unknown.code, "no_such_session");
}

#[tokio::test]
async fn nothing_is_made_of_a_session_that_the_cli_has_kept_nothing_of() {
    let desk = desk();
    let info = desk.failed().await;
    let refused = desk.sessions.fork(&info.id, None).await.unwrap_err();
    assert_eq!(refused.code, "nothing_to_resume", "{}", refused.message);
}

/// A conversation that was had in a terminal, in a folder that is there.
fn in_terminal(desk: &Desk, id: &str) -> PathBuf {
    let project = desk.home.path().join("claude/projects/-work");
    std::fs::create_dir_all(&project).unwrap();
    let cwd = desk.home.path().to_string_lossy().into_owned();
    let line = |kind: &str, uuid: &str, parent: Option<&str>, message: serde_json::Value| {
        serde_json::json!({
            "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": id, "cwd": cwd, "isSidechain": false,
            "version": "2.1.332", "timestamp": "2026-01-02T03:04:05.678Z", "message": message,
        })
        .to_string()
    };
    let (asked, said) = (uuid::Uuid::from_u128(1), uuid::Uuid::from_u128(2));
    let (asked, said) = (asked.to_string(), said.to_string());
    let prompt = serde_json::json!({ "role": "user", "content": "Where is the ferry?" });
    let answer = serde_json::json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "opus", "stop_reason": "end_turn",
        "content": [{ "type": "text", "text": "At the pier." }],
        "usage": { "input_tokens": 1, "output_tokens": 1 },
    });
    let lines = [
        line("user", &asked, None, prompt),
        line("assistant", &said, Some(&asked), answer),
    ];
    let file = project.join(format!("{id}.jsonl"));
    std::fs::write(&file, lines.join("\n") + "\n").unwrap();
    file
}

fn texts(events: &[Event]) -> Vec<String> {
    let text = |event: &Event| match &event.body {
        EventBody::UserMessage(prompt) => Some(prompt.text.clone()),
        EventBody::MessageChunk { text, .. } => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

#[tokio::test]
async fn a_conversation_of_a_terminal_is_read_there_and_gone_on_with_as_one_of_ours() {
    const ID: &str = "00000000-0000-4000-8000-00000000000a";
    let desk = desk();
    let file = in_terminal(&desk, ID);
    let sessions = &desk.sessions;
    desk.list(|list| past_ids(list) == [ID]).await;
    let opened = sessions.open(ID, None, 400).await.unwrap();
    let said = ["Where is the ferry?", "At the pier."];
    assert_eq!(texts(&opened.slice.events), said);
    assert!(opened.read_only && !opened.importing);
    let refused = sessions.delete(ID, false).await.unwrap_err();
    assert_eq!(refused.code, "not_ours");
    let refused = sessions.ready(ID).await.map(|_| ()).unwrap_err();
    assert_eq!(refused.code, "not_ours");

    let info = sessions.resume(ID).await.unwrap();
    assert_ne!(info.id, ID);
    assert_eq!(info.cli_session_id.as_deref(), Some(ID));
    let mine = sessions.open(&info.id, None, 400).await.unwrap();
    assert_eq!(texts(&mine.slice.events)[..2], said);
    desk.list(|list| list.living.len() == 1 && past_ids(list).is_empty())
        .await;
    desk.list(|list| list.living.iter().all(|row| row.phase == Phase::Failed))
        .await;
    assert_eq!(
        sessions.resume(ID).await.unwrap().id,
        info.id,
        "it is ours by either id"
    );

    desk.list(|list| list.living.iter().all(|row| row.phase == Phase::Failed))
        .await;
    sessions.delete(&info.id, true).await.unwrap();
    assert!(!file.exists());
    desk.list(|list| list.living.is_empty() && past_ids(list).is_empty())
        .await;
}

#[tokio::test]
async fn two_windows_that_go_on_with_the_same_conversation_get_the_same_session() {
    for round in 0..16_u64 {
        let id = format!("00000000-0000-4000-8000-0000000001{round:02}");
        let desk = desk();
        in_terminal(&desk, &id);
        desk.list(|list| past_ids(list) == [id.as_str()]).await;
        // At another moment of the first one's work each time.
        let later = async {
            tokio::time::sleep(std::time::Duration::from_millis(2 * round)).await;
            desk.sessions.resume(&id).await
        };
        let (one, other) = tokio::join!(desk.sessions.resume(&id), later);
        assert_eq!(one.unwrap().id, other.unwrap().id, "{round}");
    }
}

#[tokio::test]
async fn what_others_have_open_is_read_and_not_written_to() {
    const ID: &str = "00000000-0000-4000-8000-00000000000b";
    let desk = desk();
    in_terminal(&desk, ID);
    desk.list(|list| past_ids(list) == [ID]).await;
    // Held by this very process, but by no session of it.
    let claim = desk.sessions.records().claim(ID).await.unwrap().unwrap();
    let refused = desk.sessions.resume(ID).await.unwrap_err();
    assert_eq!(refused.code, "owned");
    assert!(desk.sessions.open(ID, None, 9).await.is_ok());
    drop(claim);
    assert!(desk.sessions.resume(ID).await.is_ok());
}

#[tokio::test]
async fn what_another_program_carries_is_neither_taken_up_nor_deleted() {
    let desk = desk();
    let info = desk.failed().await;
    let sessions = &desk.sessions;
    sessions.remove(&info.id).await.unwrap();
    let locks = desk.home.path().join("data/locks");
    let lock = std::fs::File::create(locks.join(format!("{}.lock", info.id))).unwrap();
    lock.lock().unwrap();
    let record = r#"{"pid":1,"program":"kandev run","since":0}"#;
    std::fs::write(locks.join(format!("{}.json", info.id)), record).unwrap();
    let refusals = [
        sessions.actor(&info.id).await.map(|_| ()),
        sessions.ready(&info.id).await.map(|_| ()),
        sessions.delete(&info.id, false).await.map(|_| ()),
    ];
    for refused in refusals {
        assert_eq!(refused.unwrap_err().code, "owned");
    }
    lock.unlock().unwrap();
    assert!(sessions.actor(&info.id).await.is_ok());
}

#[tokio::test]
async fn a_session_of_another_host_is_read_here_and_not_gone_on_with() {
    let desk = desk();
    let info = desk.failed().await;
    let sessions = &desk.sessions;
    sessions.remove(&info.id).await.unwrap();
    let id = info.id.clone();
    let move_away = sessions.records().with(move |store| {
        let row = store.session(&id)?.unwrap();
        let host = Some("wsl:Elsewhere".to_owned());
        store.put(&kandev_store::StoredSession { host, ..row })
    });
    move_away.await.unwrap();
    for refused in [
        sessions.ready(&info.id).await.map(|_| ()),
        sessions.resume(&info.id).await.map(|_| ()),
        sessions.fork(&info.id, None).await.map(|_| ()),
    ] {
        let refused = refused.unwrap_err();
        assert_eq!(refused.code, "other_host");
        assert!(refused.message.contains("Elsewhere"), "{}", refused.message);
    }
    assert!(sessions.open(&info.id, None, 9).await.is_ok());
}

#[tokio::test]
async fn a_session_that_was_put_down_can_be_taken_up_at_once() {
    let desk = desk();
    let info = desk.failed().await;
    for _ in 0..20 {
        desk.sessions.remove(&info.id).await.unwrap();
        let held = desk.sessions.records().carrier(&info.id).await.unwrap();
        assert_eq!(held, None);
        let free = desk
            .sessions
            .records()
            .with({
                let id = info.id.clone();
                move |store| Ok(store.claim(&id, "next").is_ok())
            })
            .await;
        assert!(free.unwrap(), "it is still held");
        desk.sessions.actor(&info.id).await.unwrap();
    }
}

#[tokio::test]
async fn a_fork_begins_with_the_conversation_up_to_its_message() {
    const ID: &str = "00000000-0000-4000-8000-00000000000c";
    let desk = desk();
    in_terminal(&desk, ID);
    desk.list(|list| past_ids(list) == [ID]).await;
    let unknown = desk.sessions.fork(ID, Some("nothing".to_owned())).await;
    assert_eq!(unknown.unwrap_err().code, "no_such_message");
    let asked = uuid::Uuid::from_u128(1).to_string();
    let info = desk.sessions.fork(ID, Some(asked)).await.unwrap();
    desk.sessions.bring_up(&info.id).await;
    let opened = desk.sessions.open(&info.id, None, 400).await.unwrap();
    assert_eq!(texts(&opened.slice.events), ["Where is the ferry?"]);
    assert_eq!(info.forked_from.as_deref(), Some(ID));
}

#[tokio::test]
async fn files_that_were_set_back_are_put_forward_again_and_back_once_more() {
    let desk = desk();
    let info = desk.failed().await;
    desk.sessions.remove(&info.id).await.unwrap();
    let file = desk.home.path().join("a.txt");
    let snapshots = Snapshots::new(&desk.home.path().join("data"));
    let roots = Roots::new(desk.home.path(), &[]).unwrap();
    std::fs::write(&file, "later").unwrap();
    let paths = ["a.txt".to_owned()];
    let now = "2026-01-02T03:04:05.678Z";
    snapshots
        .take(&info.id, &roots, Some("m"), &paths, now)
        .unwrap();
    std::fs::write(&file, "earlier").unwrap();

    let read = || std::fs::read_to_string(&file).unwrap();
    let redo = |number: String| {
        let (sessions, snapshots, id) = (&desk.sessions, &snapshots, &info.id);
        async move { restoring::redo(sessions, snapshots, id, &number).await }
    };
    let first = redo("1".to_owned()).await.unwrap();
    assert_eq!((read().as_str(), first.snapshot.as_str()), ("later", "2"));
    let second = redo(first.snapshot).await.unwrap();
    assert_eq!(
        (read().as_str(), second.snapshot.as_str()),
        ("earlier", "3")
    );
    for wrong in ["9", "0", "../1", ""] {
        let refused = redo(wrong.to_owned()).await.unwrap_err();
        assert_eq!(refused.code, "no_such_snapshot", "{wrong}");
    }
    desk.sessions.bring_up(&info.id).await;
    let opened = desk.sessions.open(&info.id, None, 400).await.unwrap();
    let told = opened
        .slice
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Notice { kind, data, .. } if kind == "rewound" => data["snapshot"].as_str(),
            _ => None,
        });
    assert_eq!(told.collect::<Vec<_>>(), ["2", "3"]);
}

#[tokio::test]
async fn a_start_that_fails_at_once_holds_nothing() {
    const ID: &str = "00000000-0000-4000-8000-00000000000d";
    let desk = desk();
    in_terminal(&desk, ID);
    desk.list(|list| past_ids(list) == [ID]).await;
    let info = desk.sessions.resume(ID).await.unwrap();
    for _ in 0..20 {
        let session = desk.sessions.get(&info.id).unwrap();
        let mut changes = session.info_changes();
        let over = changes.wait_for(|info| is_over(info.phase)).await;
        drop(over.unwrap());
        let free = async {
            while desk.sessions.records().claim(ID).await.unwrap().is_err() {
                tokio::task::yield_now().await;
            }
        };
        let limit = Duration::from_secs(20);
        tokio::time::timeout(limit, free).await.unwrap();
        desk.sessions.resume(&info.id).await.unwrap();
    }
}

#[test]
fn the_rehearsal_is_told_what_to_play_and_how_fast() {
    let words = |args: Vec<OsString>| args.join(" ".as_ref()).into_string().unwrap();
    assert_eq!(
        words(rehearsal_args(None, Speed::Real)),
        "--kandev-rehearsal --speed real"
    );
    assert_eq!(
        words(rehearsal_args(Some(Path::new("/a b.ndjson")), Speed::Max)),
        "--kandev-rehearsal --speed max --recording /a b.ndjson"
    );
}
