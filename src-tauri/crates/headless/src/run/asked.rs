//! A question that is open: whether a tool may run, or what an MCP server wants to know.

use kandev_session::Decision;
use kandev_transcript::{ActionType, PermissionRequest};
use serde_json::{Map, Value, json};

use super::form::Form;

#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    Tool(Box<PermissionRequest>),
    Input(Form),
}

impl Asked {
    pub fn id(&self) -> &str {
        match self {
            Self::Tool(request) => &request.pending_id,
            Self::Input(form) => &form.id,
        }
    }

    /// What a rehearsal says when nobody is there: yes, with the first of everything.
    pub fn first_answers(&self) -> Decision {
        let updated_input = match self {
            Self::Tool(request) => first_options(request),
            Self::Input(form) => Some(form.first_answers()),
        };
        Decision::Allow {
            updated_input,
            suggestions: Vec::new(),
        }
    }
}

/// The first option of each question, for a question in words.
fn first_options(request: &PermissionRequest) -> Option<Value> {
    if request.action_type != ActionType::Question {
        return None;
    }
    let questions = request.input.get("questions").and_then(Value::as_array)?;
    let answer = |question: &Value| {
        let label = question["options"][0]["label"].as_str()?;
        Some((question["question"].as_str()?.to_owned(), json!(label)))
    };
    let answers: Map<String, Value> = questions.iter().filter_map(answer).collect();
    Some(json!({ "answers": answers }))
}
