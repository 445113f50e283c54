//! Sessions through real pipes: the rehearsal CLI with its bad manners, started, steered, broken and taken up again.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kandev_session::{
    Decision, NewSession, Phase, Policy, Rehearsal, Session, SessionInfo, StartOptions, StopCheck,
    Subscription,
};
use kandev_transcript::{Event, EventBody, PermissionRequest, SessionState, ToolStatus};
use kandev_transport::{Guard, Search};
use tempfile::TempDir;
use tokio::time::timeout;

/// How long anything in here may take; a test that needs it has failed.
const LIMIT: Duration = Duration::from_secs(60);

fn kandev() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_kandev"))
}

/// A session played by the rehearsal CLI.
struct Stage {
    session: Session,
    events: Subscription,
    seen: Vec<Arc<Event>>,
    folder: TempDir,
}

/// What it is played from: words of misbehaviour, and a recording in the place of the tour.
#[derive(Default)]
struct Play<'a> {
    misbehave: &'a str,
    recording: Option<&'a str>,
    policy: Policy,
    limit: Option<Duration>,
    /// A prompt that belongs to the start.
    first: Option<&'a str>,
}

impl Play<'_> {
    fn start(self) -> Stage {
        let folder = tempfile::tempdir().unwrap();
        let mut options =
            StartOptions::new(Search::from_environment(), Guard { program: kandev() });
        options.initialize_timeout = self.limit.unwrap_or(LIMIT);
        let mut env = vec![
            ("KANDEV_REHEARSAL_SPEED".into(), "max".into()),
            ("KANDEV_REHEARSAL_MISBEHAVE".into(), self.misbehave.into()),
            ("KANDEV_REHEARSAL_DIR".into(), folder.path().into()),
        ];
        if let Some(name) = self.recording {
            env.push(("KANDEV_REHEARSAL_RECORDING".into(), recording(name).into()));
        }
        let args = vec![kandev_rehearsal::RUN_FLAG.into()];
        options.rehearsal = Some(Rehearsal {
            program: kandev(),
            args,
            env,
        });
        let request = NewSession {
            stop_check: StopCheck::Off,
            ..NewSession::new(folder.path().to_str().unwrap().to_owned(), self.policy)
        };
        let id = "s1".to_owned();
        let session = match self.first {
            Some(text) => Session::start_with(id, request, options, text.to_owned(), Vec::new()),
            None => Session::start(id, request, options),
        };
        let events = session.watch(0);
        Stage {
            session,
            events,
            seen: Vec::new(),
            folder,
        }
    }
}

fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../tests/transcripts")
        .join(format!("{name}.ndjson"))
}

impl Stage {
    async fn prompt(&self, text: &str) {
        self.session
            .prompt(text.to_owned(), Vec::new())
            .await
            .unwrap();
    }

    /// Reads on until an event is the one that is looked for.
    async fn until<T>(&mut self, mut wanted: impl FnMut(&EventBody) -> Option<T>) -> T {
        let mut from = self.seen.len();
        loop {
            for event in &self.seen[from..] {
                if let Some(found) = wanted(&event.body) {
                    return found;
                }
            }
            from = self.seen.len();
            let batch = timeout(LIMIT, self.events.next())
                .await
                .unwrap_or_else(|_| panic!("only {:#?}", self.seen));
            self.seen.extend(batch.expect("the session goes on"));
        }
    }

    async fn question(&mut self) -> PermissionRequest {
        self.until(|body| match body {
            EventBody::PermissionRequest(request) => Some(request.clone()),
            _ => None,
        })
        .await
    }

    async fn phase(&self, wanted: Phase) -> SessionInfo {
        let mut changes = self.session.info_changes();
        let reached = timeout(LIMIT, changes.wait_for(|info| info.phase == wanted)).await;
        let info = self.session.info();
        reached
            .unwrap_or_else(|_| panic!("it stays in {info:?}"))
            .unwrap()
            .clone()
    }

