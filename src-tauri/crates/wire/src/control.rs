//! Control requests and their answers (PROTOCOL 3.2, 3.3, 6). Both sides ask, both sides answer, in one envelope.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::value::RawValue;

use crate::lenient;
use crate::system::SlashCommand;

/// The CLI asks the host. Exactly one answer ends it, or a `control_cancel_request`.
#[derive(Debug, Clone, Deserialize)]
pub struct ControlRequest<'a> {
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
    Elicitation(Elicitation<'a>),
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
    pub agent_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub title: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::flag")]
    pub requires_user_interaction: Option<bool>,
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

#[derive(Debug, Clone, Default, Deserialize)]
pub struct McpMessage<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub server_name: Option<Cow<'a, str>>,
    /// JSON-RPC.
    #[serde(default, borrow)]
    pub message: Option<&'a RawValue>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub struct Elicitation<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub mcp_server_name: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub message: Option<Cow<'a, str>>,
    /// `form` or `url`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub mode: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub requested_schema: Option<&'a RawValue>,
}

/// An answer, of either side. Old versions can answer one request twice: the first counts.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ControlResponse<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::object")]
    pub response: Option<ResponseBody<'a>>,
    /// Where older write-ups put the id. The CLI ignores answers of that form.
    #[serde(
        default,
        borrow,
        rename = "request_id",
        deserialize_with = "lenient::text"
    )]
    pub outer_request_id: Option<Cow<'a, str>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub struct ResponseBody<'a> {
    /// `success` or `error`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub subtype: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub request_id: Option<Cow<'a, str>>,
    /// The payload; absent in mere acknowledgements.
    #[serde(default, borrow)]
    pub response: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub error: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub error_code: Option<Cow<'a, str>>,
    /// Questions that are still open, in the initialize answer of a running process.
    #[serde(default, borrow)]
    pub pending_permission_requests: Option<&'a RawValue>,
}

impl ControlResponse<'_> {
    /// The request that is answered; the place beside `response` counts only if there is none inside.
    pub fn request_id(&self) -> Option<&str> {
        self.response
            .as_ref()
            .and_then(|inner| inner.request_id.as_deref())
            .or(self.outer_request_id.as_deref())
    }

    /// The payload of a success, the CLI's words of an error. A bare success has `Ok(None)`.
    pub fn outcome(&self) -> Result<Option<&RawValue>, &str> {
        match &self.response {
            Some(ResponseBody {
                subtype: Some(subtype),
                response,
                ..
            }) if subtype != "error" => Ok(*response),
            Some(ResponseBody { error, .. }) => {
                Err(error.as_deref().unwrap_or("the CLI gave no reason"))
            }
            None => Err("the answer is empty"),
        }
    }
}

/// The answer to a `can_use_tool`, as the host gives it (PROTOCOL 6.1).
#[derive(Debug, Clone, Default, Deserialize)]
pub struct PermissionAnswer<'a> {
    /// `allow`; anything else denies.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub behavior: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub message: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::flag")]
    pub interrupt: Option<bool>,
}

/// The part of the initialize answer that hosts use (PROTOCOL 3.3).
#[derive(Debug, Clone, Default, Deserialize)]
pub struct InitializeAnswer<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::objects")]
    pub commands: Vec<SlashCommand<'a>>,
    /// `{value, displayName, description, ...}` each. Answers of other requests with a command list have none.
    #[serde(default, borrow)]
    pub models: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub account: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub claude_code_version: Option<Cow<'a, str>>,
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
    let Some(request) = Option::<&'de RawValue>::deserialize(from)? else {
        return Ok(ControlBody::Missing);
    };
    let json = request.get();
    if !json.starts_with('{') {
        return Ok(ControlBody::Missing);
    }
    let subtype = subtype_of(request).unwrap_or_default();
    let read = || -> Result<ControlBody<'de>, serde_json::Error> {
        Ok(match subtype.as_ref() {
            "can_use_tool" => ControlBody::CanUseTool(serde_json::from_str(json)?),
            "hook_callback" => ControlBody::HookCallback(serde_json::from_str(json)?),
            "mcp_message" => ControlBody::McpMessage(serde_json::from_str(json)?),
            "elicitation" => ControlBody::Elicitation(serde_json::from_str(json)?),
            "request_user_dialog" => ControlBody::RequestUserDialog,
            _ => ControlBody::Unknown {
                subtype: subtype.clone(),
            },
        })
    };
    read().map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{FromCli, read};

    /// The id and the outcome that a host reads from an answer.
    fn answer(line: &str) -> (Option<String>, Result<Option<String>, String>) {
        let line = read(line.as_bytes());
        let FromCli::ControlResponse(answer) = line.from_cli().unwrap() else {
            panic!("{line:?}")
        };
        let outcome = match answer.outcome() {
            Ok(payload) => Ok(payload.map(|payload| payload.get().to_owned())),
            Err(error) => Err(error.to_owned()),
        };
        (answer.request_id().map(str::to_owned), outcome)
    }

    #[test]
    fn an_answer_names_its_request_inside_or_as_a_fallback_beside() {
        let inside = r#"{"type":"control_response","request_id":"b","response":{"subtype":"success","request_id":"a","response":{"x":1}}}"#;
        assert_eq!(
            answer(inside),
            (Some("a".into()), Ok(Some(r#"{"x":1}"#.into())))
        );
        let beside =
            r#"{"request_id":"b","type":"control_response","response":{"subtype":"success"}}"#;
        assert_eq!(answer(beside), (Some("b".into()), Ok(None)));
        let error = r#"{"type":"control_response","response":{"subtype":"error","request_id":"a","error":"no such mode"}}"#;
        assert_eq!(
            answer(error),
            (Some("a".into()), Err("no such mode".into()))
        );
        let empty = r#"{"type":"control_response","response":null}"#;
        assert_eq!(answer(empty).0, None);
        assert!(answer(empty).1.is_err());
    }
}
