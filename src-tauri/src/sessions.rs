//! The sessions of this app while it runs: managed state, found by our id.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indexmap::IndexMap;
use kandev_session::{
    HostTools, McpServers, NewSession, Phase, Policy, Rehearsal, Session, SessionInfo,
    StartOptions, StopCheck,
};
use kandev_transport::{Guard, Search};
use tempfile::TempDir;
use tokio::sync::{Notify, watch};
use tokio::task::{JoinHandle, JoinSet};

use crate::api::{CommandError, FirstPrompt};
use crate::args::Speed;
use crate::pump::List;
use crate::watchers::Watchers;

/// The list is made anew at most this often.
const LIST_TICK: Duration = Duration::from_millis(16);
/// How long the end of the app waits for the sessions to end. The guards see to the rest.
const STOP_LIMIT: Duration = Duration::from_secs(8);

/// What every session of a real CLI is given, besides what is asked for it.
#[derive(Default)]
pub struct Equipment {
    pub mcp_servers: Option<Arc<dyn McpServers>>,
    pub host_tools: Option<Arc<dyn HostTools>>,
    pub watchers: Watchers,
}

/// Managed state. Everything runs on the tokio runtime that it was made on.
pub struct Sessions {
    equipment: Equipment,
    open: Arc<Mutex<IndexMap<String, Entry>>>,
    changed: Arc<Notify>,
    list: watch::Receiver<List>,
    publisher: JoinHandle<()>,
}

struct Entry {
    session: Session,
    /// Says that a row changed, for as long as the session is on the list.
    follower: JoinHandle<()>,
    /// The folder of a rehearsal; gone with the entry.
    _scratch: Option<TempDir>,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.follower.abort();
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        self.publisher.abort();
    }
}

impl Sessions {
    pub fn new(equipment: Equipment) -> Self {
        let open = Arc::<Mutex<IndexMap<String, Entry>>>::default();
        let changed = Arc::new(Notify::new());
        let (sender, list) = watch::channel(List::default());
        let publisher = tokio::spawn(publish(Arc::clone(&open), Arc::clone(&changed), sender));
        Self {
            equipment,
            open,
            changed,
            list,
            publisher,
        }
    }

    /// The list, newest first, whenever a row of it changes.
    pub fn list(&self) -> watch::Receiver<List> {
        self.list.clone()
    }

    /// Starts a session in an existing folder. `cli` is taken when the request names none.
    pub fn start(
        &self,
        request: NewSession,
        first: Option<FirstPrompt>,
        cli: Option<PathBuf>,
        silence_limit: Duration,
    ) -> Result<SessionInfo, CommandError> {
        let options = StartOptions {
            silence_limit,
            mcp_servers: self.equipment.mcp_servers.clone(),
            host_tools: self.equipment.host_tools.clone(),
            ..StartOptions::new(search(cli), Guard::this_executable()?)
        };
        Ok(self.open(request, first, options, None))
    }

    /// Starts a session that the rehearsal CLI plays, in a scratch folder of its own: the tour, or a recording.
    pub fn rehearse(
        &self,
        recording: Option<&Path>,
        speed: Speed,
    ) -> Result<SessionInfo, CommandError> {
        let scratch = tempfile::Builder::new()
            .prefix("kandev-rehearsal-")
            .tempdir()
            .map_err(|error| {
                CommandError::new(
                    "no_scratch_folder",
                    format!("the rehearsal has no folder to work in: {error}"),
                )
            })?;
        let folder = scratch
            .path()
            .canonicalize()
            .unwrap_or_else(|_| scratch.path().to_owned());
        let guard = Guard::this_executable()?;
        let rehearsal = Rehearsal {
            program: guard.program.clone(),
            args: rehearsal_args(recording, speed),
            env: vec![(
                "KANDEV_REHEARSAL_DIR".into(),
                folder.clone().into_os_string(),
            )],
        };
        let options = StartOptions {
            rehearsal: Some(rehearsal),
            ..StartOptions::new(search(None), guard)
        };
        let request = NewSession {
            workspace: folder.to_string_lossy().into_owned(),
            policy: Policy::Supervised,
            permission_mode: None,
            model: None,
            effort: None,
            env: Vec::new(),
            cli_path: None,
            resume: None,
            resume_at: None,
            fork: false,
            stop_check: StopCheck::Off,
            permission_timeout_s: None,
        };
        Ok(self.open(request, None, options, Some(scratch)))
    }

    pub fn get(&self, id: &str) -> Result<Session, CommandError> {
        lock(&self.open)
            .get(id)
            .map(|entry| entry.session.clone())
            .ok_or_else(|| {
                CommandError::new("no_such_session", "the session is not on the list any more")
            })
    }

    /// Takes an ended session off the list.
    pub fn remove(&self, id: &str) -> Result<(), CommandError> {
        let phase = self.get(id)?.info().phase;
        if !matches!(phase, Phase::Stopped | Phase::Failed) {
            return Err(CommandError::new(
                "still_running",
                "the session still runs: stop it first",
            ));
        }
        let entry = lock(&self.open).shift_remove(id);
        drop(entry);
        self.changed.notify_one();
        Ok(())
    }

