//! The running CLI: its lines out, its lines in, its end.

use std::ffi::OsString;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use crate::TransportError;
use crate::find::Found;
use crate::guard::Guard;

mod environment;
mod lines;
mod stderr;
mod stdin;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use stdin::{Stdin, Written};

/// The longest stdout line that is kept whole, in bytes.
pub const MAX_LINE: usize = 256 * 1024 * 1024;

/// Outputs that may wait for the watcher before the CLI has to.
const WAITING_OUTPUTS: usize = 64;
/// How long an idle CLI gets to leave by itself after its stdin closed.
const LEAVE_BY_ITSELF: Duration = Duration::from_millis(300);

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

/// A started CLI. When it and all clones of `child` are dropped, the whole tree is killed.
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

/// A handle on the running tree; clones are equal.
#[derive(Debug, Clone)]
pub struct Child {
    id: u32,
    stdin: Stdin,
    tail: Arc<stderr::Tail>,
    orders: mpsc::UnboundedSender<Order>,
    ended: watch::Receiver<Option<Exit>>,
}

/// What the tree is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Terminate,
    Kill,
}

/// The system's side of a started CLI: three pipes and the whole tree.
struct Started<T> {
    id: u32,
    stdin: tokio::process::ChildStdin,
    stdout: tokio::process::ChildStdout,
    stderr: tokio::process::ChildStderr,
    tree: T,
}

/// A process and all below it.
trait Tree: Send + 'static {
    /// Asks the CLI to leave, where the system has a way to ask.
    fn terminate(&mut self) -> impl Future<Output = ()> + Send;
    /// Kills all of it.
    fn kill(&mut self) -> impl Future<Output = ()> + Send;
    /// Resolves when all of it is gone and reaped. May be dropped and called again.
    fn gone(&mut self) -> impl Future<Output = Exit> + Send;
}

impl Child {
    /// The CLI's process id.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The last words on stderr: at most 200 lines and 64 KiB.
    pub fn stderr_tail(&self) -> String {
        self.tail.text()
    }

    /// Closes stdin, sends SIGTERM, and after `grace` kills the whole tree. Returns when all is gone. Harmless when
    /// it has ended already, and does not need `events` to be read.
    pub async fn terminate(&self, grace: Duration) -> Exit {
        self.stdin.close();
        if let Ok(exit) = tokio::time::timeout(LEAVE_BY_ITSELF.min(grace), self.exited()).await {
            return exit;
        }
        let _ = self.orders.send(Order::Terminate);
        if let Ok(exit) = tokio::time::timeout(grace, self.exited()).await {
            return exit;
        }
        let _ = self.orders.send(Order::Kill);
        self.exited().await
    }

    /// Waits for the end without causing it. What it said may still wait in `events`.
    pub async fn exited(&self) -> Exit {
        let mut ended = self.ended.clone();
        let unknown = Exit {
            code: None,
            signal: None,
        };
        match ended.wait_for(Option::is_some).await {
            Ok(exit) => exit.clone().unwrap_or(unknown),
            // The runtime that watched over it is shutting down.
            Err(_) => unknown,
        }
    }
}

/// Starts the CLI. Returns once it runs.
///
/// # Errors
/// `FolderGone`, `NotAFolder`, `NotExecutable`, `NodeMissing`, `SpawnFailed`, `GuardFailed`.
pub async fn spawn(spawn: Spawn) -> Result<Process, TransportError> {
    match std::fs::metadata(&spawn.cwd) {
        Ok(folder) if folder.is_dir() => {}
        Ok(_) => return Err(TransportError::NotAFolder { path: spawn.cwd }),
        Err(_) => return Err(TransportError::FolderGone { path: spawn.cwd }),
    }
    let environment = environment::for_child(std::env::vars_os(), &spawn.found.path, &spawn.env);
    let started = system::start(&spawn, environment).await?;

    let (ended_sender, ended) = watch::channel(None);
    let (events_sender, events) = mpsc::channel(WAITING_OUTPUTS);
    let (orders_sender, orders) = mpsc::unbounded_channel();
    let tail = Arc::new(stderr::Tail::default());
    let readers = read(
        &spawn,
        started.stdout,
        started.stderr,
        &tail,
        &ended,
        &events_sender,
    );
    let stdin = write(started.stdin);
    tokio::spawn(supervise(
        started.tree,
        orders,
        ended_sender,
        readers,
        events_sender,
    ));
    let child = Child {
        id: started.id,
        stdin: stdin.clone(),
        tail,
        orders: orders_sender,
        ended,
    };
    Ok(Process {
        events,
        stdin,
        child,
    })
}

fn read(
    spawn: &Spawn,
    stdout: impl AsyncRead + Unpin + Send + 'static,
    stderr: impl AsyncRead + Unpin + Send + 'static,
    tail: &Arc<stderr::Tail>,
    ended: &watch::Receiver<Option<Exit>>,
    events: &mpsc::Sender<Output>,
) -> [JoinHandle<()>; 2] {
    [
        tokio::spawn(lines::read(
            stdout,
            spawn.max_line,
            ended.clone(),
            events.clone(),
        )),
        tokio::spawn(stderr::read(
            stderr,
            Arc::clone(tail),
            ended.clone(),
            events.clone(),
        )),
    ]
}

fn write(pipe: impl AsyncWrite + Unpin + Send + 'static) -> Stdin {
    let (stdin, queue) = Stdin::new();
    tokio::spawn(stdin::write(pipe, queue));
    stdin
}

/// Sees the tree to its end: passes orders on, and tells of the end after the last thing that was said.
async fn supervise(
    mut tree: impl Tree,
    mut orders: mpsc::UnboundedReceiver<Order>,
    ended: watch::Sender<Option<Exit>>,
    readers: [JoinHandle<()>; 2],
    events: mpsc::Sender<Output>,
) {
    let mut watched = true;
    let exit = loop {
        tokio::select! {
            exit = tree.gone() => break exit,
            order = orders.recv(), if watched => match order {
                Some(Order::Terminate) => tree.terminate().await,
                Some(Order::Kill) => tree.kill().await,
                // Nobody holds it any more.
                None => {
                    watched = false;
                    tree.kill().await;
                }
            },
        }
    };
    ended.send_replace(Some(exit.clone()));
    for reader in readers {
        let _ = reader.await;
    }
    let _ = events.send(Output::Exited(exit)).await;
}
