//! Lines of our own, in the wire's shapes: init, streamed messages, tool results, the result of a turn (PROTOCOL 4).

mod ending;
mod tasks;
mod voice;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uuid::Uuid;

use crate::answers::{command_names, with};
use crate::cli::{Cli, Played};
use crate::options::Words;
use crate::speech::voice::{Message, Usage};

pub use crate::speech::ending::End;
pub use crate::speech::voice::Voice;

/// Characters in one delta, and the pause between two.
const PIECE: usize = 24;
const PIECE_PAUSE: Duration = Duration::from_millis(45);

pub fn fresh_id() -> String {
    Uuid::new_v4().to_string()
}

/// An id as the API makes them: a prefix and letters.
pub fn api_id(prefix: &str) -> String {
    format!(
        "{prefix}_rehearsal{}",
        &Uuid::new_v4().simple().to_string()[..12]
    )
}

fn now() -> String {
    jiff::Timestamp::now()
        .strftime("%Y-%m-%dT%H:%M:%S%.3fZ")
        .to_string()
}

/// Tokens of a text, roughly.
pub fn tokens(text: &str) -> u64 {
    text.len() as u64 / 4 + 1
}

impl Cli {
    /// What comes before the first message of a turn.
    pub fn begin_turn(&mut self, cwd: &str) -> Played {
        self.track.begin_turn();
        if self.voice.context == 0 {
            self.voice.context = 14_200;
        }
        self.voice.usage = Usage::default();
        self.voice.started = Some(Instant::now());
        self.voice.prompt_told = false;
        self.voice.last_text.clear();
        let init = self.system(
            "init",
            json!({
                "cwd": cwd,
                "tools": ["Task", "AskUserQuestion", "Bash", "Edit", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep", "Read", "Skill", "TaskCreate", "TaskGet",
                    "TaskList", "TaskStop", "TaskUpdate", "WebFetch", "WebSearch", "Write", "mcp__almanac__moon_phase"],
                "mcp_servers": [{"name": "almanac", "status": "connected", "source": "dynamic"}],
                "model": self.track.model,
                "permissionMode": self.track.mode,
                "slash_commands": command_names(),
                "apiKeySource": "none",
                "claude_code_version": crate::VERSION,
                "output_style": "default",
                "agents": ["Explore", "general-purpose", "Plan"],
                "skills": ["release-notes"],
                "plugins": [],
                "capabilities": ["interrupt_receipt_v1"],
                "original_cwd": cwd,
                "additional_directories": [],
                "fast_mode_state": "off",
                "view_mode": "default"
            }),
        );
        self.say(&init)
    }

    /// Begins to use tokens of our own in a turn that is not of our own.
    pub fn take_over_turn(&mut self) {
        self.voice.usage = Usage::default();
        self.voice.started.get_or_insert_with(Instant::now);
        self.voice.context = self.track.context;
        self.voice.message = None;
        self.voice.prompt_told = true;
        self.voice.prompt_uuids.clear();
    }

    /// A model request starts.
    pub fn requesting(&mut self) -> Played {
        let mut fields = json!({"status": "requesting"});
        if !self.voice.prompt_uuids.is_empty() {
            fields["user_message_uuids"] = json!(self.voice.prompt_uuids);
        }
        let line = self.system("status", fields);
        self.say(&line)
    }

    fn stream(&mut self, event: Value) -> Played {
        if !self.options.partial_messages {
            return Ok(());
        }
        let id = self
            .voice
            .message
            .as_ref()
            .map(|message| message.id.clone());
        let line = json!({"type": "stream_event", "event": event, "session_id": self.track.session_id, "parent_tool_use_id": null,
            "uuid": fresh_id(), "api_message_id": id});
        self.say(&line)
    }

    pub fn begin_message(&mut self) -> Played {
        let fresh = 400;
        let usage = json!({"input_tokens": 4, "cache_creation_input_tokens": fresh, "cache_read_input_tokens": self.voice.context, "output_tokens": 1,
            "service_tier": "standard"});
        self.voice.usage.input += 4;
        self.voice.usage.cache_creation += fresh;
        self.voice.usage.cache_read += self.voice.context;
        self.voice.context += fresh + 4;
        self.voice.last_text.clear();
        let id = api_id("msg");
        let message = json!({"id": id, "type": "message", "role": "assistant", "model": self.track.model, "content": [], "stop_reason": null,
            "stop_sequence": null, "usage": usage});
        self.voice.message = Some(Message {
            id,
            index: 0,
            output: 0,
            usage,
        });
        if !self.options.partial_messages {
            // Nothing else would tell that the message was begun.
            let id = self
                .voice
                .message
                .as_ref()
                .map(|message| message.id.clone())
                .unwrap_or_default();
            self.track.begun.push(id);
        }
        self.stream(json!({"type": "message_start", "message": message}))
    }

