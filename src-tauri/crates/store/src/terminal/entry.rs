//! One line of a session file as far as its place in the conversation depends on it: who follows whom, and which result
//! belongs to which call. The texts stay in the file.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use kandev_wire::{self as wire, RawValue};
use serde::Deserialize;

use super::content::{Content, Message};
use super::lines::{Found, whole_tail};

/// An id in a form that is cheap to keep: a UUID's own bits, a hash of any other.
pub(crate) type Key = u128;

pub(crate) fn key(id: &str) -> Key {
    uuid::Uuid::parse_str(id).map_or_else(|_| hashed(id), |uuid| uuid.as_u128())
}

fn hashed(text: &str) -> Key {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, text).hash(&mut hasher);
        hasher.finish()
    };
    u128::from(half(1)) << 64 | u128::from(half(2))
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    User,
    Assistant,
    System,
    /// A prompt that was given while a turn ran.
    Queued,
    /// It stands in the tree and says nothing to a reader.
    Link,
    /// No JSON, or too long to read.
    Broken,
}

/// One line and its place.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub offset: u64,
    pub len: u64,
    pub kind: Kind,
    pub uuid: Option<Key>,
    /// Who it follows; for a compaction, the message before it.
    pub parent: Option<Key>,
    /// A prompt that names no one whom it follows: it begins a conversation.
    pub root: bool,
    /// A summary that takes the place of what was before it.
    pub summary: bool,
    pub sidechain: bool,
    /// Milliseconds since the Unix epoch; 0 when the line has no time.
    pub at: i64,
    /// Of an `assistant` line: its message.
    pub message: Option<Key>,
    /// Of an `assistant` line: the calls that begin in it.
    pub calls: Vec<Call>,
    /// Of a `user` line: the calls that it has results of.
    pub results: Vec<Key>,
    /// Of a result: the agent that it comes from, or that goes on in the background.
    pub agent: Option<Key>,
    /// The agent goes on behind this result.
    pub goes_on: bool,
    /// Of the news that a task has ended: the task.
    pub ended: Option<Key>,
    /// Of a `user` line without results: its text.
    pub text: Option<Key>,
    /// The turn may be over with this line.
    pub rests: bool,
}

/// A call as its line begins it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub key: Key,
    pub id: String,
    /// What a subagent is given.
    pub prompt: Option<Key>,
}

/// Types of lines that neither say anything nor have a place in the tree.
const ASIDE: [&str; 24] = [
    "queue-operation",
    "last-prompt",
    "custom-title",
    "ai-title",
    "agent-name",
    "agent-color",
    "agent-setting",
    "tools-used",
    "cost-state",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "summary",
    "file-history-snapshot",
    "file-history-delta",
    "mode",
    "permission-mode",
    "tag",
    "pr-link",
    "worktree-state",
    "content-replacement",
    "marble-origami-commit",
    "attribution-snapshot",
];

/// The entries of a line: none for one that says nothing, two for one that was cut and written on.
pub(crate) fn of(offset: u64, found: Found<'_>, on_entry: &mut dyn FnMut(Entry)) {
    match found {
        Found::Line(line) if is_aside(line) => {}
        Found::Line(line) => match read(offset, line) {
            Ok(Some(entry)) => on_entry(entry),
            Ok(None) => {}
            Err(_) => {
                let (cut, rest) = line.split_at(whole_tail(line).unwrap_or(line.len()));
                on_entry(broken(offset, cut.len() as u64));
                if !rest.is_empty() {
                    let offset = offset + cut.len() as u64;
                    of(offset, Found::Line(rest), on_entry);
                }
            }
        },
        Found::TooLong { bytes, head, tail } => {
            let mut entry = broken(offset, bytes);
            entry.parent = text_after(head, br#""parentUuid":""#).map(key);
            entry.uuid = last_text_after(tail, br#""uuid":""#).map(key);
            entry.sidechain = memchr::memmem::find(head, br#""isSidechain":true"#).is_some();
            on_entry(entry);
        }
    }
}

fn broken(offset: u64, len: u64) -> Entry {
    Entry {
        offset,
        len,
        kind: Kind::Broken,
        uuid: None,
        parent: None,
        root: false,
        summary: false,
        sidechain: false,
        at: 0,
        message: None,
        calls: Vec::new(),
        results: Vec::new(),
        agent: None,
        goes_on: false,
        ended: None,
        text: None,
        rests: false,
    }
}

/// Whether the line begins as those do that say nothing; they are most of the bytes of a file.
fn is_aside(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(br#"{"type":""#) else {
        return false;
    };
    ASIDE.iter().any(|kind| {
        rest.strip_prefix(kind.as_bytes())
            .is_some_and(|rest| rest.starts_with(b"\""))
    })
}

pub(crate) fn text_after<'a>(bytes: &'a [u8], before: &[u8]) -> Option<&'a str> {
    text_at(bytes, memchr::memmem::find(bytes, before)? + before.len())
}

pub(crate) fn last_text_after<'a>(bytes: &'a [u8], before: &[u8]) -> Option<&'a str> {
    text_at(bytes, memchr::memmem::rfind(bytes, before)? + before.len())
}