    /// Ends all processes, and returns when they are gone or the time is up.
    pub async fn stop_all(&self) {
        let sessions: Vec<_> = lock(&self.open)
            .values()
            .map(|entry| entry.session.clone())
            .collect();
        let mut stops: JoinSet<_> = sessions
            .into_iter()
            .map(|session| async move { session.stop().await })
            .collect();
        let all = async { while stops.join_next().await.is_some() {} };
        // What is not gone by then goes with this process: each tree has its guard.
        let _ = tokio::time::timeout(STOP_LIMIT, all).await;
        let entries = std::mem::take(&mut *lock(&self.open));
        drop(entries);
        self.equipment.watchers.close().await;
    }

    fn open(
        &self,
        request: NewSession,
        first: Option<FirstPrompt>,
        options: StartOptions,
        scratch: Option<TempDir>,
    ) -> SessionInfo {
        let id = uuid::Uuid::new_v4().to_string();
        let session = match first {
            Some(FirstPrompt { text, images }) => {
                Session::start_with(id.clone(), request, options, text, images)
            }
            None => Session::start(id.clone(), request, options),
        };
        self.equipment.watchers.follow(&session);
        let info = session.info();
        let mut changes = session.info_changes();
        let changed = Arc::clone(&self.changed);
        let follower = tokio::spawn(async move {
            while changes.changed().await.is_ok() {
                changed.notify_one();
            }
        });
        lock(&self.open).insert(
            id,
            Entry {
                session,
                follower,
                _scratch: scratch,
            },
        );
        self.changed.notify_one();
        info
    }
}

/// Where a session looks for its CLI: as this process was started, or in the chosen file alone.
pub fn search(chosen: Option<PathBuf>) -> Search {
    Search {
        chosen,
        ..Search::from_environment()
    }
}

fn rehearsal_args(recording: Option<&Path>, speed: Speed) -> Vec<OsString> {
    let speed = match speed {
        Speed::Real => "real",
        Speed::Max => "max",
    };
    let mut args: Vec<OsString> = vec![
        kandev_rehearsal::RUN_FLAG.into(),
        "--speed".into(),
        speed.into(),
    ];
    if let Some(file) = recording {
        args.extend(["--recording".into(), file.as_os_str().to_owned()]);
    }
    args
}

async fn publish(
    open: Arc<Mutex<IndexMap<String, Entry>>>,
    changed: Arc<Notify>,
    list: watch::Sender<List>,
) {
    loop {
        changed.notified().await;
        let rows: Vec<SessionInfo> = lock(&open)
            .values()
            .rev()
            .map(|entry| entry.session.info())
            .collect();
        list.send_if_modified(|old| {
            let differs = **old != rows;
            if differs {
                *old = Arc::new(rows);
            }
            differs
        });
        tokio::time::sleep(LIST_TICK).await;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use kandev_transcript::EventBody;

    use super::*;

    /// A session whose CLI is not there: it fails without a process.
    fn start(sessions: &Sessions, workspace: &Path) -> SessionInfo {
        start_with(sessions, workspace, None)
    }

    fn start_with(
        sessions: &Sessions,
        workspace: &Path,
        first: Option<FirstPrompt>,
    ) -> SessionInfo {
        let request = NewSession {
            workspace: workspace.to_string_lossy().into_owned(),
            policy: Policy::Supervised,
            permission_mode: None,
            model: None,
            effort: None,
            env: Vec::new(),
            cli_path: None,
            resume: None,
            resume_at: None,
            fork: false,
            stop_check: StopCheck::Off,
            permission_timeout_s: None,
        };
        sessions
            .start(
                request,
                first,
                Some(workspace.join("no-such-claude")),
                Duration::from_secs(120),
            )
            .unwrap()
    }

    #[tokio::test]
    async fn the_list_is_newest_first_and_follows_what_becomes_of_a_session() {
        let home = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(Equipment::default());
        let first = start(&sessions, home.path());
        let second = start(&sessions, home.path());
        assert_eq!(first.phase, Phase::Starting);
        let mut list = sessions.list();
        let rows = list
            .wait_for(|rows| rows.len() == 2 && rows.iter().all(|row| row.phase == Phase::Failed))
            .await
            .unwrap()
            .clone();
        assert_eq!([&rows[0].id, &rows[1].id], [&second.id, &first.id]);
        assert!(rows[0].problem.is_some());
    }

    #[tokio::test]
    async fn a_first_prompt_comes_back_with_the_start_that_failed_and_tries_no_second_one() {
        let home = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(Equipment::default());
        let first = FirstPrompt {
            text: "begin".to_owned(),
            images: Vec::new(),
        };
        let info = start_with(&sessions, home.path(), Some(first));
        let mut events = sessions.get(&info.id).unwrap().watch(0);
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
    async fn only_an_ended_session_leaves_the_list_and_then_it_is_unknown() {
        let home = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(Equipment::default());
        let info = start(&sessions, home.path());
        assert_eq!(sessions.remove(&info.id).unwrap_err().code, "still_running");
        let mut list = sessions.list();
        list.wait_for(|rows| rows.iter().any(|row| row.phase == Phase::Failed))
            .await
            .unwrap();
        sessions.remove(&info.id).unwrap();
        list.wait_for(|rows| rows.is_empty()).await.unwrap();
        assert_eq!(
            sessions.remove(&info.id).unwrap_err().code,
            "no_such_session"
        );
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
}
