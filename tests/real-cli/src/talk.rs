//! A session as a person sees it: events come, questions are answered.

use std::collections::VecDeque;
use std::time::Duration;

use anyhow::{Context, bail};
use kandev_session::{Decision, Session, Subscription};
use serde_json::Value;

/// Long enough for a loaded machine; what has not come by then will not come.
pub const LIMIT: Duration = Duration::from_secs(90);

pub struct Talk {
    pub session: Session,
    events: Subscription,
    waiting: VecDeque<Value>,
    /// Every event that was read, as it stands in the journal.
    pub seen: Vec<Value>,
}

impl Talk {
    pub fn new(session: Session) -> Self {
        Self::after(session, 0)
    }

    /// Of what comes after this number.
    pub fn after(session: Session, seq: u64) -> Self {
        let events = session.watch(seq);
        Self {
            session,
            events,
            waiting: VecDeque::new(),
            seen: Vec::new(),
        }
    }

    /// Sends a prompt of text.
    ///
    /// # Errors
    /// When the session does not take it.
    pub async fn prompt(&self, text: &str) -> anyhow::Result<()> {
        Ok(self.session.prompt(text.to_owned(), Vec::new()).await?)
    }

    /// The next event.
    ///
    /// # Errors
    /// When the session is over, or says nothing for long.
    pub async fn next(&mut self) -> anyhow::Result<Value> {
        while self.waiting.is_empty() {
            let batch = tokio::time::timeout(LIMIT, self.events.next()).await;
            let batch = batch
                .with_context(|| format!("no event for {LIMIT:?}; so far: {}", self.told()))?;
            let batch =
                batch.with_context(|| format!("the session is over; so far: {}", self.told()))?;
            for event in batch {
                self.waiting.push_back(serde_json::to_value(&*event)?);
            }
        }
        let event = self.waiting.pop_front().context("no event")?;
        self.seen.push(event.clone());
        Ok(event)
    }

    /// Reads up to the first event that is meant.
    ///
    /// # Errors
    /// As [`Talk::next`].
    pub async fn until(&mut self, meant: impl Fn(&Value) -> bool) -> anyhow::Result<Value> {
        loop {
            let event = self.next().await?;
            if meant(&event) {
                return Ok(event);
            }
        }
    }

    /// Reads up to the first event of this type.
    ///
    /// # Errors
    /// As [`Talk::next`].
    pub async fn until_type(&mut self, kind: &str) -> anyhow::Result<Value> {
        self.until(|event| event["type"] == kind).await
    }

    /// Sends a prompt and reads its turn to the end; questions are answered as `decide` says. Returns the `complete` event.
    ///
    /// # Errors
    /// As [`Talk::next`], and when an answer is refused.
    pub async fn turn(
        &mut self,
        prompt: &str,
        decide: impl FnMut(&Value) -> Decision,
    ) -> anyhow::Result<Value> {
        self.prompt(prompt).await?;
        self.finish(decide).await
    }

    /// Reads the running turn to its end.
    ///
    /// # Errors
    /// As [`Talk::turn`].
    pub async fn finish(
        &mut self,
        mut decide: impl FnMut(&Value) -> Decision,
    ) -> anyhow::Result<Value> {
        loop {
            let event = self.next().await?;
            match event["type"].as_str() {
                Some("complete") => return Ok(event),
                Some("permission_request") => {
                    let pending = event["pending_id"].as_str().unwrap_or_default().to_owned();
                    self.session.answer(pending, decide(&event)).await?;
                }
                Some("session_ended") => bail!("the CLI ended in mid-turn: {}", self.told()),
                _ => {}
            }
        }
    }

    /// All questions that were read.
    pub fn questions(&self) -> Vec<&Value> {
        self.of_type("permission_request")
    }

    pub fn of_type(&self, kind: &str) -> Vec<&Value> {
        self.seen
            .iter()
            .filter(|event| event["type"] == kind)
            .collect()
    }

    /// All text of the main thread that was read.
    pub fn text(&self) -> String {
        self.of_type("message_chunk")
            .iter()
            .filter(|event| event["parent_tool_call_id"].is_null())
            .filter_map(|event| event["text"].as_str())
            .collect()
    }

    /// The last update of the calls of a tool.
    pub fn calls(&self, tool: &str) -> Vec<&Value> {
        let ends = self.of_type("tool_update").into_iter();
        ends.filter(|event| event["tool_name"] == tool && event["tool_status"] != "running")
            .collect()
    }

    fn told(&self) -> String {
        let from = self.seen.len().saturating_sub(12);
        self.seen[from..]
            .iter()
            .map(|event| format!("\n  {event}").chars().take(600).collect::<String>())
            .collect()
    }
}

/// Allow, as asked.
pub fn allow(_: &Value) -> Decision {
    Decision::Allow {
        updated_input: None,
        suggestions: Vec::new(),
    }
}

/// Deny with a message.
pub fn deny(_: &Value) -> Decision {
    Decision::Deny {
        message: Some("Not this way.".to_owned()),
        interrupt: false,
    }
}
