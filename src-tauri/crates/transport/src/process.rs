//! The running CLI: its lines out, its lines in, its end.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::mpsc;

use crate::TransportError;
use crate::find::Found;
use crate::guard::Guard;

/// The longest stdout line that is kept whole, in bytes.
pub const MAX_LINE: usize = 256 * 1024 * 1024;

/// What to start.
#[derive(Debug, Clone)]
pub struct Spawn {
    pub found: Found,
    /// Arguments after those of `found`.
    pub args: Vec<OsString>,
    pub cwd: PathBuf,
    /// Set on top of this process's environment. An empty value removes the variable.
    pub env: Vec<(OsString, OsString)>,
    pub guard: Guard,
    /// The longest line that is kept whole, in bytes; [`MAX_LINE`] unless a test wants less.
    pub max_line: usize,
}

impl Spawn {
    pub fn new(found: Found, cwd: impl Into<PathBuf>, guard: Guard) -> Self {
        Self {
            found,
            args: Vec::new(),
            cwd: cwd.into(),
            env: Vec::new(),
            guard,
            max_line: MAX_LINE,
        }
    }
}

/// A started CLI. Dropping it, and all clones of `child`, ends the whole tree.
#[derive(Debug)]
pub struct Process {
    /// Everything the CLI says, in order; `Exited` is the last. Bounded: not reading it makes the CLI wait.
    pub events: mpsc::Receiver<Output>,
    pub stdin: Stdin,
    pub child: Child,
}

/// One thing the CLI did.
#[derive(Debug, PartialEq, Eq)]
pub enum Output {
    /// One line of stdout without its `\n`; a `\r` before it stays. Not necessarily UTF-8.
    Line(Vec<u8>),
    /// A line longer than the limit was let go; this many bytes.
    Overlong { bytes: u64 },
    /// One line of stderr, invalid UTF-8 shown as U+FFFD.
    Stderr(String),
    /// The process is gone, and so is its whole tree. Comes once, after everything else.
    Exited(Exit),
}

/// How it ended: a code, or the name of a signal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    pub code: Option<i32>,
    /// Such as `SIGKILL`.
    pub signal: Option<String>,
}

/// Writes lines to the CLI, one whole line at a time, in the order of the calls. Never blocks.
#[derive(Debug, Clone)]
pub struct Stdin {}

/// Resolves once the line is in the pipe, or with `StdinClosed`. May be dropped: the line is written all the same.
#[derive(Debug)]
pub struct Written {}

/// A handle on the running tree; clones are equal.
#[derive(Debug, Clone)]
pub struct Child {}

impl Stdin {
    /// Queues one line, without its `\n`.
    ///
    /// # Errors
    /// `NotOneLine` for empty text or text with `\n` or `\r` (the CLI ends on a bad line), `StdinClosed` after `close`.
    pub fn send(&self, line: String) -> Result<Written, TransportError> {
        let _ = line;
        Err(TransportError::StdinClosed)
    }

    /// Closes stdin once all queued lines are written. The CLI finishes its turn and leaves.
    pub fn close(&self) {}
}

impl Written {
    pub async fn done(self) -> Result<(), TransportError> {
        Err(TransportError::StdinClosed)
    }
}

impl Child {
    /// The CLI's process id.
    pub fn id(&self) -> u32 {
        0
    }

    /// The last words on stderr: at most 200 lines and 64 KiB.
    pub fn stderr_tail(&self) -> String {
        String::new()
    }

    /// Closes stdin, sends SIGTERM, and after `grace` kills the whole tree. Returns when all is gone. Harmless when
    /// it has ended already, and does not need `events` to be read.
    pub async fn terminate(&self, grace: Duration) -> Exit {
        let _ = grace;
        Exit {
            code: None,
            signal: None,
        }
    }

    /// Waits for the end without causing it.
    pub async fn exited(&self) -> Exit {
        Exit {
            code: None,
            signal: None,
        }
    }
}

/// Starts the CLI. Returns once it runs.
///
/// # Errors
/// `FolderGone`, `NotAFolder`, `SpawnFailed`, `GuardFailed`.
pub async fn spawn(spawn: Spawn) -> Result<Process, TransportError> {
    Err(TransportError::SpawnFailed {
        program: spawn.found.program,
        reason: "not started".to_owned(),
    })
}
