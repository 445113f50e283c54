#![allow(clippy::unwrap_used)]

use std::time::{Duration, SystemTime};

use super::*;

const NOW: &str = "2026-01-02T03:04:05.678Z";

struct Desk {
    home: tempfile::TempDir,
    snapshots: Snapshots,
}

impl Desk {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("project")).unwrap();
        let snapshots = Snapshots::new(&home.path().join("data"));
        Self { home, snapshots }
    }

    fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    fn roots(&self) -> Roots {
        Roots::new(&self.project(), &[]).unwrap()
    }

    fn write(&self, name: &str, content: &str) {
        let file = self.project().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.project().join(name)).ok()
    }

    fn take(&self, paths: &[&str]) -> Result<Manifest, CommandError> {
        let paths: Vec<_> = paths.iter().map(|path| (*path).to_owned()).collect();
        self.snapshots
            .take("s-1", &self.roots(), Some("m"), &paths, NOW)
    }

    fn put_back(&self, number: u32) -> Result<Manifest, CommandError> {
        self.snapshots.put_back("s-1", number, &self.roots())
    }
}

#[test]
fn files_come_back_as_they_were_and_new_ones_go() {
    let desk = Desk::new();
    desk.write("a.txt", "before");
    desk.write("deep/er/b.txt", "b\r\n\0");
    let full = desk.project().join("deep/er/b.txt");
    let taken = desk
        .take(&["a.txt", full.to_str().unwrap(), "new.txt"])
        .unwrap();
    assert_eq!((taken.number, taken.files.len()), (1, 3));
    assert_eq!(taken.files[2].was, Was::Missing);

    desk.write("a.txt", "after");
    desk.write("new.txt", "new");
    fs::remove_dir_all(desk.project().join("deep")).unwrap();
    let back = desk.put_back(1).unwrap();
    assert_eq!(back, taken);
    assert_eq!(desk.read("a.txt").as_deref(), Some("before"));
    assert_eq!(desk.read("deep/er/b.txt").as_deref(), Some("b\r\n\0"));
    assert_eq!(desk.read("new.txt"), None);
    let names: Vec<_> = fs::read_dir(desk.project())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "nothing of ours is left over: {names:?}");
}

#[test]
fn it_is_told_which_files_are_still_what_they_were() {
    let desk = Desk::new();
    for name in ["same", "other", "longer", "gone"] {
        desk.write(name, "text");
    }
    let taken = desk
        .take(&["same", "other", "longer", "gone", "new", "never"])
        .unwrap();
    desk.write("other", "tixt");
    desk.write("longer", "text and more");
    desk.write("new", "n");
    fs::remove_file(desk.project().join("gone")).unwrap();
    let unchanged = desk.snapshots.unchanged(&taken, &desk.roots()).unwrap();
    let names: Vec<_> = unchanged
        .iter()
        .map(|path| path.rsplit(['/', '\\']).next().unwrap())
        .collect();
    assert_eq!(names, ["same", "never"]);
}

#[test]
fn numbers_go_on_and_each_snapshot_stands_for_itself() {
    let desk = Desk::new();
    for content in ["one", "two"] {
        desk.write("a.txt", content);
        desk.take(&["a.txt"]).unwrap();
    }
    desk.put_back(1).unwrap();
    assert_eq!(desk.read("a.txt").as_deref(), Some("one"));
    desk.put_back(2).unwrap();
    assert_eq!(desk.read("a.txt").as_deref(), Some("two"));
    assert_eq!(desk.put_back(3).unwrap_err().code, "no_such_snapshot");
}

#[test]
fn a_path_named_twice_is_copied_once() {
    let desk = Desk::new();
    desk.write("a.txt", "a");
    let full = desk.project().join("a.txt");
    let taken = desk.take(&["a.txt", full.to_str().unwrap()]).unwrap();
    assert_eq!(taken.files.len(), 1);
}

#[test]
fn a_path_that_leaves_the_folder_is_refused_and_nothing_is_kept() {
    let desk = Desk::new();
    desk.write("a.txt", "a");
    fs::write(desk.home.path().join("secret"), "s").unwrap();
    for path in ["../secret", "/etc/passwd", "x/../../secret", "..", "/", ""] {
        let refused = desk.take(&["a.txt", path]).unwrap_err();
        assert_eq!(refused.code, "outside_workspace", "{path}");
    }
    assert!(!desk.home.path().join("data").exists());
}

#[test]
fn a_folder_that_a_session_may_use_besides_is_allowed() {
    let desk = Desk::new();
    let plans = desk.home.path().join("plans");
    fs::create_dir(&plans).unwrap();
    fs::write(plans.join("p.md"), "plan").unwrap();
    let roots = Roots::new(&desk.project(), &[plans.clone(), "/not/there".into()]).unwrap();
    let path = plans.join("p.md").to_string_lossy().into_owned();
    let taken = desk
        .snapshots
        .take("s-1", &roots, None, &[path], NOW)
        .unwrap();
    assert_eq!(taken.files.len(), 1);
    let gone = Roots::new(&desk.project().join("gone"), &[]).unwrap_err();
    assert_eq!(gone.code, "folder_gone");
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_folder() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new();
    let outside = desk.home.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "s").unwrap();
    symlink(&outside, desk.project().join("door")).unwrap();
    symlink("/not/there/yet", desk.project().join("nowhere")).unwrap();
    for path in ["door/secret", "door/new", "door/deep/new", "nowhere/x"] {
        let refused = desk.take(&[path]).unwrap_err();
        assert_eq!(refused.code, "outside_workspace", "{path}");
    }

    // What was inside when it was copied is checked again when it is put back.
    desk.write("folder/a.txt", "a");
    desk.take(&["folder/a.txt"]).unwrap();
    fs::remove_dir_all(desk.project().join("folder")).unwrap();
    symlink(&outside, desk.project().join("folder")).unwrap();
    assert_eq!(desk.put_back(1).unwrap_err().code, "outside_workspace");
    assert!(!outside.join("a.txt").exists());
}

