//! Where a conversation is written to when it is exported: a new file among the downloads, or in the data folder where
//! there is no such place.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use kandev_store::{Format, Store, StoredSession};

use crate::api::{CommandError, Exported};

/// Characters of the title in the file's name.
const NAME_MAX: usize = 60;

/// Writes it and says where.
///
/// # Errors
/// `not_exported`.
pub fn write(
    store: &Store,
    session: &StoredSession,
    format: Format,
    downloads: Option<PathBuf>,
) -> Result<Exported, CommandError> {
    let name = name(&session.title, &session.id);
    write_file(
        store.data_dir(),
        downloads,
        &name,
        format.extension(),
        |file| {
            let mut out = BufWriter::new(file);
            store
                .export(&session.id, format, &mut out)
                .map_err(io::Error::other)?;
            out.flush()
        },
    )
}

/// Has a new file written and says where it is. One that could not be written is not there.
///
/// # Errors
/// `not_exported`.
pub fn write_file(
    data_dir: &Path,
    downloads: Option<PathBuf>,
    name: &str,
    ending: &str,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<Exported, CommandError> {
    let failed = |error: io::Error| {
        let text = format!("{name} could not be written: {error}");
        CommandError::new("not_exported", text)
    };
    let own = data_dir.join("exports");
    let opened = downloads
        .filter(|folder| folder.is_dir())
        .and_then(|folder| new_file(&folder, name, ending).ok());
    let (path, mut file) = match opened {
        Some(opened) => opened,
        None => std::fs::create_dir_all(&own)
            .and_then(|()| new_file(&own, name, ending))
            .map_err(failed)?,
    };
    if let Err(error) = write(&mut file) {
        let _ = std::fs::remove_file(&path);
        return Err(failed(error));
    }
    Ok(Exported {
        path: path.to_string_lossy().into_owned(),
    })
}

/// A name that every system takes.
fn name(title: &str, id: &str) -> String {
    let mut name = String::new();
    for c in title.chars() {
        if c.is_alphanumeric() {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if name.chars().count() >= NAME_MAX {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() {
        let id: String = id
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(8)
            .collect();
        return format!("session-{id}");
    }
    // Some systems keep short names for devices.
    format!("session-{name}")
}

/// A file that was not there before.
fn new_file(folder: &Path, name: &str, ending: &str) -> io::Result<(PathBuf, File)> {
    for number in 1.. {
        let path = folder.join(if number == 1 {
            format!("{name}.{ending}")
        } else {
            format!("{name}-{number}.{ending}")
        });
        match File::create_new(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_file_is_named_after_the_title_in_letters_that_every_system_takes() {
        assert_eq!(
            name("Fix: the / path\\..\\x?", "i"),
            "session-Fix-the-path-x"
        );
        assert_eq!(name("修理 path", "i"), "session-修理-path");
        assert_eq!(name("../..", "0123-4567-89"), "session-01234567");
        assert_eq!(name("con", "i"), "session-con");
        let long = name(&"word ".repeat(100), "i");
        assert!(
            long.chars().count() <= NAME_MAX + "session-".len(),
            "{long}"
        );
    }

    #[test]
    fn no_file_takes_the_place_of_another() {
        let home = tempfile::tempdir().unwrap();
        let names: Vec<_> = (0..3)
            .map(|_| new_file(home.path(), "s", "md").unwrap().0)
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, ["s.md", "s-2.md", "s-3.md"]);
        assert!(new_file(&home.path().join("gone"), "s", "md").is_err());
    }
}
