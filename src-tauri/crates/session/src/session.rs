//! The handle on a session: cheap to clone, hides the actor behind it.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kandev_transcript::ResolvedBy;
use kandev_transport::{Guard, Search};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

use crate::actor;
use crate::command::{Command, Done, Outcome};
use crate::journal::{JournalReader, Keeper, Keeping};
use crate::raw_log::RawReader;
use crate::{
    Decision, HostTools, McpServers, NewSession, Past, PromptImage, RawEntry, RawSubscription,
    SessionError, SessionInfo, Subscription, redact,
};

/// How sessions are started on this machine.
#[derive(Clone)]
pub struct StartOptions {
    /// Where the CLI is looked for. [`NewSession::cli_path`] goes before its `chosen`.
    pub search: Search,
    pub guard: Guard,
    /// Plays the CLI in the place of one that is looked for.
    pub rehearsal: Option<Rehearsal>,
    /// How long the CLI may take to answer `initialize`.
    pub initialize_timeout: Duration,
    /// After how much silence a running turn is reported.
    pub silence_limit: Duration,
    /// Where the MCP servers come from that each process of the session is given.
    pub mcp_servers: Option<Arc<dyn McpServers>>,
    /// What the tools of the host's own MCP server do; without it the CLI is offered none.
    pub host_tools: Option<Arc<dyn HostTools>>,
    pub keeping: Keeping,
}

impl fmt::Debug for StartOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartOptions")
            .field("search", &self.search)
            .field("guard", &self.guard)
            .field("rehearsal", &self.rehearsal)
            .field("initialize_timeout", &self.initialize_timeout)
            .field("silence_limit", &self.silence_limit)
            // What the servers are told is nobody's business.
            .finish_non_exhaustive()
    }
}

impl StartOptions {
    /// As this process was started, with the time limit of 30 s, two minutes of silence and no servers.
    pub fn new(search: Search, guard: Guard) -> Self {
        Self {
            search,
            guard,
            rehearsal: None,
            initialize_timeout: Duration::from_secs(30),
            silence_limit: Duration::from_secs(120),
            mcp_servers: None,
            host_tools: None,
            keeping: Keeping::Memory,
        }
    }
}

/// The rehearsal CLI and what it is to play. The arguments of a real CLI follow these.
#[derive(Debug, Clone)]
pub struct Rehearsal {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub env: Vec<(OsString, OsString)>,
}

/// A way into the journal for those who watch a session.
#[derive(Debug, Clone)]
pub struct Notices(mpsc::WeakUnboundedSender<Command>);

impl Notices {
    /// Puts a `notice` into the journal. Lost when nobody holds the session any more.
    pub fn tell(&self, kind: &str, text: String) {
        self.tell_with(kind, text, Value::Null);
    }

    /// The same with something that a reader can use.
    pub fn tell_with(&self, kind: &str, text: String, data: Value) {
        let kind = kind.to_owned();
        if let Some(commands) = self.0.upgrade() {
            let _ = commands.send(Command::Notice { kind, text, data });
        }
    }
}

/// One session: a conversation with the CLI, and the process that carries it while there is one.
///
/// When the last clone is dropped the process goes too. Subscriptions do not keep it.
#[derive(Clone)]
pub struct Session {
    id: Arc<str>,
    commands: mpsc::UnboundedSender<Command>,
    info: watch::Receiver<SessionInfo>,
    journal: JournalReader,
    raw: RawReader,
}

impl Session {
    /// Starts a session on the current tokio runtime and returns at once, in the phase `starting`. What goes wrong from
    /// here on is told by an `error` event and the info's `problem`.
    pub fn start(id: String, request: NewSession, options: StartOptions) -> Self {
        Self::begin(id, request, None, options, None)
    }

    /// The same with a first prompt, which belongs to this start: if it fails, the prompt comes back with it.
    pub fn start_with(
        id: String,
        request: NewSession,
        options: StartOptions,
        text: String,
        images: Vec<PromptImage>,
    ) -> Self {
        let (done, _) = oneshot::channel();
        let uuid = uuid::Uuid::new_v4().to_string();
        let prompt = Command::Prompt {
            text,
            images,
            uuid,
            done: Done(done),
        };
        Self::begin(id, request, None, options, Some(prompt))
    }

    /// Takes up a session that was here before, without a process: it is in the phase that it had, if that is one without a
    /// process, and its journal goes on after `past.last_seq`. The first prompt, or [`Session::resume`], starts a process
    /// that resumes the conversation in the mode and with the model that it had. `request` is the one it was started with.
    pub fn restore(id: String, request: NewSession, past: Past, options: StartOptions) -> Self {
        Self::begin(id, request, Some(past), options, None)
    }

    fn begin(
        id: String,
        request: NewSession,
        past: Option<Past>,
        options: StartOptions,
        first: Option<Command>,
    ) -> Self {
        let (commands, inbox) = mpsc::unbounded_channel();
        if let Some(first) = first {
            // The receiver is at hand, so this cannot fail.
            let _ = commands.send(first);
        }
        let variables = request.env.iter();
        redact::remember_named(variables.map(|var| (&*var.name, &*var.value)));
        let name = Arc::from(id.as_str());
        let (info, journal, raw) = actor::spawn(id, request, past, options, inbox);
        Self {
            id: name,
            commands,
            info,
            journal,
            raw,
        }
    }

