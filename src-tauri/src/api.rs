//! The shell's own shapes that cross to the window. The shapes of sessions and events come from their crates.

mod changes;
mod history;
mod outputs;

use std::sync::Arc;

use kandev_session::{Policy, PromptImage, SessionInfo, StopCheck};
use kandev_transcript::Event;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use specta::Type;

pub use changes::*;
pub use history::*;
pub use outputs::*;

/// What the page needs before its first paint.
#[derive(Debug, Clone, Serialize, Type)]
pub struct AppInfo {
    pub version: String,
    /// `linux`, `macos` or `windows`.
    pub os: String,
    pub settings: Settings,
    /// The session that the arguments of the start opened.
    pub open_session: Option<String>,
    /// The folder for which the arguments of the start want a new session.
    pub new_session_folder: Option<String>,
    /// What went wrong at the start and what was done about it, for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub problem: Option<String>,
    /// Why no session may skip permissions here, as a sentence; null when one may.
    pub autonomous_refused: Option<String>,
}

/// The prompt that a new session begins with.
#[derive(Debug, Clone, Deserialize, Type)]
pub struct FirstPrompt {
    pub text: String,
    pub images: Vec<PromptImage>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// What becomes of the sessions when the last window is closed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum OnClose {
    /// A person is asked, until the answer is to be remembered.
    #[default]
    Ask,
    /// They run on without a window.
    Tray,
    /// The app ends; it asks when something runs.
    Quit,
}

/// The page's word on `close_asked`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum CloseChoice {
    /// The question is on the screen. Without this word within two seconds the system's dialog asks.
    Shown,
    /// Run on without a window.
    Tray,
    Quit,
    Cancel,
}

/// What a person set. Kept in `settings.json` of the data folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct Settings {
    pub theme: Theme,
    pub default_policy: Policy,
    /// Null: the CLI's default.
    pub default_model: Option<String>,
    /// Null: the CLI that is found.
    pub cli_path: Option<String>,
    pub stop_check: StopCheck,
    /// Newest first, at most twelve.
    pub recent_folders: Vec<String>,
    /// Hides what a reader of the answers does not need.
    pub calm: bool,
    /// Seconds after which an open question of a new session is denied. Null: never.
    pub permission_timeout_s: Option<u32>,
    /// Seconds of silence after which a running turn is reported.
    pub silence_after_s: u32,
    /// Writes down what the CLI and the sessions say, in each workspace.
    pub debug_messages: bool,
    pub on_close: OnClose,
    /// The id of the editor in which files are opened. Null: the first that is there.
    pub editor: Option<String>,
    pub diff_style: DiffStyle,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            default_policy: Policy::default(),
            default_model: None,
            cli_path: None,
            stop_check: StopCheck::default(),
            recent_folders: Vec::new(),
            calm: false,
            permission_timeout_s: None,
            silence_after_s: 120,
            debug_messages: false,
            on_close: OnClose::default(),
            editor: None,
            diff_style: DiffStyle::default(),
        }
    }
}

/// Why a command failed. A code is born when the window behaves differently for it; the message is for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct CommandError {
    pub code: String,
    pub message: String,
}

impl CommandError {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
        }
    }
}

/// What the one channel of a window carries.
#[derive(Debug, Clone, Serialize, Type)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum StreamMsg {
    /// The whole list of those with an actor, newest first, whenever a row of it changed.
    Sessions { list: Arc<Vec<SessionInfo>> },
    /// Sessions without one. First the newest (`whole`: these rows take the place of all), then the others; after that only
    /// the rows that are new or different, and the ids of those that are none any more.
    Past {
        rows: Vec<Arc<PastSession>>,
        gone: Vec<String>,
        whole: bool,
    },
    /// Events of one watched session, in order.
    Events {
        session: String,
        #[specta(type = Vec<Event>)]
        events: Vec<Box<RawValue>>,
    },
    /// The journal of a session that is read from the CLI's file is another one than it was: all of it is read in now, or it
    /// goes on from an earlier message. Whoever shows the session opens it again. Not to be acknowledged.
    Anew { session: String },
    /// A second start of the app asks for this, or the tray. Neither a session nor a folder: the form for a new one.
    Open {
        session: Option<String>,
        folder: Option<String>,
    },
    /// A person closes the last window (`quit`: wants the app to end). `answer_close` says that the question is shown,
    /// and then what was chosen.
    CloseAsked {
        running: u32,
        waiting: u32,
        /// There is a tray that shows the icon. If not, starting the app again brings the window back.
        tray: bool,
        quit: bool,
    },
    /// Files of the session's folder, or what git knows of them, changed. Not to be acknowledged.
    WorkspaceChanged { session: String },
    /// The settings were changed, in this window or elsewhere.
    Settings { settings: Settings },
}
