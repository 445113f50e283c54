//! Where the events of one line go.

use std::borrow::Cow;

use crate::emitted::Emitted;
use crate::event::EventBody;
use crate::ids::{self, Place};

/// The caller's list, the session that the events belong to, and the line that they come from.
pub(crate) struct Out<'a> {
    pub session_id: Option<&'a str>,
    pub events: &'a mut Vec<Emitted>,
    pub place: Place<'a>,
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

    /// The CLI's id, or one that is made for this line.
    pub fn id_or_made<'i>(&self, id: Option<&'i str>) -> Cow<'i, str> {
        match id.filter(|id| !id.is_empty()) {
            Some(id) => Cow::Borrowed(id),
            None => Cow::Owned(ids::made(self.session_id, self.place)),
        }
    }
}
