//! Fields that a model writes in more than one way.

use serde::de::Error;
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

/// Ids, as far as they are some: a field beside the point does not make the call unreadable.
pub(super) fn ids<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let Value::Array(said) = Value::deserialize(deserializer)? else {
        return Ok(Vec::new());
    };
    let ids = said.into_iter().filter_map(|id| Id::deserialize(id).ok());
    Ok(ids.map(|id| id.0).collect())
}

/// A word, if it is one.
pub(super) fn word<'de, D: Deserializer<'de>>(d: D) -> Result<Option<String>, D::Error> {
    Ok(Value::deserialize(d)?.as_str().map(str::to_owned))
}

/// The text of a field, for titles.
pub(super) fn text<'v>(input: &'v Value, field: &str) -> Option<&'v str> {
    input.get(field)?.as_str()
}

/// An id in a tool's input or data: a text, or a number that stands for one.
#[derive(Debug)]
pub(super) struct Id(pub String);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(id) => Ok(Id(id)),
            Value::Number(id) => Ok(Id(id.to_string())),
            _ => Err(D::Error::custom("an id is a text or a number")),
        }
    }
}
