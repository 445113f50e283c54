//! What of an event is left out for a window: nobody reads megabytes in a row, and the journal has them.

use serde_json::Value;

use crate::detail::NormalizedPayload;
use crate::event::{Event, EventBody, Slimmed, ToolCall};
use crate::outputs::text_of;

/// Bytes of a field that cross to a window.
pub const FIELD_MAX: usize = 64 * 1024;
const HEAD: usize = 47 * 1024;
const TAIL: usize = 16 * 1024;
/// How far off a line may end for a cut to be made there.
const NEAR: usize = 4 * 1024;
/// Bytes that each value of a list or an object counts, besides its text.
const EACH: usize = 16;

/// Leaves out the middle of what is longer than [`FIELD_MAX`]. What a call is asked about, diffs and pictures stay whole.
pub fn slim(event: &mut Event) {
    match &mut event.body {
        EventBody::ToolCall(call) | EventBody::ToolUpdate(call) => slim_call(call),
        EventBody::Unrecognized { raw: text } | EventBody::Notice { text, .. }
            if text.len() > FIELD_MAX =>
        {
            *text = cut(text);
        }
        _ => {}
    }
}

enum Field<'a> {
    Text(&'a mut String),
    Value(&'a mut Value),
}

fn slim_call(call: &mut ToolCall) {
    for (name, field) in fields(&mut call.normalized) {
        let (bytes, lines) = match field {
            Field::Text(text) if text.len() > FIELD_MAX => {
                let of = size(text);
                *text = cut(text);
                of
            }
            Field::Value(value) if weight(value) > FIELD_MAX => {
                let of = size(&text_of(value));
                prune(value, &mut FIELD_MAX.clone());
                of
            }
            _ => continue,
        };
        call.slimmed.push(Slimmed {
            field: name.to_owned(),
            bytes,
            lines,
        });
    }
}

fn size(text: &str) -> (u64, u64) {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    (text.len() as u64, ends as u64 + 1)
}

/// What may be long, by its name in the detail.
fn fields(payload: &mut NormalizedPayload) -> Vec<(&'static str, Field<'_>)> {
    use Field::{Text, Value as Json};
    use NormalizedPayload as Of;
    let mut fields = Vec::new();
    let mut maybe = |name, text| {
        if let Some(text) = text {
            fields.push((name, Text(text)));
        }
    };
    match payload {
        Of::ReadFile { read_file } => {
            maybe(
                "content",
                read_file.output.as_mut().map(|output| &mut output.content),
            );
            maybe("error", read_file.error.as_mut());
        }
        Of::ShellExec { shell_exec } => {
            if let Some(output) = &mut shell_exec.output {
                maybe("stdout", Some(&mut output.stdout));
                maybe("stderr", Some(&mut output.stderr));
                maybe("note", output.note.as_mut());
            }
        }
        Of::CodeSearch { code_search } => {
            let output = code_search.output.as_mut();
            maybe("content", output.and_then(|output| output.content.as_mut()));
            maybe("error", code_search.error.as_mut());
        }
        Of::HttpRequest { http_request } => maybe("response", http_request.response.as_mut()),
        Of::SubagentTask { subagent_task } => {
            maybe("output", subagent_task.output.as_mut());
            maybe("error", subagent_task.error.as_mut());
        }
        Of::McpTool { mcp_tool } => {
            fields.push(("input", Json(&mut mcp_tool.input)));
            fields.extend(
                mcp_tool
                    .output
                    .as_mut()
                    .map(|output| ("output", Json(output))),
            );
        }
        Of::Generic { generic } => {
            fields.push(("input", Json(&mut generic.input)));
            fields.extend(
                generic
                    .output
                    .as_mut()
                    .map(|output| ("output", Json(output))),
            );
        }
        Of::Misc { misc } => {
            if let Value::Object(details) = &mut misc.details {
                for (name, value) in details {
                    match name.as_str() {
                        "input" => fields.push(("input", Json(value))),
                        "output" => fields.push(("output", Json(value))),
                        _ => {}
                    }
                }
            }
        }
        Of::ModifyFile { modify_file } => maybe("error", modify_file.error.as_mut()),
        Of::CreateTask { .. }
        | Of::ManageTodos { .. }
        | Of::ShowPlan { .. }
        | Of::AskUser { .. } => {}
    }
    fields
}

/// The beginning and the end, with a line between them that says what is left out.
fn cut(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut head = text.floor_char_boundary(HEAD);
    if let Some(end) = memchr::memrchr(b'\n', &bytes[head.saturating_sub(NEAR)..head]) {
        head = head.saturating_sub(NEAR) + end;
    }
    let mut tail = text.ceil_char_boundary(text.len() - TAIL);
    if let Some(end) = memchr::memchr(b'\n', &bytes[tail..text.len().min(tail + NEAR)]) {
        tail += end + 1;
    }
    let left_out = tail - head;
    format!(
        "{}\n… {left_out} bytes left out …\n{}",
        &text[..head],
        &text[tail..]
    )
}

/// Whether this is the picture in a content block: `{media_type, data}`, `{mimeType, data}`.
fn is_picture(value: &Value) -> bool {
    let kind = value.get("media_type").or_else(|| value.get("mimeType"));
    let is_image = kind
        .and_then(Value::as_str)
        .is_some_and(|kind| kind.starts_with("image/"));
    is_image && value.get("data").is_some()
}

/// About how many bytes of text a value is.
fn weight(value: &Value) -> usize {
    EACH + match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(_) if is_picture(value) => 0,
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| name.len() + weight(value))
            .sum(),
        _ => 0,
    }
}

