//! The CLI's control requests: what it asks the host (PROTOCOL 6).

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::value::RawValue;

use crate::lenient;

/// The CLI asks the host. Exactly one answer ends it, or a `control_cancel_request`.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ControlRequest<'a> {
    /// Without it no answer can reach the CLI.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub request_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "request_body")]
    pub request: ControlBody<'a>,
}

/// What the CLI asks for.
#[derive(Debug, Clone, Default)]
pub enum ControlBody<'a> {
    /// May this tool run? (PROTOCOL 6.1)
    CanUseTool(Box<CanUseTool<'a>>),
    HookCallback(HookCallback<'a>),
    /// A message for a server that the host runs (PROTOCOL 6.6).
    McpMessage(McpMessage<'a>),
    /// An MCP server asks the user (PROTOCOL 6.7).
    Elicitation(Box<Elicitation<'a>>),
    /// Only for kinds that the host declared (PROTOCOL 6.8).
    RequestUserDialog,
    /// Must be answered with an error.
    Unknown {
        subtype: Cow<'a, str>,
    },
    /// There was no request object.
    #[default]
    Missing,
}

/// The question before a tool runs.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct CanUseTool<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub tool_name: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub input: Option<&'a RawValue>,
    /// Absent below 2.0.44.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub tool_use_id: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub permission_suggestions: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub display_name: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub description: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub blocked_path: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub decision_reason: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub decision_reason_type: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub decision_reason_rule_source: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub decision_reason_hook_event: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub decision_reason_hook_source: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub agent_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub title: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::flag")]
    pub requires_user_interaction: Option<bool>,
    /// `{name, source}` of the tool's server.
    #[serde(default, borrow)]
    pub mcp_server: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient::flag")]
    pub server_policy_ask_only: Option<bool>,
    #[serde(default, deserialize_with = "lenient::flag")]
    pub suppress_always_allow_rule: Option<bool>,
    #[serde(default, deserialize_with = "lenient::flag")]
    pub default_to_no: Option<bool>,
    /// `{source, tool_name, rule_content?}`: the user's own rule that made it a question.
    #[serde(default, borrow)]
    pub matched_ask_rule: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient::flag")]
    pub classifier_approvable: Option<bool>,
    /// The request as it came.
    #[serde(skip)]
    pub whole: Option<&'a RawValue>,
}

/// A hook that was registered in `initialize` fires (PROTOCOL 6.5).
#[derive(Debug, Clone, Default, Deserialize)]
pub struct HookCallback<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub callback_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub tool_use_id: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub input: Option<&'a RawValue>,
}

/// A message for a server that the host runs.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct McpMessage<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub server_name: Option<Cow<'a, str>>,
    /// JSON-RPC.
    #[serde(default, borrow)]
    pub message: Option<&'a RawValue>,
}

/// An MCP server asks the user.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Elicitation<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub mcp_server_name: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub message: Option<Cow<'a, str>>,
    /// `form` or `url`; absent is `form`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub mode: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub requested_schema: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub property_order: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub url: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub elicitation_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub title: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub display_name: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub description: Option<Cow<'a, str>>,
}

/// The `subtype` of a request object.
pub(crate) fn subtype_of(request: &RawValue) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Subtype<'a> {
        #[serde(default, borrow, deserialize_with = "lenient::text")]
        subtype: Option<Cow<'a, str>>,
    }
    if !request.get().starts_with('{') {
        return None;
    }
    serde_json::from_str::<Subtype>(request.get()).ok()?.subtype
}

fn request_body<'de, D: Deserializer<'de>>(from: D) -> Result<ControlBody<'de>, D::Error> {
    let request = Option::<&'de RawValue>::deserialize(from)?;
    Ok(request.map_or(ControlBody::Missing, body))
}

/// Reads a request object. A question about a tool is one whatever its shape: nobody may be left waiting for an answer.
fn body(request: &RawValue) -> ControlBody<'_> {
    let json = request.get();
    if !json.starts_with('{') {
        return ControlBody::Missing;
    }
    let subtype = subtype_of(request).unwrap_or_default();
    let known = match subtype.as_ref() {
        "can_use_tool" => return can_use_tool(request),
        "hook_callback" => serde_json::from_str(json).map(ControlBody::HookCallback),
        "mcp_message" => serde_json::from_str(json).map(ControlBody::McpMessage),
        "elicitation" => serde_json::from_str(json).map(ControlBody::Elicitation),
        "request_user_dialog" => return ControlBody::RequestUserDialog,
        _ => return ControlBody::Unknown { subtype },
    };
    known.unwrap_or(ControlBody::Unknown { subtype })
}

fn can_use_tool(request: &RawValue) -> ControlBody<'_> {
    let mut asked: Box<CanUseTool> = serde_json::from_str(request.get()).unwrap_or_default();
    asked.whole = Some(request);
    ControlBody::CanUseTool(asked)
}

/// The requests of a list such as `pending_permission_requests`: each a control request, or only what it asks.
pub(crate) fn requests(list: Option<&RawValue>) -> Vec<ControlRequest<'_>> {
    let entries: Vec<&RawValue> = list
        .and_then(|list| serde_json::from_str(list.get()).ok())
        .unwrap_or_default();
    entries.into_iter().filter_map(entry).collect()
}

fn entry(entry: &RawValue) -> Option<ControlRequest<'_>> {
    let mut request: ControlRequest = serde_json::from_str(entry.get()).ok()?;
    if matches!(request.request, ControlBody::Missing) {
        request.request = match (body(entry), can_use_tool(entry)) {
            (ControlBody::Unknown { subtype }, ControlBody::CanUseTool(asked))
                if subtype.is_empty() && asked.tool_name.is_some() =>
            {
                ControlBody::CanUseTool(asked)
            }
            (body, _) => body,
        };
    }
    Some(request)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{FromCli, read};

    #[test]
    fn a_question_about_a_tool_is_one_whatever_its_shape() {
        for request in [
            r#"{"subtype":"can_use_tool"}"#,
            r#"{"subtype":"can_use_tool","tool_name":5,"input":"words"}"#,
            r#"{"subtype":"can_use_tool","tool_name":"a","tool_name":"b"}"#,
        ] {
            let line =
                format!(r#"{{"type":"control_request","request_id":"q","request":{request}}}"#);
            let line = read(line.as_bytes());
            let FromCli::ControlRequest(asked) = line.from_cli().unwrap() else {
                panic!("{line:?}")
            };
            let ControlBody::CanUseTool(asked) = &asked.request else {
                panic!("{asked:?}")
            };
            assert_eq!(asked.whole.unwrap().get(), request);
        }
    }
}
