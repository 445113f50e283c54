//! NotebookEdit: a cell's source goes from one text to another, and the notebook's file with it.

use serde::{Deserialize, Serialize};
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Value, json};

use super::ToolResult;
use super::modify::{of_diff, unplaced};
use super::result::lax;
use crate::detail::{ModifyFile, Mutation, MutationType, NormalizedPayload};
use crate::diff::{self, Diff};
use crate::files::{Files, NoFiles};

#[derive(Deserialize)]
struct NotebookInput {
    notebook_path: String,
    cell_id: Option<String>,
    /// May be missing where a cell is taken out.
    new_source: Option<String>,
    cell_type: Option<String>,
    edit_mode: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NotebookData {
    #[serde(deserialize_with = "lax")]
    new_source: Option<String>,
    #[serde(deserialize_with = "lax")]
    old_source: Option<String>,
    #[serde(deserialize_with = "lax")]
    edit_mode: Option<String>,
    #[serde(deserialize_with = "lax")]
    error: Option<String>,
    #[serde(deserialize_with = "lax")]
    notebook_path: Option<String>,
    #[serde(deserialize_with = "lax")]
    original_file: Option<String>,
    #[serde(deserialize_with = "lax")]
    updated_file: Option<String>,
}

pub(super) fn start(input: &Value) -> Option<NormalizedPayload> {
    proposed(input, &NoFiles)
}

pub(super) fn proposed(input: &Value, files: &dyn Files) -> Option<NormalizedPayload> {
    let input = NotebookInput::deserialize(input).ok()?;
    let path = input.notebook_path.clone();
    let new_source = match input.edit_mode.as_deref() {
        Some("delete") => String::new(),
        _ => input.new_source.clone()?,
    };
    let change = files
        .read(&path)
        .and_then(|file| input.applied_to(&file, &new_source));
    let mutation = match change {
        Some(Change {
            old_source,
            before,
            after,
            cell,
        }) => mutation(
            old_source,
            new_source,
            in_cell(diff::between(&path, &before, &after, 1), cell.as_deref()),
        ),
        None => {
            let diff = unplaced(&path, "", &new_source);
            mutation(None, new_source, diff)
        }
    };
    let modify_file = ModifyFile {
        file_path: path,
        mutations: vec![mutation],
        ..ModifyFile::default()
    };
    Some(NormalizedPayload::ModifyFile { modify_file })
}

fn mutation(old_source: Option<String>, new_source: String, diff: Diff) -> Mutation {
    Mutation {
        old_content: old_source,
        new_content: Some(new_source),
        ..of_diff(MutationType::Patch, diff)
    }
}

struct Change {
    /// Nothing for a cell that is put in.
    old_source: Option<String>,
    before: String,
    after: String,
    /// The cell, for the heads of hunks.
    cell: Option<String>,
}

impl NotebookInput {
    /// As the tool does it: a changed code cell loses its outputs and its count.
    fn applied_to(&self, file: &str, new_source: &str) -> Option<Change> {
        let mut notebook: Value = serde_json::from_str(file).ok()?;
        let original = notebook.clone();
        let before = pretty(&notebook)?;
        let cells = notebook.get_mut("cells")?.as_array_mut()?;
        let place = self.cell_id.as_deref().map(|id| place(cells, id));
        let old_source = match self.edit_mode.as_deref() {
            Some("insert") => {
                let at = match place {
                    Some(found) => found? + 1,
                    None => 0,
                };
                cells.insert(at, self.new_cell(new_source));
                None
            }
            Some("delete") => Some(source(&cells.remove(place??))),
            _ => {
                let cell = cells.get_mut(place??)?;
                let old = source(cell);
                let fields = cell.as_object_mut()?;
                fields.insert("source".to_owned(), new_source.into());
                if let Some(kind) = &self.cell_type {
                    fields.insert("cell_type".to_owned(), kind.clone().into());
                }
                if fields.get("cell_type").and_then(Value::as_str) == Some("code") {
                    fields.insert("outputs".to_owned(), json!([]));
                    fields.insert("execution_count".to_owned(), Value::Null);
                }
                Some(old)
            }
        };
        let after = pretty(&notebook)?;
        Some(Change {
            old_source,
            cell: cell_of(&original, &notebook),
            before,
            after,
        })
    }

