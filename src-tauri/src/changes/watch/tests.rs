#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::*;

struct Desk {
    _home: tempfile::TempDir,
    folder: PathBuf,
    watches: Watches,
    told: UnboundedReceiver<(String, String)>,
}

impl Desk {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().canonicalize().unwrap().join("repo");
        fs::create_dir(&folder).unwrap();
        let (say, told) = unbounded_channel();
        let watches = Watches::new(move |window, session| {
            let _ = say.send((window.to_owned(), session.to_owned()));
        });
        Self {
            _home: home,
            folder,
            watches,
            told,
        }
    }

    /// With a commit that ignores `target` and `made` below `src`.
    fn with_git() -> Self {
        let desk = Self::new();
        desk.git(&["init", "--quiet", "--initial-branch=main"]);
        desk.write(".gitignore", "/target\nmade/\n");
        desk.write("src/a.txt", "a\n");
        for folder in ["target/deep", "src/made/deep", "node_modules/x"] {
            fs::create_dir_all(desk.folder.join(folder)).unwrap();
        }
        desk.commit();
        desk
    }

    fn git(&self, args: &[&str]) {
        let done = Command::new("git")
            .current_dir(&self.folder)
            .args([
                "-c",
                "user.name=x",
                "-c",
                "user.email=x@example.org",
                "-c",
                "commit.gpgSign=false",
            ])
            .args(args)
            .output()
            .unwrap();
        assert!(done.status.success(), "{args:?}: {done:?}");
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--no-verify", "-m", "on"]);
    }

    fn write(&self, name: &str, content: &str) {
        let file = self.folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    async fn watch(&self, window: &str) -> WorkspaceWatch {
        let git = Git::in_folder(&self.folder).ok();
        self.watches.watch(window, "s", &self.folder, git).await
    }

    async fn heard(&mut self) -> String {
        let told = tokio::time::timeout(Duration::from_secs(20), self.told.recv()).await;
        let (window, session) = told.expect("a change is told").unwrap();
        assert_eq!(session, "s");
        window
    }

    fn watched(&self) -> Vec<String> {
        let name = |folder: &PathBuf| {
            let below = folder.strip_prefix(&self.folder).unwrap();
            below.to_string_lossy().replace('\\', "/")
        };
        let mut names: Vec<String> = self.watches.folders("s").iter().map(name).collect();
        names.sort();
        names
    }
}

#[tokio::test]
async fn a_change_of_a_file_is_told_to_each_window_that_looks() {
    let mut desk = Desk::with_git();
    assert_eq!(desk.watch("main").await, WorkspaceWatch::default());
    desk.write("src/a.txt", "b\n");
    assert_eq!(desk.heard().await, "main");
    desk.watch("other").await;
    desk.write("src/a.txt", "c\n");
    let both = BTreeSet::from([desk.heard().await, desk.heard().await]);
    assert_eq!(
        both,
        BTreeSet::from(["main".to_owned(), "other".to_owned()])
    );
}

