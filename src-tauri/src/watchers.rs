//! Debug files and traces of the sessions, as far as they are switched on when a session begins.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use kandev_session::Session;
use kandev_telemetry::{Following, Options, Telemetry};

/// What this program is called in traces.
const SERVICE: (&str, &str) = ("kandev-desktop", env!("CARGO_PKG_VERSION"));
/// How long the end of the app waits for what is still to be written and sent.
const LAST_WORDS: Duration = Duration::from_secs(2);

type Switch = Box<dyn Fn() -> bool + Send + Sync>;

/// The watchers of this app's sessions. Nothing of them runs before one is switched on.
#[derive(Default)]
pub struct Watchers {
    setting: Option<Switch>,
    telemetry: OnceLock<Telemetry>,
    following: Mutex<Vec<Following>>,
}

impl Watchers {
    /// `setting` says whether a person has switched debugging on; the environment can do so too.
    pub fn new(setting: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self {
            setting: Some(Box::new(setting)),
            ..Self::default()
        }
    }

    /// Watches a session that begins, if that is wanted.
    pub fn follow(&self, session: &Session) {
        let setting = self.setting.as_ref().is_some_and(|setting| setting());
        let Some(options) = Options::of(setting, SERVICE) else {
            return;
        };
        let telemetry = self.telemetry.get_or_init(|| Telemetry::new(options));
        let mut following = self
            .following
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        following.retain(|one| !one.is_over());
        following.push(telemetry.follow(session));
    }

    /// Waits for what is still to be written and sent of sessions that are closed.
    pub async fn close(&self) {
        let following = std::mem::take(
            &mut *self
                .following
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        let all = async {
            for one in following {
                one.end(LAST_WORDS).await;
            }
        };
        let _ = tokio::time::timeout(LAST_WORDS, all).await;
        if let Some(telemetry) = self.telemetry.get() {
            telemetry.close(LAST_WORDS).await;
        }
    }
}
