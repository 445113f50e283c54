#![allow(clippy::unwrap_used)]

use std::sync::Mutex;

use tokio::sync::Notify;

use super::*;

/// Notes what is asked of it. A file named `slow` is opened when it is told to go on, `outside` never.
#[derive(Default)]
struct Desk {
    notes: Mutex<Vec<Note>>,
    places: Mutex<Vec<Place>>,
    go_on: Notify,
}

impl HostTools for Desk {
    fn notify_user(&self, note: Note) -> Doing<'_, ()> {
        self.notes.lock().unwrap().push(note);
        Box::pin(std::future::ready(()))
    }

    fn open_in_editor(&self, place: Place) -> Doing<'_, Result<String, String>> {
        self.places.lock().unwrap().push(place.clone());
        Box::pin(async move {
            match place.path.as_str() {
                "outside" => Err("outside the workspace".to_owned()),
                "slow" => {
                    self.go_on.notified().await;
                    Ok("opened at last".to_owned())
                }
                _ => Ok("opened".to_owned()),
            }
        })
    }
}

struct Bench {
    desk: Arc<Desk>,
    server: HostServer,
    count: u32,
}

impl Bench {
    fn new() -> Self {
        let desk = Arc::<Desk>::default();
        let server = HostServer::new(Arc::clone(&desk) as _, "/work".to_owned());
        Self {
            desk,
            server,
            count: 0,
        }
    }

    async fn ready() -> Self {
        let mut bench = Self::new();
        bench.shake_hands(0).await;
        bench
    }

