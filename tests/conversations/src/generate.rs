//! Conversations that nobody had: as long as wanted, each turn with ids and words of its own.

use serde_json::{Value, json};

/// One turn: what the host says, then what the CLI says, line by line without ends.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    pub host: Vec<String>,
    pub cli: Vec<String>,
}

impl Turn {
    /// The CLI's lines as it writes them.
    pub fn plain(&self) -> String {
        self.cli.iter().flat_map(|line| [line, "\n"]).collect()
    }

    /// Both sides in recorded form; an answer of the host follows its question.
    pub fn recorded(&self) -> String {
        let record =
            |dir: &str, line: &str| format!("{{\"t\": 1, \"dir\": \"{dir}\", \"line\": {line}}}\n");
        let mut host = self.host.iter();
        let mut text: String = host
            .next()
            .map(|line| record("in", line))
            .unwrap_or_default();
        for line in &self.cli {
            text += &record("out", line);
            if line.contains("\"can_use_tool\"") {
                text.extend(host.next().map(|line| record("in", line)));
            }
        }
        text
    }
}

const WORDS: [&str; 8] = [
    "The harbour opens at dawn. ",
    "潮位は上がっている。",
    "`cargo test` passes 🦀👩‍🚀 ",
    "é ü ñ ",
    "\n\n- a list\n- of two\n",
    "a \"quoted\" \\ backslash\t",
    "\u{2028}separators\u{85} ",
    "fin. ",
];

const SESSION: &str = "5e551000-0000-4000-8000-000000000001";

/// The turn of that number. The same number gives the same turn.
pub fn turn(number: u64) -> Turn {
    let mut teller = Teller {
        turn: Turn::default(),
        number,
        lines: 0,
    };
    teller.host(
        json!({ "type": "user", "uuid": format!("prompt-{number}"), "parent_tool_use_id": null,
        "message": { "role": "user", "content": format!("Do the thing number {number}") } }),
    );
    teller.cli(json!({ "type": "system", "subtype": "init", "cwd": "/home/dev/project", "model": "claude-sonnet-4-5",
        "permissionMode": "default", "tools": ["Bash", "Edit", "Read"], "mcp_servers": [],
        "claude_code_version": "2.1.332" }));
    teller.cli(json!({ "type": "system", "subtype": "status", "status": "requesting" }));
    teller.message(0, Value::Null, 12);
    for (place, (name, input, output, data)) in tools(number).into_iter().enumerate() {
        teller.call(place, name, &input, output, data);
    }
    teller.agent();
    teller.message(1, Value::Null, 6);
    teller.cli(json!({ "type": "rate_limit_event", "rate_limit_info": { "status": "allowed", "rateLimitType": "five_hour",
        "utilization": 0.4 } }));
    teller.cli(json!({ "type": "result", "subtype": "success", "is_error": false, "duration_ms": 1000, "num_turns": 2,
        "result": "done", "total_cost_usd": 0.01 * number as f64,
        "usage": { "input_tokens": 1200, "output_tokens": 40 }, "permission_denials": [] }));
    teller.turn
}

struct Teller {
    turn: Turn,
    number: u64,
    lines: u64,
}

impl Teller {
    fn host(&mut self, line: Value) {
        self.turn.host.push(line.to_string());
    }

    fn cli(&mut self, mut line: Value) {
        line["session_id"] = json!(SESSION);
        line["uuid"] = json!(format!("u-{}-{}", self.number, self.lines));
        self.lines += 1;
        self.turn.cli.push(line.to_string());
    }

    fn stream(&mut self, parent: &Value, event: Value) {
        self.cli(json!({ "type": "stream_event", "parent_tool_use_id": parent, "event": event }));
    }

