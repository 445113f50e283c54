//! The actor: picks what happened, lets [`State`] decide, carries it out. The only task that writes to the CLI and to the
//! journal. It waits for no person and for no watcher.

use std::future::pending;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kandev_transcript::{Event, Files};
use kandev_transport::{Exit, Output, Process};
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::command::Command;
use crate::host_server::{HostServer, Said};
use crate::journal::{Journal, JournalReader};
use crate::launch::{Facts, LaunchError, Launched, launch, same_folder};
use crate::mcp_config::ConfigFile;
use crate::moment::Moment;
use crate::raw_log::{RawDir, RawLog, RawReader};
use crate::state::{Effect, Input, Setting, State};
use crate::{NewSession, Past, SessionInfo, StartOptions, stop_check};

/// How long a process may take to end when nobody holds its session any more.
const LAST_GRACE: Duration = Duration::from_secs(1);
/// The longest file that a diff is made against, in bytes.
const LONGEST_FILE: u64 = 16 << 20;

type Launching = Pin<Box<dyn Future<Output = Result<Launched, LaunchError>> + Send>>;

struct Actor {
    state: State,
    options: StartOptions,
    workspace: PathBuf,
    inbox: mpsc::UnboundedReceiver<Command>,
    journal: Journal,
    raw: RawLog,
    info: watch::Sender<SessionInfo>,
    launching: Option<Launching>,
    process: Option<Process>,
    /// What the process was told of MCP servers.
    mcp_config: Option<ConfigFile>,
    /// The MCP server that the process is offered.
    host: Option<HostServer>,
    /// Looks at the workspace that go on.
    checks: JoinSet<Input>,
    /// Processes that are being ended.
    endings: JoinSet<()>,
}

/// Starts the actor on the current runtime.
pub(crate) fn spawn(
    id: String,
    request: NewSession,
    past: Option<Past>,
    options: StartOptions,
    inbox: mpsc::UnboundedReceiver<Command>,
) -> (watch::Receiver<SessionInfo>, JournalReader, RawReader) {
    let workspace = PathBuf::from(&request.workspace);
    let setting = Setting {
        id,
        request,
        rehearsal: options.rehearsal.is_some(),
        host_server: options.host_tools.is_some(),
        initialize_timeout: options.initialize_timeout,
        silence_limit: options.silence_limit,
        same_folder,
    };
    let after = past.as_ref().map_or(0, |past| past.last_seq);
    let state = match past {
        None => State::new(setting, Box::new(OnDisk), Moment::now()),
        Some(past) => State::restored(setting, past, Box::new(OnDisk), Moment::now()),
    };
    let journal = Journal::new(options.keeping, after);
    let reader = journal.reader();
    let raw = RawLog::new();
    let raw_reader = raw.reader();
    let (info, changes) = watch::channel(state.info().clone());
    let actor = Actor {
        state,
        options,
        workspace,
        inbox,
        journal,
        raw,
        info,
        launching: None,
        process: None,
        mcp_config: None,
        host: None,
        checks: JoinSet::new(),
        endings: JoinSet::new(),
    };
    tokio::spawn(actor.run());
    (changes, reader, raw_reader)
}

impl Actor {
    async fn run(mut self) {
        self.step(Input::Begin);
        while let Some(input) = self.next_input().await {
            self.step(input);
        }
        // Nobody holds the session any more: nothing of it may stay behind.
        if let Some(process) = self.process.take() {
            process.child.terminate(LAST_GRACE).await;
        }
    }

    fn step(&mut self, input: Input) {
        let now = Moment::now();
        let at = now.wall.clone();
        let mut outcomes = Vec::new();
        for effect in self.state.handle(input, now) {
            match effect {
                Effect::Tell(done, outcome) => outcomes.push((done, outcome)),
                effect => self.perform(effect, &at),
            }
        }
        self.raw.settle();
        self.tell_info();
        // Whoever asked finds the journal and the row as they are after the deed.
        for (done, outcome) in outcomes {
            done.tell(outcome);
        }
    }

    /// What happens next; `None` when nobody can ask for anything any more.
    async fn next_input(&mut self) -> Option<Input> {
        let deadline = self.state.next_deadline();
        tokio::select! {
            // A flood of lines must not keep anybody from stopping it.
            biased;
            command = self.inbox.recv() => command.map(Input::Command),
            () = until(deadline) => Some(Input::Time),
            launched = launched(&mut self.launching) => Some(self.launched(launched)),
            Some(checked) = self.checks.join_next() => Some(checked.unwrap_or(Input::Time)),
            Some(_) = self.endings.join_next() => Some(Input::Time),
            said = said(&mut self.host) => Some(Input::Host(said)),
            output = output(&mut self.process) => Some(self.heard(output)),
        }
    }

