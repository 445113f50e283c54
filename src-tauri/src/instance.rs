//! One running app for each data folder: the lock that the first one holds, and how long a second one waits for it.
//!
//! Where there is a session bus, a second start hands its arguments over and ends. The lock is for what the bus does not
//! cover: no bus, another bus, a first one that hangs. The system releases it on any death, so it cannot be stale.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tauri::AppHandle;

use crate::opening;

/// Exit status: another app has the data folder, and could not be reached.
pub const ALREADY_OPEN: u8 = 4;

/// A first one that has not taken the arguments within this hangs.
const HAND_OVER_WITHIN: Duration = Duration::from_secs(10);
/// A first one that is about to end has done so within this.
const END_WITHIN: Duration = Duration::from_secs(12);
const RETRY: Duration = Duration::from_millis(50);

const LOCK: &str = "app.lock";
const ENDING: &str = "ending";

/// The data folder is ours for as long as this lives.
#[derive(Debug)]
pub struct Instance(Mutex<File>);

/// The app that has the data folder.
#[derive(Debug, PartialEq, Eq)]
pub struct Other {
    pub pid: Option<u32>,
    ending: bool,
}

#[derive(Debug)]
pub enum Claim {
    Ours(Instance),
    Theirs(Other),
}

impl Claim {
    /// Takes the folder's lock, or says who has it. An error: there is no telling, as on a disk without locks.
    pub fn make(data_dir: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(data_dir)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(data_dir.join(LOCK))?;
        match file.try_lock() {
            Ok(()) => {
                write(&mut file, "")?;
                Ok(Self::Ours(Instance(Mutex::new(file))))
            }
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // Where a locked file cannot be read, the other stays unnamed.
                let _ = file.read_to_string(&mut text);
                Ok(Self::Theirs(Other::named(&text)))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Waits for one that is ending; the folder is ours then.
    pub fn wait(self, data_dir: &Path) -> io::Result<Self> {
        let end = Instant::now() + END_WITHIN;
        let mut claim = self;
        while matches!(&claim, Self::Theirs(other) if other.ending) && Instant::now() < end {
            thread::sleep(RETRY);
            claim = Self::make(data_dir)?;
        }
        Ok(claim)
    }
}

impl Instance {
    /// Says to a next start that waiting is worth it.
    pub fn ends(&self) {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Only how long the next one waits hangs on this.
        let _ = write(&mut file, ENDING);
    }
}

fn write(file: &mut File, word: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(format!("{} {word}\n", std::process::id()).as_bytes())
}

impl Other {
    fn named(text: &str) -> Self {
        let mut words = text.split_whitespace();
        Self {
            pid: words.next().and_then(|pid| pid.parse().ok()),
            ending: words.next() == Some(ENDING),
        }
    }

    fn process(&self) -> String {
        self.pid
            .map_or_else(String::new, |pid| format!(" (process {pid})"))
    }

    /// Why this start ends: the other could not be told of it.
    pub fn unreachable(&self, data_dir: &Path) -> String {
        format!(
            "Kandev Desktop is open already{}, with the data folder {}, and cannot be reached from here. Use its \
             window, or end it first.",
            self.process(),
            data_dir.display()
        )
    }

    fn hangs(&self) -> String {
        let end = self.pid.map_or_else(
            || "End it".to_owned(),
            |pid| format!("End it with `kill -9 {pid}`"),
        );
        format!(
            "Kandev Desktop is open already{} but does not answer. {end} and start again; what was said is kept.",
            self.process()
        )
    }
}

/// Ends this process when the other one has not taken the arguments in time. Dropped, it does nothing.
pub struct Watchdog {
    _stop: Option<mpsc::Sender<()>>,
}

impl Watchdog {
    pub fn over(claim: &io::Result<Claim>) -> Self {
        let words = match claim {
            Ok(Claim::Ours(_)) => return Self { _stop: None },
            Ok(Claim::Theirs(other)) => other.hangs(),
            Err(_) => Other::named("").hangs(),
        };
        let (stop, stopped) = mpsc::channel();
        thread::spawn(move || {
            if stopped.recv_timeout(HAND_OVER_WITHIN) == Err(RecvTimeoutError::Timeout) {
                eprintln!("kandev-desktop: {words}");
                std::process::exit(ALREADY_OPEN.into());
            }
        });
        Self { _stop: Some(stop) }
    }
}

/// Before the app opens: the folder is ours, or this start ends with words.
pub fn own(claim: io::Result<Claim>, data_dir: &Path) -> Result<Option<Instance>, ExitCode> {
    match claim.and_then(|claim| claim.wait(data_dir)) {
        Ok(Claim::Ours(instance)) => Ok(Some(instance)),
        Ok(Claim::Theirs(other)) => {
            eprintln!("kandev-desktop: {}", other.unreachable(data_dir));
            Err(ExitCode::from(ALREADY_OPEN))
        }
        Err(error) => {
            eprintln!(
                "kandev-desktop: {}: {error}; whether another app uses this folder is not known.",
                data_dir.join(LOCK).display()
            );
            Ok(None)
        }
    }
}

/// Hands the arguments of a second start to the first over the session bus. Elsewhere than on Linux the plugin knows
/// one name only, which is that of the default folder.
pub fn plugin(data_dir: Option<&Path>) -> Option<tauri::plugin::TauriPlugin<tauri::Wry>> {
    let builder = tauri_plugin_single_instance::Builder::new()
        .callback(|app: &AppHandle, argv, cwd| opening::second_start(app, argv, &cwd));
    match data_dir {
        None => Some(builder.build()),
        Some(folder) if cfg!(target_os = "linux") => {
            Some(builder.dbus_id(bus_name(folder)).build())
        }
        Some(_) => None,
    }
}

fn bus_name(data_dir: &Path) -> String {
    let folder = data_dir
        .canonicalize()
        .unwrap_or_else(|_| data_dir.to_owned());
    let id = uuid::Uuid::new_v5(
        &uuid::Uuid::NAMESPACE_URL,
        folder.as_os_str().as_encoded_bytes(),
    );
    format!("dev.kandev.desktop.at_{}", id.simple())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_data_folder_has_a_bus_name_of_its_own_however_it_is_written() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("x")).unwrap();
        let name = bus_name(home.path());
        assert_eq!(name, bus_name(&home.path().join("x/..")));
        assert_ne!(name, bus_name(Path::new("/")));
        assert!(
            name.split('.')
                .all(|part| !part.starts_with(|c: char| c.is_ascii_digit()))
        );
    }

