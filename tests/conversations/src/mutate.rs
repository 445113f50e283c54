//! Damage: what may befall a line on its way, what a newer or a broken CLI may say, and what nobody would.

use serde_json::Value;

/// One deed, told by numbers that any source can give; every number means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mutation {
    pub deed: u8,
    pub line: u16,
    pub place: u16,
    pub choice: u16,
}

impl Mutation {
    /// As many as the bytes hold, seven bytes each.
    pub fn from_bytes(bytes: &[u8]) -> impl Iterator<Item = Self> {
        bytes.chunks_exact(7).map(|b| Self {
            deed: b[0],
            line: u16::from_le_bytes([b[1], b[2]]),
            place: u16::from_le_bytes([b[3], b[4]]),
            choice: u16::from_le_bytes([b[5], b[6]]),
        })
    }
}

/// JSON that stands where other JSON is expected; some of it no reader of values takes.
const VALUES: [&str; 22] = [
    "null",
    "true",
    "false",
    "0",
    "-1",
    "0.5",
    "1e400",
    "18446744073709551616",
    "99999999999999999999999999999999",
    r#""""#,
    r#"" ""#,
    r#""words of another type""#,
    r#""\u0000 \u2028 \r\n""#,
    r#""\ud83d""#,
    r#""\ude00 and \ud83d\ude00""#,
    r#""日本語 😀 é""#,
    "[]",
    "{}",
    "[null,7,\"loose words\",[],{}]",
    r#"{"type":"text","text":"in an object"}"#,
    r#"[{"type":"text","text":"in a list"}]"#,
    DEEP,
];

/// Stands for a value that is nested deeper than readers go.
const DEEP: &str = "deep";

const LINES: [&[u8]; 17] = [
    b"",
    b"  \t ",
    b"not JSON at all",
    b"\x00\x00\x00",
    b"\xff\xfe\x80",
    b"null",
    b"[{\"type\":\"user\"}]",
    br#""a string""#,
    br#"{"type":"never_seen","words":"kept"}"#,
    br#"{"type":"system","subtype":"never_seen","words":"kept"}"#,
    br#"{"type":"assistant","message":{"id":"odd","content":[{"type":"never_seen","words":"kept"}]}}"#,
    br#"{"type":"control_request","request_id":"odd","request":{"subtype":"never_seen"}}"#,
    br#"{"type":"control_cancel_request","request_id":"odd"}"#,
    br#"{"type":"result","subtype":"success","is_error":false,"result":"words of the result"}"#,
    br#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"odd","content":"words"}]}}"#,
    br#"{"type":"stream_event","event":{"type":"message_stop"}}"#,
    br#"{"t":1,"dir":"nowhere","line":{}}"#,
];

const KEYS: [&str; 16] = [
    "type",
    "subtype",
    "message",
    "content",
    "id",
    "uuid",
    "text",
    "name",
    "input",
    "request",
    "request_id",
    "response",
    "event",
    "delta",
    "parent_tool_use_id",
    "tool_use_id",
];

/// Keys whose values tie lines together.
const TIES: [&str; 10] = [
    "id",
    "uuid",
    "request_id",
    "tool_use_id",
    "parent_tool_use_id",
    "task_id",
    "agent_id",
    "session_id",
    "api_message_id",
    "toolUseID",
];

/// Does the deeds one after the other to a text of lines.
pub fn mutate(bytes: &[u8], mutations: impl IntoIterator<Item = Mutation>) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    for mutation in mutations {
        one(&mut lines, mutation);
    }
    lines.concat()
}