fn text_at(bytes: &[u8], start: usize) -> Option<&str> {
    let rest = &bytes[start..];
    let end = memchr::memchr(b'"', rest)?;
    std::str::from_utf8(&rest[..end]).ok()
}

/// Milliseconds since the Unix epoch, of an RFC 3339 time.
pub(crate) fn millis(time: &str) -> i64 {
    time.parse::<jiff::Timestamp>()
        .map_or(0, |time| time.as_millisecond())
}

type Text<'a> = Option<Cow<'a, str>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    #[serde(default, borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(default, borrow)]
    uuid: Text<'a>,
    #[serde(default, borrow)]
    parent_uuid: Text<'a>,
    #[serde(default, borrow)]
    logical_parent_uuid: Text<'a>,
    #[serde(default)]
    is_sidechain: Option<bool>,
    #[serde(default)]
    is_compact_summary: Option<bool>,
    #[serde(default, borrow)]
    timestamp: Text<'a>,
    #[serde(default, borrow)]
    message: Option<&'a RawValue>,
    #[serde(default, borrow)]
    attachment: Option<&'a RawValue>,
    #[serde(default, borrow)]
    tool_use_result: Option<&'a RawValue>,
}

/// The entry of a line; none if it has no place in the conversation.
fn read(offset: u64, line: &[u8]) -> Result<Option<Entry>, serde_json::Error> {
    let line_text = wire::read(line);
    let head: Head = serde_json::from_str(line_text.json())?;
    let kind = match head.kind.as_deref() {
        Some("user") => Kind::User,
        Some("assistant") => Kind::Assistant,
        Some("system") => Kind::System,
        Some("attachment") if is_queued(head.attachment) => Kind::Queued,
        Some(kind) if head.uuid.is_none() && ASIDE.contains(&kind) => return Ok(None),
        _ => Kind::Link,
    };
    if kind == Kind::Link && head.uuid.is_none() {
        return Ok(None);
    }
    let parent = head.parent_uuid.or(head.logical_parent_uuid);
    let mut entry = Entry {
        kind,
        uuid: head.uuid.as_deref().map(key),
        root: parent.is_none() && kind == Kind::User,
        parent: parent.as_deref().map(key),
        summary: head.is_compact_summary == Some(true),
        sidechain: head.is_sidechain == Some(true),
        at: head.timestamp.as_deref().map_or(0, millis),
        ..broken(offset, line.len() as u64)
    };
    let message = head
        .message
        .and_then(|message| serde_json::from_str::<Message>(message.get()).ok());
    match (kind, message) {
        (Kind::Assistant, Some(message)) => assistant(&mut entry, &message),
        (Kind::User, Some(message)) => user(&mut entry, &message, head.tool_use_result),
        _ => {}
    }
    if kind == Kind::Queued {
        entry.ended = head
            .attachment
            .and_then(|attachment| task_of(attachment.get()));
    }
    Ok(Some(entry))
}

fn assistant(entry: &mut Entry, message: &Message<'_>) {
    entry.message = message.id.as_deref().map(key);
    entry.rests = matches!(
        message.stop_reason.as_deref(),
        Some("end_turn" | "stop_sequence" | "max_tokens" | "refusal")
    );
    let Content::Blocks(blocks) = &message.content else {
        return;
    };
    for block in blocks {
        let Some(id) = block.id.as_deref() else {
            continue;
        };
        if !matches!(block.kind.as_deref(), Some("tool_use")) {
            continue;
        }
        entry.rests = false;
        #[derive(Deserialize)]
        struct Given<'a> {
            #[serde(borrow)]
            prompt: Cow<'a, str>,
        }
        let prompt = match block.name.as_deref() {
            Some("Task" | "Agent") => block
                .input
                .and_then(|input| serde_json::from_str::<Given>(input.get()).ok()),
            _ => None,
        };
        entry.calls.push(Call {
            key: key(id),
            id: id.to_owned(),
            prompt: prompt.map(|given| hashed(given.prompt.trim())),
        });
    }
}

