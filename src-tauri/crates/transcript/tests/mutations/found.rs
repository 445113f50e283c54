//! What the damage has shown, each in its smallest form.

use kandev_conversations::{check, play};
use kandev_transcript::EventBody;
use serde_json::{Value, json};

fn played(lines: &[Value]) -> Vec<EventBody> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let played = play(text.as_bytes());
    assert_eq!(check(&played), Ok(()));
    played.events.into_iter().map(|event| event.body).collect()
}

fn begins(parent: Value) -> Value {
    json!({ "type": "stream_event", "parent_tool_use_id": parent,
        "event": { "type": "message_start", "message": { "id": "m" } } })
}

fn streams(parent: Value, text: &str) -> Value {
    json!({ "type": "stream_event", "parent_tool_use_id": parent,
        "event": { "type": "content_block_delta", "delta": { "type": "text_delta", "text": text } } })
}

fn says(content: Value) -> Value {
    json!({ "type": "assistant", "uuid": "u", "message": { "id": "m", "content": content } })
}

fn text(words: &str) -> Value {
    says(json!([{ "type": "text", "text": words }]))
}

fn notices(events: &[EventBody]) -> usize {
    let notices = events
        .iter()
        .filter(|body| matches!(body, EventBody::Notice { .. }));
    notices.count()
}

#[test]
fn what_streams_again_under_an_id_takes_nothing_back_that_was_confirmed() {
    let [main, agent] = [Value::Null, json!("agent")];
    for lines in [
        vec![
            text("words"),
            begins(main.clone()),
            streams(main.clone(), "wo"),
        ],
        vec![
            begins(main.clone()),
            text("words"),
            begins(main.clone()),
            streams(main.clone(), "wo"),
        ],
        vec![
            begins(agent.clone()),
            streams(main.clone(), "wo"),
            text("words"),
        ],
        vec![
            begins(main.clone()),
            begins(agent.clone()),
            streams(agent, "wo"),
            text("words"),
        ],
    ] {
        let said = played(&lines);
        let words = json!("words");
        let whole = said
            .iter()
            .any(|body| serde_json::to_value(body).unwrap()["text"] == words);
        assert!(whole, "{said:?}");
    }
}

#[test]
fn a_result_that_comes_after_its_call_was_closed_is_told_once() {
    let result = |words: &str| {
        json!({ "type": "user", "uuid": words, "message": { "role": "user",
            "content": [{ "type": "tool_result", "tool_use_id": "t", "content": words }] } })
    };
    let call = says(json!([{ "type": "tool_use", "id": "t", "name": "Bash", "input": {} }]));
    let over = json!({ "type": "result", "subtype": "success", "uuid": "r" });
    for (lines, told) in [
        (vec![call.clone(), over, result("late"), result("late")], 1),
        (vec![call.clone(), result("in time"), result("in time")], 0),
        (vec![call, result("in time"), result("another")], 1),
        (vec![result("of no call"), result("of no call")], 1),
    ] {
        let said = played(&lines);
        assert_eq!(notices(&said), told, "{said:?}");
    }
}

#[test]
fn content_that_is_no_block_is_told_and_kept() {
    for odd in [
        json!(5),
        json!(true),
        json!({ "type": "text", "text": "in an object" }),
        json!(["loose words"]),
        json!([7]),
        json!([{ "type": "text", "text": 7 }]),
        json!([{ "type": "thinking", "thinking": ["x"] }]),
        json!([{ "type": "tool_result", "tool_use_id": 5, "content": "words" }]),
    ] {
        for kind in ["assistant", "user"] {
            let mut line = says(odd.clone());
            line["type"] = json!(kind);
            let said = played(&[line]);
            let [EventBody::Notice { data, .. }] = &said[..] else {
                panic!("{odd} of {kind}: {said:?}")
            };
            assert_eq!(data["message"]["content"], odd);
        }
    }
}

#[test]
fn a_recorded_line_whose_frame_is_no_json_is_kept_whole() {
    for time in ["0546", "5.", ".5", "1.2.3", ""] {
        let line = format!(
            r#"{{"t": {time}, "dir": "out", "line": {{"type": "system", "subtype": "init"}}}}"#
        );
        let played = play(line.as_bytes());
        assert_eq!(check(&played), Ok(()));
        let [event] = &played.events[..] else {
            panic!("{:?}", played.events)
        };
        assert_eq!(event.body, EventBody::Unrecognized { raw: line });
    }
}
