//! Edit, MultiEdit and Write.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::ToolResult;
use super::input::flag;
use super::read::numbered;
use super::result::lax;
use crate::detail::{ModifyFile, Mutation, MutationType, NormalizedPayload};
use crate::diff::{self, Diff, Hunk};
use crate::edit::{Refused, edited};
use crate::files::{Files, NoFiles};

#[derive(Deserialize)]
struct EditInput {
    file_path: String,
    #[serde(flatten)]
    edit: Edit,
}

#[derive(Deserialize)]
struct MultiEditInput {
    file_path: String,
    edits: Vec<Edit>,
}

#[derive(Deserialize)]
struct WriteInput {
    file_path: String,
    content: String,
}

#[derive(Deserialize)]
struct Edit {
    old_string: String,
    new_string: String,
    #[serde(default, deserialize_with = "flag")]
    replace_all: bool,
}

/// What Edit (`oldString`, `newString`) and Write (`type`, `content`) return. The file as it was is left unread
/// unless there is no patch.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct EditData<'a> {
    #[serde(rename = "type", deserialize_with = "lax")]
    write: Option<String>,
    #[serde(deserialize_with = "lax")]
    file_path: Option<String>,
    #[serde(deserialize_with = "lax")]
    old_string: Option<String>,
    #[serde(deserialize_with = "lax")]
    new_string: Option<String>,
    #[serde(deserialize_with = "lax")]
    replace_all: Option<bool>,
    #[serde(deserialize_with = "lax")]
    content: Option<String>,
    #[serde(deserialize_with = "lax")]
    structured_patch: Option<Vec<Hunk>>,
    #[serde(borrow)]
    original_file: Option<&'a RawValue>,
}

impl EditData<'_> {
    fn original(&self) -> Option<Cow<'_, str>> {
        serde_json::from_str(self.original_file?.get())
            .ok()
            .map(Cow::Owned)
    }
}

pub(super) fn start(name: &str, input: &Value) -> Option<NormalizedPayload> {
    match name {
        // The content says it all until the result tells what was there before.
        "Write" => {
            let WriteInput { file_path, content } = WriteInput::deserialize(input).ok()?;
            Some(detail(
                file_path,
                vec![written(MutationType::Create, content)],
            ))
        }
        _ => proposed(name, input, &NoFiles),
    }
}

/// With the diff that the call would make to the file as it is now, or, where the file or the place in it is not
/// known, between the call's own strings.
pub(super) fn proposed(name: &str, input: &Value, files: &dyn Files) -> Option<NormalizedPayload> {
    let (file_path, mutations, refused) = match name {
        "Edit" => {
            let EditInput { file_path, edit } = EditInput::deserialize(input).ok()?;
            let file = files.read(&file_path);
            let (mutation, refused) = edit.proposed(&file_path, file.as_deref());
            (file_path, vec![mutation], refused)
        }
        "MultiEdit" => {
            let MultiEditInput { file_path, edits } = MultiEditInput::deserialize(input).ok()?;
            let file = files.read(&file_path);
            match file.map(|text| all_edits(&file_path, &text, &edits)) {
                Some(Ok(mutation)) => (file_path, vec![mutation], None),
                other => {
                    let each = edits.iter().map(|edit| edit.unplaced(&file_path)).collect();
                    (file_path, each, other.and_then(Result::err))
                }
            }
        }
        _ => {
            let WriteInput { file_path, content } = WriteInput::deserialize(input).ok()?;
            let mutation = match files.read(&file_path) {
                Some(old) => replaced(&file_path, &old, content),
                None => created(&file_path, content),
            };
            (file_path, vec![mutation], None)
        }
    };
    let modify_file = ModifyFile {
        error: refused.map(|reason| reason.to_string()),
        file_path,
        mutations,
        resolved_path: None,
    };
    Some(NormalizedPayload::ModifyFile { modify_file })
}

fn detail(file_path: String, mutations: Vec<Mutation>) -> NormalizedPayload {
    let modify_file = ModifyFile {
        file_path,
        mutations,
        ..ModifyFile::default()
    };
    NormalizedPayload::ModifyFile { modify_file }
}

