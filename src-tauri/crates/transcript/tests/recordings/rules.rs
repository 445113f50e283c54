//! The rules of the events, each tested on every process of every recording.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use kandev_transcript::{
    Behavior, Event, EventBody, NormalizedPayload, ResolvedBy, SessionState, ToolStatus,
};
use serde_json::Value;

use crate::form::{Process, processes, replay};

/// Every process with its events.
static REPLAYED: LazyLock<Vec<(Process, Vec<Event>)>> = LazyLock::new(|| {
    let replayed = |process: Process| {
        let events = replay([process.bytes.as_slice()]);
        (process, events)
    };
    processes().into_iter().map(replayed).collect()
});

/// Lets the rule say what each process breaks.
fn in_every_process(rule: impl Fn(&Process, &[Event]) -> Result<(), String>) {
    let broken: Vec<String> = REPLAYED
        .iter()
        .filter_map(|(process, events)| {
            rule(process, events)
                .err()
                .map(|why| format!("{}: {why}", process.name))
        })
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: T, want: T) -> Result<(), String> {
    if got == want {
        Ok(())
    } else {
        Err(format!("{what}: {got:?} instead of {want:?}"))
    }
}

/// The blocks of a message; a plain string is one text block.
fn blocks(line: &Value) -> Vec<Value> {
    match &line["message"]["content"] {
        Value::String(text) => vec![serde_json::json!({ "type": "text", "text": text })],
        Value::Array(blocks) => blocks.clone(),
        _ => Vec::new(),
    }
}

#[test]
fn numbers_have_no_gaps_and_times_are_well_formed() {
    in_every_process(|_, events| {
        same(
            "seq",
            events.iter().map(|e| e.seq).collect(),
            (1..=events.len() as u64).collect::<Vec<_>>(),
        )?;
        let odd = events
            .iter()
            .find(|e| e.at.len() != 24 || !e.at.starts_with("1970-01-01T0"));
        same("at", odd.map(|e| &e.at), None)
    });
}

#[test]
fn every_text_and_thought_is_said_once() {
    in_every_process(|process, events| {
        let mut want: BTreeMap<(String, &str), String> = BTreeMap::new();
        for line in process.of_type("assistant") {
            let id = line["message"]["id"]
                .as_str()
                .or(line["uuid"].as_str())
                .unwrap();
            for block in blocks(line) {
                for kind in ["text", "thinking"] {
                    if block["type"] == kind {
                        let text = block[kind].as_str().unwrap_or_default();
                        want.entry((id.to_owned(), kind))
                            .or_default()
                            .push_str(text);
                    }
                }
            }
        }
        want.retain(|_, text| !text.is_empty());
        let extra: BTreeSet<&str> = process
            .of_type("user")
            .chain(process.of_type("result"))
            .filter_map(|line| line["uuid"].as_str())
            .collect();
        let mut got: BTreeMap<(String, &str), String> = BTreeMap::new();
        for event in events {
            match &event.body {
                EventBody::MessageChunk { text, message_id } => {
                    got.entry((message_id.clone(), "text"))
                        .or_default()
                        .push_str(text);
                }
                EventBody::Reasoning {
                    reasoning_text,
                    message_id,
                } => {
                    got.entry((message_id.clone(), "thinking"))
                        .or_default()
                        .push_str(reasoning_text);
                }
                EventBody::MessageDiscarded { message_id } => {
                    got.retain(|(id, _), _| id != message_id)
                }
                _ => {}
            }
        }
        got.retain(|(id, _), _| !extra.contains(id.as_str()));
        same("texts", got, want)
    });
}

#[test]
fn every_text_is_streamed_as_it_comes() {
    in_every_process(|process, events| {
        let deltas = process.of_type("stream_event").filter(|line| {
            line["event"]["delta"]["text"]
                .as_str()
                .or(line["event"]["delta"]["thinking"].as_str())
                .is_some_and(|t| !t.is_empty())
        });
        let said = |e: &&Event| {
            matches!(
                e.body,
                EventBody::MessageChunk { .. } | EventBody::Reasoning { .. }
            )
        };
        let (deltas, said) = (deltas.count(), events.iter().filter(said).count());
        // Half a character waits for the next delta; nothing else does.
        if said + 2 >= deltas {
            Ok(())
        } else {
            Err(format!("{deltas} deltas came as {said} chunks"))
        }
    });
}

