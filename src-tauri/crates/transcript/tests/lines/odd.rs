use serde_json::json;

use crate::say::{Talk, delta, says, text};

#[test]
fn a_line_that_no_one_knows_is_kept_whole() {
    let deep = "[".repeat(100_000);
    let lines: [&[u8]; 20] = [
        br#"{"type":"brand_new_kind","answer":42}"#,
        br#"{"type":"system","subtype":"never_seen","x":[1]}"#,
        b"this is no JSON",
        b"[1,2,3]",
        b"null",
        br#""text""#,
        br#"{"type":7}"#,
        br#"{"no":"type"}"#,
        br#"{"type":"result""#,
        b"\x00\x00",
        b"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"te\xff\xfe",
        deep.as_bytes(),
        br#"{"type":"control_request","request_id":"odd","request":{"subtype":"never_seen"}}"#,
        br#"{"type":"control_request","request_id":"odd"}"#,
        br#"{"type":"user"} {"type":"user"}"#,
        br#"{"type":"assistant","message":{"id":"\ud8"}}"#,
        br#"{"type":"assistant"}"#,
        br#"{"type":"assistant","message":"words"}"#,
        br#"{"type":"user","message":7}"#,
        br#"{"type":"user","uuid":"u"}"#,
    ];
    for line in lines {
        let talk = Talk::plain().raw(line);
        let [event] = &talk.emitted[..] else {
            panic!("{}: {:?}", String::from_utf8_lossy(line), talk.said())
        };
        let kandev_transcript::EventBody::Unrecognized { raw } = &event.body else {
            panic!("{event:?}")
        };
        assert_eq!(*raw, String::from_utf8_lossy(line));
    }
}

#[test]
fn blank_lines_are_nothing() {
    assert_eq!(Talk::plain().raw(b"").raw(b"   \t").said(), [""; 0]);
}

#[test]
fn fields_of_other_types_are_passed_over_and_the_rest_is_read() {
    let talk = Talk::plain()
        .cli(json!({ "type": "stream_event", "event": null }))
        .cli(json!({ "type": "stream_event", "event": { "type": "content_block_delta", "index": "x", "delta": { "type": "text_delta", "text": 5 } } }))
        .cli(json!({ "type": "control_response", "response": null }))
        .cli(json!({ "type": "control_cancel_request", "request_id": 5 }))
        .cli(json!({ "type": "user", "message": { "content": 1 }, "uuid": 7 }))
        .cli(json!({ "type": "system", "subtype": "init", "tools": 5, "model": {} }))
        .cli(says("m", json!("plain string")))
        .cli(says("n", json!([7, null, { "type": "text", "text": null }, { "type": "text", "text": "kept" }])))
        .cli(json!({ "type": "rate_limit", "rate_limit_info": "soon" }))
        .cli(json!({ "type": "result", "usage": null, "modelUsage": 4, "permission_denials": {}, "errors": 1, "total_cost_usd": "1" }));
    assert_eq!(
        talk.said(),
        [
            "notice message",
            "running",
            "m: plain string",
            "n: kept",
            "notice message",
            "complete u-n",
            "idle"
        ]
    );
}

#[test]
fn strange_characters_stay_what_they_are() {
    let strange = "NUL \0, line \u{2028} and \u{85}, \r\n, \u{10ffff}";
    assert_eq!(
        Talk::plain().cli(text("m", strange)).said(),
        [format!("m: {strange}")]
    );
    let lone = text("m", "a@@b").to_string().replace('@', r"\ud83d");
    assert_eq!(
        Talk::plain().raw(lone.as_bytes()).said(),
        ["m: a\u{fffd}\u{fffd}b"]
    );
}

#[test]
fn input_that_is_nested_too_deep_to_be_read_is_kept_as_text() {
    let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
    let line = says(
        "m",
        json!([{ "type": "tool_use", "id": "t", "name": "Nobody", "input": "@" }]),
    );
    let talk = Talk::plain().raw(line.to_string().replace("\"@\"", &deep).as_bytes());
    assert_eq!(talk.said(), ["t running"]);
    assert!(
        serde_json::to_string(&talk.emitted[0].body.clone())
            .unwrap()
            .contains(&deep)
    );
}

#[test]
fn a_line_too_long_to_keep_is_told_and_the_session_goes_on() {
    let mut talk = Talk::plain();
    talk.transcript
        .cli_line_skipped(300 << 20, br#"{"type":"user""#, &mut talk.emitted);
    let talk = talk.cli(text("m", "on"));
    assert_eq!(
        talk.said(),
        [r#"unrecognized {"type":"user"… (a line "#, "m: on"]
    );
}

#[test]
fn a_delta_without_its_start_is_no_text_until_the_message_is_whole() {
    assert_eq!(
        Talk::plain()
            .cli(delta("par"))
            .cli(text("m", "partial"))
            .said(),
        ["m: partial"]
    );
}

#[test]
fn a_block_that_no_one_knows_is_told_and_kept() {
    let blocks = [
        json!({"type": "brand_new_block", "answer": 42}),
        json!({"type": "tool_use", "name": "Bash", "answer": 42}),
        json!({"answer": 42}),
    ];
    for block in blocks {
        let line = json!({"type": "assistant", "uuid": "u", "message": {"id": "m", "content": [{"type": "text", "text": "words"}, block]}});
        let talk = Talk::plain().raw(line.to_string().as_bytes());
        let kept = talk.emitted.iter().filter_map(|event| match &event.body {
            kandev_transcript::EventBody::Notice { data, .. } => Some(data),
            _ => None,
        });
        let kept = kept.collect::<Vec<_>>();
        assert_eq!(kept.len(), 1, "{:?}", talk.said());
        assert_eq!(kept[0]["message"]["content"][1], block);
    }
}

#[test]
fn encrypted_thinking_is_known_and_says_nothing() {
    let line = json!({"type": "assistant", "uuid": "u", "message": {"id": "m", "content": [{"type": "redacted_thinking", "data": "x"}]}});
    let talk = Talk::plain().raw(line.to_string().as_bytes());
    assert!(
        !talk.emitted.iter().any(|event| matches!(
            event.body,
            kandev_transcript::EventBody::Notice { .. }
                | kandev_transcript::EventBody::Unrecognized { .. }
        )),
        "{:?}",
        talk.said()
    );
}