fn user(entry: &mut Entry, message: &Message<'_>, result: Option<&RawValue>) {
    let text = match &message.content {
        Content::Text(text) => Some(text.clone()),
        Content::Blocks(blocks) => {
            let results = blocks
                .iter()
                .filter_map(|block| block.tool_use_id.as_deref());
            entry.results.extend(results.map(key));
            let texts = blocks.iter().filter_map(|block| block.text);
            let texts = texts.filter_map(|text| serde_json::from_str::<Cow<str>>(text.get()).ok());
            let joined = texts.fold(String::new(), |joined, text| joined + &text);
            (!joined.is_empty()).then_some(Cow::Owned(joined))
        }
        Content::None => None,
    };
    if entry.results.is_empty() {
        entry.ended = text.as_deref().and_then(task_of);
        entry.text = text.map(|text| hashed(text.trim()));
        return;
    }
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Gives<'a> {
        #[serde(default, borrow)]
        agent_id: Text<'a>,
        #[serde(default)]
        is_async: Option<bool>,
        #[serde(default, borrow)]
        status: Text<'a>,
    }
    let gives = result.map(RawValue::get).unwrap_or_default();
    if gives.contains("\"agentId\"") {
        let gives: Gives = serde_json::from_str(gives).unwrap_or_default();
        entry.agent = gives.agent_id.as_deref().map(key);
        entry.goes_on =
            gives.is_async == Some(true) || gives.status.as_deref() == Some("async_launched");
    }
}

fn is_queued(attachment: Option<&RawValue>) -> bool {
    attachment.is_some_and(|attachment| {
        text_after(attachment.get().as_bytes(), br#""type":""#) == Some("queued_command")
            || text_after(attachment.get().as_bytes(), br#""type": ""#) == Some("queued_command")
    })
}

/// The task whose end a text tells of.
fn task_of(text: &str) -> Option<Key> {
    let text = &text[text.find("<task-notification>")?..];
    let (_, rest) = text.split_once("<task-id>")?;
    Some(key(rest.split_once("</task-id>")?.0.trim()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn entries(line: &str) -> Vec<Entry> {
        let mut got = Vec::new();
        of(10, Found::Line(line.as_bytes()), &mut |entry| {
            got.push(entry)
        });
        got
    }

    #[test]
    fn a_line_names_its_calls_and_its_results() {
        let line = r#"{"parentUuid":"a","isSidechain":false,"message":{"id":"m","content":[{"type":"text","text":"x"},
            {"type":"tool_use","id":"t1","name":"Agent","input":{"prompt":" count "}}],"stop_reason":"tool_use"},
            "type":"assistant","uuid":"b","timestamp":"2026-11-30T11:42:05.926Z"}"#;
        let entry = &entries(line)[0];
        assert_eq!(
            (entry.kind, entry.parent),
            (Kind::Assistant, Some(key("a")))
        );
        assert_eq!(entry.calls[0].prompt, Some(hashed("count")));
        assert_eq!(entry.at, 1_796_038_925_926);
        let line = r#"{"parentUuid":"b","type":"user","message":{"content":[{"tool_use_id":"t1","type":"tool_result",
            "content":"x"}]},"uuid":"c","toolUseResult":{"isAsync":true,"agentId":"z"}}"#;
        let entry = &entries(line)[0];
        assert_eq!(entry.results, [key("t1")]);
        assert!(entry.goes_on && entry.agent == Some(key("z")));
    }

    #[test]
    fn what_says_nothing_has_no_entry_and_what_is_no_json_is_kept() {
        assert!(entries(r#"{"type":"api-request-blob","message":"…"#).is_empty());
        assert!(entries(r#"{"sessionId":"s","type":"last-prompt"}"#).is_empty());
        assert!(entries(r#"{"type":"newer","value":1}"#).is_empty());
        assert_eq!(entries("no JSON")[0].kind, Kind::Broken);
        let two = entries(r#"{"parentUuid":null,"mess{"parentUuid":"a","type":"user","uuid":"b"}"#);
        assert_eq!((two[0].kind, two[0].len), (Kind::Broken, 24));
        assert_eq!((two[1].kind, two[1].offset), (Kind::User, 34));
    }

    #[test]
    fn fields_of_another_type_cost_nothing_else() {
        for content in ["7", "null", "{}", "[7,null,\"x\"]", "[{\"type\":7}]"] {
            let line = format!(r#"{{"type":"user","uuid":"b","message":{{"content":{content}}}}}"#);
            assert_eq!(entries(&line)[0].kind, Kind::User, "{content}");
        }
    }
}
