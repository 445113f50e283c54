//! Read and NotebookRead.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use super::ToolResult;
use super::language::language;
use super::result::{lax, without_reminders};
use crate::detail::{ImageData, NormalizedPayload, ReadFile, ReadOutput};

#[derive(Deserialize)]
struct ReadInput {
    #[serde(alias = "notebook_path")]
    file_path: String,
    offset: Option<Number>,
    limit: Option<Number>,
}

/// `{type, file}`; what the file holds depends on the type.
#[derive(Deserialize, Default)]
#[serde(default)]
struct ReadData<'a> {
    #[serde(rename = "type", deserialize_with = "lax")]
    read: Option<String>,
    #[serde(borrow)]
    file: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct TextFile {
    #[serde(deserialize_with = "lax")]
    content: Option<String>,
    #[serde(deserialize_with = "lax")]
    num_lines: Option<u64>,
    #[serde(deserialize_with = "lax")]
    start_line: Option<u64>,
    #[serde(deserialize_with = "lax")]
    total_lines: Option<u64>,
}

#[derive(Deserialize)]
struct ImageFile {
    base64: String,
    #[serde(rename = "type")]
    media_type: String,
}

pub(super) fn start(input: &Value) -> Option<NormalizedPayload> {
    let ReadInput {
        file_path,
        offset,
        limit,
    } = ReadInput::deserialize(input).ok()?;
    let read_file = ReadFile {
        file_path,
        offset,
        limit,
        ..ReadFile::default()
    };
    Some(NormalizedPayload::ReadFile { read_file })
}

pub(super) fn finish(call: ReadFile, result: &ToolResult<'_>) -> ReadFile {
    if let Some(error) = result.error() {
        return ReadFile {
            error: Some(error),
            ..call
        };
    }
    let data: ReadData<'_> = result.data().unwrap_or_default();
    let output = match (data.read.as_deref(), data.file) {
        (Some("text"), Some(file)) => text(&call, file),
        (Some("image"), Some(file)) => image(file),
        _ => None,
    };
    let output = ReadOutput {
        language: language(&call.file_path),
        ..output.unwrap_or_else(|| told(result))
    };
    ReadFile {
        output: Some(output),
        ..call
    }
}

fn text(call: &ReadFile, file: &RawValue) -> Option<ReadOutput> {
    let file: TextFile = serde_json::from_str(file.get()).ok()?;
    let last = file.start_line.unwrap_or(1).max(1) - 1 + file.num_lines.unwrap_or(0);
    let asked = call.limit.as_ref().and_then(Number::as_u64);
    let all_asked = asked.is_some() && file.num_lines >= asked;
    Some(ReadOutput {
        content: file.content?,
        line_count: file.num_lines,
        truncated: !all_asked && file.total_lines.is_some_and(|total| last < total),
        ..ReadOutput::default()
    })
}

fn image(file: &RawValue) -> Option<ReadOutput> {
    let ImageFile { base64, media_type } = serde_json::from_str(file.get()).ok()?;
    Some(ReadOutput {
        image: Some(ImageData {
            media_type,
            data: base64,
        }),
        ..ReadOutput::default()
    })
}

/// From what the model was told: a notebook's cells, a file in older versions and in subagents, and what is new.
fn told(result: &ToolResult<'_>) -> ReadOutput {
    let image = result.image();
    let text = without_reminders(&result.text());
    let (content, line_count) = match unnumbered(&text) {
        Some((content, lines)) => (content, Some(lines)),
        None => (text, None),
    };
    ReadOutput {
        content,
        line_count,
        image,
        ..ReadOutput::default()
    }
}

/// The file's text without the line numbers before each line (`     1→` up to 2.1.81, `1⇥` later), and how many
/// lines it has. Nothing if the text is not numbered.
pub(super) fn unnumbered(text: &str) -> Option<(String, u64)> {
    let (first, _) = numbered(text.split('\n').next()?)?;
    let mut next = first;
    let mut content = String::with_capacity(text.len());
    for line in text.split('\n') {
        match numbered(line) {
            Some((number, bare)) if number == next => {
                if next > first {
                    content.push('\n');
                }
                content.push_str(bare);
                next += 1;
            }
            _ => {
                content.push('\n');
                content.push_str(line);
            }
        }
    }
    Some((content, next - first))
}

/// The number before a line, and the line.
pub(super) fn numbered(line: &str) -> Option<(u64, &str)> {
    let line = line.trim_start_matches(' ');
    let end = line.find(|c: char| !c.is_ascii_digit())?;
    let rest = &line[end..];
    let bare = rest.strip_prefix('→').or_else(|| rest.strip_prefix('\t'))?;
    Some((line[..end].parse().ok()?, bare))
}
