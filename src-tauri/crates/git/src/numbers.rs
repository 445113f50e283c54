//! How many lines of a file were added and removed: what git counts, and, of files that it does not know, what is in them.

use std::collections::HashMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;

/// Bytes of one file that are counted, and of all together.
const FILE_MAX: u64 = 1 << 20;
const ALL_MAX: u64 = 16 << 20;

/// The lines of one file; nothing where git says that it is binary.
pub(super) type Counted = Option<(u32, u32)>;

/// `git diff --numstat -z`, by the name that the file has now.
pub(super) fn read(said: &[u8]) -> HashMap<Vec<u8>, Counted> {
    let mut counts = HashMap::new();
    let mut records = said.split(|byte| *byte == 0);
    while let Some(record) = records.next() {
        let mut fields = record.splitn(3, |byte| *byte == b'\t');
        let (Some(added), Some(removed), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let path = if path.is_empty() {
            // Renamed: the two names are records of their own.
            let (_, Some(new)) = (records.next(), records.next()) else {
                break;
            };
            new
        } else {
            path
        };
        let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<u32>().ok();
        counts.insert(path.to_vec(), number(added).zip(number(removed)));
    }
    counts
}

/// How much is still to be read of files that git does not count.
pub(super) struct Budget(u64);

/// What a file that is all new holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Lines(u32),
    Binary,
    /// Too large to be counted, or not to be read.
    Unknown,
}

impl Default for Budget {
    fn default() -> Self {
        Self(ALL_MAX)
    }
}

impl Budget {
    pub(super) fn count(&mut self, file: &Path) -> Content {
        let Ok(meta) = fs::symlink_metadata(file) else {
            return Content::Unknown;
        };
        if meta.is_symlink() {
            return Content::Lines(1);
        }
        // A pipe would be waited for.
        if !meta.is_file() || meta.len() > FILE_MAX.min(self.0) {
            return Content::Unknown;
        }
        self.0 -= meta.len();
        let mut bytes = Vec::new();
        let read =
            fs::File::open(file).and_then(|open| open.take(FILE_MAX).read_to_end(&mut bytes));
        if read.is_err() {
            return Content::Unknown;
        }
        if is_binary(&bytes) {
            return Content::Binary;
        }
        let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
        let open = bytes.last().is_some_and(|last| *last != b'\n');
        Content::Lines(u32::try_from(ends).unwrap_or(u32::MAX) + u32::from(open))
    }
}

/// As git decides it: by a zero among the first bytes.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8_000).any(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn numbers_are_read_by_name() {
        let said = b"3\t1\tsrc/a.rs\0-\t-\tpic.png\x002\t0\t\0old\0new\0\x000\t0\todd\tname\0";
        let counts = read(said);
        assert_eq!(counts.len(), 4);
        assert_eq!(counts[&b"src/a.rs"[..]], Some((3, 1)));
        assert_eq!(counts[&b"pic.png"[..]], None);
        assert_eq!(counts[&b"new"[..]], Some((2, 0)));
        assert_eq!(counts[&b"odd\tname"[..]], Some((0, 0)));
    }

    #[test]
    fn new_files_are_counted_as_far_as_they_are_small() {
        let home = tempfile::tempdir().unwrap();
        let write = |name: &str, content: &[u8]| {
            let file = home.path().join(name);
            fs::write(&file, content).unwrap();
            file
        };
        let mut budget = Budget::default();
        assert_eq!(budget.count(&write("a", b"x\ny")), Content::Lines(2));
        assert_eq!(budget.count(&write("b", b"")), Content::Lines(0));
        assert_eq!(budget.count(&write("c", b"x\0\n")), Content::Binary);
        assert_eq!(budget.count(home.path()), Content::Unknown);
        assert_eq!(budget.count(&home.path().join("gone")), Content::Unknown);
        let large = vec![b'\n'; usize::try_from(FILE_MAX).unwrap() + 1];
        assert_eq!(budget.count(&write("d", &large)), Content::Unknown);
        budget.0 = 2;
        assert_eq!(budget.count(&write("a", b"x\ny")), Content::Unknown);
    }
}
