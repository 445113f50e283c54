//! Lines of a session file as the lines that were on the wire when it was said, so that they mean the same.
//!
//! In the file fields are in camelCase, and what a live process says beside its messages (init, tasks, the end of a turn)
//! is told in other ways or not at all.

use std::borrow::Cow;

use kandev_wire::{self as wire, RawValue};
use serde::Deserialize;
use serde_json::json;

use super::texts::{Task, notifications, results_in, shell_output, text_in, typed};

/// A line to give to a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    Cli(String),
    Host(String),
    /// The turn is over: what the result of the live session did.
    TurnOver,
}

type Text<'a> = Option<Cow<'a, str>>;

/// What a line has beside its place in the conversation.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Fields<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub subtype: Text<'a>,
    #[serde(borrow)]
    pub uuid: Text<'a>,
    #[serde(borrow)]
    pub message: Option<&'a RawValue>,
    #[serde(borrow)]
    pub tool_use_result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub attachment: Option<&'a RawValue>,
    #[serde(borrow)]
    pub content: Text<'a>,
    #[serde(borrow)]
    pub error: Option<&'a RawValue>,
    pub is_api_error_message: Option<bool>,
    pub is_meta: Option<bool>,
    pub is_compact_summary: Option<bool>,
    #[serde(borrow)]
    pub permission_mode: Text<'a>,
    #[serde(borrow)]
    pub cwd: Text<'a>,
    #[serde(borrow)]
    pub version: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow)]
    model: Text<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

/// What has been said so far, as far as later lines depend on it.
pub(crate) struct Telling {
    pub(super) session_id: String,
    cwd: Option<String>,
    version: Option<String>,
    model: Option<String>,
    mode: Option<String>,
    /// What the last init said of them.
    announced: Option<(Option<String>, Option<String>)>,
    running: bool,
}

/// What stands for an answer where a turn was cut off. No wire has it.
const NO_ANSWER: &str = "No response requested.";

/// Texts at the front of a line with which the CLI explains others to the model. No wire has them.
const EXPLAINED: [&str; 3] = [
    "<local-command-caveat>",
    "Caveat: The messages below",
    "[Image: source: ",
];

impl Telling {
    pub fn new(session_id: &str) -> Self {
        Self {
            session_id: session_id.to_owned(),
            cwd: None,
            version: None,
            model: None,
            mode: None,
            announced: None,
            running: false,
        }
    }

    pub fn running(&self) -> bool {
        self.running
    }

    /// The turn is told to be over.
    pub fn rest(&mut self) {
        self.running = false;
    }

    /// What was said by this line; `parent` is the call of the subagent that said it.
    pub fn line(&mut self, line: &[u8], parent: Option<&str>, out: &mut Vec<Said>) {
        let text = wire::read(line);
        let Ok(fields) = serde_json::from_str::<Fields>(text.json()) else {
            // A field of another type than ever before.
            out.push(Said::Cli(text.raw().to_owned()));
            return;
        };
        if parent.is_none() {
            let own = |text: &Text<'_>| text.as_deref().map(str::to_owned);
            // Where the session began is what stays.
            self.cwd = self.cwd.take().or_else(|| own(&fields.cwd));
            self.version = own(&fields.version).or(self.version.take());
            self.mode = own(&fields.permission_mode).or(self.mode.take());
        }
        match fields.kind.as_deref() {
            Some("user") => self.user(&fields, parent, out),
            Some("assistant") => self.assistant(&fields, parent, out),
            Some("system") => self.system(&fields, text.json(), parent, out),
            Some("attachment") => self.queued(&fields, out),
            _ => {}
        }
    }

