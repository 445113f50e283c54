//! The scratch folder: the only place where the rehearsal writes. It holds the small project that the tour is about.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

/// The project's files as they are at first.
const PROJECT: &[(&str, &[u8])] = &[
    ("README.md", include_bytes!("../tour/project/README.md")),
    (
        "package.json",
        include_bytes!("../tour/project/package.json"),
    ),
    (
        "src/tides.ts",
        include_bytes!("../tour/project/src/tides.ts"),
    ),
    (
        "src/station.ts",
        include_bytes!("../tour/project/src/station.ts"),
    ),
    (
        "src/format.ts",
        include_bytes!("../tour/project/src/format.ts"),
    ),
    ("src/cli.ts", include_bytes!("../tour/project/src/cli.ts")),
    ("src/load.ts", include_bytes!("../tour/project/src/load.ts")),
    (
        "test/tides.test.ts",
        include_bytes!("../tour/project/test/tides.test.ts"),
    ),
    (
        "data/stations.json",
        include_bytes!("../tour/project/data/stations.json"),
    ),
    (
        "docs/times.md",
        include_bytes!("../tour/project/docs/times.md"),
    ),
    (
        "docs/chart.png",
        include_bytes!("../tour/project/docs/chart.png"),
    ),
];

pub struct Scratch {
    root: PathBuf,
    /// The same without links: what a path is checked against.
    real: PathBuf,
    /// Removed at the end, if the folder is our own.
    _own: Option<TempDir>,
}

impl Scratch {
    /// The folder that the host made for the rehearsal, if it is the one we were started in; else a fresh one.
    pub fn open(made_by_host: Option<&Path>) -> io::Result<Self> {
        let here = std::env::current_dir()?;
        let made = made_by_host.and_then(|folder| folder.canonicalize().ok());
        let (root, own) = if made.is_some() && made == here.canonicalize().ok() {
            (here, None)
        } else {
            let own = tempfile::Builder::new()
                .prefix("kandev-rehearsal-")
                .tempdir()?;
            (own.path().to_owned(), Some(own))
        };
        let scratch = Self {
            real: root.canonicalize()?,
            root,
            _own: own,
        };
        for (path, bytes) in PROJECT {
            if !scratch.root.join(path).exists() {
                scratch.put(path, bytes)?;
            }
        }
        Ok(scratch)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Puts the project's own files back as they were at first. True if one had changed.
    pub fn restore(&self) -> io::Result<bool> {
        let mut changed = false;
        for (path, bytes) in PROJECT {
            if fs::read(self.root.join(path)).ok().as_deref() != Some(*bytes) {
                changed = true;
                self.put(path, bytes)?;
            }
        }
        Ok(changed)
    }

    fn put(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.resolve(path).map_err(io::Error::other)?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, bytes)
    }

    /// The file that a path names, if it is inside the folder, by its words and on the disk.
    pub fn resolve(&self, path: &str) -> Result<PathBuf, String> {
        let outside = || {
            format!(
                "{path} is outside of the rehearsal's folder; nothing was read or written there."
            )
        };
        let mut clean = PathBuf::new();
        for component in self.root.join(path).components() {
            match component {
                Component::ParentDir => {
                    clean.pop();
                }
                Component::CurDir => {}
                part => clean.push(part),
            }
        }
        if !clean.starts_with(&self.root) || clean == self.root {
            return Err(outside());
        }
        let existing = clean
            .ancestors()
            .find_map(|ancestor| ancestor.canonicalize().ok());
        // A dangling link has no target to check, and writing would follow it.
        let dangling = clean.is_symlink() && !clean.exists();
        match existing {
            Some(existing) if existing.starts_with(&self.real) && !dangling => Ok(clean),
            _ => Err(outside()),
        }
    }

    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, String> {
        let path = self.resolve(path)?;
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{}: {error}", path.display())),
        }
    }

    pub fn write(&self, path: &str, text: &str) -> Result<(), String> {
        let path = self.resolve(path)?;
        let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
        folder
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("{}: {error}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn paths_outside_are_refused() {
        let scratch = Scratch::open(None).unwrap();
        let beside = scratch.root().parent().unwrap().join("beside.txt");
        for path in [
            "../beside.txt",
            "src/../../beside.txt",
            "/etc/passwd",
            "",
            ".",
            beside.to_str().unwrap(),
        ] {
            assert!(scratch.write(path, "x").is_err(), "{path}");
        }
        assert!(!beside.exists());
        scratch.write("src/../new/deep.txt", "x").unwrap();
        assert_eq!(scratch.read("new/deep.txt").unwrap().unwrap(), b"x");
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_outside_are_not_followed() {
        let elsewhere = tempfile::tempdir().unwrap();
        let scratch = Scratch::open(None).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), scratch.root().join("out")).unwrap();
        std::os::unix::fs::symlink(
            elsewhere.path().join("not-yet"),
            scratch.root().join("dangling"),
        )
        .unwrap();
        assert!(scratch.write("out/a.txt", "x").is_err());
        assert!(scratch.write("dangling", "x").is_err());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_is_not_where_we_are_is_not_used() {
        let marked = tempfile::tempdir().unwrap();
        let scratch = Scratch::open(Some(marked.path())).unwrap();
        assert_ne!(scratch.root(), marked.path());
        assert_eq!(fs::read_dir(marked.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_project_can_be_put_back() {
        let scratch = Scratch::open(None).unwrap();
        assert!(!scratch.restore().unwrap());
        scratch.write("src/tides.ts", "gone").unwrap();
        assert!(scratch.restore().unwrap());
        assert!(
            String::from_utf8(scratch.read("src/tides.ts").unwrap().unwrap())
                .unwrap()
                .contains("nextTide")
        );
    }
}