    fn new_cell(&self, source: &str) -> Value {
        match self.cell_type.as_deref() {
            Some("markdown") => {
                json!({ "cell_type": "markdown", "source": source, "metadata": {} })
            }
            _ => json!({
                "cell_type": "code", "source": source, "metadata": {}, "execution_count": null, "outputs": [],
            }),
        }
    }
}

/// A cell is named by its id, or, in notebooks without ids, `cell-2` by its place from 0.
fn place(cells: &[Value], id: &str) -> Option<usize> {
    let named = cells
        .iter()
        .position(|cell| cell.get("id").and_then(Value::as_str) == Some(id));
    named.or_else(|| {
        let place: usize = id.strip_prefix("cell-")?.parse().ok()?;
        (place < cells.len()).then_some(place)
    })
}

fn source(cell: &Value) -> String {
    match cell.get("source") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// As the CLI and most notebook programs write the file: one space of indentation.
fn pretty(notebook: &Value) -> Option<String> {
    let mut out = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut out, PrettyFormatter::with_indent(b" "));
    notebook.serialize(&mut serializer).ok()?;
    String::from_utf8(out).ok()
}

pub(super) fn finish(call: ModifyFile, result: &ToolResult<'_>) -> ModifyFile {
    let data: NotebookData = result.data().unwrap_or_default();
    let own_error = data.error.filter(|error| !error.is_empty());
    if let Some(error) = result.error().or(own_error) {
        return ModifyFile {
            error: Some(error),
            ..call
        };
    }
    let resolved_path = data.notebook_path.filter(|path| *path != call.file_path);
    let path = resolved_path.as_deref().unwrap_or(&call.file_path);
    let inserts = data.edit_mode.as_deref() == Some("insert");
    let old_source = data.old_source.filter(|_| !inserts);
    let deletes = data.edit_mode.as_deref() == Some("delete");
    let new_source = if deletes {
        Some(String::new())
    } else {
        data.new_source
    };
    let diff = match (data.original_file, data.updated_file) {
        (Some(original), Some(updated)) => Some(of_files(path, &original, &updated)),
        _ => old_source
            .as_deref()
            .zip(new_source.as_deref())
            .map(|(old, new)| unplaced(path, old, new)),
    };
    let mutations = match (diff, new_source) {
        (Some(diff), Some(new_source)) => vec![mutation(old_source, new_source, diff)],
        _ => call.mutations,
    };
    ModifyFile {
        mutations,
        resolved_path,
        file_path: call.file_path,
        error: None,
    }
}

/// The first cell that differs, as people count, and what it is written in: `cell 3, python`.
fn cell_of(old: &Value, new: &Value) -> Option<String> {
    let cells = |notebook: &Value| notebook.get("cells")?.as_array().cloned();
    let (before, after) = (cells(old)?, cells(new)?);
    let at = (0..before.len().max(after.len())).find(|&at| before.get(at) != after.get(at))?;
    let cell = after.get(at).or_else(|| before.get(at))?;
    let kind = cell.get("cell_type").and_then(Value::as_str);
    let language = [
        "/metadata/language_info/name",
        "/metadata/kernelspec/language",
    ]
    .iter()
    .find_map(|at| new.pointer(at)?.as_str());
    let written_in = match kind {
        Some("code") => language.unwrap_or("python"),
        Some(kind) => kind,
        None => return Some(format!("cell {}", at + 1)),
    };
    Some(format!("cell {}, {written_in}", at + 1))
}

/// Names the cell where other diffs name the function: behind the positions of each hunk.
fn in_cell(diff: Diff, cell: Option<&str>) -> Diff {
    let Some(cell) = cell else { return diff };
    let line = |line: &str| match line.strip_suffix(" @@\n") {
        Some(head) if head.starts_with("@@ ") => format!("{head} @@ {cell}\n"),
        _ => line.to_owned(),
    };
    Diff {
        text: diff.text.split_inclusive('\n').map(line).collect(),
        ..diff
    }
}

/// The notebook is written anew with one space of indentation. The old text is laid out alike first, so that the diff
/// shows what was changed and not how it was laid out.
fn of_files(path: &str, original: &str, updated: &str) -> Diff {
    let values = || -> Option<[Value; 2]> {
        Some([
            serde_json::from_str(original).ok()?,
            serde_json::from_str(updated).ok()?,
        ])
    };
    let Some([old, new]) = values() else {
        return diff::between(path, original, updated, 1);
    };
    let written = updated.trim_end();
    let alike = || (pretty(&new)? == written).then(|| pretty(&old))?;
    let diff = match alike() {
        Some(old) => diff::between(path, &old, written, 1),
        None => diff::between(path, original, updated, 1),
    };
    in_cell(diff, cell_of(&old, &new).as_deref())
}
