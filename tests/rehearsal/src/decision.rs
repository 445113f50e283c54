//! What the host answers to a question, and the words in which the CLI passes it on.

use serde_json::Value;

use crate::track::text;

/// Text that the CLI puts in place of an answer that it cannot read (PROTOCOL 6.1).
pub const INVALID: &str = "The canUseTool callback returned an invalid permission result. Expected {behavior: 'allow', updatedInput?: object} or \
    {behavior: 'deny', message: string}.";
pub const STREAM_CLOSED: &str = "Tool permission request failed: AbortError: Tool permission stream closed before response received";

/// What an answer to `can_use_tool` comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    Allow {
        input: Option<Value>,
        permissions: Vec<Value>,
    },
    Deny {
        message: String,
        interrupt: bool,
    },
    Failed(String),
}

/// Reads the `response` of a `control_response`.
pub fn decision(response: &Value) -> Decision {
    if response["subtype"] != "success" {
        return Decision::Failed(format!(
            "Tool permission request failed: Error: {}",
            text(&response["error"])
        ));
    }
    let payload = &response["response"];
    match (payload["behavior"].as_str(), payload["message"].as_str()) {
        (Some("allow"), _) => Decision::Allow {
            input: payload["updatedInput"]
                .as_object()
                .filter(|input| !input.is_empty())
                .map(|input| Value::Object(input.clone())),
            permissions: payload["updatedPermissions"]
                .as_array()
                .cloned()
                .unwrap_or_default(),
        },
        (Some("deny"), Some(message)) => Decision::Deny {
            message: message.to_owned(),
            interrupt: payload["interrupt"] == true,
        },
        _ => Decision::Failed(INVALID.to_owned()),
    }
}

/// The words in which the CLI passes on the answers to questions.
pub fn answered(answers: &Value) -> String {
    let said: Vec<String> = answers
        .as_object()
        .into_iter()
        .flatten()
        .map(|(question, answer)| {
            format!(
                "\"{question}\"=\"{}\"",
                answer
                    .as_str()
                    .map_or_else(|| answer.to_string(), str::to_owned)
            )
        })
        .collect();
    if said.is_empty() {
        "The user did not answer the questions.".to_owned()
    } else {
        format!(
            "Your questions have been answered: {}. You can now continue with these answers in mind.",
            said.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_are_read_as_the_cli_reads_them() {
        let success = |payload: Value| {
            decision(&json!({"subtype": "success", "request_id": "a", "response": payload}))
        };
        assert_eq!(
            success(json!({"behavior": "allow", "updatedInput": {}})),
            Decision::Allow {
                input: None,
                permissions: vec![]
            }
        );
        assert_eq!(
            success(json!({"behavior": "deny", "message": "no"})),
            Decision::Deny {
                message: "no".to_owned(),
                interrupt: false
            }
        );
        for bad in [
            json!({}),
            json!({"behavior": "deny"}),
            json!({"behavior": "maybe"}),
        ] {
            assert_eq!(success(bad), Decision::Failed(INVALID.to_owned()));
        }
        assert!(
            matches!(decision(&json!({"subtype": "error", "error": "x"})), Decision::Failed(words) if words.ends_with("Error: x"))
        );
    }

    #[test]
    fn answers_are_passed_on() {
        assert!(answered(&json!({"Which?": "SQLite"})).contains("\"Which?\"=\"SQLite\""));
        assert!(answered(&Value::Null).contains("did not answer"));
    }
}
