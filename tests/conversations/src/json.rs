//! A line as the rules read it: apart from the code that they judge, and without its speed.

use std::collections::HashSet;
use std::fmt;

use kandev_wire::RawValue;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// What one line of input holds.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// What the CLI said.
    pub cli: Vec<String>,
    /// What the host said.
    pub host: Vec<String>,
    /// A process starts.
    pub starts: bool,
    /// It is about the process: stderr, the host's deeds, the exit.
    pub other: bool,
}

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(rename = "t")]
    _t: Option<f64>,
    dir: String,
    #[serde(borrow)]
    line: &'a RawValue,
    #[serde(default, rename = "type")]
    kind: Option<serde::de::IgnoredAny>,
}

/// Takes the frame of the recorded form off, if the line has one.
pub(crate) fn parts(text: &str) -> Parts {
    let mut parts = Parts::default();
    match serde_json::from_str::<Record>(text) {
        Ok(Record {
            dir,
            line,
            kind: None,
            ..
        }) => match dir.as_str() {
            "out" => parts.cli = said(line.get()),
            "in" => parts.host = said(line.get()),
            "meta" => parts.starts = true,
            "stderr" | "host" | "exit" => parts.other = true,
            _ => parts.cli.push(text.to_owned()),
        },
        _ => parts.cli.push(text.to_owned()),
    }
    parts
}

/// The lines that a record stands for: one, unless it is text that no JSON was.
fn said(json: &str) -> Vec<String> {
    let clean = kandev_wire::read_text(json).json().to_owned();
    let text = match serde_json::from_str(&clean) {
        Ok(Value::String(text)) => text,
        Ok(Value::Object(object)) if object.keys().next().is_some_and(|key| key == "__raw__") => {
            match &object["__raw__"] {
                Value::String(text) => text.clone(),
                _ => return vec![json.to_owned()],
            }
        }
        _ => return vec![json.to_owned()],
    };
    text.split('\n').map(str::to_owned).collect()
}

/// The line as a value; none if it is no JSON, more than a value can hold, or has a key twice: readers differ in which of
/// the two counts.
pub(crate) fn value(line: &str) -> Option<Value> {
    let line = kandev_wire::read_text(line);
    serde_json::from_str::<NoKeyTwice>(line.json()).ok()?;
    serde_json::from_str(line.json()).ok()
}

/// Any JSON in which no object has a key twice.
struct NoKeyTwice;

impl<'de> Deserialize<'de> for NoKeyTwice {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(NoKeyTwice)
    }
}

impl<'de> Visitor<'de> for NoKeyTwice {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without a key twice")
    }
    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<Self>()?.is_some() {}
        Ok(self)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if !keys.insert(key) {
                return Err(A::Error::custom("a key twice"));
            }
            map.next_value::<Self>()?;
        }
        Ok(self)
    }
}

/// The blocks of a message; a plain string is one text block.
pub(crate) fn blocks(line: &Value) -> Vec<Value> {
    match &line["message"]["content"] {
        Value::String(text) => vec![serde_json::json!({ "type": "text", "text": text })],
        Value::Array(blocks) => blocks.clone(),
        _ => Vec::new(),
    }
}
