//! Texts in which the CLI wraps what is no text: commands, their outputs, the news of tasks; and names in the file's spelling.

use std::borrow::Cow;

use kandev_wire::RawValue;
use serde::Deserialize;
use serde_json::Value;

type Text<'a> = Option<Cow<'a, str>>;

/// The texts of `content`, joined.
pub(crate) fn text_in(content: Option<&RawValue>) -> String {
    match content.map(|content| serde_json::from_str::<Value>(content.get())) {
        Some(Ok(Value::String(text))) => text,
        Some(Ok(Value::Array(blocks))) => blocks
            .iter()
            .filter(|block| block["type"] == "text")
            .filter_map(|block| block["text"].as_str())
            .collect(),
        _ => String::new(),
    }
}

/// The calls that `content` has results of.
pub(super) fn results_in(content: Option<&RawValue>) -> Vec<String> {
    #[derive(Deserialize)]
    struct Block<'a> {
        #[serde(default, borrow)]
        tool_use_id: Text<'a>,
    }
    let Some(content) = content.filter(|content| content.get().starts_with('[')) else {
        return Vec::new();
    };
    let blocks: Vec<Block> = serde_json::from_str(content.get()).unwrap_or_default();
    let ids = blocks.into_iter().filter_map(|block| block.tool_use_id);
    ids.map(Cow::into_owned).collect()
}

fn between<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    Some(rest.split_once(&format!("</{tag}>"))?.0)
}

/// What a person typed that the CLI took for itself: `/name words`, or `! command`.
pub(crate) fn typed(text: &str) -> Option<String> {
    if text.starts_with("<bash-input>") {
        return Some(format!("! {}", between(text, "bash-input")?));
    }
    if !text.starts_with("<command-") {
        return None;
    }
    let name = between(text, "command-name")?.trim();
    let words = between(text, "command-args").unwrap_or_default().trim();
    let slash = if name.starts_with('/') { "" } else { "/" };
    Some(format!("{slash}{name} {words}").trim_end().to_owned())
}

/// What a command of a person's own printed.
pub(super) fn shell_output(text: &str) -> Option<String> {
    if !text.starts_with("<bash-stdout>") && !text.starts_with("<bash-stderr>") {
        return None;
    }
    let parts = ["bash-stdout", "bash-stderr"].into_iter();
    let parts = parts.filter_map(|tag| between(text, tag).filter(|part| !part.is_empty()));
    Some(parts.collect::<Vec<_>>().join("\n"))
}

/// What a notification to the model says of a task.
pub(super) struct Task<'a> {
    pub id: &'a str,
    pub call: Option<&'a str>,
    pub status: &'a str,
    pub summary: Option<&'a str>,
    pub output_file: Option<&'a str>,
}

/// What a text tells of tasks that have ended.
pub(super) fn notifications(text: &str) -> impl Iterator<Item = Task<'_>> {
    text.split("<task-notification>")
        .skip(1)
        .filter_map(|text| {
            let field = |tag| between(text, tag).map(str::trim);
            Some(Task {
                id: field("task-id")?,
                call: field("tool-use-id"),
                status: field("status").unwrap_or("completed"),
                summary: field("result").or(field("summary")),
                output_file: field("output-file"),
            })
        })
}

/// A name in camelCase as the wire has it.
pub(super) fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// The same for all names in a value.
pub(super) fn in_snake(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (snake(&name), in_snake(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(in_snake).collect(),
        other => other,
    }
}
