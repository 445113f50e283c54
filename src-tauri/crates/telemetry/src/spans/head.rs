//! As much of a line as says which spans it belongs to.

use serde::Deserialize;
use serde_json::Value;

/// What of a line decides where it belongs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Head {
    #[serde(rename = "type")]
    pub kind: String,
    pub subtype: Option<String>,
    pub request_id: Option<String>,
    pub parent_tool_use_id: Option<String>,
    pub request: Option<Request>,
    pub response: Option<Response>,
    pub event: Option<Stream>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Request {
    pub subtype: String,
    pub input: Option<HookInput>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct HookInput {
    pub hook_event_name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Response {
    pub request_id: Option<String>,
    pub response: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Stream {
    #[serde(rename = "type")]
    pub kind: String,
}
