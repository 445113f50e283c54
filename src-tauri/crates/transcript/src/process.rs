//! One process of the CLI: which part of the state each line concerns.

mod asked;
mod said;
mod system;

use kandev_wire::{FromCli, Line, ToCli};

use crate::calls::Calls;
use crate::context::Context;
use crate::end::End;
use crate::event::{EventBody, SessionState};
use crate::facts::Facts;
use crate::files::Files;
use crate::notices;
use crate::out::Out;
use crate::prompts::Prompts;
use crate::questions::Questions;
use crate::retract::Spoken;
use crate::sentences;
use crate::tasks::Tasks;
use crate::texts::Texts;
use crate::todos::Todos;
use crate::transcript::{Exit, Start};
use crate::turn::Turn;
use crate::turn_diff::TurnDiff;

pub(crate) struct Process {
    facts: Facts,
    prompts: Prompts,
    texts: Texts,
    spoken: Spoken,
    calls: Calls,
    tasks: Tasks,
    pub questions: Questions,
    context: Context,
    todos: Todos,
    turn_diff: TurnDiff,
    pub turn: Turn,
    pub end: End,
    /// The main thread works on a turn.
    running: bool,
    /// Something happened from which a state follows.
    begun: bool,
    state_said: Option<SessionState>,
}

impl Process {
    pub fn new(start: Start) -> Self {
        Self {
            facts: Facts::new(start),
            prompts: Prompts::new(),
            texts: Texts::default(),
            spoken: Spoken::default(),
            calls: Calls::new(),
            tasks: Tasks::new(),
            questions: Questions::new(),
            context: Context::new(),
            todos: Todos::default(),
            turn_diff: TurnDiff::default(),
            turn: Turn::default(),
            end: End::default(),
            running: false,
            begun: false,
            state_said: None,
        }
    }

    /// What the process before leaves to one that takes up its conversation.
    pub fn after(mut self, before: &mut Self) -> Self {
        self.todos = std::mem::take(&mut before.todos);
        self.turn.goes_on(&before.turn);
        self
    }

    /// What stood at the end of an earlier life of the session.
    pub fn restore<'a>(
        &mut self,
        standing: impl IntoIterator<Item = &'a EventBody>,
        saved_uuid: Option<&str>,
    ) {
        for body in standing {
            if let EventBody::Todos { items } = body {
                self.todos = Todos::of(items.clone());
            }
        }
        self.turn.was_saved(saved_uuid);
    }

    /// The host started this process, so what it writes will be part of the input too.
    pub fn with_host(mut self) -> Self {
        self.prompts.host_seen = true;
        self
    }

    /// A line of the CLI.
    pub fn cli(
        &mut self,
        message: &FromCli<'_>,
        line: &Line<'_>,
        files: &dyn Files,
        out: &mut Out,
    ) {
        let json = line.json();
        match message {
            FromCli::StreamEvent(event) => self.stream(event, out),
            FromCli::Assistant(message) => {
                self.assistant(message, out);
                kept_if(message.message.is_none(), line, out);
                let parent = message.parent_tool_use_id.as_deref();
                notices::unknown_block(message.message.as_ref(), parent, line, out);
            }
            FromCli::User(message) => {
                self.user(message, out);
                kept_if(message.message.is_none(), line, out);
                let parent = message.parent_tool_use_id.as_deref();
                notices::unknown_block(message.message.as_ref(), parent, line, out);
            }
            FromCli::System(message) => self.system(message, line, out),
            FromCli::Result(result) => self.result(result, out),
            FromCli::ToolProgress(progress) => {
                if let Some(id) = progress.call_id() {
                    self.calls
                        .progress(id, progress.elapsed_time_seconds.clone(), out);
                }
                if let Some(retry) = &progress.subagent_retry {
                    let text = sentences::subagent_retry(retry);
                    notices::notice("tool_progress", text, json, progress.call_id(), out);
                }
            }
            FromCli::RateLimit(limit) => notices::rate_limit(limit, json, out),
            FromCli::ConversationReset(reset) => {
                let text = sentences::conversation_reset(reset.trigger.as_deref());
                notices::notice("conversation_reset", text, json, None, out);
            }
            FromCli::ControlRequest(request) => self.asked(request, line, files, out),
            FromCli::ControlResponse(response) => self.answer(response, line, files, out),
            FromCli::ControlCancelRequest(cancelled) => {
                if let Some(id) = &cancelled.request_id {
                    self.questions.cancelled(id, out);
                }
            }
            FromCli::ToolUseSummary(told) => {
                let text = told.summary.as_deref().unwrap_or("A few tools have run");
                notices::notice("tool_use_summary", text.to_owned(), json, None, out);
            }
            FromCli::AuthStatus(status) => {
                let text = sentences::auth_status(status);
                notices::notice("auth_status", text, json, None, out);
            }
            FromCli::PromptSuggestion(suggested) => {
                let text = suggested
                    .suggestion
                    .as_deref()
                    .filter(|text| !text.trim().is_empty())
                    .unwrap_or("Nothing is suggested");
                notices::notice("prompt_suggestion", text.to_owned(), json, None, out);
            }
            FromCli::ActiveGoal(goal) => {
                let text = sentences::active_goal(goal);
                notices::notice("active_goal", text, json, None, out);
            }
            FromCli::CommandLifecycle(_) | FromCli::KeepAlive => {}
            FromCli::Unknown => kept_if(true, line, out),
        }
    }

    /// A line of the host.
    pub fn host(&mut self, message: &ToCli<'_>, out: &mut Out) {
        self.prompts.host_seen = true;
        match message {
            ToCli::User(prompt) => {
                if self.prompts.given(prompt, out) {
                    self.work();
                }
            }
            ToCli::ControlRequest(request) => {
                match (request.subtype().as_deref(), &request.request_id) {
                    (Some("end_session"), _) => self.end.asked = true,
                    (Some("set_model"), Some(id)) => self.facts.model_asked(id),
                    _ => {}
                }
            }
            ToCli::ControlResponse(answer) => self.questions.answered(answer, out),
            ToCli::ControlCancelRequest(_) | ToCli::KeepAlive | ToCli::Unknown => {}
        }
    }

    /// The process is gone.
    pub fn exited(&mut self, exit: Exit, out: &mut Out) {
        if !self.end.over {
            self.close(out);
            self.end.exited(exit, &self.turn, out);
        }
    }

    /// Nothing more can come: what is open ends.
    pub fn close(&mut self, out: &mut Out) {
        self.texts.end(out);
        self.tell_turn_diff(true, out);
        self.questions.session_over(out);
        self.tasks.session_over(out);
        self.calls.session_over(out);
    }

    /// Says the state if it is another one now.
    pub fn settle(&mut self, out: &mut Out) {
        let state = if self.end.over {
            SessionState::Ended
        } else if self.questions.any_waiting() {
            SessionState::RequiresAction
        } else if self.running {
            SessionState::Running
        } else if self.begun {
            SessionState::Idle
        } else {
            return;
        };
        if self.state_said != Some(state) {
            self.state_said = Some(state);
            out.say(EventBody::SessionState { state });
        }
    }

    fn work(&mut self) {
        self.running = true;
        self.begun = true;
    }

    fn rest(&mut self) {
        self.running = false;
        self.begun = true;
    }
}

/// A line that means nothing to anyone is shown as it stands.
fn kept_if(unread: bool, line: &Line<'_>, out: &mut Out) {
    if unread {
        out.say(EventBody::Unrecognized {
            raw: line.raw().to_owned(),
        });
    }
}
