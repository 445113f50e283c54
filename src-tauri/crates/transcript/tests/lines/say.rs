//! Lines of both sides in few words, and the events that they give.

use kandev_transcript::{EventBody, Exit, NoFiles, Start, Transcript};
use serde_json::{Value, json};

/// A live session: the host has started a process.
pub struct Talk {
    pub transcript: Transcript,
    pub emitted: Vec<kandev_transcript::Emitted>,
}

impl Talk {
    pub fn live() -> Self {
        let mut talk = Self::plain();
        talk.transcript.started(Start::default(), &mut talk.emitted);
        talk
    }

    /// The CLI's side alone.
    pub fn plain() -> Self {
        Self {
            transcript: Transcript::new(Box::new(NoFiles)),
            emitted: Vec::new(),
        }
    }

    pub fn raw(mut self, line: &[u8]) -> Self {
        self.transcript.cli_line(line, &mut self.emitted);
        self
    }

    pub fn cli(self, line: Value) -> Self {
        self.raw(line.to_string().as_bytes())
    }

    pub fn host(mut self, line: Value) -> Self {
        self.transcript
            .host_line(line.to_string().as_bytes(), &mut self.emitted);
        self
    }

    pub fn exit(mut self, code: i32) -> Self {
        self.transcript.exited(
            Exit {
                code: Some(code),
                signal: None,
            },
            &mut self.emitted,
        );
        self
    }

    pub fn over(mut self) -> Self {
        self.transcript.finish(&mut self.emitted);
        self
    }

    /// The events, in short: type and the fields that matter to these tests.
    pub fn said(&self) -> Vec<String> {
        self.emitted
            .iter()
            .filter_map(|event| short(&event.body))
            .collect()
    }
}

impl Talk {
    /// The events as JSON, the session's id apart.
    pub fn told(&self) -> Vec<Value> {
        self.emitted
            .iter()
            .map(|event| serde_json::to_value(&event.body).unwrap())
            .collect()
    }

    /// The data of the notices of this kind.
    pub fn notices(&self, wanted: &str) -> Vec<Value> {
        let of_kind = |event: &Value| event["type"] == "notice" && event["kind"] == wanted;
        let told = self.told().into_iter().filter(of_kind);
        told.map(|event| event["data"].clone()).collect()
    }

    /// The events of this type.
    pub fn of_type(&self, wanted: &str) -> Vec<Value> {
        let told = self.told().into_iter();
        told.filter(|event| event["type"] == wanted).collect()
    }
}

fn short(body: &EventBody) -> Option<String> {
    let word = |value: &dyn erased::Word| value.word();
    Some(match body {
        EventBody::MessageChunk { text, message_id } => format!("{message_id}: {text}"),
        EventBody::Reasoning {
            reasoning_text,
            message_id,
        } => format!("{message_id} thinks: {reasoning_text}"),
        EventBody::MessageDiscarded { message_id } => format!("{message_id} void"),
        EventBody::ToolCall(call) => format!("{} {}", call.tool_call_id, word(&call.tool_status)),
        EventBody::ToolUpdate(call) => format!("{} {}", call.tool_call_id, word(&call.tool_status)),
        EventBody::PermissionRequest(request) => format!("{}?", request.pending_id),
        EventBody::PermissionResolved {
            pending_id,
            behavior,
            by,
            ..
        } => {
            format!("{pending_id} {} by {}", word(behavior), word(by))
        }
        EventBody::PermissionCancelled { pending_id } => format!("{pending_id} cancelled"),
        EventBody::UserMessage(message) if message.synthetic => format!("put in: {}", message.text),
        EventBody::UserMessage(message) => format!("user: {}", message.text),
        EventBody::SessionState { state } => word(state),
        EventBody::Complete { data } => format!(
            "complete {}",
            data.last_message_uuid.as_deref().unwrap_or("-")
        ),
        EventBody::Error { data, .. } => format!("error {}", data.code),
        EventBody::SessionEnded { data } => {
            format!("ended {:?} expected {}", data.exit_code, data.expected)
        }
        EventBody::Unrecognized { raw } => {
            format!("unrecognized {}", raw.chars().take(24).collect::<String>())
        }
        EventBody::Notice { kind, .. } => format!("notice {kind}"),
        _ => return None,
    })
}

mod erased {
    /// The name of a value of a plain enum, as JSON has it.
    pub trait Word {
        fn word(&self) -> String;
    }

    impl<T: serde::Serialize> Word for T {
        fn word(&self) -> String {
            serde_json::to_value(self)
                .unwrap()
                .as_str()
                .unwrap()
                .to_owned()
        }
    }
}

pub fn says(id: &str, blocks: Value) -> Value {
    says_under(Value::Null, id, blocks)
}

pub fn says_under(parent: Value, id: &str, blocks: Value) -> Value {
    json!({ "type": "assistant", "message": { "id": id, "role": "assistant", "content": blocks }, "parent_tool_use_id": parent, "uuid": format!("u-{id}") })
}

pub fn text(id: &str, text: &str) -> Value {
    says(id, json!([{ "type": "text", "text": text }]))
}

pub fn uses(id: &str) -> Value {
    uses_under(Value::Null, id)
}

pub fn uses_under(parent: Value, id: &str) -> Value {
    says_under(
        parent,
        &format!("m-{id}"),
        json!([{ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": "c" } }]),
    )
}

pub fn result_of(id: &str, failed: bool) -> Value {
    let block =
        json!({ "type": "tool_result", "tool_use_id": id, "content": "done", "is_error": failed });
    json!({ "type": "user", "message": { "role": "user", "content": [block] }, "uuid": format!("r-{id}") })
}

pub fn user(text: &str, fields: Value) -> Value {
    let mut line = json!({ "type": "user", "message": { "role": "user", "content": text } });
    line.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    line
}

pub fn result(failed: bool) -> Value {
    json!({ "type": "result", "subtype": "success", "is_error": failed, "result": "", "uuid": "result" })
}

pub fn stream(event: Value) -> Value {
    json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null })
}

pub fn begins(id: &str) -> Value {
    stream(json!({ "type": "message_start", "message": { "id": id } }))
}

pub fn delta(text: &str) -> Value {
    stream(
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } }),
    )
}

pub fn asks(id: &str, call: &str) -> Value {
    let request = json!({ "subtype": "can_use_tool", "tool_name": "Bash", "input": { "command": "c" }, "tool_use_id": call });
    json!({ "type": "control_request", "request_id": id, "request": request })
}

pub fn answer(id: &str, payload: Value) -> Value {
    json!({ "type": "control_response", "response": { "subtype": "success", "request_id": id, "response": payload } })
}
