//! Holds the conversation: sends the prompts one after the other, prints what comes, gets the questions answered, and knows
//! when it is over.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use kandev_session::{
    Decision, NewSession, Past, Phase, Session, SessionInfo, StartOptions, Subscription,
};
use kandev_store::{Claim, Store};
use kandev_telemetry::{Options, Telemetry};
use kandev_transcript::{Event, EventBody, ResolvedBy, TurnEnding};
use serde_json::Value;
use tokio::sync::mpsc;

use super::again::WHO;
use super::asked::Asked;
use super::asker::Heard;
use super::form::Form;
use super::page::Page;
use super::prompts::Prompt;
use super::signals::{Wish, wishes};
use super::{answers, stdin};

/// What this program is called in traces.
const SERVICE: (&str, &str) = ("kandev", env!("CARGO_PKG_VERSION"));
/// How long the end waits for debug files and traces.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// Rows of the journal that are read at once.
const ROWS: usize = 512;

/// What becomes of a question that nobody can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unattended {
    /// Denied, once stdin is over.
    Deny,
    /// Allowed, once stdin is over: nothing real can come of it.
    Allow,
    /// Allowed without looking at stdin.
    AllowAtOnce,
}

/// What the talk begins from.
pub enum Begin {
    New,
    /// A session that was here before goes on, perhaps from one of its messages.
    Again {
        id: String,
        past: Box<Past>,
        claim: Claim,
        at: Option<String>,
    },
}

pub struct Talk {
    page: Page,
    /// Where events are kept, if there is such a place.
    kept: Option<Store>,
    /// The right to write to the conversation, unless somebody else has it, and the CLI's id of that.
    claim: Option<(Option<Claim>, String)>,
    unattended: Unattended,
    input: Input,
    /// Questions without an answer, for when stdin ends.
    open: Vec<Asked>,
    sent: usize,
    turns: usize,
    /// The last turn ended in error.
    failed: bool,
    /// The CLI took a prompt.
    started: bool,
    interrupted: bool,
    /// The CLI does not listen any more.
    deaf: bool,
    /// All was asked; the process leaves as soon as it is ready.
    finishing: bool,
    /// What is heard now comes of the end itself.
    over: bool,
    /// It was said what becomes of questions that nobody answers.
    told_unattended: bool,
}

/// Stdin, read from the moment that it is needed.
enum Input {
    Unread,
    Open(mpsc::UnboundedReceiver<String>),
    Over,
}

impl Talk {
    pub fn new(page: Page, unattended: Unattended, kept: Option<Store>) -> Self {
        Self {
            page,
            kept,
            claim: None,
            unattended,
            input: Input::Unread,
            open: Vec::new(),
            sent: 0,
            turns: 0,
            failed: false,
            started: false,
            interrupted: false,
            deaf: false,
            finishing: false,
            over: false,
            told_unattended: false,
        }
    }

    /// Returns the exit status.
    pub async fn hold(
        mut self,
        begin: Begin,
        request: NewSession,
        options: StartOptions,
        prompts: Vec<Prompt>,
    ) -> Result<u8> {
        let mut wishes = wishes()?;
        let mut prompts = VecDeque::from(prompts);
        let mut after = 0;
        let mut goes_on = None;
        let session = match begin {
            Begin::New => {
                let id = uuid::Uuid::new_v4().to_string();
                match prompts.pop_front() {
                    Some(Prompt { text, images }) => {
                        self.sent = 1;
                        Session::start_with(id, request.clone(), options, text, images)
                    }
                    None => Session::start(id, request.clone(), options),
                }
            }
            Begin::Again {
                id,
                past,
                claim,
                at,
            } => {
                after = past.last_seq;
                goes_on = Some(at);
                self.claim = past.cli_session_id.clone().map(|cli| (Some(claim), cli));
                Session::restore(id, request.clone(), *past, options)
            }
        };
        let keeping = self
            .kept
            .as_ref()
            .map(|store| store.recorder().follow(&session, &request));
        let telemetry = Options::of(false, SERVICE).map(Telemetry::new);
        let following = telemetry
            .as_ref()
            .map(|telemetry| telemetry.follow(&session));
        let mut events = session.watch(after);
        if let Page::Json = self.page {
            self.input = Input::Open(stdin::lines());
        }
        let mut held = match goes_on {
            Some(at) => self.go_on(&session, at, &mut prompts).await,
            None => Ok(()),
        };
        if held.is_ok() {
            held = self
                .converse(&session, &mut events, &mut prompts, &mut wishes)
                .await;
        }
        self.over = true;
        let broken = session.info().phase == Phase::Failed;
        let stopped = session.stop().await;
        if held.is_ok() {
            held = self.rest(&session, &mut events).await;
        }
        if let Some(keeping) = keeping
            && let Err(error) = keeping.flush().await
        {
            eprintln!("kandev: not all of this could be kept: {error}");
        }
        drop(session);
        if let Some(following) = following {
            following.end(LAST_WORDS).await;
        }
        if let Some(telemetry) = telemetry {
            telemetry.close(LAST_WORDS).await;
        }
        held?;
        stopped?;
        Ok(self.exit_status(broken))
    }

