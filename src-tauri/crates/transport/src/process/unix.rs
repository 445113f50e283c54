//! Starting through the guard, and speaking with it.

use std::ffi::OsString;
use std::fs;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{Child, Command};

use super::{Exit, Spawn, Started, Tree};
use crate::TransportError;
use crate::find::Os;
use crate::find::file::{self, Refusal};
use crate::guard::message::{KILL, Report, TERMINATE, exit_of};
use crate::guard::{ARGUMENT, tree};

/// How long a guard may take to say that the CLI runs.
const START_LIMIT: Duration = Duration::from_secs(20);
/// How long a guard may take to kill what it can; longer means that it is stuck itself.
const KILL_LIMIT: Duration = Duration::from_secs(6);

/// The guard and its lifeline.
pub(super) struct Guarded {
    guard: Child,
    guard_id: Option<Pid>,
    cli: Option<Pid>,
    reports: Lines<BufReader<OwnedReadHalf>>,
    orders: OwnedWriteHalf,
    killing_since: Option<tokio::time::Instant>,
}

pub(super) async fn start(
    spawn: &Spawn,
    environment: Vec<(OsString, OsString)>,
) -> Result<Started<Guarded>, TransportError> {
    let guard_failed = |reason: String| TransportError::GuardFailed {
        program: spawn.guard.program.clone(),
        reason,
    };
    // Handed a text file, `execvp` would run it as a shell script.
    if let Err(Refusal::NotAProgram(reason)) =
        file::resolve(&spawn.found.program, Os::current(), &|_| {
            Some(PathBuf::new())
        })
    {
        return Err(TransportError::NotExecutable {
            path: spawn.found.program.clone(),
            reason,
        });
    }
    let (ours, theirs) =
        std::os::unix::net::UnixStream::pair().map_err(|error| guard_failed(error.to_string()))?;
    let lifeline = theirs.as_raw_fd();
    let mut command = Command::new(&spawn.guard.program);
    command
        .arg(ARGUMENT)
        .arg(lifeline.to_string())
        .arg(&spawn.found.program)
        .args(&spawn.found.args)
        .args(&spawn.args)
        .env_clear()
        .envs(environment)
        .current_dir(&spawn.cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // SAFETY: one system call that is allowed between fork and exec, on a descriptor that is open until after it.
    unsafe {
        command.pre_exec(move || {
            let lifeline = BorrowedFd::borrow_raw(lifeline);
            Ok(rustix::io::fcntl_setfd(
                lifeline,
                rustix::io::FdFlags::empty(),
            )?)
        });
    }
    let mut guard = command
        .spawn()
        .map_err(|error| guard_failed(error.to_string()))?;
    drop(theirs);

    let guard_id = guard
        .id()
        .and_then(|id| i32::try_from(id).ok())
        .and_then(Pid::from_raw);
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (guard.stdin.take(), guard.stdout.take(), guard.stderr.take())
    else {
        return Err(guard_failed("it has no pipes".to_owned()));
    };
    let lifeline = ours
        .set_nonblocking(true)
        .and_then(|()| UnixStream::from_std(ours))
        .map_err(|error| guard_failed(error.to_string()))?;
    let (reports, orders) = lifeline.into_split();
    let mut tree = Guarded {
        guard,
        guard_id,
        cli: None,
        reports: BufReader::new(reports).lines(),
        orders,
        killing_since: None,
    };
    match tokio::time::timeout(START_LIMIT, tree.report()).await {
        Ok(Some(Report::Started(id))) => {
            tree.cli = i32::try_from(id).ok().and_then(Pid::from_raw);
            Ok(Started {
                id,
                stdin,
                stdout,
                stderr,
                tree,
            })
        }
        Ok(Some(Report::Failed(errno, reason))) => {
            let _ = tree.guard.wait().await;
            Err(why_not(spawn, errno, reason))
        }
        Ok(Some(Report::Ended(_)) | None) => {
            tree.put_down().await;
            Err(guard_failed("it left without a word".to_owned()))
        }
        Err(_) => {
            tree.put_down().await;
            Err(guard_failed(format!(
                "it said nothing for {} s",
                START_LIMIT.as_secs()
            )))
        }
    }
}

/// The story behind a failed exec.
fn why_not(spawn: &Spawn, errno: i32, reason: String) -> TransportError {
    let program = spawn.found.program.clone();
    match errno {
        libc::EACCES => TransportError::NotExecutable {
            path: program,
            reason: "it may not be executed".to_owned(),
        },
        libc::ENOEXEC => TransportError::NotExecutable {
            path: program,
            reason: "it is no program for this kind of machine".to_owned(),
        },
        // The file is there, so what is missing is its interpreter or loader.
        libc::ENOENT if fs::metadata(&program).is_ok() => TransportError::NotExecutable {
            path: program,
            reason: "the interpreter or loader that it names is missing".to_owned(),
        },
        libc::ENOENT => TransportError::SpawnFailed {
            program,
            reason: "the file is gone".to_owned(),
        },
        _ => TransportError::SpawnFailed { program, reason },
    }
}

impl Guarded {
    /// The next report; `None` when the guard is gone. May be dropped and called again.
    async fn report(&mut self) -> Option<Report> {
        let line = self.reports.next_line().await.ok().flatten()?;
        Report::from_line(&line)
    }

    async fn order(&mut self, order: u8) {
        // A guard that is gone has nothing left to do.
        let _ = self.orders.write_all(&[order]).await;
    }

    /// The guard is gone, or stuck: ends it and what can still be found of the tree.
    async fn put_down(&mut self) -> Exit {
        let _ = self.guard.start_kill();
        let _ = self.guard.wait().await;
        if let Some(cli) = self.cli {
            let _ = kill_process_group(cli, Signal::KILL);
        }
        if let Some(guard) = self.guard_id {
            // The guard led a session; what did not leave it still carries its number.
            let session = guard.as_raw_nonzero().get();
            for entry in tree::snapshot()
                .iter()
                .filter(|entry| entry.session == session)
            {
                if let Some(member) = Pid::from_raw(entry.pid) {
                    let _ = kill_process(member, Signal::KILL);
                }
            }
        }
        exit_of(ExitStatus::from_raw(libc::SIGKILL))
    }
}

impl Tree for Guarded {
    async fn terminate(&mut self) {
        self.order(TERMINATE).await;
    }

    async fn kill(&mut self) {
        self.killing_since
            .get_or_insert_with(tokio::time::Instant::now);
        self.order(KILL).await;
    }

    async fn gone(&mut self) -> Exit {
        let report = match self.killing_since {
            None => self.report().await,
            Some(since) => tokio::time::timeout_at(since + KILL_LIMIT, self.report())
                .await
                .unwrap_or(None),
        };
        match report {
            Some(Report::Ended(status)) => {
                let _ = self.guard.wait().await;
                exit_of(ExitStatus::from_raw(status))
            }
            Some(Report::Started(_) | Report::Failed(..)) | None => self.put_down().await,
        }
    }
}
