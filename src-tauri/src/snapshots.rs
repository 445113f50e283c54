//! Copies of files as they were before they are set back, so that every restore can be taken back too.
//!
//! A snapshot is a folder `<data>/snapshots/<session>/<number>/` with one copy for each file and a manifest, which also
//! says of the files that were not there that they were not. It knows nothing of sessions or of what the CLI says. All
//! snapshots together take at most a limit: the oldest go first, never the one that was just taken; one that would take
//! more than the limit alone is refused before anything is changed.

mod files;
mod place;
mod size;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::api::CommandError;

use files::{is_still, keep, put, text};

pub use place::Roots;

/// Bytes that all snapshots together may take.
const LIMIT: u64 = 1 << 30;
const MANIFEST: &str = "manifest.json";

/// Managed state: the folder of all snapshots.
#[derive(Debug, Clone)]
pub struct Snapshots {
    folder: PathBuf,
    limit: u64,
    acting: Arc<Mutex<()>>,
}

/// What a snapshot holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub session: String,
    /// From 1 within a session.
    pub number: u32,
    /// RFC 3339.
    pub taken_at: String,
    /// The prompt before which the files were to be as they were; none when a restore was taken back.
    pub message_uuid: Option<String>,
    pub files: Vec<Kept>,
}

/// One path, and what was there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// In full, links of its folders followed.
    pub path: String,
    pub was: Was,
}

/// What stood at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Was {
    Missing,
    File {
        /// The copy's name within the snapshot.
        copy: String,
        /// Bytes.
        size: u64,
        /// The bits of the file's mode, where the system has such.
        mode: Option<u32>,
    },
    Link {
        target: String,
    },
}

impl Manifest {
    /// The paths, as they were found.
    pub fn paths(&self) -> Vec<String> {
        self.files.iter().map(|kept| kept.path.clone()).collect()
    }
}

impl Snapshots {
    pub fn new(data_dir: &Path) -> Self {
        Self {
            folder: data_dir.join("snapshots"),
            limit: LIMIT,
            acting: Arc::default(),
        }
    }

    /// Held by whoever reads files to write them anew, so that two do not take what the other wrote for what was there.
    pub fn one_by_one(&self) -> MutexGuard<'_, ()> {
        self.acting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies what stands at these paths. Nothing is kept when one of them cannot be copied.
    ///
    /// # Errors
    /// `outside_workspace`, `snapshot_too_large`, `not_snapshotted`.
    pub fn take(
        &self,
        session: &str,
        roots: &Roots,
        message_uuid: Option<&str>,
        paths: &[String],
        now: &str,
    ) -> Result<Manifest, CommandError> {
        let mut places = Vec::new();
        for path in paths {
            let place = roots.place(path)?;
            if !places.contains(&place) {
                places.push(place);
            }
        }
        self.refuse_too_large(&places)?;
        let failed = |error: io::Error| {
            CommandError::new(
                "not_snapshotted",
                format!("the files could not be copied first, so nothing was changed: {error}"),
            )
        };
        let (manifest, folder) = self
            .copy(session, message_uuid, &places, now)
            .map_err(failed)?;
        // Too much is kept then, which the next one mends.
        let _ = size::keep_within(&self.folder, self.limit, &folder);
        Ok(manifest)
    }

    /// What a snapshot holds.
    ///
    /// # Errors
    /// `no_such_snapshot`.
    pub fn manifest(&self, session: &str, number: u32) -> Result<Manifest, CommandError> {
        let read = || -> io::Result<Manifest> {
            let file = self.of(session)?.join(number.to_string()).join(MANIFEST);
            Ok(serde_json::from_slice(&fs::read(file)?)?)
        };
        read().map_err(|error| {
            let text = format!("the copy number {number} of the files is not there: {error}");
            CommandError::new("no_such_snapshot", text)
        })
    }

