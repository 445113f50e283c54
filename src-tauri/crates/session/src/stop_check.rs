//! The look at the workspace when the agent wants to stop: what git says is not committed.

use std::path::Path;
use std::time::Duration;

use kandev_git::Git;
use serde_json::{Value, json};

/// How long git may take.
const LIMIT: Duration = Duration::from_secs(5);
/// How many files are named.
const NAMED: usize = 20;

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

/// Asks git, which runs nothing that is in the workspace.
pub(crate) async fn look(workspace: &Path) -> Findings {
    let asked = async { kandev_git::changed(Git::in_folder(workspace)?).await };
    match tokio::time::timeout(LIMIT, asked).await {
        Ok(Ok(files)) if files.is_empty() => Findings::Clean,
        Ok(Ok(files)) => Findings::Changed(files),
        _ => Findings::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