fn one(lines: &mut Vec<Vec<u8>>, m: Mutation) {
    let odd = |n: u16| LINES[usize::from(n) % LINES.len()];
    if lines.is_empty() {
        lines.push([odd(m.choice), b"\n"].concat());
        return;
    }
    let at = usize::from(m.line) % lines.len();
    let other = usize::from(m.place) % lines.len();
    match m.deed % 16 {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, lines[at].clone()),
        2 => lines.swap(at, other),
        3 => {
            // Mostly the line ends early; sometimes all that follows is gone as well.
            let keep = usize::from(m.place) % (lines[at].len() + 1);
            lines[at].truncate(keep);
            if m.choice.is_multiple_of(8) {
                lines.truncate(at + 1);
            } else {
                lines[at].push(b'\n');
            }
        }
        4 => {
            let place = usize::from(m.place) % lines[at].len().max(1);
            if let Some(byte) = lines[at].get_mut(place) {
                *byte = m.choice.to_le_bytes()[0];
            }
        }
        5 => lines.insert(at, [odd(m.choice), b"\n"].concat()),
        6 => {
            // The line's end is lost, or another one stands in it.
            if m.choice.is_multiple_of(2) {
                lines[at].pop();
            } else {
                let place = usize::from(m.place) % (lines[at].len() + 1);
                lines[at].insert(place, b'\n');
            }
        }
        7 => {
            if lines[at].ends_with(b"\n") {
                lines[at].pop();
                lines[at].extend_from_slice(b"\r\n");
            }
        }
        8 => {
            // The same key twice, which readers of objects take in different ways.
            let text = String::from_utf8_lossy(&lines[at]).into_owned();
            let key = KEYS[usize::from(m.choice) % KEYS.len()];
            lines[at] = text
                .replacen(
                    '{',
                    &format!("{{\"{key}\":\"twice\","),
                    1 + usize::from(m.place % 3),
                )
                .into_bytes();
        }
        9 | 10 => tie(lines, at, other, m.choice),
        11 => inside(&mut lines[at], |line| rename(line, m)),
        _ => inside(&mut lines[at], |line| replace(line, m)),
    }
}

/// Changes a line as JSON, if it is any.
fn inside(line: &mut Vec<u8>, change: impl FnOnce(&mut Value)) {
    let text = String::from_utf8_lossy(line).into_owned();
    let Some(mut value) = crate::json::value(&text) else {
        return;
    };
    change(&mut value);
    let mut text = value.to_string();
    for (number, json) in VALUES.iter().enumerate() {
        let marked = Value::String(mark(number)).to_string();
        if text.contains(&marked) {
            let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
            text = text.replace(&marked, if *json == DEEP { &deep } else { json });
        }
    }
    text.push('\n');
    *line = text.into_bytes();
}

/// Stands in a value for JSON that no value can hold.
fn mark(number: usize) -> String {
    format!("\u{f8ff}{number}\u{f8ff}")
}

fn replace(line: &mut Value, m: Mutation) {
    let count = count(line);
    let mut nth = usize::from(m.place) % count;
    if let Some(node) = node(line, &mut nth) {
        *node = Value::String(mark(usize::from(m.choice) % VALUES.len()));
    }
}

fn rename(line: &mut Value, m: Mutation) {
    let count = count(line);
    let mut nth = usize::from(m.place) % count;
    let Some(Value::Object(object)) = node(line, &mut nth) else {
        return;
    };
    let Some(key) = object
        .keys()
        .nth(usize::from(m.choice) % object.len().max(1))
        .cloned()
    else {
        return;
    };
    let Some(value) = object.shift_remove(&key) else {
        return;
    };
    match m.choice % 5 {
        0 => {}
        1 => drop(object.insert("brand_new_key".to_owned(), value)),
        2 => {
            object.insert(key, value);
            object.insert("brand_new_key".to_owned(), Value::Array(vec![]));
        }
        _ => {
            let name = KEYS[usize::from(m.choice / 5) % KEYS.len()];
            object.insert(name.to_owned(), value);
        }
    }
}

/// A line names what another one is about.
fn tie(lines: &mut [Vec<u8>], at: usize, other: usize, choice: u16) {
    let from = String::from_utf8_lossy(&lines[other]).into_owned();
    let mut names = Vec::new();
    if let Some(mut value) = crate::json::value(&from) {
        ties(&mut value, &mut |name| names.push(name.clone()));
    }
    if names.is_empty() {
        return;
    }
    let name = names.swap_remove(usize::from(choice) % names.len());
    inside(&mut lines[at], |line| {
        let mut count = 0;
        ties(line, &mut |_| count += 1);
        let (chosen, mut nth) = (usize::from(choice / 16) % count.max(1), 0);
        ties(line, &mut |value| {
            if nth == chosen {
                *value = name.clone();
            }
            nth += 1;
        });
    });
}

fn ties(value: &mut Value, found: &mut impl FnMut(&mut Value)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| ties(item, found)),
        Value::Object(object) => {
            for (key, item) in object {
                if TIES.contains(&key.as_str()) && !item.is_object() {
                    found(item);
                }
                ties(item, found);
            }
        }
        _ => {}
    }
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(object) => object.values().map(count).sum(),
        _ => 0,
    }
}

/// The nth value of a tree, itself being the first.
fn node<'a>(value: &'a mut Value, nth: &mut usize) -> Option<&'a mut Value> {
    if *nth == 0 {
        return Some(value);
    }
    *nth -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| node(item, nth)),
        Value::Object(object) => object.values_mut().find_map(|item| node(item, nth)),
        _ => None,
    }
}