    /// Sends the first prompt of a session that was here before, which starts its process.
    async fn go_on(
        &mut self,
        session: &Session,
        at: Option<String>,
        prompts: &mut VecDeque<Prompt>,
    ) -> Result<()> {
        let Some(Prompt { text, images }) = prompts.pop_front() else {
            return Ok(session.resume().await?);
        };
        self.sent = 1;
        match at {
            Some(at) => session.retry(Some(at), text, images).await?,
            None => session.prompt(text, images).await?,
        }
        Ok(())
    }

    async fn converse(
        &mut self,
        session: &Session,
        events: &mut Subscription,
        prompts: &mut VecDeque<Prompt>,
        wishes: &mut mpsc::UnboundedReceiver<Wish>,
    ) -> Result<()> {
        let mut info = session.info_changes();
        loop {
            tokio::select! {
                batch = next(events, self.kept.as_ref(), session) => {
                    self.events(session, &batch?.unwrap_or_default()).await?;
                }
                _ = info.changed() => {}
                line = self.input.next(self.page.reads()) => self.line(session, line).await?,
                Some(wish) = wishes.recv() => {
                    if self.wish(session, wish) {
                        break;
                    }
                }
            }
            let phase = {
                let info = info.borrow();
                self.claim_what_is_new(session, &info);
                info.phase
            };
            if self.deaf || matches!(phase, Phase::Stopped | Phase::Failed) {
                break;
            }
            if phase == Phase::Idle
                && !self.finishing
                && (self.interrupted || self.turns >= self.sent)
            {
                if self.interrupted || prompts.is_empty() {
                    // A task that has just ended may begin one more turn: it is heard to the end.
                    self.finishing = true;
                    let session = session.clone();
                    tokio::spawn(async move { session.finish().await });
                } else {
                    self.send_next(session, prompts).await?;
                }
            }
        }
        Ok(())
    }

    /// Nobody else is to write to the conversation from when the CLI has named it.
    fn claim_what_is_new(&mut self, session: &Session, info: &SessionInfo) {
        let (Some(store), Some(cli)) = (&self.kept, &info.cli_session_id) else {
            return;
        };
        let asked = self.claim.as_ref().map(|(_, asked)| asked);
        if asked == Some(cli) {
            return;
        }
        let claim = store.claim(cli, WHO).map_err(|owner| {
            let text = format!(
                "This session is {} as well. Two that write to one conversation spoil it: stop one of them.",
                owner.what
            );
            session.notices().tell("open_elsewhere", text);
        });
        self.claim = Some((claim.ok(), cli.clone()));
    }

    async fn send_next(&mut self, session: &Session, prompts: &mut VecDeque<Prompt>) -> Result<()> {
        if let Some(prompt) = prompts.pop_front() {
            self.sent += 1;
            session.prompt(prompt.text, prompt.images).await?;
        }
        Ok(())
    }

    /// What was said up to the end.
    async fn rest(&mut self, session: &Session, events: &mut Subscription) -> Result<()> {
        while events.position() < session.info().last_seq {
            let Some(batch) = next(events, self.kept.as_ref(), session).await? else {
                break;
            };
            self.events(session, &batch).await?;
        }
        Ok(())
    }

    fn exit_status(&self, broken: bool) -> u8 {
        match () {
            () if self.interrupted => 130,
            () if broken && self.turns == 0 && !self.started => 3,
            () if broken || self.failed => 1,
            () => 0,
        }
    }

    /// True when the session is to end now.
    fn wish(&mut self, session: &Session, wish: Wish) -> bool {
        // Before the CLI is ready there is no turn that could be interrupted.
        let starting = session.info().phase == Phase::Starting;
        if wish == Wish::End || self.interrupted || self.finishing || starting {
            self.interrupted = true;
            return true;
        }
        self.interrupted = true;
        let session = session.clone();
        // The loop goes on meanwhile, so that a second Ctrl-C is heard.
        tokio::spawn(async move { session.interrupt(false).await });
        false
    }

    async fn events(&mut self, session: &Session, batch: &[Arc<Event>]) -> Result<()> {
        for event in batch {
            self.page.event(event)?;
            self.event(session, &event.body).await?;
        }
        self.page.settle()?;
        Ok(())
    }

    async fn event(&mut self, session: &Session, body: &EventBody) -> Result<()> {
        match body {
            EventBody::UserMessage(_) => self.started = true,
            EventBody::Complete { data } => {
                self.turns += 1;
                self.failed = data.ending() != TurnEnding::Done;
                self.interrupted |= data.ending() == TurnEnding::Interrupted && !self.over;
            }
            EventBody::Notice { kind, .. } if kind == "interrupt_unanswered" => {
                self.deaf = self.interrupted;
            }
            EventBody::PermissionRequest(request) => {
                self.asked(session, Asked::Tool(Box::new(request.clone())))
                    .await?
            }
            EventBody::Notice { kind, text, data } if kind == "elicitation" => {
                if let Some(form) = Form::read(text, data) {
                    self.asked(session, Asked::Input(form)).await?;
                }
            }
            EventBody::Notice { kind, data, .. } if kind == "elicitation_resolved" => {
                if let Some(id) = data.get("request_id").and_then(Value::as_str) {
                    self.closed(id);
                }
            }
            EventBody::PermissionResolved { pending_id, .. }
            | EventBody::PermissionCancelled { pending_id } => self.closed(pending_id),
            _ => {}
        }
        Ok(())
    }

