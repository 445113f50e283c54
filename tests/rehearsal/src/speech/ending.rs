//! How a turn ends: its result, an error of the API, an interrupt (PROTOCOL 4.9, 7.1, 10).

use serde_json::{Map, Value, json};

use crate::answers::with;
use crate::cli::{Cli, Played};
use crate::speech::{fresh_id, now};
use crate::track::Block;

const CONTEXT_WINDOW: u64 = 200_000;

const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT \
    written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End<'a> {
    Completed,
    /// `aborted_streaming` or `aborted_tools`.
    Aborted(&'a str),
    /// An API error with this HTTP status; the text stands in the last message.
    ApiError(u64),
}

impl Cli {
    /// Ends the turn.
    pub fn result(&mut self, end: End) -> Played {
        let usage = self.voice.usage;
        let cost = usage.cost();
        let model = self.track.model.clone();
        let this_turn = json!({"inputTokens": usage.input, "outputTokens": usage.output, "cacheReadInputTokens": usage.cache_read,
            "cacheCreationInputTokens": usage.cache_creation, "webSearchRequests": 0, "costUSD": cost, "contextWindow": CONTEXT_WINDOW,
            "maxOutputTokens": 32_000});
        let mut total = self.track.model_usage.clone();
        let mut since = Map::new();
        if cost > 0.0 {
            let so_far = total.get(&model).cloned().unwrap_or_else(|| json!({}));
            let mut sum = this_turn.clone();
            for field in [
                "inputTokens",
                "outputTokens",
                "cacheReadInputTokens",
                "cacheCreationInputTokens",
            ] {
                sum[field] = json!(
                    so_far[field].as_u64().unwrap_or_default()
                        + this_turn[field].as_u64().unwrap_or_default()
                );
            }
            sum["costUSD"] = json!(so_far["costUSD"].as_f64().unwrap_or_default() + cost);
            total.insert(model.clone(), sum);
            since.insert(model, this_turn);
        }
        let duration = self.voice.started.map_or(0, |started| {
            u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
        });
        let mut line = json!({
            "type": "result",
            "subtype": if matches!(end, End::Aborted(_)) { "error_during_execution" } else { "success" },
            "is_error": !matches!(end, End::Completed),
            "duration_ms": duration,
            "duration_api_ms": duration,
            "num_turns": self.track.rounds.max(1),
            "stop_reason": if matches!(end, End::Completed) { json!("end_turn") } else { Value::Null },
            "terminal_reason": match end {
                End::Completed => "completed",
                End::Aborted(reason) => reason,
                End::ApiError(_) => "api_error",
            },
            "total_cost_usd": self.track.total_cost + cost,
            "usage": {"input_tokens": usage.input, "cache_creation_input_tokens": usage.cache_creation, "cache_read_input_tokens": usage.cache_read,
                "output_tokens": usage.output, "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0}, "service_tier": "standard"},
            "modelUsage": total,
            "model_usage_since_last_result": since,
            "permission_denials": self.track.denials,
            "api_error_status": match end { End::ApiError(status) => json!(status), _ => Value::Null },
            "begun_message_ids": self.track.begun,
            "queued_turn_count": u64::from(!self.prompts.is_empty()),
            "result_index": self.track.results,
            "session_id": self.track.session_id,
            "uuid": fresh_id()
        });
        match end {
            End::Aborted(_) => {
                line["errors"] = json!([
                    "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null"
                ])
            }
            End::Completed | End::ApiError(_) => line["result"] = json!(self.voice.last_text),
        }
        if let Some(newest) = self.voice.prompt_uuids.last() {
            line["user_message_uuid"] = json!(newest);
            line["user_message_uuids"] = json!(self.voice.prompt_uuids);
        }
        if let Some(origin) = self.voice.origin.take() {
            line["origin"] = origin;
        }
        self.say(&line)
    }

    /// The text of an API error that ends a turn (PROTOCOL 10).
    pub fn api_error(&mut self, status: u64, kind: &str, words: &str) -> Played {
        let line = json!({"type": "assistant", "message": {"id": fresh_id(), "type": "message", "role": "assistant", "model": "<synthetic>",
                "content": [{"type": "text", "text": words}], "stop_reason": "stop_sequence", "stop_sequence": "",
                "usage": {"input_tokens": 0, "output_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
                "context_management": null},
            "parent_tool_use_id": null, "session_id": self.track.session_id, "uuid": fresh_id(), "timestamp": now(), "error": kind,
            "is_api_error_message": true, "api_error_status": status, "api_error_type": "api_error"});
        words.clone_into(&mut self.voice.last_text);
        self.say(&line)
    }

    /// Ends a turn that was interrupted, as PROTOCOL 7.1 shows.
    pub fn abort(&mut self) -> Played {
        let calls: Vec<String> = self
            .track
            .calls
            .iter()
            .filter(|(_, call)| call.parent.is_none())
            .map(|(id, _)| id.clone())
            .collect();
        let cut = self.track.streaming.clone();
        if let Some(Block {
            kind,
            text,
            confirmed: false,
            ..
        }) = cut.as_ref().and_then(|cut| cut.block.as_ref())
            && kind == "text"
            && !text.is_empty()
        {
            let mut line = self.assistant_line(json!({"type": "text", "text": text}), None);
            if let Some(cut) = &cut {
                line["message"]["id"] = json!(cut.message_id);
                line["message"]["model"] = json!(cut.model);
            }
            self.say(&with(line, "aborted", json!(true)))?;
        }
        self.stop_foreground_tasks()?;
        for call in &calls {
            let meta = json!({"non_execution_kind": "user-rejected"});
            self.tool_result(
                call,
                &json!(REJECTED),
                true,
                Some(json!("User rejected tool use")),
                meta,
            )?;
        }
        let marker = if calls.is_empty() {
            "[Request interrupted by user]"
        } else {
            "[Request interrupted by user for tool use]"
        };
        let line = self.user_line(&json!([{"type": "text", "text": marker}]), None);
        self.say(&line)?;
        if let Some(cut) = cut {
            self.close_stream(&cut.message_id, cut.block.as_ref())?;
        }
        self.voice.message = None;
        self.result(End::Aborted(if calls.is_empty() {
            "aborted_streaming"
        } else {
            "aborted_tools"
        }))
    }

    /// Closes the streaming message where it stands, if there is one.
    pub fn cut_message(&mut self) -> Played {
        match self.track.streaming.clone() {
            Some(cut) => self.close_stream(&cut.message_id, cut.block.as_ref()),
            None => Ok(()),
        }
    }

    fn close_stream(&mut self, message_id: &str, block: Option<&Block>) -> Played {
        let session_id = self.track.session_id.clone();
        let mut events = Vec::new();
        if let Some(block) = block {
            events.push(json!({"type": "content_block_stop", "index": block.index}));
        }
        events.push(json!({"type": "message_delta", "delta": {"stop_reason": null, "stop_sequence": null}, "usage": {"output_tokens": 1}}));
        events.push(json!({"type": "message_stop"}));
        for event in events {
            let line = json!({"type": "stream_event", "event": event, "session_id": session_id, "parent_tool_use_id": null, "uuid": fresh_id(),
                "api_message_id": message_id});
            self.say(&line)?;
        }
        Ok(())
    }
}
