//! Our control requests: what may be asked, what follows from an answer, and what is asked anew of the next process.

use kandev_transcript::EventBody;
use kandev_wire::request::{
    GetSettings, Initialize, Interrupt, ModeSet, ModelSet, Request, RewindFiles,
    SetMaxThinkingTokens, SetModel, SetPermissionMode, Titled,
};
use kandev_wire::{ControlResponse, RawValue};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Link, State};
use crate::abilities::{Ability, Takes};
use crate::command::Done;
use crate::requests::{Ask, INTERRUPT_LIMIT, Open};
use crate::{SessionError, policy};

/// How much of a prompt a title is made from, in characters.
const ABOUT: usize = 2_000;

impl State {
    pub(super) fn ask(&mut self, ask: Ask, done: Option<Done>) {
        if matches!(ask, Ask::Interrupt(_)) && self.ending.is_none() && self.activity.turn() {
            let by = self.now.instant + INTERRUPT_LIMIT;
            self.interrupt_by.get_or_insert(by);
        }
        let line = self.requests.ask(ask, done, self.now.instant);
        self.write(line);
    }

    fn is_ready(&self) -> bool {
        self.link == Link::Ready && self.ending.is_none()
    }

    /// Whether the CLI knows the request. As long as its version is not known, it is taken to.
    fn supported(&self, subtype: &str) -> Result<(), SessionError> {
        let unsupported = |since: Option<String>| {
            Err(SessionError::Unsupported {
                request: subtype.to_owned(),
                version: self.info.cli_version.clone().unwrap_or_default(),
                since,
            })
        };
        match self.abilities.takes(subtype) {
            Takes::Yes => Ok(()),
            Takes::Since(since) => unsupported(Some(since.to_string())),
            Takes::Never => unsupported(None),
        }
    }

    /// Asks now, or as soon as the CLI is ready.
    fn ask_supported(&mut self, ask: Ask, done: Done) {
        if let Link::Launching | Link::Initializing = self.link
            && self.ending.is_none()
        {
            return self.requests.wait(ask, done);
        }
        if !self.is_ready() {
            let request = ask.subtype().to_owned();
            return self.tell(done, Err(SessionError::Ended { request }));
        }
        match self.supported(ask.subtype()) {
            Ok(()) => self.ask(ask, Some(done)),
            Err(error) => self.tell(done, Err(error)),
        }
    }

    /// Any control request. Those that the session keeps something of go the way of its own commands: none of them
    /// gets around what the session may do.
    pub(super) fn request(
        &mut self,
        subtype: &'static str,
        fields: Map<String, Value>,
        done: Done,
    ) {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
        match subtype {
            Initialize::SUBTYPE => {
                let (request, reason) = (
                    subtype.to_owned(),
                    "the session does it by itself".to_owned(),
                );
                self.tell(done, Err(SessionError::Refused { request, reason }));
            }
            SetPermissionMode::SUBTYPE => self.set_mode(&text("mode").unwrap_or_default(), done),
            SetModel::SUBTYPE => self.set_model(text("model"), done),
            SetMaxThinkingTokens::SUBTYPE => {
                let tokens = fields.get("max_thinking_tokens").and_then(Value::as_u64);
                self.set_thinking(tokens.and_then(|tokens| tokens.try_into().ok()), done);
            }
            Interrupt::SUBTYPE => {
                self.interrupt(fields.get("cancel_queued") == Some(&json!(true)), done)
            }
            // Such a version would do it.
            RewindFiles::SUBTYPE
                if fields.get("dry_run") == Some(&json!(true))
                    && !self.abilities.can(Ability::RewindPreview) =>
            {
                let error = SessionError::Unsupported {
                    request: "rewind_files as a dry run".to_owned(),
                    version: self.info.cli_version.clone().unwrap_or_default(),
                    since: Some(crate::abilities::FULL.to_string()),
                };
                self.tell(done, Err(error));
            }
            "rename_session" => self.rename(text("title").unwrap_or_default(), done),
            _ => self.ask_supported(Ask::Other { subtype, fields }, done),
        }
    }

    pub(super) fn interrupt(&mut self, cancel_queued: bool, done: Done) {
        match self.link {
            Link::Ready if self.ending.is_none() => {
                self.ask(Ask::Interrupt(Interrupt { cancel_queued }), Some(done))
            }
            Link::Launching | Link::Initializing => {
                self.give_back_undelivered(false);
                self.tell(done, Ok(()));
            }
            Link::None | Link::Ready => self.tell(done, Ok(())),
        }
    }

