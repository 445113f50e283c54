//! The server as a client meets it: over HTTP, on the loopback.
#![allow(clippy::unwrap_used)]

use kandev_messages_api::{MessagesApi, Reply, Script, Step};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The whole answer, head and body. Chunk sizes stay in it.
async fn post(api: &MessagesApi, path: &str, body: &Value) -> String {
    let mut socket = send(api, path, body).await;
    let mut answer = String::new();
    // A broken connection ends it too.
    let _ = socket.read_to_string(&mut answer).await;
    answer
}

async fn send(api: &MessagesApi, path: &str, body: &Value) -> TcpStream {
    let address = api.base_url().strip_prefix("http://").unwrap().to_owned();
    let mut socket = TcpStream::connect(&address).await.unwrap();
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    socket
}

fn prompt(text: &str) -> Value {
    json!({"model": "m", "stream": true, "tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": text}]})
}

#[tokio::test]
async fn a_message_is_streamed() {
    let steps = [
        Step::Thinking("hm".to_owned()),
        Step::Text("hello".to_owned()),
        Step::ToolUse {
            name: "Bash".to_owned(),
            input: json!({"command": "ls"}),
        },
    ];
    let api = MessagesApi::start(Script::new().turn([Reply::steps(steps)]))
        .await
        .unwrap();
    let answer = post(&api, "/v1/messages?beta=true", &prompt("hi")).await;
    assert!(answer.starts_with("HTTP/1.1 200"));
    let order = [
        "message_start",
        "thinking_delta",
        "text_delta",
        "input_json_delta",
        "\"stop_reason\":\"tool_use\"",
        "event: message_stop",
    ];
    let places: Vec<usize> = order
        .iter()
        .map(|word| {
            answer
                .find(word)
                .unwrap_or_else(|| panic!("no {word} in {answer}"))
        })
        .collect();
    assert!(places.is_sorted());
    assert_eq!(api.asked_by_main()[0]["messages"][0]["content"], "hi");
}

#[tokio::test]
async fn errors_are_answered_with_their_status() {
    let script = Script::new().turn([
        Reply::error(529, "overloaded_error", "Overloaded"),
        Reply::text("through"),
    ]);
    let api = MessagesApi::start(script).await.unwrap();
    let answer = post(&api, "/v1/messages", &prompt("hi")).await;
    assert!(answer.starts_with("HTTP/1.1 529") && answer.contains("overloaded_error"));
    assert!(
        post(&api, "/v1/messages", &prompt("hi"))
            .await
            .contains("through")
    );
    assert_eq!(api.main_requests(2).await.len(), 2);
}

#[tokio::test]
async fn a_connection_can_break_in_mid_stream() {
    let api = MessagesApi::start(
        Script::new().turn([Reply::steps([Step::Text("half".to_owned()), Step::Drop])]),
    )
    .await
    .unwrap();
    let answer = post(&api, "/v1/messages", &prompt("hi")).await;
    assert!(answer.contains("half"));
    assert!(!answer.contains("message_stop") && !answer.ends_with("0\r\n\r\n"));
}

#[tokio::test]
async fn a_held_message_stays_open() {
    let api = MessagesApi::start(
        Script::new().turn([Reply::steps([Step::Text("so far".to_owned()), Step::Hold])]),
    )
    .await
    .unwrap();
    let mut socket = send(&api, "/v1/messages", &prompt("hi")).await;
    let mut said = String::new();
    while said.matches("event: ping").count() < 3 {
        let mut piece = [0; 4096];
        let count = socket.read(&mut piece).await.unwrap();
        assert_ne!(count, 0, "the connection was closed");
        said.push_str(&String::from_utf8_lossy(&piece[..count]));
    }
    assert!(said.contains("so far") && !said.contains("content_block_stop"));
}

#[tokio::test]
async fn what_stands_beside_the_conversation_is_answered_plainly() {
    let api = MessagesApi::start(Script::new().turn([Reply::text("main")]))
        .await
        .unwrap();
    let side = json!({"model": "small", "messages": [{"role": "user", "content": "a title?"}]});
    assert!(
        post(&api, "/v1/messages", &side)
            .await
            .contains("\"text\":\"Scripted\"")
    );
    assert!(
        post(&api, "/v1/messages/count_tokens", &side)
            .await
            .contains("input_tokens")
    );
    assert!(
        post(&api, "/api/anything", &json!({}))
            .await
            .ends_with("{}")
    );
    assert!(api.asked_by_main().is_empty());
    assert!(
        post(&api, "/v1/messages", &prompt("hi"))
            .await
            .contains("main")
    );
}
