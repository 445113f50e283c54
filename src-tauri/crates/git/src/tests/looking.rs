use super::*;
use crate::GitStatus;

#[tokio::test]
async fn a_clean_repository_says_branch_and_commit_and_no_files() {
    let repo = Repo::with_files();
    let changes = repo.changes().await;
    assert_eq!(changes.root.as_deref(), repo.folder.to_str());
    assert_eq!(changes.branch.as_deref(), Some("main"));
    assert_eq!(
        changes.head.as_deref(),
        Some(repo.git(&["rev-parse", "HEAD"]).trim())
    );
    assert_eq!(
        (changes.files, changes.more, changes.problem),
        (vec![], 0, None)
    );
}

#[tokio::test]
async fn each_change_is_told_with_its_lines() {
    let repo = Repo::with_files();
    repo.write("old name.txt", "1\n2\n3\n4\n5\n6\n");
    repo.write("gone.txt", "x\n");
    repo.write("pic.bin", b"a\0b");
    repo.commit_all("second");
    repo.write("a.txt", "1\ntwo\n3\n4\n");
    repo.write("new.txt", "x\ny");
    repo.write("zero.bin", b"\0\0");
    repo.write("pic.bin", b"a\0c");
    repo.write("staged.txt", "s\n");
    repo.git(&["add", "staged.txt"]);
    repo.git(&["mv", "old name.txt", "new name.txt"]);
    repo.remove("gone.txt");
    let changes = repo.changes().await;
    assert_eq!(changes.problem, None);
    let told: Vec<_> = changes
        .files
        .iter()
        .map(|file| {
            (
                &*file.path,
                file.old_path.as_deref(),
                file.status,
                (file.staged, file.unstaged),
                (file.added, file.removed, file.binary),
            )
        })
        .collect();
    use GitStatus::*;
    assert_eq!(
        told,
        [
            (
                "a.txt",
                None,
                Modified,
                (false, true),
                (Some(2), Some(1), false)
            ),
            (
                "gone.txt",
                None,
                Deleted,
                (false, true),
                (Some(0), Some(1), false)
            ),
            (
                "new name.txt",
                Some("old name.txt"),
                Renamed,
                (true, false),
                (Some(0), Some(0), false)
            ),
            (
                "new.txt",
                None,
                Untracked,
                (false, true),
                (Some(2), Some(0), false)
            ),
            ("pic.bin", None, Modified, (false, true), (None, None, true)),
            (
                "staged.txt",
                None,
                Added,
                (true, false),
                (Some(1), Some(0), false)
            ),
            (
                "zero.bin",
                None,
                Untracked,
                (false, true),
                (None, None, true)
            ),
        ]
    );
}

#[tokio::test]
async fn a_file_s_diff_is_the_last_commit_against_what_is_there() {
    let repo = Repo::with_files();
    repo.write("a.txt", "1\ntwo\n3\n");
    repo.git(&["add", "a.txt"]);
    repo.write("a.txt", "1\ntwo\nthree\n");
    let diff = repo.diff("a.txt").await;
    assert!(
        diff.diff
            .contains("--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n-3\n+two\n+three\n"),
        "{diff:?}"
    );
    repo.write("new.txt", "x\ny");
    assert_eq!(
        repo.diff("new.txt").await.diff,
        "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n"
    );
    repo.git(&["mv", "src/b.txt", "src/c.txt"]);
    let diff = repo.diff("src/c.txt").await.diff;
    assert!(
        diff.contains("rename from src/b.txt\nrename to src/c.txt\n"),
        "{diff}"
    );
    repo.write("pic", b"\0");
    assert!(repo.diff("pic").await.binary);
    repo.git(&["add", "pic"]);
    let diff = repo.diff("pic").await;
    assert!(diff.binary && diff.diff.is_empty());
    assert_eq!(repo.diff("not there").await, Default::default());
    repo.write("large", "line\n".repeat(2_000_000));
    assert!(repo.diff("large").await.too_large);
    repo.git(&["add", "large"]);
    assert!(repo.diff("large").await.too_large);
}

