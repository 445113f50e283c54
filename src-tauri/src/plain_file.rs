//! Files that somebody else may change at any moment, opened to be read: what was a file when it was looked at may be a pipe,
//! a device or a link to another place by now.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Opens a file for reading. A link is not followed: whoever asks has followed those that may be.
///
/// # Errors
/// `InvalidInput` if it is anything but a file, and those of the system.
pub fn open(path: &Path) -> io::Result<File> {
    // To open a device may be to act on it.
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(no_file());
    }
    let file = without_waiting(path)?;
    if !file.metadata()?.is_file() {
        return Err(no_file());
    }
    Ok(file)
}

fn no_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file")
}

/// A pipe is opened without waiting for whoever writes into it.
#[cfg(unix)]
fn without_waiting(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
    File::options().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Read as _;

    use super::*;

    #[test]
    fn only_a_plain_file_is_opened_and_nothing_is_waited_for() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::write(at("file"), "words").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(at("pipe"))
            .status();
        assert!(made.unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        let mut words = String::new();
        open(&at("file"))
            .unwrap()
            .read_to_string(&mut words)
            .unwrap();
        assert_eq!(words, "words");
        for path in [
            at("link"),
            at("pipe"),
            at("socket"),
            home.path().to_owned(),
            "/dev/null".into(),
        ] {
            let error = open(&path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{path:?}");
        }
        assert_eq!(
            open(&at("gone")).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        // As if it had become so after the look.
        assert!(without_waiting(&at("link")).is_err());
        assert!(
            !without_waiting(&at("pipe"))
                .unwrap()
                .metadata()
                .unwrap()
                .is_file()
        );
    }
}
