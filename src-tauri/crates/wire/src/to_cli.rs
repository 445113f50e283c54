//! What the host says: one line of the CLI's stdin (PROTOCOL 3). Anything that is not valid here ends the CLI, so lines
//! are only built by the functions of this file.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::asked::subtype_of;
use crate::control::ControlResponse;
use crate::from_cli::{kind, valid};
use crate::lenient;
use crate::messages::{ControlCancelRequest, UserLine};

/// A message of the host, read back from a recording or from the session's own writer.
#[derive(Debug, Clone)]
pub enum ToCli<'a> {
    User(Box<UserLine<'a>>),
    ControlRequest(HostRequest<'a>),
    ControlResponse(ControlResponse<'a>),
    ControlCancelRequest(ControlCancelRequest<'a>),
    KeepAlive,
    Unknown,
}

/// A control request of the host.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct HostRequest<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub request_id: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub request: Option<&'a RawValue>,
}

impl HostRequest<'_> {
    /// `initialize`, `interrupt`, `set_model` and so on.
    pub fn subtype(&self) -> Option<Cow<'_, str>> {
        subtype_of(self.request?)
    }
}

/// A block of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PromptBlock {
    Text { text: String },
    Image { source: ImageSource },
}

impl PromptBlock {
    pub fn text(text: impl Into<String>) -> Self {
        PromptBlock::Text { text: text.into() }
    }

    /// An image, `data` being base64.
    pub fn image(media_type: impl Into<String>, data: impl Into<String>) -> Self {
        let source = ImageSource {
            kind: "base64",
            media_type: media_type.into(),
            data: data.into(),
        };
        PromptBlock::Image { source }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImageSource {
    #[serde(rename = "type")]
    kind: &'static str,
    media_type: String,
    /// Base64.
    data: String,
}

/// A prompt as one line without its end. The uuid binds the answer to it (PROTOCOL 7.3) and must be used only once.
pub fn user_message(blocks: &[PromptBlock], uuid: &str) -> String {
    let content = match blocks {
        // A lone text goes as a string, the form that every version reads as a slash command.
        [PromptBlock::Text { text }] => json!(text),
        blocks => json!(blocks),
    };
    json!({
        "type": "user",
        "message": { "role": "user", "content": content },
        "parent_tool_use_id": null,
        "uuid": uuid,
    })
    .to_string()
}

/// A control request as one line without its end. `fields` stand beside `subtype` in the request.
pub fn control_request(request_id: &str, subtype: &str, fields: Map<String, Value>) -> String {
    let mut request = Map::from_iter([("subtype".to_owned(), json!(subtype))]);
    request.extend(fields);
    json!({ "type": "control_request", "request_id": request_id, "request": request }).to_string()
}

/// The answer to a request of the CLI as one line without its end.
pub fn control_success(request_id: &str, payload: &Value) -> String {
    let response = json!({ "subtype": "success", "request_id": request_id, "response": payload });
    json!({ "type": "control_response", "response": response }).to_string()
}

/// The answer to a request that cannot be met, as one line without its end.
pub fn control_error(request_id: &str, error: &str) -> String {
    let response = json!({ "subtype": "error", "request_id": request_id, "error": error });
    json!({ "type": "control_response", "response": response }).to_string()
}

/// The payload that lets a tool run. Always with the whole input: versions below 2.1.240 need it (VERSIONS 4).
pub fn allow(updated_input: Value, updated_permissions: Vec<Value>) -> Value {
    let mut payload = json!({ "behavior": "allow", "updatedInput": updated_input });
    if !updated_permissions.is_empty() {
        payload["updatedPermissions"] = Value::Array(updated_permissions);
    }
    payload
}

/// The payload that stops a tool. The model reads the message.
pub fn deny(message: &str, interrupt: bool) -> Value {
    let mut payload = json!({ "behavior": "deny", "message": message });
    if interrupt {
        payload["interrupt"] = json!(true);
    }
    payload
}

pub(crate) fn parse(json: &str) -> Result<ToCli<'_>, serde_json::Error> {
    let Some(kind) = kind(json)? else {
        return valid(json).map(|()| ToCli::Unknown);
    };
    Ok(match kind.as_ref() {
        "user" => ToCli::User(serde_json::from_str(json)?),
        "control_request" => ToCli::ControlRequest(serde_json::from_str(json)?),
        "control_response" => ToCli::ControlResponse(serde_json::from_str(json)?),
        "control_cancel_request" => ToCli::ControlCancelRequest(serde_json::from_str(json)?),
        "keep_alive" => valid(json).map(|()| ToCli::KeepAlive)?,
        _ => valid(json).map(|()| ToCli::Unknown)?,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{ContentBlock, read, text_of};

    const HARD: &str = "two\nlines\r\n, a \"quote\", NUL \0, \u{2028} and 😀";

    /// What the CLI would read; a line feed inside would make two lines of it.
    fn one_line(line: &str) -> Value {
        assert!(!line.contains(['\n', '\r', '\0']), "{line}");
        serde_json::from_str(line).unwrap()
    }

    #[test]
    fn a_prompt_is_one_line_and_reads_back() {
        let line = user_message(&[PromptBlock::text(HARD)], "id");
        assert_eq!(one_line(&line)["message"]["content"], HARD);
        let image = PromptBlock::image("image/png", "QUJD");
        let line = user_message(&[PromptBlock::text(HARD), image], "id");
        one_line(&line);
        let line = read(line.as_bytes());
        let ToCli::User(prompt) = line.to_cli().unwrap() else {
            panic!("{line:?}")
        };
        let blocks = &prompt.message.as_ref().unwrap().content;
        assert_eq!(
            (text_of(blocks).as_str(), prompt.uuid.as_deref()),
            (HARD, Some("id"))
        );
        let ContentBlock::Other {
            kind,
            source: Some(source),
        } = &blocks[1]
        else {
            panic!("{blocks:?}")
        };
        assert_eq!(
            (kind.as_ref(), source.data.as_deref()),
            ("image", Some("QUJD"))
        );
    }

    #[test]
    fn a_request_keeps_its_subtype_whatever_its_fields() {
        let fields = Map::from_iter([("mode".to_owned(), json!(HARD))]);
        let request = control_request("1", "set_permission_mode", fields);
        let want = json!({ "subtype": "set_permission_mode", "mode": HARD });
        assert_eq!(one_line(&request)["request"], want);
        let line = read(request.as_bytes());
        let ToCli::ControlRequest(request) = line.to_cli().unwrap() else {
            panic!("{line:?}")
        };
        assert_eq!(request.subtype().as_deref(), Some("set_permission_mode"));
    }

    #[test]
    fn answers_have_the_one_form_that_the_cli_takes() {
        let payload = allow(json!({ "command": HARD }), vec![]);
        assert_eq!(
            one_line(&control_success("1", &payload)),
            json!({ "type": "control_response", "response": { "subtype": "success", "request_id": "1",
                "response": { "behavior": "allow", "updatedInput": { "command": HARD } } } })
        );
        assert_eq!(
            one_line(&control_error("1", HARD)),
            json!({ "type": "control_response", "response": { "subtype": "error", "request_id": "1", "error": HARD } })
        );
        assert_eq!(
            deny("no", false),
            json!({ "behavior": "deny", "message": "no" })
        );
        assert_eq!(
            deny("no", true),
            json!({ "behavior": "deny", "message": "no", "interrupt": true })
        );
        let always = allow(json!({}), vec![json!({ "type": "setMode" })]);
        assert_eq!(always["updatedPermissions"], json!([{ "type": "setMode" }]));
    }
}
