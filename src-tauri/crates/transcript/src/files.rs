//! The text of files, as whoever calls can read it.

/// Where a diff gets the file from. The pure code asks, it never reads by itself.
pub trait Files {
    /// The file's text as it is now; nothing if there is no such file, or if it is no text.
    fn read(&self, path: &str) -> Option<String>;
}

/// No file can be read: diffs come from the strings of the call alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> Option<String> {
        None
    }
}
