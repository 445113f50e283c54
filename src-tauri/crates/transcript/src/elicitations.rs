//! What MCP servers ask of the user: each is asked once and ends once, as a notice (PROTOCOL 6.7).

use indexmap::IndexMap;
use kandev_wire::{Elicitation, ElicitationAnswer, RawValue};
use serde_json::{Map, Value, json};

use crate::calls::value;
use crate::event::{EventBody, ResolvedBy};
use crate::out::Out;

/// The open ones, by the id of their request.
#[derive(Debug, Default)]
pub(crate) struct Elicitations {
    open: IndexMap<String, Open>,
}

#[derive(Debug, Default)]
struct Open {
    /// The turn is over: nobody waits for the answer any more.
    moot: bool,
}

impl Elicitations {
    pub fn ask(&mut self, id: &str, asked: &Elicitation<'_>, out: &mut Out) {
        let text = asked
            .message
            .as_deref()
            .filter(|text| !text.trim().is_empty())
            .map_or_else(
                || {
                    let server = asked.mcp_server_name.as_deref().unwrap_or("An MCP server");
                    format!("{server} asks for your input")
                },
                str::to_owned,
            );
        let mut data = Map::new();
        data.insert("request_id".to_owned(), json!(id));
        data.insert(
            "mode".to_owned(),
            json!(asked.mode.as_deref().unwrap_or("form")),
        );
        let texts = [
            ("mcp_server_name", &asked.mcp_server_name),
            ("url", &asked.url),
            ("elicitation_id", &asked.elicitation_id),
            ("title", &asked.title),
            ("display_name", &asked.display_name),
            ("description", &asked.description),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                data.insert(name.to_owned(), json!(text));
            }
        }
        let raws = [
            ("requested_schema", asked.requested_schema),
            ("property_order", asked.property_order),
        ];
        for (name, raw) in raws {
            if raw.is_some() {
                data.insert(name.to_owned(), value(raw));
            }
        }
        self.open.insert(id.to_owned(), Open::default());
        notice("elicitation", text, Value::Object(data), out);
    }

    pub fn is_open(&self, id: &str) -> bool {
        self.open.contains_key(id)
    }

    /// The host's answer; no payload is an error answer, which refuses like a cancel.
    pub fn answered(
        &mut self,
        id: &str,
        payload: Option<&RawValue>,
        by: ResolvedBy,
        out: &mut Out,
    ) {
        let answer: ElicitationAnswer = payload
            .and_then(|payload| serde_json::from_str(payload.get()).ok())
            .unwrap_or_default();
        let action = answer
            .action
            .as_deref()
            .filter(|action| matches!(*action, "accept" | "decline"))
            .unwrap_or("cancel");
        let by = match by {
            ResolvedBy::User | ResolvedBy::Policy => "user",
            ResolvedBy::Timeout => "timeout",
            ResolvedBy::SessionEnd => "session_end",
        };
        let content = answer.content.filter(|_| action == "accept");
        self.resolve(id, action, by, content, out);
    }

    /// The CLI withdraws it.
    pub fn cancelled(&mut self, id: &str, out: &mut Out) {
        self.resolve(id, "withdrawn", "cli", None, out);
    }

    /// The process is gone, or the input is over.
    pub fn session_over(&mut self, out: &mut Out) {
        while let Some((id, _)) = self.open.first() {
            let id = id.clone();
            self.resolve(&id, "session_end", "session_end", None, out);
        }
    }

    /// The turn has its result: an answer would come too late.
    pub fn turn_over(&mut self) {
        for open in self.open.values_mut() {
            open.moot = true;
        }
    }

    pub fn any_waiting(&self) -> bool {
        self.open.values().any(|open| !open.moot)
    }

    fn resolve(
        &mut self,
        id: &str,
        action: &str,
        by: &str,
        content: Option<&RawValue>,
        out: &mut Out,
    ) {
        if self.open.shift_remove(id).is_none() {
            return;
        }
        let text = match (action, by) {
            ("accept", _) => "Answered",
            ("decline", _) => "Declined",
            ("withdrawn", _) => "The question was withdrawn",
            ("session_end", _) => "The session ended before an answer",
            (_, "timeout") => "Nobody answered in time",
            _ => "Cancelled",
        };
        let mut data = json!({ "request_id": id, "action": action, "by": by });
        if content.is_some() {
            data["content"] = value(content);
        }
        notice("elicitation_resolved", text.to_owned(), data, out);
    }
}

fn notice(kind: &str, text: String, data: Value, out: &mut Out) {
    out.say(EventBody::Notice {
        kind: kind.to_owned(),
        text,
        data,
    });
}