#[tokio::test]
async fn what_a_person_has_set_up_for_reading_diffs_changes_none() {
    let repo = Repo::with_files();
    for (name, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.context", "0"),
        ("diff.interHunkContext", "50"),
        ("diff.suppressBlankEmpty", "true"),
        ("color.ui", "always"),
        ("diff.relative", "true"),
        ("status.showUntrackedFiles", "no"),
        ("status.renames", "false"),
        ("core.quotePath", "true"),
        ("diff.submodule", "log"),
    ] {
        repo.git(&["config", name, value]);
    }
    repo.write("a.txt", "1\n\n3\n");
    repo.write("new", "");
    let diff = repo.diff("a.txt").await.diff;
    assert!(
        diff.contains("--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+\n 3\n"),
        "{diff}"
    );
    assert_eq!(names(&repo.changes().await), ["a.txt", "new"]);
}

#[tokio::test]
async fn before_the_first_commit_all_is_new() {
    let repo = Repo::empty();
    repo.write("a.txt", "x\n");
    repo.write("b.txt", "y\n");
    repo.git(&["add", "a.txt"]);
    repo.write("a.txt", "x\nz\n");
    let changes = repo.changes().await;
    assert_eq!((changes.head, changes.problem), (None, None));
    assert_eq!(changes.branch.as_deref(), Some("main"));
    let told: Vec<_> = changes
        .files
        .iter()
        .map(|file| (&*file.path, file.status, file.added))
        .collect();
    assert_eq!(
        told,
        [
            ("a.txt", GitStatus::Added, Some(2)),
            ("b.txt", GitStatus::Untracked, Some(1))
        ]
    );
    assert!(repo.diff("a.txt").await.diff.contains("+x\n+z\n"));
}

#[tokio::test]
async fn without_a_branch_there_is_a_commit_all_the_same() {
    let repo = Repo::with_files();
    repo.git(&["checkout", "--quiet", "--detach"]);
    let changes = repo.changes().await;
    assert_eq!(changes.branch, None);
    assert!(changes.head.is_some());
}

#[tokio::test]
async fn a_conflict_is_told_as_one() {
    let repo = Repo::with_files();
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    repo.write("a.txt", "1\nother\n3\n");
    repo.commit_all("other");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("a.txt", "1\nmain\n3\n");
    repo.commit_all("main");
    let merge = Command::new("git")
        .current_dir(&repo.folder)
        .args(["merge", "--quiet", "other"])
        .output()
        .unwrap();
    assert!(!merge.status.success());
    let file = repo.file("a.txt").await;
    assert_eq!(
        (file.status, file.staged, file.unstaged),
        (GitStatus::Conflict, false, true)
    );
    let diff = repo.diff("a.txt").await.diff;
    assert!(
        diff.starts_with("diff --git ") && diff.contains("+<<<<<<< HEAD\n"),
        "{diff}"
    );
    // Somebody says what it shall be, and the merge is committed.
    repo.write("a.txt", "1\nmain\n3\n");
    stage(repo.here(), &["a.txt".to_owned()], true)
        .await
        .unwrap();
    let made = commit(repo.here(), "merged").await.unwrap();
    assert_eq!(made.subject, "merged");
    assert_eq!(names(&repo.changes().await), [""; 0]);
}

