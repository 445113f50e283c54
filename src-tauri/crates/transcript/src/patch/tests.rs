#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::diff::{self, between, of_new_file};

fn without(diff: &str, now: &str, hunks: Option<&[usize]>) -> Result<Option<String>, Refused> {
    Ok(parse(diff)?.take_back(Some(now), hunks)?.text)
}

fn all_back(diff: &str, now: &str) -> Result<Option<String>, Refused> {
    without(diff, now, None)
}

fn text_of(lines: &'static [&'static str], end: &'static str) -> impl Strategy<Value = String> {
    let line = prop::sample::select(lines);
    (prop::collection::vec(line, 0..40), any::<bool>()).prop_map(move |(lines, open)| {
        let mut text: String = lines.iter().flat_map(|line| [*line, end]).collect();
        if open {
            text.push_str("last");
        }
        text
    })
}

const ODD: &[&str] = &[
    "a",
    "b",
    "c",
    "",
    " ",
    "--- a",
    "+++ b",
    "@@ -1 +1 @@",
    "\\",
    "x\ry",
    "diff --git a/x b/x",
];

fn two_texts() -> impl Strategy<Value = (String, String)> {
    prop::sample::select(vec!["\n", "\r\n"])
        .prop_flat_map(|end| (text_of(ODD, end), text_of(ODD, end)))
}

/// The old text with some of the diff's hunks, each where its old side is.
fn with_only(old: &str, patch: &Patch, kept: &BTreeSet<usize>) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut out, mut at) = (String::new(), 0);
    for (index, hunk) in patch.sections[0].hunks.iter().enumerate() {
        let count = hunk.old_side().count();
        let from = if count == 0 {
            hunk.old_start
        } else {
            hunk.old_start - 1
        };
        out.push_str(&old[at..from].concat());
        if kept.contains(&index) {
            for line in hunk.new_side() {
                out.push_str(&line.text);
                out.push_str(if line.newline { "\n" } else { "" });
            }
        } else {
            out.push_str(&old[from..from + count].concat());
        }
        at = from + count;
    }
    out.push_str(&old[at..].concat());
    out
}

/// A long text of lines that are all different, some of them changed, taken out or put in.
fn edited_lines() -> impl Strategy<Value = (String, String)> {
    prop::collection::vec(
        prop::sample::select(vec![0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]),
        1..150,
    )
    .prop_map(|acts| {
        let (mut old, mut new) = (String::new(), String::new());
        for (number, act) in acts.iter().enumerate() {
            let line = format!("line {number}\n");
            if *act != 3 {
                old.push_str(&line);
            }
            match act {
                0 | 3 => new.push_str(&line),
                1 => new.push_str(&format!("changed {number}\n")),
                _ => {}
            }
        }
        (old, new)
    })
}

proptest! {
    #[test]
    fn a_whole_diff_taken_back_gives_the_old_file_byte_for_byte((old, new) in two_texts()) {
        let diff = between("f", &old, &new, 1).text;
        // A text without an end of a line does not say which ends its lines had.
        let says_ends = !old.contains("\r\n") || new.contains("\r\n");
        prop_assume!(!diff.is_empty() && says_ends);
        let before = parse(&diff).unwrap().take_back(Some(&new), None).unwrap();
        prop_assert_eq!(before.text.as_deref(), Some(&*old));
        prop_assert!(before.in_place);
    }

    #[test]
    fn some_hunks_taken_back_leave_exactly_the_others((old, new) in edited_lines(), picks in any::<u64>()) {
        let diff = between("f", &old, &new, 1).text;
        prop_assume!(!diff.is_empty());
        let patch = parse(&diff).unwrap();
        let (taken, kept): (Vec<usize>, Vec<usize>) =
            (0..patch.hunks()).partition(|index| picks >> (index % 64) & 1 == 1);
        prop_assume!(!taken.is_empty());
        let left = patch.take_back(Some(&new), Some(&taken)).unwrap();
        prop_assert_eq!(left.text.unwrap(), with_only(&old, &patch, &kept.into_iter().collect()));
    }

    #[test]
    fn a_chain_of_edits_is_taken_back_as_a_whole(texts in prop::collection::vec(text_of(ODD, "\n"), 2..5)) {
        let diffs: Vec<String> = texts.windows(2).map(|pair| between("f", &pair[0], &pair[1], 1).text).collect();
        let diff = diffs.concat();
        prop_assume!(!diff.is_empty());
        let before = parse(&diff).unwrap().take_back(texts.last().map(String::as_str), None).unwrap();
        prop_assert_eq!(before.text.as_deref(), texts.first().map(String::as_str));
        prop_assert!(before.in_place);
    }

    #[test]
    fn hunks_that_moved_are_found_by_their_lines((old, new) in edited_lines(), above in 1..30usize) {
        let diff = between("f", &old, &new, 1).text;
        prop_assume!(!diff.is_empty() && !new.is_empty());
        let more: String = (0..above).map(|number| format!("above {number}\n")).collect();
        let before = parse(&diff).unwrap().take_back(Some(&format!("{more}{new}")), None).unwrap();
        prop_assert_eq!(before.text.unwrap(), format!("{more}{old}"));
        prop_assert!(!before.in_place);
    }

    #[test]
    fn no_text_is_too_odd_to_be_read_or_refused(diff in "[-+ @\\\\ab0-9,\n\r]{0,200}", now in "[ab\n\r]{0,60}") {
        if let Ok(patch) = parse(&diff) {
            let _ = patch.take_back(Some(&now), None);
            let _ = patch.take_back(None, Some(&[0]));
            let _ = patch.take_back(Some(&now), Some(&[1, 0, 1]));
        }
    }

    #[test]
    fn what_is_refused_or_done_never_loses_a_line_of_somebody_else((old, new) in edited_lines(), (at, picks) in any::<(prop::sample::Index, u64)>()) {
        let diff = between("f", &old, &new, 1).text;
        prop_assume!(!diff.is_empty());
        let mut lines: Vec<&str> = new.split_inclusive('\n').collect();
        lines.insert(at.index(lines.len() + 1), "theirs\n");
        let now = lines.concat();
        let patch = parse(&diff).unwrap();
        let taken: Vec<usize> = (0..patch.hunks()).filter(|index| picks >> (index % 64) & 1 == 1).collect();
        if let Ok(before) = patch.take_back(Some(&now), Some(&taken)) {
            prop_assert!(before.text.unwrap().contains("theirs\n"));
        }
    }
}

