//! Which Claude Code has a session open that somebody else started. From 2.1 on each says so itself, in a file of its own
//! number; of an older one the command line and the folder tell.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;
use sysinfo::{
    Pid, Process, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind,
};

use super::catalogue::{Terminal, lock};
use crate::{Owner, OwnerKind};

/// How long it stays true who has a session open, as far as nothing depends on it but what is shown.
const RECENT: Duration = Duration::from_secs(1);
/// By how much a process may have begun after the time that its file tells, in seconds: clocks differ.
const SKEW: u64 = 5;

/// A session's file, as far as an owner is told by it.
pub(crate) struct Candidate<'a> {
    pub id: &'a str,
    pub cwd: &'a str,
    /// Seconds since the Unix epoch.
    pub changed: u64,
}

/// A process that runs Claude Code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Running {
    pub pid: u32,
    /// Seconds since the Unix epoch.
    pub began: u64,
    pub args: Vec<String>,
    pub cwd: Option<PathBuf>,
}

/// What a process says of itself under `sessions` in the folder of settings.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Registered {
    pub pid: u32,
    pub session_id: String,
    /// Milliseconds since the Unix epoch.
    #[serde(default)]
    pub started_at: u64,
}

impl Terminal {
    /// Who has a session open: a program of ours, or a Claude Code that somebody else started.
    pub fn owner(&self, id: &str) -> Option<Owner> {
        self.inner
            .store
            .claimed(id)
            .or_else(|| self.owners().remove(id))
    }

    /// Which sessions a Claude Code has open that this program did not start.
    pub fn owners(&self) -> HashMap<String, Owner> {
        let running = running();
        if running.is_empty() {
            return HashMap::new();
        }
        let files = self.files();
        let candidates: Vec<Candidate> = files
            .iter()
            .map(|file| Candidate {
                id: &file.id,
                cwd: file.glance.cwd.as_deref().unwrap_or_default(),
                changed: (file.listed.changed / 1_000_000_000).cast_unsigned(),
            })
            .collect();
        let mut owners = owners(self.inner.projects.roots(), &candidates, &running);
        // What another process of ours started is not in a terminal. That this one has the right to write says nothing of
        // who else writes.
        let own = std::process::id();
        owners.retain(|id, _| {
            let claimed = self.inner.store.claimed(id);
            claimed.is_none_or(|owner| owner.pid == own)
        });
        owners
    }

    /// The same as [`Terminal::owner`], as it was a moment ago: to look at all processes costs something.
    pub(super) fn recent_owner(&self, id: &str) -> Option<Owner> {
        if let Some(owner) = self.inner.store.claimed(id) {
            return Some(owner);
        }
        let mut recent = lock(&self.inner.recent_owners);
        match &*recent {
            Some((looked, owners)) if looked.elapsed() < RECENT => owners.get(id).cloned(),
            _ => {
                let owners = self.owners();
                let owner = owners.get(id).cloned();
                *recent = Some((Instant::now(), owners));
                owner
            }
        }
    }
}

/// Who has which session open.
pub(crate) fn owners(
    roots: &[PathBuf],
    sessions: &[Candidate<'_>],
    running: &[Running],
) -> HashMap<String, Owner> {
    let mut owners = HashMap::new();
    let mut told = HashSet::new();
    for registered in roots.iter().flat_map(|root| registered(root)) {
        let alive = running.iter().find(|process| {
            process.pid == registered.pid && process.began <= registered.started_at / 1000 + SKEW
        });
        if let Some(process) = alive {
            told.insert(process.pid);
            owners.insert(registered.session_id, owner(process.pid));
        }
    }
    for process in running
        .iter()
        .filter(|process| !told.contains(&process.pid))
    {
        let open = match named(&process.args) {
            Some(id) => sessions.iter().find(|session| session.id == id),
            // It works on the session of its folder that it was the last to write.
            None => sessions
                .iter()
                .filter(|session| process.cwd.as_deref() == Some(Path::new(session.cwd)))
                .filter(|session| session.changed >= process.began)
                .max_by_key(|session| session.changed),
        };
        if let Some(session) = open {
            owners
                .entry(session.id.to_owned())
                .or_insert_with(|| owner(process.pid));
        }
    }
    owners
}

fn owner(pid: u32) -> Owner {
    Owner {
        kind: OwnerKind::Terminal,
        pid,
        what: format!("open in a terminal (process {pid})"),
    }
}

/// What the processes of a folder of settings say of themselves; some of them may be gone.
pub(crate) fn registered(root: &Path) -> Vec<Registered> {
    let entries = fs::read_dir(root.join("sessions"))
        .into_iter()
        .flatten()
        .flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok())
        .collect()
}

/// The session that a command line names.
fn named(args: &[String]) -> Option<&str> {
    const FLAGS: [&str; 3] = ["--resume", "-r", "--session-id"];
    let mut args = args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        if FLAGS.contains(&arg) {
            return args.next().filter(|id| !id.starts_with('-'));
        }
        if let Some((flag, id)) = arg.split_once('=')
            && FLAGS.contains(&flag)
        {
            return Some(id);
        }
    }
    None
}

/// The processes of this machine that run Claude Code and were not started by this program.
pub(crate) fn running() -> Vec<Running> {
    running_beside(Pid::from_u32(std::process::id()))
}

