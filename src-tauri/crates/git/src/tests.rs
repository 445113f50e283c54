#![allow(clippy::unwrap_used)]

mod acts;
mod hostile;
mod looking;

use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::{GitChanges, GitFile};

/// A real repository in a folder of its own.
struct Repo {
    home: tempfile::TempDir,
    folder: PathBuf,
}

impl Repo {
    fn empty() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().canonicalize().unwrap().join("repo");
        std::fs::create_dir(&folder).unwrap();
        let repo = Self { home, folder };
        repo.git(&["init", "--quiet", "--initial-branch=main"]);
        repo.git(&["config", "user.name", "A Person"]);
        repo.git(&["config", "user.email", "person@example.org"]);
        repo.git(&["config", "commit.gpgSign", "false"]);
        repo
    }

    /// With `a.txt` (three lines) and `src/b.txt` in a commit.
    fn with_files() -> Self {
        let repo = Self::empty();
        repo.write("a.txt", "1\n2\n3\n");
        repo.write("src/b.txt", "b\n");
        repo.commit_all("first");
        repo
    }

    fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.folder, args)
    }

    fn git_in(&self, folder: &Path, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command
            .current_dir(folder)
            .env("HOME", self.home.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .args(["-c", "protocol.file.allow=always"])
            .args(args);
        for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
            command.env_remove(name);
        }
        let said = command.output().unwrap();
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        let errors = String::from_utf8_lossy(&said.stderr);
        assert!(said.status.success(), "{args:?}: {text}{errors}");
        text
    }

    fn commit_all(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--no-verify", "-m", message]);
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let file = self.folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, content).unwrap();
    }

    fn remove(&self, name: &str) {
        std::fs::remove_file(self.folder.join(name)).unwrap();
    }

    #[cfg(unix)]
    fn program(&self, name: &str, script: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        self.write(name, format!("#!/bin/sh\n{script}\n"));
        let file = self.folder.join(name);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        file
    }

    fn here(&self) -> Git {
        Git::in_folder(&self.folder).unwrap()
    }

    async fn changes(&self) -> GitChanges {
        changes(Ok(self.here())).await.unwrap()
    }

    async fn file(&self, name: &str) -> GitFile {
        let changes = self.changes().await;
        let found = changes.files.iter().find(|file| file.path == name);
        found
            .unwrap_or_else(|| panic!("{name} is not in {changes:?}"))
            .clone()
    }

    async fn diff(&self, name: &str) -> crate::GitDiff {
        diff(self.here(), name).await.unwrap()
    }
}

fn names(changes: &GitChanges) -> Vec<&str> {
    changes.files.iter().map(|file| &*file.path).collect()
}
