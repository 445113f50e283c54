//! Each kind of call as a whole value: the input and what came back on one side, the detail on the other.
#![allow(clippy::unwrap_used)]

mod edits;
mod odd;
mod people;
mod reads;
mod shells;
mod tasks;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::{ToolResult, finish, place, proposed, start};
use crate::detail::NormalizedPayload;
use crate::files::Files;

/// What a tool gave back: the content for the model, and the tool's own data if there is any.
pub(super) struct Back {
    content: Option<Box<RawValue>>,
    own: Option<Box<RawValue>>,
    is_error: bool,
}

pub(super) fn back(content: Value, own: Value) -> Back {
    Back {
        content: Some(to_raw_value(&content).unwrap()),
        own: Some(to_raw_value(&own).unwrap()),
        is_error: false,
    }
}

/// As older versions and subagents have it: no data of the tool's own.
pub(super) fn told(content: Value) -> Back {
    Back {
        own: None,
        ..back(content, Value::Null)
    }
}

pub(super) fn failed(text: &str) -> Back {
    Back {
        is_error: true,
        ..back(json!(text), json!(format!("Error: {text}")))
    }
}

pub(super) fn before(name: &str, input: Value) -> Value {
    shown(start(name, &input))
}

pub(super) fn after(name: &str, input: Value, back: &Back) -> Value {
    shown(ended(start(name, &input), name, back))
}

pub(super) fn ended(payload: NormalizedPayload, name: &str, back: &Back) -> NormalizedPayload {
    let result = ToolResult {
        content: back.content.as_deref(),
        tool_use_result: back.own.as_deref(),
        is_error: back.is_error,
    };
    finish(payload, name, &result)
}

/// The detail without its `kind`, whose name is checked against the field's.
pub(super) fn shown(payload: NormalizedPayload) -> Value {
    let mut value = serde_json::to_value(payload).unwrap();
    let fields = value.as_object_mut().unwrap();
    let kind = fields.remove("kind").unwrap();
    assert_eq!(
        fields.keys().map(String::as_str).collect::<Vec<_>>(),
        [kind.as_str().unwrap()]
    );
    value
}

/// One file, or none.
pub(super) struct Disk(pub Option<&'static str>);

impl Files for Disk {
    fn read(&self, _: &str) -> Option<String> {
        self.0.map(str::to_owned)
    }
}

pub(super) fn asked(name: &str, input: Value, disk: &Disk) -> Value {
    shown(proposed(name, &input, disk))
}