    /// Ours, not the CLI's.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What it is now.
    pub fn info(&self) -> SessionInfo {
        self.info.borrow().clone()
    }

    /// What it is, whenever that changes. A new number in `last_seq` alone is no change.
    pub fn info_changes(&self) -> watch::Receiver<SessionInfo> {
        self.info.clone()
    }

    /// The journal after `seq`, then what is added to it. Where it is kept elsewhere, an event is heard when it was kept.
    pub fn watch(&self, after_seq: u64) -> Subscription {
        self.journal.subscribe(after_seq)
    }

    /// The same for those who keep events or act on them and show them to nobody: kept or not.
    pub fn watch_unkept(&self, after_seq: u64) -> Subscription {
        self.journal.subscribe_unkept(after_seq)
    }

    /// For whoever keeps the events elsewhere. Unlike a clone of the session it does not hold it.
    pub fn keeper(&self) -> Keeper {
        self.journal.keeper()
    }

    /// The oldest number that memory holds, or the next one when it holds none.
    pub fn held_from(&self) -> u64 {
        self.journal.held_from()
    }

    /// The raw lines that are held after the line of this number, the oldest first, and at most so many.
    pub fn raw(&self, after: u64, limit: usize) -> Vec<RawEntry> {
        self.raw.read(after, limit)
    }

    /// The raw lines after the line of this number, then what is added to them.
    pub fn watch_raw(&self, after: u64) -> RawSubscription {
        self.raw.subscribe(after)
    }

    /// Sends a prompt. While the session starts it is kept until the CLI is ready, while a turn runs it is queued by the
    /// CLI, and in a session without a process it starts one that resumes the conversation.
    ///
    /// # Errors
    /// `BadImage`, `Closed`. A prompt that was taken here and then not delivered comes back as a notice
    /// `prompt_returned`.
    pub async fn prompt(&self, text: String, images: Vec<PromptImage>) -> Result<(), SessionError> {
        let uuid = uuid::Uuid::new_v4().to_string();
        self.done(|done| Command::Prompt {
            text,
            images,
            uuid,
            done,
        })
        .await
    }

    /// Goes on from an earlier message: ends the process if there is one, resumes the conversation after that message, in
    /// the mode and with the model that it had, and sends the prompt. What came later stays in the journal. `None` is for a
    /// turn before which nothing was said: the prompt begins a new conversation.
    ///
    /// # Errors
    /// `BadImage`, `Refused` for what can be no message's id, `Closed`. What goes wrong later is told by an `error` event,
    /// code `no_message` if the CLI does not have that message.
    pub async fn retry(
        &self,
        message_uuid: Option<String>,
        text: String,
        images: Vec<PromptImage>,
    ) -> Result<(), SessionError> {
        let uuid = uuid::Uuid::new_v4().to_string();
        self.done(|done| Command::Retry {
            at: message_uuid,
            text,
            images,
            uuid,
            done,
        })
        .await
    }

    /// Puts notices of the host's own into the journal. Does not keep the session.
    pub fn notices(&self) -> Notices {
        Notices(self.commands.downgrade())
    }

    /// Answers a permission request.
    ///
    /// # Errors
    /// `NotPending` for a second or late answer; `NoSuchSuggestion` and `BadInput` leave the request open.
    pub async fn answer(&self, pending_id: String, decision: Decision) -> Result<(), SessionError> {
        self.answer_by(pending_id, decision, ResolvedBy::User).await
    }

    /// Answers a permission request in the name of somebody else: a policy of the host, or a time limit.
    ///
    /// # Errors
    /// As [`Session::answer`].
    pub async fn answer_by(
        &self,
        pending_id: String,
        decision: Decision,
        by: ResolvedBy,
    ) -> Result<(), SessionError> {
        self.done(|done| Command::Answer {
            pending_id,
            decision,
            by,
            done,
        })
        .await
    }

    /// Ends the process and its whole tree, and returns when that is done. Harmless when there is none.
    ///
    /// # Errors
    /// `Closed`, and then there is no process either.
    pub async fn stop(&self) -> Result<(), SessionError> {
        self.done(|done| Command::Stop { done }).await
    }

    /// Takes no more prompts and lets the process end by itself: a turn that runs is finished first, and questions that it
    /// still asks are denied by the CLI. Returns when the process is gone.
    ///
    /// # Errors
    /// `Closed`, and then there is no process either.
    pub async fn finish(&self) -> Result<(), SessionError> {
        self.done(|done| Command::Finish { done }).await
    }

    /// Starts a process for a session that has none; it resumes the conversation where it was, in the mode it had.
    /// Harmless when there is one.
    ///
    /// # Errors
    /// `Closed`.
    pub async fn resume(&self) -> Result<(), SessionError> {
        self.done(|done| Command::Resume { done }).await
    }

    pub(crate) async fn ask(&self, command: impl FnOnce(Done) -> Command) -> Outcome {
        let (done, outcome) = oneshot::channel();
        self.commands
            .send(command(Done(done)))
            .map_err(|_| SessionError::Closed)?;
        outcome.await.unwrap_or(Err(SessionError::Closed))
    }
}
