//! A repository that somebody else made: looking at it runs none of its programs.
#![cfg(unix)]

use super::*;

/// Programs of the repository, each of which leaves a mark.
struct Trap {
    repo: Repo,
    hit: PathBuf,
}

impl Trap {
    fn new() -> Self {
        let repo = Repo::with_files();
        let hit = repo.home.path().join("hit");
        Self { repo, hit }
    }

    /// A program that says what ran it, and goes on as a filter would.
    fn program(&self, name: &str) -> String {
        self.program_then(name, "cat")
    }

    fn program_then(&self, name: &str, then: &str) -> String {
        let script = format!("echo {name} >> '{}'; {then}", self.hit.display());
        let file = self.repo.program(&format!(".git/{name}.sh"), &script);
        file.to_str().unwrap().to_owned()
    }

    fn config(&self, name: &str, value: &str) {
        self.repo.git(&["config", name, value]);
    }

    fn ran(&self) -> String {
        std::fs::read_to_string(&self.hit).unwrap_or_default()
    }

    /// All that looks.
    async fn look(&self) {
        let told = self.repo.changes().await;
        assert_eq!(told.problem, None);
        assert!(!told.files.is_empty());
        for file in &told.files {
            self.repo.diff(&file.path).await;
        }
        assert_eq!(self.ran(), "");
    }
}

/// So that git has to compare what is in it.
fn touch(repo: &Repo) {
    repo.write("a.txt", "1\n2\n4\n");
    repo.write("src/b.txt", "c\n");
    repo.write("new.txt", "n\n");
}

#[tokio::test]
async fn the_monitor_of_files_is_not_run() {
    let trap = Trap::new();
    trap.config("core.fsmonitor", &trap.program("fsmonitor"));
    touch(&trap.repo);
    trap.look().await;
    trap.repo.git(&["status"]);
    assert!(trap.ran().contains("fsmonitor"), "the trap works");
}

#[tokio::test]
async fn programs_that_make_diffs_are_not_run() {
    let trap = Trap::new();
    trap.repo.write(".gitattributes", "*.txt diff=own\n");
    trap.repo.commit_all("attributes");
    trap.config("diff.external", &trap.program("external"));
    trap.config("diff.own.command", &trap.program("command"));
    trap.config("diff.own.textconv", &trap.program("textconv"));
    trap.config("core.pager", &trap.program("pager"));
    trap.config("pager.status", "true");
    trap.config("pager.diff", "true");
    touch(&trap.repo);
    trap.look().await;
    trap.repo.git(&["diff"]);
    assert!(!trap.ran().is_empty(), "the trap works");
}

#[tokio::test]
async fn filters_are_not_run_by_looking_and_a_required_one_is_no_hindrance() {
    let trap = Trap::new();
    trap.repo
        .write(".gitattributes", "*.txt filter=own.dotted\n");
    trap.repo.commit_all("attributes");
    for field in ["clean", "smudge", "process"] {
        trap.config(&format!("filter.own.dotted.{field}"), &trap.program(field));
    }
    trap.config("filter.own.dotted.required", "true");
    touch(&trap.repo);
    trap.look().await;
}

#[tokio::test]
async fn a_filter_of_an_included_file_is_not_run() {
    let trap = Trap::new();
    trap.repo.write(
        "evil.cfg",
        format!("[filter \"own\"]\n\tclean = {}\n", trap.program("clean")),
    );
    trap.repo.write(".gitattributes", "*.txt filter=own\n");
    trap.repo.commit_all("attributes");
    trap.config("include.path", "../evil.cfg");
    touch(&trap.repo);
    trap.look().await;
    trap.repo.git(&["status"]);
    assert!(trap.ran().contains("clean"), "the trap works");
}

#[tokio::test]
async fn a_filter_that_cannot_be_switched_off_is_told_and_not_run() {
    let trap = Trap::new();
    trap.repo.write(".gitattributes", "*.txt filter=a=b\n");
    trap.repo.commit_all("attributes");
    trap.config("filter.a=b.clean", &trap.program("clean"));
    touch(&trap.repo);
    let told = trap.repo.changes().await;
    assert!(told.problem.unwrap().contains("a=b"));
    assert!(diff(trap.repo.here(), "a.txt").await.is_err());
    assert_eq!(trap.ran(), "");
}

#[tokio::test]
async fn hooks_are_not_run_by_looking_and_not_by_staging() {
    let trap = Trap::new();
    let hooks = trap.repo.folder.join("own hooks");
    for hook in [
        "post-index-change",
        "pre-commit",
        "fsmonitor-watchman",
        "pre-auto-gc",
        "reference-transaction",
    ] {
        let script = format!("echo {hook} >> '{}'", trap.hit.display());
        trap.repo.program(&format!("own hooks/{hook}"), &script);
    }
    trap.config("core.hooksPath", hooks.to_str().unwrap());
    touch(&trap.repo);
    trap.look().await;
    let names = ["a.txt".to_owned(), "new.txt".to_owned()];
    stage(trap.repo.here(), &names, true).await.unwrap();
    stage(trap.repo.here(), &names, false).await.unwrap();
    assert_eq!(trap.ran(), "");
    trap.repo.git(&["add", "a.txt"]);
    assert!(trap.ran().contains("post-index-change"), "the trap works");
}

