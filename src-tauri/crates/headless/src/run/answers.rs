//! The answers of a script: one JSON object a line on stdin.

use kandev_session::Decision;
use serde::Deserialize;
use serde_json::Value;

/// `{"pending_id","behavior","message"?,"updated_input"?,"suggestion"?,"interrupt"?}`
#[derive(Deserialize)]
struct Answer {
    pending_id: String,
    behavior: Behavior,
    message: Option<String>,
    updated_input: Option<Value>,
    /// A place in the request's `suggestions`, from 0.
    suggestion: Option<u32>,
    #[serde(default)]
    interrupt: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Behavior {
    Allow,
    Deny,
}

/// Reads one line: which question, and what is decided.
pub fn read(line: &str) -> Result<(String, Decision), serde_json::Error> {
    let Answer {
        pending_id,
        behavior,
        message,
        updated_input,
        suggestion,
        interrupt,
    } = serde_json::from_str(line)?;
    let decision = match behavior {
        Behavior::Allow => Decision::Allow {
            updated_input,
            suggestions: suggestion.into_iter().collect(),
        },
        Behavior::Deny => Decision::Deny { message, interrupt },
    };
    Ok((pending_id, decision))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_can_change_the_input_and_take_a_suggestion() {
        let line = r#"{"pending_id":"q","behavior":"allow","updated_input":{"command":"ls"},"suggestion":1}"#;
        let decision = Decision::Allow {
            updated_input: Some(json!({"command": "ls"})),
            suggestions: vec![1],
        };
        assert_eq!(read(line).unwrap(), ("q".to_owned(), decision));
    }

    #[test]
    fn a_denial_can_have_a_message() {
        let line = r#"{"pending_id":"q","behavior":"deny","message":"no"}"#;
        let decision = Decision::Deny {
            message: Some("no".to_owned()),
            interrupt: false,
        };
        assert_eq!(read(line).unwrap().1, decision);
    }

    #[test]
    fn nothing_but_the_two_words_is_a_decision() {
        for line in [
            r#"{"pending_id":"q","behavior":"yes"}"#,
            r#"{"pending_id":"q"}"#,
            r#"{"behavior":"allow"}"#,
            "y",
        ] {
            assert!(read(line).is_err(), "{line}");
        }
    }
}
