//! Debug files and traces of sessions, as watchers of them.
//!
//! It owns what is written to `<workspace>/.kandev/debug/`, the spans that go to an OpenTelemetry collector, and the
//! bundle of a saved report. All of it is redacted first. It decides nothing: a session goes on whatever happens here,
//! and with nothing switched on nothing of it runs.

mod files;
mod folder;
mod follow;
mod page;
mod recorded;
mod report;
mod spans;
mod traces;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kandev_session::Session;
use kandev_session::redact::Redactor;
use tokio::task::JoinHandle;

pub use page::{PAGE_LINES, Shown, page};
pub use recorded::recorded;
pub use report::report;

use crate::files::Files;
use crate::follow::Recorder;
use crate::spans::Spans;
use crate::traces::Traces;

/// Switches the debug files on, with the value `true`.
pub const DEBUG: &str = "KANDEV_DEBUG_AGENT_MESSAGES";
/// Where an OpenTelemetry collector listens; spans are sent there when debugging is on besides.
pub const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
/// A debug file of this many bytes is followed by a new one at the end of the turn.
const ROTATE_AT: u64 = 32 << 20;

/// What is switched on.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where spans go, as in `http://127.0.0.1:4318`.
    pub endpoint: Option<String>,
    /// The program's name for the collector, and its version.
    pub service: (&'static str, &'static str),
    /// Bytes after which a debug file is followed by a new one.
    pub rotate_at: u64,
}

impl Options {
    /// What the environment and the setting say. Nothing when debugging is off.
    pub fn of(setting: bool, service: (&'static str, &'static str)) -> Option<Self> {
        let on = setting || std::env::var(DEBUG).is_ok_and(|value| value == "true" || value == "1");
        let endpoint = std::env::var(ENDPOINT).ok();
        on.then(|| Self {
            endpoint: endpoint.filter(|endpoint| !endpoint.trim().is_empty()),
            service,
            rotate_at: ROTATE_AT,
        })
    }
}

/// The watchers of this process. Cheap to clone.
#[derive(Clone)]
pub struct Telemetry {
    options: Options,
    redactor: Arc<Redactor>,
    traces: Option<Arc<Traces>>,
}

impl Telemetry {
    /// Sends nothing and opens nothing before a session is followed. Belongs to the current tokio runtime.
    pub fn new(options: Options) -> Self {
        let traces = options.endpoint.as_deref();
        let traces = traces.map(|endpoint| Arc::new(Traces::new(endpoint, options.service)));
        Self {
            redactor: Arc::new(Redactor::from_environment()),
            traces,
            options,
        }
    }

    /// Watches a session until it is closed, without keeping it.
    pub fn follow(&self, session: &Session) -> Following {
        let notices = session.notices();
        let info = session.info();
        let files = Files::new(
            Path::new(&info.workspace),
            session.id(),
            Arc::clone(&self.redactor),
            self.options.rotate_at,
            notices.clone(),
        );
        let spans = self.traces.as_ref().map(|traces| {
            traces.tell(&notices);
            Spans::new(traces.tracer(), session.id(), Arc::clone(&self.redactor))
        });
        let recorder = Recorder::new(files, spans);
        let (raw, events) = (session.watch_raw(0), session.watch_unkept(0));
        let traces = self.traces.clone();
        Following(tokio::spawn(async move {
            follow::follow(raw, events, recorder).await;
            if let Some(traces) = traces {
                traces.flush().await;
            }
        }))
    }

    /// Sends what has not been sent, for at most so long. Sessions that are followed are to be ended before.
    pub async fn close(&self, limit: Duration) {
        if let Some(traces) = &self.traces {
            traces.close(limit).await;
        }
    }
}

/// The watching of one session. It goes on when this is dropped.
#[derive(Debug)]
pub struct Following(JoinHandle<()>);

impl Following {
    /// All of it is written and sent.
    pub fn is_over(&self) -> bool {
        self.0.is_finished()
    }

    /// Returns when all of a closed session is written and sent, or after so long.
    pub async fn end(self, limit: Duration) {
        let _ = tokio::time::timeout(limit, self.0).await;
    }
}
