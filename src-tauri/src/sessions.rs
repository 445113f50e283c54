//! The sessions of this app while it runs: managed state, found by our id.
//!
//! One that has an actor is here; what is kept of all of them is in `records`. An actor is made when something is asked of
//! a session that only one can do, and not to read it.

mod actors;
mod acts;
mod follower;
mod going_on;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kandev_session::{
    HostTools, Keeping, McpServers, NewSession, Phase, Policy, Rehearsal, Session, SessionInfo,
    StartOptions, StopCheck,
};
use kandev_transport::{Guard, Search};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::api::{CommandError, FirstPrompt};
use crate::args::Speed;
use crate::past::listing::Listing;
use crate::pump::List;
use crate::reading::Reading;
use crate::records::{Look, Records};
use crate::watchers::Watchers;

use actors::{Actors, Entry, publish};
use follower::Hold;

/// How long the end of the app waits for the sessions to end. The guards see to the rest.
const STOP_LIMIT: Duration = Duration::from_secs(8);
/// How long it waits, after that, until what they said is kept.
const KEEP_LIMIT: Duration = Duration::from_secs(3);

/// How long it waits for what runs behind: a search that is taken in, a folder that is read.
const CLOSE_LIMIT: Duration = Duration::from_secs(1);

/// With what a session is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// A CLI that was chosen for all; none: the one that is found.
    pub cli: Option<PathBuf>,
    /// After how much silence a running turn is reported.
    pub silence_limit: Duration,
    /// For a session that was begun without one.
    pub policy: Policy,
    pub stop_check: StopCheck,
}

impl Default for Launch {
    fn default() -> Self {
        Self {
            cli: None,
            silence_limit: Duration::from_secs(120),
            policy: Policy::default(),
            stop_check: StopCheck::default(),
        }
    }
}

/// What every session of a real CLI is given, besides what is asked for it.
#[derive(Default)]
pub struct Equipment {
    pub mcp_servers: Option<Arc<dyn McpServers>>,
    pub host_tools: Option<Arc<dyn HostTools>>,
    pub watchers: Watchers,
    /// How sessions are started now.
    pub launch: Option<Box<dyn Fn() -> Launch + Send + Sync>>,
    /// Told of a session whose journal is another one than it was, so that it is to be opened again.
    pub on_anew: Option<OnAnew>,
}

type OnAnew = Arc<dyn Fn(&str) + Send + Sync>;

/// Managed state. Everything runs on the tokio runtime that it was made on.
pub struct Sessions {
    equipment: Equipment,
    records: Records,
    actors: Actors,
    listing: Listing,
    list: watch::Receiver<List>,
    publisher: JoinHandle<()>,
    /// Two must not take up the same session.
    taking_up: tokio::sync::Mutex<()>,
}

impl Drop for Sessions {
    fn drop(&mut self) {
        self.publisher.abort();
    }
}

impl Sessions {
    pub fn new(equipment: Equipment, records: Records) -> Self {
        let actors = Actors::new(records.news_sender());
        let lives = actors.clone();
        let on_anew = anew(equipment.on_anew.clone());
        records.listen(move |id| lives.lives(id), on_anew);
        let listing = Listing::start(records.clone());
        let (sender, list) = watch::channel(List::default());
        let publisher = tokio::spawn(publish(actors.clone(), listing.rows(), sender));
        Self {
            equipment,
            records,
            actors,
            listing,
            list,
            publisher,
            taking_up: tokio::sync::Mutex::default(),
        }
    }

    /// The lists, newest first, whenever a row of them changes.
    pub fn list(&self) -> watch::Receiver<List> {
        self.list.clone()
    }

    /// What is kept of the sessions.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// Something was changed that a person waits to see in the list.
    pub fn list_again(&self) {
        self.listing.again();
    }

    /// The session's events after this number, and those that come, whether it has an actor or not.
    pub fn read(&self, id: &str, after: u64) -> Reading<Kept> {
        let kept = Kept {
            records: self.records.clone(),
            actors: self.actors.clone(),
            _look: Arc::new(self.records.look(id)),
        };
        Reading::new(kept, id, after)
    }

