//! The guard's own life: start the CLI, pass its end on, and leave nothing behind.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, exit};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, wait, waitpid};

use super::message::{KILL, Report, TERMINATE, parse_fd};
use super::tree::{below, snapshot};

/// How long a member that cannot be killed (another user's, or stuck in the kernel) may hold up the end of the rest.
const UNKILLABLE: Duration = Duration::from_secs(3);
const BETWEEN_ROUNDS: Duration = Duration::from_millis(10);

/// What the guard's threads share.
#[derive(Debug, Default)]
struct Tree {
    /// The CLI while it runs, else 0.
    cli: AtomicI32,
    /// The CLI's process group. It can outlive the CLI.
    group: AtomicI32,
    /// Members seen so far and their births. Once a member, always a member, wherever it hangs later.
    seen: Mutex<HashMap<i32, String>>,
}

impl Tree {
    /// Looks again; the members that are there now.
    fn alive(&self) -> Vec<Pid> {
        let guard = rustix::process::getpid().as_raw_nonzero().get();
        let group = self.group.load(Ordering::SeqCst);
        let table = snapshot();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for entry in below(&table, guard).into_iter().chain(below(&table, group)) {
            // Our own helpers, such as `ps`, stay in our group; the CLI has one of its own.
            if entry.pid == group || entry.group != guard {
                seen.insert(entry.pid, entry.born.clone());
            }
        }
        table
            .iter()
            .filter(|entry| seen.get(&entry.pid) == Some(&entry.born))
            .filter_map(|entry| Pid::from_raw(entry.pid))
            .collect()
    }
}

pub(super) fn run(mut arguments: impl Iterator<Item = OsString>) -> ! {
    let fd = arguments.next().and_then(|argument| parse_fd(&argument));
    let (Some(fd), Some(program)) = (fd, arguments.next()) else {
        eprintln!("the guard is started by kandev itself");
        exit(2);
    };
    // SAFETY: whoever starts a guard passes it this descriptor, open, for it alone.
    let lifeline = unsafe { OwnedFd::from_raw_fd(fd) };
    if rustix::io::fcntl_setfd(&lifeline, rustix::io::FdFlags::CLOEXEC).is_err() {
        eprintln!("the guard is started by kandev itself");
        exit(2);
    }
    let mut lifeline = UnixStream::from(lifeline);
    match watch(&mut lifeline, program, arguments) {
        Ok(status) => {
            let _ = lifeline.write_all(Report::Ended(status).to_line().as_bytes());
            exit(0)
        }
        Err(error) => {
            let report = Report::Failed(error.raw_os_error().unwrap_or(0), error.to_string());
            let _ = lifeline.write_all(report.to_line().as_bytes());
            exit(1)
        }
    }
}

/// Runs the CLI to the end of its whole tree; its wait status.
fn watch(
    lifeline: &mut UnixStream,
    program: OsString,
    arguments: impl Iterator<Item = OsString>,
) -> io::Result<i32> {
    // A session of its own, so that the terminal's Ctrl+C reaches the app alone.
    let _ = rustix::process::setsid();
    // Only the lifeline ends a guard (and SIGKILL, which the CLI then dies of as well).
    block_signals(&all_signals())?;
    #[cfg(target_os = "linux")]
    {
        rustix::thread::set_name(c"kandev-guard")?;
        // What loses its parent becomes our child, however it hides: that is how all of it is found.
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    }

    let tree = Arc::new(Tree::default());
    let cli = start(program, arguments)?;
    tree.group
        .store(cli.as_raw_nonzero().get(), Ordering::SeqCst);
    tree.cli.store(cli.as_raw_nonzero().get(), Ordering::SeqCst);
    let _ = lifeline.write_all(
        Report::Started(cli.as_raw_nonzero().get().unsigned_abs())
            .to_line()
            .as_bytes(),
    );
    let_go_of_the_pipes();
    let _ = std::env::set_current_dir("/");

    let orders = lifeline.try_clone()?;
    thread::spawn({
        let tree = Arc::clone(&tree);
        move || obey(&orders, &tree)
    });
    let status = reap_until_ended(cli)?;
    tree.cli.store(0, Ordering::SeqCst);
    // What the CLI leaves behind ends with it.
    kill_all(&tree);
    Ok(status)
}