    fn bodies(&self) -> impl Iterator<Item = &EventBody> {
        self.seen.iter().map(|event| &event.body)
    }

    fn returned(&self) -> Vec<&str> {
        self.bodies()
            .filter_map(|body| match body {
                EventBody::Notice { kind, data, .. } if kind == "prompt_returned" => {
                    data["text"].as_str()
                }
                _ => None,
            })
            .collect()
    }

    /// Reads what there is.
    async fn read_all(&mut self) {
        while self.events.position() < self.session.info().last_seq {
            let batch = self.events.next().await.unwrap();
            self.seen.extend(batch);
        }
    }
}

fn allow() -> Decision {
    Decision::Allow {
        updated_input: None,
        suggestions: Vec::new(),
    }
}

#[tokio::test]
async fn an_allowed_edit_changes_the_file_and_a_denied_one_does_not() {
    let mut stage = Play::default().start();
    stage.prompt("edit").await;
    let first = stage.question().await;
    assert_eq!(stage.session.info().phase, Phase::Approval);
    let file = PathBuf::from(first.input["file_path"].as_str().unwrap());
    let before = std::fs::read_to_string(&file).unwrap();
    let id = first.pending_id.clone();
    let deny = Decision::Deny {
        message: Some("leave it".to_owned()),
        interrupt: false,
    };
    stage.session.answer(id.clone(), deny).await.unwrap();
    let late = stage.session.answer(id, allow()).await.unwrap_err();
    assert_eq!(late.code(), "not_pending");
    let call = first.tool_call_id.clone().unwrap();
    let ended = |wanted: String| {
        move |body: &EventBody| match body {
            EventBody::ToolUpdate(update)
                if update.tool_call_id == wanted && update.tool_status != ToolStatus::Running =>
            {
                Some(update.tool_status)
            }
            _ => None,
        }
    };
    assert_eq!(stage.until(ended(call)).await, ToolStatus::Error);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);

    let second = stage.question().await;
    let file = PathBuf::from(second.input["file_path"].as_str().unwrap());
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    stage
        .session
        .answer(second.pending_id, allow())
        .await
        .unwrap();
    assert_eq!(
        stage.until(ended(second.tool_call_id.unwrap())).await,
        ToolStatus::Complete
    );
    assert_ne!(std::fs::read_to_string(&file).unwrap(), before);
    stage.session.stop().await.unwrap();
}

#[tokio::test]
async fn every_watcher_gets_the_same_journal_from_wherever_it_begins() {
    let mut stage = Play::default().start();
    stage.prompt("search").await;
    stage.phase(Phase::Idle).await;
    stage.session.stop().await.unwrap();
    stage.read_all().await;
    let all: Vec<u64> = stage.seen.iter().map(|event| event.seq).collect();
    assert_eq!(all, (1..=stage.session.info().last_seq).collect::<Vec<_>>());
    let middle = all.len() as u64 / 2;
    let mut late = stage.session.watch(middle);
    let mut seqs = Vec::new();
    while late.position() < stage.session.info().last_seq {
        seqs.extend(late.next().await.unwrap().iter().map(|event| event.seq));
    }
    assert_eq!(seqs, (middle + 1..=all.len() as u64).collect::<Vec<_>>());
}

#[tokio::test]
async fn stopping_tells_the_whole_end_before_it_returns() {
    let mut stage = Play::default().start();
    stage.prompt("bash").await;
    stage.question().await;
    stage.session.stop().await.unwrap();
    assert_eq!(stage.session.info().phase, Phase::Stopped);
    stage.read_all().await;
    let last = stage.seen.last().unwrap();
    assert_eq!(
        last.body,
        EventBody::SessionState {
            state: SessionState::Ended
        }
    );
    assert!(
        stage
            .bodies()
            .any(|body| matches!(body, EventBody::SessionEnded { data } if data.expected))
    );
    stage.session.stop().await.unwrap();
}

