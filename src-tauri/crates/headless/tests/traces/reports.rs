//! A saved report, and the files of a session that is long enough to be rotated.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kandev_session::redact::Redactor;
use kandev_session::{
    Decision, NewSession, Phase, Policy, Rehearsal, Session, StartOptions, StopCheck,
};
use kandev_telemetry::{Options, Telemetry, page, report};
use kandev_transcript::EventBody;
use kandev_transport::{Guard, Search};
use serde_json::{Map, Value, json};

use crate::{Run, kinds, normalize, recording, values};

pub fn session(recording: &Path, workspace: &Path) -> Session {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_kandev"));
    let guard = Guard {
        program: program.clone(),
    };
    let mut options = StartOptions::new(Search::from_environment(), guard);
    options.rehearsal = Some(Rehearsal {
        program,
        args: vec![kandev_rehearsal::RUN_FLAG.into()],
        env: vec![
            ("KANDEV_REHEARSAL_SPEED".into(), "max".into()),
            ("KANDEV_REHEARSAL_DIR".into(), workspace.into()),
            ("KANDEV_REHEARSAL_RECORDING".into(), recording.into()),
        ],
    });
    let request = NewSession {
        stop_check: StopCheck::Off,
        ..NewSession::new(workspace.to_string_lossy().into_owned(), Policy::Rules)
    };
    Session::start("s-1".to_owned(), request, options)
}

/// Sends the prompt and allows what is asked, until the turn is over.
pub async fn turn(session: &Session, prompt: &str) {
    let mut events = session.watch(session.info().last_seq);
    session.prompt(prompt.to_owned(), Vec::new()).await.unwrap();
    loop {
        for event in events.next().await.unwrap() {
            match &event.body {
                EventBody::PermissionRequest(request) => {
                    let decision = Decision::Allow {
                        updated_input: None,
                        suggestions: Vec::new(),
                    };
                    let pending = request.pending_id.clone();
                    session.answer(pending, decision).await.unwrap();
                }
                EventBody::Complete { .. } => return,
                EventBody::SessionEnded { .. } => panic!("it ended: {:?}", session.info()),
                _ => {}
            }
        }
    }
}

pub async fn until_idle(session: &Session) {
    let mut info = session.info_changes();
    info.wait_for(|info| info.phase == Phase::Idle)
        .await
        .unwrap();
}

pub fn timeout<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        tokio::time::timeout(Duration::from_secs(60), work)
            .await
            .unwrap()
    })
}

#[test]
fn a_report_of_a_question_and_an_edit_plays_the_same_again() {
    let workspace = tempfile::tempdir().unwrap();
    let (text, seen) = timeout(async {
        let session = session(&recording("edit_allowed"), workspace.path());
        until_idle(&session).await;
        turn(&session, "go").await;
        until_idle(&session).await;
        let mut events = session.watch(0);
        let mut seen = Vec::new();
        while events.position() < session.info().last_seq {
            let batch = events.next().await.unwrap();
            seen.extend(
                batch
                    .iter()
                    .map(|event| serde_json::to_value(&**event).unwrap()),
            );
        }
        let home = workspace.path().parent().unwrap();
        let redactor = Redactor::from_environment().with_person(&home.to_string_lossy(), "nobody");
        let about = json!({ "app_version": "0.1.0", "model": "opus", "settings": { "api_key": "abcdefgh" } });
        let Value::Object(about) = about else {
            unreachable!()
        };
        let lines = session.raw(0, usize::MAX);
        let folder = workspace.path().to_string_lossy().into_owned();
        (report(&lines, &folder, about, Arc::new(redactor)), seen)
    });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.ndjson");
    fs::write(&file, &text).unwrap();

    let meta = &values(&text)[0];
    assert_eq!(meta["line"]["kandev"]["model"], "opus");
    assert_eq!(meta["line"]["kandev"]["settings"]["api_key"], "[redacted]");
    let home = workspace.path().parent().unwrap().join("");
    assert!(
        !text.contains(&*workspace.path().to_string_lossy()),
        "{} is named",
        home.display()
    );

    let played = Run::of(&file, &[], |_| {});
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    let mut again = kinds(&played.events);
    // The report is of a session that goes on; the one that plays it is ended.
    assert_eq!(again.pop().as_deref(), Some("session_ended"));
    assert_eq!(again, kinds(&seen));
    assert!(
        seen.iter()
            .any(|event| event["type"] == "permission_request")
    );
    assert!(
        seen.iter()
            .any(|event| event["type"] == "turn_diff_updated")
    );
    let normalized = kinds(&normalize(&file));
    assert_eq!(normalized, kinds(&seen));
}

