//! Taking up a conversation, and answers of any length.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;

use serde_json::{Value, json};
use support::{Host, allow, recording};

/// Plays the recording in a folder that remembers how far it was played.
fn play(folder: &Path, name: &str, args: &[&str]) -> Host {
    let (file, folder) = (recording(name), folder.to_str().unwrap());
    let mut all = vec!["--recording", &file, "--speed", "max"];
    all.extend(args);
    let mut host = Host::start(&all, &[("KANDEV_REHEARSAL_DIR", folder)]);
    host.initialize();
    host.prompt("Go on");
    host
}

/// The text of the turn's messages, by message.
fn texts(host: &Host) -> Vec<(String, String)> {
    let said = host.said.iter().filter(|line| line["type"] == "assistant");
    let said = said.filter_map(|line| {
        let id = line["message"]["id"].as_str()?.to_owned();
        Some((
            id,
            line["message"]["content"][0]["text"].as_str()?.to_owned(),
        ))
    });
    said.collect()
}

fn init_id(host: &mut Host) -> String {
    let init = host.until(|line| line["subtype"] == "init");
    init["session_id"].as_str().unwrap().to_owned()
}

fn ended(mut host: Host) -> Vec<(String, String)> {
    assert_eq!(host.turn(allow)["is_error"], false);
    let texts = texts(&host);
    host.close();
    host.end();
    texts
}

#[test]
fn a_resumed_session_plays_the_next_part_and_then_the_first_again_under_its_id() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = play(folder.path(), "resume_session_at", &[]);
    let id = init_id(&mut first);
    let begun = ended(first);
    let mut parts = vec![begun];
    for _ in 0..2 {
        let mut host = play(folder.path(), "resume_session_at", &["--resume", &id]);
        assert_eq!(init_id(&mut host), id);
        parts.push(ended(host));
        // The third process of this recording is one that finds nothing to resume.
        if parts.len() == 2 {
            let memory = folder.path().join(".conversations").join(&id);
            std::fs::write(memory, "3").unwrap();
        }
    }
    assert_eq!(parts[1][0].1, "Other second.");
    assert_eq!(parts[2][0].1, parts[0][0].1, "the first part again");
    assert_ne!(parts[2][0].0, parts[0][0].0, "but as another message");
}

#[test]
fn a_recording_of_one_part_is_played_again_under_any_id() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = play(
        folder.path(),
        "multi_turn",
        &["--resume", "11111111-0000-4000-8000-000000000000"],
    );
    assert_eq!(init_id(&mut host), "11111111-0000-4000-8000-000000000000");
    let said = host.until(|line| line["type"] == "assistant");
    assert_eq!(said["session_id"], "11111111-0000-4000-8000-000000000000");
    host.end_by_kill();
}

#[test]
fn a_fork_has_a_new_id() {
    let folder = tempfile::tempdir().unwrap();
    for source in [Some("multi_turn"), None] {
        let args = [
            "--resume",
            "11111111-0000-4000-8000-000000000000",
            "--fork-session",
            "--resume-session-at",
            "m",
        ];
        let mut host = match source {
            Some(name) => play(folder.path(), name, &args),
            None => {
                let mut host = Host::start(&args, &[("KANDEV_REHEARSAL_SPEED", "max")]);
                host.initialize();
                host.prompt("image");
                host
            }
        };
        let id = init_id(&mut host);
        assert!(
            id.len() == 36 && id != "11111111-0000-4000-8000-000000000000",
            "{id}"
        );
        host.end_by_kill();
    }
}

#[test]
fn it_can_take_up_another_session_than_it_is_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = play(
        folder.path(),
        "multi_turn",
        &["--resume", "a", "--misbehave", "other-session"],
    );
    assert_ne!(init_id(&mut host), "a");
    host.end_by_kill();
}

#[test]
fn it_can_find_nothing_to_resume() {
    for (word, found) in [
        (
            "no-conversation",
            "No conversation found with session ID: a",
        ),
        ("no-message", "No message found with message.uuid of"),
    ] {
        let mut host = Host::start(&["--resume", "a", "--misbehave", word], &[]);
        host.request("init", &json!({"subtype": "initialize"}));
        let result = host.line().unwrap();
        assert_eq!(
            (&result["type"], &result["num_turns"]),
            (&json!("result"), &json!(0))
        );
        assert!(result["errors"][0].as_str().unwrap().contains(found));
        let (status, errors) = host.end();
        assert_eq!(status.code(), Some(1));
        assert!(errors.contains(found), "{errors}");
        // Who resumes nothing is not refused.
        let mut fresh = Host::start(&["--misbehave", word], &[]);
        assert_eq!(fresh.initialize()["response"]["subtype"], "success");
        fresh.end_by_kill();
    }
}

#[test]
fn numbered_words_are_streamed_one_by_one_in_every_turn() {
    let mut host = Host::start(&["--words", "2500", "--speed", "max"], &[]);
    host.initialize();
    let words: String = (0..2500).map(|number| format!("w{number} ")).collect();
    for _ in 0..2 {
        host.said.clear();
        host.prompt("Go");
        assert_eq!(host.turn(allow)["is_error"], false);
        let delta = |line: &Value| line["event"]["delta"]["text"].as_str().map(str::to_owned);
        let deltas: Vec<String> = host.said.iter().filter_map(delta).collect();
        assert_eq!((deltas.len(), deltas.concat()), (2500, words.clone()));
        let messages = texts(&host);
        assert_eq!(messages.len(), 3, "a thousand in a message");
        let whole: String = messages.into_iter().map(|(_, text)| text).collect();
        assert_eq!(whole, words);
    }
    host.close();
    host.end();
}

#[test]
fn a_stream_of_words_can_be_interrupted() {
    let mut host = Host::start(&["--words", "100000000", "--speed", "max"], &[]);
    host.initialize();
    host.prompt("Go");
    host.until(|line| line["event"]["delta"]["text"] == "w10 ");
    host.request("stop", &json!({"subtype": "interrupt"}));
    let result = host.until(|line| line["type"] == "result");
    assert_eq!(result["terminal_reason"], "aborted_streaming");
    host.close();
    host.end();
}

#[test]
fn a_recording_can_go_round_and_says_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = play(folder.path(), "edit_allowed", &["--repeat"]);
    host.turn(allow);
    let ids = |host: &Host| -> Vec<String> { texts(host).into_iter().map(|(id, _)| id).collect() };
    let mut seen = ids(&host);
    for _ in 0..3 {
        host.said.clear();
        host.prompt("Once more");
        assert_eq!(host.turn(allow)["is_error"], false);
        assert_eq!(
            host.asked()
                .iter()
                .filter(|asked| asked["subtype"] == "can_use_tool")
                .count(),
            1
        );
        let more = ids(&host);
        assert!(
            !more.is_empty() && more.iter().all(|id| !seen.contains(id)),
            "{more:?}"
        );
        seen.extend(more);
    }
    host.close();
    host.end();
}
