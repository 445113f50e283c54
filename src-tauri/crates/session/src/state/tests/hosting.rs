//! The host's own MCP server, as far as the session carries its messages.

use super::*;
use crate::host_server::{Level, Note, Said};

fn message(id: &str, server: &str, message: &Value) -> Value {
    json!({ "type": "control_request", "request_id": id,
        "request": { "subtype": "mcp_message", "server_name": server, "message": message } })
}

fn listing() -> Value {
    json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list" })
}

fn answer(id: &str) -> Input {
    Input::Host(Said::Answer {
        request_id: id.to_owned(),
        message: json!({ "jsonrpc": "2.0", "id": 3, "result": {} }),
    })
}

#[test]
fn the_server_is_announced_where_there_is_one() {
    let mut rig = Rig::hosting();
    rig.launch();
    let asked = &rig.written[0]["request"];
    assert_eq!(asked["sdkMcpServers"], json!(["kandev"]));
    assert!(asked["hooks"].is_object());
    let rig = Rig::launched(request(Policy::Rules));
    assert_eq!(
        rig.written[0]["request"],
        json!({ "subtype": "initialize" })
    );
}

#[test]
fn a_message_goes_to_the_server_and_its_answer_back_once() {
    let mut rig = Rig::hosting();
    rig.launch();
    // It comes before the answer to `initialize` too.
    rig.line(message("m1", "kandev", &listing()));
    assert_eq!(rig.hosted, [("m1".to_owned(), listing().to_string())]);
    assert_eq!(rig.answer_to("m1"), None);
    rig.give(answer("m1"));
    rig.give(answer("m1"));
    let answers: Vec<_> = rig
        .written
        .iter()
        .filter(|line| line["response"]["request_id"] == "m1")
        .collect();
    assert_eq!(answers.len(), 1);
    assert_eq!(
        answers[0]["response"]["response"],
        json!({ "mcp_response": { "jsonrpc": "2.0", "id": 3, "result": {} } })
    );
}

#[test]
fn what_was_withdrawn_or_asked_by_a_process_that_is_gone_is_not_answered() {
    let mut rig = Rig::hosting();
    rig.launch();
    rig.line(message("m1", "kandev", &listing()));
    rig.line(json!({ "type": "control_cancel_request", "request_id": "m1" }));
    rig.line(message("m2", "kandev", &listing()));
    rig.exit(1);
    rig.give(answer("m1"));
    rig.give(answer("m2"));
    assert_eq!(rig.answer_to("m1"), None);
    assert_eq!(rig.answer_to("m2"), None);
}

#[test]
fn a_server_that_nobody_runs_answers_with_an_error_of_json_rpc() {
    for (hosting, server) in [(true, "other"), (false, "kandev"), (true, "")] {
        let mut rig = if hosting {
            Rig::hosting()
        } else {
            Rig::new(request(Policy::Rules))
        };
        rig.launch();
        rig.line(message("m1", server, &listing()));
        rig.line(json!({ "type": "control_request", "request_id": "m2",
            "request": { "subtype": "mcp_message", "server_name": server } }));
        for (id, rpc_id) in [("m1", json!(3)), ("m2", Value::Null)] {
            let answer = rig.answer_to(id).unwrap();
            assert_eq!(answer["subtype"], "success");
            let answer = &answer["response"]["mcp_response"];
            assert_eq!(answer["id"], rpc_id);
            assert!(answer["error"]["message"].is_string());
        }
        assert_eq!(rig.hosted, []);
    }
}

#[test]
fn a_message_that_is_missing_is_the_servers_to_refuse() {
    let mut rig = Rig::hosting();
    rig.launch();
    rig.line(json!({ "type": "control_request", "request_id": "m1",
        "request": { "subtype": "mcp_message", "server_name": "kandev" } }));
    assert_eq!(rig.hosted, [("m1".to_owned(), "null".to_owned())]);
}

#[test]
fn a_note_is_a_notice() {
    let mut rig = Rig::hosting();
    rig.launch();
    let note = |title: Option<&str>| {
        Input::Host(Said::Note(Note {
            title: title.map(str::to_owned),
            message: "The build is done.".to_owned(),
            level: Level::Warning,
        }))
    };
    rig.give(note(Some("Build")));
    rig.give(note(None));
    let told: Vec<_> = rig
        .events
        .iter()
        .filter_map(|body| match body {
            EventBody::Notice { kind, text, data } if kind == "notify_user" => {
                Some((text.as_str(), data.clone()))
            }
            _ => None,
        })
        .collect();
    let text = "The build is done.";
    assert_eq!(
        told,
        [
            (
                text,
                json!({ "message": text, "level": "warning", "title": "Build" })
            ),
            (text, json!({ "message": text, "level": "warning" })),
        ]
    );
}
