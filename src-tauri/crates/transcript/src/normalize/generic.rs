//! Tools that no one knows, and inputs that no one can read: shown as they came.

use serde_json::Value;

use super::ToolResult;
use crate::detail::{Generic, NormalizedPayload};

pub(super) fn start(name: &str, input: &Value) -> NormalizedPayload {
    let generic = Generic {
        name: name.to_owned(),
        input: input.clone(),
        output: None,
    };
    NormalizedPayload::Generic { generic }
}

pub(super) fn finish(call: Generic, result: &ToolResult<'_>) -> Generic {
    Generic {
        output: result.said(),
        ..call
    }
}