#[tokio::test]
async fn nothing_is_fetched_so_no_program_that_fetches_is_run() {
    let trap = Trap::new();
    let from = trap.repo.folder.to_str().unwrap();
    trap.config("uploadpack.allowFilter", "true");
    let part = trap.repo.folder.with_file_name("part");
    let url = format!("file://{from}");
    trap.repo.git(&[
        "clone",
        "--quiet",
        "--no-checkout",
        "--filter=blob:none",
        &url,
        part.to_str().unwrap(),
    ]);
    let in_part = |args: &[&str]| trap.repo.git_in(&part, args);
    in_part(&["reset", "--quiet"]);
    in_part(&[
        "config",
        "core.sshCommand",
        &trap.program_then("ssh", "exit 1"),
    ]);
    in_part(&[
        "config",
        "remote.origin.uploadpack",
        &trap.program_then("uploadpack", "exit 1"),
    ]);
    in_part(&["config", "protocol.ext.allow", "always"]);
    std::fs::write(part.join("a.txt"), "changed\n").unwrap();
    for url in [
        url,
        "ssh://localhost/x".to_owned(),
        format!("ext::{}", trap.program_then("ext", "exit 1")),
    ] {
        in_part(&["config", "remote.origin.url", &url]);
        changes(Git::in_folder(&part)).await.unwrap();
        let _ = diff(Git::in_folder(&part).unwrap(), "a.txt").await;
        assert_eq!(trap.ran(), "", "{url}");
    }
    let _ = Command::new("git")
        .current_dir(&part)
        .args(["diff", "HEAD"])
        .output();
    assert!(trap.ran().contains("ext"), "the trap works");
}

#[tokio::test]
async fn a_submodule_s_configuration_is_not_followed() {
    let inner = Repo::with_files();
    let trap = Trap::new();
    trap.repo.git(&[
        "submodule",
        "--quiet",
        "add",
        inner.folder.to_str().unwrap(),
        "sub",
    ]);
    trap.repo.commit_all("with a submodule");
    let sub = trap.repo.folder.join("sub");
    trap.repo.git_in(
        &sub,
        &["config", "core.fsmonitor", &trap.program("fsmonitor")],
    );
    std::fs::write(sub.join("a.txt"), "changed\n").unwrap();
    touch(&trap.repo);
    trap.config("submodule.sub.ignore", "none");
    trap.config("diff.ignoreSubmodules", "none");
    trap.config("status.submoduleSummary", "true");
    trap.look().await;
    trap.repo.git(&["status"]);
    assert!(trap.ran().contains("fsmonitor"), "the trap works");
}

#[tokio::test]
async fn a_repository_that_lies_among_the_files_is_not_used() {
    let trap = Trap::new();
    let bare = trap.repo.folder.join("fixtures");
    trap.repo
        .git(&["init", "--quiet", "--bare", bare.to_str().unwrap()]);
    trap.repo.git_in(
        &bare,
        &["config", "core.fsmonitor", &trap.program("fsmonitor")],
    );
    trap.repo.git_in(&bare, &["config", "core.bare", "false"]);
    trap.repo
        .git_in(&bare, &["--git-dir=.", "config", "core.worktree", "."]);
    let told = changes(Git::in_folder(&bare)).await.unwrap();
    assert_eq!(told.root, None, "{told:?}");
    assert_eq!(trap.ran(), "");
}

#[tokio::test]
async fn a_repository_whose_files_are_elsewhere_is_refused() {
    let trap = Trap::new();
    let other = trap.repo.home.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("secret"), "s").unwrap();
    trap.config("core.worktree", other.to_str().unwrap());
    let told = changes(Ok(trap.repo.here())).await.unwrap();
    assert_eq!(told.root, None);
    assert!(told.problem.is_some() && told.files.is_empty(), "{told:?}");
}

#[tokio::test]
async fn git_in_the_folder_is_not_the_git_that_is_run() {
    let trap = Trap::new();
    let script = format!("echo git >> '{}'", trap.hit.display());
    trap.repo.program("git", &script);
    touch(&trap.repo);
    trap.look().await;
}

#[tokio::test]
async fn a_folder_that_became_a_link_leads_to_nothing_outside() {
    for committed in [false, true] {
        let repo = Repo::empty();
        repo.write("first", "f\n");
        if committed {
            repo.commit_all("first");
        }
        repo.write("folder/secret", "mine\n");
        repo.git(&["add", "--all"]);
        let outside = repo.home.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("secret"), "SECRET\n".repeat(7)).unwrap();
        std::fs::remove_dir_all(repo.folder.join("folder")).unwrap();
        std::os::unix::fs::symlink(&outside, repo.folder.join("folder")).unwrap();
        let told = repo.changes().await;
        assert!(
            told.files.iter().all(|file| file.added != Some(7)),
            "{told:?}"
        );
        for file in &told.files {
            let diff = repo.diff(&file.path).await.diff;
            assert!(!diff.contains("SECRET"), "{}: {diff}", file.path);
        }
        assert!(told.files.iter().any(|file| file.path == "folder/secret"));
    }
}
