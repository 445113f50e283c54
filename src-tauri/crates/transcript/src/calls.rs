//! Tool calls from their `tool_use` to their one end: the result, the end of the turn, or the end of the session.

use indexmap::IndexMap;
use kandev_wire::RawValue;
use serde_json::{Number, Value};

use crate::detail::NormalizedPayload;
use crate::event::{EventBody, ToolCall, ToolStatus};
use crate::normalize::{self, ToolResult};
use crate::out::Out;
use crate::recent::Recent;

const CLOSED: usize = 4096;
const BACKGROUND: usize = 1024;
const TASKS: usize = 1024;

/// The calls that run.
#[derive(Debug)]
pub(crate) struct Calls {
    open: IndexMap<String, Call>,
    /// Calls that have ended, so that a late or second result is known as one.
    closed: Recent,
    /// Results that were told, each with its call.
    told: Recent,
    /// Calls whose agent went on after their result: what runs inside outlives the turn.
    background: Recent,
    /// The call that each task belongs to.
    tasks: IndexMap<String, String>,
}

#[derive(Debug)]
struct Call {
    name: String,
    title: String,
    payload: NormalizedPayload,
    parent: Option<String>,
    /// The calls around this one, the nearest first.
    around: Vec<String>,
}

/// What a `tool_result` block says of a call.
pub(crate) struct ResultOf<'a> {
    pub call_id: &'a str,
    pub result: ToolResult<'a>,
    /// The tool's own data says that an agent goes on in the background.
    pub goes_on: bool,
}

impl Calls {
    pub fn new() -> Self {
        Self {
            open: IndexMap::new(),
            closed: Recent::new(CLOSED),
            told: Recent::new(CLOSED),
            background: Recent::new(BACKGROUND),
            tasks: IndexMap::new(),
        }
    }

    /// A `tool_use` block. The same id again is the same call.
    pub fn start(
        &mut self,
        id: &str,
        name: &str,
        input: Option<&RawValue>,
        parent: Option<&str>,
        out: &mut Out,
    ) {
        if self.open.contains_key(id) || self.closed.contains(id) {
            return;
        }
        let input = value(input);
        let call = Call {
            name: name.to_owned(),
            title: normalize::title(name, &input),
            payload: normalize::start(name, &input),
            parent: parent.map(str::to_owned),
            around: self.around(parent),
        };
        out.say_under(
            parent,
            EventBody::ToolCall(call.as_event(id, ToolStatus::Running, None)),
        );
        self.open.insert(id.to_owned(), call);
    }

    /// A question about a call tells where in its file an edit would be.
    pub fn place(&mut self, id: &str, proposal: &NormalizedPayload) {
        if let Some(call) = self.open.get_mut(id) {
            normalize::place(&mut call.payload, proposal);
        }
    }

    /// A `tool_result` block. False if no open call has that id.
    pub fn finish(&mut self, of: &ResultOf<'_>, out: &mut Out) -> bool {
        if of.goes_on {
            self.background.insert(of.call_id);
        }
        let Some(mut call) = self.open.shift_remove(of.call_id) else {
            return false;
        };
        self.closed.insert(of.call_id);
        self.is_news(of);
        let status = if of.result.is_error {
            ToolStatus::Error
        } else {
            ToolStatus::Complete
        };
        call.payload = normalize::finish(call.payload, &call.name, &of.result);
        call.end(of.call_id, status, out);
        true
    }

    /// Whether this result was not told before. One that comes after its call was closed, or another one for the same
    /// call, is news; the same once more is not.
    pub fn is_news(&mut self, of: &ResultOf<'_>) -> bool {
        let content = of.result.content.map(RawValue::get);
        self.told.insert((of.call_id, content))
    }

    /// A call is still running after so many seconds.
    pub fn progress(&self, id: &str, elapsed: Option<Number>, out: &mut Out) {
        if let Some(call) = self.open.get(id) {
            let update = call.as_event(id, ToolStatus::Running, elapsed);
            out.say_under(call.parent.as_deref(), EventBody::ToolUpdate(update));
        }
    }

    /// The turn has its result: what is still open ends with it, but for what runs inside a background agent.
    pub fn turn_over(&mut self, failed: bool, out: &mut Out) {
        let status = if failed {
            ToolStatus::Error
        } else {
            ToolStatus::Complete
        };
        let background = &self.background;
        let inside = |call: &Call| call.around.iter().any(|id| background.contains(id));
        let ended: Vec<String> = self
            .open
            .iter()
            .filter(|(_, c)| !inside(c))
            .map(|(id, _)| id.clone())
            .collect();
        self.close(&ended, status, out);
    }

