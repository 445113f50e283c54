//! `git status --porcelain=v2 --branch -z`, read: pure.

use std::collections::HashMap;

use crate::GitStatus;

/// What it says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) branch: Option<String>,
    pub(super) head: Option<String>,
    /// By name, each once.
    pub(super) entries: Vec<Entry>,
}

/// One file; names are from the repository's root, as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) path: Vec<u8>,
    pub(super) old_path: Option<Vec<u8>>,
    /// The index has the earlier name no more.
    pub(super) move_staged: bool,
    pub(super) status: GitStatus,
    pub(super) staged: bool,
    pub(super) unstaged: bool,
}

pub(super) fn read(said: &[u8]) -> Status {
    let mut status = Status::default();
    let mut records = said
        .split(|byte| *byte == 0)
        .filter(|record| !record.is_empty());
    while let Some(record) = records.next() {
        match record {
            [b'#', b' ', header @ ..] => read_header(header, &mut status),
            [b'?', b' ', path @ ..] => status.entries.push(Entry {
                path: path.to_vec(),
                old_path: None,
                move_staged: false,
                status: GitStatus::Untracked,
                staged: false,
                unstaged: true,
            }),
            [b'1', b' ', rest @ ..] => status.entries.extend(ordinary(rest, 6, None)),
            // The earlier name is a record of its own.
            [b'2', b' ', rest @ ..] => {
                let old = records.next();
                status.entries.extend(ordinary(rest, 7, old));
            }
            [b'u', b' ', rest @ ..] => {
                if let Some(path) = last_of(rest, 9) {
                    status.entries.push(Entry {
                        path: path.to_vec(),
                        old_path: None,
                        move_staged: false,
                        status: GitStatus::Conflict,
                        staged: false,
                        unstaged: true,
                    });
                }
            }
            _ => {}
        }
    }
    status.entries = once_each(std::mem::take(&mut status.entries));
    status
}

/// `git diff --cached --raw -z`: what is staged.
pub(super) fn read_raw(said: &[u8]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut records = said.split(|byte| *byte == 0);
    while let (Some(head), Some(path)) = (records.next(), records.next()) {
        let kind = last_of(head, 4).and_then(<[u8]>::first).copied();
        let moved = matches!(kind, Some(b'R' | b'C'));
        let (old, path) = if moved {
            let Some(new) = records.next() else { break };
            (Some(path), new)
        } else {
            (None, path)
        };
        let status = match kind {
            Some(b'A' | b'C') => GitStatus::Added,
            Some(b'D') => GitStatus::Deleted,
            Some(b'R') => GitStatus::Renamed,
            Some(b'U') => GitStatus::Conflict,
            Some(_) => GitStatus::Modified,
            None => continue,
        };
        entries.push(Entry {
            path: path.to_vec(),
            old_path: old.filter(|_| kind == Some(b'R')).map(<[u8]>::to_vec),
            move_staged: kind == Some(b'R'),
            status,
            staged: status != GitStatus::Conflict,
            unstaged: status == GitStatus::Conflict,
        });
    }
    entries
}

fn read_header(header: &[u8], status: &mut Status) {
    let header = String::from_utf8_lossy(header);
    match header.split_once(' ') {
        Some(("branch.oid", "(initial)")) | Some(("branch.head", "(detached)")) => {}
        Some(("branch.oid", oid)) => status.head = Some(oid.to_owned()),
        Some(("branch.head", name)) => status.branch = Some(name.to_owned()),
        _ => {}
    }
}

/// What comes after so many fields that end with a space.
fn last_of(rest: &[u8], fields: usize) -> Option<&[u8]> {
    rest.splitn(fields + 1, |byte| *byte == b' ').nth(fields)
}

fn ordinary(rest: &[u8], between: usize, old: Option<&[u8]>) -> Option<Entry> {
    let (index, files) = (*rest.first()?, *rest.get(1)?);
    let path = last_of(rest, between + 1)?.to_vec();
    // A copy is a file that is new.
    let renamed = index == b'R' || files == b'R';
    let status = match (index, files) {
        (b'A' | b'C', _) | (b'.', b'A' | b'C') => GitStatus::Added,
        _ if renamed => GitStatus::Renamed,
        (b'D', _) | (_, b'D') => GitStatus::Deleted,
        _ => GitStatus::Modified,
    };
    Some(Entry {
        path,
        old_path: old.filter(|_| renamed).map(<[u8]>::to_vec),
        move_staged: index == b'R',
        status,
        staged: index != b'.',
        unstaged: files != b'.',
    })
}