/// Leaves out what is beyond so many bytes. What the model wrote into a key is kept, as far as the key is.
fn prune(value: &mut Value, left: &mut usize) {
    *left = left.saturating_sub(EACH);
    let picture = is_picture(value);
    match value {
        Value::String(text) => {
            if text.len() <= *left {
                *left -= text.len();
                return;
            }
            if text.len() > FIELD_MAX && *left > FIELD_MAX / 2 {
                *text = cut(text);
            } else {
                let end = text.floor_char_boundary(*left);
                let left_out = text.len() - end;
                text.truncate(end);
                text.push_str(&format!("… {left_out} bytes left out …"));
            }
            *left = 0;
        }
        Value::Array(items) => {
            let mut kept = 0;
            while kept < items.len() && *left > 0 {
                prune(&mut items[kept], left);
                kept += 1;
            }
            let more = items.len() - kept;
            if more > 0 {
                items.truncate(kept);
                items.push(Value::String(format!("… {more} more left out …")));
            }
        }
        Value::Object(fields) if !picture => {
            let mut kept = 0;
            for (name, value) in fields.iter_mut() {
                if *left == 0 {
                    break;
                }
                *left = left.saturating_sub(name.len());
                prune(value, left);
                kept += 1;
            }
            let more = fields.len() - kept;
            if more > 0 {
                let gone: Vec<String> = fields.keys().skip(kept).cloned().collect();
                for name in gone {
                    fields.remove(&name);
                }
                fields.insert(
                    "…".to_owned(),
                    Value::String(format!("{more} more left out")),
                );
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn event(normalized: Value) -> Event {
        let event = json!({
            "seq": 1, "at": "2026-11-30T10:00:00.000Z", "type": "tool_update", "tool_call_id": "t", "tool_name": "T",
            "tool_title": "T", "tool_status": "complete", "normalized": normalized,
        });
        serde_json::from_value(event).unwrap()
    }

    fn shell(stdout: &str, stderr: &str) -> Event {
        let output = json!({
            "exit_code": 0, "stdout": stdout, "stderr": stderr, "interrupted": false, "truncated": false,
        });
        event(json!({ "kind": "shell_exec", "shell_exec": {
            "command": "c", "work_dir": null, "description": null, "timeout": null, "background": false, "output": output,
        }}))
    }

    fn mcp(output: Value) -> Event {
        let tool = json!({ "server": "s", "tool": "t", "input": {}, "output": output });
        event(json!({ "kind": "mcp_tool", "mcp_tool": tool }))
    }

    fn slimmed(event: &Event) -> (Value, Vec<Slimmed>) {
        let mut slim_one = event.clone();
        slim(&mut slim_one);
        let EventBody::ToolUpdate(call) = &slim_one.body else {
            unreachable!()
        };
        (
            serde_json::to_value(&slim_one).unwrap(),
            call.slimmed.clone(),
        )
    }

    #[test]
    fn what_is_short_crosses_as_it_is_and_says_nothing() {
        for event in [
            shell(&"x".repeat(FIELD_MAX), "e"),
            mcp(json!([{ "type": "text", "text": "short" }])),
        ] {
            let before = serde_json::to_value(&event).unwrap();
            assert_eq!(slimmed(&event), (before.clone(), Vec::new()));
            assert!(before.get("slimmed").is_none());
        }
    }

    #[test]
    fn of_a_long_output_the_beginning_and_the_end_cross_by_whole_lines() {
        let lines: Vec<String> = (0..200_000).map(|n| format!("line {n}")).collect();
        let stdout = lines.join("\n");
        let (json, slimmed) = slimmed(&shell(&stdout, "all of it"));
        let shown = json["normalized"]["shell_exec"]["output"]["stdout"]
            .as_str()
            .unwrap();
        assert!(shown.len() <= FIELD_MAX, "{}", shown.len());
        let shown: Vec<&str> = shown.split('\n').collect();
        let gap = shown
            .iter()
            .position(|line| line.ends_with("left out …"))
            .unwrap();
        assert_eq!(shown[..gap], lines[..gap]);
        let tail = &shown[gap + 1..];
        assert_eq!(*tail, lines[lines.len() - tail.len()..]);
        assert!(gap > 4_000 && tail.len() > 1_000);
        assert_eq!(
            json["normalized"]["shell_exec"]["output"]["stderr"],
            "all of it"
        );
        let bytes = stdout.len() as u64;
        assert_eq!(
            slimmed,
            [Slimmed {
                field: "stdout".to_owned(),
                bytes,
                lines: 200_000
            }]
        );
    }

    #[test]
    fn a_line_without_an_end_is_cut_between_characters() {
        for shift in 0..4 {
            let stdout = format!("{}{}", "x".repeat(shift), "漢🦀".repeat(100_000));
            let (json, _) = slimmed(&shell(&stdout, ""));
            let shown = json["normalized"]["shell_exec"]["output"]["stdout"]
                .as_str()
                .unwrap();
            assert!(
                shown.len() <= FIELD_MAX && shown.ends_with('🦀') && !shown.contains('\u{fffd}')
            );
        }
    }

    #[test]
    fn values_are_bounded_however_they_are_built() {
        let many: Vec<Value> = (0..100_000)
            .map(|n| json!({ "n": n, "text": "t" }))
            .collect();
        let fields: Value = (0..100_000)
            .map(|n| (format!("field {n}"), json!(n)))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let long = json!([{ "type": "text", "text": "word ".repeat(1_000_000) }, { "type": "text", "text": "b".repeat(90_000) }]);
        for output in [
            json!(many),
            fields,
            long,
            json!("s".repeat(1 << 20)),
            json!([[[many.clone()]]]),
        ] {
            let event = mcp(output.clone());
            let (json, slimmed) = slimmed(&event);
            let bytes = serde_json::to_vec(&json).unwrap().len();
            assert!(bytes < 2 * FIELD_MAX, "{bytes}");
            assert!(json.to_string().contains("left out"));
            assert_eq!(slimmed.len(), 1);
            assert_eq!(
                (slimmed[0].field.as_str(), slimmed[0].bytes),
                ("output", text_of(&output).len() as u64)
            );
        }
    }

    #[test]
    fn a_picture_crosses_whole() {
        let data = "QUJD".repeat(200_000);
        for block in [
            json!([{ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": data } }]),
            json!([{ "type": "image", "mimeType": "image/png", "data": data }]),
        ] {
            let (json, slimmed) = slimmed(&mcp(block.clone()));
            assert_eq!(json["normalized"]["mcp_tool"]["output"], block);
            assert!(slimmed.is_empty());
        }
    }

    #[test]
    fn a_line_that_nobody_knows_crosses_as_its_beginning_and_end() {
        let body = EventBody::Unrecognized {
            raw: format!("{{{}}}", "x".repeat(30 << 20)),
        };
        let mut event = event(
            json!({ "kind": "generic", "generic": { "name": "n", "input": {}, "output": null } }),
        );
        event.body = body;
        slim(&mut event);
        let EventBody::Unrecognized { raw } = &event.body else {
            unreachable!()
        };
        assert!(raw.len() <= FIELD_MAX && raw.starts_with('{') && raw.ends_with('}'));
    }
}
