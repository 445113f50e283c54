//! What a start of the app asks for: the first one, and each later one that hands its arguments over.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tauri::{AppHandle, Manager};

use crate::api::{CommandError, StreamMsg};
use crate::args::{Args, Speed};
use crate::sessions::Sessions;
use crate::window::{self, MAIN};
use crate::windows::Subscriptions;

/// Managed state: what the arguments said, and what of it the page has not been told.
pub struct Opening {
    /// The CLI that the first start named.
    pub cli: Option<PathBuf>,
    pub recording: Option<PathBuf>,
    pub speed: Speed,
    /// What went wrong at the start.
    pub problem: Option<String>,
    untold: Mutex<Untold>,
}

/// What the page shall open.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Untold {
    pub session: Option<String>,
    pub folder: Option<String>,
}

impl Opening {
    pub fn new(args: &Args, problem: Option<String>) -> Self {
        Self {
            cli: args.cli.clone(),
            recording: args.rehearsal.clone(),
            speed: args.rehearsal_speed,
            problem,
            untold: Mutex::default(),
        }
    }

    /// The session stays for a reloaded page; the folder is told once, for it opens a form.
    pub fn tell(&self) -> Untold {
        let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
        let told = untold.clone();
        untold.folder = None;
        told
    }
}

/// Does what the arguments ask, and tells the page of the main window if it is open.
pub fn open(app: &AppHandle, args: &Args) -> Result<(), CommandError> {
    let session = match &args.rehearsal {
        Some(file) => Some(
            app.state::<Sessions>()
                .rehearse(Some(file), args.rehearsal_speed)?
                .id,
        ),
        None => None,
    };
    let folder = args
        .workspace
        .as_ref()
        .map(|folder| folder.to_string_lossy().into_owned());
    if session.is_none() && folder.is_none() {
        return Ok(());
    }
    let message = StreamMsg::Open {
        session: session.clone(),
        folder: folder.clone(),
    };
    let heard = app.state::<Subscriptions>().tell(MAIN, &message);
    let opening = app.state::<Opening>();
    let mut untold = opening
        .untold
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    untold.session = session.or(untold.session.take());
    untold.folder = folder.filter(|_| !heard);
    Ok(())
}

/// A second start handed over its arguments. Errors go to the terminal of the first one, the second is gone.
pub fn second_start(app: &AppHandle, argv: Vec<String>, cwd: &str) {
    window::focus(app);
    let outcome = Args::read(argv.into_iter().map(Into::into), Path::new(cwd), |_| None)
        .map_err(|refusal| refusal.text)
        .and_then(|args| {
            let _runtime = tauri::async_runtime::handle().inner().enter();
            open(app, &args).map_err(|error| error.message)
        });
    if let Err(text) = outcome {
        eprintln!("kandev-desktop: a second start could not be followed: {text}");
    }
}