#[tokio::test]
async fn an_interrupt_ends_the_turn_and_the_session_goes_on() {
    let mut stage = Play::default().start();
    stage.prompt("bash").await;
    let request = stage.question().await;
    stage.session.interrupt(false).await.unwrap();
    stage
        .until(|body| match body {
            EventBody::PermissionCancelled { pending_id } if *pending_id == request.pending_id => {
                Some(())
            }
            _ => None,
        })
        .await;
    stage.phase(Phase::Idle).await;
    stage.prompt("search").await;
    stage
        .until(|body| match body {
            EventBody::Complete { data } if !data.is_error => Some(()),
            _ => None,
        })
        .await;
    stage.session.stop().await.unwrap();
}

#[tokio::test]
async fn the_mode_shown_is_the_one_that_the_cli_confirmed() {
    let stage = Play::default().start();
    stage.phase(Phase::Idle).await;
    stage
        .session
        .set_permission_mode("plan".to_owned())
        .await
        .unwrap();
    assert_eq!(
        stage.session.info().permission_mode.as_deref(),
        Some("plan")
    );
    let refused = stage
        .session
        .set_permission_mode("bypassPermissions".to_owned())
        .await
        .unwrap_err();
    assert_eq!(refused.code(), "bad_mode");
    assert_eq!(
        stage.session.info().permission_mode.as_deref(),
        Some("plan")
    );
    stage.session.stop().await.unwrap();
}

#[tokio::test]
async fn a_prompt_to_a_stopped_session_takes_it_up_again() {
    let mut stage = Play::default().start();
    stage.prompt("search").await;
    stage.phase(Phase::Idle).await;
    let first = stage.session.info().cli_session_id.unwrap();
    stage.session.stop().await.unwrap();
    stage.read_all().await;
    stage.prompt("search").await;
    stage
        .until(|body| match body {
            EventBody::Complete { .. } => Some(()),
            _ => None,
        })
        .await;
    let info = stage.session.info();
    assert_eq!((info.cli_session_id, info.problem), (Some(first), None));
    stage.session.stop().await.unwrap();
}

#[tokio::test]
async fn a_cli_that_exits_at_once_is_told_with_its_last_words() {
    let mut stage = Play {
        misbehave: "exit-at-once:the disk is full",
        first: Some("hello"),
        ..Play::default()
    }
    .start();
    let info = stage.phase(Phase::Failed).await;
    assert!(
        info.problem
            .as_deref()
            .unwrap()
            .contains("the disk is full"),
        "{info:?}"
    );
    stage.read_all().await;
    assert_eq!(stage.returned(), ["hello"]);
    assert_eq!(
        stage
            .bodies()
            .filter(|body| matches!(body, EventBody::Error { .. }))
            .count(),
        1
    );
}

#[tokio::test]
async fn a_cli_that_hangs_at_initialize_is_ended() {
    let limit = Some(Duration::from_millis(300));
    let mut stage = Play {
        misbehave: "hang-at-initialize",
        limit,
        first: Some("hello"),
        ..Play::default()
    }
    .start();
    let info = stage.phase(Phase::Failed).await;
    assert!(
        info.problem
            .as_deref()
            .unwrap()
            .contains("did not answer `initialize`"),
        "{info:?}"
    );
    stage.read_all().await;
    assert_eq!(stage.returned(), ["hello"]);
}