#[cfg(unix)]
#[tokio::test]
async fn odd_names_are_told_and_can_be_acted_on() {
    use std::os::unix::ffi::OsStrExt as _;
    let repo = Repo::with_files();
    let odd = [
        "new\nline",
        "tab\there",
        "say \"hi\"",
        " lead",
        "-n",
        ":x",
        "*",
        "ü",
        "back\\slash",
        "a -> b",
    ];
    for name in odd {
        repo.write(name, "x\n");
    }
    let raw = repo.folder.join(std::ffi::OsStr::from_bytes(b"by\xfft"));
    std::fs::write(&raw, "x\n").unwrap();
    let changes = repo.changes().await;
    let mut want: Vec<&str> = odd.to_vec();
    want.push("by\u{fffd}t");
    let told: std::collections::BTreeSet<_> = names(&changes).into_iter().collect();
    assert_eq!(told, want.iter().copied().collect());
    assert!(changes.files.iter().all(|file| file.added == Some(1)));
    for name in &want {
        let diff = repo.diff(name).await.diff;
        assert!(diff.ends_with("@@ -0,0 +1,1 @@\n+x\n"), "{name:?}: {diff}");
    }
    let names: Vec<String> = want.iter().map(|name| (*name).to_owned()).collect();
    stage(repo.here(), &names, true).await.unwrap();
    let changes = repo.changes().await;
    assert_eq!(changes.files.len(), want.len());
    assert!(
        changes
            .files
            .iter()
            .all(|file| file.staged && !file.unstaged)
    );
    for name in &want {
        let diff = repo.diff(name).await.diff;
        assert!(diff.ends_with("\n+x\n"), "{name:?}: {diff}");
    }
    std::fs::write(
        repo.folder.join(std::ffi::OsStr::from_bytes(b"by\xfet")),
        "y",
    )
    .unwrap();
    let error = stage(repo.here(), &["by\u{fffd}t".to_owned()], false).await;
    assert!(matches!(error, Err(GitError::LookAlike(_))));
}

#[tokio::test]
async fn a_folder_within_the_repository_sees_its_own_files_and_what_is_staged_beside_it() {
    let repo = Repo::with_files();
    repo.write("src/b.txt", "b\nmore\n");
    repo.write("src/deep/new.txt", "n\n");
    repo.write("a.txt", "1\n2\n3\n4\n");
    repo.write("beside.txt", "not of the folder");
    let below = Git::in_folder(&repo.folder.join("src")).unwrap();
    let told = changes(Ok(below.clone())).await.unwrap();
    assert_eq!(names(&told), ["b.txt", "deep/new.txt"]);
    assert_eq!(told.root.as_deref(), repo.folder.to_str());
    assert_eq!(told.files[0].added, Some(1));
    let shown = diff(below.clone(), "b.txt").await.unwrap().diff;
    assert!(shown.contains("--- a/b.txt\n+++ b/b.txt\n"), "{shown}");
    let untracked = diff(below.clone(), "deep/new.txt").await.unwrap().diff;
    assert!(untracked.contains("+++ b/deep/new.txt\n"));
    repo.git(&["add", "a.txt"]);
    let told = changes(Ok(below.clone())).await.unwrap();
    assert_eq!(names(&told), ["b.txt", "deep/new.txt", "../a.txt"]);
    let shown = diff(below.clone(), "../a.txt").await.unwrap().diff;
    assert!(
        shown.contains("+++ b/a.txt\n") && shown.contains("+4\n"),
        "{shown}"
    );
    stage(below.clone(), &["../a.txt".to_owned()], false)
        .await
        .unwrap();
    stage(below.clone(), &["b.txt".to_owned()], true)
        .await
        .unwrap();
    let told = changes(Ok(below.clone())).await.unwrap();
    assert_eq!(names(&told), ["b.txt", "deep/new.txt"]);
    assert!(told.files[0].staged);
    let error = stage(below, &["../beside.txt".to_owned()], true).await;
    assert!(matches!(error, Err(GitError::NotListed(_))));
}

