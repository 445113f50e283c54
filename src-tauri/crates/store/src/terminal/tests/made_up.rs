//! What may stand in a session's file, whoever wrote it.

use std::fs;

use serde_json::json;

use super::support::*;
use crate::terminal::reading::{End, Reading};

/// The events of these lines, in short, without states and facts.
fn told(text: &str, end: End) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    fs::write(&path, text).unwrap();
    let mut events = events_of(&path, "s", end);
    events.retain(|event| !event.starts_with("state ") && !event.starts_with("session_status"));
    events
}

fn lines(all: &[serde_json::Value]) -> Vec<String> {
    told(&text(all), End::Over)
}

#[test]
fn a_line_that_is_no_json_is_shown_where_it_stands() {
    let (first, second) = (user("a", None, "one"), assistant("b", Some("a"), "two"));
    let told = told(&format!("{first}\nno JSON\n\n{second}\n"), End::Over);
    assert_eq!(told[1], r#"unrecognized {"raw":"no JSON"}"#);
    assert_eq!((told.len(), told[2].as_str()), (3, "says msg_b: two"));
}

#[test]
fn what_follows_a_cut_line_is_read() {
    let (first, second) = (user("a", None, "one"), assistant("b", Some("a"), "two"));
    let told = told(
        &format!("{first}\n{{\"parentUuid\":\"a\",\"mess{second}\n"),
        End::Over,
    );
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[1].starts_with("unrecognized"));
    assert_eq!(told[2], "says msg_b: two");
}

#[test]
fn a_half_written_last_line_is_not_told_yet() {
    let (first, second) = (user("a", None, "one"), assistant("b", Some("a"), "two"));
    let half = second.to_string();
    let half = &half[..half.len() - 7];
    assert_eq!(told(&format!("{first}\n{half}"), End::Over).len(), 1);
    assert_eq!(told(&format!("{first}\r\n{second}"), End::Over).len(), 2);
}

#[test]
fn halves_of_characters_and_bytes_that_are_no_text_lose_nothing() {
    let first = user("a", None, "one")
        .to_string()
        .replace("one", r"one \ud83d!");
    let second = assistant("b", Some("a"), "two");
    let told = told(&format!("{first}\n{second}\n"), End::Over);
    assert_eq!(told[0], "user a: one \u{fffd}!");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let mut bytes = user("a", None, "one").to_string().into_bytes();
    let at = bytes.windows(3).position(|part| part == b"one").unwrap();
    bytes[at] = 0xff;
    bytes.push(b'\n');
    fs::write(&path, bytes).unwrap();
    assert_eq!(events_of(&path, "s", End::Over)[0], "user a: \u{fffd}ne");
}

#[test]
fn a_line_of_many_megabytes_is_told() {
    let long = "x".repeat(20 << 20);
    let told = lines(&[user("a", None, &long), assistant("b", Some("a"), "two")]);
    assert_eq!((told.len(), told[1].as_str()), (2, "says msg_b: two"));
}

#[test]
fn open_calls_end_with_the_session_and_stay_open_in_a_living_one() {
    let call = json!({"id": "m", "role": "assistant", "content": [
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "sleep 9"}},
    ]});
    let all = text(&[
        user("a", None, "one"),
        line("assistant", "b", Some("a"), call),
    ]);
    let over = told(&all, End::Over);
    assert!(
        over.last().unwrap().starts_with("update t1 error"),
        "{over:?}"
    );
    let live = told(&all, End::Live);
    assert!(
        live.last().unwrap().starts_with("call t1 running"),
        "{live:?}"
    );
    // The next prompt shows that nothing came of it.
    let more = all + &text(&[user("c", Some("b"), "go on")]);
    let live = told(&more, End::Live);
    assert!(live[2].starts_with("update t1 error"), "{live:?}");
    assert_eq!(live[3], "user c: go on");
}

#[test]
fn what_the_cli_put_in_is_not_a_persons_word() {
    let put_in = |uuid: &str, parent: &str, name: &str, text: &str| {
        let mut line = user(uuid, Some(parent), text);
        line[name] = json!(true);
        line
    };
    let told = lines(&[
        user("a", None, "one"),
        put_in("b", "a", "isMeta", "Base directory for this skill: /x"),
        put_in(
            "c",
            "b",
            "isCompactSummary",
            "This session is being continued",
        ),
        put_in(
            "d",
            "c",
            "isMeta",
            "<local-command-caveat>x</local-command-caveat>",
        ),
        user("e", Some("d"), "[Request interrupted by user for tool use]"),
    ]);
    assert_eq!(
        told,
        [
            "user a: one",
            "user synthetic b: Base directory for this skill: /x",
            "user synthetic c: This session is being continued",
            "user synthetic e: [Request interrupted by user for tool use]",
        ]
    );
}

