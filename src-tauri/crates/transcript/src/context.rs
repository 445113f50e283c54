//! How full the model's context window is: the newest request of the main thread against the model's size.

use indexmap::IndexMap;
use kandev_wire::{AssistantMessage, MessageBody, ModelUsage, StreamBody, Usage};

use crate::event::{ContextWindow, EventBody};
use crate::out::Out;
use crate::recent::Recent;

/// The size, in tokens, until a result names the model's own.
const USUAL_SIZE: u64 = 200_000;
const LARGE_SIZE: u64 = 1_000_000;
const MODELS: usize = 64;

#[derive(Debug)]
pub(crate) struct Context {
    /// The newest requests that streamed: their end tells their usage, not their lines.
    streamed: Recent,
    sizes: IndexMap<String, u64>,
    /// Of the model that made the newest request.
    model: Option<String>,
    used: Option<u64>,
    said: Option<(u64, u64)>,
}

impl Context {
    pub fn new() -> Self {
        Self {
            streamed: Recent::new(64),
            sizes: IndexMap::new(),
            model: None,
            used: None,
            said: None,
        }
    }

    /// A stream event of the main thread.
    pub fn streams(&mut self, event: &StreamBody<'_>, out: &mut Out) {
        if let Some(MessageBody {
            id: Some(id),
            model,
            ..
        }) = &event.message
        {
            self.streamed.insert(id);
            self.model_is(model.as_deref());
        }
        // At the start the input is known, at the end the output too; a request that is cut has only a start.
        if let Some(usage) = event.usage.or_else(|| event.message.as_ref()?.usage) {
            self.usage_is(usage, out);
        }
    }

    /// An `assistant` line of the main thread.
    pub fn says(&mut self, line: &AssistantMessage<'_>, out: &mut Out) {
        let Some(message) = &line.message else { return };
        let (Some(usage), false) = (
            message.usage,
            message.model.as_deref() == Some("<synthetic>"),
        ) else {
            return;
        };
        self.model_is(message.model.as_deref());
        if message
            .id
            .as_deref()
            .is_none_or(|id| !self.streamed.contains(id))
        {
            self.usage_is(usage, out);
        }
        self.used = self.used.or(Some(0));
    }

    /// The result names the size of each model's window.
    pub fn sizes_are(
        &mut self,
        sizes: IndexMap<String, ModelUsage>,
        main_model: Option<&str>,
        out: &mut Out,
    ) {
        for (model, usage) in sizes {
            if let Some(size) = usage.context_window.filter(|size| *size > 0) {
                self.sizes.insert(model, size);
            }
        }
        while self.sizes.len() > MODELS {
            self.sizes.shift_remove_index(0);
        }
        if self.model.is_none() {
            self.model_is(main_model);
        }
        self.tell(out);
    }

    fn model_is(&mut self, model: Option<&str>) {
        if model.is_some() && self.model.as_deref() != model {
            self.model = model.map(str::to_owned);
        }
    }

    fn usage_is(&mut self, usage: Usage, out: &mut Out) {
        let total = usage.total();
        if total > 0 {
            self.used = Some(total);
            self.tell(out);
        }
    }

    fn tell(&mut self, out: &mut Out) {
        let Some(used) = self.used else { return };
        let size = self.size();
        if self.said == Some((size, used)) {
            return;
        }
        self.said = Some((size, used));
        out.say(EventBody::ContextWindow(ContextWindow {
            context_window_size: size,
            context_window_used: used,
            context_window_remaining: size.saturating_sub(used),
            context_efficiency: percent(used, size),
        }));
    }

    fn size(&self) -> u64 {
        let model = self.model.as_deref().unwrap_or_default();
        let own = self.sizes.get(model).copied();
        let by_name = model.contains("[1m]").then_some(LARGE_SIZE);
        // A model can be reported under another name than the one that it answers to; what was reported last is close.
        let newest = self.sizes.values().next_back().copied();
        own.or(by_name).or(newest).unwrap_or(USUAL_SIZE)
    }
}

/// Percent with two decimals.
fn percent(used: u64, size: u64) -> f64 {
    (used as f64 * 10_000.0 / size as f64).round() / 100.0
}
