//! What both sources share: hearing the host, saying lines, keeping time.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::host::{Host, HostLine};
use crate::misbehave;
use crate::options::{Options, Pace};
use crate::output::Output;
use crate::speech::Voice;
use crate::track::Track;

/// Why playing stopped before the end of what was being played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The host interrupted the turn. Its request is answered already.
    Interrupted,
    /// The process has to end with this code.
    Exit(i32),
}

pub type Played = Result<(), Stop>;

/// What the host answered to a request of ours.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The payload of a success.
    Payload(Value),
    Error(String),
    /// Stdin was closed before an answer came.
    Closed,
}

/// One matcher of the hooks that the host registered.
#[derive(Debug, Clone)]
pub struct Hook {
    pub event: String,
    pub matcher: Option<String>,
    pub callbacks: Vec<String>,
}

pub struct Cli {
    pub options: Options,
    pub track: Track,
    pub voice: Voice,
    pub hooks: Vec<Hook>,
    /// Prompts that no turn has taken yet.
    pub prompts: VecDeque<Value>,
    /// Stdin was closed.
    pub closed: bool,
    host: Host,
    out: Output,
    answers: HashMap<String, Value>,
}

impl Cli {
    pub fn start(options: Options) -> Self {
        let out = Output::new(options.misbehaviour.clone());
        let voice = Voice::default();
        let track = Track {
            session_id: options
                .session_id
                .clone()
                .filter(|_| !(options.resumed && options.misbehaviour.other_session))
                .unwrap_or_else(crate::speech::fresh_id),
            model: crate::answers::resolve_model(options.model.as_deref()),
            mode: options
                .permission_mode
                .clone()
                .map_or_else(|| "default".to_owned(), crate::answers::canonical_mode),
            ..Track::default()
        };
        Self {
            options,
            track,
            voice,
            hooks: Vec::new(),
            prompts: VecDeque::new(),
            closed: false,
            host: Host::listen(),
            out,
            answers: HashMap::new(),
        }
    }

    /// Says one line.
    pub fn say(&mut self, line: &Value) -> Played {
        self.say_raw(&line.to_string(), line)
    }

    /// Says one line in exactly these words.
    pub fn say_raw(&mut self, words: &str, line: &Value) -> Played {
        self.track.observe(line);
        let begins = line["type"] == "system" && line["subtype"] == "init";
        // A host that is gone cannot be told anything; the real CLI ends then too.
        self.out.line(words, begins).map_err(|_| Stop::Exit(1))
    }

    /// The next line of the host, within `limit`.
    pub fn next(&mut self, limit: Option<Duration>) -> Option<HostLine> {
        self.host.next(limit)
    }

    /// Takes the host's next line and does what it asks for. False if none came within `limit`.
    pub fn hear(&mut self, limit: Option<Duration>) -> Result<bool, Stop> {
        match self.next(limit) {
            None => Ok(false),
            Some(line) => self.take(line).map(|()| true),
        }
    }

    /// Does what a line asks for, without regard to what is being played.
    pub fn take(&mut self, line: HostLine) -> Played {
        match line {
            HostLine::Prompt(prompt) => {
                self.lifecycle(&prompt, "queued")?;
                self.prompts.push_back(prompt);
                Ok(())
            }
            HostLine::Request { id, request } => self.answer(&id, &request),
            HostLine::Answer { id, response } => {
                self.answers.entry(id).or_insert(response);
                Ok(())
            }
            HostLine::Ignored => Ok(()),
            HostLine::Fatal(words) => {
                eprintln!("{words}");
                Err(Stop::Exit(1))
            }
            HostLine::Closed => {
                self.closed = true;
                self.options.pace = Pace::Max;
                Ok(())
            }
        }
    }

    /// Waits as a script or a recording says, hearing the host meanwhile.
    pub fn pause(&mut self, wait: Duration) -> Played {
        let wait = if self.options.pace == Pace::Max {
            Duration::ZERO
        } else {
            wait
        };
        let until = Instant::now() + wait;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let heard = self.hear(Some(left))?;
            if !heard || self.options.pace == Pace::Max {
                return Ok(());
            }
        }
    }

    /// Puts a question or a callback to the host and waits for the answer, as long as it takes.
    pub fn ask(&mut self, request: Value) -> Result<Answer, Stop> {
        let id = crate::speech::fresh_id();
        self.say(&json!({"type": "control_request", "request_id": id, "request": request}))?;
        self.wait_for_answer(&id)
    }

    /// Waits for the answer to a request that was said.
    pub fn wait_for_answer(&mut self, id: &str) -> Result<Answer, Stop> {
        loop {
            if let Some(response) = self.answers.remove(id) {
                self.track.questions.shift_remove(id);
                return Ok(if response["subtype"] == "success" {
                    Answer::Payload(response["response"].clone())
                } else {
                    Answer::Error(response["error"].as_str().unwrap_or_default().to_owned())
                });
            }
            if self.closed {
                self.track.questions.shift_remove(id);
                return Ok(Answer::Closed);
            }
            self.hear(None)?;
        }
    }

    /// Tells how far a prompt that came with a uuid is (PROTOCOL 4.6).
    pub fn lifecycle(&mut self, prompt: &Value, state: &str) -> Played {
        let Some(uuid) = prompt["uuid"].as_str() else {
            return Ok(());
        };
        let line = json!({"type": "command_lifecycle", "command_uuid": uuid, "state": state,
            "session_id": self.track.session_id, "uuid": crate::speech::fresh_id()});
        self.say(&line)
    }

    /// Refuses to take up a conversation, as soon as the host has said something (PROTOCOL 1.3).
    pub fn refuse_to_resume(&mut self) -> Option<Played> {
        let resume = self.options.resume.clone()?;
        let words = match self.options.misbehaviour.refuses? {
            misbehave::Refusal::Conversation => {
                format!("No conversation found with session ID: {resume}")
            }
            misbehave::Refusal::Message => {
                "No message found with message.uuid of: the one that was asked for".to_owned()
            }
        };
        while !matches!(
            self.next(None),
            Some(HostLine::Request { .. } | HostLine::Prompt(_) | HostLine::Closed)
        ) {}
        eprintln!("{words}");
        let line = json!({"type": "result", "subtype": "error_during_execution", "duration_ms": 0, "duration_api_ms": 0,
            "is_error": true, "num_turns": 0, "stop_reason": null, "session_id": resume, "total_cost_usd": 0, "usage": {},
            "modelUsage": {}, "permission_denials": [], "uuid": crate::speech::fresh_id(), "errors": [words]});
        Some(self.say(&line).and(Err(Stop::Exit(1))))
    }

    /// The code to exit with after all was played.
    pub fn exit_code(&self, played: Played) -> i32 {
        if self.options.misbehaviour.ignore_eof && played.is_ok() {
            misbehave::hang();
        }
        match played {
            Err(Stop::Exit(code)) if code < 0 => misbehave::die_by_signal(-code),
            Err(Stop::Exit(code)) => code,
            Ok(()) | Err(Stop::Interrupted) => i32::from(self.track.failed),
        }
    }
}
