//! From the wish for a process to one that has answered `initialize`.

use std::time::Duration;

use kandev_transcript::Start;
use kandev_transport::Version;
use kandev_wire::request::Initialize;
use kandev_wire::{InitializeAnswer, RawValue};
use serde::Deserialize;
use serde_json::json;

use super::{Effect, Link, State};
use crate::abilities::Abilities;
use crate::host_server::NAME;
use crate::launch::{Facts, LaunchError, Plan};
use crate::phase::Life;
use crate::requests::Ask;
use crate::{ModelChoice, Policy, policy};

impl State {
    /// Wants a process: the first one, or one that takes up the conversation where the last one left it.
    pub(super) fn launch(&mut self) {
        self.take_up();
        let plan = self.plan();
        self.link = Link::Launching;
        self.life = Life::Starting;
        self.again = false;
        self.first_init = true;
        self.info.problem = None;
        self.garbage = Default::default();
        self.failures = Default::default();
        self.effects.push(Effect::Launch(Box::new(plan)));
    }

    fn plan(&mut self) -> Plan {
        let mut request = self.setting.request.clone();
        (request.resume, request.fork) = self.resumes();
        let confirmed = self.info.permission_mode.as_deref();
        let confirmed = confirmed
            .filter(|mode| policy::mode(mode, request.policy, Abilities::of(None)).is_ok())
            .map(str::to_owned);
        let first = match request.policy {
            Policy::Rules => request.permission_mode.clone(),
            _ => None,
        };
        Plan {
            mode: self.mode_wish.take().or(confirmed).or(first),
            request,
        }
    }

    pub(super) fn launched(&mut self, outcome: Result<Facts, LaunchError>) {
        match outcome {
            Ok(facts) => self.initialize(facts),
            Err(error) => self.not_launched(&error),
        }
    }

    fn initialize(&mut self, facts: Facts) {
        self.link = Link::Initializing;
        if let Some(version) = facts.version {
            self.info.cli_version = Some(version.to_string());
        }
        self.can(facts.version);
        let (resumes, forks) = self.resumes();
        self.resumed = resumes.is_some();
        let cwd = Some(self.setting.request.workspace.clone());
        let mut emitted = Vec::new();
        self.transcript.started(
            Start {
                resumed: self.resumed,
                forked: forks,
                cwd,
            },
            &mut emitted,
        );
        self.emit_all(emitted);
        self.expect(resumes, forks);
        for warning in facts.warnings {
            self.notice(warning.kind, warning.text, json!(null));
        }
        let host_servers = self.setting.host_server.then(|| NAME.to_owned());
        let host_servers = host_servers.into_iter().collect();
        let ask = Ask::Initialize {
            request: Initialize {
                hooks: policy::hooks(self.setting.request.policy),
                sdk_mcp_servers: host_servers,
            },
            limit: self.setting.initialize_timeout,
        };
        let line = self.requests.ask(ask, None, self.now.instant);
        self.write(line);
    }

    /// What this version can do, as far as it is known.
    fn can(&mut self, version: Option<Version>) {
        self.abilities = Abilities::of(version);
        self.info.can = match version {
            Some(_) => self.abilities.requests(),
            None => Vec::new(),
        };
    }

    fn not_launched(&mut self, error: &LaunchError) {
        self.link = Link::None;
        self.life = Life::Failed;
        let (what, next_step) = (error.to_string(), error.next_step());
        self.info.problem = Some(problem(&what, next_step));
        self.error(error.code(), what, next_step);
        self.give_back_undelivered(false);
    }

    /// The CLI is there and knows our hooks: what was waiting for that goes out.
    pub(super) fn ready(&mut self, payload: Option<&RawValue>) {
        // What waits is for the next process.
        if self.ending.is_some() {
            return;
        }
        self.link = Link::Ready;
        self.life = Life::Running;
        if let Some(answer) = payload
            .and_then(|payload| serde_json::from_str::<InitializeAnswer<'_>>(payload.get()).ok())
        {
            if let Some(version) = &answer.claude_code_version {
                self.info.cli_version = Some(version.clone().into_owned());
                if self.abilities.version().is_none() {
                    self.can(Version::of_numbers(version));
                }
            }
            if let Some(style) = output_style(payload) {
                self.info.output_style = Some(style);
            }
            if let Some(models) = answer.models {
                self.info.models = model_choices(models);
            }
        }
        self.ask_what_waited();
        while let Some(prompt) = self.prompts.next_waiting() {
            self.deliver(prompt);
        }
    }

    pub(super) fn initialize_refused(&mut self, reason: &str) {
        let what = format!("Claude Code refused to initialize: {reason}");
        self.fail(
            "initialize_refused",
            &what,
            "Start the session again.",
            Duration::from_secs(2),
        );
    }

    pub(super) fn initialize_overdue(&mut self) {
        let seconds = self.setting.initialize_timeout.as_secs();
        let doing = if self.resumed { "resuming" } else { "starting" };
        let what = format!("Claude Code did not answer `initialize` within {seconds} s of {doing}");
        self.fail(
            "initialize_timeout",
            &what,
            "Start it again; if that repeats, run `kandev doctor`.",
            Duration::from_secs(2),
        );
    }
}

fn output_style(payload: Option<&RawValue>) -> Option<String> {
    #[derive(Deserialize)]
    struct Style {
        output_style: Option<String>,
    }
    serde_json::from_str::<Style>(payload?.get())
        .ok()?
        .output_style
}

/// What happened, what was kept, what to do: as one text for a row.
pub(super) fn problem(what: &str, next_step: &str) -> String {
    format!("{} {next_step}", sentence(what))
}

/// A lower-case clause as a sentence. What a program said may be a part of it, and secrets a part of that.
pub(crate) fn sentence(clause: &str) -> String {
    let clause = &*crate::redact::text(clause);
    let mut letters = clause.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string())
        .unwrap_or_default();
    let end = if clause.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    format!("{first}{}{end}", letters.as_str())
}

fn model_choices(models: &RawValue) -> Vec<ModelChoice> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Model {
        value: String,
        display_name: Option<String>,
        description: Option<String>,
        supports_effort: Option<bool>,
        supported_effort_levels: Option<Vec<String>>,
    }
    let entries: Vec<&RawValue> = serde_json::from_str(models.get()).unwrap_or_default();
    let read = |entry: &&RawValue| serde_json::from_str::<Model>(entry.get()).ok();
    let choice = |model: Model| ModelChoice {
        display_name: model.display_name.unwrap_or_else(|| model.value.clone()),
        effort_levels: match (model.supports_effort, model.supported_effort_levels) {
            (Some(false), _) => Some(Vec::new()),
            (_, levels) => levels,
        },
        value: model.value,
        description: model.description,
    };
    entries.iter().filter_map(read).map(choice).collect()
}
