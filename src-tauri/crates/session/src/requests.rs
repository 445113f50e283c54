//! Our own control requests: which are open, who waits for them, and until when. Only the first answer counts, as old
//! versions answer twice (VERSIONS 4.3).

use std::time::{Duration, Instant};

use indexmap::IndexMap;
use kandev_wire::control_request;
use kandev_wire::request::{
    ApplyFlagSettings, GenerateSessionTitle, GetSettings, Initialize, Interrupt, RenameSession,
    RenamedBy, Request, SetMaxThinkingTokens, SetModel, SetPermissionMode,
};
use serde_json::{Map, Value, json};

use crate::SessionError;
use crate::command::Done;

/// How long the CLI may take for anything but `initialize` and `interrupt`.
const LIMIT: Duration = Duration::from_secs(30);
/// Everywhere answered within a fraction of a second; after this the person may want to stop by force.
pub(crate) const INTERRUPT_LIMIT: Duration = Duration::from_secs(10);

/// What we asked for: those whose answer changes the session have a name here.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ask {
    Initialize {
        request: Initialize,
        limit: Duration,
    },
    Interrupt(Interrupt),
    SetMode(String),
    SetModel(Option<String>),
    SetThinking(Option<u32>),
    /// `None`: the model's own.
    SetEffort(Option<String>),
    /// Reads the effort that holds; `wanted` if it was to become that.
    ReadEffort {
        wanted: Option<String>,
    },
    Rename(String),
    GenerateTitle(String),
    Other {
        subtype: &'static str,
        fields: Map<String, Value>,
    },
}

impl Ask {
    pub(crate) fn interrupt() -> Self {
        Self::Interrupt(Interrupt::default())
    }

    pub(crate) fn subtype(&self) -> &'static str {
        match self {
            Self::Initialize { .. } => Initialize::SUBTYPE,
            Self::Interrupt(_) => Interrupt::SUBTYPE,
            Self::SetMode(_) => SetPermissionMode::SUBTYPE,
            Self::SetModel(_) => SetModel::SUBTYPE,
            Self::SetThinking(_) => SetMaxThinkingTokens::SUBTYPE,
            Self::SetEffort(_) => ApplyFlagSettings::SUBTYPE,
            Self::ReadEffort { .. } => GetSettings::SUBTYPE,
            Self::Rename(_) => RenameSession::SUBTYPE,
            Self::GenerateTitle(_) => GenerateSessionTitle::SUBTYPE,
            Self::Other { subtype, .. } => subtype,
        }
    }

    fn limit(&self) -> Duration {
        match self {
            Self::Initialize { limit, .. } => *limit,
            Self::Interrupt(_) => INTERRUPT_LIMIT,
            _ => LIMIT,
        }
    }

    fn fields(&self) -> Map<String, Value> {
        match self.clone() {
            Self::Initialize { request, .. } => request.fields(),
            Self::Interrupt(request) => request.fields(),
            Self::SetMode(mode) => SetPermissionMode { mode }.fields(),
            Self::SetModel(model) => SetModel { model }.fields(),
            Self::SetThinking(max_thinking_tokens) => SetMaxThinkingTokens {
                max_thinking_tokens,
            }
            .fields(),
            Self::SetEffort(effort) => ApplyFlagSettings {
                settings: Map::from_iter([("effortLevel".to_owned(), json!(effort))]),
            }
            .fields(),
            Self::ReadEffort { .. } => GetSettings.fields(),
            Self::Rename(title) => RenameSession {
                title,
                source: RenamedBy::Host,
            }
            .fields(),
            Self::GenerateTitle(description) => GenerateSessionTitle {
                description,
                persist: true,
            }
            .fields(),
            Self::Other { fields, .. } => fields,
        }
    }
}

/// A request that has no answer yet.
#[derive(Debug)]
pub(crate) struct Open {
    pub ask: Ask,
    deadline: Instant,
    pub done: Option<Done>,
}

impl Open {
    /// Why nothing came in time.
    pub(crate) fn no_answer(&self) -> SessionError {
        let (request, seconds) = (self.ask.subtype().to_owned(), self.ask.limit().as_secs());
        SessionError::NoAnswer { request, seconds }
    }

    /// Why nothing will come any more.
    pub(crate) fn ended(&self) -> SessionError {
        SessionError::Ended {
            request: self.ask.subtype().to_owned(),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Requests {
    open: IndexMap<String, Open>,
    /// For when the CLI is ready.
    early: Vec<(Ask, Done)>,
    count: u64,
}

impl Requests {
    /// Notes the request and returns its line.
    pub(crate) fn ask(&mut self, ask: Ask, done: Option<Done>, now: Instant) -> String {
        self.count += 1;
        let id = format!("kandev-{}", self.count);
        let line = control_request(&id, ask.subtype(), ask.fields());
        self.open.insert(
            id,
            Open {
                deadline: now + ask.limit(),
                ask,
                done,
            },
        );
        line
    }

    /// Keeps a request until there is somebody to ask.
    pub(crate) fn wait(&mut self, ask: Ask, done: Done) {
        self.early.push((ask, done));
    }

    /// Takes out what was asked too early.
    pub(crate) fn early(&mut self) -> Vec<(Ask, Done)> {
        std::mem::take(&mut self.early)
    }

    /// Takes out the request that an answer is for; `None` for a second answer and for what was never asked.
    pub(crate) fn answered(&mut self, id: &str) -> Option<Open> {
        self.open.shift_remove(id)
    }

    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.open.values().map(|open| open.deadline).min()
    }

    /// Takes out those whose time is over.
    pub(crate) fn overdue(&mut self, now: Instant) -> Vec<Open> {
        self.open
            .extract_if(.., |_, open| open.deadline <= now)
            .map(|(_, open)| open)
            .collect()
    }

    /// The process is gone: takes out all that nobody will answer.
    pub(crate) fn abandoned(&mut self, now: Instant) -> Vec<Open> {
        let early = self.early.drain(..).map(|(ask, done)| Open {
            ask,
            deadline: now,
            done: Some(done),
        });
        self.open
            .drain(..)
            .map(|(_, open)| open)
            .chain(early)
            .collect()
    }
}
