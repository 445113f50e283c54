//! A tool's result as the line has it, read only as far as a kind needs it.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::detail::ImageData;

/// What came back for a call: the two texts of a `tool_result` line, unread.
///
/// Lone halves of surrogate pairs are replaced already; the wire does that.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolResult<'a> {
    /// The block's `content`: a string or an array of blocks, written for the model.
    pub content: Option<&'a RawValue>,
    /// The line's `tool_use_result`, if it belongs to this block: the tool's own data. Older versions send none.
    pub tool_use_result: Option<&'a RawValue>,
    pub is_error: bool,
}

/// A block of a result's content, as far as a detail shows it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block {
    #[serde(deserialize_with = "lax")]
    text: Option<String>,
    #[serde(deserialize_with = "lax")]
    source: Option<Source>,
    /// In a `tool_reference`, the answer of ToolSearch.
    #[serde(deserialize_with = "lax")]
    pub tool_name: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Source {
    media_type: String,
    data: String,
}

impl<'a> ToolResult<'a> {
    /// The tool's own data as `T`; nothing if it is no object.
    pub(super) fn data<T: Deserialize<'a>>(&self) -> Option<T> {
        let json = self.tool_use_result?.get();
        // serde would fill a struct from an array too.
        if json.starts_with('{') {
            serde_json::from_str(json).ok()
        } else {
            None
        }
    }

    /// What the model was told, as text.
    pub(super) fn text(&self) -> String {
        self.texts().concat()
    }

    /// What the model was told, text block by text block.
    pub(super) fn texts(&self) -> Vec<String> {
        self.blocks().into_iter().filter_map(|b| b.text).collect()
    }

    /// The first image in what the model was told.
    pub(super) fn image(&self) -> Option<ImageData> {
        let source = self.blocks().into_iter().find_map(|b| b.source)?;
        Some(ImageData {
            media_type: source.media_type,
            data: source.data,
        })
    }

    pub(super) fn blocks(&self) -> Vec<Block> {
        let Some(json) = self.content.map(RawValue::get) else {
            return Vec::new();
        };
        if let Ok(text) = serde_json::from_str::<String>(json) {
            let text = Some(text);
            return vec![Block {
                text,
                ..Block::default()
            }];
        }
        let blocks: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
        let block = |raw: &&RawValue| serde_json::from_str(object(raw)?).ok();
        blocks.iter().filter_map(block).collect()
    }

    /// Whether the tool itself would not take what it was given: nobody was asked, and nothing ran.
    pub(super) fn is_refused_by_tool(&self) -> bool {
        self.is_error && is_tagged_error(&self.text())
    }

    /// Why the call failed or did not run; nothing if it did well.
    pub(super) fn error(&self) -> Option<String> {
        if !self.is_error {
            return None;
        }
        let text = self.text();
        let said = without_error_tags(&text);
        if !said.trim().is_empty() {
            return Some(said.trim().to_owned());
        }
        let own = self
            .tool_use_result
            .and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
        let own = own.as_deref().unwrap_or_default().trim();
        let own = own.strip_prefix("Error:").unwrap_or(own).trim_start();
        Some(if own.is_empty() {
            "The tool failed and did not say why.".to_owned()
        } else {
            own.to_owned()
        })
    }

    /// What the model was told, as it came, else the tool's own data.
    pub(super) fn said(&self) -> Option<Value> {
        if self.is_error {
            return self.error().map(Value::String);
        }
        self.content
            .and_then(whole)
            .or_else(|| self.tool_use_result.and_then(whole))
    }

    /// The tool's own data as it came, else what the model was told.
    pub(super) fn own(&self) -> Option<Value> {
        if self.is_error {
            return self.error().map(Value::String);
        }
        let own = self
            .tool_use_result
            .filter(|raw| !raw.get().starts_with('"'));
        own.and_then(whole).or_else(|| self.said())
    }
}

fn object(raw: &RawValue) -> Option<&str> {
    Some(raw.get()).filter(|json| json.starts_with('{'))
}

/// The value, unless it is an empty one.
fn whole(raw: &RawValue) -> Option<Value> {
    let value: Value = serde_json::from_str(raw.get()).ok()?;
    let empty = match &value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    (!empty).then_some(value)
}

/// Reads a field of a result; one of another type counts as missing, and the others are still read.
pub(super) fn lax<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let raw = <&'de RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

fn is_tagged_error(text: &str) -> bool {
    text.trim_start().starts_with("<tool_use_error>")
}

/// The text without the tags that the CLI puts around what it refuses.
fn without_error_tags(text: &str) -> Cow<'_, str> {
    if is_tagged_error(text) {
        Cow::Owned(
            text.replace("<tool_use_error>", "")
                .replace("</tool_use_error>", ""),
        )
    } else {
        Cow::Borrowed(text)
    }
}

/// The text without the `<system-reminder>` blocks that older versions put into it for the model.
pub(super) fn without_reminders(text: &str) -> String {
    const OPEN: &str = "<system-reminder>";
    const CLOSE: &str = "</system-reminder>";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(OPEN) {
        let Some(length) = rest[start..].find(CLOSE) else {
            break;
        };
        out.push_str(&rest[..start]);
        rest = &rest[start + length + CLOSE.len()..];
        // The block's own line ends go with it.
        if rest.trim().is_empty() {
            out.truncate(out.trim_end_matches('\n').len());
            rest = "";
        }
    }
    out.push_str(rest);
    out
}

/// What stands between `<name>` and `</name>`.
pub(super) fn tagged<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (inner, _) = rest.split_once(&format!("</{name}>"))?;
    Some(inner)
}
