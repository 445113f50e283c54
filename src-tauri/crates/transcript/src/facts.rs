//! What the session is: its origin, model, mode, tools and commands, told when it changes (PROTOCOL 4.1, 4.2, 3.3).

use indexmap::IndexMap;
use kandev_wire::{Init, InitializeAnswer, RawValue, SlashCommand};
use serde::Deserialize;
use serde_json::Value;

use crate::calls::value;
use crate::event::{AvailableCommand, EventBody, SessionOrigin, SessionStatus};
use crate::out::Out;
use crate::transcript::Start;

const ASKED: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Facts {
    start: Start,
    /// What the last init said, and of which session.
    said: Option<(Option<String>, SessionStatus)>,
    mode: Option<String>,
    model: Option<String>,
    /// The host's `set_model` requests that have no answer yet.
    models_asked: IndexMap<String, ()>,
}

impl Facts {
    pub fn new(start: Start) -> Self {
        Self {
            start,
            ..Self::default()
        }
    }

    /// The model of the main thread, as the last init named it.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// `system/init`, at the start of every turn.
    pub fn init(&mut self, init: &Init<'_>, out: &mut Out) {
        let session = out.session_id.map(str::to_owned);
        let own = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(str::to_owned);
        let moved = self
            .said
            .as_ref()
            .is_some_and(|(before, _)| *before != session);
        if moved {
            // `/clear` starts a conversation of its own.
            self.start.resumed = false;
        }
        let resumed = self.start.resumed && !self.start.forked;
        let status = SessionStatus {
            session_status: if resumed {
                SessionOrigin::Resumed
            } else {
                SessionOrigin::New
            },
            model: own(&init.model),
            cwd: own(&init.cwd).or_else(|| self.start.cwd.clone()),
            permission_mode: own(&init.permission_mode),
            tools: array(init.tools),
            mcp_servers: array(init.mcp_servers),
            cli_version: own(&init.claude_code_version),
        };
        if self
            .said
            .as_ref()
            .is_none_or(|(before, said)| *before != session || *said != status)
        {
            out.say(EventBody::SessionStatus {
                data: status.clone(),
            });
            self.said = Some((session, status));
        }
        if let Some(mode) = init.permission_mode.as_deref() {
            // The first init is no change: its status event says the mode.
            match self.mode {
                None => self.mode = Some(mode.to_owned()),
                Some(_) => self.mode_is(mode, out),
            }
        }
        if let Some(model) = init.model.as_deref() {
            match self.model {
                None => self.model = Some(model.to_owned()),
                Some(_) => self.model_is(model, out),
            }
        }
    }

    /// The mode as the CLI confirms it.
    pub fn mode_is(&mut self, mode: &str, out: &mut Out) {
        if self.mode.as_deref() != Some(mode) {
            self.mode = Some(mode.to_owned());
            out.say(EventBody::ModeChanged {
                mode: mode.to_owned(),
            });
        }
    }

    fn model_is(&mut self, model: &str, out: &mut Out) {
        if self.model.as_deref() != Some(model) {
            self.model = Some(model.to_owned());
            out.say(EventBody::ModelChanged {
                model: model.to_owned(),
            });
        }
    }

    /// The host asks for another model; the answer names it.
    pub fn model_asked(&mut self, request_id: &str) {
        self.models_asked.insert(request_id.to_owned(), ());
        if self.models_asked.len() > ASKED {
            self.models_asked.shift_remove_index(0);
        }
    }

    /// An answer of the CLI: to `initialize` with its list of commands, or to `set_model`.
    pub fn answer(&mut self, request_id: Option<&str>, payload: Option<&RawValue>, out: &mut Out) {
        let model_asked = request_id.is_some_and(|id| self.models_asked.shift_remove(id).is_some());
        let Some(json) = payload
            .map(RawValue::get)
            .filter(|json| json.starts_with('{'))
        else {
            return;
        };
        if model_asked {
            #[derive(Deserialize)]
            struct Chosen {
                model: Option<String>,
            }
            if let Ok(Chosen { model: Some(model) }) = serde_json::from_str(json) {
                self.model_is(&model, out);
            }
        } else if let Ok(InitializeAnswer {
            commands,
            models: Some(_),
            ..
        }) = serde_json::from_str(json)
        {
            commands_are(&commands, out);
        }
    }
}

/// The whole list of slash commands.
pub(crate) fn commands_are(commands: &[SlashCommand<'_>], out: &mut Out) {
    let command = |command: &SlashCommand<'_>| AvailableCommand {
        name: command.name.as_deref().unwrap_or_default().to_owned(),
        description: command.description.as_deref().map(str::to_owned),
        argument_hint: command.argument_hint.as_deref().map(str::to_owned),
    };
    out.say(EventBody::AvailableCommands {
        available_commands: commands.iter().map(command).collect(),
    });
}

fn array(raw: Option<&RawValue>) -> Vec<Value> {
    match value(raw) {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}
