//! The tool detail: what a tool call is about and what came of it, in one shape per kind.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use specta::Type;

/// `{"kind": K, K: {...}}`, exactly one kind-specific field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NormalizedPayload {
    ReadFile { read_file: ReadFile },
    ModifyFile { modify_file: ModifyFile },
    ShellExec { shell_exec: ShellExec },
    CodeSearch { code_search: CodeSearch },
    HttpRequest { http_request: HttpRequest },
    SubagentTask { subagent_task: SubagentTask },
    CreateTask { create_task: CreateTask },
    ManageTodos { manage_todos: ManageTodos },
    ShowPlan { show_plan: ShowPlan },
    AskUser { ask_user: AskUser },
    McpTool { mcp_tool: McpTool },
    Misc { misc: Misc },
    Generic { generic: Generic },
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct ReadFile {
    pub file_path: String,
    #[specta(type = Option<specta_typescript::Number>)]
    pub offset: Option<Number>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub limit: Option<Number>,
    pub output: Option<ReadOutput>,
    /// Why the call failed or did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub error: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct ReadOutput {
    pub content: String,
    #[specta(type = Option<specta_typescript::Number>)]
    pub line_count: Option<u64>,
    pub truncated: bool,
    /// A name that a highlighter knows, from the file's ending.
    pub language: Option<String>,
    pub image: Option<ImageData>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct ImageData {
    pub media_type: String,
    /// Base64.
    pub data: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct ModifyFile {
    pub file_path: String,
    pub mutations: Vec<Mutation>,
    /// Where the file is, if the tool says it in another way than the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub resolved_path: Option<String>,
    /// Why the call failed or did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub error: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
pub struct Mutation {
    #[serde(rename = "type")]
    pub mutation: MutationType,
    /// The whole new content, for a create or a replace.
    pub content: Option<String>,
    pub old_content: Option<String>,
    pub new_content: Option<String>,
    /// A unified diff, `---` and `+++` lines first, with the real line numbers of the file; from 1 where `start_line` is null.
    pub diff: Option<String>,
    /// The first changed line in the file as it is afterwards, from 1; null if the place is not known.
    #[specta(type = Option<specta_typescript::Number>)]
    pub start_line: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum MutationType {
    Create,
    Replace,
    Patch,
    Delete,
    Rename,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct ShellExec {
    pub command: Option<String>,
    pub work_dir: Option<String>,
    pub description: Option<String>,
    /// Milliseconds.
    #[specta(type = Option<specta_typescript::Number>)]
    pub timeout: Option<Number>,
    pub background: bool,
    pub output: Option<ShellOutput>,
    /// The background task that the command became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub task_id: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct ShellOutput {
    /// Windows has codes beyond 31 bits.
    #[specta(type = Option<specta_typescript::Number>)]
    pub exit_code: Option<i64>,
    pub stdout: String,
    pub stderr: String,
    pub interrupted: bool,
    pub truncated: bool,
    /// What the CLI adds in its own words: where a background command writes to, what the exit code means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub note: Option<String>,
    /// The file that holds all of an output that was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub full_output_path: Option<String>,
    /// The output, if it is an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub image: Option<ImageData>,
    /// After so many milliseconds the command was not over, and went on in the background.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional, type = specta_typescript::Number)]
    pub timed_out_ms: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct CodeSearch {
    pub query: Option<String>,
    pub pattern: Option<String>,
    pub path: Option<String>,
    pub glob: Option<String>,
    pub output: Option<SearchOutput>,
    /// Why the call failed or did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub error: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct SearchOutput {
    pub files: Vec<String>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub file_count: Option<u64>,
    pub truncated: bool,
    pub content: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct HttpRequest {
    pub url: Option<String>,
    pub method: Option<String>,
    pub query: Option<String>,
    pub response: Option<String>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub status: Option<Number>,
    pub is_error: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct SubagentTask {
    pub description: Option<String>,
    pub prompt: Option<String>,
    pub subagent_type: Option<String>,
    pub status: Option<String>,
    pub agent_id: Option<String>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub duration_ms: Option<Number>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub total_tokens: Option<Number>,
    #[specta(type = Option<specta_typescript::Number>)]
    pub tool_use_count: Option<Number>,
    pub output: Option<String>,
    /// Why the call failed or did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub error: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct CreateTask {
    pub title: Option<String>,
    pub description: Option<String>,
    pub id: Option<String>,
    /// The title as it reads while the task is worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub active_form: Option<String>,
    /// Why the call failed or did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub error: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct ManageTodos {
    /// `update`, `list`, `get` or `write`.
    pub operation: String,
    pub items: Vec<TodoItem>,
    /// Why the call failed or did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub error: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct TodoItem {
    pub id: Option<String>,
    /// The task's subject, or a todo's content.
    pub description: Option<String>,
    pub status: Option<String>,
    pub active_form: Option<String>,
    /// Who works on it, where agents share a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub owner: Option<String>,
    /// The ids of those that have to be done before. What an update says comes on top of what was known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[specta(optional)]
    pub blocked_by: Vec<String>,
    /// The ids of those that wait for it, as an update and a single task say; a list says it on those alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[specta(optional)]
    pub blocks: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct ShowPlan {
    pub plan: Option<String>,
    pub file_path: Option<String>,
    /// Null until it is answered.
    pub approved: Option<bool>,
    pub edited: Option<bool>,
    /// The plan is to be approved, and nothing tells what it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[specta(optional)]
    pub plan_missing: bool,
    /// Why the call failed or did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub error: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct AskUser {
    /// As the tool was given them: `{question, header, multiSelect, options: [{label, description, preview?}]}`.
    #[specta(type = Vec<specta_typescript::Unknown>)]
    pub questions: Vec<Value>,
    /// By the question's text.
    #[specta(type = specta_typescript::Unknown)]
    pub answers: Map<String, Value>,
    /// Notes on the answers, by the question's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional, type = specta_typescript::Unknown)]
    pub annotations: Option<Map<String, Value>>,
    /// Why the call failed or did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub error: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct McpTool {
    pub server: String,
    pub tool: String,
    #[specta(type = specta_typescript::Unknown)]
    pub input: Value,
    #[specta(type = specta_typescript::Unknown)]
    pub output: Option<Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct Misc {
    pub label: String,
    /// `{input, output}`, both as they came; `output` is null until the call has ended.
    #[specta(type = specta_typescript::Unknown)]
    pub details: Value,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct Generic {
    pub name: String,
    #[specta(type = specta_typescript::Unknown)]
    pub input: Value,
    #[specta(type = specta_typescript::Unknown)]
    pub output: Option<Value>,
}
