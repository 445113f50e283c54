//! Lists of folders such as PATH. Only absolute ones count: what the current folder holds is never run by its name.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::{Os, file};

fn separator(os: Os) -> char {
    if os == Os::Windows { ';' } else { ':' }
}

/// The absolute folders of a list, in order.
pub(super) fn split(list: &OsStr, os: Os) -> Vec<PathBuf> {
    pieces(list, separator(os))
        .filter(|folder| is_absolute(folder, os))
        .collect()
}

#[cfg(unix)]
fn pieces(list: &OsStr, separator: char) -> impl Iterator<Item = PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    list.as_bytes()
        .split(move |byte| char::from(*byte) == separator)
        .map(|piece| PathBuf::from(OsStr::from_bytes(piece)))
}

#[cfg(not(unix))]
fn pieces(list: &OsStr, _separator: char) -> impl Iterator<Item = PathBuf> {
    // Knows about quotes around a folder.
    std::env::split_paths(list).collect::<Vec<_>>().into_iter()
}

/// One list, each folder once.
pub(super) fn join(folders: Vec<PathBuf>, os: Os) -> OsString {
    let mut list = OsString::new();
    let mut seen: Vec<PathBuf> = Vec::new();
    for folder in folders {
        if seen.contains(&folder) || folder.as_os_str().to_string_lossy().contains(separator(os)) {
            continue;
        }
        if !seen.is_empty() {
            list.push(separator(os).to_string());
        }
        list.push(&folder);
        seen.push(folder);
    }
    list
}

pub(super) fn is_absolute(path: &Path, os: Os) -> bool {
    let text = path.to_string_lossy();
    let bytes = text.as_bytes();
    let drive = bytes.len() >= 3
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'\\' | b'/');
    path.is_absolute() || (os == Os::Windows && (drive || text.starts_with(r"\\")))
}

/// Where a program such as `git` is on this list; never in the current folder. `name` comes without `.exe`.
pub fn look_up(name: &str, list: &OsStr, os: Os) -> Option<PathBuf> {
    let file = if os == Os::Windows {
        format!("{name}.exe")
    } else {
        name.to_owned()
    };
    split(list, os)
        .into_iter()
        .map(|folder| folder.join(&file))
        .find(|path| file::is_program(path, os))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn relative_and_empty_entries_do_not_count() {
        let unix = OsStr::new(":/usr/bin:.:bin:./node_modules/.bin:/bin:");
        assert_eq!(
            split(unix, Os::Linux),
            [PathBuf::from("/usr/bin"), PathBuf::from("/bin")]
        );
    }

    #[cfg(unix)]
    #[test]
    fn windows_lists_are_split_at_semicolons() {
        let windows = OsStr::new(r"C:\Windows;;.;tools;C:relative;\\server\share;D:/bin");
        let expected = [r"C:\Windows", r"\\server\share", "D:/bin"].map(PathBuf::from);
        assert_eq!(split(windows, Os::Windows), expected);
    }

    #[test]
    fn a_folder_is_joined_once_and_a_strange_one_not_at_all() {
        let folders = ["/a", "/b", "/a", "/c:d"].map(PathBuf::from).to_vec();
        assert_eq!(join(folders.clone(), Os::Linux), "/a:/b");
        assert_eq!(join(folders, Os::Windows), "/a;/b;/c:d");
    }
}
