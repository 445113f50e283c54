//! What the session is and what follows from what happens to it. No I/O here: time and files are handed in, and whatever
//! is to be done comes out as effects, so a test is a function call.

mod asked;
mod commands;
mod conversation;
mod ending;
mod lines;
mod older;
mod requesting;
mod restoring;
mod saying;
mod starting;
mod waiting;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kandev_transcript::{Emitted, Files, ResolvedBy, Transcript};
use kandev_transport::Exit;

use self::conversation::Conversation;
use crate::abilities::Abilities;
use crate::command::{Command, Done, Outcome};
use crate::failures::Failures;
use crate::garbage::Garbage;
use crate::host_server::Said;
use crate::launch::{Facts, LaunchError, Plan};
use crate::moment::Moment;
use crate::next_step::next_step;
use crate::permissions::Permissions;
use crate::phase::{Activity, Life};
use crate::prompts::Prompts;
use crate::requests::Requests;
use crate::silence::Silence;
use crate::stop_check::Findings;
use crate::{NewSession, SessionInfo};

/// What happens to a session.
#[derive(Debug)]
pub(crate) enum Input {
    /// It is to begin. Comes once, first.
    Begin,
    Command(Command),
    Launched(Result<Facts, LaunchError>),
    /// One line of stdout.
    Line(Arc<Vec<u8>>),
    /// A line of stdout that was too long to keep; so many bytes.
    Overlong(u64),
    Stderr(String),
    Exited(Exit),
    /// What the look at the workspace found, for the Stop hook that waits for it or for a turn that is over.
    StopChecked {
        request_id: Option<String>,
        findings: Findings,
    },
    /// The host's MCP server has something to say.
    Host(Said),
    /// A deadline is over.
    Time,
}

/// What is to be done, in this order.
#[derive(Debug)]
pub(crate) enum Effect {
    Launch(Box<Plan>),
    /// Gives up a launch that goes on.
    AbortLaunch,
    /// One line to the CLI.
    Write(String),
    CloseStdin,
    /// The answer that is written next is not the user's own.
    Answering {
        pending_id: String,
        by: ResolvedBy,
    },
    /// Ends the whole tree: kindly, and after so long by force.
    Terminate {
        grace: Duration,
    },
    /// Waits no longer for the end of a process that was killed.
    Abandon,
    /// One more entry of the journal.
    Record(Box<Emitted>),
    /// Tells whoever asked what came of it, once all before it is done.
    Tell(Done, Outcome),
    /// Look at the workspace: for a Stop hook, or because a turn is over.
    CheckStop {
        request_id: Option<String>,
    },
    /// A JSON-RPC message for the host's MCP server.
    Host {
        request_id: String,
        message: String,
    },
}

/// What is fixed for the life of a session.
pub(crate) struct Setting {
    pub id: String,
    pub request: NewSession,
    pub rehearsal: bool,
    /// The CLI is offered the host's own MCP server.
    pub host_server: bool,
    pub initialize_timeout: Duration,
    /// After how much silence a running turn is reported; zero: never.
    pub silence_limit: Duration,
    /// Whether two names mean one folder.
    pub same_folder: fn(&str, &str) -> bool,
}

/// How far the process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    None,
    Launching,
    Initializing,
    Ready,
}

/// The process is being ended.
#[derive(Debug)]
struct Ending {
    /// Why, if not because somebody wanted it.
    problem: Option<String>,
    /// When kindness ends.
    force_at: Option<Instant>,
    /// The turn that runs may finish.
    patient: bool,
    /// When a process that was killed is given up.
    lost_at: Option<Instant>,
}

pub(crate) use starting::sentence;

pub(crate) struct State {
    setting: Setting,
    now: Moment,
    link: Link,
    life: Life,
    ending: Option<Ending>,
    /// Somebody wants a process again as soon as the one that ends is gone.
    again: bool,
    /// Nothing of this process's first init was seen yet.
    first_init: bool,
    /// It was here before, and begins without a process.
    restored: bool,
    /// This process takes up a conversation.
    resumed: bool,
    /// What the CLI of the newest process can do.
    abilities: Abilities,
    /// The mode and the model to ask for as soon as there is somebody to ask.
    mode_wish: Option<String>,
    model_wish: Option<Option<String>>,
    /// A title that the CLI has not heard of.
    title_wish: Option<String>,
    /// The limit that was set on the thinking.
    thinking: Option<u32>,
    /// What the conversation began with.
    first_prompt: Option<String>,
    conversation: Conversation,
    /// When an interrupt should have ended the turn.
    interrupt_by: Option<Instant>,
    /// The title says something of the conversation.
    titled: bool,
    transcript: Transcript,
    permissions: Permissions,
    prompts: Prompts,
    requests: Requests,
    activity: Activity,
    garbage: Garbage,
    failures: Failures,
    silence: Silence,
    /// Stop hooks that wait for the look at the workspace, by request id; whether one went before in this turn.
    checks: Vec<(String, bool)>,
    /// Messages that the host's MCP server has not answered, by request id.
    hosted: HashSet<String>,
    /// What the last look at the workspace told, so that it is not told twice.
    told: Option<Findings>,
    /// Calls that a person denied.
    denied: HashSet<String>,
    stops: Vec<Done>,
    info: SessionInfo,
    effects: Vec<Effect>,
}

