//! One process of the CLI: which part of the state each line concerns.

use kandev_wire::{
    AssistantMessage, ContentBlock, ControlBody, ControlRequest, ControlResponse, FromCli, Line,
    StreamEvent, System, SystemBody, ToCli, TurnResult, UserLine, text_of,
};

use crate::calls::{Calls, ResultOf, goes_on};
use crate::context::Context;
use crate::end::End;
use crate::event::{EventBody, SessionState, ToolStatus};
use crate::facts::{Facts, commands_are};
use crate::files::Files;
use crate::normalize::ToolResult;
use crate::notices;
use crate::out::Out;
use crate::prompts::{Prompts, local_command_output};
use crate::questions::Questions;
use crate::texts::{Kind, Texts};
use crate::todos::Todos;
use crate::transcript::{Exit, Start};
use crate::turn::{Turn, by_model};
use crate::turn_diff::TurnDiff;

pub(crate) struct Process {
    facts: Facts,
    prompts: Prompts,
    texts: Texts,
    calls: Calls,
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
            calls: Calls::new(),
            questions: Questions::default(),
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
                notices::unknown_block(message, line, out);
            }
            FromCli::User(message) => {
                self.user(message, out);
                kept_if(message.message.is_none(), line, out);
            }
            FromCli::System(message) => self.system(message, line, out),
            FromCli::Result(result) => self.result(result, out),
            FromCli::ToolProgress(progress) => {
                if let Some(id) = progress.call_id() {
                    self.calls
                        .progress(id, progress.elapsed_time_seconds.clone(), out);
                }
            }
            FromCli::RateLimit(limit) => notices::rate_limit(limit, json, out),
            FromCli::ConversationReset(_) => {
                let text = "The conversation was cleared".to_owned();
                notices::notice("conversation_reset", text, json, None, out);
            }
            FromCli::ControlRequest(request) => self.asked(request, line, files, out),
            FromCli::ControlResponse(response) => self.answer(response, out),
            FromCli::ControlCancelRequest(cancelled) => {
                if let Some(id) = &cancelled.request_id {
                    self.questions.cancelled(id, out);
                }
            }
            FromCli::Declared(declared) => {
                let kind = declared.kind.as_deref().unwrap_or_default();
                let text = declared
                    .summary
                    .as_deref()
                    .map_or_else(|| kind.replace('_', " "), str::to_owned);
                notices::notice(kind, text, json, None, out);
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
        self.questions.session_over(out);
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

    fn stream(&mut self, line: &StreamEvent<'_>, out: &mut Out) {
        let Some(event) = &line.event else { return };
        let parent = line.parent_tool_use_id.as_deref();
        let named = line.api_message_id.as_deref();
        match event.kind.as_deref() {
            Some("message_start") => {
                let id = event
                    .message
                    .as_ref()
                    .and_then(|message| message.id.as_deref())
                    .or(named);
                self.texts.start(parent, id, out);
                if parent.is_none() {
                    self.work();
                    self.context.streams(event, out);
                }
            }
            Some("content_block_delta") => {
                let Some(delta) = &event.delta else { return };
                let (kind, text) = match delta.kind.as_deref() {
                    Some("text_delta") => (Kind::Text, &delta.text),
                    Some("thinking_delta") => (Kind::Thinking, &delta.thinking),
                    _ => return,
                };
                if let Some(text) = text {
                    self.texts
                        .delta(parent, named, kind, text, line.halves, out);
                }
            }
            Some("message_delta") if parent.is_none() => self.context.streams(event, out),
            Some("message_stop") => self.texts.stop(parent, line.abandoned_blocks.as_ref(), out),
            _ => {}
        }
    }

    fn assistant(&mut self, line: &AssistantMessage<'_>, out: &mut Out) {
        let parent = line.parent_tool_use_id.as_deref();
        if parent.is_none() {
            self.turn.assistant_line(line);
            self.context.says(line, out);
        }
        let Some(message) = &line.message else { return };
        let id = message
            .id
            .as_deref()
            .or(line.uuid.as_deref())
            .unwrap_or_default();
        for block in &message.content {
            match block {
                ContentBlock::Text { text } => {
                    self.texts.confirm(parent, id, Kind::Text, text, out);
                    self.turn.text_shown |= parent.is_none() && !text.is_empty();
                }
                ContentBlock::Thinking { thinking } if !thinking.is_empty() => {
                    self.texts
                        .confirm(parent, id, Kind::Thinking, thinking, out);
                }
                ContentBlock::ToolUse { id, name, input } => {
                    self.calls.start(id, name, *input, parent, out)
                }
                ContentBlock::ToolResult {
                    tool_use_id,
                    content,
                    is_error,
                } => {
                    let result = ToolResult {
                        content: *content,
                        tool_use_result: None,
                        is_error: *is_error,
                    };
                    self.tool_result(
                        &ResultOf {
                            call_id: tool_use_id,
                            result,
                            goes_on: false,
                        },
                        out,
                    );
                }
                ContentBlock::Thinking { .. } | ContentBlock::Other { .. } => {}
            }
        }
    }

    fn user(&mut self, line: &UserLine<'_>, out: &mut Out) {
        let parent = line.parent_tool_use_id.as_deref();
        if parent.is_none() {
            self.turn.user_line(line.uuid.as_deref());
        }
        let Some(message) = &line.message else { return };
        let is_result =
            |block: &&ContentBlock<'_>| matches!(block, ContentBlock::ToolResult { .. });
        let results = message.content.iter().filter(is_result).count();
        for block in &message.content {
            if let ContentBlock::ToolResult {
                tool_use_id,
                content,
                is_error,
            } = block
            {
                // The tool's own data belongs to the line; with several results in it, to none of them.
                let data = line.tool_use_result.filter(|_| results == 1);
                let result = ToolResult {
                    content: *content,
                    tool_use_result: data,
                    is_error: *is_error,
                };
                let goes_on = line.tool_use_result.is_some_and(goes_on);
                self.tool_result(
                    &ResultOf {
                        call_id: tool_use_id,
                        result,
                        goes_on,
                    },
                    out,
                );
            }
        }
        let text = text_of(&message.content);
        if let Some(output) = local_command_output(&text) {
            if !output.is_empty() {
                let message_id = line.uuid.as_deref().unwrap_or_default().to_owned();
                out.say_under(
                    parent,
                    EventBody::MessageChunk {
                        text: output.to_owned(),
                        message_id,
                    },
                );
            }
            self.turn.text_shown |= parent.is_none() && !output.trim().is_empty();
            return;
        }
        if line.is_replay == Some(true) {
            self.prompts.replayed(line, out);
        } else if !text.trim().is_empty() || results < message.content.len() && text.is_empty() {
            if parent.is_none()
                && text
                    .trim_start()
                    .starts_with("[Request interrupted by user")
            {
                self.turn.interrupted();
            }
            self.prompts.unmarked(line, out);
        }
    }

    fn tool_result(&mut self, of: &ResultOf<'_>, out: &mut Out) {
        if !self.prompts.host_seen {
            self.questions
                .settled_by_result(of.call_id, of.result.is_error, out);
        }
        if !self.calls.finish(of, out) {
            if !self.calls.is_known(of.call_id) {
                notices::orphan(of, out);
            }
            return;
        }
        self.questions.look_at(&self.calls, false);
        let Some(EventBody::ToolUpdate(call)) = out.events.last().map(|event| &event.body) else {
            return;
        };
        if call.tool_status != ToolStatus::Complete {
            return;
        }
        let main_thread = out
            .events
            .last()
            .is_some_and(|event| event.parent_tool_call_id.is_none());
        let todos = if main_thread {
            self.todos.fold(&call.normalized)
        } else {
            None
        };
        let edited = self.turn_diff.record(&call.normalized);
        if let Some(items) = todos {
            out.say(EventBody::Todos { items });
        }
        if edited {
            let (files, diff) = (self.turn_diff.files(), self.turn_diff.diff().to_owned());
            out.say(EventBody::TurnDiffUpdated { files, diff });
        }
    }

    fn system(&mut self, message: &System<'_>, line: &Line<'_>, out: &mut Out) {
        let json = line.json();
        if let Some(content) = &message.content {
            self.turn.told(content);
        }
        let parent = message.parent_tool_use_id.as_deref();
        match &message.body {
            SystemBody::Init(init) => {
                self.facts.init(init, out);
                self.work();
            }
            SystemBody::Status(status) => {
                if status.status.as_deref() == Some("requesting") {
                    return self.work();
                }
                if let Some(mode) = status.permission_mode.as_deref() {
                    self.facts.mode_is(mode, out);
                }
                if status.status.is_some() || status.compact_result.is_some() {
                    notices::system(message, json, out);
                }
            }
            SystemBody::TaskStarted(task) => {
                if let (Some(task_id), Some(call_id)) = (&task.task_id, &task.tool_use_id) {
                    self.calls.task_started(task_id, call_id);
                }
                out.say_under(parent, EventBody::TaskStarted(notices::task_fields(json)));
            }
            SystemBody::TaskProgress(_) => {
                out.say_under(parent, EventBody::TaskProgress(notices::task_fields(json)))
            }
            SystemBody::TaskNotification(task) => {
                out.say_under(
                    parent,
                    EventBody::TaskNotification(notices::task_fields(json)),
                );
                self.calls
                    .task_over(task.task_id.as_deref(), task.tool_use_id.as_deref(), out);
            }
            SystemBody::CommandsChanged(commands) => commands_are(&commands.commands, out),
            SystemBody::SessionTitleChanged(changed) => {
                if let Some(title) = changed.title.as_deref() {
                    out.say(EventBody::TitleChanged {
                        title: title.to_owned(),
                    });
                }
            }
            SystemBody::SessionStateChanged(changed) => match changed.state.as_deref() {
                Some("running") => self.work(),
                Some("idle") => self.rest(),
                _ => {}
            },
            // The task events and the tokens of the message say the same.
            SystemBody::TaskUpdated(_)
            | SystemBody::BackgroundTasksChanged(_)
            | SystemBody::ThinkingTokens => {}
            SystemBody::Unknown => out.say(EventBody::Unrecognized {
                raw: line.raw().to_owned(),
            }),
            _ => notices::system(message, json, out),
        }
    }

    fn result(&mut self, result: &TurnResult<'_>, out: &mut Out) {
        self.texts.end(out);
        if let Some(text) = self.turn.unshown_text(result) {
            let message_id = result.uuid.as_deref().unwrap_or_default().to_owned();
            out.say(EventBody::MessageChunk { text, message_id });
        }
        self.calls.turn_over(result.is_error.unwrap_or(false), out);
        self.questions.look_at(&self.calls, true);
        let sizes = by_model(result.model_usage).unwrap_or_default();
        self.context.sizes_are(sizes, self.facts.model(), out);
        self.turn.over(result, out);
        self.turn_diff.clear();
        self.prompts.turn_over();
        self.rest();
    }

    fn asked(
        &mut self,
        request: &ControlRequest<'_>,
        line: &Line<'_>,
        files: &dyn Files,
        out: &mut Out,
    ) {
        match &request.request {
            ControlBody::CanUseTool(asked) => {
                if asked.agent_id.is_none() {
                    self.work();
                }
                let id = request.request_id.as_deref().unwrap_or_default();
                self.questions.ask(id, asked, &mut self.calls, files, out);
            }
            ControlBody::HookCallback(_) | ControlBody::McpMessage(_) => {}
            ControlBody::Elicitation(asked) => {
                let text = asked
                    .message
                    .as_deref()
                    .unwrap_or("An MCP server asks for input")
                    .to_owned();
                notices::notice("elicitation", text, line.json(), None, out);
            }
            ControlBody::RequestUserDialog => {
                notices::notice(
                    "request_user_dialog",
                    "The CLI asks for a dialog".to_owned(),
                    line.json(),
                    None,
                    out,
                );
            }
            ControlBody::Unknown { .. } | ControlBody::Missing => {
                out.say(EventBody::Unrecognized {
                    raw: line.raw().to_owned(),
                });
            }
        }
    }

    fn answer(&mut self, response: &ControlResponse<'_>, out: &mut Out) {
        let payload = response.outcome().ok().flatten();
        self.facts.answer(response.request_id(), payload, out);
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
