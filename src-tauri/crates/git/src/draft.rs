//! The message for a commit, from what is known: the session's title and the staged files. Pure.

use crate::{GitFile, GitStatus};

/// Characters of a subject.
const SUBJECT: usize = 72;
/// Files that are named in the text.
const NAMED: usize = 20;

/// Subject, an empty line, and the staged files; of one file that the subject names there is no more to say.
pub fn draft(title: Option<&str>, files: &[GitFile]) -> String {
    let staged: Vec<&GitFile> = files.iter().filter(|file| file.staged).collect();
    let title = title.map(one_line).filter(|title| !title.is_empty());
    let names_it = title.is_none() && staged.len() == 1;
    let subject = title.unwrap_or_else(|| of_files(&staged));
    let subject = shortened(&subject, SUBJECT);
    if staged.is_empty() || names_it {
        return subject;
    }
    let mut text = format!("{subject}\n");
    for file in staged.iter().take(NAMED) {
        text.push_str(&format!("\n- {}", line(file)));
    }
    if let Some(more @ 1..) = staged.len().checked_sub(NAMED) {
        text.push_str(&format!("\n- and {more} more"));
    }
    text
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    line.trim_end_matches(['.', '…', ':', ' ']).to_owned()
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most - 1).collect();
    // Whole words, unless there is one alone.
    let words = head.rsplit_once(' ').map_or(&*head, |(words, _)| words);
    format!("{}…", words.trim_end())
}

fn of_files(staged: &[&GitFile]) -> String {
    match staged {
        [] => String::new(),
        [one] => {
            let (verb, rest) = said(one);
            format!("{verb} {rest}")
        }
        [first, others @ ..] => {
            let verb = said(first).0;
            let same = others.iter().all(|file| said(file).0 == verb);
            let verb = if same { verb } else { "Change" };
            let count = staged.len();
            match common_folder(staged) {
                Some(folder) => format!("{verb} {count} files in {folder}"),
                None => format!("{verb} {count} files"),
            }
        }
    }
}

fn line(file: &GitFile) -> String {
    let name = plain(&file.path);
    match (file.status, &file.old_path) {
        (GitStatus::Added, _) => format!("{name} (new)"),
        (GitStatus::Deleted, _) => format!("{name} (removed)"),
        (GitStatus::Renamed, Some(old)) => format!("{name} (was {})", plain(old)),
        _ => name,
    }
}

fn said(file: &GitFile) -> (&'static str, String) {
    let name = plain(&file.path);
    match (file.status, &file.old_path) {
        (GitStatus::Added | GitStatus::Untracked, _) => ("Add", name),
        (GitStatus::Deleted, _) => ("Remove", name),
        (GitStatus::Renamed, Some(old)) => ("Rename", format!("{} to {name}", plain(old))),
        _ => ("Update", name),
    }
}

/// A name on one line.
fn plain(name: &str) -> String {
    name.replace(char::is_control, "\u{fffd}")
}

fn common_folder(files: &[&GitFile]) -> Option<String> {
    let folder = |file: &GitFile| {
        let mut parts: Vec<String> = plain(&file.path).split('/').map(str::to_owned).collect();
        parts.pop();
        parts
    };
    let mut common = folder(files.first()?);
    for file in files {
        let other = folder(file);
        let same = common
            .iter()
            .zip(&other)
            .take_while(|(a, b)| a == b)
            .count();
        common.truncate(same);
    }
    (!common.is_empty()).then(|| common.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, status: GitStatus, old: Option<&str>) -> GitFile {
        GitFile {
            path: path.to_owned(),
            old_path: old.map(str::to_owned),
            status,
            staged: true,
            unstaged: false,
            added: None,
            removed: None,
            binary: false,
        }
    }

    #[test]
    fn the_title_is_the_subject_and_the_staged_files_follow() {
        let files = [
            file("src/a.rs", GitStatus::Modified, None),
            file("src/b.rs", GitStatus::Added, None),
            file("c.rs", GitStatus::Renamed, Some("d.rs")),
            GitFile {
                staged: false,
                ..file("other", GitStatus::Modified, None)
            },
        ];
        assert_eq!(
            draft(Some("  Teach the parser\n to count. "), &files),
            "Teach the parser to count\n\n- src/a.rs\n- src/b.rs (new)\n- c.rs (was d.rs)"
        );
    }

    #[test]
    fn without_a_title_the_files_say_it() {
        let one = |status, old| draft(None, &[file("a b", status, old)]);
        assert_eq!(one(GitStatus::Modified, None), "Update a b");
        assert_eq!(one(GitStatus::Added, None), "Add a b");
        assert_eq!(one(GitStatus::Deleted, None), "Remove a b");
        assert_eq!(one(GitStatus::Renamed, Some("x")), "Rename x to a b");
        let two = [
            file("src/x/a", GitStatus::Modified, None),
            file("src/y/b", GitStatus::Modified, None),
        ];
        assert_eq!(
            draft(Some(" "), &two),
            "Update 2 files in src\n\n- src/x/a\n- src/y/b"
        );
        let mixed = [
            file("a", GitStatus::Added, None),
            file("b", GitStatus::Deleted, None),
        ];
        assert!(draft(None, &mixed).starts_with("Change 2 files\n"));
        assert_eq!(draft(None, &[]), "");
    }

    #[test]
    fn a_draft_stays_short_and_every_name_on_its_line() {
        let many: Vec<GitFile> = (0..50)
            .map(|n| file(&format!("f\n{n}"), GitStatus::Modified, None))
            .collect();
        let text = draft(Some(&"wörter ".repeat(40)), &many);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].chars().count() <= SUBJECT && lines[0].ends_with("wörter…"));
        assert_eq!((lines[1], lines.len()), ("", 2 + NAMED + 1));
        assert_eq!(lines.last(), Some(&"- and 30 more"));
        assert!(draft(Some(&"x".repeat(200)), &[]).chars().count() <= SUBJECT);
    }
}
