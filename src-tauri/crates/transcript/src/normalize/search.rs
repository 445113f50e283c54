//! Glob, Grep, LS and ToolSearch.

use serde::Deserialize;
use serde_json::Value;

use super::ToolResult;
use super::result::{lax, without_reminders};
use crate::detail::{CodeSearch, NormalizedPayload, SearchOutput};

#[derive(Deserialize)]
struct GlobInput {
    pattern: String,
    path: Option<String>,
}

#[derive(Deserialize)]
struct GrepInput {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
}

#[derive(Deserialize)]
struct ListInput {
    path: Option<String>,
}

#[derive(Deserialize)]
struct ToolSearchInput {
    query: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SearchData {
    #[serde(deserialize_with = "lax")]
    filenames: Option<Vec<String>>,
    #[serde(deserialize_with = "lax")]
    num_files: Option<u64>,
    #[serde(deserialize_with = "lax")]
    truncated: Option<bool>,
    #[serde(deserialize_with = "lax")]
    content: Option<String>,
    #[serde(deserialize_with = "lax")]
    num_lines: Option<u64>,
    #[serde(deserialize_with = "lax")]
    total_lines: Option<u64>,
    #[serde(deserialize_with = "lax")]
    total_files: Option<u64>,
    /// ToolSearch's names of tools.
    #[serde(deserialize_with = "lax")]
    matches: Option<Vec<String>>,
}

pub(super) fn start(name: &str, input: &Value) -> Option<NormalizedPayload> {
    let code_search = match name {
        "Glob" => {
            let GlobInput { pattern, path } = GlobInput::deserialize(input).ok()?;
            CodeSearch {
                pattern: Some(pattern),
                path,
                ..CodeSearch::default()
            }
        }
        "Grep" => {
            let GrepInput {
                pattern,
                path,
                glob,
            } = GrepInput::deserialize(input).ok()?;
            CodeSearch {
                pattern: Some(pattern),
                path,
                glob,
                ..CodeSearch::default()
            }
        }
        "ToolSearch" => {
            let ToolSearchInput { query } = ToolSearchInput::deserialize(input).ok()?;
            CodeSearch {
                query: Some(query),
                ..CodeSearch::default()
            }
        }
        _ => {
            let ListInput { path } = ListInput::deserialize(input).ok()?;
            CodeSearch {
                path,
                ..CodeSearch::default()
            }
        }
    };
    Some(NormalizedPayload::CodeSearch { code_search })
}

pub(super) fn finish(call: CodeSearch, name: &str, result: &ToolResult<'_>) -> CodeSearch {
    if let Some(error) = result.error() {
        return CodeSearch {
            error: Some(error),
            ..call
        };
    }
    let output = match result.data::<SearchData>() {
        Some(data) if data.filenames.is_some() || data.matches.is_some() => own(data),
        _ => told(name, result),
    };
    CodeSearch {
        output: Some(output),
        ..call
    }
}

fn own(data: SearchData) -> SearchOutput {
    let more = |shown: Option<u64>, all: Option<u64>| {
        shown.zip(all).is_some_and(|(shown, all)| shown < all)
    };
    let truncated = data.truncated.unwrap_or(false)
        || more(data.num_lines, data.total_lines)
        || more(data.num_files, data.total_files);
    SearchOutput {
        files: data.filenames.unwrap_or_default(),
        file_count: data.num_files,
        truncated,
        content: data.content.or(data.matches.map(|names| names.join("\n"))),
    }
}

/// From what the model was told, in older versions and in subagents.
fn told(name: &str, result: &ToolResult<'_>) -> SearchOutput {
    if name == "ToolSearch" {
        let names: Vec<String> = result
            .blocks()
            .into_iter()
            .filter_map(|b| b.tool_name)
            .collect();
        let content = if names.is_empty() {
            result.text()
        } else {
            names.join("\n")
        };
        return SearchOutput {
            content: Some(content),
            ..SearchOutput::default()
        };
    }
    let text = without_reminders(&result.text());
    let truncated = text
        .lines()
        .any(|line| line.starts_with("(Results are truncated"));
    let paths = |text: &str| -> Vec<String> {
        let is_path =
            |line: &&str| !line.trim().is_empty() && !line.starts_with("(Results are truncated");
        text.lines().filter(is_path).map(str::to_owned).collect()
    };
    let listed = |files: Vec<String>| SearchOutput {
        file_count: Some(files.len() as u64),
        files,
        truncated,
        content: None,
    };
    match (name, found(&text)) {
        ("Glob" | "Grep", _) if text.starts_with("No files found") => listed(Vec::new()),
        ("Glob", _) => listed(paths(&text)),
        ("Grep", Some(rest)) => listed(paths(rest)),
        _ => SearchOutput {
            truncated,
            content: Some(text),
            ..SearchOutput::default()
        },
    }
}

/// The list after `Found 2 files`.
fn found(text: &str) -> Option<&str> {
    let (head, rest) = text.split_once('\n')?;
    let mut words = head.strip_prefix("Found ")?.split(' ');
    words.next()?.parse::<u64>().ok()?;
    matches!(words.next(), Some("file" | "files")).then_some(rest)
}