fn start(program: OsString, arguments: impl Iterator<Item = OsString>) -> io::Result<Pid> {
    let guard = rustix::process::getpid();
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    let unblocked = no_signals();
    // SAFETY: only system calls that are allowed between fork and exec, and no allocation.
    unsafe {
        command.pre_exec(move || {
            block_signals(&unblocked)?;
            #[cfg(target_os = "linux")]
            {
                rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
                if rustix::process::getppid() != Some(guard) {
                    return Err(io::Error::from_raw_os_error(libc::ESRCH));
                }
            }
            #[cfg(not(target_os = "linux"))]
            let _ = guard;
            Ok(())
        });
    }
    let child = command.spawn()?;
    i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| io::Error::other("the process id is out of range"))
}

/// The CLI alone holds its pipes from here on, so that their ends are its own.
fn let_go_of_the_pipes() {
    if let Ok(null) = std::fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/null")
    {
        let _ = rustix::stdio::dup2_stdin(null.as_fd());
        let _ = rustix::stdio::dup2_stdout(null.as_fd());
        let _ = rustix::stdio::dup2_stderr(null.as_fd());
    }
}

/// Carries out what comes down the lifeline; its end is the order to kill.
fn obey(mut orders: &UnixStream, tree: &Tree) {
    let mut order = [0_u8];
    loop {
        match orders.read(&mut order) {
            Ok(1) if order[0] == TERMINATE => {
                // While the tree hangs together, all of it is found.
                tree.alive();
                signal_group(tree, Signal::TERM);
            }
            Ok(1) if order[0] == KILL => break,
            Ok(1) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => break,
        }
    }
    kill_all(tree);
}

fn signal_group(tree: &Tree, signal: Signal) {
    if let Some(cli) = Pid::from_raw(tree.cli.load(Ordering::SeqCst)) {
        let _ = kill_process_group(cli, signal);
    }
}

/// Reaps until the CLI ends. On Linux also the orphans that became our children.
fn reap_until_ended(cli: Pid) -> io::Result<i32> {
    loop {
        let reaped = if cfg!(target_os = "linux") {
            wait(WaitOptions::empty())
        } else {
            // A `wait` for any child would take the end of our own `ps` away.
            waitpid(Some(cli), WaitOptions::empty())
        };
        match reaped {
            Ok(Some((pid, status))) if pid == cli => return Ok(status.as_raw()),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn reap_orphans() {
    if cfg!(target_os = "linux") {
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
    }
}

/// Kills the CLI and all below it, round after round, because what dies may just have had children. Returns when
/// nothing is left, or when what is left cannot be killed.
fn kill_all(tree: &Tree) {
    let deadline = Instant::now() + UNKILLABLE;
    loop {
        let alive = tree.alive();
        signal_group(tree, Signal::KILL);
        for pid in &alive {
            let _ = kill_process(*pid, Signal::KILL);
        }
        let cli_is_gone = tree.cli.load(Ordering::SeqCst) == 0;
        if cli_is_gone {
            reap_orphans();
        }
        if cli_is_gone && (alive.is_empty() || Instant::now() > deadline) {
            return;
        }
        thread::sleep(BETWEEN_ROUNDS);
    }
}

fn all_signals() -> libc::sigset_t {
    // SAFETY: sigfillset initialises the whole set.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigfillset(&raw mut set);
        set
    }
}

fn no_signals() -> libc::sigset_t {
    // SAFETY: sigemptyset initialises the whole set.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        set
    }
}

fn block_signals(set: &libc::sigset_t) -> io::Result<()> {
    // SAFETY: the set is initialised, and the old one is not asked for.
    match unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, set, std::ptr::null_mut()) } {
        0 => Ok(()),
        errno => Err(io::Error::from_raw_os_error(errno)),
    }
}
