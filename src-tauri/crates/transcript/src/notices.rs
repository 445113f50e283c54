//! Things that the CLI tells beside the conversation: shown as a row of their own, with the wire's fields.

use kandev_wire::{AssistantMessage, ContentBlock, Line, RateLimit, System, SystemBody};
use serde_json::{Map, Value, json};

use crate::calls::{ResultOf, value};
use crate::event::{EventBody, TaskFields};
use crate::out::Out;

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

/// A block of an `assistant` line that no one knows. Encrypted thinking is known and says nothing.
pub(crate) fn unknown_block(message: &AssistantMessage<'_>, line: &Line<'_>, out: &mut Out) {
    let blocks = message.message.iter().flat_map(|body| &body.content);
    let unknown = blocks.filter_map(|block| match block {
        ContentBlock::Other { kind, .. } if kind != "redacted_thinking" => Some(kind.as_ref()),
        _ => None,
    });
    let kinds = unknown.collect::<Vec<_>>();
    if let [first, ..] = kinds[..] {
        notice(
            if first.is_empty() { "assistant" } else { first },
            format!(
                "A part of the answer is of no known kind: {}",
                kinds.join(", ")
            ),
            line.raw(),
            message.parent_tool_use_id.as_deref(),
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
    let content = line.content.as_deref().map(str::to_owned);
    let text = match &line.body {
        SystemBody::ApiRetry(retry) => {
            let what = retry
                .error
                .as_deref()
                .map_or("The request failed".to_owned(), |error| {
                    error.replace('_', " ")
                });
            let number = |n: &Option<serde_json::Number>| {
                n.as_ref().map_or("?".to_owned(), ToString::to_string)
            };
            let seconds = retry
                .retry_delay_ms
                .as_ref()
                .and_then(|ms| ms.as_f64())
                .map_or(0.0, |ms| ms / 1000.0);
            let (attempt, most) = (number(&retry.attempt), number(&retry.max_retries));
            Some(format!(
                "{what}: trying again in {seconds:.1} s (attempt {attempt} of {most})"
            ))
        }
        SystemBody::CompactBoundary(boundary) => {
            let tokens = boundary.compact_metadata.clone().unwrap_or_default();
            Some(match (tokens.pre_tokens, tokens.post_tokens) {
                (Some(before), Some(after)) => {
                    format!("Conversation compacted: {before} to {after} tokens")
                }
                (Some(before), None) => format!("Conversation compacted from {before} tokens"),
                _ => "Conversation compacted".to_owned(),
            })
        }
        SystemBody::PermissionDenied(denied) => {
            let tool = denied.tool_name.as_deref().unwrap_or("A tool");
            Some(
                denied
                    .message
                    .as_deref()
                    .map_or_else(|| format!("{tool} was denied"), str::to_owned),
            )
        }
        SystemBody::ModelFallback(fallback) => content.clone().or_else(|| {
            Some(format!(
                "{} is used in the place of {}",
                fallback.fallback_model.as_deref()?,
                { fallback.original_model.as_deref()? }
            ))
        }),
        SystemBody::Notification(notification) => notification.text.as_deref().map(str::to_owned),
        SystemBody::Hook(hook) => {
            let name = hook.hook_name.as_deref().unwrap_or("hook");
            Some(match hook.outcome.as_deref() {
                Some(outcome) => format!("{name}: {outcome}"),
                None => name.to_owned(),
            })
        }
        SystemBody::Status(status) => {
            let ended = status
                .compact_result
                .as_deref()
                .map(|result| format!("Compaction: {result}"));
            let why = status
                .compact_error
                .as_deref()
                .map(|error| format!(": {error}"))
                .unwrap_or_default();
            ended
                .map(|ended| ended + &why)
                .or_else(|| status.status.as_deref().map(str::to_owned))
        }
        _ => None,
    };
    let kind = line.subtype.as_ref();
    let text = text.or(content).unwrap_or_else(|| kind.replace('_', " "));
    notice(kind, text, json, line.parent_tool_use_id.as_deref(), out);
}

/// A tool's result whose call nobody saw begin: no event of a call may show it, and it must not be lost.
pub(crate) fn orphan(of: &ResultOf<'_>, out: &mut Out) {
    let content = value(of.result.content);
    let text = match &content {
        Value::String(text) => text.clone(),
        _ => "A result for a call that did not begin here".to_owned(),
    };
    let data =
        json!({ "tool_use_id": of.call_id, "content": content, "is_error": of.result.is_error });
    out.say(EventBody::Notice {
        kind: "tool_result".to_owned(),
        text,
        data,
    });
}

/// A task message, all its fields as the wire has them.
pub(crate) fn task_fields(json: &str) -> TaskFields {
    serde_json::from_str(json).unwrap_or_else(|_| {
        // One field of another type must not cost the others: each is tried alone.
        let mut good = Map::new();
        for (name, field) in fields(json) {
            good.insert(name.clone(), field);
            if serde_json::from_value::<TaskFields>(Value::Object(good.clone())).is_err() {
                good.shift_remove(&name);
            }
        }
        serde_json::from_value(Value::Object(good)).unwrap_or_default()
    })
}

/// The limits of the subscription.
pub(crate) fn rate_limit(line: &RateLimit<'_>, json: &str, out: &mut Out) {
    let data = match value(line.rate_limit_info) {
        Value::Object(info) if !info.is_empty() => Value::Object(info),
        _ => serde_json::from_str(json).unwrap_or_else(|_| Value::String(json.to_owned())),
    };
    let text = |name: &str| {
        data.get(name)
            .and_then(Value::as_str)
            .map(|text| text.replace('_', " "))
    };
    let window = text("rateLimitType").map_or("Usage limit".to_owned(), |kind| {
        format!("Usage limit ({kind})")
    });
    let used = data
        .get("utilization")
        .and_then(Value::as_f64)
        .map(|part| format!(", {:.0}% used", part * 100.0));
    let status = text("status").unwrap_or_else(|| "changed".to_owned());
    let rate_limit_message = format!("{window}: {status}{}", used.unwrap_or_default());
    out.say(EventBody::RateLimit {
        rate_limit_message,
        data,
    });
}
