//! What the edits of one turn changed, file by file.

use indexmap::IndexMap;

use crate::detail::{ModifyFile, NormalizedPayload};
use crate::diff;
use crate::event::ChangedFile;

/// Up to this length each change of the diff is told, in bytes.
const SMALL: usize = 64 << 10;

/// The files that Edit, MultiEdit, Write and NotebookEdit changed since the turn began, subagents' edits too.
#[derive(Debug, Clone, Default)]
pub struct TurnDiff {
    files: IndexMap<String, Counts>,
    diff: String,
    /// How long the diff was when it was last told.
    told: usize,
    /// It has changed since.
    changed: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    added: u32,
    removed: u32,
}

impl TurnDiff {
    /// Takes in a finished call that did not fail. Says whether it was an edit, so that the turn's diff is another now.
    pub fn record(&mut self, call: &NormalizedPayload) -> bool {
        let NormalizedPayload::ModifyFile { modify_file } = call else {
            return false;
        };
        let ModifyFile {
            file_path,
            resolved_path,
            mutations,
            error,
        } = modify_file;
        if error.is_some() {
            return false;
        }
        let path = resolved_path.as_ref().unwrap_or(file_path);
        let counts = self.files.entry(path.clone()).or_default();
        for text in mutations
            .iter()
            .filter_map(|mutation| mutation.diff.as_deref())
        {
            let (added, removed) = diff::count(text);
            counts.added += added;
            counts.removed += removed;
            self.diff.push_str(text);
        }
        self.changed = true;
        true
    }

    /// Whether a change is to be told now. A large diff waits until it has grown by a quarter, or until the turn is over:
    /// told whole at each of its edits, a long turn would say far more than it did.
    pub fn is_due(&mut self, over: bool) -> bool {
        let length = self.diff.len();
        let due = self.changed && (over || length < SMALL || length - self.told >= self.told / 4);
        if due {
            self.told = length;
            self.changed = false;
        }
        due
    }

    /// In the order of their first change.
    pub fn files(&self) -> Vec<ChangedFile> {
        let file = |(path, counts): (&String, &Counts)| ChangedFile {
            path: path.clone(),
            added: counts.added,
            removed: counts.removed,
        };
        self.files.iter().map(file).collect()
    }

    /// The edits' diffs one after the other: a file that was edited twice stands in it twice.
    pub fn diff(&self) -> &str {
        &self.diff
    }

    /// Starts the next turn.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detail::{Mutation, MutationType};

    fn edit(path: &str, resolved: Option<&str>, diffs: &[&str]) -> NormalizedPayload {
        let mutation = |diff: &&str| Mutation {
            mutation: MutationType::Patch,
            content: None,
            old_content: None,
            new_content: None,
            diff: Some((*diff).to_owned()),
            start_line: Some(1),
        };
        NormalizedPayload::ModifyFile {
            modify_file: ModifyFile {
                file_path: path.to_owned(),
                mutations: diffs.iter().map(mutation).collect(),
                resolved_path: resolved.map(str::to_owned),
                error: None,
            },
        }
    }

    fn file(path: &str, added: u32, removed: u32) -> ChangedFile {
        ChangedFile {
            path: path.to_owned(),
            added,
            removed,
        }
    }

    const ONE: &str = "--- /a\n+++ /a\n@@ -1,1 +1,2 @@\n+x\n y\n";
    const TWO: &str = "--- /a\n+++ /a\n@@ -1,2 +1,1 @@\n-x\n-y\n+z\n";

    #[test]
    fn edits_of_a_turn_add_up_by_file() {
        let mut turn = TurnDiff::default();
        assert!(turn.record(&edit("/a", None, &[ONE])));
        assert!(turn.record(&edit("b", Some("/b"), &[])));
        assert!(turn.record(&edit("/a", None, &[TWO])));
        assert_eq!(turn.files(), [file("/a", 2, 2), file("/b", 0, 0)]);
        assert_eq!(turn.diff(), [ONE, TWO].concat());
    }

    #[test]
    fn several_changes_of_one_call_count_all() {
        let mut turn = TurnDiff::default();
        assert!(turn.record(&edit("/a", None, &[ONE, TWO])));
        assert_eq!(turn.files(), [file("/a", 2, 2)]);
    }

    #[test]
    fn other_calls_and_edits_that_were_not_made_change_nothing() {
        let mut turn = TurnDiff::default();
        let refused = ModifyFile {
            error: Some("no".to_owned()),
            ..ModifyFile::default()
        };
        assert!(!turn.record(&NormalizedPayload::ModifyFile {
            modify_file: refused
        }));
        let read_file = Default::default();
        assert!(!turn.record(&NormalizedPayload::ReadFile { read_file }));
        assert_eq!((turn.files(), turn.diff()), (vec![], ""));
    }

    #[test]
    fn a_turn_of_many_edits_says_little_more_than_its_diff() {
        let mut turn = TurnDiff::default();
        let (mut said, mut times) = (0, 0);
        for number in 0..20_000 {
            assert!(turn.record(&edit("/a", None, &[ONE])));
            if turn.is_due(number == 19_999) {
                said += turn.diff().len();
                times += 1;
            }
        }
        assert!(!turn.is_due(true), "the last change was told");
        let small = SMALL * SMALL / ONE.len() / 2;
        assert!(said < small + 8 * turn.diff().len(), "{said}");
        assert!(times > SMALL / ONE.len(), "each small change is told");
    }

    #[test]
    fn the_next_turn_begins_with_nothing() {
        let mut turn = TurnDiff::default();
        turn.record(&edit("/a", None, &[ONE]));
        turn.clear();
        assert_eq!((turn.files(), turn.diff()), (vec![], ""));
    }
}