    fn closed(&mut self, id: &str) {
        self.open.retain(|asked| asked.id() != id);
        if let Page::Text { asker, dirty, .. } = &mut self.page
            && asker.remove(id)
        {
            *dirty = true;
            self.input.skip_typed_ahead();
        }
    }

    async fn asked(&mut self, session: &Session, asked: Asked) -> Result<()> {
        if self.unattended == Unattended::AllowAtOnce || matches!(self.input, Input::Over) {
            return self.decide_unattended(session, &asked).await;
        }
        self.open.push(asked.clone());
        if let Page::Text { asker, dirty, .. } = &mut self.page {
            if let Input::Unread = self.input {
                self.input = Input::Open(stdin::lines());
            }
            if asker.add(asked) {
                *dirty = true;
                self.input.skip_typed_ahead();
            }
        }
        Ok(())
    }

    async fn decide_unattended(&mut self, session: &Session, asked: &Asked) -> Result<()> {
        let (decision, words) = match self.unattended {
            Unattended::Deny => {
                let message = Some("Nobody is there to answer, so this is denied.".to_owned());
                (
                    Decision::Deny {
                        message,
                        interrupt: false,
                    },
                    "Nobody is there to answer: questions are denied.",
                )
            }
            Unattended::Allow | Unattended::AllowAtOnce => (
                asked.first_answers(),
                "Nobody is there to answer: questions are allowed, as this is a rehearsal.",
            ),
        };
        if !std::mem::replace(&mut self.told_unattended, true) {
            self.page.say(words)?;
        }
        self.answer(session, asked.id().to_owned(), decision, ResolvedBy::Policy)
            .await
    }

    async fn line(&mut self, session: &Session, line: Option<String>) -> Result<()> {
        let Some(line) = line else {
            self.input = Input::Over;
            for asked in std::mem::take(&mut self.open) {
                self.decide_unattended(session, &asked).await?;
            }
            return Ok(());
        };
        let heard = match &mut self.page {
            Page::Json if line.trim().is_empty() => Heard::Nothing,
            Page::Json => match answers::read(&line) {
                Ok((pending_id, decision)) => Heard::Decided(pending_id, decision),
                Err(error) => Heard::Unclear(format!("that is no answer: {error}")),
            },
            Page::Text { asker, dirty, .. } => {
                *dirty = true;
                asker.line(&line)
            }
        };
        match heard {
            Heard::Decided(pending_id, decision) => {
                self.answer(session, pending_id, decision, ResolvedBy::User)
                    .await?;
            }
            Heard::Unclear(why) => self.page.say(&why)?,
            Heard::More | Heard::Nothing => {}
        }
        self.page.settle()?;
        Ok(())
    }

    async fn answer(
        &mut self,
        session: &Session,
        id: String,
        decision: Decision,
        by: ResolvedBy,
    ) -> Result<()> {
        if let Err(error) = session.answer_by(id, decision, by).await {
            self.page.say(&error.to_string())?;
        }
        Ok(())
    }
}

/// The next events: from memory, or from where they are kept for one who is slower than the session.
async fn next(
    events: &mut Subscription,
    kept: Option<&Store>,
    session: &Session,
) -> Result<Option<Vec<Arc<Event>>>> {
    match (events.next_held().await, kept) {
        (None, _) | (Some(Err(_)), None) => Ok(None),
        (Some(Ok(batch)), _) => Ok(Some(batch)),
        (Some(Err(_)), Some(store)) => {
            let (store, id, after) = (store.clone(), session.id().to_owned(), events.position());
            let read = move || store.events_after(&id, after, ROWS);
            let batch = tokio::task::spawn_blocking(read).await??;
            if let Some(last) = batch.last() {
                events.seek(last.last_seq());
            }
            Ok(Some(batch.into_iter().map(Arc::new).collect()))
        }
    }
}

impl Input {
    /// The next line, `None` at the end; never, when nothing is to be read now.
    async fn next(&mut self, now: bool) -> Option<String> {
        match self {
            Self::Open(lines) if now => lines.recv().await,
            Self::Open(_) | Self::Unread | Self::Over => std::future::pending().await,
        }
    }

    /// Lets go of what was typed before there was a question to read.
    fn skip_typed_ahead(&mut self) {
        if let Self::Open(lines) = self
            && std::io::stdin().is_terminal()
        {
            while lines.try_recv().is_ok() {}
        }
    }
}
