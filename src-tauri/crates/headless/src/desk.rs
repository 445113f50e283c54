//! What is kept on this machine: our own sessions and those of the CLI, and how one of them is named.

use std::cell::OnceCell;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use kandev_session::Phase;
use kandev_store::{Projects, Source, Store, StoredSession, Terminal, TerminalSession};

/// The beginning of an id names its session from so many characters on.
const PREFIX: usize = 6;
/// The characters of an id that a page shows.
pub const SHOWN: usize = 8;

pub struct Desk {
    pub store: Store,
    projects: Projects,
    terminal: OnceCell<Terminal>,
}

/// A session that has the name that was asked for.
#[derive(Debug)]
pub enum Found {
    Ours(Box<StoredSession>),
    Terminal(Box<TerminalSession>),
}

/// There is no such session, or several.
#[derive(Debug)]
pub struct NotFound {
    why: String,
    unknown: bool,
}

impl NotFound {
    /// None has that name, rather than several.
    pub fn is_unknown(&self) -> bool {
        self.unknown
    }
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for NotFound {}

impl Desk {
    /// Opens the database of this folder, or of the app's own. What is wrong with it is said on stderr.
    pub fn open(data_dir: Option<&Path>) -> Result<Self> {
        let folder = match data_dir {
            Some(folder) => folder.to_owned(),
            None => Store::data_dir_default()
                .context("this system names no folder for data; name one with --data-dir")?,
        };
        let opened = Store::open(&folder);
        for problem in &opened.problems {
            eprintln!("kandev: {problem}");
        }
        Ok(Self {
            store: opened.store,
            projects: Projects::of_this_user(),
            terminal: OnceCell::new(),
        })
    }

    /// The CLI's sessions as they are now.
    pub fn terminal(&self) -> &Terminal {
        self.terminal.get_or_init(|| {
            let terminal = self.store.terminal(self.projects.clone());
            if let Err(error) = terminal.refresh() {
                eprintln!(
                    "kandev: what was read of Claude Code's sessions cannot be kept: {error}"
                );
            }
            terminal
        })
    }

    /// Adds to the journal of a session of ours what was said in it in a terminal meanwhile, unless somebody carries it now.
    pub fn catch_up(&self, row: &StoredSession) {
        let Some(cli) = &row.cli_session_id else {
            return;
        };
        if row.source != Source::Kandev || row.rehearsal || !row.is_over() || !self.store.lasts() {
            return;
        }
        let newest = self.terminal().session(cli);
        let newest = newest.and_then(|session| session.last_message_uuid);
        if newest.is_none() || newest == row.last_message_uuid {
            return;
        }
        let Ok(_carrying) = self.store.claim(&row.id, "kandev") else {
            return;
        };
        if let Err(error) = self.terminal().catch_up(&row.id) {
            eprintln!(
                "kandev: what was said in a terminal in {} cannot be added: {error}",
                row.id
            );
        }
    }

    /// The session of this id, ours or the CLI's, or the one whose id begins so.
    pub fn find(&self, id: &str) -> Result<Found> {
        let kept = self.store.session(id)?;
        match kept {
            Some(row) if row.source == Source::Kandev => return Ok(Found::Ours(Box::new(row))),
            _ => {}
        }
        if let Some(session) = self.terminal().session(id) {
            return Ok(Found::Terminal(Box::new(session)));
        }
        // The CLI has let go of the file; what was read of it is still here.
        if let Some(row) = kept {
            return Ok(Found::Ours(Box::new(row)));
        }
        self.find_by_beginning(id)
    }

    fn find_by_beginning(&self, beginning: &str) -> Result<Found> {
        let ours = self.store.sessions()?;
        let theirs = self.terminal().list()?;
        let (all_ours, all_theirs) = (ours.len(), theirs.len());
        let begins = |id: &str| beginning.chars().count() >= PREFIX && id.starts_with(beginning);
        let ours = ours
            .into_iter()
            .filter(|row| begins(&row.id) || row.cli_session_id.as_deref().is_some_and(begins));
        let theirs = theirs.into_iter().filter(|session| begins(&session.id));
        let mut found: Vec<Found> = ours
            .map(|row| Found::Ours(Box::new(row)))
            .chain(theirs.map(|session| Found::Terminal(Box::new(session))))
            .collect();
        if found.len() > 1 {
            let mut all = format!("{} sessions begin with `{beginning}`:", found.len());
            for one in &found {
                all.push_str(&format!("\n  {}  {}", one.id(), one.title()));
            }
            let (why, unknown) = (all, false);
            return Err(NotFound { why, unknown }.into());
        }
        found.pop().ok_or_else(|| {
            let folders = self.projects.roots().iter();
            let folders = folders.map(|root| root.join("projects").display().to_string());
            let why = format!(
                "there is no session `{beginning}`; looked through {all_ours} of ours in {} and {all_theirs} of Claude Code \
                 in {}",
                self.store.data_dir().display(),
                folders.collect::<Vec<_>>().join(", ")
            );
            let unknown = true;
            NotFound { why, unknown }.into()
        })
    }
}

impl Found {
    pub fn id(&self) -> &str {
        match self {
            Self::Ours(row) => &row.id,
            Self::Terminal(session) => &session.id,
        }
    }

    pub fn title(&self) -> &str {
        match self {
            Self::Ours(row) => &row.title,
            Self::Terminal(session) => &session.title,
        }
    }
}

/// The word for a phase, as it crosses to a window too.
pub fn word(phase: Phase) -> &'static str {
    match phase {
        Phase::Starting => "starting",
        Phase::Idle => "idle",
        Phase::Thinking => "thinking",
        Phase::Streaming => "streaming",
        Phase::Tool => "tool",
        Phase::Approval => "approval",
        Phase::Question => "question",
        Phase::RateLimited => "rate_limited",
        Phase::Retrying => "retrying",
        Phase::Compacting => "compacting",
        Phase::Background => "background",
        Phase::Stopped => "stopped",
        Phase::Failed => "failed",
    }
}

/// A folder as a person would write it.
pub fn folder(path: &str) -> String {
    let home = std::env::home_dir();
    let below = home
        .as_deref()
        .and_then(|home| Path::new(path).strip_prefix(home).ok());
    match below {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => PathBuf::from("~").join(rest).display().to_string(),
        None => path.to_owned(),
    }
}
