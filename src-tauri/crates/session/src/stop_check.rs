//! The look at the workspace when the agent wants to stop: what git says is not committed.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::process::Command;

/// How long git may take.
const LIMIT: Duration = Duration::from_secs(5);
/// How many files are named.
const NAMED: usize = 20;

/// Starts a console program without its console.
#[cfg(windows)]
pub(crate) const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// What the look found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Findings {
    Clean,
    /// Paths with changes that are not committed, as git names them.
    Changed(Vec<String>),
    /// No repository, no git, or no answer in time: nothing can be said.
    Unknown,
}

impl Findings {
    /// For a person; `None` when there is nothing to tell.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::Changed(files) if files.len() == 1 => {
                Some("1 file has uncommitted changes.".to_owned())
            }
            Self::Changed(files) => {
                Some(format!("{} files have uncommitted changes.", files.len()))
            }
            Self::Clean | Self::Unknown => None,
        }
    }

    /// For the agent that is sent back.
    pub(crate) fn reason(&self) -> String {
        let Self::Changed(files) = self else {
            return String::new();
        };
        let named = files
            .iter()
            .take(NAMED)
            .map(|file| format!("- {file}"))
            .collect::<Vec<_>>()
            .join("\n");
        let more = files.len().saturating_sub(NAMED);
        let more = if more > 0 {
            format!("\n- and {more} more")
        } else {
            String::new()
        };
        format!(
            "The workspace has uncommitted changes. Commit them, or say why they stay:\n{named}{more}"
        )
    }

    pub(crate) fn data(&self, sent_back: bool) -> Value {
        match self {
            Self::Changed(files) => json!({ "files": files, "sent_back": sent_back }),
            Self::Clean | Self::Unknown => json!({ "files": [], "sent_back": sent_back }),
        }
    }
}

/// Asks git. Its own settings decide what counts, except that it starts no file system monitor and takes no lock.
pub(crate) async fn look(workspace: &Path) -> Findings {
    let mut git = Command::new("git");
    git.args([
        "--no-optional-locks",
        "-c",
        "core.fsmonitor=false",
        "status",
        "--porcelain",
        "-z",
    ])
    .current_dir(workspace)
    .env("GIT_TERMINAL_PROMPT", "0")
    .stdin(Stdio::null())
    .stdout(Stdio::piped())
    .stderr(Stdio::null())
    .kill_on_drop(true);
    #[cfg(windows)]
    git.creation_flags(CREATE_NO_WINDOW);
    match tokio::time::timeout(LIMIT, git.output()).await {
        Ok(Ok(output)) if output.status.success() => read(&output.stdout),
        _ => Findings::Unknown,
    }
}

/// Reads `git status --porcelain -z`: two letters, a space, the path, NUL; a rename has its old path as one more entry.
fn read(status: &[u8]) -> Findings {
    let mut entries = status
        .split(|byte| *byte == 0)
        .filter(|entry| !entry.is_empty());
    let mut files = Vec::new();
    while let Some(entry) = entries.next() {
        let (Some(kind), Some(path)) = (entry.get(..2), entry.get(3..)) else {
            continue;
        };
        if kind.iter().any(|letter| matches!(letter, b'R' | b'C')) {
            entries.next();
        }
        files.push(String::from_utf8_lossy(path).into_owned());
    }
    if files.is_empty() {
        Findings::Clean
    } else {
        Findings::Changed(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_read_with_renames_and_odd_names() {
        let status = b" M src/a b.rs\0R  new.rs\0old.rs\0?? \xc3\xa9\n.txt\0";
        let files = ["src/a b.rs", "new.rs", "é\n.txt"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(read(status), Findings::Changed(files));
        assert_eq!(read(b""), Findings::Clean);
    }

    #[test]
    fn an_agent_is_told_which_files_and_not_all_of_a_thousand() {
        let files = (0..1000).map(|number| format!("file{number}")).collect();
        let reason = Findings::Changed(files).reason();
        assert!(reason.contains("- file19\n- and 980 more"), "{reason}");
    }

    #[tokio::test]
    async fn a_folder_without_a_repository_gives_no_finding() {
        #![allow(clippy::unwrap_used)]
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(look(folder.path()).await, Findings::Unknown);
    }
}