    async fn shake_hands(&mut self, id: u64) -> Value {
        let hello = json!({ "method": "initialize", "jsonrpc": "2.0", "id": id, "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "claude-code", "version": "2.1.332" } } });
        let answer = self.ask(&hello).await;
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert!(self.ask(&initialized).await["result"].is_object());
        answer
    }

    fn send(&mut self, message: &str) -> String {
        self.count += 1;
        let request_id = format!("request-{}", self.count);
        self.server.hear(request_id.clone(), message);
        request_id
    }

    /// The answer to a message, which must be the next thing that is said but notes.
    async fn ask(&mut self, message: &Value) -> Value {
        self.ask_raw(&message.to_string()).await
    }

    async fn ask_raw(&mut self, message: &str) -> Value {
        let asked = self.send(message);
        let (request_id, message) = self.answer().await;
        assert_eq!(request_id, asked);
        message
    }

    async fn answer(&mut self) -> (String, Value) {
        loop {
            if let Said::Answer {
                request_id,
                message,
            } = self.server.said().await
            {
                return (request_id, message);
            }
        }
    }

    async fn call(&mut self, id: u64, tool: &str, arguments: Value) -> Value {
        self.ask(&call(id, tool, arguments)).await
    }
}

fn call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({ "method": "tools/call", "jsonrpc": "2.0", "id": id,
        "params": { "name": tool, "arguments": arguments,
            "_meta": { "claudecode/toolUseId": "toolu_1", "progressToken": id } } })
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn the_handshake_names_the_server_and_its_two_tools() {
    let mut bench = Bench::new();
    let hello = bench.shake_hands(0).await;
    assert_eq!(hello["id"], 0);
    assert_eq!(hello["result"]["serverInfo"]["name"], "kandev");
    assert_eq!(hello["result"]["protocolVersion"], "2025-11-25");
    let list = bench
        .ask(&json!({ "method": "tools/list", "jsonrpc": "2.0", "id": "one" }))
        .await;
    assert_eq!(list["id"], "one");
    let tools = list["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["notify_user", "open_in_editor"]);
    assert_eq!(tools[0]["inputSchema"]["required"], json!(["message"]));
    assert_eq!(tools[1]["inputSchema"]["required"], json!(["path"]));
}

#[tokio::test]
async fn a_note_is_told_and_then_draws_attention() {
    let mut bench = Bench::ready().await;
    let input = json!({ "message": " The build is done. ", "title": "Build", "level": "warning" });
    bench.send(&call(1, "notify_user", input).to_string());
    let note = Note {
        title: Some("Build".to_owned()),
        message: "The build is done.".to_owned(),
        level: Level::Warning,
    };
    assert_eq!(bench.server.said().await, Said::Note(note.clone()));
    let (_, answer) = bench.answer().await;
    assert_eq!(answer["result"]["isError"], false);
    assert_eq!(*bench.desk.notes.lock().unwrap(), [note]);
}

#[tokio::test]
async fn what_cannot_be_done_is_an_error_that_the_model_reads() {
    let mut bench = Bench::ready().await;
    for (tool, input) in [
        ("open_in_editor", json!({ "path": "outside" })),
        ("open_in_editor", json!({ "path": "a", "line": 0 })),
        ("open_in_editor", json!({ "path": "a", "line": -1 })),
        ("open_in_editor", json!({ "file": "a" })),
        ("notify_user", json!({ "message": "  " })),
        ("notify_user", json!({ "message": "a", "level": "loud" })),
        ("notify_user", json!({})),
    ] {
        let answer = bench.call(1, tool, input.clone()).await;
        assert_eq!(answer["result"]["isError"], true, "{input}: {answer}");
        assert!(!text(&answer).is_empty());
    }
    assert!(bench.desk.notes.lock().unwrap().is_empty());
    assert_eq!(bench.desk.places.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_slow_tool_holds_up_nobody() {
    let mut bench = Bench::ready().await;
    let slow = bench.send(&call(1, "open_in_editor", json!({ "path": "slow" })).to_string());
    let quick = bench
        .call(
            2,
            "open_in_editor",
            json!({ "path": "src/lib.rs", "line": 7, "column": 2 }),
        )
        .await;
    assert_eq!(text(&quick), "opened");
    assert_eq!(
        bench.desk.places.lock().unwrap().last().unwrap(),
        &Place {
            workspace: "/work".to_owned(),
            path: "src/lib.rs".to_owned(),
            line: Some(7),
            column: Some(2),
        }
    );
    bench.desk.go_on.notify_one();
    let (request_id, answer) = bench.answer().await;
    assert_eq!(request_id, slow);
    assert_eq!(text(&answer), "opened at last");
}

#[tokio::test]
async fn every_message_gets_one_answer_whatever_it_is() {
    let mut bench = Bench::ready().await;
    for message in [
        "",
        "{",
        "null",
        "[]",
        "17",
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"no/such/method"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such_tool"}}"#,
    ] {
        let answer = bench.ask_raw(message).await;
        assert!(answer["error"]["code"].is_number(), "{message}: {answer}");
        assert_eq!(answer["jsonrpc"], "2.0");
    }
    for message in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/of/a/new/kind"}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no"}}"#,
    ] {
        let answer = bench.ask_raw(message).await;
        assert!(answer["result"].is_object(), "{message}: {answer}");
    }
}

#[tokio::test]
async fn nothing_works_before_the_handshake_and_nothing_stays_unanswered() {
    let mut bench = Bench::new();
    let list = bench
        .ask(&json!({ "method": "tools/list", "jsonrpc": "2.0", "id": 4 }))
        .await;
    assert_eq!(list["id"], 4);
    assert!(list["error"]["message"].is_string());
    let early = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert!(bench.ask(&early).await["result"].is_object());
    bench.shake_hands(0).await;
    let answer = bench
        .call(1, "open_in_editor", json!({ "path": "a" }))
        .await;
    assert_eq!(text(&answer), "opened");
}

#[tokio::test]
async fn a_second_handshake_begins_anew_with_the_same_ids() {
    let mut bench = Bench::ready().await;
    let slow = bench.send(&call(1, "open_in_editor", json!({ "path": "slow" })).to_string());
    let hello = json!({ "method": "initialize", "jsonrpc": "2.0", "id": 0, "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "claude-code", "version": "1" } } });
    let again = bench.send(&hello.to_string());
    let (request_id, answer) = bench.answer().await;
    assert_eq!(request_id, slow);
    assert!(answer["error"].is_object(), "{answer}");
    let (request_id, answer) = bench.answer().await;
    assert_eq!(request_id, again);
    assert_eq!(answer["result"]["serverInfo"]["name"], "kandev");
    let answer = bench
        .call(1, "open_in_editor", json!({ "path": "a" }))
        .await;
    assert_eq!(text(&answer), "opened");
}

#[tokio::test]
async fn a_cancelled_call_is_answered_once() {
    let mut bench = Bench::ready().await;
    let slow = bench.send(&call(5, "open_in_editor", json!({ "path": "slow" })).to_string());
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 5 } });
    bench.send(&cancel.to_string());
    let (request_id, answer) = bench.answer().await;
    assert_eq!(request_id, slow);
    assert_eq!(answer["id"], 5);
    assert!(answer["error"].is_object(), "{answer}");
    assert!(bench.answer().await.1["result"].is_object());
    bench.desk.go_on.notify_one();
    let pong = bench
        .ask(&json!({ "jsonrpc": "2.0", "id": 6, "method": "ping" }))
        .await;
    assert_eq!(pong["id"], 6);
}
