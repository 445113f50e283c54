//! Fields that only bridges between the CLI and a host add to a line (PROTOCOL 11). They are no part of the schema, and a
//! name that the schema uses in the line's own kind keeps the schema's meaning.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::from_cli::kind;
use crate::lenient;

/// What a bridge added to a line of any kind.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Bridge<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub turn_id: Option<Cow<'a, str>>,
    /// Which stream the text is of, or whether it is one.
    #[serde(default, borrow)]
    pub stream: Option<&'a RawValue>,
    /// The command that runs, in words or as an array.
    #[serde(default, borrow)]
    pub command: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub text: Option<Cow<'a, str>>,
    /// Whether the text is all so far and not only what came on.
    #[serde(default, borrow)]
    pub snapshot: Option<&'a RawValue>,
    /// A text; the message of an `assistant` or `user` line is an object and none of a bridge.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub message: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub status: Option<Cow<'a, str>>,
}

impl<'a> Bridge<'a> {
    /// Reads what a bridge added to the line. An error when it is no JSON object.
    pub(crate) fn of(json: &'a str) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Subtype<'a> {
            #[serde(default, borrow, deserialize_with = "lenient::text")]
            subtype: Option<Cow<'a, str>>,
        }
        let mut bridge: Bridge = serde_json::from_str(json)?;
        let kind = kind(json)?.unwrap_or_default();
        let subtype = match kind.as_ref() {
            "system" => serde_json::from_str::<Subtype>(json)?.subtype,
            _ => None,
        };
        match subtype.as_deref().unwrap_or(&kind) {
            "status" | "task_notification" | "plugin_install" | "control_request_progress" => {
                bridge.status = None;
            }
            "permission_denied" => bridge.message = None,
            "notification" => bridge.text = None,
            _ => {}
        }
        Ok(bridge)
    }

    /// Whether there is nothing of a bridge in the line.
    pub fn is_empty(&self) -> bool {
        let Self {
            turn_id,
            stream,
            command,
            text,
            snapshot,
            message,
            status,
        } = self;
        let texts = [turn_id, text, message, status];
        let raws = [stream, command, snapshot];
        texts.iter().all(|field| field.is_none()) && raws.iter().all(|field| field.is_none())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{FromCli, SystemBody, read};

    #[test]
    fn what_a_bridge_adds_is_read_from_any_line_and_changes_nothing_else() {
        let line = read(
            br#"{"type":"assistant","message":{"id":"m","content":"words"},"turn_id":"t","stream":"stdout","command":["ls"],"text":"a","snapshot":true,"status":"running","uuid":"u"}"#,
        );
        let bridge = line.bridge().unwrap();
        assert_eq!(
            (
                bridge.turn_id.as_deref(),
                bridge.text.as_deref(),
                bridge.status.as_deref(),
                bridge.message.as_deref()
            ),
            (Some("t"), Some("a"), Some("running"), None)
        );
        let raw = |field: Option<&serde_json::value::RawValue>| field.unwrap().get().to_owned();
        assert_eq!(raw(bridge.stream), r#""stdout""#);
        assert_eq!(raw(bridge.command), r#"["ls"]"#);
        assert_eq!(raw(bridge.snapshot), "true");
        let FromCli::Assistant(message) = line.from_cli().unwrap() else {
            panic!("{line:?}")
        };
        assert_eq!(message.message.as_ref().unwrap().id.as_deref(), Some("m"));
    }

    #[test]
    fn a_name_of_the_schema_keeps_its_meaning() {
        for (line, field) in [
            (
                r#"{"type":"system","subtype":"task_notification","status":"completed"}"#,
                "status",
            ),
            (
                r#"{"type":"task_notification","status":"completed"}"#,
                "status",
            ),
            (
                r#"{"type":"system","subtype":"permission_denied","message":"no"}"#,
                "message",
            ),
            (
                r#"{"type":"system","subtype":"notification","text":"hello"}"#,
                "text",
            ),
        ] {
            let line = read(line.as_bytes());
            assert!(line.bridge().unwrap().is_empty(), "{field}: {line:?}");
        }
        let line = read(br#"{"type":"rate_limit","message":"soon","status":"x"}"#);
        let bridge = line.bridge().unwrap();
        assert_eq!(bridge.message.as_deref(), Some("soon"));
        assert_eq!(bridge.status.as_deref(), Some("x"));
    }

    #[test]
    fn a_task_line_of_the_older_form_has_its_bridge_with_it() {
        let line = read(br#"{"type":"task_progress","task_id":"t","turn_id":"n","text":"a"}"#);
        let FromCli::System(system) = line.from_cli().unwrap() else {
            panic!("{line:?}")
        };
        assert!(matches!(system.body, SystemBody::TaskProgress(_)));
        assert_eq!(
            system.bridge.as_ref().unwrap().turn_id.as_deref(),
            Some("n")
        );
    }
}
