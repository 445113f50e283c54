//! Answers to control requests (PROTOCOL 3.2, 3.3, 6): both sides answer in one envelope.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::value::RawValue;

use crate::asked::{self, ControlRequest};
use crate::lenient;
use crate::system::SlashCommand;

/// An answer, of either side. Old versions can answer one request twice: the first counts.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ControlResponse<'a> {
    #[serde(default, borrow, deserialize_with = "response_body")]
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
    /// Questions that are still open, in the answers of a running process.
    #[serde(default, borrow)]
    pub pending_permission_requests: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub pending_user_dialog_requests: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub pending_elicitation_requests: Option<&'a RawValue>,
    /// The body as it came: older write-ups have the payload in its place.
    #[serde(skip)]
    pub whole: Option<&'a RawValue>,
}

impl<'a> ResponseBody<'a> {
    /// The CLI's requests that are still open, of every kind, for a host that joins late. They stand beside a success and
    /// beside an error.
    pub fn pending(&self) -> Vec<ControlRequest<'a>> {
        [
            self.pending_permission_requests,
            self.pending_user_dialog_requests,
            self.pending_elicitation_requests,
        ]
        .into_iter()
        .flat_map(asked::requests)
        .collect()
    }
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
        let Some(body) = &self.response else {
            return Err("the answer is empty");
        };
        let failed = match &body.subtype {
            Some(subtype) => subtype == "error",
            None => body.error.is_some(),
        };
        match (failed, &body.subtype) {
            (true, _) => Err(body.error.as_deref().unwrap_or("the CLI gave no reason")),
            (false, Some(_)) => Ok(body.response),
            // The older form: what is answered stands where the envelope's inside is now.
            (false, None) => Ok(body.response.or(body.whole)),
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
    /// The input to run with; absent or empty is the one that was asked about.
    #[serde(default, borrow, rename = "updatedInput")]
    pub updated_input: Option<&'a RawValue>,
    #[serde(default, borrow, rename = "updatedPermissions")]
    pub updated_permissions: Option<&'a RawValue>,
}

/// The answer to an `elicitation`, as the host gives it (PROTOCOL 6.7).
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ElicitationAnswer<'a> {
    /// `accept`, `decline` or `cancel`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub action: Option<Cow<'a, str>>,
    /// What the user filled in.
    #[serde(default, borrow)]
    pub content: Option<&'a RawValue>,
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

fn response_body<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<ResponseBody<'de>>, D::Error> {
    let whole =
        Option::<&'de RawValue>::deserialize(from)?.filter(|raw| raw.get().starts_with('{'));
    let Some(whole) = whole else { return Ok(None) };
    let mut body: ResponseBody =
        serde_json::from_str(whole.get()).map_err(serde::de::Error::custom)?;
    body.whole = Some(whole);
    Ok(Some(body))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{ControlBody, ControlRequest, FromCli, read};

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
        let older = r#"{"type":"control_response","request_id":"b","response":{"commands":[]}}"#;
        assert_eq!(
            answer(older),
            (Some("b".into()), Ok(Some(r#"{"commands":[]}"#.into())))
        );
        let older = r#"{"type":"control_response","request_id":"b","response":{"error":"no"}}"#;
        assert_eq!(answer(older), (Some("b".into()), Err("no".into())));
        let empty = r#"{"type":"control_response","response":null}"#;
        assert_eq!(answer(empty).0, None);
        assert!(answer(empty).1.is_err());
    }

    #[test]
    fn open_questions_stand_beside_a_success_and_beside_an_error() {
        let request = r#"{"subtype":"can_use_tool","tool_name":"Bash","input":{}}"#;
        for (subtype, entry) in [
            (
                "success",
                format!(r#"{{"type":"control_request","request_id":"q","request":{request}}}"#),
            ),
            (
                "error",
                format!(r#"{{"request_id":"q","request":{request}}}"#),
            ),
            ("success", request.replacen('{', r#"{"request_id":"q","#, 1)),
        ] {
            let line = format!(
                r#"{{"type":"control_response","response":{{"subtype":"{subtype}","request_id":"a","pending_permission_requests":[{entry},7],"pending_elicitation_requests":null}}}}"#
            );
            let line = read(line.as_bytes());
            let FromCli::ControlResponse(answer) = line.from_cli().unwrap() else {
                panic!("{line:?}")
            };
            let pending = answer.response.as_ref().unwrap().pending();
            let [
                ControlRequest {
                    request_id: Some(id),
                    request: ControlBody::CanUseTool(asked),
                },
            ] = &pending[..]
            else {
                panic!("{pending:?}")
            };
            assert_eq!(
                (id.as_ref(), asked.tool_name.as_deref()),
                ("q", Some("Bash"))
            );
        }
    }
}