impl State {
    /// `files` is what diffs are made against.
    pub(crate) fn new(setting: Setting, files: Box<dyn Files + Send>, now: Moment) -> Self {
        let request = &setting.request;
        let conversation = Conversation::new(request);
        let silence = Silence::new(setting.silence_limit, now.instant);
        let info = SessionInfo {
            id: setting.id.clone(),
            cli_session_id: request.resume.clone().filter(|_| !request.fork),
            workspace: request.workspace.clone(),
            title: if request.resume.is_some() {
                "Resumed session"
            } else {
                "New session"
            }
            .to_owned(),
            policy: request.policy,
            permission_mode: None,
            model: None,
            effort: None,
            output_style: None,
            phase: crate::Phase::Starting,
            since: now.wall.clone(),
            started_at: now.wall.clone(),
            waiting: 0,
            waiting_since: None,
            waiting_for: None,
            permission_timeout_s: request.permission_timeout_s,
            rehearsal: setting.rehearsal,
            problem: None,
            next_step: None,
            force_stop: false,
            last_message_uuid: None,
            forked_from: conversation.forked_from(),
            cli_version: None,
            can: Vec::new(),
            models: Vec::new(),
            last_seq: 0,
        };
        Self {
            setting,
            now,
            link: Link::None,
            life: Life::Starting,
            ending: None,
            again: false,
            first_init: true,
            restored: false,
            resumed: false,
            abilities: Abilities::of(None),
            mode_wish: None,
            model_wish: None,
            title_wish: None,
            thinking: None,
            first_prompt: None,
            conversation,
            interrupt_by: None,
            titled: false,
            transcript: Transcript::new(files),
            permissions: Permissions::default(),
            prompts: Prompts::default(),
            requests: Requests::default(),
            activity: Activity::default(),
            garbage: Garbage::default(),
            failures: Failures::default(),
            silence,
            checks: Vec::new(),
            hosted: HashSet::new(),
            told: None,
            denied: HashSet::new(),
            stops: Vec::new(),
            info,
            effects: Vec::new(),
        }
    }

    /// What follows from an input. The same inputs at the same times give the same effects.
    pub(crate) fn handle(&mut self, input: Input, now: Moment) -> Vec<Effect> {
        self.now = now;
        match input {
            Input::Begin if self.restored => {}
            Input::Begin => self.launch(),
            Input::Command(command) => self.command(command),
            Input::Launched(outcome) => self.launched(outcome),
            Input::Line(line) => self.line(&line),
            Input::Overlong(bytes) => self.overlong(bytes),
            Input::Stderr(line) => self.stderr(&line),
            Input::Exited(exit) => self.exited(&exit),
            Input::StopChecked {
                request_id,
                findings,
            } => self.stop_checked(request_id.as_deref(), findings),
            Input::Host(said) => self.hosted(said),
            Input::Time => self.time(),
        }
        self.be_patient();
        self.refresh();
        std::mem::take(&mut self.effects)
    }

    /// When [`Input::Time`] is due.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let force = self.ending.as_ref().and_then(|ending| ending.force_at);
        let lost = self.ending.as_ref().and_then(|ending| ending.lost_at);
        force
            .into_iter()
            .chain(lost)
            .chain(self.interrupt_by)
            .chain(self.requests.next_deadline())
            .chain(self.waiting_deadline())
            .min()
    }

    /// The session's row. `last_seq` is the journal's to fill in.
    pub(crate) fn info(&self) -> &SessionInfo {
        &self.info
    }

    /// Brings the row up to date with all the rest.
    fn refresh(&mut self) {
        let oldest = self.permissions.oldest();
        let phase = self
            .activity
            .phase(self.life, oldest.map(|open| open.asked.is_question()));
        if phase != self.info.phase {
            self.info.phase = phase;
            self.info.since.clone_from(&self.now.wall);
        }
        self.info.waiting = u32::try_from(self.permissions.len()).unwrap_or(u32::MAX);
        self.info.waiting_since = oldest.map(|open| open.since.wall.clone());
        self.info.waiting_for = oldest.map(|open| open.asked.title());
        if let Some(uuid) = self.transcript.last_message_uuid()
            && self.info.last_message_uuid.as_deref() != Some(uuid)
        {
            self.info.last_message_uuid = Some(uuid.to_owned());
        }
        if self.link != Link::Ready || !self.activity.turn() {
            self.interrupt_by = None;
            self.info.force_stop = false;
        }
        let next_step = next_step(&self.info);
        if self.info.next_step.as_deref() != Some(next_step) {
            self.info.next_step = Some(next_step.to_owned());
        }
        self.listen();
    }
}

#[cfg(test)]
mod tests;
