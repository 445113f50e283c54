//! How much all snapshots together may take.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Removes the oldest snapshots until all of them take no more than the limit, but not `newest`.
pub(super) fn keep_within(folder: &Path, limit: u64, newest: &Path) -> io::Result<()> {
    let mut snapshots = Vec::new();
    for session in folders(folder)? {
        for snapshot in folders(&session)? {
            snapshots.push(measure(snapshot)?);
        }
    }
    let mut total: u64 = snapshots.iter().map(|(_, size, _)| size).sum();
    snapshots.sort();
    for (_, size, snapshot) in snapshots {
        if total <= limit {
            break;
        }
        if snapshot != newest {
            fs::remove_dir_all(&snapshot)?;
            // Its number stays taken: a journal may name it.
            fs::create_dir(&snapshot)?;
            total -= size;
        }
    }
    Ok(())
}

fn folders(parent: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        }
    }
    Ok(folders)
}

/// When it was last written, its bytes, and where it is.
fn measure(snapshot: PathBuf) -> io::Result<(SystemTime, u64, PathBuf)> {
    let mut size = 0;
    for entry in fs::read_dir(&snapshot)? {
        size += entry?.metadata()?.len();
    }
    let written = fs::metadata(&snapshot)?.modified()?;
    Ok((written, size, snapshot))
}
