//! Tools of MCP servers: `mcp__SERVER__TOOL`.

use serde_json::Value;

use super::ToolResult;
use crate::detail::{McpTool, NormalizedPayload};

pub(super) fn start(name: &str, input: &Value) -> Option<NormalizedPayload> {
    let (server, tool) = name_parts(name)?;
    let mcp_tool = McpTool {
        server: server.to_owned(),
        tool: tool.to_owned(),
        input: input.clone(),
        output: None,
    };
    Some(NormalizedPayload::McpTool { mcp_tool })
}

/// Blocks and structured answers as the server gave them; an error as its text.
pub(super) fn finish(call: McpTool, result: &ToolResult<'_>) -> McpTool {
    McpTool {
        output: result.own(),
        ..call
    }
}

/// Server and tool. A tool's name may hold `__` itself.
pub(super) fn name_parts(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}
