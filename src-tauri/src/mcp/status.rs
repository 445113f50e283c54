//! What the CLI says of the servers of a session, beside what the settings say.

use kandev_wire::request::McpServers as Told;
use serde::Serialize;
use specta::Type;

use super::Mcp;

/// One server of a session. Its configuration stays here, for there are secrets in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct McpServerStatus {
    pub name: String,
    /// `connected`, `failed`, `needs-auth`, `pending` or `disabled`, as the CLI says; `not_started` for one of the settings
    /// that this session was not given, because it was saved or switched on later or was left out.
    pub status: String,
    pub error: Option<String>,
    /// Where the CLI has it from: `dynamic` for the settings of this program, `project`, `user`, `local`, ...
    pub scope: Option<String>,
    pub source: Option<String>,
    /// `stdio`, `sse`, `http`, `sdk`.
    pub transport: Option<String>,
    /// The server's own.
    pub version: Option<String>,
    pub tools: Vec<McpToolInfo>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct McpToolInfo {
    pub name: String,
    pub description: Option<String>,
}

/// In the CLI's order, then those that only the settings know.
pub fn status(told: Told, mcp: &Mcp) -> Vec<McpServerStatus> {
    let mut list: Vec<McpServerStatus> = told
        .mcp_servers
        .into_iter()
        .filter_map(|server| {
            let tools = server.tools.into_iter().filter_map(|tool| {
                Some(McpToolInfo {
                    name: tool.name?,
                    description: tool.description,
                })
            });
            Some(McpServerStatus {
                name: server.name?,
                status: server.status.unwrap_or_else(|| "pending".to_owned()),
                error: server.error.map(|text| mcp.without_secrets(&text)),
                scope: server.scope,
                source: server.source,
                transport: server.transport,
                version: server.server_info.and_then(|info| info.version),
                tools: tools.collect(),
            })
        })
        .collect();
    for server in mcp.list().into_iter().filter(|server| server.enabled) {
        if list.iter().all(|known| known.name != server.name) {
            list.push(McpServerStatus {
                name: server.name,
                status: "not_started".to_owned(),
                error: None,
                scope: None,
                source: None,
                transport: None,
                version: None,
                tools: Vec::new(),
            });
        }
    }
    list
}
