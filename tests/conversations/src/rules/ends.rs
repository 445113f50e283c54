//! Everything that begins ends once.

use std::collections::HashMap;

use kandev_transcript::{Event, EventBody, ToolStatus};
use kandev_wire::FromCli;

use super::{Read, each_message};

/// Each call has one end, and nothing is said of it before its start or after its end.
pub fn calls(events: &[Event]) -> Result<(), String> {
    let mut open: HashMap<&str, bool> = HashMap::new();
    for event in events {
        match &event.body {
            EventBody::ToolCall(call) => {
                if call.tool_status != ToolStatus::Running || call.tool_title.trim().is_empty() {
                    return Err(format!("a call begins as no call does: {call:?}"));
                }
                // A new process may use an id again.
                if open.insert(&call.tool_call_id, true) == Some(true) {
                    return Err(format!("the call {} begins twice", call.tool_call_id));
                }
            }
            EventBody::ToolUpdate(call) => match open.get_mut(call.tool_call_id.as_str()) {
                Some(open) if *open => *open = call.tool_status == ToolStatus::Running,
                _ => return Err(format!("the call {} is no more", call.tool_call_id)),
            },
            _ => {}
        }
    }
    match open.iter().find(|(_, open)| **open) {
        Some((id, _)) => Err(format!("the call {id} never ends")),
        None => Ok(()),
    }
}

/// Each question has one end.
pub fn questions(events: &[Event]) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    for event in events {
        match &event.body {
            EventBody::PermissionRequest(request) => {
                if open.contains(&request.pending_id.as_str()) {
                    return Err(format!("{} is asked while it is open", request.pending_id));
                }
                open.push(&request.pending_id);
            }
            EventBody::PermissionResolved { pending_id, .. }
            | EventBody::PermissionCancelled { pending_id } => {
                match open.iter().position(|id| id == pending_id) {
                    Some(place) => drop(open.swap_remove(place)),
                    None => return Err(format!("the question {pending_id} is not open")),
                }
            }
            _ => {}
        }
    }
    match open.first() {
        Some(id) => Err(format!("the question {id} never ends")),
        None => Ok(()),
    }
}

/// Each result completes once, and fails once if it failed.
pub fn results(steps: &[Read<'_>], events: &[Event]) -> Result<(), String> {
    for step in steps {
        let (mut results, mut failed) = (0, 0);
        each_message(step, |_, message| {
            if let FromCli::Result(result) = message {
                results += 1;
                failed += usize::from(result.is_error == Some(true));
            }
        });
        let complete = step
            .bodies()
            .filter(|body| matches!(body, EventBody::Complete { .. }))
            .count();
        let errors = step
            .bodies()
            .filter(|body| matches!(body, EventBody::Error { .. }))
            .count();
        if complete != results || (results > 0 && errors != failed) {
            return Err(format!(
                "{results} results, {failed} of them failed, are {complete} complete and {errors} error: {}",
                step.step.line
            ));
        }
    }
    let nameless = events.iter().any(
        |event| matches!(&event.body, EventBody::Error { error, data } if error.trim().is_empty() || data.code.is_empty()),
    );
    if nameless {
        return Err("an error without words or without a code".to_owned());
    }
    Ok(())
}
