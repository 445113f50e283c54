//! Unified diffs: from the CLI's `structuredPatch`, or computed from two texts.
//!
//! Line ends are `\n` throughout: `\r\n` counts as `\n` when lines are matched, counted and written, so that a file with
//! CRLF gets the diff of its words. A lone `\r` is part of its line.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

use serde::Deserialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// Up to this many lines on both sides together are compared exactly, whatever they hold.
const EXACT: usize = 6_000;

/// One file's unified diff.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// `---` and `+++` lines, then the hunks. Empty if nothing differs.
    pub text: String,
    /// The first changed line of the new text, from 1.
    pub start_line: Option<u64>,
}

/// A hunk of `structuredPatch`, as the CLI has it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    pub old_start: u64,
    pub old_lines: u64,
    pub new_start: u64,
    pub new_lines: u64,
    /// Each begins with a space, `-`, `+` or `\`.
    pub lines: Vec<String>,
}

/// The diff that the CLI has computed.
pub fn from_patch(path: &str, hunks: &[Hunk]) -> Diff {
    let mut text = header(path, path);
    let mut start_line = None;
    for hunk in hunks {
        let Hunk {
            old_start,
            old_lines,
            new_start,
            new_lines,
            lines,
        } = hunk;
        push_range(
            &mut text,
            (*old_start, *old_lines),
            (*new_start, *new_lines),
        );
        for line in lines {
            text.push_str(line.trim_end_matches('\r'));
            text.push('\n');
        }
        if start_line.is_none() {
            let before = lines
                .iter()
                .take_while(|line| line.starts_with(' '))
                .count();
            start_line = Some((new_start + before as u64).max(1));
        }
    }
    if hunks.is_empty() {
        Diff::default()
    } else {
        Diff { text, start_line }
    }
}

/// The diff of a file that there was not.
pub fn of_new_file(path: &str, new: &str) -> Diff {
    compute("/dev/null", path, "", new, 1)
}

/// The diff between two texts of a file. The first line of both has the number `first_line`.
pub fn between(path: &str, old: &str, new: &str, first_line: u64) -> Diff {
    compute(path, path, old, new, first_line)
}

fn compute(old_path: &str, new_path: &str, old: &str, new: &str, first_line: u64) -> Diff {
    let (old, new) = (unix_lines(old), unix_lines(new));
    let (old, new) = (lines(&old), lines(&new));
    let mut ops = Vec::new();
    compare(&old, &new, 0..old.len(), 0..new.len(), 0, &mut ops);
    if ops.iter().all(|op| matches!(op, DiffOp::Equal { .. })) {
        return Diff::default();
    }
    let mut diff = Diff {
        text: header(old_path, new_path),
        start_line: None,
    };
    for hunk in similar::group_diff_ops(merged(ops), CONTEXT) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
            continue;
        };
        let numbered = |from: Range<usize>, to: Range<usize>| {
            let (start, count) = (from.start as u64, (to.end - from.start) as u64);
            // Where a side is empty, its number is that of the line before.
            (start + first_line - u64::from(count == 0), count)
        };
        let old_range = numbered(first.old_range(), last.old_range());
        let new_range = numbered(first.new_range(), last.new_range());
        push_range(&mut diff.text, old_range, new_range);
        for op in &hunk {
            match op {
                DiffOp::Equal { .. } => push_lines(&mut diff.text, ' ', &new[op.new_range()]),
                _ => {
                    diff.start_line
                        .get_or_insert((op.new_range().start as u64 + first_line).max(1));
                    push_lines(&mut diff.text, '-', &old[op.old_range()]);
                    push_lines(&mut diff.text, '+', &new[op.new_range()]);
                }
            }
        }
    }
    diff
}

