//! Whether a call may be done: the mode, the rules of this session, the host's hooks, and the host's answer.

use fancy_regex::Regex;
use serde_json::{Map, Value, json};

use crate::cli::{Answer, Stop};
use crate::decision::{Decision, STREAM_CLOSED, decision};
use crate::tour::Tour;
use crate::track::text;

/// What was decided on a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    Go {
        input: Map<String, Value>,
        changed: bool,
        asked: bool,
    },
    /// Not done; these words go to the model. `source` says who said so.
    No { words: String, source: &'static str },
    /// Not done, and the turn ends.
    Stop,
}

/// A call on its way.
pub struct Wanted<'a> {
    pub id: &'a str,
    pub tool: &'a str,
    pub input: &'a Map<String, Value>,
    /// The fields of `can_use_tool` if it is asked for in the default mode.
    pub ask: Option<&'a Map<String, Value>>,
    pub agent_id: Option<&'a str>,
}

const EDITORS: [&str; 4] = ["Edit", "MultiEdit", "Write", "NotebookEdit"];

impl Tour<'_> {
    pub fn permit(&mut self, wanted: &Wanted) -> Result<Verdict, Stop> {
        let go = |asked| Verdict::Go {
            input: wanted.input.clone(),
            changed: false,
            asked,
        };
        let mut reason = None;
        match self.pre_tool_use(wanted)? {
            Hooked::Silent => {}
            Hooked::Allow => return Ok(go(false)),
            Hooked::Deny(why) => {
                return Ok(Verdict::No {
                    words: format!("PreToolUse:{} hook error: {why}", wanted.tool),
                    source: "hook",
                });
            }
            Hooked::Ask(why) => reason = Some(why),
        }
        let of_the_user = wanted
            .ask
            .is_some_and(|ask| ask.get("requires_user_interaction") == Some(&Value::Bool(true)));
        if reason.is_none() && !of_the_user {
            let mode = self.cli.track.mode.as_str();
            let edits = EDITORS.contains(&wanted.tool);
            if wanted.ask.is_none()
                || mode == "bypassPermissions"
                || (mode == "acceptEdits" && edits)
                || self.is_allowed(wanted)
            {
                return Ok(go(false));
            }
            if mode == "dontAsk" {
                let words = format!(
                    "Permission to use {} has been denied because Claude Code is running in don't ask mode.",
                    wanted.tool
                );
                let fields = json!({"tool_name": wanted.tool, "tool_use_id": wanted.id, "decision_reason_type": "mode", "message": words});
                let line = self.cli.system("permission_denied", fields);
                self.cli.say(&line)?;
                self.deny_listed(wanted);
                return Ok(Verdict::No {
                    words,
                    source: "config",
                });
            }
        }
        self.put_question(wanted, reason)
    }

    fn put_question(&mut self, wanted: &Wanted, reason: Option<String>) -> Result<Verdict, Stop> {
        let mut request = json!({"subtype": "can_use_tool", "tool_name": wanted.tool, "display_name": wanted.tool, "input": wanted.input});
        for (field, value) in wanted.ask.into_iter().flatten() {
            request[field.as_str()] = value.clone();
        }
        if let Some(reason) = reason {
            request["decision_reason"] = json!(reason);
            request["decision_reason_type"] = json!("hook");
            request["decision_reason_hook_event"] = json!("PreToolUse");
        } else if self.cli.track.mode == "plan" && EDITORS.contains(&wanted.tool) {
            request["decision_reason_type"] = json!("mode");
        }
        request["tool_use_id"] = json!(wanted.id);
        if let Some(agent) = wanted.agent_id {
            request["agent_id"] = json!(agent);
        }
        let answer = match self.cli.ask(request)? {
            Answer::Payload(payload) => {
                decision(&json!({"subtype": "success", "response": payload}))
            }
            Answer::Error(words) => decision(&json!({"subtype": "error", "error": words})),
            Answer::Closed => Decision::Failed(STREAM_CLOSED.to_owned()),
        };
        Ok(match answer {
            Decision::Allow { input, permissions } => {
                self.take_permissions(&permissions)?;
                let input = input
                    .and_then(|input| input.as_object().cloned())
                    .unwrap_or_else(|| wanted.input.clone());
                Verdict::Go {
                    changed: input != *wanted.input,
                    input,
                    asked: true,
                }
            }
            Decision::Deny { message, interrupt } => {
                self.deny_listed(wanted);
                if interrupt {
                    Verdict::Stop
                } else {
                    Verdict::No {
                        words: message,
                        source: "user_reject",
                    }
                }
            }
            Decision::Failed(words) => {
                self.deny_listed(wanted);
                Verdict::No {
                    words,
                    source: "config",
                }
            }
        })
    }

    fn deny_listed(&mut self, wanted: &Wanted) {
        self.cli.track.denials.push(
            json!({"tool_name": wanted.tool, "tool_use_id": wanted.id, "tool_input": wanted.input}),
        );
    }

    /// Takes over what was allowed for the rest of the session.
    fn take_permissions(&mut self, permissions: &[Value]) -> Result<(), Stop> {
        for entry in permissions {
            match entry["type"].as_str() {
                Some("setMode") => {
                    let mode = text(&entry["mode"]).to_owned();
                    self.cli.mode_status(&mode)?;
                }
                Some("addRules") if entry["behavior"] == "allow" => {
                    for rule in entry["rules"].as_array().into_iter().flatten() {
                        let content = rule["ruleContent"].as_str().map(str::to_owned);
                        self.rules
                            .push((text(&rule["toolName"]).to_owned(), content));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn is_allowed(&self, wanted: &Wanted) -> bool {
        let command = wanted.input.get("command").and_then(Value::as_str);
        self.rules.iter().any(|(tool, content)| {
            tool == wanted.tool
                && content
                    .as_deref()
                    .is_none_or(|content| match content.strip_suffix(" *") {
                        Some(start) => command.is_some_and(|command| command.starts_with(start)),
                        None => wanted.tool == "WebFetch" || command == Some(content),
                    })
        })
    }

    fn pre_tool_use(&mut self, wanted: &Wanted) -> Result<Hooked, Stop> {
        let matching = |matcher: &Option<String>| {
            matcher.as_deref().is_none_or(|matcher| {
                matcher.is_empty()
                    || matcher == "*"
                    || matcher == wanted.tool
                    || Regex::new(&format!("^(?:{matcher})$"))
                        .is_ok_and(|matcher| matcher.is_match(wanted.tool).unwrap_or(false))
            })
        };
        let hooks = self
            .cli
            .hooks
            .iter()
            .filter(|hook| hook.event == "PreToolUse" && matching(&hook.matcher));
        let callbacks: Vec<String> = hooks.flat_map(|hook| hook.callbacks.clone()).collect();
        let mut outcome = Hooked::Silent;
        for callback in callbacks {
            let input = self.hook_input("PreToolUse", json!({"tool_name": wanted.tool, "tool_input": wanted.input, "tool_use_id": wanted.id}));
            let request = json!({"subtype": "hook_callback", "callback_id": callback, "input": input, "tool_use_id": wanted.id});
            let Answer::Payload(payload) = self.cli.ask(request)? else {
                continue;
            };
            let output = &payload["hookSpecificOutput"];
            let why = text(&output["permissionDecisionReason"]).to_owned();
            match output["permissionDecision"].as_str() {
                Some("deny") => return Ok(Hooked::Deny(why)),
                Some("ask") => outcome = Hooked::Ask(why),
                Some("allow") if outcome == Hooked::Silent => outcome = Hooked::Allow,
                _ => {}
            }
        }
        Ok(outcome)
    }

    /// What every hook callback is told, and the fields of its event.
    pub fn hook_input(&self, event: &str, fields: Value) -> Value {
        let mut input = json!({"session_id": self.cli.track.session_id, "transcript_path": "", "cwd": self.scratch.root(),
            "permission_mode": self.cli.track.mode, "hook_event_name": event});
        for (field, value) in fields.as_object().into_iter().flatten() {
            input[field.as_str()] = value.clone();
        }
        input
    }
}

#[derive(Debug, PartialEq)]
enum Hooked {
    Silent,
    Allow,
    Ask(String),
    Deny(String),
}
