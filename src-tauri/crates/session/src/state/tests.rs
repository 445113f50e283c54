//! The deciding part, as function calls: no process, no clock.
#![allow(clippy::unwrap_used)]

mod any_order;
mod asking;
mod conversation;
mod elicitations;
mod ending;
mod hooks;
mod hosting;
mod naming;
mod older;
mod phase_table;
mod phases;
mod reports;
mod requesting;
mod restoring;
mod starting;
mod stopping;
mod turns;
mod waiting;

use std::time::{Duration, Instant};

use kandev_transcript::{EventBody, NoFiles, ResolvedBy};
use kandev_transport::{Exit, Version};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{Effect, Input, Setting, State};
use crate::command::{Command, Done};
use crate::launch::{Facts, Plan};
use crate::moment::Moment;
use crate::{Decision, NewSession, Past, Phase, Policy, SessionError, StopCheck};

const WORKSPACE: &str = "/home/dev/project";

/// A session under test, and everything it did.
struct Rig {
    state: State,
    now: Instant,
    seconds: u64,
    uuids: u32,
    written: Vec<Value>,
    events: Vec<EventBody>,
    plans: Vec<Plan>,
    terminated: Vec<Duration>,
    closed: bool,
    aborted: bool,
    abandoned: bool,
    checks: Vec<String>,
    hosted: Vec<(String, String)>,
}

type Outcome = oneshot::Receiver<crate::command::Outcome>;

fn request(policy: Policy) -> NewSession {
    NewSession::new(WORKSPACE.to_owned(), policy)
}

fn setting(request: NewSession) -> Setting {
    Setting {
        id: "s1".to_owned(),
        request,
        rehearsal: false,
        host_server: false,
        initialize_timeout: Duration::from_secs(30),
        silence_limit: Duration::from_secs(120),
        same_folder: |one, other| one.trim_end_matches('/') == other.trim_end_matches('/'),
    }
}

/// An ended session of two hours ago.
fn past() -> Past {
    Past {
        last_seq: 40,
        cli_session_id: Some("cli-1".to_owned()),
        title: "Fix the parser".to_owned(),
        titled: true,
        permission_mode: Some("acceptEdits".to_owned()),
        model: Some("claude-opus".to_owned()),
        effort: None,
        phase: Phase::Stopped,
        since: "2026-01-01T00:00:00.000Z".to_owned(),
        started_at: "2025-12-31T00:00:00.000Z".to_owned(),
        problem: None,
        cli_version: Some("2.1.332".to_owned()),
        last_message_uuid: Some("m-9".to_owned()),
        forked_from: None,
        standing: Vec::new(),
    }
}

impl Rig {
    /// Before the process was found.
    fn new(request: NewSession) -> Self {
        let setting = setting(request);
        Self::of(|moment| State::new(setting, Box::new(NoFiles), moment))
    }

    /// A session that was here before.
    fn restored(request: NewSession, past: Past) -> Self {
        let setting = setting(request);
        Self::of(|moment| State::restored(setting, past, Box::new(NoFiles), moment))
    }

    fn of(state: impl FnOnce(Moment) -> State) -> Self {
        let now = Instant::now();
        let state = state(Moment {
            instant: now,
            wall: wall(0),
        });
        let mut rig = Self {
            state,
            now,
            seconds: 0,
            uuids: 0,
            written: Vec::new(),
            events: Vec::new(),
            plans: Vec::new(),
            terminated: Vec::new(),
            closed: false,
            aborted: false,
            abandoned: false,
            checks: Vec::new(),
            hosted: Vec::new(),
        };
        rig.give(Input::Begin);
        rig
    }

    /// With a server of the host's own, before the process was found.
    fn hosting() -> Self {
        let mut rig = Self::new(request(Policy::Supervised));
        rig.state.setting.host_server = true;
        rig
    }

    /// A process runs and has been asked to initialize.
    fn launched(request: NewSession) -> Self {
        let mut rig = Self::new(request);
        rig.launch();
        rig
    }

