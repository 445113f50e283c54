//! A tool's result as the line has it, read only as far as a kind needs it.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

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

impl<'a> ToolResult<'a> {
    /// The tool's own data as `T`; nothing if there is none or if it has another shape.
    pub(super) fn data<T: Deserialize<'a>>(&self) -> Option<T> {
        serde_json::from_str(self.tool_use_result?.get()).ok()
    }

    /// What the model was told, else the tool's own data.
    pub(super) fn said(&self) -> Option<Value> {
        let whole = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).ok().filter(|v| !is_empty(v));
        self.content.and_then(whole).or_else(|| self.tool_use_result.and_then(whole))
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}
