//! Sessions whose program ended before they could: each gets the events that its end would have had.

use kandev_session::Phase;
use kandev_transcript::{
    Behavior, Emitted, Event, EventBody, ResolvedBy, SessionEnd, SessionState, ToolStatus,
};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::journal::{self, Open, Origin};
use crate::{Source, Store, StoreError, StoredSession, registry};

const PROBLEM: &str =
    "The program ended while this session ran. What it said is kept. The next prompt resumes it.";
/// Claude Code had said nothing yet, so that there is no conversation to go on with.
const NOTHING_BEGUN: &str = "The program ended before Claude Code had begun, so a prompt that waited for it was not sent. The \
     next one begins the conversation.";

impl Store {
    /// Ends every session that is said to live and that no program carries any more. Gives how many there were.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn recover(&self) -> Result<usize, StoreError> {
        let mut recovered = 0;
        for id in self.read(registry::living)? {
            // Whoever carries it holds this, and until it is free again nobody else takes the session up.
            let Ok(_claim) = self.claim(&id, "recovery") else {
                continue;
            };
            self.write(move |tx| recover(tx, &id))?;
            recovered += 1;
        }
        if recovered > 0 {
            self.registry_changed();
        }
        Ok(recovered)
    }
}

fn recover(tx: &Connection, id: &str) -> Result<(), StoreError> {
    let session = registry::key(tx, id)?;
    let mut row = registry::by_key(tx, session)?;
    // Its program may have ended it between two looks.
    if row.is_over() || row.source != Source::Kandev {
        return Ok(());
    }
    close_open(tx, session)?;
    let ends = [
        EventBody::SessionEnded {
            data: SessionEnd {
                exit_code: None,
                signal: None,
                stderr_tail: String::new(),
                expected: false,
            },
        },
        EventBody::SessionState {
            state: SessionState::Ended,
        },
    ];
    let last = newest(tx, session)?;
    let ended = matches!(
        last.as_ref().map(|event| &event.body),
        Some(EventBody::SessionState {
            state: SessionState::Ended
        })
    );
    if let Some(last) = &last
        && !ended
    {
        let ends = ends.map(|body| Emitted {
            session_id: last.session_id.clone(),
            parent_tool_call_id: None,
            body,
        });
        add(tx, session, &last.at, ends)?;
    }
    stop(&mut row, last.as_ref());
    registry::update(tx, &row)
}

fn stop(row: &mut StoredSession, last: Option<&Event>) {
    if let Some(last) = last
        && row.updated_at < last.at
    {
        row.updated_at.clone_from(&last.at);
    }
    row.state = Phase::Stopped;
    row.since.clone_from(&row.updated_at);
    let problem = match row.cli_session_id.is_some() || row.forked_from.is_some() {
        true => PROBLEM,
        false => NOTHING_BEGUN,
    };
    row.problem = Some(problem.to_owned());
}

/// Ends what is open at the end of a journal: calls as errors, questions unanswered.
pub(crate) fn close_open(tx: &Connection, session: i64) -> Result<(), StoreError> {
    let Some(last) = newest(tx, session)? else {
        return Ok(());
    };
    let mut ends = Vec::new();
    for open in journal::open_now(tx, session)? {
        let event = match &open {
            Open::Tool { id } => journal::newest_about(tx, session, id)?,
            Open::Asked { began } => journal::event_at(tx, session, *began)?,
        };
        ends.extend(event.and_then(end_of));
    }
    add(tx, session, &last.at, ends)?;
    journal::close_spans(tx, session, journal::last_seq(tx, session)?)
}

fn end_of(event: Event) -> Option<Emitted> {
    let body = match event.body {
        EventBody::ToolCall(mut call) | EventBody::ToolUpdate(mut call) => {
            call.tool_status = ToolStatus::Error;
            EventBody::ToolUpdate(call)
        }
        EventBody::PermissionRequest(asked) => EventBody::PermissionResolved {
            pending_id: asked.pending_id,
            behavior: Behavior::Deny,
            by: ResolvedBy::SessionEnd,
            updated_input: None,
            message: None,
            interrupt: false,
            updated_permissions: Vec::new(),
        },
        EventBody::Notice { data, .. } => EventBody::Notice {
            kind: "elicitation_resolved".to_owned(),
            text: "The session ended before an answer".to_owned(),
            data: json!({
                "request_id": data.get("request_id").cloned().unwrap_or(Value::Null),
                "action": "session_end",
                "by": "session_end",
            }),
        },
        _ => return None,
    };
    Some(Emitted {
        session_id: event.session_id,
        parent_tool_call_id: event.parent_tool_call_id,
        body,
    })
}

fn newest(tx: &Connection, session: i64) -> Result<Option<Event>, StoreError> {
    journal::event_at(tx, session, journal::last_seq(tx, session)?)
}

/// Adds events at the time of the last one: when the program ended, nobody saw the clock.
fn add(
    tx: &Connection,
    session: i64,
    at: &str,
    emitted: impl IntoIterator<Item = Emitted>,
) -> Result<(), StoreError> {
    let last = journal::last_seq(tx, session)?;
    let events: Vec<Event> = (last + 1..)
        .zip(emitted)
        .map(|(seq, emitted)| Event::new(seq, at.to_owned(), emitted))
        .collect();
    journal::append(tx, session, &events, Origin::Live)?;
    Ok(())
}