    /// It has answered.
    fn ready(policy: Policy) -> Self {
        Self::ready_with(request(policy))
    }

    fn ready_with(request: NewSession) -> Self {
        let mut rig = Self::launched(request);
        rig.initialized();
        rig
    }

    fn launch(&mut self) {
        let version = Some(Version {
            major: 2,
            minor: 1,
            patch: 332,
        });
        self.give(Input::Launched(Ok(Facts {
            version,
            warnings: Vec::new(),
        })));
    }

    fn initialized(&mut self) {
        let id = self.asked("initialize");
        self.succeed(
            &id,
            json!({ "commands": [], "models": [{ "value": "opus", "displayName": "Opus" }] }),
        );
    }

    fn give(&mut self, input: Input) {
        let moment = Moment {
            instant: self.now,
            wall: wall(self.seconds),
        };
        for effect in self.state.handle(input, moment) {
            match effect {
                Effect::Launch(plan) => self.plans.push(*plan),
                Effect::AbortLaunch => self.aborted = true,
                Effect::Write(line) => self.write(&line),
                Effect::CloseStdin => self.closed = true,
                Effect::Answering { .. } => {}
                Effect::Terminate { grace } => self.terminated.push(grace),
                Effect::Abandon => self.abandoned = true,
                Effect::Record(emitted) => self.events.push(emitted.body),
                Effect::Tell(done, outcome) => done.tell(outcome),
                Effect::CheckStop { request_id } => {
                    self.checks.push(request_id.unwrap_or_default())
                }
                Effect::Host {
                    request_id,
                    message,
                } => self.hosted.push((request_id, message)),
            }
        }
    }

    /// One line to the CLI: a whole message of the kinds that every version takes, for some end on any other
    /// (VERSIONS 4.4).
    fn write(&mut self, line: &str) {
        assert!(!line.trim().is_empty() && !line.contains('\n'), "{line:?}");
        let message: Value = serde_json::from_str(line).unwrap();
        let kind = message["type"].as_str().unwrap();
        let known = ["user", "control_request", "control_response", "keep_alive"];
        assert!(known.contains(&kind), "{line}");
        self.written.push(message);
    }

    fn line(&mut self, line: Value) {
        self.give(Input::Line(line.to_string().into_bytes().into()));
    }

    fn ask(&mut self, command: impl FnOnce(Done) -> Command) -> Outcome {
        let (done, outcome) = oneshot::channel();
        self.give(Input::Command(command(Done(done))));
        outcome
    }

    /// Sends a prompt and returns its uuid.
    fn prompt(&mut self, text: &str) -> String {
        self.uuids += 1;
        let uuid = format!("prompt-{}", self.uuids);
        let (text, sent) = (text.to_owned(), uuid.clone());
        let outcome = self.ask(|done| Command::Prompt {
            text,
            images: Vec::new(),
            uuid: sent,
            done,
        });
        assert_eq!(told(outcome), Ok(()));
        uuid
    }

    fn wait(&mut self, seconds: u64) {
        self.seconds += seconds;
        self.now += Duration::from_secs(seconds);
        if self
            .state
            .next_deadline()
            .is_some_and(|deadline| deadline <= self.now)
        {
            self.give(Input::Time);
        }
    }

