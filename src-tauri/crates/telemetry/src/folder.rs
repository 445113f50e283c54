//! The folder of the debug files, `<workspace>/.kandev/debug/`. What is written there stays in the workspace: a link in
//! the place of a folder or a file is refused, wherever it leads.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Makes the folder where there is none, and sees to it that nothing in it is ever committed.
pub(crate) fn prepare(workspace: &Path) -> io::Result<PathBuf> {
    let own = workspace.join(".kandev");
    make(&own)?;
    let ignore = own.join(".gitignore");
    match open_new(&ignore) {
        Ok(mut file) => file.write_all(b"*\n")?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let debug = own.join("debug");
    make(&debug)?;
    Ok(debug)
}

/// Opens a file of the folder to add to it.
pub(crate) fn append(folder: &Path, name: &str) -> io::Result<File> {
    let path = folder.join(name);
    refuse_link(folder)?;
    if let Some(own) = folder.parent() {
        refuse_link(own)?;
    }
    refuse_link(&path)?;
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    private(&mut options);
    options.open(path)
}

fn open_new(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    private(&mut options);
    options.open(path)
}

fn make(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        made => made?,
    }
    refuse_link(folder)
}

fn refuse_link(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => Err(io::Error::new(
            ErrorKind::PermissionDenied,
            format!("{} is a link, which is not followed", path.display()),
        )),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Read by this user alone, and no link is followed that came into its place since it was looked at.
#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits();
    options.mode(0o600);
    if let Ok(flags) = i32::try_from(no_follow) {
        options.custom_flags(flags);
    }
}

#[cfg(not(unix))]
fn private(_: &mut OpenOptions) {}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_of_the_folder_is_ever_committed() {
        let workspace = tempfile::tempdir().unwrap();
        let folder = prepare(workspace.path()).unwrap();
        assert_eq!(folder, workspace.path().join(".kandev/debug"));
        assert_eq!(
            fs::read_to_string(workspace.path().join(".kandev/.gitignore")).unwrap(),
            "*\n"
        );
        fs::write(workspace.path().join(".kandev/.gitignore"), "mine").unwrap();
        prepare(workspace.path()).unwrap();
        assert_eq!(
            fs::read_to_string(workspace.path().join(".kandev/.gitignore")).unwrap(),
            "mine"
        );
    }

    #[test]
    fn a_link_out_of_the_workspace_is_not_followed_wherever_it_stands() {
        let elsewhere = tempfile::tempdir().unwrap();
        for place in [".kandev", ".kandev/debug"] {
            let workspace = tempfile::tempdir().unwrap();
            let link = workspace.path().join(place);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(elsewhere.path(), &link).unwrap();
            assert!(prepare(workspace.path()).is_err(), "{place}");
        }
        let workspace = tempfile::tempdir().unwrap();
        let folder = prepare(workspace.path()).unwrap();
        let target = elsewhere.path().join("target");
        symlink(&target, folder.join("raw.jsonl")).unwrap();
        assert!(append(&folder, "raw.jsonl").is_err());
        assert!(fs::read_dir(elsewhere.path()).unwrap().next().is_none());
    }
}