#[tokio::test]
async fn a_cli_that_dies_in_mid_turn_leaves_what_it_said_and_can_be_taken_up() {
    for end in ["die:9", "die:SIGKILL"] {
        let mut stage = Play {
            misbehave: &format!("{end},after:12"),
            ..Play::default()
        }
        .start();
        stage.prompt("search").await;
        let info = stage.phase(Phase::Failed).await;
        assert!(
            info.problem
                .as_deref()
                .unwrap()
                .contains("in the middle of a turn"),
            "{info:?}"
        );
        stage.read_all().await;
        assert!(
            stage
                .bodies()
                .any(|body| matches!(body, EventBody::SessionStatus { .. })),
            "{:#?}",
            stage.seen
        );
        assert_eq!(stage.returned(), [""; 0], "the turn had begun");
        assert_eq!(
            stage
                .bodies()
                .filter(|body| matches!(body, EventBody::Error { .. }))
                .count(),
            1
        );
        stage.session.resume().await.unwrap();
        stage.phase(Phase::Idle).await;
        stage.session.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_cli_that_hangs_in_mid_turn_can_be_stopped() {
    let misbehave = "hang-mid-turn,ignore-interrupt,ignore-eof,child";
    let stage = Play {
        misbehave,
        ..Play::default()
    }
    .start();
    stage.prompt("search").await;
    stage.phase(Phase::Thinking).await;
    timeout(LIMIT, stage.session.stop()).await.unwrap().unwrap();
    assert_eq!(stage.session.info().phase, Phase::Stopped);
}

#[tokio::test]
async fn garbage_between_the_lines_is_kept_and_harms_nothing() {
    let mut stage = Play {
        misbehave: "garbage,split",
        ..Play::default()
    }
    .start();
    stage.prompt("search").await;
    stage
        .until(|body| match body {
            EventBody::Complete { data } => (!data.is_error).then_some(()),
            _ => None,
        })
        .await;
    stage.session.stop().await.unwrap();
    stage.read_all().await;
    assert!(
        stage
            .bodies()
            .any(|body| matches!(body, EventBody::Unrecognized { .. }))
    );
}

#[tokio::test]
async fn a_flood_can_be_interrupted_while_nobody_reads() {
    let stage = Play {
        misbehave: "flood:50000",
        ..Play::default()
    }
    .start();
    stage.prompt("search").await;
    stage.phase(Phase::Streaming).await;
    // Nobody reads the journal meanwhile: the session is not held up by that.
    timeout(LIMIT, stage.session.interrupt(false))
        .await
        .unwrap()
        .unwrap();
    stage.session.stop().await.unwrap();
}

#[tokio::test]
async fn a_session_that_nobody_holds_leaves_no_process() {
    let mut stage = Play::default().start();
    stage.prompt("bash").await;
    stage.question().await;
    let Stage {
        session,
        mut events,
        folder,
        ..
    } = stage;
    drop(session);
    // The journal ends when the actor does, and that is after the process is gone.
    while timeout(LIMIT, events.next()).await.unwrap().is_some() {}
    assert_eq!(processes_in(folder.path()), 0);
}

/// How many processes have this rehearsal's folder in their environment.
fn processes_in(folder: &Path) -> usize {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return 0;
    };
    let needle = format!("KANDEV_REHEARSAL_DIR={}", folder.display());
    let environment = |entry: std::fs::DirEntry| std::fs::read(entry.path().join("environ")).ok();
    let is_ours = |environment: &Vec<u8>| {
        environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == needle.as_bytes())
    };
    processes
        .flatten()
        .filter_map(environment)
        .filter(is_ours)
        .count()
}

#[tokio::test]
async fn a_recorded_question_is_answered_and_counted() {
    let mut stage = Play {
        recording: Some("edit_allowed"),
        policy: Policy::Rules,
        ..Play::default()
    }
    .start();
    stage.prompt("Change it").await;
    let request = stage.question().await;
    let info = stage.session.info();
    assert_eq!(info.waiting, 1);
    assert!(info.waiting_for.unwrap().contains(&request.tool_name));
    stage
        .session
        .answer(request.pending_id, allow())
        .await
        .unwrap();
    let cost = stage
        .until(|body| match body {
            EventBody::Complete { data } => Some(data.total_cost_usd),
            _ => None,
        })
        .await;
    assert!(cost.is_some());
    stage.session.stop().await.unwrap();
}
