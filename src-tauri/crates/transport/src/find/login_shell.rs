//! The PATH that a person's terminal has. A program started from a menu does not inherit it, so the login shell is
//! asked, once in the life of this process.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The shell's PATH, or none if it did not tell within `limit`.
pub(super) fn path(shell: &Path, limit: Duration) -> Option<OsString> {
    static ANSWERS: Mutex<Option<HashMap<PathBuf, Option<OsString>>>> = Mutex::new(None);
    let mut answers = ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    let answers = answers.get_or_insert_default();
    answers
        .entry(shell.to_owned())
        .or_insert_with(|| system::ask(shell, limit))
        .clone()
}

/// What stands between the marks, greetings of start-up files around them left out.
#[cfg_attr(windows, allow(dead_code))]
fn between_marks(said: &[u8], mark: &str) -> Option<Vec<u8>> {
    let line = format!("\n{mark}\n").into_bytes();
    let find = |text: &[u8]| text.windows(line.len()).position(|window| window == line);
    let start = find(said)? + line.len();
    // The second mark may follow at once, on the line break that ended the first.
    let end = find(&said[start - 1..])?;
    Some(said[start..(start - 1 + end).max(start)].to_vec())
}

#[cfg(windows)]
mod system {
    use super::{Duration, OsString, Path};

    pub(super) fn ask(_shell: &Path, _limit: Duration) -> Option<OsString> {
        None
    }
}

#[cfg(unix)]
mod system {
    use std::ffi::OsString;
    use std::io::Read;
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::sync::mpsc;
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::between_marks;

    /// Start-up files that say more than this are not listened to any longer.
    const MOST: u64 = 1024 * 1024;

    pub(super) fn ask(shell: &Path, limit: Duration) -> Option<OsString> {
        let deadline = Instant::now() + limit;
        let mark = format!("path-of-{}", std::process::id());
        let mut command = Command::new(shell);
        command
            .args([
                "-l",
                "-i",
                "-c",
                &format!("echo; echo {mark}; printenv PATH; echo {mark}"),
            ])
            .current_dir("/")
            // Start-up files are asked to be quick and quiet: no terminal games, no questions.
            .env("TERM", "dumb")
            .env("DISABLE_AUTO_UPDATE", "true")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        // An interactive shell wants to own its terminal, so it gets a session without one.
        // SAFETY: one system call that is allowed between fork and exec.
        unsafe {
            command.pre_exec(|| {
                rustix::process::setsid()?;
                Ok(())
            });
        }
        let mut child = command.spawn().ok()?;
        let mut stdout = child.stdout.take()?.take(MOST);
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut said = Vec::new();
            let mut buffer = [0; 4096];
            // Not to the end of the pipe: what a start-up file left running may hold it open.
            while let Ok(read @ 1..) = stdout.read(&mut buffer) {
                said.extend_from_slice(&buffer[..read]);
                if let Some(path) = between_marks(&said, &mark) {
                    let _ = sender.send(path);
                    break;
                }
            }
        });
        let path = receiver
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            .ok();
        thread::spawn(move || see_off(&mut child, deadline));
        let path = String::from_utf8(path?)
            .map_or_else(|bytes| bytes.into_bytes(), |text| text.trim().into());
        (!path.is_empty()).then(|| OsString::from_vec(path))
    }

    /// Reaps the shell; kills its group if it does not leave in time.
    fn see_off(child: &mut Child, deadline: Instant) {
        while let Ok(None) = child.try_wait() {
            if Instant::now() >= deadline {
                if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                    let _ = kill_process_group(group, Signal::KILL);
                }
                let _ = child.wait();
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn greetings_around_the_answer_do_not_matter() {
        let said = b"Welcome!\nPATH=/not/this\n\nmark\n/usr/bin:/bin\nmark\nbye";
        assert_eq!(between_marks(said, "mark").unwrap(), b"/usr/bin:/bin");
        assert_eq!(between_marks(b"\nmark\nmark\n", "mark").unwrap(), b"");
        assert_eq!(between_marks(b"\nmark\n/usr/bin", "mark"), None);
        assert_eq!(between_marks(b"mark", "mark"), None);
    }

    #[cfg(unix)]
    fn shell(script: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let shell = folder.path().join("shell");
        // Written by another process, so that no descriptor of ours keeps it busy.
        let written = std::process::Command::new("sh")
            .args([
                "-c",
                "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\"",
            ])
            .args([shell.as_os_str(), script.as_ref()])
            .status();
        assert!(written.unwrap().success());
        (folder, shell)
    }

    #[cfg(unix)]
    #[test]
    fn the_shell_tells_its_path_and_is_asked_once() {
        let (folder, shell) = shell(
            "echo hello; echo x >> \"${0%/*}/asked\"; PATH=/from/profile:$PATH; shift 2; exec /bin/sh \"$@\"",
        );
        let limit = Duration::from_secs(20);
        for _ in 0..2 {
            let path = path(&shell, limit).unwrap();
            assert!(
                path.to_string_lossy().starts_with("/from/profile:"),
                "{path:?}"
            );
        }
        assert_eq!(
            std::fs::read_to_string(folder.path().join("asked")).unwrap(),
            "x\n"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_that_leaves_something_running_still_answers() {
        let (_folder, shell) = shell("sleep 60 & shift 2; exec /bin/sh \"$@\"");
        assert!(path(&shell, Duration::from_secs(20)).is_some());
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_that_hangs_fails_or_is_missing_tells_nothing() {
        let (_folder, hangs) = shell("exec sleep 60");
        let start = std::time::Instant::now();
        assert_eq!(path(&hangs, Duration::from_millis(200)), None);
        assert!(start.elapsed() < Duration::from_secs(20));
        let (_folder, fails) = shell("exit 1");
        assert_eq!(path(&fails, Duration::from_secs(20)), None);
        assert_eq!(
            path(Path::new("/no/such/shell"), Duration::from_secs(20)),
            None
        );
    }
}
