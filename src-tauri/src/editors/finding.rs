//! Which of the known editors are on a machine.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use kandev_transport::{Os, look_up};

use super::known::{KNOWN, Known, more_folders};
use super::terminals::{TERMINALS, Terminal};

/// All that finding depends on.
#[derive(Debug, Clone)]
pub struct Machine {
    pub os: Os,
    pub path: OsString,
    /// Searched after PATH.
    pub more: Vec<PathBuf>,
    /// The variables that name the folders of programs on Windows.
    pub variables: BTreeMap<String, String>,
    /// The folders of applications on macOS.
    pub applications: Vec<PathBuf>,
}

/// An editor that is there.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) known: &'static Known,
    pub(super) program: PathBuf,
    /// For one that needs it.
    pub(super) terminal: Option<Terminal>,
}

impl Machine {
    /// This one.
    pub fn this() -> Self {
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        let names = ["LOCALAPPDATA", "ProgramFiles", "ProgramFiles(x86)"];
        let variables = names
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?)))
            .collect();
        let mut applications = vec![PathBuf::from("/Applications")];
        applications.extend(home.as_ref().map(|home| home.join("Applications")));
        Self {
            os: Os::current(),
            path: std::env::var_os("PATH").unwrap_or_default(),
            more: more(Os::current(), home.as_deref()),
            variables,
            applications,
        }
    }

    /// PATH, and where programs are besides.
    fn search_path(&self) -> OsString {
        let separator = if self.os == Os::Windows { ";" } else { ":" };
        let mut path = self.path.clone();
        for folder in &self.more {
            path.push(separator);
            path.push(folder);
        }
        path
    }

    fn program(&self, known: &Known, path: &OsStr) -> Option<PathBuf> {
        let by_command = known.commands.iter().find_map(|command| {
            look_up(command, path, self.os).or_else(|| self.beside_its_script(command, path))
        });
        by_command.or_else(|| {
            self.places(known)
                .into_iter()
                .find_map(|place| there(&place))
        })
    }

    /// Where an installation puts it, with a star for what it may have more to its name.
    pub(super) fn places(&self, known: &Known) -> Vec<String> {
        match self.os {
            Os::Linux => Vec::new(),
            Os::MacOs => {
                let below = |folder: &PathBuf| {
                    let folder = folder.to_string_lossy().into_owned();
                    known
                        .bundles
                        .iter()
                        .map(move |place| format!("{folder}/{place}"))
                };
                self.applications.iter().flat_map(below).collect()
            }
            Os::Windows => {
                let full = |place: &&str| {
                    let (variable, below) = place.strip_prefix('%')?.split_once('%')?;
                    let folder = self.variables.get(variable)?;
                    Some(format!("{folder}{below}"))
                };
                known.windows.iter().filter_map(full).collect()
            }
        }
    }

    /// On Windows VS Code puts `bin\code.cmd` on PATH, and `Code.exe` above it. A script would need a shell.
    fn beside_its_script(&self, command: &str, path: &OsStr) -> Option<PathBuf> {
        if self.os != Os::Windows {
            return None;
        }
        let program = match command {
            "code" => "Code.exe",
            "code-insiders" => "Code - Insiders.exe",
            "codium" => "VSCodium.exe",
            _ => return None,
        };
        std::env::split_paths(path)
            .filter(|folder| folder.is_absolute())
            .filter(|folder| folder.join(format!("{command}.cmd")).is_file())
            .filter_map(|folder| Some(folder.parent()?.join(program)))
            .find(|program| program.is_file())
    }

    fn terminal(&self, path: &OsStr) -> Option<Terminal> {
        let found = TERMINALS.iter().find_map(|(command, before)| {
            Some(Terminal::Program(look_up(command, path, self.os)?, before))
        });
        match self.os {
            Os::Linux => found,
            // Who has installed another one wants it.
            Os::MacOs => found.or(Some(Terminal::AppleScript)),
            Os::Windows => Some(Terminal::Console),
        }
    }
}

/// Where programs are besides PATH.
pub(super) fn more(os: Os, home: Option<&Path>) -> Vec<PathBuf> {
    let full = |folder: &&str| match folder.strip_prefix("~/") {
        Some(below) => Some(home?.join(below)),
        None => Some(PathBuf::from(folder)),
    };
    more_folders(os).iter().filter_map(full).collect()
}

/// Those that are there, in their order. One is looked for when it is wanted.
pub(super) fn editors(machine: &Machine) -> impl Iterator<Item = Found> {
    let path = machine.search_path();
    KNOWN.iter().filter_map(move |known| {
        let terminal = known.terminal.then(|| machine.terminal(&path));
        // Without a terminal it cannot be shown.
        let terminal = match terminal {
            Some(None) => return None,
            Some(terminal) => terminal,
            None => None,
        };
        let program = machine.program(known, &path)?;
        Some(Found {
            known,
            program,
            terminal,
        })
    })
}

/// The file at a place, in which a star stands for the end of one folder's name: of several the last.
pub(super) fn there(place: &str) -> Option<PathBuf> {
    let Some((before, after)) = place.split_once('*') else {
        let file = PathBuf::from(place);
        return file.is_file().then_some(file);
    };
    let cut = before.rfind(['/', '\\'])?;
    let (folder, start) = (&before[..cut], &before[cut + 1..]);
    let (end, below) = match after.find(['/', '\\']) {
        Some(at) => (&after[..at], &after[at + 1..]),
        None => (after, ""),
    };
    let mut names: Vec<String> = std::fs::read_dir(Path::new(folder))
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.len() >= start.len() + end.len())
        .filter(|name| name.starts_with(start) && name.ends_with(end))
        .collect();
    names.sort();
    names
        .iter()
        .rev()
        .map(|name| Path::new(folder).join(name).join(below))
        .find(|file| file.is_file())
}