    /// True between the first block of a message and its end.
    pub fn in_message(&self) -> bool {
        self.voice.message.is_some()
    }

    /// A block of text. After another one in the same message it begins a paragraph: a host joins the two.
    pub fn text(&mut self, text: &str) -> Played {
        let again = self.in_message() && !self.voice.last_text.is_empty();
        let text = &format!("{}{text}", if again { "\n\n" } else { "" });
        let index = self.begin_block(json!({"type": "text", "text": ""}))?;
        self.deltas(
            index,
            text,
            |piece| json!({"type": "text_delta", "text": piece}),
        )?;
        self.voice.last_text.push_str(text);
        self.end_block(index, json!({"type": "text", "text": text}), tokens(text))
    }

    /// A text that comes in one line and was not streamed.
    pub fn whole_text(&mut self, text: &str) -> Played {
        let index = self.begin_block(json!({"type": "text", "text": ""}))?;
        self.end_block(index, json!({"type": "text", "text": text}), tokens(text))
    }

    /// Streams so many numbered words, in messages of a certain length.
    pub fn words(&mut self, words: Words) -> Played {
        let started = Instant::now();
        let mut number = 0;
        while number < words.count {
            self.requesting()?;
            let index = self.begin_block(json!({"type": "text", "text": ""}))?;
            let mut all = String::new();
            let end = words.count.min(number + words.message);
            while number < end {
                if words.rate > 0 {
                    let due = Duration::from_secs(1).mul_f64(number as f64 / f64::from(words.rate));
                    self.pause(due.saturating_sub(started.elapsed()))?;
                } else {
                    // Whoever interrupts is heard.
                    self.hear(Some(Duration::ZERO))?;
                }
                let word = format!("w{number} ");
                self.stream(json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": word}}))?;
                all.push_str(&word);
                number += 1;
            }
            self.end_block(index, json!({"type": "text", "text": all}), tokens(&all))?;
            self.end_message("end_turn")?;
        }
        Ok(())
    }

    /// Streams numbered words, `rate` deltas a second, for so long. True, as something was said.
    pub fn flood(&mut self, rate: u32, time: Duration) -> Result<bool, crate::cli::Stop> {
        let index = self.begin_block(json!({"type": "text", "text": ""}))?;
        let started = Instant::now();
        let mut all = String::new();
        let total = u64::from(rate) * time.as_secs();
        for number in 0..total {
            let due = time.mul_f64(
                f64::from(u32::try_from(number).unwrap_or(u32::MAX))
                    / f64::from(u32::try_from(total).unwrap_or(u32::MAX)),
            );
            // The host is heard also when it reads too slowly for any wait.
            self.pause(due.saturating_sub(started.elapsed()))?;
            let word = format!("w{number} ");
            self.stream(json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": word}}))?;
            all.push_str(&word);
        }
        self.end_block(index, json!({"type": "text", "text": all}), tokens(&all))?;
        Ok(true)
    }

    pub fn thinking(&mut self, text: &str) -> Played {
        let index =
            self.begin_block(json!({"type": "thinking", "thinking": "", "signature": ""}))?;
        let started = Instant::now();
        let estimated = tokens(text);
        let line = self.system(
            "thinking_tokens",
            json!({"estimated_tokens": estimated, "estimated_tokens_delta": estimated}),
        );
        self.say(&line)?;
        self.deltas(
            index,
            text,
            |piece| json!({"type": "thinking_delta", "thinking": piece}),
        )?;
        let signature = "cmVoZWFyc2Fs";
        self.stream(json!({"type": "content_block_delta", "index": index, "delta": {"type": "signature_delta", "signature": signature}}))?;
        let line = self.assistant_line(
            json!({"type": "thinking", "thinking": text, "signature": signature}),
            None,
        );
        let elapsed = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.say(&with(line, "thinking_duration_ms", json!(elapsed)))?;
        self.after_block(index, estimated)
    }

    /// Says a tool call; `meta` stands beside the message (MCP).
    pub fn tool_use(&mut self, id: &str, name: &str, input: &Value, meta: Option<Value>) -> Played {
        let index =
            self.begin_block(json!({"type": "tool_use", "id": id, "name": name, "input": {}}))?;
        let delta = |piece: &str| json!({"type": "input_json_delta", "partial_json": piece});
        self.stream(json!({"type": "content_block_delta", "index": index, "delta": delta("")}))?;
        let written = input.to_string();
        if self.options.partial_messages {
            for piece in pieces(&written, 400) {
                self.stream(
                    json!({"type": "content_block_delta", "index": index, "delta": delta(piece)}),
                )?;
            }
        }
        let mut line = self.assistant_line(
            json!({"type": "tool_use", "id": id, "name": name, "input": input}),
            None,
        );
        if let Some(meta) = meta {
            line["tool_use_meta"] = meta;
        }
        self.say(&line)?;
        self.after_block(index, tokens(&written))
    }

    fn begin_block(&mut self, block: Value) -> Result<u64, crate::cli::Stop> {
        if self.voice.message.is_none() {
            self.begin_message()?;
        }
        let index = self
            .voice
            .message
            .as_ref()
            .map_or(0, |message| message.index);
        self.stream(
            json!({"type": "content_block_start", "index": index, "content_block": block}),
        )?;
        Ok(index)
    }

    fn deltas(&mut self, index: u64, text: &str, delta: impl Fn(&str) -> Value) -> Played {
        for piece in pieces(text, PIECE) {
            self.pause(PIECE_PAUSE)?;
            self.stream(
                json!({"type": "content_block_delta", "index": index, "delta": delta(piece)}),
            )?;
        }
        Ok(())
    }

    fn end_block(&mut self, index: u64, block: Value, output: u64) -> Played {
        let line = self.assistant_line(block, None);
        self.say(&line)?;
        self.after_block(index, output)
    }

    fn after_block(&mut self, index: u64, output: u64) -> Played {
        self.stream(json!({"type": "content_block_stop", "index": index}))?;
        if let Some(message) = &mut self.voice.message {
            message.index += 1;
            message.output += output;
        }
        Ok(())
    }

    /// Ends the message, if one is being said.
    pub fn end_message(&mut self, stop_reason: &str) -> Played {
        let Some(message) = &self.voice.message else {
            return Ok(());
        };
        let output = message.output;
        let usage = with(message.usage.clone(), "output_tokens", json!(output));
        self.stream(json!({"type": "message_delta", "delta": {"stop_reason": stop_reason, "stop_sequence": null}, "usage": usage}))?;
        self.stream(json!({"type": "message_stop"}))?;
        self.voice.message = None;
        self.voice.usage.output += output;
        self.voice.context += output;
        Ok(())
    }

    /// An `assistant` line with one block. `parent`: the subagent's call.
    pub fn assistant_line(&mut self, block: Value, parent: Option<&str>) -> Value {
        let (id, usage) = match (&self.voice.message, parent) {
            (Some(message), None) => (message.id.clone(), message.usage.clone()),
            _ => (
                api_id("msg"),
                json!({"input_tokens": 900, "output_tokens": 1, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}),
            ),
        };
        let mut line = json!({"type": "assistant", "message": {"id": id, "type": "message", "role": "assistant", "model": self.track.model,
                "content": [block], "stop_reason": null, "stop_sequence": null, "usage": usage, "context_management": null},
            "parent_tool_use_id": parent, "session_id": self.track.session_id, "uuid": fresh_id(), "timestamp": now()});
        if !self.voice.prompt_told && parent.is_none() {
            self.voice.prompt_told = true;
            if let Some(newest) = self.voice.prompt_uuids.last() {
                line["user_message_uuid"] = json!(newest);
                line["user_message_uuids"] = json!(self.voice.prompt_uuids);
            }
        }
        line
    }

    /// A `user` line of the CLI.
    pub fn user_line(&self, content: &Value, parent: Option<&str>) -> Value {
        json!({"type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": parent,
            "session_id": self.track.session_id, "uuid": fresh_id(), "timestamp": now()})
    }

    /// The result of a call. `data` is its `tool_use_result`; calls of subagents have none unless they fail.
    pub fn tool_result(
        &mut self,
        call: &str,
        content: &Value,
        is_error: bool,
        data: Option<Value>,
        meta: Value,
    ) -> Played {
        let parent = self
            .track
            .calls
            .get(call)
            .and_then(|call| call.parent.clone());
        let mut block = json!({"tool_use_id": call, "type": "tool_result", "content": content});
        if is_error {
            block["is_error"] = json!(true);
        }
        let mut line = self.user_line(&json!([block]), parent.as_deref());
        if let Some(data) = data
            && (parent.is_none() || is_error)
        {
            line["tool_use_result"] = data;
        }
        line["tool_result_meta"] = json!([with(meta, "id", json!(call))]);
        if parent.is_none() {
            self.voice.context += tokens(&content.to_string());
        }
        self.say(&line)
    }

    /// The result of a call that was not done, with these words.
    pub fn tool_denied(&mut self, call: &str, words: &str, source: &str) -> Played {
        let meta = json!({"non_execution_kind": "permission-rule", "permission_decision": {"decision": "reject", "source": source}});
        self.tool_result(
            call,
            &json!(words),
            true,
            Some(json!(format!("Error: {words}"))),
            meta,
        )
    }
}

/// The text in pieces of about `size` bytes, cut between characters.
pub fn pieces(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = size.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}