/// Those that `own` did not start.
fn running_beside(own: Pid) -> Vec<Running> {
    let Ok(mut system) = System::new() else {
        return Vec::new();
    };
    let kind = ProcessRefreshKind::nothing()
        .with_cmd(UpdateKind::Always)
        .with_cwd(UpdateKind::Always)
        .without_tasks();
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, kind);
    let processes = system.processes();
    processes
        .values()
        .filter(|process| process.thread_kind().is_none())
        // One that has ended holds nothing; where nobody asks how it ended, it stays in the list with its name.
        .filter(|process| {
            !matches!(
                process.status(),
                ProcessStatus::Zombie | ProcessStatus::Dead
            )
        })
        .filter_map(|process| {
            let args: Vec<String> = process
                .cmd()
                .iter()
                .map(|arg| arg.to_string_lossy().into_owned())
                .collect();
            let claude = is_claude(&process.name().to_string_lossy(), &args);
            (claude && !descends(process, own, processes)).then(|| Running {
                pid: process.pid().as_u32(),
                began: process.start_time(),
                args,
                cwd: process.cwd().map(Path::to_owned),
            })
        })
        .collect()
}

/// Whether a process is this one or was started by it, through however many others.
fn descends<'a>(mut process: &'a Process, own: Pid, processes: &'a HashMap<Pid, Process>) -> bool {
    // A chain of parents is short; a ring of them would be a fault of the system.
    for _ in 0..64 {
        if process.pid() == own {
            return true;
        }
        match process.parent().and_then(|parent| processes.get(&parent)) {
            Some(parent) => process = parent,
            None => return false,
        }
    }
    false
}

/// Whether a process is Claude Code: its own binary, or node with its script.
fn is_claude(name: &str, args: &[String]) -> bool {
    let stem = |path: &str| {
        let file = path
            .rsplit(['/', '\\'])
            .next()
            .unwrap_or(path)
            .to_ascii_lowercase();
        file.strip_suffix(".exe").unwrap_or(&file).to_owned()
    };
    if stem(name) == "claude" || args.first().is_some_and(|first| stem(first) == "claude") {
        return true;
    }
    let node = args
        .first()
        .is_some_and(|first| ["node", "bun"].contains(&stem(first).as_str()));
    let mut scripts = args.iter().skip(1).filter(|arg| !arg.starts_with('-'));
    node && scripts.next().is_some_and(|script| {
        stem(script) == "claude" || script.contains("claude-code") && stem(script) == "cli.js"
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn running(pid: u32, began: u64, args: &str, cwd: &str) -> Running {
        Running {
            pid,
            began,
            args: args.split(' ').map(str::to_owned).collect(),
            cwd: Some(cwd.into()),
        }
    }

    fn sessions() -> Vec<Candidate<'static>> {
        let session = |id, cwd, changed| Candidate { id, cwd, changed };
        vec![
            session("a", "/p", 100),
            session("b", "/p", 300),
            session("c", "/q", 300),
        ]
    }

    fn who(roots: &[PathBuf], running: &[Running]) -> Vec<(String, u32)> {
        let owners = owners(roots, &sessions(), running);
        let mut who: Vec<_> = owners
            .into_iter()
            .map(|(id, owner)| (id, owner.pid))
            .collect();
        who.sort();
        who
    }

    #[test]
    fn a_process_says_itself_which_session_it_has_open() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("sessions")).unwrap();
        let write = |pid: u32, text: &str| {
            fs::write(root.path().join(format!("sessions/{pid}.json")), text).unwrap();
        };
        write(
            7,
            r#"{"pid":7,"sessionId":"a","startedAt":200000,"status":"busy"}"#,
        );
        write(8, r#"{"pid":8,"sessionId":"c","startedAt":200000}"#);
        write(9, r#"{"pid":9,"#);
        let roots = [root.path().to_owned()];
        // Its folder says nothing any more, and a number that another process has now is not it.
        let alive = [
            running(7, 199, "claude", "/p"),
            running(8, 260, "claude", "/r"),
        ];
        assert_eq!(who(&roots, &alive), [("a".to_owned(), 7)]);
        assert_eq!(who(&roots, &[]), []);
    }

    #[test]
    fn of_an_older_one_the_command_line_or_the_folder_tells() {
        let resumed = running(7, 250, "claude --resume a", "/elsewhere");
        assert_eq!(who(&[], &[resumed]), [("a".to_owned(), 7)]);
        let named = running(7, 250, "node cli.js --session-id=c", "/elsewhere");
        assert_eq!(who(&[], &[named]), [("c".to_owned(), 7)]);
        let plain = running(7, 50, "claude", "/p");
        assert_eq!(who(&[], &[plain]), [("b".to_owned(), 7)]);
        let later = running(7, 400, "claude", "/p");
        assert_eq!(who(&[], &[later]), [], "nothing was written since it began");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_that_has_ended_has_nothing_open_though_its_parent_does_not_ask() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("claude");
        std::os::unix::fs::symlink("/bin/sleep", &program).unwrap();
        let mut child = std::process::Command::new(&program)
            .arg("600")
            .spawn()
            .unwrap();
        let nobody = Pid::from_u32(u32::MAX);
        let id = child.id();
        let is_there = || {
            let all = running_beside(nobody);
            all.iter().any(|process| process.pid == id)
        };
        // Between fork and exec it has another name.
        while !is_there() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        let stat = format!("/proc/{id}/stat");
        while !fs::read_to_string(&stat).unwrap().contains(") Z ") {
            std::thread::yield_now();
        }
        let still = is_there();
        child.wait().unwrap();
        assert!(!still);
    }

    #[test]
    fn claude_code_is_known_by_its_name_or_its_script() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for args in [
            "claude",
            "/usr/bin/claude -p x",
            r"C:\bin\claude.exe",
            "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js --resume x",
            "node --no-warnings /home/me/.local/bin/claude",
        ] {
            assert!(is_claude("x", &words(args)), "{args}");
        }
        assert!(is_claude("claude", &[]));
        for args in [
            "vim claude",
            "node server.js claude",
            "bash -c claude",
            "kandev-desktop",
        ] {
            assert!(!is_claude("x", &words(args)), "{args}");
        }
    }
}
