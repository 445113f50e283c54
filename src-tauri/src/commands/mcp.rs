use std::sync::Arc;

use kandev_wire::request::{McpReconnect, McpStatus, McpToggle};
use tauri::State;

use crate::api::CommandError;
use crate::mcp::{self, Mcp, McpServer, McpServerStatus, McpServers};
use crate::sessions::Sessions;

/// The servers of the settings. A secret has no value here.
#[tauri::command]
#[specta::specta]
pub async fn mcp_servers(mcp: State<'_, Arc<Mcp>>) -> Result<McpServers, CommandError> {
    Ok(mcp.servers().await)
}

/// Takes over the whole list; a process that runs has what it was given.
#[tauri::command]
#[specta::specta]
pub async fn save_mcp_servers(
    mcp: State<'_, Arc<Mcp>>,
    servers: Vec<McpServer>,
) -> Result<McpServers, CommandError> {
    mcp.save(servers).await
}

/// How the servers of a session are.
#[tauri::command]
#[specta::specta]
pub async fn mcp_status(
    sessions: State<'_, Sessions>,
    mcp: State<'_, Arc<Mcp>>,
    session: String,
) -> Result<Vec<McpServerStatus>, CommandError> {
    let told = sessions.get(&session)?.request(McpStatus).await?;
    Ok(mcp::status(told, &mcp))
}

/// Switches a server of a session off or on again, for this session.
#[tauri::command]
#[specta::specta]
pub async fn mcp_toggle(
    sessions: State<'_, Sessions>,
    session: String,
    name: String,
    enabled: bool,
) -> Result<(), CommandError> {
    let session = sessions.get(&session)?;
    let server_name = name;
    session
        .request(McpToggle {
            server_name,
            enabled,
        })
        .await?;
    Ok(())
}

/// Tries again to connect a server of a session.
#[tauri::command]
#[specta::specta]
pub async fn mcp_reconnect(
    sessions: State<'_, Sessions>,
    session: String,
    name: String,
) -> Result<(), CommandError> {
    let session = sessions.get(&session)?;
    let server_name = name;
    session.request(McpReconnect { server_name }).await?;
    Ok(())
}