    /// Puts back what a snapshot holds: files that were not there then are removed.
    ///
    /// # Errors
    /// `no_such_snapshot`, `outside_workspace` before anything is changed; `not_restored` names the files that were left
    /// as they are.
    pub fn put_back(
        &self,
        session: &str,
        number: u32,
        roots: &Roots,
    ) -> Result<Manifest, CommandError> {
        let manifest = self.manifest(session, number)?;
        let mut places = Vec::new();
        for kept in &manifest.files {
            places.push(roots.place(&kept.path)?);
        }
        let folder = self
            .of(session)
            .map_err(|error| CommandError::new("no_such_snapshot", error.to_string()))?
            .join(number.to_string());
        let mut left = Vec::new();
        for (kept, place) in manifest.files.iter().zip(&places) {
            if let Err(error) = put(&folder, &kept.was, place) {
                left.push(format!("{} ({error})", kept.path));
            }
        }
        if left.is_empty() {
            return Ok(manifest);
        }
        let text = format!("these files were left as they are: {}", left.join(", "));
        Err(CommandError::new("not_restored", text))
    }

    /// The paths at which stands what the snapshot holds.
    ///
    /// # Errors
    /// `outside_workspace`.
    pub fn unchanged(
        &self,
        manifest: &Manifest,
        roots: &Roots,
    ) -> Result<Vec<String>, CommandError> {
        let Ok(of_session) = self.of(&manifest.session) else {
            return Ok(Vec::new());
        };
        let folder = of_session.join(manifest.number.to_string());
        let mut unchanged = Vec::new();
        for kept in &manifest.files {
            if is_still(&folder, &kept.was, &roots.place(&kept.path)?) {
                unchanged.push(kept.path.clone());
            }
        }
        Ok(unchanged)
    }

    /// The session is deleted, and its snapshots with it.
    pub fn delete(&self, session: &str) -> io::Result<()> {
        match fs::remove_dir_all(self.of(session)?) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn refuse_too_large(&self, places: &[PathBuf]) -> Result<(), CommandError> {
        let sizes = places.iter().filter_map(|place| {
            let meta = fs::symlink_metadata(place).ok()?;
            meta.is_file().then_some(meta.len())
        });
        let total: u64 = sizes.sum();
        if total <= self.limit {
            return Ok(());
        }
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let text = format!(
            "the files take {} MiB, and at most {} MiB are copied before they are set back; nothing was changed",
            mib(total),
            mib(self.limit)
        );
        Err(CommandError::new("snapshot_too_large", text))
    }

    fn copy(
        &self,
        session: &str,
        message_uuid: Option<&str>,
        places: &[PathBuf],
        now: &str,
    ) -> io::Result<(Manifest, PathBuf)> {
        let of_session = self.of(session)?;
        fs::create_dir_all(&of_session)?;
        let (number, folder) = new_folder(&of_session)?;
        let fill = || -> io::Result<Manifest> {
            let mut files = Vec::new();
            for (index, place) in places.iter().enumerate() {
                files.push(Kept {
                    path: text(place)?,
                    was: keep(place, &folder, index)?,
                });
            }
            let manifest = Manifest {
                session: session.to_owned(),
                number,
                taken_at: now.to_owned(),
                message_uuid: message_uuid.map(str::to_owned),
                files,
            };
            // Last: without it the folder is no snapshot.
            let mut file = File::create_new(folder.join(MANIFEST))?;
            file.write_all(&serde_json::to_vec_pretty(&manifest)?)?;
            file.sync_all()?;
            Ok(manifest)
        };
        match fill() {
            Ok(manifest) => Ok((manifest, folder)),
            Err(error) => {
                let _ = fs::remove_dir_all(&folder);
                Err(error)
            }
        }
    }

    /// The folder of a session, whose id is a name and no path.
    fn of(&self, session: &str) -> io::Result<PathBuf> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if session.is_empty() || !session.chars().all(plain) {
            let text = format!("{session:?} is not the id of a session");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        Ok(self.folder.join(session))
    }
}

/// A folder with the number after the highest one.
fn new_folder(of_session: &Path) -> io::Result<(u32, PathBuf)> {
    let taken = fs::read_dir(of_session)?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .max()
        .unwrap_or_default();
    for number in taken.saturating_add(1).. {
        let folder = of_session.join(number.to_string());
        match fs::create_dir(&folder) {
            Ok(()) => return Ok((number, folder)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests;
