//! A tool call as the few things that a page shows of it.

use kandev_transcript::{ImageData, McpTool, Mutation, NormalizedPayload, ToolCall, ToolStatus};
use serde_json::Value;

use super::clean;

/// What stands below the line that names the call.
#[derive(Debug, PartialEq)]
pub(super) enum Part {
    /// Text as it came, with a name that a highlighter knows.
    Code {
        language: &'static str,
        text: String,
    },
    /// Text that is Markdown.
    Prose(String),
    /// Something went wrong.
    Wrong(String),
    Picture(ImageData),
}

/// The name of the tool and what it is about, on one line.
pub(super) fn head(call: &ToolCall) -> String {
    let (name, title) = (clean::line(&call.tool_name), clean::line(&call.tool_title));
    match title.as_str() {
        "" => name,
        title if title.starts_with(&name) => title.to_owned(),
        title => format!("{name}: {title}"),
    }
}

pub(super) fn mark(call: &ToolCall) -> &'static str {
    match call.tool_status {
        ToolStatus::Complete => "✓",
        ToolStatus::Error => "✗",
        ToolStatus::Running => "…",
    }
}

pub(super) fn parts(call: &ToolCall) -> Vec<Part> {
    let mut parts = Parts(Vec::new());
    match &call.normalized {
        NormalizedPayload::ReadFile { read_file } => {
            if let Some(output) = &read_file.output {
                parts.code("", &output.content);
                parts.0.extend(output.image.clone().map(Part::Picture));
            }
            parts.wrong(&read_file.error);
        }
        NormalizedPayload::ModifyFile { modify_file } => {
            modify_file
                .mutations
                .iter()
                .for_each(|one| parts.mutation(one));
            parts.wrong(&modify_file.error);
        }
        NormalizedPayload::ShellExec { shell_exec } => {
            parts.code("sh", shell_exec.command.as_deref().unwrap_or_default());
            if let Some(output) = &shell_exec.output {
                parts.code("", &output.stdout);
                parts.code("", &output.stderr);
                parts.0.extend(output.image.clone().map(Part::Picture));
                if let Some(code) = output.exit_code.filter(|code| *code != 0) {
                    parts.0.push(Part::Wrong(format!("exit status {code}")));
                }
            }
        }
        NormalizedPayload::CodeSearch { code_search } => {
            if let Some(output) = &code_search.output {
                match &output.content {
                    Some(content) => parts.code("", content),
                    None => parts.code("", &output.files.join("\n")),
                }
            }
            parts.wrong(&code_search.error);
        }
        NormalizedPayload::HttpRequest { http_request } => {
            parts.code("", http_request.url.as_deref().unwrap_or_default());
            parts.prose(http_request.response.as_deref().unwrap_or_default());
        }
        NormalizedPayload::SubagentTask { subagent_task } => {
            parts.prose(subagent_task.output.as_deref().unwrap_or_default());
            parts.wrong(&subagent_task.error);
        }
        NormalizedPayload::CreateTask { create_task } => {
            parts.prose(create_task.description.as_deref().unwrap_or_default());
            parts.wrong(&create_task.error);
        }
        NormalizedPayload::ManageTodos { manage_todos } => {
            let item = |item: &kandev_transcript::TodoItem| {
                let done = item.status.as_deref() == Some("completed");
                let words = clean::line(item.description.as_deref().unwrap_or_default());
                format!("[{}] {words}", if done { "x" } else { " " })
            };
            let items: Vec<_> = manage_todos.items.iter().map(item).collect();
            parts.code("", &items.join("\n"));
            parts.wrong(&manage_todos.error);
        }
        NormalizedPayload::ShowPlan { show_plan } => {
            parts.prose(show_plan.plan.as_deref().unwrap_or_default());
            parts.wrong(&show_plan.error);
        }
        NormalizedPayload::AskUser { ask_user } => {
            for question in &ask_user.questions {
                let text = question["question"].as_str().unwrap_or_default();
                let answer = ask_user.answers.get(text).map(plain).unwrap_or_default();
                parts.code("", &format!("{text}\n{answer}"));
            }
            parts.wrong(&ask_user.error);
        }
        NormalizedPayload::McpTool { mcp_tool } => {
            let McpTool { input, output, .. } = mcp_tool;
            parts.value(input);
            output.iter().for_each(|output| parts.value(output));
        }
        NormalizedPayload::Misc { misc } => parts.value(&misc.details),
        NormalizedPayload::Generic { generic } => {
            parts.value(&generic.input);
            generic.output.iter().for_each(|output| parts.value(output));
        }
    }
    parts.0
}

struct Parts(Vec<Part>);

impl Parts {
    fn code(&mut self, language: &'static str, text: &str) {
        let text = clean::text(text).trim_end().to_owned();
        if !text.is_empty() {
            self.0.push(Part::Code { language, text });
        }
    }

    fn prose(&mut self, text: &str) {
        let text = clean::text(text).trim_end().to_owned();
        if !text.is_empty() {
            self.0.push(Part::Prose(text));
        }
    }

    fn wrong(&mut self, why: &Option<String>) {
        self.0
            .extend(why.as_deref().map(|why| Part::Wrong(clean::text(why))));
    }

    fn mutation(&mut self, mutation: &Mutation) {
        match mutation.diff.as_deref().filter(|diff| !diff.is_empty()) {
            Some(diff) => self.code("diff", diff),
            None => self.code("", mutation.content.as_deref().unwrap_or_default()),
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => {}
            Value::String(text) => self.code("", text),
            other => {
                let text = serde_json::to_string_pretty(other).unwrap_or_default();
                self.code("json", &text);
            }
        }
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
