//! Forms that older write-ups and versions have (PROTOCOL 11): read like those of today.

use serde_json::{Value, json};

use crate::say::{Talk, result, says, stream, uses};

#[test]
fn a_result_in_older_words_says_the_same() {
    let older = json!({ "type": "result", "subtype": "success", "is_error": false, "uuid": "r", "cost_usd": 0.5,
        "total_input_tokens": 12, "total_output_tokens": 3,
        "model_usage": { "m": { "context_window": 1000, "cost_usd": 0.5 } }, "result": { "text": "done", "session_id": "s" } });
    let mut talk = Talk::plain().cli(older.clone());
    let told = talk.told();
    assert_eq!(
        told[0],
        json!({ "type": "message_chunk", "text": "done", "message_id": "r" })
    );
    let data = &talk.of_type("complete")[0]["data"];
    assert_eq!(data["total_cost_usd"], 0.5);
    assert_eq!(data["cost_usd"], 0.5);
    assert_eq!(
        (&data["input_tokens"], &data["output_tokens"]),
        (&json!(12), &json!(3))
    );
    assert_eq!(talk.transcript.session_id(), Some("s"));

    let mut next = older;
    next["cost_usd"] = json!(0.75);
    talk = talk.cli(next);
    assert_eq!(talk.of_type("complete")[1]["data"]["cost_usd"], 0.25);
}

#[test]
fn the_size_of_the_window_is_read_by_its_older_name() {
    let said = json!({ "type": "assistant", "message": { "id": "m", "model": "m", "usage": { "input_tokens": 10 }, "content": [] } });
    let mut over = result(false);
    over["model_usage"] = json!({ "m": { "context_window": 1000 } });
    let talk = Talk::plain().cli(said).cli(over);
    let window = talk.of_type("context_window");
    assert_eq!(window.last().unwrap()["context_window_size"], 1000);
}

#[test]
fn a_tool_result_in_an_assistant_line_ends_its_call() {
    let mut line = says(
        "m",
        json!([{ "type": "tool_result", "tool_use_id": "t", "content": "out" }]),
    );
    line["tool_use_result"] = json!({ "stdout": "out", "stderr": "", "interrupted": false });
    let talk = Talk::plain().cli(uses("t")).cli(line);
    assert_eq!(talk.said(), ["t running", "t complete"]);
    let output = &talk.of_type("tool_update")[0]["normalized"]["shell_exec"]["output"];
    assert_eq!(output["stdout"], "out");
}

#[test]
fn calls_at_the_api_are_calls() {
    for kind in ["server_tool_use", "mcp_tool_use"] {
        let talk = Talk::plain()
            .cli(says(
                "m",
                json!([{ "type": kind, "id": "t", "name": "web_search", "input": {} }]),
            ))
            .cli(says(
                "n",
                json!([{ "type": "web_search_tool_result", "tool_use_id": "t", "content": [] }]),
            ));
        assert_eq!(talk.said(), ["t running", "t complete"], "{kind}");
    }
}

#[test]
fn several_blocks_of_one_line_are_all_read() {
    let line = says(
        "m",
        json!([
            { "type": "thinking", "thinking": "hm" },
            { "type": "text", "text": "one " },
            { "type": "tool_use", "id": "t", "name": "Bash", "input": { "command": "c" } },
            { "type": "text", "text": "two" },
        ]),
    );
    assert_eq!(
        Talk::plain().cli(line).said(),
        ["m thinks: hm", "m: one ", "t running", "m: two"]
    );
}

#[test]
fn a_delta_without_its_kind_or_its_event_is_read() {
    let begins = json!({ "type": "message_start", "message": { "id": "m" } });
    let inner = stream(json!({ "type": "content_block_delta", "delta": { "text": "a" } }));
    let outer = json!({ "type": "stream_event", "delta": { "text": "b" } });
    let talk = Talk::plain()
        .cli(stream(begins))
        .cli(inner)
        .cli(outer)
        .cli(says("m", json!("abc")));
    assert_eq!(talk.said(), ["running", "m: a", "m: b", "m: c"]);
}

#[test]
fn an_initialize_answer_with_its_id_outside_tells_the_commands() {
    let answer = json!({ "type": "control_response", "request_id": "i", "response": { "commands": [{ "name": "x" }], "models": [] } });
    let talk = Talk::live().cli(answer);
    let told = &talk.of_type("available_commands")[0]["available_commands"];
    assert_eq!(told[0]["name"], "x");
}

#[test]
fn the_limits_are_read_by_their_older_name_and_shape() {
    for line in [
        json!({ "type": "rate_limit", "rate_limit_info": { "status": "rejected", "rateLimitType": "five_hour" } }),
        json!({ "type": "rate_limit", "status": "rejected", "rateLimitType": "five_hour" }),
    ] {
        let told = Talk::plain().cli(line).told();
        assert_eq!(told[0]["rate_limit_message"], "5-hour limit: reached");
        assert_eq!(told[0]["data"]["status"], "rejected");
    }
}

#[test]
fn what_a_bridge_added_to_a_task_stands_apart_from_its_fields() {
    let line = json!({ "type": "task_progress", "task_id": "k", "description": "d", "turn_id": "n", "stream": "stdout",
        "command": ["ls"], "text": "a", "snapshot": true, "message": "m" });
    let told = Talk::plain().cli(line).told();
    assert_eq!(told[0]["description"], "d");
    assert_eq!(
        told[0]["bridge"],
        json!({ "turn_id": "n", "stream": "stdout", "command": ["ls"], "text": "a", "snapshot": true, "message": "m" })
    );
    let today =
        json!({ "type": "system", "subtype": "task_progress", "task_id": "k", "description": "d" });
    assert_eq!(Talk::plain().cli(today).told()[0].get("bridge"), None);
}

#[test]
fn texts_without_ids_get_ids_that_stay_the_same_in_a_replay() {
    let line = json!({ "type": "assistant", "message": { "content": "same words" } });
    let printed = json!({ "type": "user", "message": { "content": "<local-command-stdout>x</local-command-stdout>" } });
    let over = json!({ "type": "result", "subtype": "success", "result": "unseen" });
    let play = || {
        Talk::plain()
            .cli(line.clone())
            .cli(line.clone())
            .cli(printed.clone())
            .cli(result(false))
            .cli(over.clone())
            .of_type("message_chunk")
    };
    let ids: Vec<Value> = play()
        .iter()
        .map(|event| event["message_id"].clone())
        .collect();
    assert_eq!(ids.len(), 4);
    for (place, id) in ids.iter().enumerate() {
        assert_eq!(id.as_str().unwrap().len(), 36);
        assert!(!ids[..place].contains(id), "{ids:?}");
    }
    assert_eq!(
        play()
            .iter()
            .map(|event| event["message_id"].clone())
            .collect::<Vec<_>>(),
        ids
    );
}
