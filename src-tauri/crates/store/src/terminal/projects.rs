//! Where the CLI keeps its sessions: folders of its settings, each with `projects` in it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;

/// How long the CLI keeps a session that nobody touches, in days, unless its settings say otherwise.
const KEPT_DAYS: u64 = 30;

/// The folders in which the CLI keeps its settings and, under `projects`, its sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Projects {
    roots: Vec<PathBuf>,
}

/// A session's file as the folder lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub path: PathBuf,
    /// The folder of settings that it lies under.
    pub root: usize,
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since the Unix epoch.
    pub changed: i64,
}

impl Projects {
    /// The folder of this user: `CLAUDE_CONFIG_DIR`, else `.claude` in the home folder.
    pub fn of_this_user() -> Self {
        let named = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|dir| !dir.is_empty());
        let root = named.map(PathBuf::from);
        let root = root.or_else(|| Some(dirs::home_dir()?.join(".claude")));
        Self {
            roots: root.into_iter().collect(),
        }
    }

    /// These folders. One in a WSL distribution is named as Windows sees it, as in
    /// `\\wsl.localhost\Ubuntu\home\me\.claude`.
    pub fn at(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            roots: roots.into_iter().collect(),
        }
    }

    /// Adds a folder, unless it is there.
    #[must_use]
    pub fn and(mut self, root: PathBuf) -> Self {
        if !self.roots.contains(&root) {
            self.roots.push(root);
        }
        self
    }

    /// The folders of settings.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The sessions' files, without those of subagents. A folder that is not there holds none.
    pub(crate) fn files(&self) -> Vec<Listed> {
        let mut files = Vec::new();
        for (root, folder) in self.roots.iter().enumerate() {
            for project in entries(&folder.join("projects")) {
                for entry in entries(&project.path()) {
                    let name = entry.file_name();
                    let name = name.to_string_lossy();
                    if !name.ends_with(".jsonl") || name.starts_with("agent-") {
                        continue;
                    }
                    if let Ok(stat) = fs::metadata(entry.path()).as_ref()
                        && stat.is_file()
                        && stat.len() > 0
                    {
                        files.push(Listed {
                            path: entry.path(),
                            root,
                            size: stat.len(),
                            changed: stat.modified().map_or(0, nanos),
                        });
                    }
                }
            }
        }
        files
    }

    /// The folder of settings under which a file of a session lies.
    pub(crate) fn root_of(&self, file: &Path) -> Option<usize> {
        let mut roots = self.roots.iter();
        roots.position(|root| file.starts_with(root.join("projects")))
    }

    /// How many days a session of this folder is kept after its last change.
    pub(crate) fn kept_days(&self, root: usize) -> u64 {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Settings {
            cleanup_period_days: Option<f64>,
        }
        let text = self.roots.get(root).map(|root| root.join("settings.json"));
        let text = text
            .and_then(|path| fs::read(path).ok())
            .unwrap_or_default();
        let settings = serde_json::from_slice::<Settings>(&text).ok();
        let days = settings.and_then(|settings| settings.cleanup_period_days);
        days.filter(|days| *days >= 1.0)
            .map_or(KEPT_DAYS, |days| days as u64)
    }

    /// Where the CLI of this folder runs, if that is another system: `wsl:NAME`.
    pub(crate) fn host(&self, root: usize) -> Option<String> {
        kandev_session::host_of_folder(self.roots.get(root)?.to_str()?)
    }

    /// A folder of the CLI's own system as this one reaches it.
    pub(crate) fn reached(&self, root: usize, folder: &str) -> String {
        let root = self.roots.get(root).and_then(|root| root.to_str());
        match root.and_then(distribution) {
            Some((name, host)) if folder.starts_with('/') => {
                format!(r"\\{host}\{name}{}", folder.replace('/', r"\"))
            }
            _ => folder.to_owned(),
        }
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

pub(crate) fn nanos(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// The WSL distribution in which a path lies, and the host by which Windows reaches it.
fn distribution(path: &str) -> Option<(&str, &str)> {
    let plain = |letter: char| letter == '\\' || letter == '/';
    let rest = path.strip_prefix(plain)?.strip_prefix(plain)?;
    let rest = match rest.get(..6) {
        Some(verbatim) if verbatim.eq_ignore_ascii_case(r"?\UNC\") => &rest[6..],
        _ => rest,
    };
    let (host, rest) = rest.split_once(plain)?;
    let known = ["wsl.localhost", "wsl$"];
    let name = rest.split(plain).next()?;
    let is_wsl = known.iter().any(|known| host.eq_ignore_ascii_case(known));
    (is_wsl && !name.is_empty()).then_some((name, host))
}

/// Which folders are gone. Each is looked at once.
#[derive(Default)]
pub(crate) struct Folders {
    gone: HashMap<String, bool>,
}

impl Folders {
    pub fn gone(&mut self, folder: &str) -> bool {
        match self.gone.get(folder) {
            Some(gone) => *gone,
            None => {
                let gone = !Path::new(folder).is_dir();
                self.gone.insert(folder.to_owned(), gone);
                gone
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn sessions_in_a_distribution_are_reached_through_it() {
        for root in [
            r"\\wsl.localhost\Ubuntu\home\me\.claude",
            r"\\wsl$\Ubuntu\home\me\.claude",
        ] {
            let projects = Projects::at([PathBuf::from(root)]);
            assert_eq!(projects.host(0).unwrap(), "wsl:Ubuntu");
            let host = root.trim_start_matches('\\').split('\\').next().unwrap();
            assert_eq!(
                projects.reached(0, "/home/me/ferry"),
                format!(r"\\{host}\Ubuntu\home\me\ferry")
            );
        }
        let here = Projects::at([PathBuf::from("/home/me/.claude")]);
        assert_eq!(here.host(0), None);
        assert_eq!(here.reached(0, "/home/me/ferry"), "/home/me/ferry");
    }

    #[test]
    fn the_settings_say_how_long_sessions_are_kept() {
        let root = tempfile::tempdir().unwrap();
        let projects = Projects::at([root.path().to_owned()]);
        let settings = root.path().join("settings.json");
        assert_eq!(projects.kept_days(0), 30);
        for (text, days) in [
            (r#"{"cleanupPeriodDays":7}"#, 7),
            (r#"{"cleanupPeriodDays":0}"#, 30),
            (r#"{"cleanupPeriodDays":"x"}"#, 30),
            ("no JSON", 30),
        ] {
            fs::write(&settings, text).unwrap();
            assert_eq!(projects.kept_days(0), days, "{text}");
        }
    }

    #[test]
    fn only_files_of_sessions_are_listed() {
        let root = tempfile::tempdir().unwrap();
        let projects = Projects::at([root.path().to_owned()]);
        assert_eq!(projects.files(), [], "there is no folder yet");
        let project = root.path().join("projects/-home-me");
        fs::create_dir_all(project.join("a/subagents")).unwrap();
        for (name, text) in [
            ("a.jsonl", "x"),
            ("empty.jsonl", ""),
            ("agent-1.jsonl", "x"),
            ("a/subagents/agent-2.jsonl", "x"),
            ("notes.txt", "x"),
        ] {
            fs::write(project.join(name), text).unwrap();
        }
        let files = projects.files();
        assert_eq!(files.len(), 1);
        assert_eq!(
            (files[0].path.as_path(), files[0].size),
            (project.join("a.jsonl").as_path(), 1)
        );
    }
}