#[tokio::test]
async fn a_worktree_and_a_submodule_are_repositories_of_their_own() {
    let repo = Repo::with_files();
    let tree = repo.folder.with_file_name("tree");
    repo.git(&[
        "worktree",
        "add",
        "--quiet",
        "-b",
        "topic",
        tree.to_str().unwrap(),
    ]);
    std::fs::write(tree.join("a.txt"), "other\n").unwrap();
    let told = changes(Git::in_folder(&tree)).await.unwrap();
    assert_eq!(told.branch.as_deref(), Some("topic"));
    assert_eq!(names(&told), ["a.txt"]);
    assert_eq!(names(&repo.changes().await), [""; 0]);

    let outer = Repo::with_files();
    let from = repo.folder.to_str().unwrap();
    outer.git(&["submodule", "--quiet", "add", from, "sub"]);
    outer.commit_all("with a submodule");
    let sub = outer.folder.join("sub");
    std::fs::write(sub.join("a.txt"), "changed\n").unwrap();
    assert_eq!(
        names(&outer.changes().await),
        [""; 0],
        "its files are its own"
    );
    let told = changes(Git::in_folder(&sub)).await.unwrap();
    assert_eq!(names(&told), ["a.txt"]);
    outer.git_in(&sub, &["config", "user.name", "x"]);
    outer.git_in(&sub, &["config", "user.email", "x@example.org"]);
    outer.git_in(&sub, &["commit", "--quiet", "--no-verify", "-am", "on"]);
    let file = outer.file("sub").await;
    assert_eq!((file.status, file.unstaged), (GitStatus::Modified, true));
    assert!(outer.diff("sub").await.diff.contains("+Subproject commit "));
    // Its repository is gone, which is told.
    std::fs::remove_dir_all(outer.folder.join(".git/modules/sub")).unwrap();
    let told = changes(Git::in_folder(&sub)).await.unwrap();
    assert!(told.root.is_none() && told.problem.is_some(), "{told:?}");
}

#[tokio::test]
async fn no_repository_is_no_problem_and_a_bare_one_is_told() {
    let home = tempfile::tempdir().unwrap();
    let told = changes(Git::in_folder(home.path())).await.unwrap();
    assert_eq!(told, GitChanges::default());
    let repo = Repo::with_files();
    let bare = repo.folder.with_file_name("bare.git");
    repo.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    for folder in [bare, repo.folder.join(".git")] {
        let told = changes(Git::in_folder(&folder)).await.unwrap();
        assert_eq!(told.root, None);
        assert!(told.problem.unwrap().contains("bare"));
    }
}

#[tokio::test]
async fn without_git_that_is_told() {
    let told = changes(Err(GitError::NotInstalled)).await.unwrap();
    assert!(told.problem.unwrap().contains("not installed"));
    let home = tempfile::tempdir().unwrap();
    let gone = Git::with_program(&home.path().join("git"), home.path());
    assert!(changes(Ok(gone)).await.is_err());
}

#[tokio::test]
async fn more_files_than_are_shown_are_counted() {
    let repo = Repo::with_files();
    repo.write("zz.txt", "tracked\n");
    repo.commit_all("second");
    repo.write("zz.txt", "changed\n");
    for number in 0..2_050 {
        repo.write(&format!("many/{number}"), "");
    }
    let changes = repo.changes().await;
    assert_eq!((changes.files.len(), changes.more), (2_000, 51));
    let last = changes.files.last().unwrap();
    assert_eq!(last.path, "zz.txt", "what git knows is not left out");
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_of_somebody_else_is_refused_plainly() {
    let repo = Repo::with_files();
    let text = "printf \"fatal: detected dubious ownership in repository at '/x'\\nTo add an exception for this directory, call:\\n\\n\\tgit config --global --add safe.directory '/x'\\n\" >&2; exit 128";
    let git = repo.program("fake-git", text);
    let told = changes(Ok(Git::with_program(&git, &repo.folder)))
        .await
        .unwrap();
    let problem = told.problem.unwrap();
    assert!(
        problem.contains("another user")
            && problem.ends_with("git config --global --add safe.directory '/x'"),
        "{problem}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_of_a_link_is_its_target_s_name_and_nothing_of_what_it_points_to() {
    let repo = Repo::with_files();
    std::os::unix::fs::symlink("/etc/passwd", repo.folder.join("link")).unwrap();
    std::os::unix::fs::symlink("/nowhere", repo.folder.join("dead")).unwrap();
    assert!(
        repo.diff("link")
            .await
            .diff
            .ends_with("+/etc/passwd\n\\ No newline at end of file\n")
    );
    assert_eq!(repo.file("dead").await.added, Some(1));
}