    /// Starts a session in an existing folder. The CLI that was chosen for all is taken when the request names none.
    ///
    /// # Errors
    /// `owned` when it would go on with a conversation that is open elsewhere.
    pub async fn start(
        &self,
        request: NewSession,
        first: Option<FirstPrompt>,
    ) -> Result<SessionInfo, CommandError> {
        let options = self.options()?;
        let hold = Hold::default();
        if let Some(cli) = request.resume.as_deref().filter(|_| !request.fork) {
            self.claim(&hold, cli).await?;
        }
        let id = uuid::Uuid::new_v4().to_string();
        let session = match first {
            Some(FirstPrompt { text, images }) => {
                Session::start_with(id, request.clone(), options, text, images)
            }
            None => Session::start(id, request.clone(), options),
        };
        Ok(self.add(session, &request, hold, None))
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
            keeping: Keeping::Elsewhere,
            ..StartOptions::new(search(None), guard)
        };
        let request = NewSession {
            stop_check: StopCheck::Off,
            ..NewSession::new(folder.to_string_lossy().into_owned(), Policy::Supervised)
        };
        let id = uuid::Uuid::new_v4().to_string();
        let session = Session::start(id, request.clone(), options);
        Ok(self.add(session, &request, Hold::default(), Some(scratch)))
    }

    /// The actor of a session that has one.
    ///
    /// # Errors
    /// `no_such_session`.
    pub fn get(&self, id: &str) -> Result<Session, CommandError> {
        self.actors
            .get(id)
            .ok_or_else(|| CommandError::new("no_such_session", "no process runs for this session"))
    }

    /// Takes the actor off an ended session. What it said is kept, and its row is one of the past.
    ///
    /// # Errors
    /// `no_such_session`, `still_running`.
    pub async fn remove(&self, id: &str) -> Result<(), CommandError> {
        let session = self.get(id)?;
        if !is_over(session.info().phase) {
            return Err(CommandError::new(
                "still_running",
                "the session still runs: stop it first",
            ));
        }
        drop(session);
        self.let_go(id).await;
        Ok(())
    }

    /// Ends all processes, and returns when they are gone and what they said is kept, or the time is up.
    pub async fn stop_all(&self) {
        let mut stops: JoinSet<_> = self
            .actors
            .all()
            .into_iter()
            .map(|session| async move { session.stop().await })
            .collect();
        let all = async { while stops.join_next().await.is_some() {} };
        // What is not gone by then goes with this process: each tree has its guard.
        let _ = tokio::time::timeout(STOP_LIMIT, all).await;
        let mut keeps: JoinSet<_> = self.actors.take_all().into_iter().map(Entry::end).collect();
        let keep = async { while keeps.join_next().await.is_some() {} };
        // What is not kept by then was told: writing has failed before.
        let keep = tokio::time::timeout(KEEP_LIMIT, keep);
        let _ = tokio::join!(keep, self.equipment.watchers.close());
        let records = self.records.clone();
        let close = tokio::task::spawn_blocking(move || records.close());
        let _ = tokio::time::timeout(CLOSE_LIMIT, close).await;
    }

    fn on_anew(&self) -> impl Fn(&str) + Send + Sync + 'static {
        anew(self.equipment.on_anew.clone())
    }

    fn launch(&self) -> Launch {
        let launch = self.equipment.launch.as_ref();
        launch.map(|launch| launch()).unwrap_or_default()
    }

    fn options(&self) -> Result<StartOptions, CommandError> {
        let launch = self.launch();
        Ok(StartOptions {
            silence_limit: launch.silence_limit,
            mcp_servers: self.equipment.mcp_servers.clone(),
            host_tools: self.equipment.host_tools.clone(),
            keeping: Keeping::Elsewhere,
            ..StartOptions::new(search(launch.cli), Guard::this_executable()?)
        })
    }

    fn add(
        &self,
        session: Session,
        request: &NewSession,
        hold: Hold,
        scratch: Option<TempDir>,
    ) -> SessionInfo {
        let following = self.records.follow(&session, request);
        self.equipment.watchers.follow(&session);
        let info = session.info();
        let entry = Entry::new(
            session,
            following,
            hold,
            self.records.clone(),
            &self.actors,
            scratch,
        );
        self.actors.insert(info.id.clone(), entry);
        info
    }
}

/// Where a window reads the events of a session.
#[derive(Clone)]
pub struct Kept {
    records: Records,
    actors: Actors,
    _look: Arc<Look>,
}

impl crate::reading::Journal for Kept {
    async fn after(
        &self,
        id: &str,
        after: u64,
        rows: usize,
    ) -> Result<Vec<kandev_transcript::Event>, CommandError> {
        let id = id.to_owned();
        self.records
            .with(move |store| store.events_after(&id, after, rows))
            .await
    }

    fn actor(&self, id: &str) -> Option<Session> {
        self.actors.get(id)
    }

    fn news(&self) -> watch::Receiver<u64> {
        self.records.news()
    }
}

fn anew(tell: Option<OnAnew>) -> impl Fn(&str) + Send + Sync + 'static {
    move |id| {
        if let Some(tell) = &tell {
            tell(id);
        }
    }
}

/// No process carries it.
pub fn is_over(phase: Phase) -> bool {
    matches!(phase, Phase::Stopped | Phase::Failed)
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