    pub(super) fn set_mode(&mut self, mode: &str, done: Done) {
        let mode = match policy::mode(mode, self.setting.request.policy, self.abilities) {
            Ok(mode) => mode.to_owned(),
            Err(error) => return self.tell(done, Err(error)),
        };
        if self.is_ready() {
            self.ask(Ask::SetMode(mode), Some(done));
        } else {
            if self.link == Link::None {
                self.info.permission_mode = Some(mode.clone());
            }
            self.mode_wish = Some(mode);
            self.tell(done, Ok(()));
        }
    }

    pub(super) fn set_model(&mut self, model: Option<String>, done: Done) {
        if self.is_ready() {
            return self.ask(Ask::SetModel(model), Some(done));
        }
        if self.link == Link::None {
            self.info.model.clone_from(&model);
            self.setting.request.model = model;
        } else {
            self.model_wish = Some(model);
        }
        self.tell(done, Ok(()));
    }

    pub(super) fn set_thinking(&mut self, max_tokens: Option<u32>, done: Done) {
        if self.link == Link::None {
            self.thinking = max_tokens;
            return self.tell(done, Ok(()));
        }
        self.ask_supported(Ask::SetThinking(max_tokens), done);
    }

    pub(super) fn set_effort(&mut self, effort: Option<String>, done: Done) {
        if self.link == Link::None {
            self.info.effort.clone_from(&effort);
            self.setting.request.effort = effort;
            return self.tell(done, Ok(()));
        }
        if self.is_ready()
            && let Err(error) = self.supported(GetSettings::SUBTYPE)
        {
            return self.tell(done, Err(error));
        }
        self.ask_supported(Ask::SetEffort(effort), done);
    }

    /// The title is ours at once where the CLI cannot keep it.
    pub(super) fn rename(&mut self, title: String, done: Done) {
        let title = title.trim().to_owned();
        if title.is_empty() {
            let (request, reason) = ("rename_session".to_owned(), "a title has words".to_owned());
            return self.tell(done, Err(SessionError::Refused { request, reason }));
        }
        if self.is_ready() && self.supported("rename_session").is_ok() {
            return self.ask(Ask::Rename(title), Some(done));
        }
        if !self.is_ready() {
            self.title_wish = Some(title.clone());
        }
        self.titled_as(title);
        self.tell(done, Ok(()));
    }

    pub(super) fn generate_title(&mut self, done: Done) {
        let about: String = match &self.first_prompt {
            Some(prompt) => prompt.chars().take(ABOUT).collect(),
            None => self.info.title.clone(),
        };
        self.ask_supported(Ask::GenerateTitle(about), done);
    }

    /// A prompt that waits here is given back at once; for others the CLI is asked.
    pub(super) fn cancel_prompt(&mut self, uuid: String, done: Done) {
        if let Some(prompt) = self.prompts.withdraw(&uuid) {
            self.give_back(&prompt);
            let cancelled = json!({ "cancelled": true }).to_string();
            return self.tell_answer(done, RawValue::from_string(cancelled).ok());
        }
        let fields = Map::from_iter([("message_uuid".to_owned(), json!(uuid))]);
        let subtype = "cancel_async_message";
        self.ask_supported(Ask::Other { subtype, fields }, done);
    }

    /// Sets again what the process before had, and asks what was asked too early.
    pub(super) fn ask_what_waited(&mut self) {
        if let Some(mode) = self.mode_wish.take() {
            self.ask(Ask::SetMode(mode), None);
        }
        if let Some(model) = self.model_wish.take() {
            self.ask(Ask::SetModel(model), None);
        }
        if self.thinking.is_some() && self.supported(SetMaxThinkingTokens::SUBTYPE).is_ok() {
            self.ask(Ask::SetThinking(self.thinking), None);
        }
        if self.setting.request.effort.is_some() {
            self.read_effort();
        }
        if let Some(title) = self.title_wish.take()
            && self.supported("rename_session").is_ok()
        {
            self.ask(Ask::Rename(title), None);
        }
        for (ask, done) in self.requests.early() {
            self.ask_supported(ask, done);
        }
    }

    fn read_effort(&mut self) {
        if self.supported(GetSettings::SUBTYPE).is_ok() {
            self.ask(Ask::ReadEffort { wanted: None }, None);
        }
    }

    /// The answer to a request of ours. Anything else in this form is an echo, or comes too late.
    pub(super) fn answered(&mut self, response: &ControlResponse<'_>) {
        // Questions of a process that was joined late; the transcript has heard of them before.
        for pending in response.response.iter().flat_map(|body| body.pending()) {
            self.asked(&pending);
        }
        let Some(open) = response
            .request_id()
            .and_then(|id| self.requests.answered(id))
        else {
            return;
        };
        match response.outcome() {
            Ok(payload) => self.granted(open, payload),
            Err(reason) => {
                let code = response
                    .response
                    .as_ref()
                    .and_then(|inner| inner.error_code.as_deref());
                self.refused(open, reason, code);
            }
        }
    }

