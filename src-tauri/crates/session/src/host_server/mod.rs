//! The MCP server that a session runs for its CLI: named `kandev`, spoken to by `mcp_message` (PROTOCOL 6.6), answered by
//! `rmcp`. It owns the connection and what the tools look like; what they do on this machine is the shell's.

mod connection;
mod tools;

use std::pin::Pin;
use std::sync::Arc;

use rmcp::model::{ErrorCode, ErrorData};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use connection::Connection;

/// The name that `initialize` announces, and the middle of `mcp__kandev__notify_user`.
pub(crate) const NAME: &str = "kandev";

/// What a tool does, in its own time.
pub type Doing<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What the tools do on this machine. Both run in a task of their own and may take their time.
pub trait HostTools: Send + Sync {
    /// Draws the user's eye to a note, which the session has recorded already.
    fn notify_user(&self, note: Note) -> Doing<'_, ()>;

    /// Opens a file in an editor. The texts of both outcomes are for the model.
    fn open_in_editor(&self, place: Place) -> Doing<'_, Result<String, String>>;
}

/// What the model wants the user to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub title: Option<String>,
    pub message: String,
    pub level: Level,
}

#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, rmcp::schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(crate = "rmcp::schemars")]
pub enum Level {
    #[default]
    Info,
    Warning,
    Error,
}

/// A place in a file, as the model named it: nothing of it has been checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub workspace: String,
    /// Relative to the workspace, or absolute.
    pub path: String,
    /// From 1.
    pub line: Option<u32>,
    /// From 1.
    pub column: Option<u32>,
}

/// What comes out of the server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Said {
    /// The JSON-RPC answer to the message that this control request brought.
    Answer { request_id: String, message: Value },
    /// A tool wants this told.
    Note(Note),
}

/// The server of one process. Dropping it ends what its tools still do, as far as they can be ended.
pub(crate) struct HostServer {
    tools: Arc<dyn HostTools>,
    workspace: String,
    connection: Option<Connection>,
    say: mpsc::UnboundedSender<Said>,
    said: mpsc::UnboundedReceiver<Said>,
}

impl HostServer {
    pub(crate) fn new(tools: Arc<dyn HostTools>, workspace: String) -> Self {
        let (say, said) = mpsc::unbounded_channel();
        Self {
            tools,
            workspace,
            connection: None,
            say,
            said,
        }
    }

    /// Takes one message. Exactly one [`Said::Answer`] follows, at once or when a tool is done; a notification is answered
    /// too, for the CLI waits for that.
    pub(crate) fn hear(&mut self, request_id: String, message: &str) {
        let message: Value = match serde_json::from_str(message) {
            Ok(message) => message,
            Err(_) => return self.answer(request_id, refusal(&Value::Null, NOT_JSON)),
        };
        // Each handshake begins a connection of its own: the CLI shakes hands again when it connects anew.
        if message.get("method").and_then(Value::as_str) == Some("initialize") {
            let server = tools::Server::new(
                Arc::clone(&self.tools),
                self.workspace.clone(),
                self.say.clone(),
            );
            self.connection = Some(Connection::open(server, self.say.clone()));
        }
        match &self.connection {
            Some(connection) => connection.hear(request_id, message),
            None => {
                let answer = if message.get("id").is_some() {
                    refusal(&message, "the connection begins with `initialize`")
                } else {
                    acknowledgement()
                };
                self.answer(request_id, answer);
            }
        }
    }

    /// What it says next.
    pub(crate) async fn said(&mut self) -> Said {
        match self.said.recv().await {
            Some(said) => said,
            // The server holds a sender itself.
            None => std::future::pending().await,
        }
    }

    fn answer(&self, request_id: String, message: Value) {
        // The receiver lives as long as this.
        let _ = self.say.send(Said::Answer {
            request_id,
            message,
        });
    }
}

const NOT_JSON: &str = "this is not JSON";

/// The answer to a message for a server that this host does not run, or that is no JSON-RPC: an error in its terms, so that
/// the CLI shows it at the call.
pub(crate) fn refusal(message: &Value, reason: &str) -> Value {
    let id = message
        .get("id")
        .filter(|id| id.is_string() || id.is_number())
        .unwrap_or(&Value::Null);
    let error = ErrorData::new(ErrorCode::INVALID_REQUEST, reason.to_owned(), None);
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// What a notification is answered with.
fn acknowledgement() -> Value {
    json!({ "jsonrpc": "2.0", "id": 0, "result": {} })
}

#[cfg(test)]
mod tests;