    #[test]
    fn a_data_folder_has_one_owner_whose_name_is_told() {
        let home = tempfile::tempdir().unwrap();
        let Claim::Ours(first) = Claim::make(home.path()).unwrap() else {
            panic!("nobody has it")
        };
        let Claim::Theirs(other) = Claim::make(home.path()).unwrap() else {
            panic!("it has two owners")
        };
        assert_eq!(other.pid, Some(std::process::id()));
        let refusal = own(Ok(Claim::Theirs(other)), home.path()).unwrap_err();
        assert_eq!(
            format!("{refusal:?}"),
            format!("{:?}", ExitCode::from(ALREADY_OPEN))
        );
        drop(first);
        assert!(matches!(Claim::make(home.path()).unwrap(), Claim::Ours(_)));
    }

    #[test]
    fn what_a_dead_app_left_is_no_obstacle() {
        let home = tempfile::tempdir().unwrap();
        for left in ["", "1 ending\n", "4294967295\n", "not a number\n", "\0\0"] {
            std::fs::write(home.path().join(LOCK), left).unwrap();
            assert!(
                matches!(Claim::make(home.path()).unwrap(), Claim::Ours(_)),
                "{left:?}"
            );
        }
    }

    #[test]
    fn one_that_is_ending_is_waited_for() {
        let home = tempfile::tempdir().unwrap();
        let Claim::Ours(first) = Claim::make(home.path()).unwrap() else {
            panic!("nobody has it")
        };
        first.ends();
        let second = Claim::make(home.path());
        assert!(matches!(&second, Ok(Claim::Theirs(other)) if other.ending));
        let end = thread::spawn(move || drop(first));
        assert!(own(second, home.path()).unwrap().is_some());
        end.join().unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_locked_stops_nobody() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(own(Claim::make(&file), &file).unwrap().is_none());
    }
}
