//! Which processes hang under which: a snapshot of the system's table, and the members of one tree in it.

use std::collections::HashSet;

/// One row of the process table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    /// When it started, in the system's own words: a number used again has another birth.
    pub(crate) born: String,
}

/// The whole table, as far as it can be read.
#[cfg(target_os = "linux")]
pub(crate) fn snapshot() -> Vec<Entry> {
    let Ok(folders) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    folders
        .filter_map(Result::ok)
        .filter(|folder| {
            folder
                .file_name()
                .to_str()
                .is_some_and(|name| name.bytes().all(|b| b.is_ascii_digit()))
        })
        .filter_map(|folder| std::fs::read(folder.path().join("stat")).ok())
        .filter_map(|stat| parse_stat(&String::from_utf8_lossy(&stat)))
        .collect()
}

/// The whole table, as far as it can be read.
#[cfg(not(target_os = "linux"))]
pub(crate) fn snapshot() -> Vec<Entry> {
    let listing = std::process::Command::new("/bin/ps")
        .args(["-axo", "pid=,ppid=,pgid=,lstart="])
        .env("LC_ALL", "C")
        .stderr(std::process::Stdio::null())
        .output();
    listing.map_or_else(
        |_| Vec::new(),
        |listing| {
            String::from_utf8_lossy(&listing.stdout)
                .lines()
                .filter_map(parse_ps)
                .collect()
        },
    )
}

/// A line of `/proc/PID/stat`. The name in parentheses may itself hold spaces and parentheses.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn parse_stat(stat: &str) -> Option<Entry> {
    let pid = stat.split_once(' ')?.0.parse().ok()?;
    let after_name = &stat[stat.rfind(')')? + 1..];
    let mut fields = after_name.split_ascii_whitespace().skip(1);
    let mut next = || fields.next()?.parse::<i32>().ok();
    let (parent, group, session) = (next()?, next()?, next()?);
    // proc_pid_stat(5): starttime is field 22, and the session was field 6.
    let born = fields.nth(15)?.to_owned();
    Some(Entry {
        pid,
        parent,
        group,
        session,
        born,
    })
}

/// A line of `ps -o pid=,ppid=,pgid=,lstart=`.
#[cfg_attr(target_os = "linux", allow(dead_code))]
fn parse_ps(line: &str) -> Option<Entry> {
    let mut fields = line.split_ascii_whitespace();
    let mut next = || fields.next()?.parse::<i32>().ok();
    let (pid, parent, group) = (next()?, next()?, next()?);
    let born = fields.collect::<Vec<_>>().join(" ");
    Some(Entry {
        pid,
        parent,
        group,
        session: 0,
        born,
    })
}

/// All below `root`, and all in the process group that `root` leads; not `root` itself.
pub(crate) fn below(table: &[Entry], root: i32) -> Vec<&Entry> {
    let mut members: HashSet<i32> = HashSet::from([root]);
    loop {
        let before = members.len();
        for entry in table {
            if members.contains(&entry.parent) || entry.group == root {
                members.insert(entry.pid);
            }
        }
        if members.len() == before {
            break;
        }
    }
    table
        .iter()
        .filter(|entry| entry.pid != root && members.contains(&entry.pid))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn entry(pid: i32, parent: i32, group: i32) -> Entry {
        Entry {
            pid,
            parent,
            group,
            session: group,
            born: String::new(),
        }
    }

    fn pids(table: &[Entry], root: i32) -> Vec<i32> {
        below(table, root).iter().map(|entry| entry.pid).collect()
    }

    #[test]
    fn a_stat_line_is_read_whatever_the_name_holds() {
        let line =
            "4242 (a) b (c) S 17 4242 4200 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 1000 200";
        assert_eq!(
            parse_stat(line).unwrap(),
            Entry {
                pid: 4242,
                parent: 17,
                group: 4242,
                session: 4200,
                born: "987654".to_owned()
            }
        );
        assert_eq!(parse_stat("4242 (cut"), None);
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn a_ps_line_is_read() {
        let line = "  501     1   501 Mon Nov 30 03:40:12 2026";
        let entry = parse_ps(line).unwrap();
        assert_eq!((entry.pid, entry.parent, entry.group), (501, 1, 501));
        assert_eq!(entry.born, "Mon Nov 30 03:40:12 2026");
    }

    #[test]
    fn the_tree_holds_children_of_children_and_orphans_of_the_group() {
        let table = [
            entry(1, 0, 1),
            entry(30, 20, 30), // listed before its parent, and in a group of its own
            entry(10, 1, 10),
            entry(20, 10, 10),
            entry(40, 1, 10), // its parent died, its group stayed
            entry(50, 1, 50),
        ];
        assert_eq!(pids(&table, 10), [30, 20, 40]);
        assert_eq!(pids(&table, 50), Vec::<i32>::new());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_snapshot_has_this_process() {
        let me = i32::try_from(std::process::id()).unwrap();
        assert!(
            snapshot()
                .iter()
                .any(|entry| entry.pid == me && !entry.born.is_empty())
        );
    }
}