#[test]
fn what_a_person_typed_for_the_cli_itself_is_shown_as_typed() {
    let typed = "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>a b</command-args>";
    let mut system = line("system", "d", Some("c"), json!(null));
    system["subtype"] = json!("local_command");
    system["content"] = json!("<local-command-stdout>Opus</local-command-stdout>");
    let told = lines(&[
        user("a", None, typed),
        user("b", Some("a"), "<bash-input>ls</bash-input>"),
        user(
            "c",
            Some("b"),
            "<bash-stdout>notes</bash-stdout><bash-stderr></bash-stderr>",
        ),
        system,
    ]);
    assert_eq!(
        told,
        [
            "user a: /review a b",
            "user b: ! ls",
            "says c: notes",
            "says d: Opus"
        ]
    );
}

#[test]
fn the_words_of_the_system_are_notices_and_its_bookkeeping_is_not() {
    let system = |uuid: &str, parent: &str, fields: serde_json::Value| {
        let mut line = line("system", uuid, Some(parent), json!(null));
        for (name, value) in fields.as_object().unwrap() {
            line[name] = value.clone();
        }
        line
    };
    let told = lines(&[
        user("a", None, "one"),
        system(
            "b",
            "a",
            json!({"subtype": "api_error", "retryAttempt": 1, "maxRetries": 10, "retryInMs": 500.0,
            "error": {"status": 529, "error": {"error": {"type": "overloaded_error"}}}}),
        ),
        system(
            "c",
            "b",
            json!({"subtype": "informational", "content": "Running low", "level": "warning"}),
        ),
        system(
            "d",
            "c",
            json!({"subtype": "turn_duration", "durationMs": 5}),
        ),
        system(
            "e",
            "d",
            json!({"subtype": "quite_new", "content": "Something new"}),
        ),
        system("f", "e", json!({"subtype": "newer_still", "numberOf": 3})),
    ]);
    assert!(
        told[1].starts_with("notice api_retry: The API is overloaded (HTTP 529)"),
        "{told:?}"
    );
    assert_eq!(told[2], "notice informational: Running low");
    assert_eq!(told[3], "notice informational: Something new");
    assert!(told[4].starts_with("unrecognized"), "{told:?}");
    assert_eq!(told.len(), 5);
}

#[test]
fn an_error_of_the_api_and_images_are_as_they_were() {
    let mut failed = assistant("b", Some("a"), "API Error: 529");
    failed["message"]["model"] = json!("<synthetic>");
    failed["isApiErrorMessage"] = json!(true);
    let mut silent = assistant("c", Some("b"), "No response requested.");
    silent["message"]["model"] = json!("<synthetic>");
    let image = json!({"role": "user", "content": [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        {"type": "text", "text": "see"},
    ]});
    let told = lines(&[line("user", "a", None, image), failed, silent]);
    assert_eq!(told, ["user a: see [image]", "says msg_b: API Error: 529"]);
}

#[test]
fn old_versions_keep_subagents_between_the_lines() {
    let call = json!({"id": "m", "role": "assistant", "content": [
        {"type": "tool_use", "id": "t1", "name": "Task", "input": {"description": "d", "prompt": "count"}},
    ]});
    let mut inner = user("s1", None, "count");
    inner["isSidechain"] = json!(true);
    let mut answer = assistant("s2", Some("s1"), "three");
    answer["isSidechain"] = json!(true);
    let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "three"}]});
    let told = lines(&[
        user("a", None, "one"),
        line("assistant", "b", Some("a"), call),
        inner,
        answer,
        line("user", "c", Some("b"), result),
    ]);
    let order: Vec<_> = told
        .iter()
        .map(|event| event.split(['“', ':']).next().unwrap())
        .collect();
    assert_eq!(
        order[1..],
        [
            "call t1 running ",
            "  in t1",
            "  in t1",
            "update t1 complete "
        ],
        "{told:?}"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let mut reading = Reading::new("/nowhere/at all.jsonl".as_ref(), "s");
    let error = reading.grow().unwrap_err().to_string();
    assert!(error.contains("/nowhere/at all.jsonl"), "{error}");
}
