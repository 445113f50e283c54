//! One path: what stands there, copied, compared and put back.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::Was;
use crate::plain_file;

/// Copies what stands at a place into the folder.
pub(super) fn keep(place: &Path, folder: &Path, index: usize) -> io::Result<Was> {
    let named = |error: io::Error| {
        let text = format!("{}: {error}", place.display());
        io::Error::new(error.kind(), text)
    };
    let meta = match fs::symlink_metadata(place) {
        Ok(meta) => meta,
        // A file stands where the folder was: neither is the path there.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(Was::Missing);
        }
        Err(error) => return Err(named(error)),
    };
    if meta.is_symlink() {
        let target = text(&fs::read_link(place).map_err(named)?)?;
        return Ok(Was::Link { target });
    }
    if !meta.is_file() {
        return Err(named(io::Error::other("is not a file")));
    }
    let copy = index.to_string();
    let mut from = plain_file::open(place).map_err(named)?;
    let mut to = private(&folder.join(&copy))?;
    let size = io::copy(&mut from, &mut to)?;
    to.sync_all()?;
    Ok(Was::File {
        copy,
        size,
        mode: mode(&meta),
    })
}

pub(super) fn is_still(folder: &Path, was: &Was, place: &Path) -> bool {
    let now = fs::symlink_metadata(place).ok();
    match (was, now) {
        (Was::Missing, now) => now.is_none(),
        (Was::Link { target }, _) => {
            fs::read_link(place).is_ok_and(|now| now.as_path() == Path::new(target))
        }
        (Was::File { copy, size, .. }, Some(now)) => {
            let read = |path: &Path| fs::read(path).ok();
            now.is_file()
                && now.len() == *size
                && read(place).is_some_and(|now| Some(now) == read(&folder.join(copy)))
        }
        (Was::File { .. }, None) => false,
    }
}

/// Makes a place what it was.
pub(super) fn put(folder: &Path, was: &Was, place: &Path) -> io::Result<()> {
    match was {
        Was::Missing => remove(place),
        Was::Link { target } => {
            let is_the_same =
                fs::read_link(place).is_ok_and(|now| now.as_path() == Path::new(target));
            if is_the_same {
                return Ok(());
            }
            remove(place)?;
            link(target, place)
        }
        Was::File { copy, size, mode } => {
            let parent = place.parent().ok_or(io::ErrorKind::InvalidInput)?;
            fs::create_dir_all(parent)?;
            // Whole or not at all: a new file takes the place of what is there, and of a link itself.
            let mut new = tempfile::Builder::new()
                .prefix(".kandev-")
                .tempfile_in(parent)?;
            let copied = io::copy(&mut File::open(folder.join(copy))?, new.as_file_mut())?;
            if copied != *size {
                return Err(io::Error::other("its copy is damaged"));
            }
            set_mode(new.as_file(), *mode)?;
            new.persist(place).map_err(|error| error.error)?;
            Ok(())
        }
    }
}

fn remove(place: &Path) -> io::Result<()> {
    match fs::remove_file(place) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(())
        }
        outcome => outcome,
    }
}

pub(super) fn text(path: &Path) -> io::Result<String> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| io::Error::other(format!("{} is not text", path.display())))
}

/// A new file that this person alone reads.
fn private(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(unix)]
fn mode(meta: &fs::Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(meta.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> Option<u32> {
    None
}

#[cfg(unix)]
fn set_mode(file: &File, mode: Option<u32>) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    mode.map_or(Ok(()), |mode| {
        file.set_permissions(fs::Permissions::from_mode(mode))
    })
}

#[cfg(not(unix))]
fn set_mode(_: &File, _: Option<u32>) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn link(target: &str, place: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, place)
}

#[cfg(windows)]
fn link(target: &str, place: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, place)
}