/// The text with `\n` at the end of each line.
pub fn unix_lines(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        Cow::Owned(text.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Exact where that is cheap. Large texts that differ a lot are cut at the lines that both have exactly once; what
/// has no such line counts as replaced. So the work stays near the size of the texts. Only the lengths of the operations
/// count.
fn compare(
    old: &[&str],
    new: &[&str],
    mut a: Range<usize>,
    mut b: Range<usize>,
    depth: usize,
    ops: &mut Vec<DiffOp>,
) {
    let head = old[a.clone()]
        .iter()
        .zip(&new[b.clone()])
        .take_while(|(x, y)| x == y)
        .count();
    push_equal(ops, a.start, b.start, head);
    a.start += head;
    b.start += head;
    let tail = old[a.clone()]
        .iter()
        .rev()
        .zip(new[b.clone()].iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    a.end -= tail;
    b.end -= tail;
    if a.len() + b.len() <= EXACT || a.is_empty() || b.is_empty() {
        ops.extend(capture_diff_slices(
            Algorithm::Myers,
            &old[a.clone()],
            &new[b.clone()],
        ));
    } else {
        let anchors = if depth < 32 {
            anchors(old, new, a.clone(), b.clone())
        } else {
            Vec::new()
        };
        if anchors.is_empty() {
            ops.push(DiffOp::Replace {
                old_index: a.start,
                old_len: a.len(),
                new_index: b.start,
                new_len: b.len(),
            });
        } else {
            let (mut x, mut y) = (a.start, b.start);
            for (i, j) in anchors {
                compare(old, new, x..i, y..j, depth + 1, ops);
                push_equal(ops, i, j, 1);
                (x, y) = (i + 1, j + 1);
            }
            compare(old, new, x..a.end, y..b.end, depth + 1, ops);
        }
    }
    push_equal(ops, a.end, b.end, tail);
}

/// The longest run, in order on both sides, of lines that stand exactly once on each.
fn anchors(old: &[&str], new: &[&str], a: Range<usize>, b: Range<usize>) -> Vec<(usize, usize)> {
    let mut seen: HashMap<&str, (u32, u32, usize, usize)> = HashMap::with_capacity(a.len());
    for i in a {
        let entry = seen.entry(old[i]).or_default();
        (entry.0, entry.2) = (entry.0 + 1, i);
    }
    for j in b {
        if let Some(entry) = seen.get_mut(new[j]) {
            (entry.1, entry.3) = (entry.1 + 1, j);
        }
    }
    let mut pairs: Vec<(usize, usize)> = seen
        .into_values()
        .filter(|s| s.0 == 1 && s.1 == 1)
        .map(|s| (s.2, s.3))
        .collect();
    pairs.sort_unstable();
    // Patience sorting: `tops` holds, for each length, the pair that ends such a run soonest.
    let mut tops: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (n, pair) in pairs.iter().enumerate() {
        let at = tops.partition_point(|top| pairs[*top].1 < pair.1);
        before.push(at.checked_sub(1).map(|at| tops[at]));
        if at == tops.len() {
            tops.push(n)
        } else {
            tops[at] = n
        }
    }
    let mut run = Vec::with_capacity(tops.len());
    let mut next = tops.last().copied();
    while let Some(n) = next {
        run.push(pairs[n]);
        next = before[n];
    }
    run.reverse();
    run
}

fn push_equal(ops: &mut Vec<DiffOp>, old_index: usize, new_index: usize, len: usize) {
    if len > 0 {
        ops.push(DiffOp::Equal {
            old_index,
            new_index,
            len,
        });
    }
}

/// Equal and changed stretches in turn, each numbered from what came before it: the places in captured operations are
/// not reliable once neighbours were moved together.
fn merged(ops: Vec<DiffOp>) -> Vec<DiffOp> {
    let mut out: Vec<DiffOp> = Vec::with_capacity(ops.len());
    let (mut old_index, mut new_index) = (0, 0);
    for op in ops {
        let (old_len, new_len) = (op.old_range().len(), op.new_range().len());
        let equal = matches!(op, DiffOp::Equal { .. });
        match out.last_mut() {
            Some(DiffOp::Equal { len, .. }) if equal => *len += old_len,
            Some(DiffOp::Replace {
                old_len: old,
                new_len: new,
                ..
            }) if !equal => {
                *old += old_len;
                *new += new_len;
            }
            _ if equal => out.push(DiffOp::Equal {
                old_index,
                new_index,
                len: old_len,
            }),
            _ => out.push(DiffOp::Replace {
                old_index,
                old_len,
                new_index,
                new_len,
            }),
        }
        old_index += old_len;
        new_index += new_len;
    }
    out
}

fn header(old: &str, new: &str) -> String {
    format!("--- {old}\n+++ {new}\n")
}

fn push_range(text: &mut String, old: (u64, u64), new: (u64, u64)) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "@@ -{},{} +{},{} @@", old.0, old.1, new.0, new.1);
}

fn push_lines(text: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        text.push(sign);
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// How many lines the hunks of a unified diff add and remove.
pub fn count(diff: &str) -> (u32, u32) {
    let (mut added, mut removed) = (0, 0);
    let (mut old_left, mut new_left) = (0, 0);
    for line in diff.lines() {
        match line.as_bytes().first() {
            Some(b'@') if old_left == 0 && new_left == 0 => {
                (old_left, new_left) = sizes(line).unwrap_or_default()
            }
            Some(b' ') => {
                (old_left, new_left) = (old_left.saturating_sub(1), new_left.saturating_sub(1))
            }
            Some(b'-') if old_left > 0 => (old_left, removed) = (old_left - 1, removed + 1),
            Some(b'+') if new_left > 0 => (new_left, added) = (new_left - 1, added + 1),
            _ => {}
        }
    }
    (added, removed)
}

/// The counts in `@@ -3,6 +3,7 @@`.
fn sizes(line: &str) -> Option<(u64, u64)> {
    let mut ranges = line.strip_prefix("@@ -")?.split(' ');
    let size = |range: &str| {
        range
            .split_once(',')
            .map_or(Some(1), |(_, size)| size.parse().ok())
    };
    Some((
        size(ranges.next()?)?,
        size(ranges.next()?.strip_prefix('+')?)?,
    ))
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
