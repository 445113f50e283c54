use super::*;
use crate::GitStatus;

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn files_are_staged_and_taken_out_again() {
    let repo = Repo::with_files();
    repo.write("a.txt", "changed\n");
    repo.write("new.txt", "n\n");
    repo.remove("src/b.txt");
    let all = owned(&["a.txt", "new.txt", "src/b.txt"]);
    stage(repo.here(), &all, true).await.unwrap();
    let told = repo.changes().await;
    assert!(
        told.files.iter().all(|file| file.staged && !file.unstaged),
        "{told:?}"
    );
    stage(repo.here(), &all, false).await.unwrap();
    let told = repo.changes().await;
    assert!(
        told.files.iter().all(|file| !file.staged && file.unstaged),
        "{told:?}"
    );
    let error = stage(repo.here(), &owned(&["a.txt", "none"]), true).await;
    assert!(matches!(error, Err(GitError::NotListed(_))));
    assert!(!repo.file("a.txt").await.staged, "all or none");
    stage(repo.here(), &[], true).await.unwrap();
}

#[tokio::test]
async fn a_move_is_staged_and_taken_out_as_one() {
    let repo = Repo::with_files();
    repo.git(&["mv", "a.txt", "z.txt"]);
    assert_eq!(repo.file("z.txt").await.status, GitStatus::Renamed);
    stage(repo.here(), &owned(&["z.txt"]), false).await.unwrap();
    let told = repo.changes().await;
    let each: Vec<_> = told
        .files
        .iter()
        .map(|file| (&*file.path, file.status, file.staged))
        .collect();
    assert_eq!(
        each,
        [
            ("a.txt", GitStatus::Deleted, false),
            ("z.txt", GitStatus::Untracked, false)
        ]
    );
}

#[tokio::test]
async fn whatever_is_staged_in_part_or_whole_is_staged_again_and_harms_no_other() {
    let repo = Repo::with_files();
    for name in ["gone", "moved", "moved_on", "moved_off"] {
        repo.write(name, format!("{name}\n").repeat(20));
    }
    repo.commit_all("second");
    repo.git(&["rm", "--quiet", "gone"]);
    for name in ["moved", "moved_on", "moved_off"] {
        repo.git(&["mv", name, &format!("{name}_2")]);
    }
    repo.write("moved_on_2", "moved_on\n".repeat(20) + "and on\n");
    repo.remove("moved_off_2");
    repo.write("added", "x\n");
    repo.git(&["add", "added"]);
    repo.remove("added");
    repo.write("a.txt", "changed\n");
    let all: Vec<String> = repo
        .changes()
        .await
        .files
        .into_iter()
        .map(|file| file.path)
        .collect();
    for _ in 0..2 {
        let there = repo.changes().await.files.into_iter();
        let names = there.map(|file| file.path).collect::<Vec<_>>();
        let names: Vec<String> = all
            .iter()
            .filter(|name| names.contains(name))
            .cloned()
            .collect();
        stage(repo.here(), &names, true).await.unwrap();
        let told = repo.changes().await;
        assert!(told.files.iter().all(|file| !file.unstaged), "{told:?}");
    }
    let said = repo.git(&["status", "--porcelain"]);
    for line in [
        "M  a.txt",
        "D  gone",
        "R  moved -> moved_2",
        "R  moved_on -> moved_on_2",
    ] {
        assert!(said.lines().any(|told| told == line), "{line}: {said}");
    }
}

#[tokio::test]
async fn a_conflict_is_not_settled_by_taking_it_out() {
    let repo = Repo::with_files();
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    repo.write("a.txt", "theirs\n");
    repo.commit_all("theirs");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("a.txt", "ours\n");
    repo.commit_all("ours");
    let merge = Command::new("git")
        .current_dir(&repo.folder)
        .args(["merge", "--quiet", "other"])
        .output()
        .unwrap();
    assert!(!merge.status.success());
    stage(repo.here(), &owned(&["a.txt"]), false).await.unwrap();
    assert_eq!(repo.file("a.txt").await.status, GitStatus::Conflict);
}

#[tokio::test]
async fn before_the_first_commit_files_are_staged_and_taken_out_too() {
    let repo = Repo::empty();
    repo.write("a", "x\n");
    stage(repo.here(), &owned(&["a"]), true).await.unwrap();
    assert!(repo.file("a").await.staged);
    stage(repo.here(), &owned(&["a"]), false).await.unwrap();
    assert_eq!(repo.file("a").await.status, GitStatus::Untracked);
    stage(repo.here(), &owned(&["a"]), true).await.unwrap();
    commit(repo.here(), "first").await.unwrap();
    assert!(repo.changes().await.head.is_some());
}