#[cfg(unix)]
#[test]
fn a_link_is_kept_as_a_link_and_what_it_points_to_is_not_touched() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new();
    let outside = desk.home.path().join("outside.txt");
    fs::write(&outside, "theirs").unwrap();
    let link = desk.project().join("link");
    symlink(&outside, &link).unwrap();
    let taken = desk.take(&["link"]).unwrap();
    assert!(matches!(&taken.files[0].was, Was::Link { target } if target.ends_with("outside.txt")));

    fs::remove_file(&link).unwrap();
    fs::write(&link, "a file now").unwrap();
    desk.take(&["link"]).unwrap();
    desk.put_back(1).unwrap();
    assert_eq!(fs::read_link(&link).unwrap(), outside);
    desk.put_back(2).unwrap();
    assert_eq!(desk.read("link").as_deref(), Some("a file now"));
    assert!(!link.is_symlink());
    assert_eq!(fs::read_to_string(&outside).unwrap(), "theirs");
}

#[cfg(unix)]
#[test]
fn a_program_stays_one_and_copies_are_for_this_person_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    desk.write("run.sh", "#!/bin/sh");
    let file = desk.project().join("run.sh");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    desk.take(&["run.sh"]).unwrap();
    let copy = desk.home.path().join("data/snapshots/s-1/1/0");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&copy), 0o600);
    fs::remove_file(&file).unwrap();
    desk.put_back(1).unwrap();
    assert_eq!(mode(&file), 0o755);
}

#[test]
fn a_folder_in_the_way_is_told_and_the_others_are_put_back() {
    let desk = Desk::new();
    desk.write("a.txt", "a");
    desk.write("b.txt", "b");
    desk.take(&["a.txt", "b.txt"]).unwrap();
    fs::remove_file(desk.project().join("a.txt")).unwrap();
    desk.write("a.txt/x", "x");
    desk.write("b.txt", "changed");
    let error = desk.put_back(1).unwrap_err();
    assert_eq!(error.code, "not_restored");
    assert!(error.message.contains("a.txt") && !error.message.contains("b.txt"));
    assert_eq!(desk.read("b.txt").as_deref(), Some("b"));
    assert_eq!(desk.take(&["a.txt"]).unwrap_err().code, "not_snapshotted");
    assert_eq!(
        desk.read("a.txt/x").as_deref(),
        Some("x"),
        "nothing is lost"
    );
}

#[test]
fn a_damaged_copy_replaces_nothing() {
    let desk = Desk::new();
    desk.write("a.txt", "whole");
    desk.take(&["a.txt"]).unwrap();
    fs::write(desk.home.path().join("data/snapshots/s-1/1/0"), "wh").unwrap();
    desk.write("a.txt", "now");
    assert_eq!(desk.put_back(1).unwrap_err().code, "not_restored");
    assert_eq!(desk.read("a.txt").as_deref(), Some("now"));
}

#[test]
fn the_oldest_go_when_there_is_too_much_but_never_the_newest() {
    let mut desk = Desk::new();
    desk.snapshots.limit = 3_000;
    desk.write("a.txt", &"x".repeat(1_000));
    for age in [30_u64, 20, 10] {
        let taken = desk.take(&["a.txt"]).unwrap();
        let folder = desk
            .home
            .path()
            .join(format!("data/snapshots/s-1/{}", taken.number));
        let then = SystemTime::now() - Duration::from_secs(age);
        if let Ok(folder) = File::open(folder) {
            folder.set_modified(then).unwrap();
        }
    }
    let there = |number: u32| desk.snapshots.manifest("s-1", number).is_ok();
    assert_eq!([1, 2, 3].map(there), [false, true, true]);
    assert_eq!(
        desk.take(&["a.txt"]).unwrap().number,
        4,
        "a number is not used twice"
    );

    desk.write("a.txt", &"x".repeat(3_001));
    assert_eq!(
        desk.take(&["a.txt"]).unwrap_err().code,
        "snapshot_too_large"
    );
}

#[test]
fn a_deleted_session_takes_its_snapshots_along_and_no_others() {
    let desk = Desk::new();
    desk.write("a.txt", "a");
    desk.take(&["a.txt"]).unwrap();
    let paths = ["a.txt".to_owned()];
    desk.snapshots
        .take("s-2", &desk.roots(), None, &paths, NOW)
        .unwrap();
    desk.snapshots.delete("s-1").unwrap();
    desk.snapshots.delete("s-1").unwrap();
    assert!(desk.snapshots.manifest("s-1", 1).is_err());
    assert!(desk.snapshots.manifest("s-2", 1).is_ok());
    for path in ["..", "", "/", "s-2/1", "../snapshots"] {
        assert!(desk.snapshots.delete(path).is_err(), "{path}");
    }
    assert!(desk.snapshots.manifest("s-2", 1).is_ok());
}
