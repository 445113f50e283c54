//! What came of a tool call, as text.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;

use crate::detail::NormalizedPayload;

/// Which of the texts that a call gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum OutputStream {
    Stdout,
    Stderr,
    /// What a tool gave that runs no command: a file, an answer, a page.
    Text,
}

impl NormalizedPayload {
    /// What the call gave, whole. None until there is something, and of kinds that have no such text.
    pub fn output(&self, stream: OutputStream) -> Option<Cow<'_, str>> {
        let text = |text: &'_ Option<String>| text.clone().map(Cow::Owned);
        if let (Self::ShellExec { shell_exec }, _) = (self, stream) {
            let output = shell_exec.output.as_ref()?;
            return Some(Cow::Borrowed(match stream {
                OutputStream::Stderr => &output.stderr,
                OutputStream::Stdout | OutputStream::Text => &output.stdout,
            }));
        }
        if stream != OutputStream::Text {
            return None;
        }
        match self {
            Self::ReadFile { read_file } => match &read_file.output {
                Some(output) => Some(Cow::Borrowed(&*output.content)),
                None => text(&read_file.error),
            },
            Self::CodeSearch { code_search } => match &code_search.output {
                Some(output) => Some(match &output.content {
                    Some(content) => Cow::Borrowed(&**content),
                    None => Cow::Owned(output.files.join("\n")),
                }),
                None => text(&code_search.error),
            },
            Self::HttpRequest { http_request } => text(&http_request.response),
            Self::SubagentTask { subagent_task } => {
                text(&subagent_task.output).or_else(|| text(&subagent_task.error))
            }
            Self::ShowPlan { show_plan } => text(&show_plan.plan),
            Self::McpTool { mcp_tool } => mcp_tool.output.as_ref().map(text_of),
            Self::Generic { generic } => generic.output.as_ref().map(text_of),
            Self::Misc { misc } => match &misc.details["output"] {
                Value::Null => None,
                output => Some(text_of(output)),
            },
            Self::ModifyFile { modify_file } => text(&modify_file.error),
            Self::CreateTask { create_task } => text(&create_task.error),
            Self::ManageTodos { manage_todos } => text(&manage_todos.error),
            Self::AskUser { ask_user } => text(&ask_user.error),
            Self::ShellExec { .. } => None,
        }
    }
}

impl NormalizedPayload {
    /// What the call changed in files, as it is shown.
    pub fn changes(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let mutations = match self {
            Self::ModifyFile { modify_file } => &modify_file.mutations[..],
            _ => &[],
        };
        mutations.iter().filter_map(|mutation| {
            let text = mutation.diff.as_ref().or(mutation.content.as_ref());
            let text = text.or(mutation.new_content.as_ref());
            text.map(|text| Cow::Borrowed(text.as_str()))
        })
    }
}

/// What a value says: a text as it is, content blocks as their texts, anything else as JSON.
pub(crate) fn text_of(value: &Value) -> Cow<'_, str> {
    if let Value::String(text) = value {
        return Cow::Borrowed(text);
    }
    let blocks = value.get("content").unwrap_or(value).as_array();
    let texts = blocks
        .filter(|blocks| !blocks.is_empty())
        .and_then(|blocks| {
            let texts = blocks.iter().map(|block| block.get("text")?.as_str());
            texts.collect::<Option<Vec<_>>>()
        });
    Cow::Owned(match texts {
        Some(texts) => texts.join("\n"),
        None => format!("{value:#}"),
    })
}
