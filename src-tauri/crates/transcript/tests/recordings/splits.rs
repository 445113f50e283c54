//! The same bytes in other pieces give the same events, and broken bytes lose nothing.

use std::collections::HashMap;

use kandev_transcript::{Event, EventBody, ToolStatus};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::FileFailurePersistence;

use crate::form::{all, replay};

/// Small recordings with all that is hard to cut: text outside ASCII, halves of characters, CRLF, tools, questions.
const NAMES: [&str; 6] = [
    "text_unicode",
    "text_split_surrogates",
    "stdin_blank_and_crlf",
    "parallel_two_pending",
    "interrupt_stream",
    "agent_background",
];

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    }
}

/// The CLI's lines of a recording, as the CLI wrote them.
fn plain(bytes: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let text = std::str::from_utf8(line).unwrap();
        if text.contains(r#""dir": "out""#) {
            let inner = text.split_once(r#""line": "#).unwrap().1;
            lines.extend_from_slice(inner.strip_suffix('}').unwrap().as_bytes());
            lines.extend_from_slice(b"\r\n");
        }
    }
    lines
}

#[test]
fn a_cut_at_any_byte_changes_nothing() {
    let bytes = plain(&all()["text_split_surrogates"]);
    let whole = replay([bytes.as_slice()]);
    assert!(whole.len() > 10);
    // The initialize answer is one line like any other; the cuts of interest lie behind it.
    let start = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    let tail = bytes.len() - start;
    for cut in (start..bytes.len()).step_by(1.max(tail / 400)) {
        assert_eq!(
            replay([&bytes[..cut], &bytes[cut..]]),
            whole,
            "cut at {cut}"
        );
    }
    assert_eq!(replay(bytes.chunks(1)), whole);
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn any_pieces_give_the_same_events(name in select(&NAMES[..]), cuts in prop::collection::vec(any::<Index>(), 0..40), recorded: bool) {
        let recording = &all()[name];
        let bytes = if recorded { recording.clone() } else { plain(recording) };
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.push(0);
        cuts.push(bytes.len());
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        prop_assert_eq!(replay(pieces), replay([bytes.as_slice()]));
    }

    #[test]
    fn broken_lines_neither_panic_nor_get_lost(name in select(&NAMES[..]), damage in prop::collection::vec((any::<Index>(), any::<u8>()), 1..60)) {
        let mut bytes = plain(&all()[name]);
        for (place, byte) in damage {
            let place = place.index(bytes.len());
            // The lines stay the lines that they were; what is in them breaks.
            if bytes[place] != b'\n' && byte != b'\n' {
                bytes[place] = byte;
            }
        }
        let events = replay([bytes.as_slice()]);
        let kept: Vec<&str> = events.iter().filter_map(|event| match &event.body {
            EventBody::Unrecognized { raw } => Some(raw.as_str()),
            _ => None,
        }).collect();
        for line in bytes.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let text = String::from_utf8_lossy(line);
            let readable = kandev_wire::read(line).from_cli().is_ok();
            prop_assert!(readable || text.trim_ascii().is_empty() || kept.contains(&text.as_ref()), "lost: {}", text);
        }
        prop_assert_eq!(sound(&events), Ok(()));
    }

    #[test]
    fn lines_that_are_missing_or_come_twice_leave_no_call_open(name in select(&NAMES[..]), chances in prop::collection::vec(0..10_u8, 200)) {
        let bytes = all()[name].clone();
        let mut changed = Vec::new();
        for (line, chance) in bytes.split_inclusive(|byte| *byte == b'\n').zip(chances.iter().cycle()) {
            for _ in 0..match chance { 0 => 0, 1 => 2, _ => 1 } {
                changed.extend_from_slice(line);
            }
        }
        prop_assert_eq!(sound(&replay([changed.as_slice()])), Ok(()));
    }
}

/// What holds whatever came in: numbers, one end per call, one end per question.
fn sound(events: &[Event]) -> Result<(), String> {
    let mut calls: HashMap<&str, bool> = HashMap::new();
    let mut open_questions: Vec<&str> = Vec::new();
    for (place, event) in events.iter().enumerate() {
        if event.seq != place as u64 + 1 {
            return Err(format!("seq {} at place {place}", event.seq));
        }
        match &event.body {
            // A new process may use an id again.
            EventBody::ToolCall(call) if calls.insert(&call.tool_call_id, true) == Some(true) => {
                return Err(format!("{} begins twice", call.tool_call_id));
            }
            EventBody::ToolUpdate(call) => match calls.get_mut(call.tool_call_id.as_str()) {
                Some(open) if *open => *open = call.tool_status == ToolStatus::Running,
                _ => return Err(format!("{} goes on after its end", call.tool_call_id)),
            },
            EventBody::PermissionRequest(request) => open_questions.push(&request.pending_id),
            EventBody::PermissionResolved { pending_id, .. }
            | EventBody::PermissionCancelled { pending_id } => {
                match open_questions.iter().position(|id| id == pending_id) {
                    Some(place) => drop(open_questions.swap_remove(place)),
                    None => return Err(format!("{pending_id} ends twice")),
                }
            }
            _ => {}
        }
    }
    match (
        calls.iter().find(|(_, open)| **open),
        open_questions.first(),
    ) {
        (None, None) => Ok(()),
        left => Err(format!("left open: {left:?}")),
    }
}
