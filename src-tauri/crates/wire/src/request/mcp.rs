//! Requests about MCP servers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Done, answer, bare, request};

bare! {
    McpStatus = "mcp_status" -> McpServers;
}

/// A notification from a server that the host runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct McpNotify {
    pub server_name: String,
    /// JSON-RPC.
    pub message: Value,
}
request!(McpNotify = "mcp_message" -> Done);

/// Replaces the servers that were added while the process runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct McpSetServers {
    /// Configurations by name, as `--mcp-config` takes them.
    pub servers: Map<String, Value>,
}
request!(McpSetServers = "mcp_set_servers" -> McpServersSet);

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct McpToggle {
    pub server_name: String,
    pub enabled: bool,
}
request!(McpToggle = "mcp_toggle" -> Done);

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct McpReconnect {
    pub server_name: String,
}
request!(McpReconnect = "mcp_reconnect" -> Done);

/// Calls a tool without the model, and without asking anybody.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct McpCall {
    /// `mcp__SERVER__TOOL`.
    pub tool: String,
    pub arguments: Map<String, Value>,
}
request!(McpCall = "mcp_call" -> McpCalled);

/// Reads a `ui://` resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct McpReadResource {
    pub server_name: String,
    pub uri: String,
}
request!(McpReadResource = "mcp_read_resource" -> McpResource);

answer! {
    McpServers as "camelCase" {
        mcp_servers: Vec<McpServer>,
    }

    McpServer as "camelCase" {
        name: Option<String>,
        /// `connected`, `failed`, `needs-auth`, `pending` or `disabled`.
        status: Option<String>,
        error: Option<String>,
        server_info: Option<McpServerInfo>,
        /// May hold secrets: not for a page.
        config: Option<Value>,
        transport: Option<String>,
        scope: Option<String>,
        source: Option<String>,
        tools: Vec<McpTool>,
    }

    McpServerInfo as "camelCase" {
        name: Option<String>,
        version: Option<String>,
    }

    McpTool as "camelCase" {
        name: Option<String>,
        description: Option<String>,
    }

    McpServersSet as "snake_case" {
        added: Vec<String>,
        removed: Vec<String>,
        /// Why, by name.
        errors: BTreeMap<String, String>,
    }

    McpCalled as "camelCase" {
        /// Content blocks.
        content: Vec<Value>,
        structured_content: Option<Value>,
    }

    McpResource as "camelCase" {
        contents: Vec<Value>,
    }
}