#[test]
fn a_report_of_a_session_that_never_began_says_what_is_known() {
    let text = report(
        &[],
        "/work",
        Map::from_iter([("model".to_owned(), json!("opus"))]),
        Arc::default(),
    );
    let meta = &values(&text)[0];
    assert_eq!(
        (&meta["dir"], &meta["line"]["cwd"]),
        (&json!("meta"), &json!("/work"))
    );
    assert_eq!(meta["line"]["kandev"]["model"], "opus");
}

/// The pages that a person looks at hold every line once, with the numbers of its events.
#[test]
fn pages_of_raw_lines_go_on_where_the_one_before_ended() {
    let workspace = tempfile::tempdir().unwrap();
    timeout(async {
        let session = session(&recording("edit_allowed"), workspace.path());
        until_idle(&session).await;
        turn(&session, "go").await;
        until_idle(&session).await;
        let all = session.raw(0, usize::MAX);
        let redactor = Arc::default();
        let mut shown = Vec::new();
        let mut after = 0;
        loop {
            let lines = page(&session.raw(after, 7), &redactor);
            let Some(last) = lines.last() else { break };
            after = last.line.index;
            shown.extend(lines);
        }
        assert!(
            shown
                .iter()
                .map(|line| line.line.index)
                .eq(1..=all.len() as u64)
        );
        assert!(shown.iter().all(|line| line.left_out == 0));
        let mut seqs: Vec<u64> = Vec::new();
        for line in &shown {
            if line.line.first_seq > 0 {
                seqs.extend(line.line.first_seq..=line.line.last_seq);
            }
        }
        assert!(seqs.is_sorted() && seqs.len() > 20, "{seqs:?}");
        assert!(*seqs.last().unwrap() <= session.info().last_seq);
        session.stop().await.unwrap();
    });
}

/// Every file of a session that filled several can be played and normalized by itself.
#[test]
fn rotated_files_stand_by_themselves() {
    let workspace = tempfile::tempdir().unwrap();
    timeout(async {
        // The tour goes on for as many turns as it is asked for.
        let session = tour(workspace.path());
        let options = Options {
            endpoint: None,
            service: ("test", "0"),
            rotate_at: 20_000,
        };
        let following = Telemetry::new(options).follow(&session);
        until_idle(&session).await;
        for _ in 0..4 {
            turn(&session, "Show me what you can do.").await;
            until_idle(&session).await;
        }
        session.stop().await.unwrap();
        drop(session);
        following.end(Duration::from_secs(20)).await;
    });
    let folder = workspace.path().join(".kandev/debug");
    let raw: Vec<PathBuf> = (0..=2)
        .map(|age| match age {
            0 => folder.join("raw-streamjson-s-1.jsonl"),
            age => folder.join(format!("raw-streamjson-s-1.{age}.jsonl")),
        })
        .collect();
    for file in raw {
        let lines = values(&fs::read_to_string(&file).unwrap());
        assert_eq!(lines[0]["dir"], "meta", "{}", file.display());
        let initialize = lines
            .iter()
            .take(16)
            .any(|line| line["line"]["request"]["subtype"] == "initialize");
        assert!(initialize, "{}", file.display());
        let events = normalize(&file);
        let open = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
        assert_eq!(
            open("permission_request"),
            open("permission_resolved") + open("permission_cancelled")
        );
        assert!(
            !events.iter().any(|event| event["type"] == "unrecognized"),
            "{}",
            file.display()
        );
        let other = file
            .to_string_lossy()
            .replace("raw-streamjson", "normalized-streamjson");
        assert!(fs::metadata(other).unwrap().len() > 0);
    }
}

/// As the CLI writes it, the `type` of a result stands behind many other fields.
#[test]
fn a_full_file_is_followed_by_a_new_one_where_a_turn_ends() {
    let workspace = tempfile::tempdir().unwrap();
    timeout(async {
        let session = session(&recording("multi_turn"), workspace.path());
        let options = Options {
            endpoint: None,
            service: ("test", "0"),
            rotate_at: 22_000,
        };
        let following = Telemetry::new(options).follow(&session);
        until_idle(&session).await;
        for _ in 0..3 {
            turn(&session, "go on").await;
            until_idle(&session).await;
        }
        session.stop().await.unwrap();
        drop(session);
        following.end(Duration::from_secs(20)).await;
    });
    let older = workspace
        .path()
        .join(".kandev/debug/raw-streamjson-s-1.1.jsonl");
    let lines = values(&fs::read_to_string(older).unwrap());
    let prompts = lines
        .iter()
        .filter(|line| line["line"]["type"] == "user" && line["dir"] == "in");
    let results = lines.iter().filter(|line| line["line"]["type"] == "result");
    let (prompts, results) = (prompts.count(), results.count());
    assert!(prompts > 0, "{lines:?}");
    assert_eq!(prompts, results);
}

fn tour(workspace: &Path) -> Session {
    session(Path::new(""), workspace)
}