    /// The process is gone, or the input is over.
    pub fn session_over(&mut self, out: &mut Out) {
        let ended: Vec<String> = self.open.keys().cloned().collect();
        self.close(&ended, ToolStatus::Error, out);
    }

    /// A task began for a call.
    pub fn task_started(&mut self, task_id: &str, call_id: &str) {
        self.tasks.insert(task_id.to_owned(), call_id.to_owned());
        if self.tasks.len() > TASKS {
            self.tasks.shift_remove_index(0);
        }
    }

    /// A task is over: calls that its agent left open in the background will hear no more.
    pub fn task_over(&mut self, task_id: Option<&str>, call_id: Option<&str>, out: &mut Out) {
        let of_task = task_id
            .and_then(|id| self.call_of_task(id))
            .map(str::to_owned);
        let Some(agent) = call_id.map(str::to_owned).or(of_task) else {
            return;
        };
        if !self.background.contains(&agent) {
            return;
        }
        let inside = |call: &Call| call.around.contains(&agent);
        let ended: Vec<String> = self
            .open
            .iter()
            .filter(|(_, c)| inside(c))
            .map(|(id, _)| id.clone())
            .collect();
        self.close(&ended, ToolStatus::Error, out);
    }

    /// The call that runs an agent, by the id that a question names it with.
    pub fn call_of_task(&self, task_id: &str) -> Option<&str> {
        self.tasks.get(task_id).map(String::as_str)
    }

    /// The parent of a call: known for open ones only.
    pub fn parent_of(&self, id: &str) -> Option<Option<&str>> {
        self.open.get(id).map(|call| call.parent.as_deref())
    }

    pub fn has_ended(&self, id: &str) -> bool {
        self.closed.contains(id)
    }

    fn around(&self, parent: Option<&str>) -> Vec<String> {
        let Some(parent) = parent else {
            return Vec::new();
        };
        let outer = self.open.get(parent).map_or(&[][..], |call| &call.around);
        std::iter::once(parent)
            .chain(outer.iter().map(String::as_str))
            .map(str::to_owned)
            .collect()
    }

    fn close(&mut self, ids: &[String], status: ToolStatus, out: &mut Out) {
        for id in ids {
            if let Some(call) = self.open.shift_remove(id) {
                self.closed.insert(id);
                call.end(id, status, out);
            }
        }
    }
}

impl Call {
    fn end(self, id: &str, status: ToolStatus, out: &mut Out) {
        let Call {
            name,
            title,
            payload,
            parent,
            ..
        } = self;
        let update = ToolCall {
            tool_call_id: id.to_owned(),
            tool_name: name,
            tool_title: title,
            tool_status: status,
            normalized: payload,
            elapsed_seconds: None,
            slimmed: Vec::new(),
        };
        out.say_under(parent.as_deref(), EventBody::ToolUpdate(update));
    }

    fn as_event(&self, id: &str, status: ToolStatus, elapsed: Option<Number>) -> ToolCall {
        ToolCall {
            tool_call_id: id.to_owned(),
            tool_name: self.name.clone(),
            tool_title: self.title.clone(),
            tool_status: status,
            normalized: self.payload.clone(),
            elapsed_seconds: elapsed,
            slimmed: Vec::new(),
        }
    }
}

/// The JSON as a value; one that is nested too deep to be read as such stays a text, so that it is not lost.
pub(crate) fn value(raw: Option<&RawValue>) -> Value {
    let Some(raw) = raw else { return Value::Null };
    serde_json::from_str(raw.get()).unwrap_or_else(|_| Value::String(raw.get().to_owned()))
}

/// Whether a tool's own data says that an agent goes on after this result.
pub(crate) fn goes_on(data: &kandev_wire::RawValue) -> bool {
    #[derive(serde::Deserialize)]
    struct Data<'a> {
        #[serde(default, rename = "isAsync")]
        is_async: Option<bool>,
        #[serde(default, borrow)]
        status: Option<std::borrow::Cow<'a, str>>,
    }
    let json = data.get();
    // Most data is neither, and can be large: it is read only if it may be.
    if !json.starts_with('{') || !(json.contains("isAsync") || json.contains("async_launched")) {
        return false;
    }
    serde_json::from_str::<Data>(json).is_ok_and(|data| {
        data.is_async == Some(true) || data.status.as_deref() == Some("async_launched")
    })
}