impl Edit {
    /// The change of the file, or why the tool would refuse to make it.
    fn proposed(&self, path: &str, file: Option<&str>) -> (Mutation, Option<Refused>) {
        let before = match file {
            Some(text) if !(text.is_empty() && self.old_string.is_empty()) => text,
            _ => return (self.unplaced(path), None),
        };
        match self.applied_to(before) {
            Ok(after) => {
                let diff = diff::between(path, before, &after, 1);
                let mutation = patch(self.old_string.clone(), self.new_string.clone(), diff);
                (mutation, None)
            }
            Err(refused) => (self.unplaced(path), Some(refused)),
        }
    }

    fn applied_to(&self, text: &str) -> Result<String, Refused> {
        edited(text, &self.old_string, &self.new_string, self.replace_all)
    }

    fn unplaced(&self, path: &str) -> Mutation {
        let new = self.new_string.clone();
        if self.old_string.is_empty() {
            return Mutation {
                new_content: Some(new.clone()),
                ..created(path, new)
            };
        }
        let diff = unplaced(path, &self.old_string, &new);
        patch(self.old_string.clone(), new, diff)
    }
}

/// One change of the file, from the first edit's text to the last one's.
fn all_edits(path: &str, before: &str, edits: &[Edit]) -> Result<Mutation, Refused> {
    let mut text = before.to_owned();
    for edit in edits {
        text = edit.applied_to(&text)?;
    }
    let diff = diff::between(path, before, &text, 1);
    Ok(of_diff(MutationType::Patch, diff))
}

/// All the content is there; what was there before is not known.
fn written(mutation: MutationType, content: String) -> Mutation {
    Mutation {
        content: Some(content),
        ..of_diff(mutation, Diff::default())
    }
}

fn created(path: &str, content: String) -> Mutation {
    let diff = diff::of_new_file(path, &content);
    Mutation {
        content: Some(content),
        ..of_diff(MutationType::Create, diff)
    }
}

fn replaced(path: &str, old: &str, content: String) -> Mutation {
    let diff = diff::between(path, old, &content, 1);
    Mutation {
        content: Some(content),
        ..of_diff(MutationType::Replace, diff)
    }
}

fn patch(old: String, new: String, diff: Diff) -> Mutation {
    Mutation {
        old_content: Some(old),
        new_content: Some(new),
        ..of_diff(MutationType::Patch, diff)
    }
}

/// The strings' diff; where in the file it belongs is not known.
pub(super) fn unplaced(path: &str, old: &str, new: &str) -> Diff {
    Diff {
        start_line: None,
        ..diff::between(path, old, new, 1)
    }
}

pub(super) fn of_diff(mutation: MutationType, diff: Diff) -> Mutation {
    Mutation {
        mutation,
        content: None,
        old_content: None,
        new_content: None,
        start_line: diff.start_line,
        diff: Some(diff.text).filter(|text| !text.is_empty()),
    }
}

pub(super) fn finish(call: ModifyFile, name: &str, result: &ToolResult<'_>) -> ModifyFile {
    if let Some(error) = result.error() {
        return ModifyFile {
            error: Some(error),
            ..call
        };
    }
    let Some(mut data) = result.data::<EditData<'_>>() else {
        return told(call, name, result);
    };
    let resolved_path = data.file_path.take().filter(|path| *path != call.file_path);
    let path = resolved_path.as_deref().unwrap_or(&call.file_path);
    let mutations = match name {
        "Write" => data.written(path, &call.mutations),
        _ => data.edited(path, &call.mutations),
    };
    ModifyFile {
        mutations: mutations.unwrap_or(call.mutations),
        resolved_path,
        file_path: call.file_path,
        error: None,
    }
}

