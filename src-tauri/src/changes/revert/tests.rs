#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use kandev_session::{NewSession, Phase, Policy, StopCheck};
use kandev_store::{Projects, Store};
use kandev_transcript::EventBody;
use kandev_transcript::diff::{between, of_new_file};

use super::*;
use crate::changes::sides;
use crate::pump::Source as _;
use crate::records::Records;
use crate::restoring;
use crate::sessions::{Equipment, Launch};

struct Desk {
    home: tempfile::TempDir,
    roots: Roots,
}

impl Desk {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let work = home.path().join("work");
        fs::create_dir(&work).unwrap();
        let roots = Roots::new(&work, &[]).unwrap();
        Self { home, roots }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join("work").join(name)
    }

    fn write(&self, name: &str, content: &str) {
        let file = self.file(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.file(name)).ok()
    }

    fn back(&self, path: &str, diff: &str, hunks: Option<&[u32]>) -> Result<(), CommandError> {
        plan(&self.roots, &wanted(path, diff, hunks))?.carry_out()
    }
}

fn wanted(path: &str, diff: &str, hunks: Option<&[u32]>) -> Wanted {
    Wanted {
        path: path.to_owned(),
        diff: diff.to_owned(),
        hunks: hunks.map(<[u32]>::to_vec),
    }
}

fn two_changes() -> (String, String, String) {
    let old: String = (0..30).map(|n| format!("{n}\r\n")).collect();
    let new = old
        .replace("\r\n5\r\n", "\r\nfive\r\n")
        .replace("\r\n20\r\n", "\r\n");
    let diff = between("a.txt", &old, &new, 1).text;
    (old, new, diff)
}

#[test]
fn a_hunk_or_the_whole_is_taken_back_and_line_ends_stay() {
    let desk = Desk::new();
    let (old, new, diff) = two_changes();
    desk.write("a.txt", &new);
    desk.back("a.txt", &diff, Some(&[1])).unwrap();
    assert_eq!(
        desk.read("a.txt").unwrap(),
        old.replace("\r\n5\r\n", "\r\nfive\r\n")
    );
    desk.write("a.txt", &new);
    let full = desk.file("a.txt").canonicalize().unwrap();
    desk.back(full.to_str().unwrap(), &diff, None).unwrap();
    assert_eq!(desk.read("a.txt").unwrap(), old);
    let left: Vec<_> = fs::read_dir(desk.file(".")).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing of ours is left over");
}

#[test]
fn what_does_not_fit_changes_nothing() {
    let desk = Desk::new();
    let (_, new, diff) = two_changes();
    let now = new.replace("five", "cinq");
    desk.write("a.txt", &now);
    let error = desk.back("a.txt", &diff, None).unwrap_err();
    assert_eq!(error.code, "does_not_fit");
    assert_eq!(desk.read("a.txt").unwrap(), now);
    desk.back("a.txt", &diff, Some(&[1])).unwrap();
    for (hunks, odd) in [(Some(&[9][..]), &*diff), (None, "no diff"), (None, "")] {
        assert_eq!(
            desk.back("a.txt", odd, hunks).unwrap_err().code,
            "does_not_fit"
        );
    }
}

#[test]
fn a_created_file_goes_and_a_deleted_one_comes_back() {
    let desk = Desk::new();
    desk.write("deep/new.txt", "a\nb");
    let created = of_new_file("deep/new.txt", "a\nb").text;
    desk.back("deep/new.txt", &created, None).unwrap();
    assert_eq!(desk.read("deep/new.txt"), None);
    assert_eq!(
        desk.back("deep/new.txt", &created, None).unwrap_err().code,
        "does_not_fit"
    );
    let deleted = "diff --git a/gone/x.sh b/gone/x.sh\ndeleted file mode 100755\n--- a/gone/x.sh\n+++ /dev/null\n@@ -1 +0,0 @@\n-#!/bin/sh\n";
    desk.back("gone/x.sh", deleted, None).unwrap();
    assert_eq!(desk.read("gone/x.sh").unwrap(), "#!/bin/sh\n");
    assert_eq!(
        desk.back("gone/x.sh", deleted, None).unwrap_err().code,
        "does_not_fit"
    );
}