#[test]
fn every_tool_use_is_one_call_with_one_end() {
    in_every_process(|process, events| {
        let mut uses = BTreeSet::new();
        let mut results = BTreeMap::new();
        for line in process.of_type("assistant").chain(process.of_type("user")) {
            for block in blocks(line) {
                if block["type"] == "tool_use" {
                    uses.insert(block["id"].as_str().unwrap().to_owned());
                }
                if block["type"] == "tool_result" {
                    let failed = block["is_error"] == true;
                    results
                        .entry(block["tool_use_id"].as_str().unwrap().to_owned())
                        .or_insert(failed);
                }
            }
        }
        let (mut begun, mut ended) = (BTreeSet::new(), BTreeMap::new());
        for event in events {
            match &event.body {
                EventBody::ToolCall(call) => {
                    same("first status", call.tool_status, ToolStatus::Running)?;
                    if call.tool_title.trim().is_empty() || !begun.insert(call.tool_call_id.clone())
                    {
                        return Err(format!(
                            "{}: a second start, or no title",
                            call.tool_call_id
                        ));
                    }
                }
                EventBody::ToolUpdate(call) => {
                    let id = &call.tool_call_id;
                    if !begun.contains(id) || ended.contains_key(id) {
                        return Err(format!("{id}: an update out of its time"));
                    }
                    if call.tool_status != ToolStatus::Running {
                        ended.insert(id.clone(), call.tool_status == ToolStatus::Error);
                    }
                }
                _ => {}
            }
        }
        same("calls", &begun, &uses)?;
        same("ends", ended.keys().cloned().collect::<BTreeSet<_>>(), uses)?;
        for (id, failed) in results {
            same(&id, ended.get(&id).copied(), Some(failed))?;
        }
        Ok(())
    });
}

#[test]
fn every_question_ends_once_and_nothing_is_resolved_that_was_not_asked() {
    in_every_process(|process, events| {
        let asked = process
            .of_type("control_request")
            .filter(|line| line["request"]["subtype"] == "can_use_tool");
        let asked: BTreeSet<_> = asked
            .map(|line| line["request_id"].as_str().unwrap().to_owned())
            .collect();
        let answered: BTreeSet<_> = process
            .records
            .iter()
            .filter(|record| record.dir == "in")
            .filter_map(|record| record.line["response"]["request_id"].as_str())
            .collect();
        let (mut open, mut all) = (BTreeSet::new(), BTreeSet::new());
        for event in events {
            match &event.body {
                EventBody::PermissionRequest(request) => {
                    open.insert(request.pending_id.clone());
                    all.insert(request.pending_id.clone());
                }
                EventBody::PermissionCancelled { pending_id } if open.remove(pending_id) => {}
                EventBody::PermissionResolved {
                    pending_id,
                    behavior,
                    by,
                    ..
                } if open.remove(pending_id) => {
                    let unanswered = !answered.contains(pending_id.as_str());
                    same("by the end", *by == ResolvedBy::SessionEnd, unanswered)?;
                    same(
                        "denied by the end",
                        unanswered && *behavior != Behavior::Deny,
                        false,
                    )?;
                }
                EventBody::PermissionCancelled { pending_id }
                | EventBody::PermissionResolved { pending_id, .. } => {
                    return Err(format!("{pending_id}: a second end, or never asked"));
                }
                _ => {}
            }
        }
        same("asked", all, asked)?;
        same("left open", open, BTreeSet::new())
    });
}

#[test]
fn every_result_completes_and_every_failure_is_one_error() {
    in_every_process(|process, events| {
        let results: Vec<&Value> = process.of_type("result").collect();
        let complete: Vec<_> = events
            .iter()
            .filter_map(|event| match &event.body {
                EventBody::Complete { data } => Some(data),
                _ => None,
            })
            .collect();
        same("complete", complete.len(), results.len())?;
        let mut newest = None;
        let mut uuids = process
            .out()
            .filter_map(|line| match line["type"].as_str() {
                Some("assistant" | "user") if line["parent_tool_use_id"].is_null() => {
                    newest = line["uuid"].as_str().map(str::to_owned).or(newest.take());
                    None
                }
                Some("result") => Some(newest.clone()),
                _ => None,
            });
        for (said, line) in complete.iter().zip(&results) {
            same("is_error", said.is_error, line["is_error"] == true)?;
            same("uuid", &said.last_message_uuid, &uuids.next().flatten())?;
            same(
                "total",
                said.total_cost_usd,
                line["total_cost_usd"].as_f64(),
            )?;
            if let Value::Object(models) = &line["model_usage_since_last_result"] {
                let cost: f64 = models
                    .values()
                    .filter_map(|usage| usage["costUSD"].as_f64())
                    .sum();
                same("cost", (said.cost_usd.unwrap() - cost).abs() < 1e-9, true)?;
            }
        }
        let errors = events.iter().filter_map(|event| match &event.body {
            EventBody::Error { error, data } => Some((error, data)),
            _ => None,
        });
        let errors: Vec<_> = errors.collect();
        let empty = errors
            .iter()
            .any(|(error, data)| error.trim().is_empty() || data.code.is_empty());
        same("an error without words or code", empty, false)?;
        let failed = results
            .iter()
            .filter(|line| line["is_error"] == true)
            .count();
        let before_exit = process
            .records
            .iter()
            .take_while(|record| record.dir != "exit");
        let asked = before_exit
            .filter(|record| record.dir == "host")
            .any(|record| record.line["stdin"] == "closed" || !record.line["signal"].is_null());
        let code = process
            .records
            .iter()
            .find(|record| record.dir == "exit")
            .map(|record| &record.line["code"]);
        let told_by_result = results.last().is_some_and(|line| line["is_error"] == true);
        let died = code.is_some_and(|code| *code != 0) && !asked && !told_by_result;
        same("errors", errors.len(), failed + usize::from(died))
    });
}

