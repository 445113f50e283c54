//! Our own control requests: which are open, who waits for them, and until when. Only the first answer counts, as old
//! versions answer twice (VERSIONS 4.3).

use std::time::{Duration, Instant};

use indexmap::IndexMap;
use kandev_wire::control_request;
use serde_json::{Map, Value, json};

use crate::SessionError;
use crate::command::Done;

/// How long the CLI may take for anything but `initialize` and `interrupt`.
const LIMIT: Duration = Duration::from_secs(30);
/// Everywhere answered within a fraction of a second; after this the person may want to stop by force.
const INTERRUPT_LIMIT: Duration = Duration::from_secs(10);

/// What we asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ask {
    Initialize {
        hooks: Option<Value>,
        limit: Duration,
    },
    Interrupt,
    SetMode(String),
    SetModel(Option<String>),
}

impl Ask {
    pub(crate) fn subtype(&self) -> &'static str {
        match self {
            Self::Initialize { .. } => "initialize",
            Self::Interrupt => "interrupt",
            Self::SetMode(_) => "set_permission_mode",
            Self::SetModel(_) => "set_model",
        }
    }

    fn limit(&self) -> Duration {
        match self {
            Self::Initialize { limit, .. } => *limit,
            Self::Interrupt => INTERRUPT_LIMIT,
            Self::SetMode(_) | Self::SetModel(_) => LIMIT,
        }
    }

    fn fields(&self) -> Map<String, Value> {
        let field = |name: &str, value| Map::from_iter([(name.to_owned(), value)]);
        match self {
            Self::Initialize {
                hooks: Some(hooks), ..
            } => field("hooks", hooks.clone()),
            Self::SetMode(mode) => field("mode", json!(mode)),
            Self::SetModel(Some(model)) => field("model", json!(model)),
            Self::Initialize { hooks: None, .. } | Self::Interrupt | Self::SetModel(None) => {
                Map::new()
            }
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
    pub(crate) fn abandoned(&mut self) -> Vec<Open> {
        self.open.drain(..).map(|(_, open)| open).collect()
    }
}
