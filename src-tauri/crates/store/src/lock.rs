//! One writer for each conversation, whichever program asks. The lock is the operating system's, so it ends with whoever
//! holds it, however that ends; what is written beside it only says who that is.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use specta::Type;

use crate::Store;

/// How often a lock is tried before it counts as held, and how long between. Who only looks holds it for a moment.
const TRIES: u32 = 4;
const BETWEEN: Duration = Duration::from_millis(5);

/// Who has a conversation open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum OwnerKind {
    /// This program, or `kandev`, here or in another process.
    Kandev,
    /// A Claude Code that somebody else started.
    Terminal,
}

/// The process that has a conversation open and may write to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Owner {
    pub kind: OwnerKind,
    /// 0 when it is not known.
    pub pid: u32,
    /// The end of "This session is ...", as in `open in a terminal (process 4711)`.
    pub what: String,
}

/// The right to write to a conversation. It ends when this is dropped, or with the process.
#[derive(Debug)]
pub struct Claim {
    /// Without one, the folder cannot be written and nobody else is kept out.
    file: Option<File>,
    record: PathBuf,
}

/// What stands beside a lock.
#[derive(Serialize, Deserialize)]
struct Record {
    pid: u32,
    program: String,
    /// Seconds since the Unix epoch.
    since: u64,
}

impl Store {
    /// Takes the right to write to a conversation; `who` is the program, as a person knows it. A folder that cannot be
    /// written keeps nobody out, since no one could work in it otherwise.
    ///
    /// # Errors
    /// Who has it.
    pub fn claim(&self, cli_session_id: &str, who: &str) -> Result<Claim, Owner> {
        claim(self.data_dir(), cli_session_id, who)
    }

    /// Which program of ours has the conversation open, this one included.
    pub fn claimed(&self, cli_session_id: &str) -> Option<Owner> {
        claimed(self.data_dir(), cli_session_id)
    }
}

/// The same as [`Store::claim`] for the data folder.
pub(crate) fn claim(data_dir: &Path, cli_session_id: &str, who: &str) -> Result<Claim, Owner> {
    let (lock, record) = paths(data_dir, cli_session_id);
    let Some(file) = open(&lock) else {
        return Ok(Claim { file: None, record });
    };
    if !locked(&file) {
        return Err(owner(&record));
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let content = Record {
        pid: std::process::id(),
        program: who.to_owned(),
        since: since.unwrap_or_default().as_secs(),
    };
    // Without it the lock holds all the same; it only has no name.
    let _ = serde_json::to_vec(&content).map(|content| fs::write(&record, content));
    Ok(Claim {
        file: Some(file),
        record,
    })
}

/// The same as [`Store::claimed`] for the data folder.
pub(crate) fn claimed(data_dir: &Path, cli_session_id: &str) -> Option<Owner> {
    let (lock, record) = paths(data_dir, cli_session_id);
    // Opening it without making it: most conversations were never claimed.
    let file = OpenOptions::new().read(true).write(true).open(lock).ok()?;
    for _ in 0..TRIES {
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(BETWEEN),
            _ => return None,
        }
    }
    Some(owner(&record))
}

fn open(lock: &Path) -> Option<File> {
    fs::create_dir_all(lock.parent()?).ok()?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.open(lock).ok()
}

/// Whether the lock is ours now. A file system without locks keeps nobody out.
fn locked(file: &File) -> bool {
    for _ in 0..TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(BETWEEN),
            Ok(()) | Err(TryLockError::Error(_)) => return true,
        }
    }
    false
}

/// The lock, and what says who holds it. These are two files since a locked one cannot be read everywhere.
fn paths(data_dir: &Path, cli_session_id: &str) -> (PathBuf, PathBuf) {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    let mut name: String = cli_session_id
        .chars()
        .map(|letter| if plain(letter) { letter } else { '_' })
        .collect();
    name.truncate(100);
    let folder = data_dir.join("locks");
    (
        folder.join(format!("{name}.lock")),
        folder.join(format!("{name}.json")),
    )
}

fn owner(record: &Path) -> Owner {
    let read = fs::read(record).ok();
    let read = read.and_then(|content| serde_json::from_slice::<Record>(&content).ok());
    let (pid, what) = match read {
        Some(Record { pid, .. }) if pid == std::process::id() => (pid, "open here".to_owned()),
        Some(Record { pid, program, .. }) => (pid, format!("open in {program} (process {pid})")),
        None => (0, "open in another program".to_owned()),
    };
    Owner {
        kind: OwnerKind::Kandev,
        pid,
        what,
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.file.is_some() {
            let _ = fs::remove_file(&self.record);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    use super::*;

    const FOLDER: &str = "KANDEV_TEST_LOCK_FOLDER";

    #[test]
    fn a_conversation_has_one_writer_until_that_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        assert_eq!(claimed(folder, "s"), None);
        let claim_of_one = claim(folder, "s", "Kandev Desktop").unwrap();
        let owner = claim(folder, "s", "kandev").unwrap_err();
        assert_eq!(
            (owner.pid, owner.what.as_str()),
            (std::process::id(), "open here")
        );
        assert_eq!(claimed(folder, "s"), Some(owner));
        claim(folder, "other", "kandev").unwrap();
        drop(claim_of_one);
        assert_eq!(claimed(folder, "s"), None);
        claim(folder, "s", "kandev").unwrap();
    }

    #[test]
    fn what_is_left_of_a_lock_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let (lock, record) = paths(folder.path(), "s");
        fs::create_dir_all(lock.parent().unwrap()).unwrap();
        fs::write(&lock, "").unwrap();
        fs::write(&record, r#"{"pid":1,"program":"kandev","since":0}"#).unwrap();
        assert_eq!(claimed(folder.path(), "s"), None);
        claim(folder.path(), "s", "kandev").unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_written_keeps_nobody_out() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        claim(&file, "s", "kandev").unwrap();
        assert_eq!(claimed(&file, "s"), None);
    }

    #[test]
    fn an_id_names_no_other_folder() {
        let (lock, record) = paths(Path::new("data"), "../../etc/x");
        assert_eq!(lock, Path::new("data/locks/______etc_x.lock"));
        assert_eq!(record.parent(), lock.parent());
    }

    /// What the next test starts as another process.
    #[test]
    fn holder() {
        let Some(folder) = std::env::var_os(FOLDER) else {
            return;
        };
        let _claim = claim(Path::new(&folder), "s", "kandev").unwrap();
        println!("\nheld");
        // Until the process is killed.
        let _ = std::io::stdin().read(&mut [0]);
    }

    #[test]
    fn a_killed_holder_leaves_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "lock::tests::holder", "--nocapture"])
            .env(FOLDER, folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line == "held"));
        let owner = claim(folder.path(), "s", "Kandev Desktop").unwrap_err();
        assert_eq!(
            owner.what,
            format!("open in kandev (process {})", child.id())
        );
        assert_eq!(claimed(folder.path(), "s"), Some(owner));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(claimed(folder.path(), "s"), None);
        claim(folder.path(), "s", "Kandev Desktop").unwrap();
    }
}