    fn launched(&mut self, outcome: Result<Launched, LaunchError>) -> Input {
        self.launching = None;
        let facts = outcome.map(|launched| {
            let meta = json!({ "argv": launched.argv, "env": {}, "cwd": self.workspace });
            self.raw.line(RawDir::Meta, meta.to_string().into_bytes());
            self.process = Some(launched.process);
            self.mcp_config = launched.mcp_config;
            let tools = self.options.host_tools.clone();
            let folder = &self.state.info().workspace;
            self.host = tools.map(|tools| HostServer::new(tools, folder.clone()));
            launched.facts
        });
        Input::Launched(facts)
    }

    fn heard(&mut self, output: Option<Output>) -> Input {
        match output {
            Some(Output::Line(line)) => {
                let line = Arc::new(line);
                self.raw.line(RawDir::Out, Arc::clone(&line));
                Input::Line(line)
            }
            Some(Output::Overlong { bytes }) => {
                self.host_did(&json!({ "skipped_bytes": bytes }));
                Input::Overlong(bytes)
            }
            Some(Output::Stderr(line)) => {
                self.raw.line(RawDir::Err, line.clone().into_bytes());
                Input::Stderr(line)
            }
            Some(Output::Exited(exit)) => self.gone(exit),
            None => self.gone(Exit {
                code: None,
                signal: None,
            }),
        }
    }

    fn gone(&mut self, exit: Exit) -> Input {
        self.process = None;
        self.mcp_config = None;
        self.host = None;
        let how = json!({ "code": exit.code, "signal": exit.signal });
        self.raw.line(RawDir::Exit, how.to_string().into_bytes());
        Input::Exited(exit)
    }

    fn host_did(&mut self, what: &serde_json::Value) {
        self.raw.line(RawDir::Host, what.to_string().into_bytes());
    }

    fn perform(&mut self, effect: Effect, at: &str) {
        match effect {
            Effect::Launch(plan) => {
                self.launching = Some(Box::pin(launch(*plan, self.options.clone())))
            }
            Effect::AbortLaunch => self.launching = None,
            Effect::Write(line) => {
                if let Some(process) = &self.process {
                    self.raw.line(RawDir::In, line.clone().into_bytes());
                    // A pipe that is closed is the end of the process, which is told by its exit.
                    let _ = process.stdin.send(line);
                }
            }
            Effect::Answering { pending_id, by } => {
                self.host_did(&json!({ "answering": pending_id, "by": by }));
            }
            Effect::CloseStdin => {
                if let Some(process) = &self.process {
                    process.stdin.close();
                    self.host_did(&json!({ "stdin": "closed" }));
                }
            }
            Effect::Terminate { grace } => {
                if let Some(process) = &self.process {
                    let child = process.child.clone();
                    self.endings.spawn(async move {
                        child.terminate(grace).await;
                    });
                    self.host_did(&json!({ "signal": "SIGTERM" }));
                }
            }
            Effect::Abandon => {
                self.process = None;
                self.mcp_config = None;
                self.host = None;
            }
            Effect::Record(emitted) => {
                let seq = self.journal.last_seq() + 1;
                self.journal
                    .append(Event::new(seq, at.to_owned(), *emitted));
                self.raw.recorded(seq);
            }
            Effect::Tell(done, outcome) => done.tell(outcome),
            Effect::Host {
                request_id,
                message,
            } => {
                if let Some(host) = &mut self.host {
                    host.hear(request_id, &message);
                }
            }
            Effect::CheckStop { request_id } => {
                let workspace = self.workspace.clone();
                self.checks.spawn(async move {
                    let findings = stop_check::look(&workspace).await;
                    Input::StopChecked {
                        request_id,
                        findings,
                    }
                });
            }
        }
    }

    fn tell_info(&self) {
        let newest = self.journal.last_seq();
        let info = self.state.info();
        self.info.send_if_modified(|shown| {
            let seq = std::mem::replace(&mut shown.last_seq, info.last_seq);
            let changed = shown != info;
            if changed {
                shown.clone_from(info);
            }
            shown.last_seq = newest.max(seq);
            changed
        });
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => pending().await,
    }
}

async fn launched(launching: &mut Option<Launching>) -> Result<Launched, LaunchError> {
    match launching {
        Some(launching) => launching.await,
        None => pending().await,
    }
}

async fn said(host: &mut Option<HostServer>) -> Said {
    match host {
        Some(host) => host.said().await,
        None => pending().await,
    }
}

async fn output(process: &mut Option<Process>) -> Option<Output> {
    match process {
        Some(process) => process.events.recv().await,
        None => pending().await,
    }
}

/// Files as they are now. A pipe or a device is no file, for reading it may never end.
struct OnDisk;

impl Files for OnDisk {
    fn read(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        let metadata = std::fs::metadata(path).ok()?;
        if !path.is_absolute() || !metadata.is_file() || metadata.len() > LONGEST_FILE {
            return None;
        }
        std::fs::read_to_string(path).ok()
    }
}

// What the actor hands to tasks of its own.
const _: fn() = || {
    fn sent<T: Send>() {}
    sent::<Actor>();
    sent::<Facts>();
};