    fn granted(&mut self, open: Open, payload: Option<&RawValue>) {
        match open.ask {
            Ask::Initialize { .. } => self.ready(payload),
            Ask::SetMode(mode) => self.mode_set(mode, payload),
            Ask::SetModel(model) => {
                let set = SetModel::read(payload).unwrap_or_default();
                let ModelSet { model: resolved } = set;
                self.setting.request.model.clone_from(&model);
                self.info.model = resolved.or(model).or(self.info.model.take());
                // Each model has efforts of its own.
                if self.info.effort.is_some() || self.setting.request.effort.is_some() {
                    self.read_effort();
                }
            }
            Ask::SetThinking(max_tokens) => self.thinking = max_tokens,
            Ask::SetEffort(wanted) => {
                self.setting.request.effort.clone_from(&wanted);
                return self.ask(Ask::ReadEffort { wanted }, open.done);
            }
            Ask::ReadEffort { wanted } => {
                let outcome = self.effort_read(wanted, payload);
                return self.tell(open.done, outcome);
            }
            // The CLI says a new title by itself, before it answers.
            Ask::Rename(title) => self.titled_as(title),
            Ask::GenerateTitle(_) => {
                if let Some(title) = read_title(payload) {
                    self.titled_as(title);
                }
            }
            Ask::Interrupt(_) | Ask::Other { .. } => {}
        }
        if let Some(done) = open.done {
            self.tell_answer(done, payload.map(RawValue::to_owned));
        }
    }

    /// The mode that the CLI confirms is the one that is shown (asks U29). Old versions confirm none: there it is the one
    /// that was taken.
    fn mode_set(&mut self, mode: String, payload: Option<&RawValue>) {
        let ModeSet { mode: confirmed } = SetPermissionMode::read(payload).unwrap_or_default();
        let told = self.abilities.can(Ability::ModeConfirmed);
        let Some(mode) = confirmed.or_else(|| (!told).then_some(mode)) else {
            return;
        };
        // Where a status line follows, that makes the event.
        if !told && self.info.permission_mode.as_ref() != Some(&mode) {
            self.say(EventBody::ModeChanged { mode: mode.clone() });
        }
        self.info.permission_mode = Some(mode);
    }

    fn effort_read(
        &mut self,
        wanted: Option<String>,
        payload: Option<&RawValue>,
    ) -> Result<(), SessionError> {
        let settings = GetSettings::read(payload).unwrap_or_default();
        let holds = settings.applied.and_then(|applied| applied.effort);
        self.info.effort.clone_from(&holds);
        let Some(wanted) = wanted.filter(|wanted| holds.as_ref() != Some(wanted)) else {
            return Ok(());
        };
        self.setting.request.effort = None;
        let reason = match holds {
            Some(holds) => format!("the effort stays {holds}; {wanted} was not taken"),
            None => "this model has no levels of effort".to_owned(),
        };
        let request = "set_effort".to_owned();
        Err(SessionError::Refused { request, reason })
    }

    fn titled_as(&mut self, title: String) {
        self.titled = true;
        if self.info.title != title {
            self.say(EventBody::TitleChanged { title });
        }
    }

    fn refused(&mut self, open: Open, reason: &str, code: Option<&str>) {
        if let Ask::Initialize { .. } = open.ask {
            return self.initialize_refused(reason);
        }
        let request = open.ask.subtype().to_owned();
        let error = SessionError::Refused {
            request: request.clone(),
            reason: reason.to_owned(),
        };
        match open.done.filter(Done::is_awaited) {
            Some(done) => self.tell(done, Err(error)),
            None => {
                let data = json!({ "request": request, "reason": reason, "error_code": code });
                self.notice("control_error", super::sentence(&error.to_string()), data);
            }
        }
    }

    /// No answer came in time. Somebody hears of it.
    pub(super) fn overdue(&mut self, open: Open) {
        let error = open.no_answer();
        match &open.ask {
            Ask::Initialize { .. } => return self.initialize_overdue(),
            Ask::Interrupt(_) if self.ending.is_none() => {
                let text = "Claude Code did not answer the interrupt. Stop the session to end it by force; the next \
                            prompt resumes the conversation.";
                self.notice("interrupt_unanswered", text.to_owned(), json!(null));
            }
            Ask::Interrupt(_) => {}
            ask if open.done.as_ref().is_none_or(|done| !done.is_awaited()) => {
                let data = json!({ "request": ask.subtype(), "reason": error.to_string() });
                self.notice("control_error", super::sentence(&error.to_string()), data);
            }
            _ => {}
        }
        self.tell(open.done, Err(error));
    }
}

fn read_title(payload: Option<&RawValue>) -> Option<String> {
    let Titled { title } =
        Titled::deserialize(&mut serde_json::Deserializer::from_str(payload?.get())).ok()?;
    title.filter(|title| !title.trim().is_empty())
}
