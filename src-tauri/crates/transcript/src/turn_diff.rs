//! What the edits of one turn changed, file by file.

use indexmap::IndexMap;

use crate::detail::{ModifyFile, NormalizedPayload};
use crate::diff;
use crate::event::ChangedFile;

/// The files that Edit, MultiEdit, Write and NotebookEdit changed since the turn began, subagents' edits too.
#[derive(Debug, Clone, Default)]
pub struct TurnDiff {
    files: IndexMap<String, Counts>,
    diff: String,
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
        true
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