#[test]
fn a_process_that_ends_is_told_last_and_its_state_changes_only_when_it_is_another() {
    in_every_process(|process, events| {
        let exits = process
            .records
            .iter()
            .filter(|record| record.dir == "exit")
            .count();
        let place = events
            .iter()
            .position(|e| matches!(e.body, EventBody::SessionEnded { .. }));
        same("ended", usize::from(place.is_some()), exits)?;
        let after = events
            .iter()
            .skip(place.map_or(events.len(), |place| place + 1));
        let late = after.filter(|e| {
            !matches!(
                e.body,
                EventBody::SessionState { .. } | EventBody::UserMessage(_)
            )
        });
        same("events after the end", late.count(), 0)?;
        let states: Vec<SessionState> = events
            .iter()
            .filter_map(|event| match event.body {
                EventBody::SessionState { state } => Some(state),
                _ => None,
            })
            .collect();
        same(
            "a state twice",
            states.windows(2).any(|pair| pair[0] == pair[1]),
            false,
        )?;
        same(
            "the last state",
            exits == 0 || states.last() == Some(&SessionState::Ended),
            true,
        )?;
        let (results, idle) = (
            process.of_type("result").count(),
            states.contains(&SessionState::Idle),
        );
        same("idle after a result", idle || results == 0, true)
    });
}

#[test]
fn every_prompt_is_given_once_whether_it_is_echoed_or_not() {
    in_every_process(|process, events| {
        let sent = process
            .records
            .iter()
            .filter(|r| r.dir == "in" && r.line["type"] == "user")
            .count();
        let given = events.iter().filter(|event| match &event.body {
            EventBody::UserMessage(message) => {
                !message.synthetic && event.parent_tool_call_id.is_none()
            }
            _ => false,
        });
        let given = given.count();
        // Lines that were written as they are, to see what the CLI does, can hold prompts too.
        let odd = process
            .records
            .iter()
            .filter(|r| r.dir == "in" && r.line.get("__raw__").is_some())
            .count();
        if (sent..=sent + odd).contains(&given) {
            Ok(())
        } else {
            Err(format!("sent {sent}, given {given}"))
        }
    });
}

#[test]
fn no_line_of_the_cli_is_unrecognized() {
    in_every_process(|_, events| {
        let unknown = events.iter().find_map(|event| match &event.body {
            EventBody::Unrecognized { raw } => Some(raw),
            _ => None,
        });
        same("unrecognized", unknown, None)
    });
}

#[test]
fn the_context_window_adds_up() {
    in_every_process(|_, events| {
        for event in events {
            if let EventBody::ContextWindow(window) = &event.body {
                let (size, used) = (window.context_window_size, window.context_window_used);
                same(
                    "remaining",
                    window.context_window_remaining,
                    size.saturating_sub(used),
                )?;
                same(
                    "percent",
                    (window.context_efficiency - 100.0 * used as f64 / size as f64).abs() < 0.01,
                    true,
                )?;
            }
        }
        Ok(())
    });
}

#[test]
fn a_turns_diff_names_the_files_that_its_edits_changed() {
    in_every_process(|_, events| {
        let mut edited = BTreeSet::new();
        let mut told: Option<BTreeSet<String>> = None;
        for event in events {
            match &event.body {
                EventBody::ToolUpdate(call) if call.tool_status == ToolStatus::Complete => {
                    if let NormalizedPayload::ModifyFile { modify_file } = &call.normalized {
                        edited.insert(modify_file.file_path.rsplit('/').next().unwrap().to_owned());
                    }
                }
                EventBody::TurnDiffUpdated { files, .. } => {
                    let name = |path: &str| path.rsplit('/').next().unwrap().to_owned();
                    told = Some(files.iter().map(|file| name(&file.path)).collect());
                }
                EventBody::Complete { .. } => {
                    same(
                        "files",
                        told.take().unwrap_or_default(),
                        std::mem::take(&mut edited),
                    )?;
                }
                _ => {}
            }
        }
        Ok(())
    });
}

#[test]
fn every_event_reads_back_as_what_it_was() {
    in_every_process(|_, events| {
        for event in events {
            let json = serde_json::to_string(event).unwrap();
            let back: Event =
                serde_json::from_str(&json).map_err(|error| format!("{error} in {json}"))?;
            same("read back", &back, event)?;
        }
        Ok(())
    });
}
