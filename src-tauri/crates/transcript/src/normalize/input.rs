//! Fields that a model writes in more than one way.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A switch in a tool's input: models write `"true"` for `true` at times, and the CLI takes both.
pub(super) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Bool(on) => on,
        Value::String(text) => text == "true",
        _ => false,
    })
}

/// The text of a field, for titles.
pub(super) fn text<'v>(input: &'v Value, field: &str) -> Option<&'v str> {
    input.get(field)?.as_str()
}