/// The same texts as git would compare them, which says `\r` as it is.
fn as_git(old: &[&str], new: &[&str]) -> String {
    let mut diff = format!(
        "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1,{} +1,{} @@\n",
        old.len(),
        new.len()
    );
    for (sign, lines) in [('-', old), ('+', new)] {
        for line in lines {
            diff.push(sign);
            diff.push_str(line);
            if !line.ends_with('\n') {
                diff.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    diff
}

#[test]
fn a_diff_that_says_the_line_ends_is_believed() {
    let (old, new) = (["a\r\n", "b\n", "c"], ["a\n", "b\r\n", "c\n"]);
    let back = all_back(&as_git(&old, &new), &new.concat()).unwrap();
    assert_eq!(back.unwrap(), old.concat());
}

#[test]
fn a_file_whose_line_ends_were_changed_since_keeps_them() {
    let diff = between("f", "a\nold\nc\n", "a\nnew\nc\n", 1).text;
    let back = all_back(&diff, "a\r\nnew\r\nc\r\n").unwrap();
    assert_eq!(back.unwrap(), "a\r\nold\r\nc\r\n");
    let windows = as_git(&["a\r\n", "b\r\n"], &["a\r\n", "c\r\n"]);
    assert_eq!(all_back(&windows, "a\nc\n").unwrap().unwrap(), "a\nb\n");
}

#[test]
fn the_mark_at_the_beginning_of_a_text_stays() {
    let diff = between("f", "a\nb\n", "x\nb\n", 1).text;
    let back = all_back(&diff, "\u{feff}x\nb\n").unwrap();
    assert_eq!(back.unwrap(), "\u{feff}a\nb\n");
}

#[test]
fn lines_that_were_changed_again_are_refused() {
    let diff = between("f", "a\nb\nc\n", "a\nB\nc\n", 1).text;
    assert_eq!(all_back(&diff, "a\nBB\nc\n"), Err(Refused::NotThere(0)));
    assert_eq!(all_back(&diff, ""), Err(Refused::NotThere(0)));
    assert_eq!(
        parse(&diff).unwrap().take_back(None, None),
        Err(Refused::Gone)
    );
}

#[test]
fn a_place_that_is_there_twice_is_refused_unless_it_is_where_the_diff_says() {
    let diff = between("f", "{\n}\n", "{\nx\n}\n", 1).text;
    let twice = "{\nx\n}\n{\nx\n}\n";
    assert_eq!(all_back(&diff, twice).unwrap().unwrap(), "{\n}\n{\nx\n}\n");
    let moved = format!("// new\n{twice}");
    assert_eq!(all_back(&diff, &moved), Err(Refused::Ambiguous(0, 2)));
}

#[test]
fn an_end_that_somebody_added_is_not_cut_off() {
    let diff = between("f", "a\nb", "a\nc", 1).text;
    assert_eq!(all_back(&diff, "a\nc").unwrap().unwrap(), "a\nb");
    assert_eq!(all_back(&diff, "a\nc\nd\n"), Err(Refused::NotThere(0)));
    let ends = between("f", "a\nb", "a\nb\n", 1).text;
    assert_eq!(all_back(&ends, "a\nb\n").unwrap().unwrap(), "a\nb");
    assert_eq!(all_back(&ends, "a\nb\nmore\n"), Err(Refused::NotThere(0)));
}

#[test]
fn a_created_file_goes_only_if_it_is_what_was_written() {
    let diff = of_new_file("f", "a\nb\n").text;
    assert_eq!(all_back(&diff, "a\nb\n"), Ok(None));
    assert_eq!(all_back(&diff, "a\r\nb\r\n"), Ok(None));
    assert_eq!(all_back(&diff, "a\nb\nc\n"), Err(Refused::NotThere(0)));
    assert_eq!(without(&diff, "a\nb\n", Some(&[0])), Ok(None));
    let later = format!("{diff}{}", between("f", "a\nb\n", "a\nB\n", 1).text);
    assert_eq!(all_back(&later, "a\nB\n"), Ok(None));
    assert_eq!(
        without(&later, "a\nB\n", Some(&[1])).unwrap().unwrap(),
        "a\nb\n"
    );
    assert_eq!(
        without(&later, "a\nB\n", Some(&[0])),
        Err(Refused::NotThere(0))
    );
}

#[test]
fn a_deleted_file_comes_back_unless_there_is_one_again() {
    let diff = "diff --git a/f b/f\ndeleted file mode 100755\nindex 1..0\n--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n\\ No newline at end of file\n";
    let patch = parse(diff).unwrap();
    assert_eq!(patch.sections[0].old_mode, Some(0o100_755));
    assert_eq!(patch.take_back(None, None).unwrap().text.unwrap(), "a\nb");
    assert_eq!(patch.take_back(Some(""), None), Err(Refused::ThereAgain));
    let empty = "diff --git a/f b/f\ndeleted file mode 100644\nindex e69de29..0000000\n";
    assert_eq!(
        parse(empty)
            .unwrap()
            .take_back(None, None)
            .unwrap()
            .text
            .unwrap(),
        ""
    );
}

#[test]
fn an_emptied_file_is_filled_again_only_while_it_is_empty() {
    let diff = between("f", "a\nb\n", "", 1).text;
    assert_eq!(all_back(&diff, "").unwrap().unwrap(), "a\nb\n");
    assert_eq!(all_back(&diff, "c\n"), Err(Refused::NotThere(0)));
}

#[test]
fn a_rename_says_both_names_and_its_lines_are_taken_back() {
    let diff = "diff --git a/old name b/new name\nsimilarity index 50%\nrename from old name\nrename to new name\nindex 1..2 100644\n--- a/old name\t\n+++ b/new name\t\n@@ -1 +1 @@\n-a\n+b\n";
    let patch = parse(diff).unwrap();
    assert_eq!(patch.renamed(), Some(("old name", "new name")));
    assert_eq!(
        patch.take_back(Some("b\n"), None).unwrap().text.unwrap(),
        "a\n"
    );
    let bare = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n";
    let patch = parse(bare).unwrap();
    assert_eq!(patch.renamed(), Some(("x", "y")));
    assert_eq!(
        patch.take_back(Some("b\n"), None).unwrap().text.unwrap(),
        "b\n"
    );
}

#[test]
fn names_are_read_as_git_and_others_write_them() {
    for (head, name) in [
        (
            "diff --git \"a/\\303\\274 \\\"q\\\"\\n\" \"b/\\303\\274 \\\"q\\\"\\n\"\n--- \"a/\\303\\274 \\\"q\\\"\\n\"\n+++ \"b/\\303\\274 \\\"q\\\"\\n\"\n",
            "ü \"q\"\n",
        ),
        ("--- /home/a b/c.rs\n+++ /home/a b/c.rs\n", "/home/a b/c.rs"),
        (
            "--- a/x.c\t2024-01-01 10:00:00\n+++ a/x.c\t2024-01-02 10:00:00\n",
            "a/x.c",
        ),
        (
            "diff --git a/b b/b b/b b/b\n--- a/b b/b\n+++ b/b b/b\n",
            "b b/b",
        ),
    ] {
        let patch = parse(&format!("{head}@@ -1 +1 @@\n-a\n+b\n")).unwrap();
        assert_eq!(patch.sections[0].new_path.as_deref(), Some(name), "{head}");
        assert_eq!(patch.renamed(), None, "{head}");
    }
}

#[test]
fn what_is_no_diff_of_one_file_is_refused() {
    let one = between("f", "a\n", "b\n", 1).text;
    let other = between("g", "a\n", "b\n", 1).text;
    assert_eq!(parse(&format!("{one}{other}")), Err(Refused::SeveralFiles));
    assert_eq!(all_back("", "a\n"), Err(Refused::Nothing));
    assert_eq!(without(&one, "b\n", Some(&[])), Err(Refused::Nothing));
    assert_eq!(
        without(&one, "b\n", Some(&[1])),
        Err(Refused::NoSuchHunk(1))
    );
    let cut = one.trim_end().strip_suffix("+b").unwrap();
    assert_eq!(parse(cut), Err(Refused::Unreadable(5)));
    assert_eq!(parse(&one.replace("-a", "?a")), Err(Refused::Unreadable(4)));
    let huge = "--- f\n+++ f\n@@ -1,99999999999999999999 +1 @@\n";
    assert_eq!(parse(huge), Err(Refused::Unreadable(3)));
    let binary = "diff --git a/f b/f\nindex 1..2 100644\nBinary files a/f and b/f differ\n";
    assert_eq!(all_back(binary, "x"), Err(Refused::Binary));
}

#[test]
fn an_earlier_edit_is_found_where_a_later_one_moved_it() {
    let texts: [String; 3] = [
        (0..40).map(|n| format!("{}\n", n % 4)).collect(),
        (0..40)
            .map(|n| {
                if n == 30 {
                    "x\n".to_owned()
                } else {
                    format!("{}\n", n % 4)
                }
            })
            .collect(),
        (0..40)
            .map(|n| match n {
                5 => "y\ny\ny\n".to_owned(),
                30 => "x\n".to_owned(),
                n => format!("{}\n", n % 4),
            })
            .collect(),
    ];
    let diff = [
        between("f", &texts[0], &texts[1], 1).text,
        between("f", &texts[1], &texts[2], 1).text,
    ]
    .concat();
    let back = parse(&diff)
        .unwrap()
        .take_back(Some(&texts[2]), Some(&[0]))
        .unwrap();
    assert!(back.in_place);
    assert_eq!(back.text.unwrap(), texts[2].replace("x\n", "2\n"));
}

#[test]
fn lines_are_counted_by_hunk() {
    let old: String = (0..30).map(|n| format!("{n}\n")).collect();
    let new = old
        .replace("\n5\n", "\nfive\nmore\n")
        .replace("\n20\n", "\n");
    let diff = between("f", &old, &new, 1).text;
    let patch = parse(&diff).unwrap();
    let (added, removed) = diff::count(&diff);
    assert_eq!(patch.counts(None), (removed, added));
    assert_eq!(patch.counts(Some(&[patch.hunks() - 1])), (1, 0));
}

#[test]
fn a_large_file_of_equal_lines_is_searched_in_time() {
    let lines = "same\n".repeat(100_000);
    let diff = between("f", &format!("{lines}a\n"), &format!("{lines}b\n"), 1).text;
    let now = format!("first\n{lines}b\n");
    assert_eq!(
        all_back(&diff, &now).unwrap().unwrap(),
        format!("first\n{lines}a\n")
    );
}

#[test]
fn numbers_that_no_file_has_are_refused() {
    for number in [
        "18446744073709551615",
        "9223372036854775807",
        "4294967296",
        "-1",
    ] {
        for range in [
            format!("-{number} +1"),
            format!("-1 +{number}"),
            format!("-1,{number} +1,{number}"),
        ] {
            let diff = format!("--- a\n+++ a\n@@ {range} @@\n-x\n+y\n");
            assert!(parse(&diff).is_err(), "{range}");
        }
    }
}

#[test]
fn lines_that_are_nearly_everywhere_are_looked_for_once() {
    let count = 60_000;
    let now = "\n".repeat(2 * count);
    let mut body = " \n".repeat(count);
    body.push_str("-old\n+new\n");
    let diff = format!(
        "--- a\n+++ a\n@@ -9,{} +9,{} @@\n{body}",
        count + 1,
        count + 1
    );
    let began = std::time::Instant::now();
    assert_eq!(all_back(&diff, &now), Err(Refused::NotThere(0)));
    let twice = now.clone() + "new\n" + &now + "new\n";
    assert_eq!(all_back(&diff, &twice), Err(Refused::Ambiguous(0, 2)));
    let once = now.clone() + "new\n" + &now;
    assert_eq!(
        all_back(&diff, &once),
        Ok(Some(now.clone() + "old\n" + &now))
    );
    // Compared one place after another these are billions of lines, which take minutes.
    assert!(began.elapsed() < std::time::Duration::from_secs(20));
}