#[tokio::test]
async fn what_is_staged_is_committed_with_the_message_as_it_is() {
    let repo = Repo::with_files();
    repo.write("a.txt", "changed\n");
    repo.write("left.txt", "l\n");
    stage(repo.here(), &owned(&["a.txt"]), true).await.unwrap();
    let message = "Say \"hi\" to $HOME\n\n# a line with a hash\n-m not an option; ü\n";
    let made = commit(repo.here(), message).await.unwrap();
    assert_eq!(made.hash, repo.git(&["rev-parse", "HEAD"]).trim());
    assert_eq!(made.subject, "Say \"hi\" to $HOME");
    assert_eq!(
        repo.git(&["log", "-1", "--format=%B"]).trim(),
        message.trim()
    );
    assert_eq!(names(&repo.changes().await), ["left.txt"]);
}

#[tokio::test]
async fn nothing_is_committed_without_files_or_words() {
    let repo = Repo::with_files();
    repo.write("a.txt", "changed\n");
    let head = repo.git(&["rev-parse", "HEAD"]);
    assert!(matches!(
        commit(repo.here(), "words").await,
        Err(GitError::NothingStaged)
    ));
    stage(repo.here(), &owned(&["a.txt"]), true).await.unwrap();
    assert!(matches!(
        commit(repo.here(), " \n").await,
        Err(GitError::NoMessage)
    ));
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), head);
}

#[cfg(unix)]
#[tokio::test]
async fn a_hook_that_refuses_a_commit_is_heard() {
    let repo = Repo::with_files();
    repo.write("a.txt", "changed\n");
    stage(repo.here(), &owned(&["a.txt"]), true).await.unwrap();
    repo.program(
        ".git/hooks/pre-commit",
        "echo 'lint: a.txt is bad'; echo 'see above' >&2; exit 1",
    );
    let error = commit(repo.here(), "words").await.unwrap_err().to_string();
    assert!(
        error.contains("lint: a.txt is bad") && error.contains("see above"),
        "{error}"
    );
    // A hook may change the message, and runs when a person commits.
    repo.program(".git/hooks/pre-commit", "exit 0");
    repo.program(".git/hooks/commit-msg", "echo 'by the hook' > \"$1\"");
    assert_eq!(
        commit(repo.here(), "words").await.unwrap().subject,
        "by the hook"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn what_a_hook_leaves_running_is_not_waited_for() {
    let repo = Repo::with_files();
    repo.write("a.txt", "changed\n");
    stage(repo.here(), &owned(&["a.txt"]), true).await.unwrap();
    let pid = repo.home.path().join("pid");
    repo.program(
        ".git/hooks/post-commit",
        &format!("sleep 300 & echo $! > '{}'", pid.display()),
    );
    let done = tokio::time::timeout(Duration::from_secs(60), commit(repo.here(), "words")).await;
    assert_eq!(done.unwrap().unwrap().subject, "words");
    let pid: i32 = std::fs::read_to_string(pid)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn git_that_takes_too_long_is_ended_with_all_that_it_started() {
    let repo = Repo::with_files();
    let pid = repo.home.path().join("pid");
    let git = repo.program(
        "slow-git",
        &format!("sleep 300 & echo $! > '{}'; wait", pid.display()),
    );
    let git = Git::with_program(&git, &repo.folder);
    let limit = Duration::from_millis(700);
    let done = git
        .act(program::Manner::Look, &["status"], b"", limit)
        .await;
    assert!(matches!(done, Err(GitError::TimedOut(_))), "{done:?}");
    let pid: i32 = std::fs::read_to_string(pid)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    let ended = async {
        while rustix::process::test_kill_process(pid).is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), ended)
        .await
        .unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn git_that_talks_without_end_is_ended() {
    let repo = Repo::with_files();
    let git = repo.program("loud-git", "exec yes");
    let git = Git::with_program(&git, &repo.folder);
    let done = git
        .act(
            program::Manner::Look,
            &["status"],
            b"",
            Duration::from_secs(60),
        )
        .await;
    assert!(matches!(done, Err(GitError::TooMuch)), "{done:?}");
}