impl EditData<'_> {
    /// The CLI's patch shows each tab at the beginning of a line as two spaces: it is no patch of such a file.
    fn has_tabs(&self) -> bool {
        self.original_file
            .is_some_and(|file| file.get().contains("\\t"))
    }

    fn patch(&self, path: &str) -> Option<Diff> {
        let hunks = self
            .structured_patch
            .as_deref()
            .filter(|hunks| !hunks.is_empty())?;
        Some(diff::from_patch(path, hunks))
    }

    fn written(&mut self, path: &str, before: &[Mutation]) -> Option<Vec<Mutation>> {
        let content = self
            .content
            .take()
            .or_else(|| before.first()?.content.clone())?;
        let tabs = self.has_tabs() || content.contains('\t');
        let original = || self.original().filter(|_| tabs);
        let mutation = match (self.write.as_deref(), self.patch(path)) {
            (Some("create"), _) => created(path, content),
            (_, Some(diff)) if original().is_none() => Mutation {
                content: Some(content),
                ..of_diff(MutationType::Replace, diff)
            },
            // Without a patch nothing changed, or the CLI did not compare.
            _ => match self.original() {
                Some(old) => replaced(path, &old, content),
                None => written(MutationType::Replace, content),
            },
        };
        Some(vec![mutation])
    }

    fn edited(&mut self, path: &str, before: &[Mutation]) -> Option<Vec<Mutation>> {
        let one = if let [one] = before { Some(one) } else { None };
        let old = self.old_string.take().or_else(|| one?.old_content.clone());
        let new = self.new_string.take().or_else(|| one?.new_content.clone());
        let patch = self.patch(path);
        let (Some(old), Some(new)) = (old, new) else {
            return Some(vec![of_diff(MutationType::Patch, patch?)]);
        };
        let original = || self.original().unwrap_or_default();
        if old.is_empty() && original().is_empty() {
            let new_content = Some(new.clone());
            return Some(vec![Mutation {
                new_content,
                ..match patch {
                    Some(diff) => Mutation {
                        content: Some(new),
                        ..of_diff(MutationType::Create, diff)
                    },
                    None => created(path, new),
                }
            }]);
        }
        let made = || {
            let all = self.replace_all.unwrap_or(false);
            let before = original();
            let after = edited(&before, &old, &new, all).ok()?;
            Some(diff::between(path, &before, &after, 1))
        };
        let tabs = self.has_tabs() || new.contains('\t') && self.original().is_some();
        let diff = if tabs {
            made().or(patch)
        } else {
            patch.or_else(made)
        };
        let diff = diff.unwrap_or_else(|| unplaced(path, &old, &new));
        Some(vec![self::patch(old, new, diff)])
    }
}

/// Older versions: what was proposed stays, unless the snippet that the CLI shows tells the place of an edit.
fn told(call: ModifyFile, name: &str, result: &ToolResult<'_>) -> ModifyFile {
    let placed = call
        .mutations
        .iter()
        .all(|mutation| mutation.start_line.is_some());
    let text = result.text();
    let mutations = match (name, &call.mutations[..]) {
        ("Write", [one]) if one.mutation == MutationType::Create => {
            let content = one.content.clone().unwrap_or_default();
            let mutation = if text.contains("has been updated") {
                written(MutationType::Replace, content)
            } else {
                created(&call.file_path, content)
            };
            vec![mutation]
        }
        ("Edit", [one]) if !placed => match in_snippet(&call.file_path, one, &text) {
            Some(diff) => vec![Mutation {
                start_line: diff.start_line,
                diff: Some(diff.text),
                ..one.clone()
            }],
            None => return call,
        },
        _ => return call,
    };
    ModifyFile { mutations, ..call }
}

/// The edit's diff, placed by the numbered lines of `cat -n` in the result.
fn in_snippet(path: &str, edit: &Mutation, text: &str) -> Option<Diff> {
    let (old, new) = (edit.old_content.as_deref()?, edit.new_content.as_deref()?);
    let mut lines = text
        .split('\n')
        .skip_while(|line| numbered(line).is_none())
        .peekable();
    let (first, _) = numbered(lines.peek()?)?;
    let mut after = String::new();
    for (_, line) in lines.map_while(numbered) {
        after.push_str(line);
        after.push('\n');
    }
    let new = &*diff::unix_lines(new);
    if new.is_empty() || after.matches(new).count() != 1 {
        return None;
    }
    let before = after.replacen(new, &diff::unix_lines(old), 1);
    Some(diff::between(path, &before, &after, first))
}