#[test]
fn a_moved_file_goes_back_unless_something_stands_there() {
    let desk = Desk::new();
    let moved = "diff --git a/sub/old.txt b/sub/new.txt\nsimilarity index 60%\nrename from sub/old.txt\nrename to sub/new.txt\n--- a/sub/old.txt\n+++ b/sub/new.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
    for prefix in ["sub/", ""] {
        let path = |name: &str| format!("{prefix}{name}");
        desk.write(&path("new.txt"), "a\nc\n");
        desk.back(&path("new.txt"), moved, Some(&[0])).unwrap();
        assert_eq!(
            desk.read(&path("new.txt")).unwrap(),
            "a\nb\n",
            "the lines alone"
        );
        desk.write(&path("new.txt"), "a\nc\n");
        desk.write(&path("old.txt"), "other");
        assert!(desk.back(&path("new.txt"), moved, None).is_err());
        fs::remove_file(desk.file(&path("old.txt"))).unwrap();
        desk.back(&path("new.txt"), moved, None).unwrap();
        assert_eq!(desk.read(&path("old.txt")).unwrap(), "a\nb\n");
        assert_eq!(desk.read(&path("new.txt")), None);
    }
    desk.write("else.txt", "a\nc\n");
    assert!(desk.back("else.txt", moved, None).is_err());
}

#[test]
fn nothing_outside_the_folder_is_touched() {
    let desk = Desk::new();
    let outside = desk.home.path().join("outside.txt");
    fs::write(&outside, "b\n").unwrap();
    let diff = between("x", "a\n", "b\n", 1).text;
    for path in [
        "../outside.txt",
        outside.to_str().unwrap(),
        "x/../../outside.txt",
        "",
    ] {
        assert_eq!(
            desk.back(path, &diff, None).unwrap_err().code,
            "outside_workspace",
            "{path}"
        );
    }
    let moved = "diff --git a/../outside.txt b/new.txt\nrename from ../other.txt\nrename to new.txt\n--- a/../other.txt\n+++ b/new.txt\n@@ -1 +1 @@\n-a\n+b\n";
    desk.write("new.txt", "b\n");
    assert_eq!(
        desk.back("new.txt", moved, None).unwrap_err().code,
        "outside_workspace"
    );
    assert_eq!(fs::read_to_string(&outside).unwrap(), "b\n");
    assert_eq!(desk.read("new.txt").unwrap(), "b\n");
}