    /// The id of our newest request of this kind.
    fn asked(&self, subtype: &str) -> String {
        let sent = self
            .written
            .iter()
            .rfind(|line| line["request"]["subtype"] == subtype);
        sent.unwrap_or_else(|| panic!("no {subtype} was sent"))["request_id"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    fn count_asked(&self, subtype: &str) -> usize {
        self.written
            .iter()
            .filter(|line| line["request"]["subtype"] == subtype)
            .count()
    }

    fn succeed(&mut self, id: &str, payload: Value) {
        self.line(json!({ "type": "control_response",
            "response": { "subtype": "success", "request_id": id, "response": payload } }));
    }

    fn refuse(&mut self, id: &str, error: &str) {
        self.line(json!({ "type": "control_response",
            "response": { "subtype": "error", "request_id": id, "error": error } }));
    }

    /// What we answered to a request of the CLI.
    fn answer_to(&self, id: &str) -> Option<&Value> {
        self.written
            .iter()
            .map(|line| &line["response"])
            .find(|response| response["request_id"] == id)
    }

    fn killed(&mut self) {
        self.give(Input::Exited(Exit {
            code: None,
            signal: Some("SIGKILL".to_owned()),
        }));
    }

    /// The CLI ends at its start with these words, in the way of the newest version.
    fn refused(&mut self, words: &str) {
        self.line(json!({ "type": "result", "subtype": "error_during_execution", "is_error": true, "num_turns": 0,
            "errors": [words], "session_id": "cli-1" }));
        self.give(Input::Stderr(words.to_owned()));
        self.exit(1);
    }

    fn exit(&mut self, code: i32) {
        self.give(Input::Exited(Exit {
            code: Some(code),
            signal: None,
        }));
    }

    /// The CLI begins a turn.
    fn init(&mut self) {
        self.init_of("cli-1");
    }

    /// The same in another of its conversations.
    fn init_of(&mut self, id: &str) {
        self.line(
            json!({ "type": "system", "subtype": "init", "cwd": WORKSPACE, "session_id": id,
            "model": "claude-opus", "permissionMode": "default", "tools": [], "uuid": "u" }),
        );
    }

    /// The turn ends well.
    fn result(&mut self) {
        self.line(json!({ "type": "result", "subtype": "success", "is_error": false, "result": "ok", "num_turns": 1,
            "uuid": "r" }));
    }

    /// A person answers a question.
    fn answer(&mut self, id: &str, decision: Decision) -> Result<(), SessionError> {
        let (pending_id, by) = (id.to_owned(), ResolvedBy::User);
        told(self.ask(|done| Command::Answer {
            pending_id,
            decision,
            by,
            done,
        }))
    }

    fn can_use_tool(&mut self, id: &str, tool: &str, input: Value) {
        self.control(
            id,
            json!({ "subtype": "can_use_tool", "tool_name": tool, "input": input,
            "tool_use_id": format!("call-{id}") }),
        );
    }

    fn control(&mut self, id: &str, request: Value) {
        self.line(json!({ "type": "control_request", "request_id": id, "request": request }));
    }

    fn phase(&self) -> Phase {
        self.state.info().phase
    }

    fn problem(&self) -> &str {
        self.state.info().problem.as_deref().unwrap_or_default()
    }

    fn errors(&self) -> Vec<&str> {
        self.events
            .iter()
            .filter_map(|body| match body {
                EventBody::Error { data, .. } => Some(data.code.as_str()),
                _ => None,
            })
            .collect()
    }

    fn notices(&self, wanted: &str) -> Vec<&Value> {
        self.events
            .iter()
            .filter_map(|body| match body {
                EventBody::Notice { kind, data, .. } if kind == wanted => Some(data),
                _ => None,
            })
            .collect()
    }

    /// The prompts that came back, by uuid.
    fn returned(&self) -> Vec<&str> {
        self.notices("prompt_returned")
            .iter()
            .map(|data| data["uuid"].as_str().unwrap())
            .collect()
    }

    /// The prompts that were written.
    fn prompts(&self) -> Vec<&str> {
        let text = |line: &'_ Value| line["type"] == "user";
        self.written
            .iter()
            .filter(|line| text(line))
            .map(|line| line["message"]["content"].as_str().unwrap())
            .collect()
    }
}

fn wall(seconds: u64) -> String {
    kandev_transcript::at(seconds * 1000)
}

/// The outcome of a command that was told at once.
fn told(mut outcome: Outcome) -> Result<(), SessionError> {
    outcome
        .try_recv()
        .expect("the command has an outcome")
        .map(drop)
}

fn allow() -> Decision {
    Decision::Allow {
        updated_input: None,
        suggestions: Vec::new(),
    }
}

fn deny(interrupt: bool) -> Decision {
    Decision::Deny {
        message: None,
        interrupt,
    }
}
