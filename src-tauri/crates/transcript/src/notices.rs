//! Things that the CLI tells beside the conversation: shown as a row of their own, with the wire's fields.

use std::borrow::Cow;

use kandev_wire::{Bridge, ContentBlock, Line, MessageBody, RateLimit, RawValue, System};
use serde_json::{Map, Value, json};

use crate::calls::{ResultOf, value};
use crate::event::{BridgeFields, EventBody, TaskFields};
use crate::out::Out;
use crate::sentences;

/// Fields of the envelope, which say nothing about the notice.
const ENVELOPE: [&str; 5] = [
    "type",
    "subtype",
    "session_id",
    "uuid",
    "parent_tool_use_id",
];

/// A notice with the line's own fields as its data.
pub(crate) fn notice(kind: &str, text: String, json: &str, parent: Option<&str>, out: &mut Out) {
    let data = Value::Object(fields(json));
    out.say_under(
        parent,
        EventBody::Notice {
            kind: kind.to_owned(),
            text,
            data,
        },
    );
}

/// A block of an `assistant` or `user` line that no one knows. Encrypted thinking is known and says nothing; what has a
/// source is an attachment.
pub(crate) fn unknown_block(
    message: Option<&MessageBody<'_>>,
    parent: Option<&str>,
    line: &Line<'_>,
    out: &mut Out,
) {
    let blocks = message.into_iter().flat_map(|body| &body.content);
    let unknown = blocks.filter_map(|block| match block {
        ContentBlock::Other { kind, source: None } if kind != "redacted_thinking" => {
            Some(kind.as_ref())
        }
        _ => None,
    });
    let kinds = unknown.collect::<Vec<_>>();
    if let [first, ..] = kinds[..] {
        notice(
            if first.is_empty() { "message" } else { first },
            format!(
                "A part of the message is of no known kind: {}",
                kinds.join(", ")
            ),
            line.raw(),
            parent,
            out,
        );
    }
}

fn fields(json: &str) -> Map<String, Value> {
    let mut fields: Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
    for name in ENVELOPE {
        fields.shift_remove(name);
    }
    fields
}

/// The notice of a `system` line that is nothing else.
pub(crate) fn system(line: &System<'_>, json: &str, out: &mut Out) {
    let kind = line.subtype.as_ref();
    let text = sentences::of(line)
        .or_else(|| line.content.as_deref().map(str::to_owned))
        .filter(|text| !text.trim().is_empty())
        .unwrap_or_else(|| sentences::capital(&sentences::spaced(kind)));
    notice(kind, text, json, line.parent_tool_use_id.as_deref(), out);
}

/// Lines of the session file are lost: as loud as a notice can be, with what to do, and with the newest message, up to
/// which nothing is sure to be on disk, and the last one of which nothing says that it was lost (asks U54).
pub(crate) fn writes_lost(
    line: &System<'_>,
    json: &str,
    last_message_uuid: Option<&str>,
    saved_uuid: Option<&str>,
    out: &mut Out,
) {
    let mut data = fields(json);
    data.insert("level".to_owned(), json!("error"));
    data.insert("last_message_uuid".to_owned(), json!(last_message_uuid));
    data.insert("saved_message_uuid".to_owned(), json!(saved_uuid));
    let next_step = "Make room on the disk. What is shown here stays until this window closes; \
                     copy what you need before you resume the session.";
    data.insert("next_step".to_owned(), json!(next_step));
    let what = sentences::of(line).unwrap_or_default();
    let saved = match saved_uuid {
        Some(_) => {
            "As far as is known, it is saved up to the end of the turn before the first loss"
        }
        None => "Nothing of it is known to be saved",
    };
    out.say(EventBody::Notice {
        kind: line.subtype.clone().into_owned(),
        text: format!("{what}. {saved}"),
        data: Value::Object(data),
    });
}

/// A tool's result whose call nobody saw begin: no event of a call may show it, and it must not be lost.
pub(crate) fn orphan(of: &ResultOf<'_>, parent: Option<&str>, out: &mut Out) {
    let content = value(of.result.content);
    let text = match &content {
        Value::String(text) => text.clone(),
        _ => "A result for a call that did not begin here".to_owned(),
    };
    let data =
        json!({ "tool_use_id": of.call_id, "content": content, "is_error": of.result.is_error });
    let kind = "tool_result".to_owned();
    out.say_under(parent, EventBody::Notice { kind, text, data });
}

/// A task message, all its fields as the wire has them, and apart from them what a bridge added.
pub(crate) fn task_fields(line: &System<'_>, json: &str) -> TaskFields {
    let mut task: TaskFields = serde_json::from_str(json).unwrap_or_else(|_| {
        // One field of another type must not cost the others: each is tried alone.
        let mut good = Map::new();
        for (name, field) in fields(json) {
            good.insert(name.clone(), field);
            if serde_json::from_value::<TaskFields>(Value::Object(good.clone())).is_err() {
                good.shift_remove(&name);
            }
        }
        serde_json::from_value(Value::Object(good)).unwrap_or_default()
    });
    task.bridge = line.bridge.as_deref().map(bridge);
    task
}

fn bridge(bridge: &Bridge<'_>) -> BridgeFields {
    let own = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
    let any = |raw: Option<&RawValue>| raw.map(|raw| value(Some(raw)));
    BridgeFields {
        turn_id: own(&bridge.turn_id),
        stream: any(bridge.stream),
        command: any(bridge.command),
        text: own(&bridge.text),
        snapshot: any(bridge.snapshot),
        message: own(&bridge.message),
        status: own(&bridge.status),
    }
}

/// The limits of the subscription.
pub(crate) fn rate_limit(line: &RateLimit<'_>, json: &str, out: &mut Out) {
    let data = match value(line.rate_limit_info) {
        Value::Object(info) if !info.is_empty() => Value::Object(info),
        _ => serde_json::from_str(json).unwrap_or_else(|_| Value::String(json.to_owned())),
    };
    let text = |name: &str| data.get(name).and_then(Value::as_str);
    let rate_limit_message = sentences::rate_limit(
        text("rateLimitType"),
        text("status"),
        data.get("utilization").and_then(Value::as_f64),
    );
    out.say(EventBody::RateLimit {
        rate_limit_message,
        data,
    });
}
