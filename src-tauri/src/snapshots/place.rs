//! Where files may be copied from and put back to.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::api::CommandError;

/// The folders within which files are set back: the session's, and those in which the CLI itself keeps a session's files.
#[derive(Debug, Clone)]
pub struct Roots {
    workspace: PathBuf,
    all: Vec<PathBuf>,
}

impl Roots {
    /// Folders that are not there allow nothing.
    ///
    /// # Errors
    /// `folder_gone` when the workspace is not there.
    pub fn new(workspace: &Path, others: &[PathBuf]) -> Result<Self, CommandError> {
        let gone = |error: io::Error| {
            let text = format!(
                "the folder {} cannot be opened: {error}",
                workspace.display()
            );
            CommandError::new("folder_gone", text)
        };
        let workspace = workspace.canonicalize().map_err(gone)?;
        let others = others.iter().filter_map(|other| other.canonicalize().ok());
        let all = std::iter::once(workspace.clone()).chain(others).collect();
        Ok(Self { workspace, all })
    }

    /// The place that a path means, with the links of its folders followed, but not a link that it is itself.
    ///
    /// # Errors
    /// `outside_workspace`.
    pub fn place(&self, path: &str) -> Result<PathBuf, CommandError> {
        let refused = || {
            let text = format!(
                "{path} is outside the session's folder {}; nothing was changed",
                self.workspace.display()
            );
            CommandError::new("outside_workspace", text)
        };
        let full = self.workspace.join(path);
        let plain = full
            .components()
            .all(|part| !matches!(part, Component::ParentDir));
        let name = full.file_name().filter(|_| plain).ok_or_else(refused)?;
        let folder = full
            .parent()
            .and_then(real_folder)
            .filter(|folder| self.all.iter().any(|root| folder.starts_with(root)))
            .ok_or_else(refused)?;
        Ok(folder.join(name))
    }
}

/// A folder with the links of as much of it followed as there is.
fn real_folder(folder: &Path) -> Option<PathBuf> {
    let mut missing = Vec::new();
    let mut there = folder;
    loop {
        match there.canonicalize() {
            Ok(real) => {
                return Some(
                    missing
                        .iter()
                        .rev()
                        .fold(real, |path, name| path.join(name)),
                );
            }
            // What leads nowhere could lead anywhere by the time something is written there.
            Err(_) if there.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) => return None,
            Err(_) => {
                missing.push(there.file_name()?);
                there = there.parent()?;
            }
        }
    }
}
