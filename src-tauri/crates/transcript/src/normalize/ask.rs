//! AskUserQuestion.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::ToolResult;
use super::result::lax;
use crate::detail::{AskUser, NormalizedPayload};

#[derive(Deserialize)]
struct AskInput {
    questions: Vec<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AskData {
    #[serde(deserialize_with = "lax")]
    answers: Option<Map<String, Value>>,
    #[serde(deserialize_with = "lax")]
    annotations: Option<Map<String, Value>>,
}

pub(super) fn start(input: &Value) -> Option<NormalizedPayload> {
    let AskInput { questions } = AskInput::deserialize(input).ok()?;
    let ask_user = AskUser {
        questions,
        ..AskUser::default()
    };
    Some(NormalizedPayload::AskUser { ask_user })
}

pub(super) fn finish(call: AskUser, result: &ToolResult<'_>) -> AskUser {
    let data: AskData = result.data().unwrap_or_default();
    AskUser {
        answers: data.answers.unwrap_or(call.answers),
        annotations: data.annotations.filter(|notes| !notes.is_empty()),
        error: result.error(),
        ..call
    }
}
