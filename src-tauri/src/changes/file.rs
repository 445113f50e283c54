//! One file as it is now: found within the session's folders, read as text, replaced whole.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::api::CommandError;
use crate::plain_file;
use crate::snapshots::Roots;

/// Bytes of a file whose changes are shown or taken back.
pub(super) const MOST: u64 = 16 << 20;

/// A place within the session's folders and what stands there.
pub(super) struct File {
    /// Links followed, so that a link stays one.
    pub(super) place: PathBuf,
    pub(super) now: Now,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Now {
    Missing,
    Text(String),
    Binary,
    TooLarge,
}

impl File {
    /// # Errors
    /// `outside_workspace`, `not_a_file`, `not_readable`.
    pub(super) fn find(roots: &Roots, path: &str) -> Result<Self, CommandError> {
        let mut place = roots.place(path)?;
        if place.is_symlink() {
            let real = place
                .canonicalize()
                .map_err(|error| unreadable(path, &error))?;
            let real = real.to_str().ok_or_else(|| {
                let text = format!("{path} leads to a file whose name is no text");
                CommandError::new("not_readable", text)
            })?;
            place = roots.place(real)?;
        }
        let now = read(&place).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => {
                CommandError::new("not_a_file", format!("{path} is not a file"))
            }
            _ => unreadable(path, &error),
        })?;
        Ok(Self { place, now })
    }

    /// Nobody has written to it since it was found.
    pub(super) fn is_still(&self) -> bool {
        read(&self.place).is_ok_and(|now| now == self.now)
    }
}

fn unreadable(path: &str, error: &io::Error) -> CommandError {
    CommandError::new("not_readable", format!("{path} cannot be read: {error}"))
}

fn read(place: &Path) -> io::Result<Now> {
    let meta = match fs::symlink_metadata(place) {
        Ok(meta) => meta,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(Now::Missing);
        }
        Err(error) => return Err(error),
    };
    if !meta.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    if meta.len() > MOST {
        return Ok(Now::TooLarge);
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    let mut most = plain_file::open(place)?.take(MOST + 1);
    if most.read_to_end(&mut bytes)? as u64 > MOST {
        return Ok(Now::TooLarge);
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Now::Text(text),
        _ => Now::Binary,
    })
}

/// What the mode of a file becomes, where the system has such.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// What it is, or what a new file gets.
    Same,
    /// A program, or none.
    Runs(bool),
}

/// Puts a text in the place of what is there, whole or not at all.
pub(super) fn replace(place: &Path, text: &str, mode: Mode) -> io::Result<()> {
    let folder = place.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(folder)?;
    let there = fs::symlink_metadata(place).ok();
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kandev-");
    let as_new = new_file(mode);
    if let Some(as_new) = &as_new {
        builder.permissions(as_new.clone());
    }
    let mut new = builder.tempfile_in(folder)?;
    new.write_all(text.as_bytes())?;
    if let Some(there) = &there {
        new.as_file()
            .set_permissions(with(there.permissions(), mode))?;
    }
    new.as_file().sync_all()?;
    let put = match there {
        Some(_) => new.persist(place),
        None => new.persist_noclobber(place),
    };
    put.map_err(|error| error.error)?;
    Ok(())
}

/// What a new file gets; the system takes off what the person does not want.
#[cfg(unix)]
fn new_file(mode: Mode) -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    let bits = if mode == Mode::Runs(true) {
        0o777
    } else {
        0o666
    };
    Some(fs::Permissions::from_mode(bits))
}

#[cfg(unix)]
fn with(now: fs::Permissions, mode: Mode) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    let bits = now.mode() & 0o7777;
    fs::Permissions::from_mode(match mode {
        Mode::Same => bits,
        Mode::Runs(false) => bits & !0o111,
        // Whoever may read it may run it.
        Mode::Runs(true) => bits | (bits & 0o444) >> 2,
    })
}

#[cfg(not(unix))]
fn new_file(_: Mode) -> Option<fs::Permissions> {
    None
}

#[cfg(not(unix))]
fn with(now: fs::Permissions, _: Mode) -> fs::Permissions {
    now
}
