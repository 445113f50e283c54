//! What the host's own control requests get for an answer when nothing that is being played knows better (PROTOCOL 3.2).

use serde_json::{Value, json};

use crate::cli::{Cli, Hook, Played, Stop};
use crate::misbehave;
use crate::speech::fresh_id;

const MODES: [&str; 6] = [
    "acceptEdits",
    "auto",
    "bypassPermissions",
    "default",
    "dontAsk",
    "plan",
];

/// Value, id, name, description.
const MODELS: [(&str, &str, &str, &str); 5] = [
    (
        "default",
        "claude-opus-5-5",
        "Default (recommended)",
        "The default model. Rehearsed: no model answers here",
    ),
    ("opus", "claude-opus-5-5", "Opus", "Rehearsed"),
    ("sonnet", "claude-sonnet-5-5", "Sonnet", "Rehearsed"),
    ("haiku", "claude-haiku-5-5", "Haiku", "Rehearsed"),
    (
        "claude-sonnet-4-5",
        "claude-sonnet-4-5",
        "Sonnet 4.5",
        "Rehearsed",
    ),
];

const COMMANDS: [(&str, &str, &str); 6] = [
    (
        "compact",
        "Clear the conversation but keep a summary in context",
        "<hint>",
    ),
    ("context", "Show what fills the context window", ""),
    ("cost", "Show what the session cost", ""),
    ("init", "Write a CLAUDE.md for this project", ""),
    ("code-review", "Review the current diff", "[<target>]"),
    ("rename", "Rename the session", "<title>"),
];

/// The names of the slash commands, as `system/init` lists them.
pub fn command_names() -> Vec<&'static str> {
    COMMANDS.iter().map(|(name, _, _)| *name).collect()
}

/// The id behind an alias; a name that nobody knows stays as it is.
pub fn resolve_model(name: Option<&str>) -> String {
    let name = name.unwrap_or("claude-sonnet-4-5");
    MODELS
        .iter()
        .find(|(value, ..)| *value == name)
        .map_or(name, |(_, id, ..)| id)
        .to_owned()
}

/// The wire's word for a permission mode.
pub fn canonical_mode(mode: String) -> String {
    if mode == "manual" {
        "default".to_owned()
    } else {
        mode
    }
}

impl Cli {
    /// Answers one control request of the host. An interrupt in a turn stops what is being played.
    pub fn answer(&mut self, id: &str, request: &Value) -> Played {
        let word = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
        match request["subtype"].as_str().unwrap_or_default() {
            "initialize" => {
                if self.options.misbehaviour.hang_at_initialize {
                    misbehave::hang();
                }
                self.hooks = hooks(&request["hooks"]);
                let response = self.initialize_response();
                let line = json!({"type": "control_response", "response": {"subtype": "success", "request_id": id, "response": response,
                    "pending_permission_requests": [], "pending_user_dialog_requests": []}});
                self.say(&line)
            }
            "interrupt" => self.interrupt(id),
            "set_permission_mode" => self.set_mode(id, canonical_mode(word("mode"))),
            "set_model" => {
                let chosen = request["model"].as_str();
                let model = chosen.map_or_else(
                    || resolve_model(Some("default")),
                    |name| resolve_model(Some(name)),
                );
                let said = match chosen {
                    Some(alias) if alias != model => format!("{alias} ({model})"),
                    _ => model.clone(),
                };
                let line = self.user_line(
                    &json!(format!(
                        "<local-command-stdout>Set model to `{said}`</local-command-stdout>"
                    )),
                    None,
                );
                self.say(&with(line, "isReplay", json!(true)))?;
                self.track.model.clone_from(&model);
                self.success(id, Some(json!({"model": model})))
            }
            "end_session" => {
                self.success(id, None)?;
                Err(Stop::Exit(0))
            }
            "stop_task" => {
                self.stop_task(&word("task_id"), "killed")?;
                self.success(id, Some(json!({})))
            }
            "rename_session" => {
                self.success(id, None)?;
                let line = self.system("session_title_changed", json!({"title": word("title")}));
                self.say(&line)
            }
            "cancel_async_message" => {
                let uuid = word("message_uuid");
                let before = self.prompts.len();
                self.prompts
                    .retain(|prompt| prompt["uuid"] != uuid.as_str());
                let cancelled = self.prompts.len() < before;
                self.success(
                    id,
                    Some(json!({"cancelled": cancelled, "message_uuid": uuid})),
                )
            }
            "mcp_status" => {
                let servers = json!([{"name": "almanac", "status": "connected", "transport": "stdio", "scope": "dynamic", "source": "dynamic"}]);
                self.success(id, Some(json!({"mcpServers": servers})))
            }
            "get_binary_version" => self.success(id, Some(json!({"version": crate::VERSION}))),
            "list_models" => self.success(id, Some(json!({"models": models()}))),
            "background_tasks" => self.success(id, Some(json!({}))),
            "set_max_thinking_tokens"
            | "set_has_subscribers"
            | "set_prompt_suggestions_paused"
            | "prompt_draft_activity"
            | "apply_flag_settings"
            | "seed_read_state"
            | "mcp_toggle" => self.success(id, None),
            unknown => {
                let error = format!("Unsupported control request subtype: {unknown}");
                self.failure(id, &error, "unsupported_request")
            }
        }
    }

