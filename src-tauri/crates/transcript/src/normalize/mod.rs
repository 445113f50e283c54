//! What a tool call is about and what came of it: one file per kind of tool detail.
//!
//! It owns the table of tool names and the reading of inputs and results (PROTOCOL 5.2, VERSIONS 1.5). It refuses to know
//! files, turns and events; input that cannot be read is shown as it came.

mod ask;
mod generic;
mod http;
mod input;
mod language;
mod mcp;
mod misc;
mod modify;
mod notebook;
mod plan;
mod read;
mod result;
mod search;
mod shell;
mod subagent;
mod title;
mod todo;

use serde_json::Value;

pub use result::ToolResult;

use crate::detail::NormalizedPayload;
use crate::event::ActionType;
use crate::files::Files;

/// The detail of a call that begins, from the input of its `tool_use`.
pub fn start(name: &str, input: &Value) -> NormalizedPayload {
    let known = if input.get("__unparsedToolInput").is_some() {
        None
    } else {
        match name {
            "Read" | "NotebookRead" => read::start(input),
            "Edit" | "MultiEdit" | "Write" => modify::start(name, input),
            "NotebookEdit" => notebook::start(input),
            "Bash" | "BashOutput" | "KillShell" | "Monitor" => shell::start(name, input),
            "Glob" | "Grep" | "LS" | "ToolSearch" => search::start(name, input),
            "WebFetch" | "WebSearch" => http::start(name, input),
            "Agent" | "Task" => subagent::start(input),
            "TaskCreate" => todo::create(input),
            "TaskUpdate" | "TaskList" | "TaskGet" | "TodoWrite" => todo::manage(name, input),
            "EnterPlanMode" | "ExitPlanMode" => plan::start(name, input),
            "AskUserQuestion" => ask::start(input),
            "Skill" | "SendMessage" | "CronCreate" | "CronList" | "CronDelete"
            | "EnterWorktree" | "ExitWorktree" | "ListAgents" | "ReportFindings"
            | "ScheduleWakeup" | "TaskStop" | "Workflow" | "StructuredOutput" => {
                misc::start(name, input)
            }
            _ => mcp::start(name, input),
        }
    };
    known.unwrap_or_else(|| generic::start(name, input))
}

/// The detail of a call that has ended, from what [`start`] made of it and [`place`] knew of it.
pub fn finish(
    payload: NormalizedPayload,
    name: &str,
    result: &ToolResult<'_>,
) -> NormalizedPayload {
    use NormalizedPayload as P;
    match payload {
        P::ReadFile { read_file } => P::ReadFile {
            read_file: read::finish(read_file, result),
        },
        P::ModifyFile { modify_file } => P::ModifyFile {
            modify_file: match name {
                "NotebookEdit" => notebook::finish(modify_file, result),
                _ => modify::finish(modify_file, name, result),
            },
        },
        P::ShellExec { shell_exec } => P::ShellExec {
            shell_exec: shell::finish(shell_exec, name, result),
        },
        P::CodeSearch { code_search } => P::CodeSearch {
            code_search: search::finish(code_search, name, result),
        },
        P::HttpRequest { http_request } => P::HttpRequest {
            http_request: http::finish(http_request, result),
        },
        P::SubagentTask { subagent_task } => P::SubagentTask {
            subagent_task: subagent::finish(subagent_task, result),
        },
        P::CreateTask { create_task } => P::CreateTask {
            create_task: todo::finish_create(create_task, result),
        },
        P::ManageTodos { manage_todos } => P::ManageTodos {
            manage_todos: todo::finish_manage(manage_todos, result),
        },
        P::ShowPlan { show_plan } => P::ShowPlan {
            show_plan: plan::finish(show_plan, name, result),
        },
        P::AskUser { ask_user } => P::AskUser {
            ask_user: ask::finish(ask_user, result),
        },
        P::McpTool { mcp_tool } => P::McpTool {
            mcp_tool: mcp::finish(mcp_tool, result),
        },
        P::Misc { misc } => P::Misc {
            misc: misc::finish(misc, result),
        },
        P::Generic { generic } => P::Generic {
            generic: generic::finish(generic, result),
        },
    }
}

/// The detail of a call that is asked about, with the diff that an edit would make to the file as it is now.
pub fn proposed(name: &str, input: &Value, files: &dyn Files) -> NormalizedPayload {
    let better = match name {
        "Edit" | "MultiEdit" | "Write" => modify::proposed(name, input, files),
        "NotebookEdit" => notebook::proposed(input, files),
        "ExitPlanMode" => plan::proposed(name, input, files),
        _ => None,
    };
    better.unwrap_or_else(|| start(name, input))
}

/// Gives a running call the diff that was made when it was asked about. A result without the tool's own data, as subagents
/// and older versions have it, does not tell where in the file an edit was (VERSIONS 4, rule 9).
pub fn place(call: &mut NormalizedPayload, proposal: &NormalizedPayload) {
    use NormalizedPayload::ModifyFile;
    if let (
        ModifyFile { modify_file },
        ModifyFile {
            modify_file: proposal,
        },
    ) = (call, proposal)
    {
        // The path stays as the call has it, though the question makes it absolute.
        modify_file.mutations = proposal.mutations.clone();
    }
}

/// A question whose shape nobody knows, with the request as it came.
pub(crate) fn unread(name: &str, whole: &Value) -> NormalizedPayload {
    generic::start(name, whole)
}

/// What a row says of the call in one line. Never blank.
pub fn title(name: &str, input: &Value) -> String {
    title::title(name, input)
}

/// What kind of permission the tool needs.
pub fn action_type(name: &str) -> ActionType {
    match name {
        "Bash" | "BashOutput" | "KillShell" | "Monitor" => ActionType::Command,
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => ActionType::FileWrite,
        "Read" | "NotebookRead" | "Glob" | "Grep" | "LS" => ActionType::FileRead,
        "WebFetch" | "WebSearch" => ActionType::Network,
        "EnterPlanMode" | "ExitPlanMode" => ActionType::Plan,
        "AskUserQuestion" => ActionType::Question,
        _ if mcp::name_parts(name).is_some() => ActionType::McpTool,
        _ => ActionType::Other,
    }
}

#[cfg(test)]
mod tests;
