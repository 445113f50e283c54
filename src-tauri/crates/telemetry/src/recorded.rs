//! The recorded form, `{"t", "dir", "line"}`, in which a conversation can be played and normalized.

use kandev_session::RawDir;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

/// One recorded line, without its end. `t` is in milliseconds, `line` is redacted already.
pub fn recorded(t: u64, dir: RawDir, line: &str) -> String {
    let (name, line) = (dir.recorded(), inner(dir, line));
    format!(r#"{{"t": {t}, "dir": "{name}", "line": {line}}}"#)
}

/// What was left out between two lines, as a record that whoever plays it passes over.
pub(crate) fn gap(t: u64, left_out: u64) -> String {
    recorded(
        t,
        RawDir::Host,
        &json!({ "left_out": left_out }).to_string(),
    )
}

/// An object stands as it came; a text that is none is kept as such.
fn inner(dir: RawDir, line: &str) -> String {
    let line_end = line.strip_suffix('\r').unwrap_or(line);
    let object = line_end.trim_ascii();
    match dir {
        RawDir::Err => Value::from(line).to_string(),
        RawDir::Meta | RawDir::Host | RawDir::Exit => object.to_owned(),
        RawDir::Out | RawDir::In if is_object(object) => object.to_owned(),
        RawDir::Out | RawDir::In => json!({ "__raw__": line }).to_string(),
    }
}

fn is_object(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('{') else {
        return false;
    };
    !inner.trim_ascii_start().starts_with(r#""__raw__""#)
        && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_stand_as_they_came_and_anything_else_as_text() {
        let line = |dir, text| recorded(5, dir, text);
        assert_eq!(
            line(RawDir::Out, "{\"type\":  \"x\", \"s\": \"\\ud83d\"}\r"),
            r#"{"t": 5, "dir": "out", "line": {"type":  "x", "s": "\ud83d"}}"#
        );
        assert_eq!(
            line(RawDir::Out, "Hello \"you\""),
            r#"{"t": 5, "dir": "out", "line": {"__raw__":"Hello \"you\""}}"#
        );
        assert_eq!(
            line(RawDir::In, r#"{"broken": "#),
            r#"{"t": 5, "dir": "in", "line": {"__raw__":"{\"broken\": "}}"#
        );
        assert_eq!(
            line(RawDir::Err, "oh"),
            r#"{"t": 5, "dir": "stderr", "line": "oh"}"#
        );
        assert_eq!(
            gap(7, 3),
            r#"{"t": 7, "dir": "host", "line": {"left_out":3}}"#
        );
    }
}
