//! What stands at a span besides its events: numbers, names and ids, never a text.

use kandev_transcript::{Event, EventBody, TurnSummary};
use opentelemetry::KeyValue;
use opentelemetry::trace::{Span as _, Status};
use opentelemetry_sdk::trace::Span;

/// Marks a span as that of an event.
pub(super) fn about(span: &mut Span, event: &Event) {
    let seq = i64::try_from(event.seq).unwrap_or(i64::MAX);
    span.set_attribute(KeyValue::new("event.seq", seq));
    let mut word =
        |name: &'static str, value: &str| span.set_attribute(KeyValue::new(name, value.to_owned()));
    if let Some(id) = &event.session_id {
        word("session_id", id);
    }
    if let Some(id) = &event.parent_tool_call_id {
        word("parent_tool_call_id", id);
    }
    match &event.body {
        EventBody::ToolCall(call) | EventBody::ToolUpdate(call) => {
            word("tool_call_id", &call.tool_call_id);
            word("tool_name", &call.tool_name);
        }
        EventBody::PermissionRequest(request) => {
            word("pending_id", &request.pending_id);
            word("tool_name", &request.tool_name);
        }
        EventBody::PermissionResolved { pending_id, .. } => word("pending_id", pending_id),
        _ => {}
    }
}

/// Says how a turn went.
pub(super) fn summarize(span: &mut Span, summary: &TurnSummary) {
    let counts = [
        ("input_tokens", &summary.input_tokens),
        ("output_tokens", &summary.output_tokens),
    ];
    for (name, count) in counts {
        if let Some(count) = count.as_ref().and_then(serde_json::Number::as_i64) {
            span.set_attribute(KeyValue::new(name, count));
        }
    }
    if let Some(cost) = summary.cost_usd {
        span.set_attribute(KeyValue::new("cost_usd", cost));
    }
    if let Some(subtype) = &summary.subtype {
        span.set_attribute(KeyValue::new("subtype", subtype.clone()));
    }
    span.set_attribute(KeyValue::new("is_error", summary.is_error));
    if summary.is_error {
        span.set_status(Status::error(summary.subtype.clone().unwrap_or_default()));
    }
}