#[tokio::test]
async fn what_is_staged_and_committed_elsewhere_is_told() {
    let mut desk = Desk::with_git();
    desk.write("src/a.txt", "b\n");
    desk.watch("main").await;
    desk.git(&["add", "src/a.txt"]);
    desk.heard().await;
    desk.git(&["commit", "--quiet", "--no-verify", "-m", "two"]);
    desk.heard().await;
    desk.git(&["checkout", "--quiet", "-b", "topic"]);
    desk.heard().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_git_ignores_and_its_objects_are_not_watched() {
    let desk = Desk::with_git();
    desk.watch("main").await;
    // Git does not ignore these modules, so they count.
    let folders = [
        "",
        ".git",
        ".git/refs/heads",
        "node_modules",
        "node_modules/x",
        "src",
    ];
    assert_eq!(desk.watched(), folders);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn without_git_folders_that_programs_make_are_not_watched() {
    let mut desk = Desk::new();
    for folder in ["node_modules/x", "target", "src/deep"] {
        fs::create_dir_all(desk.folder.join(folder)).unwrap();
    }
    desk.watch("main").await;
    assert_eq!(desk.watched(), ["", "src", "src/deep"]);
    desk.write("src/deep/a", "a");
    desk.heard().await;
}

#[tokio::test]
async fn what_comes_in_a_new_folder_is_told() {
    let mut desk = Desk::with_git();
    desk.watch("main").await;
    fs::create_dir_all(desk.folder.join("new/deep")).unwrap();
    desk.heard().await;
    desk.write("new/deep/a.txt", "a");
    desk.heard().await;
    fs::remove_dir_all(desk.folder.join("new")).unwrap();
    desk.heard().await;
    desk.write("src/a.txt", "still\n");
    desk.heard().await;
}

#[tokio::test]
async fn a_worktree_hears_of_its_own_index_and_of_shared_branches() {
    let mut desk = Desk::with_git();
    let tree = desk.folder.with_file_name("tree");
    desk.git(&[
        "worktree",
        "add",
        "--quiet",
        "-b",
        "topic",
        tree.to_str().unwrap(),
    ]);
    desk.folder = tree;
    desk.write("new.txt", "n\n");
    desk.watch("main").await;
    desk.git(&["add", "new.txt"]);
    desk.heard().await;
    desk.git(&["commit", "--quiet", "--no-verify", "-m", "two"]);
    desk.heard().await;
}

#[tokio::test]
async fn nothing_is_watched_once_nobody_looks() {
    let desk = Desk::with_git();
    let is_watched = || !desk.watches.folders("s").is_empty();
    desk.watch("main").await;
    desk.watch("other").await;
    desk.watches.unwatch("main", "s");
    desk.watches.unwatch("other", "another session");
    assert!(is_watched());
    desk.watches.forget_window("other");
    assert!(!is_watched());
    desk.watch("main").await;
    assert!(is_watched());
    desk.watches.forget_session("s");
    assert!(!is_watched());
    assert!(lock(&desk.watches.watched).is_empty());
}

#[tokio::test]
async fn who_looks_away_while_it_begins_leaves_nothing_watched() {
    let desk = Desk::with_git();
    let mut begins = Box::pin(desk.watch("main"));
    let begun = tokio::time::timeout(Duration::ZERO, &mut begins).await;
    assert!(begun.is_err(), "git was not waited for");
    desk.watches.unwatch("main", "s");
    begins.await;
    assert!(desk.watches.folders("s").is_empty());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn where_there_are_too_many_folders_the_changed_files_and_git_are_watched_and_that_is_told() {
    let mut desk = Desk::with_git();
    for number in 0..20 {
        desk.write(&format!("many/{number}/a.txt"), "a\n");
    }
    desk.commit();
    desk.write("many/7/a.txt", "changed\n");
    desk.watches.limit = 10;
    let problem = desk.watch("main").await.problem.unwrap();
    assert!(problem.contains("more than 10 folders"), "{problem}");
    assert_eq!(desk.watched(), ["", ".git", ".git/refs/heads", "many/7"]);
    assert_eq!(desk.watch("other").await.problem.unwrap(), problem);
    desk.watches.unwatch("other", "s");
    desk.write("many/7/a.txt", "again\n");
    desk.heard().await;
    desk.git(&["add", "many/7/a.txt"]);
    desk.heard().await;
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_told() {
    let desk = Desk::new();
    fs::remove_dir(&desk.folder).unwrap();
    let problem = desk.watch("main").await.problem.unwrap();
    assert!(problem.contains("cannot be watched"), "{problem}");
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_heard_starts_no_git() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut desk = Desk::with_git();
    let (log, program) = (
        desk.folder.with_file_name("log"),
        desk.folder.with_file_name("git"),
    );
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> '{}'\nexec git \"$@\"\n",
        log.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let git = Git::with_program(&program, &desk.folder);
    desk.watches
        .watch("main", "s", &desk.folder, Some(git))
        .await;
    let asked = fs::read_to_string(&log).unwrap();
    assert!(asked.contains("ls-files"), "{asked}");
    for number in 0..5 {
        desk.write("src/a.txt", &number.to_string());
        desk.write(&format!("new {number}/a.txt"), "n");
        desk.heard().await;
    }
    assert_eq!(fs::read_to_string(&log).unwrap(), asked);
}

#[test]
fn only_what_can_change_the_answer_of_git_matters() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().canonicalize().unwrap();
    fs::create_dir(root.join(".git")).unwrap();
    let known = git::Surroundings {
        git_folders: vec![root.join(".git")],
        ignored: vec!["target".into(), "src/made".into()],
        changed: Vec::new(),
    };
    let folders = Folders::of(&root, &known);
    for path in [
        "a",
        "src/a",
        "targets/a",
        ".git/index",
        ".git/HEAD",
        ".git/refs/heads/x/y",
        ".gitignore",
        "node_modules/a",
    ] {
        assert!(folders.matters(&root.join(path)), "{path}");
    }
    for path in [
        "target/a",
        "target",
        "src/made/deep/a",
        "sub/.git/index",
        ".git/index.lock",
        ".git/objects/12/34",
        ".git/refs/heads/x.lock",
        ".git/logs/HEAD",
        ".git/FETCH_HEAD",
        "src/.kandev-x1",
    ] {
        assert!(!folders.matters(&root.join(path)), "{path}");
    }
}
