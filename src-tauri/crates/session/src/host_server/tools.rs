//! What the server offers: two tools, their inputs and their answers.

use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig, Tool, ToolAnnotations,
};
use rmcp::schemars::{self, JsonSchema};
use rmcp::service::{RequestContext, RoleServer};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::mpsc;

use super::{HostTools, Level, NAME, Note, Place, Said};

/// The longest message and the longest title that are kept, in characters.
const MESSAGE: usize = 4000;
const TITLE: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NotifyUser {
    /// What the user should know, in plain words.
    message: String,
    /// A few words that stand above the message.
    #[serde(default)]
    title: Option<String>,
    /// How much it matters; `info` when left out.
    #[serde(default)]
    level: Option<Level>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OpenInEditor {
    /// A file inside the session's workspace: relative to it, or absolute.
    path: String,
    /// The line to show, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    line: Option<u32>,
    /// The column to show, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    column: Option<u32>,
}

/// The handler of one connection.
#[derive(Clone)]
pub(super) struct Server {
    tools: Arc<dyn HostTools>,
    workspace: String,
    say: mpsc::UnboundedSender<Said>,
}

impl Server {
    pub(super) fn new(
        tools: Arc<dyn HostTools>,
        workspace: String,
        say: mpsc::UnboundedSender<Said>,
    ) -> Self {
        Self {
            tools,
            workspace,
            say,
        }
    }

    async fn notify_user(&self, input: NotifyUser) -> Result<String, String> {
        let message = cut(input.message.trim(), MESSAGE);
        if message.is_empty() {
            return Err("The message is empty: there is nothing to tell the user.".to_owned());
        }
        let title = input.title.map(|title| cut(title.trim(), TITLE));
        let note = Note {
            title: title.filter(|title| !title.is_empty()),
            message,
            level: input.level.unwrap_or_default(),
        };
        // A session that has ended has nobody to tell.
        let _ = self.say.send(Said::Note(note.clone()));
        self.tools.notify_user(note).await;
        Ok("The user was told.".to_owned())
    }

    async fn open_in_editor(&self, input: OpenInEditor) -> Result<String, String> {
        if input.line == Some(0) || input.column == Some(0) {
            return Err("Lines and columns count from 1.".to_owned());
        }
        let place = Place {
            workspace: self.workspace.clone(),
            path: input.path,
            line: input.line,
            column: input.column,
        };
        self.tools.open_in_editor(place).await
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(NAME, env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![
            tool::<NotifyUser>(
                "notify_user",
                "Tell the user something in the window of this session, and draw their attention to it when they are \
                 elsewhere. For what they want to know at once; not for the answer itself.",
                ToolAnnotations::with_title("Notify the user").destructive(false),
            ),
            tool::<OpenInEditor>(
                "open_in_editor",
                "Show the user a file of this session's workspace in their editor, at a line if one is given. The file is \
                 opened for reading and writing by the user; nothing in it changes.",
                ToolAnnotations::with_title("Open in the editor").destructive(false),
            ),
        ]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let outcome = match request.name.as_ref() {
            "notify_user" => match read(arguments) {
                Ok(input) => self.notify_user(input).await,
                Err(reason) => Err(reason),
            },
            "open_in_editor" => match read(arguments) {
                Ok(input) => self.open_in_editor(input).await,
                Err(reason) => Err(reason),
            },
            other => {
                let reason = format!("there is no tool {other}");
                return Err(ErrorData::invalid_params(reason, None));
            }
        };
        let result = match outcome {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(text) => CallToolResult::error(vec![ContentBlock::text(text)]),
        };
        Ok(result.into())
    }
}

fn tool<Input: JsonSchema + 'static>(
    name: &'static str,
    description: &'static str,
    annotations: ToolAnnotations,
) -> Tool {
    Tool::new(name, description, JsonObject::new())
        .with_input_schema::<Input>()
        .with_annotations(annotations)
}

/// The model is told what is wrong with its input, so that it can do better.
fn read<Input: DeserializeOwned>(arguments: JsonObject) -> Result<Input, String> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| format!("The input does not fit: {error}."))
}

fn cut(text: &str, longest: usize) -> String {
    let mut kept: String = text.chars().take(longest).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    kept
}
