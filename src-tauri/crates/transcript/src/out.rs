//! Where the events of one line go.

use crate::emitted::Emitted;
use crate::event::EventBody;

/// The caller's list, and the session that the events belong to.
pub(crate) struct Out<'a> {
    pub session_id: Option<&'a str>,
    pub events: &'a mut Vec<Emitted>,
}

impl Out<'_> {
    /// Adds an event of the main thread.
    pub fn say(&mut self, body: EventBody) {
        self.say_under(None, body);
    }

    /// Adds an event that a subagent said, `parent` being the call that runs it.
    pub fn say_under(&mut self, parent: Option<&str>, body: EventBody) {
        self.events.push(Emitted {
            session_id: self.session_id.map(str::to_owned),
            parent_tool_call_id: parent.map(str::to_owned),
            body,
        });
    }
}