    pub fn success(&mut self, id: &str, payload: Option<Value>) -> Played {
        let mut response = json!({"subtype": "success", "request_id": id});
        if let Some(payload) = payload {
            response["response"] = payload;
        }
        self.say(&json!({"type": "control_response", "response": response}))
    }

    fn failure(&mut self, id: &str, error: &str, code: &str) -> Played {
        self.say(&json!({"type": "control_response", "response": {"subtype": "error", "request_id": id, "error": error, "error_code": code}}))
    }

    fn interrupt(&mut self, id: &str) -> Played {
        if self.options.misbehaviour.ignore_interrupt {
            return Ok(());
        }
        let open: Vec<String> = self.track.questions.keys().cloned().collect();
        for question in open {
            self.say(&json!({"type": "control_cancel_request", "request_id": question}))?;
        }
        let queued: Vec<Value> = self
            .prompts
            .iter()
            .map(|prompt| prompt["uuid"].clone())
            .filter(Value::is_string)
            .collect();
        self.success(id, Some(json!({"still_queued": queued})))?;
        if self.track.in_turn {
            Err(Stop::Interrupted)
        } else {
            Ok(())
        }
    }

    fn set_mode(&mut self, id: &str, mode: String) -> Played {
        if !MODES.contains(&mode.as_str()) {
            let error = format!(
                "Cannot set permission mode: must be one of {}",
                MODES.join(", ")
            );
            return self.failure(id, &error, "invalid_mode");
        }
        if mode == "bypassPermissions" && !self.options.bypass_possible {
            let error = "Cannot set permission mode to bypassPermissions because the session was not launched with --dangerously-skip-permissions";
            return self.failure(id, error, "bypass_not_launched");
        }
        self.success(id, Some(json!({"mode": mode})))?;
        self.mode_status(&mode)
    }

    /// Says that the permission mode is another one now.
    pub fn mode_status(&mut self, mode: &str) -> Played {
        let line = self.system("status", json!({"status": null, "permissionMode": mode}));
        self.say(&line)
    }

    fn initialize_response(&self) -> Value {
        let commands: Vec<Value> = COMMANDS
            .iter()
            .map(|(name, description, hint)| json!({"name": name, "description": description, "argumentHint": hint, "builtin": true}))
            .collect();
        json!({
            "commands": commands,
            "agents": [
                {"name": "Explore", "description": "Looks for code and reads it", "model": "inherit"},
                {"name": "general-purpose", "description": "For tasks of several steps"},
                {"name": "Plan", "description": "Designs how a change is made", "model": "inherit"}
            ],
            "output_style": "default",
            "available_output_styles": ["default"],
            "models": models(),
            "account": {"tokenSource": "none", "apiKeySource": "none", "apiProvider": "rehearsal"},
            "pid": std::process::id(),
            "claude_code_version": crate::VERSION,
            "current_permission_mode": self.track.mode,
            "hook_on_failure_supported": true,
            "fast_mode_state": "off",
            "session_state": "idle",
            "capabilities": ["interrupt_receipt_v1"]
        })
    }
}

fn models() -> Vec<Value> {
    let model = |(value, id, name, description): &(&str, &str, &str, &str)| json!({"value": value, "resolvedModel": id, "displayName": name, "description": description});
    MODELS.iter().map(model).collect()
}

fn hooks(registered: &Value) -> Vec<Hook> {
    let mut hooks = Vec::new();
    for (event, matchers) in registered.as_object().into_iter().flatten() {
        for matcher in matchers.as_array().into_iter().flatten() {
            let callbacks = matcher["hookCallbackIds"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|id| id.as_str().map(str::to_owned));
            hooks.push(Hook {
                event: event.clone(),
                matcher: matcher["matcher"].as_str().map(str::to_owned),
                callbacks: callbacks.collect(),
            });
        }
    }
    hooks
}

/// The object with one field more.
pub fn with(mut object: Value, field: &str, value: Value) -> Value {
    object[field] = value;
    object
}

impl Cli {
    /// A `system` line of this session.
    pub fn system(&self, subtype: &str, fields: Value) -> Value {
        let mut line = json!({"type": "system", "subtype": subtype});
        if let Value::Object(fields) = fields {
            for (name, value) in fields {
                line[name.as_str()] = value;
            }
        }
        line["session_id"] = json!(self.track.session_id);
        line["uuid"] = json!(fresh_id());
        line
    }
}
