//! Where the conversation stands, told from the lines that were said: what is streaming, which calls and questions are
//! open, what it cost so far. Both sources need it when the host departs from the script.

use indexmap::IndexMap;
use serde_json::{Map, Value};

#[derive(Debug, Default)]
pub struct Track {
    pub session_id: String,
    pub model: String,
    pub mode: String,
    pub cwd: String,
    /// From a prompt to its result.
    pub in_turn: bool,
    pub streaming: Option<Streaming>,
    /// Calls without a result, by id, in the order of their start.
    pub calls: IndexMap<String, Call>,
    /// Open `can_use_tool` requests, by request id.
    pub questions: IndexMap<String, Question>,
    /// Running tasks: id and the call that started it.
    pub tasks: IndexMap<String, Task>,
    /// Of the newest result.
    pub total_cost: f64,
    pub model_usage: Map<String, Value>,
    pub results: u64,
    pub failed: bool,
    /// Messages begun in this turn.
    pub begun: Vec<String>,
    /// What was denied in this turn, as the result lists it.
    pub denials: Vec<Value>,
    /// Model requests of this turn.
    pub rounds: u64,
    /// Tokens in the newest request of the main thread.
    pub context: u64,
}

/// A message that is being streamed.
#[derive(Debug, Clone, Default)]
pub struct Streaming {
    pub message_id: String,
    pub model: String,
    pub block: Option<Block>,
}

#[derive(Debug, Clone)]
pub struct Block {
    pub index: u64,
    pub kind: String,
    pub text: String,
    /// Its `assistant` line was said.
    pub confirmed: bool,
}

#[derive(Debug, Clone)]
pub struct Call {
    pub name: String,
    pub input: Value,
    pub parent: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Question {
    pub call: String,
    pub input: Value,
}

#[derive(Debug, Clone)]
pub struct Task {
    pub call: Option<String>,
    pub run_id: Value,
    pub background: bool,
    pub kind: Value,
    pub description: String,
}

impl Track {
    /// Learns from a line that is about to be said.
    pub fn observe(&mut self, line: &Value) {
        if let Some(id) = line["session_id"].as_str() {
            id.clone_into(&mut self.session_id);
        }
        match line["type"].as_str().unwrap_or_default() {
            "system" => self.system(line),
            "stream_event" => self.stream(line),
            "assistant" => self.assistant(line),
            "user" => {
                for block in blocks(line) {
                    if block["type"] == "tool_result" {
                        self.calls.shift_remove(text(&block["tool_use_id"]));
                    }
                }
            }
            "control_request" if line["request"]["subtype"] == "can_use_tool" => {
                let request = &line["request"];
                let question = Question {
                    call: text(&request["tool_use_id"]).to_owned(),
                    input: request["input"].clone(),
                };
                self.questions
                    .insert(text(&line["request_id"]).to_owned(), question);
            }
            "control_cancel_request" => {
                self.questions.shift_remove(text(&line["request_id"]));
            }
            "result" => self.result(line),
            _ => {}
        }
    }

    /// A turn begins with a prompt of the host, or by itself.
    pub fn begin_turn(&mut self) {
        self.in_turn = true;
        self.begun.clear();
        self.denials.clear();
        self.rounds = 0;
    }

    fn system(&mut self, line: &Value) {
        match line["subtype"].as_str().unwrap_or_default() {
            "init" => {
                text(&line["model"]).clone_into(&mut self.model);
                text(&line["permissionMode"]).clone_into(&mut self.mode);
                text(&line["cwd"]).clone_into(&mut self.cwd);
                if !self.in_turn {
                    self.begin_turn();
                }
            }
            "status" => {
                if let Some(mode) = line["permissionMode"].as_str() {
                    mode.clone_into(&mut self.mode);
                }
                if line["status"] == "requesting" {
                    self.rounds += 1;
                }
            }
            "task_started" => {
                let task = Task {
                    call: line["tool_use_id"].as_str().map(str::to_owned),
                    run_id: line["run_id"].clone(),
                    background: line["is_backgrounded"] == true,
                    kind: line["task_type"].clone(),
                    description: text(&line["description"]).to_owned(),
                };
                self.tasks.insert(text(&line["task_id"]).to_owned(), task);
            }
            "task_notification" => {
                self.tasks.shift_remove(text(&line["task_id"]));
            }
            _ => {}
        }
    }

    fn stream(&mut self, line: &Value) {
        let event = &line["event"];
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => {
                let message_id = text(&event["message"]["id"]).to_owned();
                self.begun.push(message_id.clone());
                self.streaming = Some(Streaming {
                    message_id,
                    model: text(&event["message"]["model"]).to_owned(),
                    block: None,
                });
            }
            "message_stop" => self.streaming = None,
            kind => {
                let Some(streaming) = &mut self.streaming else {
                    return;
                };
                match kind {
                    "content_block_start" => {
                        streaming.block = Some(Block {
                            index: event["index"].as_u64().unwrap_or_default(),
                            kind: text(&event["content_block"]["type"]).to_owned(),
                            text: String::new(),
                            confirmed: false,
                        });
                    }
                    "content_block_delta" => {
                        if let (Some(block), Some(piece)) =
                            (&mut streaming.block, event["delta"]["text"].as_str())
                        {
                            block.text.push_str(piece);
                        }
                    }
                    "content_block_stop" => streaming.block = None,
                    _ => {}
                }
            }
        }
    }

    fn assistant(&mut self, line: &Value) {
        let id = &line["message"]["id"];
        if let Some(streaming) = &mut self.streaming
            && streaming.message_id == text(id)
            && let Some(block) = &mut streaming.block
        {
            block.confirmed = true;
        }
        if line["parent_tool_use_id"].is_null() {
            let usage = &line["message"]["usage"];
            let count = |name: &str| usage[name].as_u64().unwrap_or_default();
            self.context = count("input_tokens")
                + count("cache_read_input_tokens")
                + count("cache_creation_input_tokens");
        }
        for block in blocks(line) {
            if block["type"] == "tool_use" {
                let call = Call {
                    name: text(&block["name"]).to_owned(),
                    input: block["input"].clone(),
                    parent: line["parent_tool_use_id"].as_str().map(str::to_owned),
                };
                self.calls.insert(text(&block["id"]).to_owned(), call);
            }
        }
    }

    fn result(&mut self, line: &Value) {
        self.in_turn = false;
        self.streaming = None;
        self.calls.clear();
        self.questions.clear();
        self.results += 1;
        self.failed = line["is_error"] == true;
        self.total_cost = line["total_cost_usd"].as_f64().unwrap_or(self.total_cost);
        if let Some(usage) = line["modelUsage"].as_object() {
            self.model_usage = usage.clone();
        }
    }
}

/// The content blocks of a message line.
pub fn blocks(line: &Value) -> impl Iterator<Item = &Value> {
    line["message"]["content"].as_array().into_iter().flatten()
}

/// The string, or an empty one.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
