//! The `structuredPatch` of an edit (PROTOCOL 5.2).

use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

/// The hunks between two texts, three lines of context around each.
pub fn structured(old: &str, new: &str) -> Value {
    let diff = TextDiff::from_lines(old, new);
    let mut hunks = Vec::new();
    for group in diff.grouped_ops(3) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let (old_start, new_start) = (first.old_range().start, first.new_range().start);
        let mut lines = Vec::new();
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            lines.push(format!(
                "{sign}{}",
                change.value().trim_end_matches(['\n', '\r'])
            ));
        }
        hunks.push(json!({
            "oldStart": old_start + 1,
            "oldLines": last.old_range().end - old_start,
            "newStart": new_start + 1,
            "newLines": last.new_range().end - new_start,
            "lines": lines
        }));
    }
    json!(hunks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_a_hunk_with_context() {
        let old = "a\nb\nc\nd\ne\nf\ng\n";
        let patch = structured(old, &old.replace("d\n", "D\nDD\n"));
        assert_eq!(patch[0]["oldStart"], 1);
        assert_eq!(
            (&patch[0]["oldLines"], &patch[0]["newLines"]),
            (&json!(7), &json!(8))
        );
        assert_eq!(
            patch[0]["lines"],
            json!([" a", " b", " c", "-d", "+D", "+DD", " e", " f", " g"])
        );
    }

    #[test]
    fn no_change_is_no_hunk() {
        assert_eq!(structured("a\n", "a\n"), json!([]));
    }
}
