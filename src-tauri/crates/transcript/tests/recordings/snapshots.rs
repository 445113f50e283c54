//! What each recording gives, in few words an event, so that a change of meaning shows as a readable difference.

use std::fmt::Write;

use kandev_transcript::{Event, EventBody};
use serde_json::Value;

use crate::form::{all, replay};

#[test]
fn every_recording_gives_the_events_that_it_gave() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, bytes) in all() {
            let lines: Vec<String> = replay([bytes.as_slice()]).iter().map(brief).collect();
            insta::assert_snapshot!(name, lines.join("\n"));
        }
    });
}

/// The event's type and its fields, long ones as length and hash.
fn brief(event: &Event) -> String {
    let Value::Object(mut fields) = serde_json::to_value(event).unwrap() else {
        unreachable!("an event is an object")
    };
    for name in ["seq", "at", "session_id", "type", "title"] {
        fields.shift_remove(name);
    }
    let kind = match &event.body {
        EventBody::Notice { kind, .. } => format!("notice {kind}"),
        body => serde_json::to_value(body).unwrap()["type"]
            .as_str()
            .unwrap()
            .to_owned(),
    };
    let mut line = kind;
    for (name, field) in &fields {
        if field.is_null() || *field == Value::Bool(false) || name == "kind" {
            continue;
        }
        match field {
            Value::Object(_) if name == "data" => short_object(&mut line, field),
            _ => write!(line, " {name}={}", short(field)).unwrap(),
        }
    }
    line
}

fn short_object(line: &mut String, object: &Value) {
    for (name, field) in object.as_object().unwrap() {
        if !field.is_null() && *field != Value::Bool(false) {
            write!(line, " {name}={}", short(field)).unwrap();
        }
    }
}

fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.escape_debug().to_string(),
        Value::Object(fields) if fields.contains_key("kind") => {
            return format!(
                "{}:{:08x}",
                fields["kind"].as_str().unwrap_or("?"),
                hash(&value.to_string())
            );
        }
        other => other.to_string(),
    };
    if text.chars().count() <= 40 {
        return text;
    }
    format!(
        "{}..{}:{:08x}",
        text.chars().take(16).collect::<String>(),
        text.len(),
        hash(&text)
    )
}

/// FNV-1a, which is the same everywhere and always.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}
