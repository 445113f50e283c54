//! Sessions that last, through real pipes: what is shown was kept, and a process that is gone is followed by another one that
//! knows the conversation.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kandev_session::{
    Keeping, NewSession, Past, Phase, Policy, Rehearsal, Session, SessionInfo, StartOptions,
    StopCheck, Subscription,
};
use kandev_transcript::{Event, EventBody};
use kandev_transport::{Guard, Search};
use tempfile::TempDir;
use tokio::time::timeout;

/// How long anything in here may take; a test that needs it has failed.
const LIMIT: Duration = Duration::from_secs(60);

/// The rehearsal CLI's folder, and how it is run.
struct Stage {
    folder: TempDir,
    env: Vec<(&'static str, String)>,
}

impl Stage {
    fn new(env: &[(&'static str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut stage = Self {
            folder,
            env: Vec::new(),
        };
        stage.set(env);
        stage
    }

    fn recorded(name: &str) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../tests/transcripts")
            .join(format!("{name}.ndjson"));
        let file = file.to_str().unwrap();
        Self::new(&[
            ("KANDEV_REHEARSAL_RECORDING", file),
            ("KANDEV_REHEARSAL_SPEED", "max"),
        ])
    }

    /// How the next process is run.
    fn set(&mut self, env: &[(&'static str, &str)]) {
        self.env = env
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect();
    }

    fn options(&self) -> StartOptions {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_kandev"));
        let guard = Guard {
            program: program.clone(),
        };
        let mut options = StartOptions::new(Search::from_environment(), guard);
        let folder = ("KANDEV_REHEARSAL_DIR".into(), self.folder.path().into());
        let env = self
            .env
            .iter()
            .map(|(name, value)| ((*name).into(), value.into()));
        options.rehearsal = Some(Rehearsal {
            program,
            args: vec![kandev_rehearsal::RUN_FLAG.into()],
            env: env.chain([folder]).collect(),
        });
        options
    }

    fn request(&self) -> NewSession {
        NewSession {
            stop_check: StopCheck::Off,
            ..NewSession::new(
                self.folder.path().to_str().unwrap().to_owned(),
                Policy::Supervised,
            )
        }
    }

    fn start(&self) -> Talk {
        self.start_as(|_, _| {})
    }

    fn start_as(&self, change: impl FnOnce(&mut NewSession, &mut StartOptions)) -> Talk {
        let (mut request, mut options) = (self.request(), self.options());
        change(&mut request, &mut options);
        Talk::new(Session::start("s1".to_owned(), request, options), 0)
    }

    /// As after a restart of the program.
    fn restore(&self, info: &SessionInfo) -> Talk {
        let past = past(info);
        let after = past.last_seq;
        let session = Session::restore("s1".to_owned(), self.request(), past, self.options());
        Talk::new(session, after)
    }

    /// Kills the rehearsal CLI, as a crash would: not its guard.
    #[cfg(target_os = "linux")]
    fn kill_cli(&self) {
        let folder = format!("KANDEV_REHEARSAL_DIR={}", self.folder.path().display());
        let mut killed = 0;
        for entry in std::fs::read_dir("/proc").unwrap() {
            let process = entry.unwrap().path();
            // A process can end while it is looked at.
            let environment = std::fs::read(process.join("environ")).unwrap_or_default();
            let command = std::fs::read(process.join("cmdline")).unwrap_or_default();
            let first = command.split(|byte| *byte == 0).nth(1);
            let is_cli = first == Some(kandev_rehearsal::RUN_FLAG.as_bytes());
            if is_cli
                && environment
                    .split(|byte| *byte == 0)
                    .any(|set| set == folder.as_bytes())
            {
                let id = process.file_name().unwrap();
                let status = std::process::Command::new("kill")
                    .arg("-9")
                    .arg(id)
                    .status();
                killed += u32::from(status.unwrap().success());
            }
        }
        assert_eq!(killed, 1);
    }
}

fn past(info: &SessionInfo) -> Past {
    let info = info.clone();
    Past {
        last_seq: info.last_seq,
        cli_session_id: info.cli_session_id,
        title: info.title,
        titled: true,
        permission_mode: info.permission_mode,
        model: info.model,
        effort: info.effort,
        phase: info.phase,
        since: info.since,
        started_at: info.started_at,
        problem: info.problem,
        cli_version: info.cli_version,
        last_message_uuid: info.last_message_uuid,
        forked_from: info.forked_from,
        standing: Vec::new(),
    }
}

/// A session and what was heard of it.
struct Talk {
    session: Session,
    events: Subscription,
    seen: Vec<Arc<Event>>,
}

impl Talk {
    fn new(session: Session, after: u64) -> Self {
        let events = session.watch(after);
        Self {
            session,
            events,
            seen: Vec::new(),
        }
    }

    async fn prompt(&self, text: &str) {
        self.session
            .prompt(text.to_owned(), Vec::new())
            .await
            .unwrap();
    }

    /// Reads on until an event is the one that is looked for.
    async fn until(&mut self, wanted: impl Fn(&EventBody) -> bool) {
        loop {
            let batch = timeout(LIMIT, self.events.next()).await;
            let batch = batch.unwrap_or_else(|_| panic!("only {:#?}", self.seen));
            let batch = batch.expect("the session goes on");
            let found = batch.iter().any(|event| wanted(&event.body));
            self.seen.extend(batch);
            if found {
                return;
            }
        }
    }

    async fn info(&self, wanted: impl FnMut(&SessionInfo) -> bool) -> SessionInfo {
        let mut changes = self.session.info_changes();
        let reached = timeout(LIMIT, changes.wait_for(wanted)).await;
        let info = self.session.info();
        let reached = reached.unwrap_or_else(|_| panic!("it stays {info:?}"));
        reached.unwrap().clone()
    }

    fn notices(&self, wanted: &str) -> usize {
        let of_kind = |event: &&Arc<Event>| matches!(&event.body, EventBody::Notice { kind, .. } if kind == wanted);
        self.seen.iter().filter(of_kind).count()
    }

    fn errors(&self) -> Vec<String> {
        let code = |event: &Arc<Event>| match &event.body {
            EventBody::Error { data, .. } => Some(data.code.clone()),
            _ => None,
        };
        self.seen.iter().filter_map(code).collect()
    }

    fn text(&self) -> String {
        let text = |event: &Arc<Event>| match &event.body {
            EventBody::MessageChunk { text, .. } => Some(text.clone()),
            _ => None,
        };
        self.seen.iter().filter_map(text).collect()
    }
}

fn complete(body: &EventBody) -> bool {
    matches!(body, EventBody::Complete { .. })
}

fn chunk(body: &EventBody) -> bool {
    matches!(body, EventBody::MessageChunk { .. })
}

fn ended(body: &EventBody) -> bool {
    matches!(body, EventBody::SessionEnded { .. })
}

#[tokio::test]
async fn what_is_shown_was_kept_and_memory_holds_the_tail() {
    let stage = Stage::new(&[
        ("KANDEV_REHEARSAL_WORDS", "20000"),
        ("KANDEV_REHEARSAL_SPEED", "max"),
    ]);
    let mut talk = stage.start_as(|_, options| options.keeping = Keeping::Elsewhere);
    // What a recorder does: it writes, and says up to where.
    let (keeper, mut unkept) = (talk.session.keeper(), talk.session.watch_unkept(0));
    let (written, kept) = tokio::sync::watch::channel(0);
    let recorder = tokio::spawn(async move {
        let mut journal = Vec::new();
        while let Some(batch) = unkept.next().await {
            journal.extend(batch);
            let last = journal.last().map_or(0, |event: &Arc<Event>| event.seq);
            written.send_replace(last);
            keeper.kept(last);
        }
        journal
    });
    talk.prompt("go").await;
    let mut behind = 0;
    let mut seen = 0;
    loop {
        match timeout(LIMIT, talk.events.next_held())
            .await
            .unwrap()
            .unwrap()
        {
            Ok(batch) => {
                let last = batch.last().unwrap();
                assert!(
                    last.seq <= *kept.borrow(),
                    "it was shown before it was kept"
                );
                seen = last.seq;
                if batch.iter().any(|event| complete(&event.body)) {
                    break;
                }
            }
            Err(gap) => {
                behind += 1;
                assert!(gap.held_from > seen + 1);
                talk.events.seek(gap.held_from - 1);
            }
        }
    }
    let from = talk.session.held_from();
    assert!(from > 15_000, "memory begins at {from}, with {behind} gaps");
    talk.session.stop().await.unwrap();
    drop(talk);
    let journal = timeout(LIMIT, recorder).await.unwrap().unwrap();
    let seqs: Vec<u64> = journal.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    let words: String = (0..20_000).map(|number| format!("w{number} ")).collect();
    let told: String = journal
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::MessageChunk { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(told, words);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_cli_that_was_killed_is_followed_by_one_in_the_same_conversation_and_mode() {
    let stage = Stage::new(&[("KANDEV_REHEARSAL_WORDS", "400,200")]);
    let mut talk = stage.start();
    talk.info(|info| info.phase == Phase::Idle).await;
    let mode = "acceptEdits".to_owned();
    talk.session.set_permission_mode(mode).await.unwrap();
    talk.prompt("go").await;
    talk.until(chunk).await;
    stage.kill_cli();
    talk.until(ended).await;
    let failed = talk.info(|info| info.phase == Phase::Failed).await;
    assert!(
        failed
            .problem
            .unwrap()
            .contains("The next prompt resumes the conversation")
    );
    let before = talk.text();
    assert!(before.starts_with("w0 "), "what it said is kept: {before}");
    let said = talk.seen.len();

    talk.prompt("go on").await;
    talk.until(complete).await;
    let now = talk.session.info();
    assert_eq!(now.cli_session_id, failed.cli_session_id);
    assert_eq!(now.permission_mode.as_deref(), Some("acceptEdits"));
    let status = talk.seen[said..]
        .iter()
        .find_map(|event| match &event.body {
            EventBody::SessionStatus { data } => data.permission_mode.clone(),
            _ => None,
        });
    assert_eq!(
        status.as_deref(),
        Some("acceptEdits"),
        "it was started in it"
    );
    talk.session.stop().await.unwrap();
}

#[tokio::test]
async fn a_restored_session_counts_on_and_goes_on() {
    let stage = Stage::recorded("resume_session_at");
    let mut talk = stage.start();
    talk.prompt("go").await;
    talk.until(complete).await;
    talk.session.stop().await.unwrap();
    let info = talk.session.info();
    drop(talk);

    let mut again = stage.restore(&info);
    let restored = again.session.info();
    assert_eq!(
        (restored.phase, &restored.since),
        (Phase::Stopped, &info.since)
    );
    assert_eq!(restored.last_message_uuid, info.last_message_uuid);
    assert!(
        again.session.watch(0).next_held().await.unwrap().is_err(),
        "the past is elsewhere"
    );
    again.prompt("go on").await;
    again.until(complete).await;
    assert_eq!(again.seen[0].seq, info.last_seq + 1);
    assert_eq!(again.text(), "Other second.");
    assert_eq!(again.session.info().cli_session_id, info.cli_session_id);
    assert_eq!(again.session.info().title, info.title);
    again.session.stop().await.unwrap();
}

#[tokio::test]
async fn another_session_than_the_one_that_is_resumed_gets_nothing() {
    let mut stage = Stage::new(&[
        ("KANDEV_REHEARSAL_WORDS", "5"),
        ("KANDEV_REHEARSAL_SPEED", "max"),
    ]);
    let mut talk = stage.start();
    talk.prompt("go").await;
    talk.until(complete).await;
    talk.session.stop().await.unwrap();
    let info = talk.session.info();
    drop(talk);
    for (word, code) in [
        ("other-session", "other_session"),
        ("no-conversation", "no_conversation"),
        ("no-message", "no_message"),
    ] {
        stage.set(&[
            ("KANDEV_REHEARSAL_WORDS", "100000,100"),
            ("KANDEV_REHEARSAL_MISBEHAVE", word),
        ]);
        let mut again = stage.restore(&info);
        again.prompt("go on").await;
        again.until(ended).await;
        again.info(|info| info.phase == Phase::Failed).await;
        assert_eq!(again.errors(), [code]);
        assert_eq!(again.session.info().cli_session_id, info.cli_session_id);
        assert_eq!(again.notices("prompt_returned"), 1, "{word}");
        // Without bad manners it goes on where it was.
        stage.set(&[
            ("KANDEV_REHEARSAL_WORDS", "5"),
            ("KANDEV_REHEARSAL_SPEED", "max"),
        ]);
        let mut well = stage.restore(&again.session.info());
        drop(again);
        well.prompt("go on").await;
        well.until(complete).await;
        assert_eq!(well.session.info().cli_session_id, info.cli_session_id);
        well.session.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_fork_and_a_retry_go_on_by_themselves() {
    let stage = Stage::new(&[
        ("KANDEV_REHEARSAL_WORDS", "5"),
        ("KANDEV_REHEARSAL_SPEED", "max"),
    ]);
    let mut talk = stage.start();
    talk.prompt("go").await;
    talk.until(complete).await;
    let info = talk.session.info();
    let (at, own) = (info.last_message_uuid.clone(), info.cli_session_id.clone());
    assert!(at.is_some());
    talk.session
        .retry(at.clone(), "again".to_owned(), Vec::new())
        .await
        .unwrap();
    talk.until(ended).await;
    talk.until(complete).await;
    assert_eq!(talk.notices("retried_from"), 1);
    assert_eq!(talk.session.info().cli_session_id, own);
    let mut fork = stage.start_as(|request, _| {
        request.resume = own.clone();
        request.resume_at = at.clone();
        request.fork = true;
    });
    fork.prompt("go").await;
    fork.until(complete).await;
    let forked = fork.session.info();
    assert_ne!(forked.cli_session_id, own);
    assert_eq!(forked.forked_from, own);
    fork.session.stop().await.unwrap();
    talk.session.stop().await.unwrap();
}

#[tokio::test]
async fn a_cli_that_hears_nothing_is_stopped_by_force() {
    let manners = "ignore-interrupt,ignore-eof,child";
    let stage = Stage::new(&[
        ("KANDEV_REHEARSAL_WORDS", "1000000,50"),
        ("KANDEV_REHEARSAL_MISBEHAVE", manners),
    ]);
    let mut talk = stage.start();
    talk.prompt("go").await;
    talk.until(chunk).await;
    let session = talk.session.clone();
    let interrupt = tokio::spawn(async move { session.interrupt(false).await });
    let offered = talk.info(|info| info.force_stop).await;
    assert!(offered.next_step.unwrap().contains("by force"));
    assert_eq!(interrupt.await.unwrap().unwrap_err().code(), "no_answer");
    timeout(LIMIT, talk.session.stop()).await.unwrap().unwrap();
    let stopped = talk.session.info();
    assert_eq!((stopped.phase, stopped.force_stop), (Phase::Stopped, false));
    talk.session.stop().await.unwrap();
    talk.prompt("go on").await;
    let again = talk.info(|info| info.phase == Phase::Streaming).await;
    assert_eq!(again.cli_session_id, stopped.cli_session_id);
    talk.session.stop().await.unwrap();
}
