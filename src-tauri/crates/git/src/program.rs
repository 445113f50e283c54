//! The process: where git is, with what it is started, how much it may say and how long it may take.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use kandev_transport::{Os, look_up};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;
use tokio::time::{Instant, timeout, timeout_at};

use super::GitError;
use crate::tree::Tree;

/// Looking takes no longer than this.
const LOOK_LIMIT: Duration = Duration::from_secs(20);
/// Bytes of an answer.
const LOOK_BYTES: usize = 32 << 20;
/// Bytes that are kept of what is said beside it.
const ERRORS_BYTES: usize = 32 << 10;
/// What still holds the pipes after git has ended is waited for no longer than this.
const PIPES_LIMIT: Duration = Duration::from_millis(500);

/// Set for another repository, or to see what git does: of whoever started us, as a hook as an example.
const NOT_FOR_US: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_ATTR_SOURCE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_PAGER",
    "GIT_TRACE",
    "GIT_TRACE_SETUP",
    "GIT_TRACE_PERFORMANCE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
    "GIT_REDIRECT_STDIN",
    "GIT_REDIRECT_STDOUT",
    "GIT_REDIRECT_STDERR",
];

/// Git, in one folder.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    pub(super) folder: PathBuf,
}

/// How git is let run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// Nothing of the repository's is run, nothing is written and nothing is fetched.
    Look,
    /// The index is written; hooks are not run.
    Stage,
    /// As the person has set it up.
    Commit,
}

/// What git said.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    /// Nothing if it was ended by a signal.
    pub(super) code: Option<i32>,
}

impl Git {
    /// # Errors
    /// `NotInstalled`.
    pub fn in_folder(folder: &Path) -> Result<Self, GitError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program = find(&path, Os::current(), &|name| std::env::var_os(name));
        Ok(Self {
            program: program.ok_or(GitError::NotInstalled)?,
            folder: folder.to_owned(),
        })
    }

    /// This program, wherever it is.
    pub fn with_program(program: &Path, folder: &Path) -> Self {
        Self {
            program: program.to_owned(),
            folder: folder.to_owned(),
        }
    }

    /// What git answers on a question.
    ///
    /// # Errors
    /// Those of running it; that it ends with an error is none.
    pub(super) async fn look<A: AsRef<OsStr>>(
        &self,
        config: &[String],
        args: &[A],
    ) -> Result<Said, GitError> {
        let command = self.command(Manner::Look, config, args);
        run(command, &[], LOOK_LIMIT, LOOK_BYTES).await
    }

    /// Has git do something.
    pub(super) async fn act<A: AsRef<OsStr>>(
        &self,
        manner: Manner,
        args: &[A],
        stdin: &[u8],
        limit: Duration,
    ) -> Result<Said, GitError> {
        run(self.command(manner, &[], args), stdin, limit, LOOK_BYTES).await
    }

    fn command<A: AsRef<OsStr>>(&self, manner: Manner, config: &[String], args: &[A]) -> Command {
        // `Tree` starts it, with CREATE_NO_WINDOW.
        let mut command = Command::new(&self.program);
        command
            .current_dir(&self.folder)
            .arg("--no-pager")
            .arg("--literal-pathspecs")
            .args(["-c", "core.fsmonitor=false"])
            // A repository that lies among the files is none of this folder's.
            .args(["-c", "safe.bareRepository=explicit"])
            .args(["-c", "diff.suppressBlankEmpty=false"]);
        if manner != Manner::Commit {
            command.args(["-c", "core.hooksPath=/dev/null"]);
        }
        for setting in config {
            command.args(["-c", setting]);
        }
        command.args(args);
        for (name, _) in std::env::vars_os() {
            if NOT_FOR_US.iter().any(|ours| name == *ours) {
                command.env_remove(name);
            }
        }
        command
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_EDITOR", ":")
            .env("GIT_SEQUENCE_EDITOR", ":");
        if manner == Manner::Look {
            // What it says is read, so it is said in English. Nothing is fetched, by whatever program.
            command
                .env("GIT_OPTIONAL_LOCKS", "0")
                .env("GIT_NO_LAZY_FETCH", "1")
                .env("GIT_ALLOW_PROTOCOL", "none")
                .env("LC_ALL", "C")
                .env_remove("LANGUAGE");
        }
        command
    }
}