    fn user(&mut self, fields: &Fields<'_>, parent: Option<&str>, out: &mut Vec<Said>) {
        let message = of(fields.message);
        let results = results_in(message.content);
        if !results.is_empty() {
            self.background(fields, &results, parent, out);
            out.push(self.user_line(fields, fields.message.map(RawValue::get), parent, false));
            return;
        }
        let text = text_in(message.content);
        let text = text.trim_start();
        if parent.is_some() {
            let put_in = fields.is_meta == Some(true);
            out.push(self.user_line(fields, fields.message.map(RawValue::get), parent, put_in));
            return;
        }
        if text.starts_with("<task-notification>") {
            out.extend(notifications(text).map(|task| self.notified(&task, fields)));
            return;
        }
        if let Some(prompt) = typed(text) {
            self.prompt(
                &json!(prompt).to_string(),
                fields.uuid.as_deref(),
                true,
                out,
            );
            return;
        }
        if let Some(output) = shell_output(text) {
            let content = json!(format!(
                "<local-command-stdout>{output}</local-command-stdout>"
            ));
            let message = json!({ "role": "user", "content": content }).to_string();
            out.push(self.user_line(fields, Some(&message), None, false));
            return;
        }
        if EXPLAINED.iter().any(|start| text.starts_with(start)) {
            return;
        }
        let interrupted = text.starts_with("[Request interrupted by user");
        let own = text.starts_with("<local-command-std") || interrupted;
        let put_in = fields.is_meta == Some(true) || fields.is_compact_summary == Some(true);
        if own || put_in {
            out.push(self.user_line(fields, fields.message.map(RawValue::get), None, !own));
            if interrupted {
                self.over(out);
            }
            return;
        }
        let content = message.content.map_or("\"\"", RawValue::get);
        self.prompt(content, fields.uuid.as_deref(), true, out);
    }

    /// A prompt of a person. What was said before it is over, unless it came in the middle of a turn.
    pub(super) fn prompt(
        &mut self,
        content: &str,
        uuid: Option<&str>,
        begins: bool,
        out: &mut Vec<Said>,
    ) {
        if begins {
            self.over(out);
        }
        self.running = true;
        let uuid = json!(uuid);
        out.push(Said::Host(format!(
            r#"{{"type":"user","message":{{"role":"user","content":{content}}},"parent_tool_use_id":null,"uuid":{uuid}}}"#
        )));
    }

    fn over(&mut self, out: &mut Vec<Said>) {
        if std::mem::take(&mut self.running) {
            out.push(Said::TurnOver);
        }
    }

