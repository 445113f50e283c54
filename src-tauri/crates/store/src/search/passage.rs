//! What of an event can be found: the words of a person and of the model, and what a tool call is about. Not what tools
//! printed.

use kandev_transcript::{NormalizedPayload, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;

/// How many bytes of a tool's free-form input are searchable.
const INPUT: usize = 4 * 1024;

/// What kind of text a hit stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum HitKind {
    Prompt,
    Answer,
    /// A tool call that is neither of the two below.
    Tool,
    /// A tool call on a file.
    Path,
    /// A tool call that runs a command.
    Command,
    Title,
}

impl HitKind {
    const ALL: [Self; 6] = [
        Self::Prompt,
        Self::Answer,
        Self::Tool,
        Self::Path,
        Self::Command,
        Self::Title,
    ];

    /// The word for it, the same in the database, in JSON and on a page.
    pub fn word(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Answer => "answer",
            Self::Tool => "tool",
            Self::Path => "path",
            Self::Command => "command",
            Self::Title => "title",
        }
    }

    pub(super) fn of_word(word: &str) -> Self {
        let named = Self::ALL.into_iter().find(|kind| kind.word() == word);
        named.unwrap_or(Self::Tool)
    }
}

/// One text with its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Passage {
    pub seq: u64,
    pub at: String,
    pub kind: HitKind,
    /// The message or the call it belongs to.
    pub of: Option<String>,
    /// It takes the place of what was said under `of` before.
    pub replaces: bool,
    pub text: String,
}

/// What a call is about, in words: its title, its command, its path, what it asks.
pub(crate) fn of_call(call: &ToolCall) -> (HitKind, String) {
    let mut parts = Parts::default();
    parts.add(&call.tool_title);
    let kind = match &call.normalized {
        NormalizedPayload::ReadFile { read_file } => {
            parts.add(&read_file.file_path);
            HitKind::Path
        }
        NormalizedPayload::ModifyFile { modify_file } => {
            parts.add(&modify_file.file_path);
            parts.maybe(&modify_file.resolved_path);
            HitKind::Path
        }
        NormalizedPayload::ShellExec { shell_exec } => {
            parts.maybe(&shell_exec.command);
            parts.maybe(&shell_exec.description);
            HitKind::Command
        }
        NormalizedPayload::CodeSearch { code_search } => {
            for part in [
                &code_search.query,
                &code_search.pattern,
                &code_search.path,
                &code_search.glob,
            ] {
                parts.maybe(part);
            }
            HitKind::Tool
        }
        NormalizedPayload::HttpRequest { http_request } => {
            parts.maybe(&http_request.url);
            parts.maybe(&http_request.query);
            HitKind::Tool
        }
        NormalizedPayload::SubagentTask { subagent_task } => {
            parts.maybe(&subagent_task.description);
            parts.maybe(&subagent_task.prompt);
            HitKind::Tool
        }
        NormalizedPayload::CreateTask { create_task } => {
            parts.maybe(&create_task.title);
            parts.maybe(&create_task.description);
            HitKind::Tool
        }
        NormalizedPayload::ManageTodos { .. } => HitKind::Tool,
        NormalizedPayload::ShowPlan { show_plan } => {
            parts.maybe(&show_plan.plan);
            parts.maybe(&show_plan.file_path);
            HitKind::Tool
        }
        NormalizedPayload::AskUser { ask_user } => {
            for question in &ask_user.questions {
                parts.add(question["question"].as_str().unwrap_or_default());
            }
            for answer in ask_user.answers.values() {
                parts.leaves(answer);
            }
            HitKind::Tool
        }
        NormalizedPayload::McpTool { mcp_tool } => {
            parts.add(&mcp_tool.server);
            parts.add(&mcp_tool.tool);
            parts.leaves(&mcp_tool.input);
            HitKind::Tool
        }
        NormalizedPayload::Misc { misc } => {
            parts.add(&misc.label);
            parts.leaves(&misc.details["input"]);
            HitKind::Tool
        }
        NormalizedPayload::Generic { generic } => {
            parts.add(&generic.name);
            parts.leaves(&generic.input);
            HitKind::Tool
        }
    };
    (kind, parts.0)
}

/// Texts one after the other; what was said already is not said again.
#[derive(Default)]
struct Parts(String);

impl Parts {
    fn add(&mut self, part: &str) {
        if part.is_empty() || self.0.contains(part) {
            return;
        }
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(part);
    }

    fn maybe(&mut self, part: &Option<String>) {
        self.add(part.as_deref().unwrap_or_default());
    }

    /// The texts in a value, as far as they are short enough.
    fn leaves(&mut self, value: &Value) {
        if self.0.len() > INPUT {
            return;
        }
        match value {
            Value::String(text) => {
                let end = text.floor_char_boundary(INPUT.min(text.len()));
                self.add(&text[..end]);
            }
            Value::Array(items) => items.iter().for_each(|item| self.leaves(item)),
            Value::Object(fields) => fields.values().for_each(|field| self.leaves(field)),
            _ => {}
        }
    }
}