async fn run(
    mut command: Command,
    stdin: &[u8],
    limit: Duration,
    bytes: usize,
) -> Result<Said, GitError> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let until = Instant::now() + limit;
    let (mut tree, pipes) = Tree::spawn(command)?;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let talk = async {
        let write = async {
            if let Some(mut pipe) = pipes.stdin {
                // One that ends before it has read all has said why.
                let _ = pipe.write_all(stdin).await;
            }
        };
        let (_, cut, _) = tokio::join!(
            write,
            read(pipes.stdout, &mut stdout, bytes),
            read_end(pipes.stderr, &mut stderr)
        );
        cut
    };
    let mut talk = Box::pin(talk);
    let (code, cut) = tokio::select! {
        // All is said first: an end that comes before it leaves something in the pipes.
        biased;
        cut = &mut talk => {
            if cut {
                (None, true)
            } else {
                let ended = timeout_at(until, tree.wait()).await;
                let status = ended.map_err(|_| GitError::TimedOut(limit))??;
                (status.code(), false)
            }
        }
        ended = timeout_at(until, tree.wait()) => {
            let status = ended.map_err(|_| GitError::TimedOut(limit))??;
            let cut = timeout(PIPES_LIMIT, &mut talk).await.unwrap_or_default();
            (status.code(), cut)
        }
    };
    drop(talk);
    if cut {
        return Err(GitError::TooMuch);
    }
    Ok(Said {
        stdout,
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        code,
    })
}

/// Reads to the end, or until there is too much.
async fn read(pipe: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>, most: usize) -> bool {
    let Some(mut pipe) = pipe else {
        return false;
    };
    let mut part = vec![0; 64 << 10];
    loop {
        match pipe.read(&mut part).await {
            Ok(0) | Err(_) => return false,
            Ok(count) if into.len() + count > most => return true,
            Ok(count) => into.extend_from_slice(&part[..count]),
        }
    }
}

/// Reads to the end and keeps the last of it.
async fn read_end(pipe: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>) {
    let Some(mut pipe) = pipe else {
        return;
    };
    let mut part = vec![0; 8 << 10];
    while let Ok(count @ 1..) = pipe.read(&mut part).await {
        into.extend_from_slice(&part[..count]);
        if into.len() > 2 * ERRORS_BYTES {
            into.drain(..into.len() - ERRORS_BYTES);
        }
    }
}

/// On PATH, never in the current folder; else where an installation puts it.
fn find(path: &OsStr, os: Os, env: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let mut path = path.to_owned();
    match os {
        Os::Windows => {
            for variable in ["ProgramFiles", "ProgramFiles(x86)"] {
                if let Some(folder) = env(variable) {
                    path.push(";");
                    path.push(folder);
                    path.push("\\Git\\cmd");
                }
            }
        }
        // What is started from the Dock has the system's own folders alone.
        Os::MacOs => path.push(":/usr/local/bin:/opt/homebrew/bin"),
        Os::Linux => {}
    }
    let program = look_up("git", &path, os)?;
    let only_asks = os == Os::MacOs && program == Path::new("/usr/bin/git") && !has_tools();
    (!only_asks).then_some(program)
}

/// Without Apple's developer tools its `git` opens a window that wants to install them.
fn has_tools() -> bool {
    [
        "/Library/Developer/CommandLineTools",
        "/Applications/Xcode.app",
    ]
    .iter()
    .any(|place| Path::new(place).exists())
}