/// A file whose deletion is staged and that is there again is told twice: as deleted, and as untracked.
fn once_each(entries: Vec<Entry>) -> Vec<Entry> {
    let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut out: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries {
        match places.get(&entry.path) {
            Some(&place) => {
                let known = &mut out[place];
                known.staged |= entry.staged;
                known.unstaged |= entry.unstaged;
                if known.status == GitStatus::Deleted {
                    known.status = GitStatus::Modified;
                }
            }
            None => {
                places.insert(entry.path.clone(), out.len());
                out.push(entry);
            }
        }
    }
    out.sort_by(|a, b| a.path.cmp(&b.path));
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn entries(said: &str) -> Vec<(String, Option<String>, GitStatus, bool, bool)> {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        read(said.as_bytes())
            .entries
            .into_iter()
            .map(|entry| {
                let old = entry.old_path.map(text);
                (
                    text(entry.path),
                    old,
                    entry.status,
                    entry.staged,
                    entry.unstaged,
                )
            })
            .collect()
    }

    #[test]
    fn each_kind_of_record_is_read() {
        let said = "# branch.oid 1234\0# branch.head topic/x\0# branch.ab +1 -0\0\
            1 .M N... 100644 100644 100644 a b src/a b.rs\0\
            1 A. N... 000000 100644 100644 0 b new\nline\0\
            1 D. N... 100644 000000 000000 a 0 gone\0\
            1 AM N... 0 0 0 0 0 both\0\
            1 .T N... 0 0 0 0 0 link\0\
            2 R. N... 100644 100644 100644 a b R100 to\0from\0\
            2 C. N... 100644 100644 100644 a b C100 copy\0of\0\
            u UU N... 100644 100644 100644 100644 a b c torn\0\
            ? free \"q\"\0? nested/\0! ignored\0";
        use GitStatus::*;
        let own = |text: &str| text.to_owned();
        assert_eq!(
            entries(said),
            [
                (own("both"), None, Added, true, true),
                (own("copy"), None, Added, true, false),
                (own("free \"q\""), None, Untracked, false, true),
                (own("gone"), None, Deleted, true, false),
                (own("link"), None, Modified, false, true),
                (own("nested/"), None, Untracked, false, true),
                (own("new\nline"), None, Added, true, false),
                (own("src/a b.rs"), None, Modified, false, true),
                (own("to"), Some(own("from")), Renamed, true, false),
                (own("torn"), None, Conflict, false, true),
            ]
        );
        let status = read(said.as_bytes());
        assert_eq!(status.branch.as_deref(), Some("topic/x"));
        assert_eq!(status.head.as_deref(), Some("1234"));
    }

    #[test]
    fn no_branch_and_no_commit_are_none() {
        let status = read(b"# branch.oid (initial)\0# branch.head main\0");
        assert_eq!(
            (status.head, status.branch.as_deref()),
            (None, Some("main"))
        );
        let status = read(b"# branch.oid 12\0# branch.head (detached)\0");
        assert_eq!((status.head.as_deref(), status.branch), (Some("12"), None));
    }

    #[test]
    fn a_deleted_file_that_is_there_again_is_one() {
        let said = "1 D. N... 100644 000000 000000 a 0 x\0? x\0";
        assert_eq!(
            entries(said),
            [("x".to_owned(), None, GitStatus::Modified, true, true)]
        );
    }

    #[test]
    fn what_is_staged_is_read() {
        let said = b":100644 100644 a b M\0x y\0:100644 100644 a b R090\0from\0to\0:000000 100644 0 b A\0new\0";
        let names: Vec<_> = read_raw(said)
            .into_iter()
            .map(|entry| (String::from_utf8(entry.path).unwrap(), entry.status))
            .collect();
        let own = |text: &str| text.to_owned();
        assert_eq!(
            names,
            [
                (own("x y"), GitStatus::Modified),
                (own("to"), GitStatus::Renamed),
                (own("new"), GitStatus::Added)
            ]
        );
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        for odd in [
            "", "\0\0", "1", "1 ", "1 .", "2 R. a", "u UU a b", "x y z", "# ", "?",
        ] {
            assert_eq!(entries(odd), [], "{odd:?}");
        }
    }
}