#[cfg(unix)]
#[test]
fn a_link_stays_one_and_a_program_stays_one() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let desk = Desk::new();
    let diff = between("x", "a\n", "b\n", 1).text;
    desk.write("real.sh", "b\n");
    fs::set_permissions(desk.file("real.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    symlink("real.sh", desk.file("link")).unwrap();
    desk.back("link", &diff, None).unwrap();
    assert!(desk.file("link").is_symlink());
    assert_eq!(desk.read("real.sh").unwrap(), "a\n");
    let mode = |name: &str| fs::metadata(desk.file(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("real.sh"), 0o750);

    let outside = desk.home.path().join("outside.txt");
    fs::write(&outside, "b\n").unwrap();
    symlink(&outside, desk.file("door")).unwrap();
    assert_eq!(
        desk.back("door", &diff, None).unwrap_err().code,
        "outside_workspace"
    );
    symlink("/nowhere/at/all", desk.file("dead")).unwrap();
    assert_eq!(
        desk.back("dead", &diff, None).unwrap_err().code,
        "not_readable"
    );
    let link = "diff --git a/gone b/gone\ndeleted file mode 120000\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-/etc/passwd\n\\ No newline at end of file\n";
    assert_eq!(
        desk.back("gone", link, None).unwrap_err().code,
        "does_not_fit"
    );

    let runs = "diff --git a/real.sh b/real.sh\nold mode 100644\nnew mode 100755\n";
    desk.back("real.sh", runs, None).unwrap();
    assert_eq!(mode("real.sh"), 0o640);
    let deleted = "diff --git a/x.sh b/x.sh\ndeleted file mode 100755\n--- a/x.sh\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    desk.back("x.sh", deleted, None).unwrap();
    assert_eq!(mode("x.sh") & 0o500, 0o500);
}

#[test]
fn what_is_no_text_or_no_file_is_refused() {
    let desk = Desk::new();
    let diff = between("x", "a\n", "b\n", 1).text;
    fs::write(desk.file("bin"), b"b\n\0").unwrap();
    assert!(
        desk.back("bin", &diff, None)
            .unwrap_err()
            .message
            .contains("binary")
    );
    fs::write(desk.file("latin"), b"b\n\xff").unwrap();
    assert_eq!(
        desk.back("latin", &diff, None).unwrap_err().code,
        "does_not_fit"
    );
    fs::create_dir(desk.file("folder")).unwrap();
    assert_eq!(
        desk.back("folder", &diff, None).unwrap_err().code,
        "not_a_file"
    );
}

#[test]
fn who_writes_at_the_same_moment_is_not_overwritten() {
    let desk = Desk::new();
    let diff = between("x", "a\n", "b\n", 1).text;
    desk.write("x", "b\n");
    let plan = plan(&desk.roots, &wanted("x", &diff, None)).unwrap();
    desk.write("x", "theirs\n");
    assert_eq!(plan.carry_out().unwrap_err().code, "does_not_fit");
    assert_eq!(desk.read("x").unwrap(), "theirs\n");
}

#[test]
fn both_sides_are_told_as_far_as_the_diff_still_stands() {
    let desk = Desk::new();
    let (old, new, diff) = two_changes();
    desk.write("a.txt", &new);
    let told = sides(&desk.roots, "a.txt", &diff).unwrap();
    assert_eq!(
        (told.old.as_deref(), told.new.as_deref(), told.matches),
        (Some(&*old), Some(&*new), true)
    );
    // Lines that moved have other numbers.
    let moved = format!("above\r\n{new}");
    desk.write("a.txt", &moved);
    let told = sides(&desk.roots, "a.txt", &diff).unwrap();
    assert_eq!(
        (told.old.unwrap(), told.matches),
        (format!("above\r\n{old}"), false)
    );
    desk.write("a.txt", "other");
    let told = sides(&desk.roots, "a.txt", &diff).unwrap();
    assert_eq!(
        (told.old, told.new.as_deref(), told.matches),
        (None, Some("other"), false)
    );
    fs::write(desk.file("a.txt"), b"\0").unwrap();
    assert!(sides(&desk.roots, "a.txt", &diff).unwrap().binary);
    fs::File::create(desk.file("a.txt"))
        .unwrap()
        .set_len(17 << 20)
        .unwrap();
    assert!(sides(&desk.roots, "a.txt", &diff).unwrap().too_large);
    let gone = sides(&desk.roots, "none.txt", &diff).unwrap();
    assert_eq!((gone.old, gone.new, gone.matches), (None, None, false));
}

/// Sessions whose CLI is not there: they fail without a process.
fn sessions(home: &Path) -> Sessions {
    let cli = home.join("no-such-claude");
    let equipment = Equipment {
        launch: Some(Box::new(move || Launch {
            cli: Some(cli.clone()),
            ..Launch::default()
        })),
        ..Equipment::default()
    };
    let store = Store::open(&home.join("data")).store;
    Sessions::new(
        equipment,
        Records::new(store, Projects::at([home.join("claude")])),
    )
}

async fn session_in(desk: &Desk) -> (Sessions, Snapshots, String) {
    let sessions = sessions(desk.home.path());
    let snapshots = Snapshots::new(&desk.home.path().join("data"));
    let work = desk.home.path().join("work");
    let request = NewSession {
        stop_check: StopCheck::Off,
        ..NewSession::new(work.to_string_lossy().into_owned(), Policy::Supervised)
    };
    let id = sessions.start(request, None).await.unwrap().id;
    let mut changes = sessions.get(&id).unwrap().info_changes();
    changes
        .wait_for(|info| info.phase == Phase::Failed)
        .await
        .unwrap();
    (sessions, snapshots, id)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_at_once_are_done_one_after_the_other() {
    let desk = Desk::new();
    let (sessions, snapshots, id) = session_in(&desk).await;
    let sessions = Arc::new(sessions);
    let (old, new, diff) = two_changes();
    for _ in 0..20 {
        desk.write("a.txt", &new);
        let one = |hunk| {
            let (sessions, snapshots) = (Arc::clone(&sessions), snapshots.clone());
            let (id, wanted) = (id.clone(), wanted("a.txt", &diff, Some(&[hunk])));
            tokio::spawn(async move { revert(&sessions, &snapshots, &id, wanted).await })
        };
        let (first, second) = tokio::join!(one(0), one(1));
        first.unwrap().unwrap();
        second.unwrap().unwrap();
        assert_eq!(desk.read("a.txt").unwrap(), old);
    }
}

#[tokio::test]
async fn what_was_taken_back_is_told_in_the_journal_and_can_be_taken_back_itself() {
    let desk = Desk::new();
    let (sessions, snapshots, id) = session_in(&desk).await;
    let (old, new, diff) = two_changes();
    desk.write("a.txt", &new);

    let would = preview(&sessions, &id, wanted("a.txt", &diff, None))
        .await
        .unwrap();
    let plain = RevertPreview {
        can: true,
        lines_added: 2,
        lines_removed: 1,
        ..RevertPreview::default()
    };
    assert_eq!(would, plain);
    assert_eq!(desk.read("a.txt").unwrap(), new);
    let done = revert(
        &sessions,
        &snapshots,
        &id,
        wanted("a.txt", &diff, Some(&[0, 1])),
    )
    .await
    .unwrap();
    assert_eq!(desk.read("a.txt").unwrap(), old);
    let mut reading = sessions.read(&id, 0);
    let notice = 'found: loop {
        for event in reading.next().await.unwrap() {
            if let EventBody::Notice { kind, text, data } = &Arc::unwrap_or_clone(event).body
                && kind == NOTICE
            {
                break 'found (text.clone(), serde_json::to_value(data).unwrap());
            }
        }
    };
    assert!(
        notice.0.starts_with("2 changes of a.txt were taken back."),
        "{}",
        notice.0
    );
    assert_eq!(notice.1["snapshot"], done.snapshot);
    assert_eq!(notice.1["hunks"], json!([0, 1]));

    let would = preview(&sessions, &id, wanted("a.txt", &diff, None))
        .await
        .unwrap();
    assert!(!would.can && would.why.unwrap().contains("not in the file"));
    restoring::redo(&sessions, &snapshots, &id, &done.snapshot)
        .await
        .unwrap();
    assert_eq!(desk.read("a.txt").unwrap(), new);

    desk.write("new.txt", "n\n");
    let created = of_new_file("new.txt", "n\n").text;
    let would = preview(&sessions, &id, wanted("new.txt", &created, None))
        .await
        .unwrap();
    assert!(would.can && would.deletes && !would.recreates);
    let done = revert(
        &sessions,
        &snapshots,
        &id,
        wanted("new.txt", &created, None),
    )
    .await
    .unwrap();
    assert_eq!(desk.read("new.txt"), None);
    restoring::redo(&sessions, &snapshots, &id, &done.snapshot)
        .await
        .unwrap();
    assert_eq!(desk.read("new.txt").unwrap(), "n\n");
    let outside = preview(&sessions, &id, wanted("../x", &diff, None))
        .await
        .unwrap();
    assert!(outside.why.unwrap().contains("outside"));
}