    /// A message of thinking and text, streamed and then said whole.
    fn message(&mut self, place: u64, parent: Value, pieces: u64) {
        let id = format!("msg_{}_{place}", self.number);
        self.stream(
            &parent,
            json!({ "type": "message_start", "message": { "id": id, "role": "assistant",
            "usage": { "input_tokens": 1200, "output_tokens": 1 } } }),
        );
        for (index, kind) in ["thinking", "text"].into_iter().enumerate() {
            self.stream(
                &parent,
                json!({ "type": "content_block_start", "index": index,
                "content_block": { "type": kind } }),
            );
            let mut whole = String::new();
            for piece in 0..pieces {
                let words = WORDS[((self.number + place + piece) % WORDS.len() as u64) as usize];
                whole += words;
                let delta = json!({ "type": format!("{kind}_delta"), kind: words });
                self.stream(
                    &parent,
                    json!({ "type": "content_block_delta", "index": index, "delta": delta }),
                );
            }
            self.says(&parent, &id, json!({ "type": kind, kind: whole }));
            self.stream(
                &parent,
                json!({ "type": "content_block_stop", "index": index }),
            );
        }
        self.stream(
            &parent,
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" },
            "usage": { "input_tokens": 1200, "output_tokens": 40 } }),
        );
        self.stream(&parent, json!({ "type": "message_stop" }));
    }

    fn says(&mut self, parent: &Value, id: &str, block: Value) {
        self.cli(json!({ "type": "assistant", "parent_tool_use_id": parent,
            "message": { "id": id, "role": "assistant", "model": "claude-sonnet-4-5", "content": [block],
                "usage": { "input_tokens": 1200, "output_tokens": 40 } } }));
    }

    fn call(&mut self, place: usize, name: &str, input: &Value, output: &str, data: Value) {
        let id = format!("toolu_{}_{place}", self.number);
        let message = format!("msg_{}_tool_{place}", self.number);
        self.says(
            &Value::Null,
            &message,
            json!({ "type": "tool_use", "id": id, "name": name, "input": input }),
        );
        if place.is_multiple_of(3) {
            let request = format!("ask-{}-{place}", self.number);
            self.cli(json!({ "type": "control_request", "request_id": request, "request": { "subtype": "can_use_tool",
                "tool_name": name, "input": input, "tool_use_id": id, "permission_suggestions": [] } }));
            self.host(json!({ "type": "control_response", "response": { "subtype": "success", "request_id": request,
                "response": { "behavior": "allow", "updatedInput": input } } }));
        }
        self.result(&Value::Null, &id, output, data);
    }

    fn result(&mut self, parent: &Value, id: &str, output: &str, data: Value) {
        self.cli(json!({ "type": "user", "parent_tool_use_id": parent, "tool_use_result": data,
            "message": { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": output,
                "is_error": false }] } }));
    }

    /// A subagent with a message and a call of its own.
    fn agent(&mut self) {
        let id = format!("toolu_{}_agent", self.number);
        let input = json!({ "description": "Look around", "prompt": "Look around", "subagent_type": "Explore" });
        self.says(
            &Value::Null,
            &format!("msg_{}_agent", self.number),
            json!({ "type": "tool_use", "id": id, "name": "Task", "input": input }),
        );
        let task = format!("task-{}", self.number);
        self.cli(
            json!({ "type": "system", "subtype": "task_started", "task_id": task, "tool_use_id": id,
            "description": "Look around" }),
        );
        self.message(2, json!(id), 4);
        let inner = format!("toolu_{}_inner", self.number);
        self.says(&json!(id), &format!("msg_{}_inner", self.number),
            json!({ "type": "tool_use", "id": inner, "name": "Glob", "input": { "pattern": "**/*.rs" } }));
        self.result(
            &json!(id),
            &inner,
            "src/lib.rs",
            json!({ "filenames": ["src/lib.rs"], "numFiles": 1 }),
        );
        self.cli(json!({ "type": "system", "subtype": "task_notification", "task_id": task, "tool_use_id": id,
            "status": "completed" }));
        self.result(
            &Value::Null,
            &id,
            "All is well.",
            json!({ "status": "completed", "agentId": task,
            "totalDurationMs": 10, "totalTokens": 100, "totalToolUseCount": 1,
            "content": [{ "type": "text", "text": "All is well." }] }),
        );
    }
}

/// One call of each kind: its name, input, output for the model and data of its own.
fn tools(number: u64) -> Vec<(&'static str, Value, &'static str, Value)> {
    let file = format!("/home/dev/project/src/file_{}.rs", number % 50);
    let long = "one line of many\n".repeat(40);
    vec![
        (
            "Read",
            json!({ "file_path": file }),
            "1\tfn main() {}",
            json!({ "type": "text", "file": { "filePath": file, "content": long, "numLines": 40, "startLine": 1, "totalLines": 40 } }),
        ),
        (
            "Edit",
            json!({ "file_path": file, "old_string": "a", "new_string": "b" }),
            "The file was updated.",
            json!({ "filePath": file, "oldString": "a", "newString": "b", "originalFile": "a\n",
                "structuredPatch": [{ "oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"] }] }),
        ),
        (
            "Write",
            json!({ "file_path": file, "content": long }),
            "The file was written.",
            json!({ "type": "create", "filePath": file, "content": long, "structuredPatch": [] }),
        ),
        (
            "Bash",
            json!({ "command": "cargo test", "description": "Run the tests" }),
            "ok",
            json!({ "stdout": long, "stderr": "", "interrupted": false }),
        ),
        (
            "Grep",
            json!({ "pattern": "fn", "path": "src" }),
            "src/lib.rs",
            json!({ "mode": "files_with_matches", "filenames": ["src/lib.rs"], "numFiles": 1 }),
        ),
        (
            "WebFetch",
            json!({ "url": "https://example.org", "prompt": "What is it?" }),
            "A page.",
            json!({ "url": "https://example.org", "code": 200, "result": "A page." }),
        ),
        (
            "TodoWrite",
            json!({ "todos": [{ "content": "Look", "status": "in_progress", "activeForm": "Looking" }] }),
            "ok",
            json!({ "oldTodos": [], "newTodos": [{ "content": "Look", "status": "in_progress", "activeForm": "Looking" }] }),
        ),
        (
            "mcp__tides__next",
            json!({ "station": "north" }),
            "at noon",
            json!([{ "type": "text", "text": "at noon" }]),
        ),
        (
            "BrandNewTool",
            json!({ "anything": [1, 2, 3] }),
            "done",
            Value::Null,
        ),
    ]
}
