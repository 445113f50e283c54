//! Agent, which older versions call Task.

use serde::Deserialize;
use serde_json::{Number, Value};

use super::ToolResult;
use super::result::lax;
use crate::detail::{NormalizedPayload, SubagentTask};

#[derive(Deserialize)]
struct AgentInput {
    description: Option<String>,
    prompt: String,
    subagent_type: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AgentData {
    #[serde(deserialize_with = "lax")]
    status: Option<String>,
    #[serde(deserialize_with = "lax")]
    agent_id: Option<String>,
    #[serde(deserialize_with = "lax")]
    total_duration_ms: Option<Number>,
    #[serde(deserialize_with = "lax")]
    total_tokens: Option<Number>,
    #[serde(deserialize_with = "lax")]
    total_tool_use_count: Option<Number>,
    #[serde(deserialize_with = "lax")]
    content: Option<Vec<Part>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Part {
    #[serde(deserialize_with = "lax")]
    text: Option<String>,
}

pub(super) fn start(input: &Value) -> Option<NormalizedPayload> {
    let AgentInput {
        description,
        prompt,
        subagent_type,
    } = AgentInput::deserialize(input).ok()?;
    let subagent_task = SubagentTask {
        description,
        prompt: Some(prompt),
        subagent_type,
        ..SubagentTask::default()
    };
    Some(NormalizedPayload::SubagentTask { subagent_task })
}

pub(super) fn finish(call: SubagentTask, result: &ToolResult<'_>) -> SubagentTask {
    let error = result.error();
    let Some(data) = result.data::<AgentData>() else {
        let report = error.is_none().then(|| report(&result.texts()));
        return SubagentTask {
            output: report.filter(|text| !text.is_empty()),
            error,
            ..call
        };
    };
    let output = data.content.map(|parts| {
        let text: String = parts.into_iter().filter_map(|part| part.text).collect();
        without_tools_used(&text).trim().to_owned()
    });
    SubagentTask {
        status: data.status,
        agent_id: data.agent_id,
        duration_ms: data.total_duration_ms,
        total_tokens: data.total_tokens,
        tool_use_count: data.total_tool_use_count,
        output,
        error,
        ..call
    }
}

/// The text without its first block of that name, a note for the model.
fn without_tools_used(text: &str) -> String {
    const OPEN: &str = "<tools-used-before-summary>";
    const CLOSE: &str = "</tools-used-before-summary>";
    let block = text.find(OPEN).and_then(|start| {
        let length = text[start..].find(CLOSE)?;
        Some((start, start + length + CLOSE.len()))
    });
    match block {
        Some((start, end)) => [&text[..start], text[end..].trim_start()].concat(),
        None => text.to_owned(),
    }
}

/// The report in what the model was told: after the hand-back notice, which indents it, and before the figures.
fn report(texts: &[String]) -> String {
    let text = texts
        .iter()
        .filter(|text| !text.starts_with("agentId: "))
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("\n");
    let Some((notes, rest)) = text.split_once("The report follows:\n") else {
        return without_tools_used(&text).trim().to_owned();
    };
    if !notes.contains("[Subagent hand-back]") {
        return without_tools_used(&text).trim().to_owned();
    }
    let lines = rest
        .split('\n')
        .take_while(|line| !line.starts_with("agentId: "));
    let lines = lines.map(|line| line.strip_prefix("  ").unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}