    pub(super) fn user_line(
        &self,
        fields: &Fields<'_>,
        message: Option<&str>,
        parent: Option<&str>,
        put_in: bool,
    ) -> Said {
        let mut line = self.begin("user", fields, parent);
        if let Some(message) = message {
            line.push_str(r#","message":"#);
            line.push_str(message);
        }
        if let Some(result) = fields.tool_use_result {
            line.push_str(r#","tool_use_result":"#);
            line.push_str(result.get());
        }
        if put_in {
            line.push_str(r#","isSynthetic":true"#);
        }
        line.push('}');
        Said::Cli(line)
    }

    fn assistant(&mut self, fields: &Fields<'_>, parent: Option<&str>, out: &mut Vec<Said>) {
        let message = of(fields.message);
        let made_up = message.model.as_deref() == Some("<synthetic>");
        if made_up && text_in(message.content) == NO_ANSWER {
            return;
        }
        if parent.is_none() {
            if let Some(model) = message.model.filter(|model| model != "<synthetic>") {
                self.model = Some(model.into_owned());
            }
            self.announce(out);
            self.running = true;
        }
        let mut line = self.begin("assistant", fields, parent);
        if let Some(message) = fields.message {
            line.push_str(r#","message":"#);
            line.push_str(message.get());
        }
        let named = fields
            .error
            .map(RawValue::get)
            .filter(|error| error.starts_with('"'));
        let error = named.or((fields.is_api_error_message == Some(true)).then_some("\"unknown\""));
        if let Some(error) = error {
            line.push_str(r#","error":"#);
            line.push_str(error);
        }
        line.push('}');
        out.push(Said::Cli(line));
    }

    /// The facts of the session, before the first answer and when they are others.
    fn announce(&mut self, out: &mut Vec<Said>) {
        let facts = (self.model.clone(), self.mode.clone());
        if self.announced.as_ref() == Some(&facts) {
            return;
        }
        let init = json!({
            "type": "system", "subtype": "init", "session_id": self.session_id, "cwd": self.cwd, "model": self.model,
            "permissionMode": self.mode, "claude_code_version": self.version, "tools": [], "mcp_servers": [],
        });
        out.push(Said::Cli(init.to_string()));
        self.announced = Some(facts);
    }

    /// A prompt that was given in the middle of a turn, or the news of a task that came there.
    fn queued(&mut self, fields: &Fields<'_>, out: &mut Vec<Said>) {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Queued<'a> {
            #[serde(borrow)]
            prompt: Option<&'a RawValue>,
            #[serde(borrow)]
            source_uuid: Text<'a>,
            #[serde(borrow, rename = "commandMode")]
            mode: Text<'a>,
        }
        let queued: Queued = fields
            .attachment
            .and_then(|attachment| serde_json::from_str(attachment.get()).ok())
            .unwrap_or_default();
        let text = text_in(queued.prompt);
        if text.trim_start().starts_with("<task-notification>") {
            out.extend(notifications(&text).map(|task| self.notified(&task, fields)));
        } else if let (None | Some("prompt"), Some(prompt)) =
            (queued.mode.as_deref(), queued.prompt)
        {
            let uuid = queued.source_uuid.or(fields.uuid.clone());
            self.prompt(prompt.get(), uuid.as_deref(), false, out);
        }
    }

    /// What goes on behind these results, as the wire tells it before them.
    fn background(
        &self,
        fields: &Fields<'_>,
        results: &[String],
        parent: Option<&str>,
        out: &mut Vec<Said>,
    ) {
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        struct Gives<'a> {
            #[serde(borrow)]
            agent_id: Text<'a>,
            is_async: Option<bool>,
            #[serde(borrow)]
            status: Text<'a>,
            #[serde(borrow)]
            background_task_id: Text<'a>,
            #[serde(borrow)]
            description: Text<'a>,
            #[serde(borrow)]
            prompt: Text<'a>,
        }
        let (Some(result), [call]) = (fields.tool_use_result, results) else {
            return;
        };
        let json = result.get();
        if !json.contains("\"agentId\"") && !json.contains("\"backgroundTaskId\"") {
            return;
        }
        let Ok(gives) = serde_json::from_str::<Gives>(json) else {
            return;
        };
        let launched =
            gives.is_async == Some(true) || gives.status.as_deref() == Some("async_launched");
        let (task, kind) = match (gives.background_task_id, gives.agent_id) {
            (Some(task), _) => (task, "local_bash"),
            (None, Some(agent)) if launched => (agent, "local_agent"),
            _ => return,
        };
        let line = json!({
            "type": "system", "subtype": "task_started", "session_id": self.session_id, "task_id": task, "tool_use_id": call,
            "task_type": kind, "description": gives.description, "prompt": gives.prompt, "is_backgrounded": true,
            "parent_tool_use_id": parent,
        });
        out.push(Said::Cli(line.to_string()));
    }

    fn notified(&self, task: &Task<'_>, fields: &Fields<'_>) -> Said {
        let line = json!({
            "type": "system", "subtype": "task_notification", "session_id": self.session_id, "uuid": fields.uuid,
            "task_id": task.id, "tool_use_id": task.call, "status": task.status, "summary": task.summary,
            "output_file": task.output_file,
        });
        Said::Cli(line.to_string())
    }

    fn begin(&self, kind: &str, fields: &Fields<'_>, parent: Option<&str>) -> String {
        let (session, uuid) = (json!(self.session_id), json!(fields.uuid));
        let parent = json!(parent);
        format!(
            r#"{{"type":"{kind}","session_id":{session},"uuid":{uuid},"parent_tool_use_id":{parent}"#
        )
    }
}

fn of<'a>(message: Option<&'a RawValue>) -> Message<'a> {
    message
        .and_then(|message| serde_json::from_str(message.get()).ok())
        .unwrap_or_default()
}
