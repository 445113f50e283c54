#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

/// What `patch` does: the new text from the old one. Each hunk must stand where it says, on both sides.
fn applied(old: &str, diff: &str) -> String {
    let old = unix_lines(old);
    let old: Vec<&str> = lines(&old);
    let mut new: Vec<String> = Vec::new();
    let mut at = 0;
    let mut body = diff.split_inclusive('\n').skip(2).peekable();
    while let Some(head) = body.next() {
        let (old_start, old_count, new_start, new_count) = ranges(head);
        let from = if old_count == 0 {
            old_start
        } else {
            old_start - 1
        };
        new.extend(old[at..from].iter().map(|line| (*line).to_owned()));
        at = from;
        let to = if new_count == 0 {
            new_start
        } else {
            new_start - 1
        };
        assert_eq!(new.len(), to, "{head}");
        let (end, new_end) = (from + old_count, to + new_count);
        while at < end || new.len() < new_end {
            let line = body.next().unwrap();
            let (sign, text) = line.split_at(1);
            let bare = body
                .next_if(|next| next.starts_with('\\'))
                .map_or(text, |_| text.strip_suffix('\n').unwrap());
            if sign != "+" {
                assert_eq!(old[at], bare, "{head}");
                at += 1;
            }
            if sign != "-" {
                new.push(bare.to_owned());
            }
        }
    }
    new.extend(old[at..].iter().map(|line| (*line).to_owned()));
    new.concat()
}

fn ranges(head: &str) -> (usize, usize, usize, usize) {
    let mut numbers = head
        .split(['-', ',', '+', ' ', '@', '\n'])
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().unwrap());
    let mut next = || numbers.next().unwrap();
    (next(), next(), next(), next())
}

fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "a",
        "b",
        "c",
        "",
        "--- a",
        "+++ b",
        "@@ -1 +1 @@",
        "\\",
        "x\ry",
    ]);
    let end = prop::sample::select(vec!["\n", "\n", "\r\n"]);
    let lines = prop::collection::vec((line, end), 0..40);
    (lines, any::<bool>()).prop_map(|(lines, open)| {
        let mut text: String = lines.iter().flat_map(|(line, end)| [*line, *end]).collect();
        if open {
            text.push_str("last");
        }
        text
    })
}

proptest! {
    #[test]
    fn a_diff_makes_the_new_text_from_the_old_one(old in text(), new in text()) {
        let diff = between("f", &old, &new, 1);
        let (from, to) = (unix_lines(&old), unix_lines(&new));
        prop_assert_eq!(diff.text.is_empty(), from == to);
        prop_assert_eq!(diff.start_line.is_none(), from == to);
        prop_assert_eq!(applied(&old, &diff.text), &*to);
        let (added, removed) = count(&diff.text);
        prop_assert_eq!(
            lines(&from).len() as i64 - lines(&to).len() as i64,
            i64::from(removed) - i64::from(added)
        );
    }

    #[test]
    fn line_ends_do_not_change_a_diff(old in text(), new in text()) {
        let windows = |text: &str| unix_lines(text).replace('\n', "\r\n");
        let diff = between("f", &old, &new, 1);
        prop_assert!(!diff.text.contains("\r\n"));
        prop_assert_eq!(between("f", &windows(&old), &new, 1), diff.clone());
        prop_assert_eq!(between("f", &old, &windows(&new), 1), diff);
    }
}

#[test]
fn a_change_stands_with_its_lines_around_and_real_numbers() {
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let diff = between(
        "a.txt",
        old,
        &old.replace("5\n", "five\nfive and a half\n"),
        1,
    );
    let text = "--- a.txt\n+++ a.txt\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+five and a half\n 6\n 7\n 8\n";
    assert_eq!(
        diff,
        Diff {
            text: text.to_owned(),
            start_line: Some(5)
        }
    );
    assert_eq!(count(&diff.text), (2, 1));
}

#[test]
fn a_crlf_file_shows_the_change_alone() {
    let old = "one\r\ntwo\r\nthree\r\n";
    let after = crate::edit::edited(old, "two\nthree", "2\n3", false).unwrap();
    let diff = between("a.txt", old, &after, 1);
    assert_eq!(
        diff.text,
        "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n-three\n+2\n+3\n"
    );
}

#[test]
fn a_missing_newline_at_the_end_is_said() {
    let diff = between("a", "x\ny", "x\ny\n", 1);
    let text = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+y\n";
    assert_eq!(diff.text, text);
}

#[test]
fn a_new_file_is_added_whole_and_an_emptied_one_removed_whole() {
    let new = of_new_file("a", "x\ny\n");
    assert_eq!(new.text, "--- /dev/null\n+++ a\n@@ -0,0 +1,2 @@\n+x\n+y\n");
    assert_eq!(new.start_line, Some(1));
    let gone = between("a", "x\ny\n", "", 1);
    assert_eq!(gone.text, "--- a\n+++ a\n@@ -1,2 +0,0 @@\n-x\n-y\n");
    assert_eq!(gone.start_line, Some(1));
    assert_eq!(of_new_file("a", ""), Diff::default());
}

#[test]
fn the_cli_s_own_patch_is_kept_line_by_line() {
    let lines = [" }", " ", "-old\r", "+new", "\\ No newline at end of file"];
    let hunk = Hunk {
        old_start: 3,
        old_lines: 3,
        new_start: 4,
        new_lines: 3,
        lines: lines.map(str::to_owned).to_vec(),
    };
    let text = "--- a\n+++ a\n@@ -3,3 +4,3 @@\n }\n \n-old\n+new\n\\ No newline at end of file\n";
    let diff = from_patch("a", &[hunk]);
    assert_eq!((diff.text.as_str(), diff.start_line), (text, Some(6)));
    assert_eq!(from_patch("a", &[]), Diff::default());
}

#[test]
fn lines_that_look_like_headers_are_counted_as_lines() {
    let diff = between("a", "-- x\n", "++ y\n@@ -1 +1 @@\n", 1);
    assert_eq!(count(&diff.text), (2, 1));
}

#[test]
fn large_texts_are_compared_in_near_linear_work() {
    let numbered = |n: usize| format!("line {n}\n");
    let old: String = (0..60_000).map(numbered).collect();
    let scattered: String = (0..60_000)
        .map(|n| {
            if n % 9_000 == 5 {
                format!("changed {n}\n")
            } else {
                numbered(n)
            }
        })
        .collect();
    let diff = between("a", &old, &scattered, 1);
    assert_eq!(count(&diff.text), (7, 7));
    assert_eq!(applied(&old, &diff.text), scattered);
    let reversed: String = (0..60_000).rev().map(numbered).collect();
    assert_eq!(
        applied(&old, &between("a", &old, &reversed, 1).text),
        reversed
    );
    let other = "same\n".repeat(30_000);
    assert_eq!(count(&between("a", &old, &other, 1).text), (30_000, 60_000));
}
