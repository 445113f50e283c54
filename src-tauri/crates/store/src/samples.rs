//! Events and rows for the tests of this crate.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use kandev_session::Policy;
use kandev_transcript::{
    Emitted, Event, EventBody, NormalizedPayload, ToolCall, ToolStatus, TurnSummary, UserMessage,
};
use proptest::prelude::*;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::journal::{self, Origin};
use crate::{Source, Store, StoreError, StoredSession, registry};

pub const AT: &str = "2026-01-02T03:04:05.678Z";

/// A store that begins, in a folder that goes with it.
pub struct Place {
    pub store: Store,
    pub folder: TempDir,
}

pub fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    Place { store, folder }
}

/// Opens without a word.
pub fn open(folder: &Path) -> Store {
    let opened = Store::open(folder);
    assert_eq!(opened.problems, Vec::<String>::new());
    opened.store
}

pub fn row(id: &str) -> StoredSession {
    StoredSession {
        cli_session_id: Some(format!("cli-{id}")),
        title: format!("Title of {id}"),
        titled: true,
        workspace: "/w".to_owned(),
        policy: Some(Policy::Supervised),
        permission_mode: Some("default".to_owned()),
        permission_timeout_s: Some(60),
        ..StoredSession::bare(id.to_owned(), Source::Kandev, AT)
    }
}

pub fn say(parent: Option<&str>, body: EventBody) -> Emitted {
    Emitted {
        session_id: Some("cli".to_owned()),
        parent_tool_call_id: parent.map(str::to_owned),
        body,
    }
}

pub fn chunk(message: &str, text: &str) -> Emitted {
    say(
        None,
        EventBody::MessageChunk {
            text: text.to_owned(),
            message_id: message.to_owned(),
        },
    )
}

pub fn thought(message: &str, text: &str) -> Emitted {
    say(
        None,
        EventBody::Reasoning {
            reasoning_text: text.to_owned(),
            message_id: message.to_owned(),
        },
    )
}

pub fn prompt(uuid: &str, text: &str) -> Emitted {
    say(
        None,
        EventBody::UserMessage(UserMessage {
            text: text.to_owned(),
            uuid: Some(uuid.to_owned()),
            attachments: Vec::new(),
            synthetic: false,
        }),
    )
}

pub fn turn_over() -> Emitted {
    let data = TurnSummary::default();
    say(None, EventBody::Complete { data })
}

pub fn titled(title: &str) -> Emitted {
    let title = title.to_owned();
    say(None, EventBody::TitleChanged { title })
}

fn odd() -> NormalizedPayload {
    let odd = serde_json::json!({ "kind": "generic", "generic": { "name": "Odd", "input": {}, "output": null } });
    serde_json::from_value(odd).unwrap()
}

fn call(id: &str, tool_status: ToolStatus) -> ToolCall {
    ToolCall {
        tool_call_id: id.to_owned(),
        tool_name: "Odd".to_owned(),
        tool_title: "Odd".to_owned(),
        tool_status,
        normalized: odd(),
        elapsed_seconds: None,
        slimmed: Vec::new(),
    }
}

pub fn tool(id: &str) -> Emitted {
    say(None, EventBody::ToolCall(call(id, ToolStatus::Running)))
}

pub fn tool_over(id: &str) -> Emitted {
    say(None, EventBody::ToolUpdate(call(id, ToolStatus::Complete)))
}

pub fn asked(id: &str) -> Emitted {
    let body = serde_json::json!({
        "type": "permission_request", "pending_id": id, "tool_call_id": null, "tool_name": "Odd", "tool_title": "Odd",
        "action_type": "other", "input": {}, "suggestions": [], "data": {
            "display_name": null, "description": null, "decision_reason": null, "decision_reason_type": null,
            "blocked_path": null, "agent_id": null, "title": null, "requires_user_interaction": false,
        },
        "normalized": serde_json::to_value(odd()).unwrap(),
    });
    say(None, serde_json::from_value(body).unwrap())
}

pub fn withdrawn(id: &str) -> Emitted {
    let pending_id = id.to_owned();
    say(None, EventBody::PermissionCancelled { pending_id })
}

/// Numbers events from one on.
pub fn numbered(first: u64, emitted: impl IntoIterator<Item = Emitted>) -> Vec<Event> {
    let number = |(seq, emitted)| Event::new(seq, AT.to_owned(), emitted);
    (first..).zip(emitted).map(number).collect()
}

/// Keeps events as one batch.
pub fn keep(store: &Store, id: &str, events: &[Event]) -> Result<u64, StoreError> {
    let (id, events) = (id.to_owned(), events.to_vec());
    store.write(move |tx| append(tx, &id, &events))
}

pub fn append(tx: &Connection, id: &str, events: &[Event]) -> Result<u64, StoreError> {
    journal::append(tx, registry::own_key(tx, id)?, events, Origin::Live)
}

pub fn all(store: &Store, id: &str) -> Vec<Event> {
    store.events_after(id, 0, usize::MAX).unwrap()
}

/// The same with every text in one event for each stretch of it, as someone sees it who does not count.
pub fn joined(events: &[Event]) -> Vec<Event> {
    let mut out: Vec<Event> = Vec::new();
    for event in events {
        let last = event.last_seq();
        if let Some(before) = out.last_mut()
            && before.parent_tool_call_id == event.parent_tool_call_id
            && before.session_id == event.session_id
            && goes_on(&mut before.body, &event.body)
        {
            before.through = Some(last);
            continue;
        }
        out.push(event.clone());
    }
    out
}

fn goes_on(before: &mut EventBody, next: &EventBody) -> bool {
    use EventBody::{MessageChunk, Reasoning};
    match (before, next) {
        (
            MessageChunk { text, message_id },
            MessageChunk {
                text: more,
                message_id: same,
            },
        )
        | (
            Reasoning {
                reasoning_text: text,
                message_id,
            },
            Reasoning {
                reasoning_text: more,
                message_id: same,
            },
        ) if message_id == same => {
            text.push_str(more);
            true
        }
        _ => false,
    }
}

/// That the numbers go from one to the last without a gap.
pub fn gapless(events: &[Event], after: u64) -> u64 {
    events.iter().fold(after, |last, event| {
        assert_eq!(event.seq, last + 1, "{event:?}");
        assert!(event.last_seq() >= event.seq);
        event.last_seq()
    })
}

/// A conversation of any kind, mostly texts in small pieces.
pub fn conversation() -> impl Strategy<Value = Vec<Emitted>> {
    let text = "[a-zäöü漢字🦀\\n\0]{0,6}";
    let id = "[ab]";
    let one = prop_oneof![
        6 => (id, text).prop_map(|(id, text)| chunk(&id, &text)),
        3 => (id, text).prop_map(|(id, text)| thought(&id, &text)),
        1 => (id, text).prop_map(|(id, text)| Emitted {
            parent_tool_call_id: Some("p".to_owned()),
            ..chunk(&id, &text)
        }),
        1 => (id, text).prop_map(|(id, text)| prompt(&id, &text)),
        1 => Just(turn_over()),
        1 => text.prop_map(|text| titled(&text)),
        1 => "[c-e]".prop_map(|id| tool(&id)),
        1 => "[c-e]".prop_map(|id| tool_over(&id)),
        1 => "[f-h]".prop_map(|id| asked(&id)),
        1 => "[f-h]".prop_map(|id| withdrawn(&id)),
    ];
    // The same again and again, as texts come.
    prop::collection::vec((one, 1..4usize), 0..40).prop_map(|runs| {
        runs.into_iter()
            .flat_map(|(one, times)| vec![one; times])
            .collect()
    })
}
