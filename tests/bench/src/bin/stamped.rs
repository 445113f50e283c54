//! A CLI whose answer tells when each of its lines was written: every word is the time, in microseconds since the epoch.
//!
//! `KANDEV_BENCH_RATE` is how many lines a second (1,000 if it is not set), `KANDEV_BENCH_COUNT` how many in a turn (10,000).

use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, thread};

use serde_json::{Value, json};

const SESSION: &str = "99999999-2222-4333-8444-555555555555";
/// Words of a message.
const MESSAGE: u32 = 200;

fn main() -> io::Result<()> {
    if env::args().any(|arg| arg == "--version" || arg == "-v") {
        println!("2.1.332 (Claude Code)");
        return Ok(());
    }
    for line in io::stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line?).unwrap_or_default();
        match line["type"].as_str() {
            Some("control_request") => say(
                &json!({"type": "control_response", "response": {"subtype": "success",
                "request_id": line["request_id"], "response": {"commands": [], "models": [], "account": {}, "output_style": "default",
                "available_output_styles": ["default"], "pid": std::process::id()}}}),
            )?,
            // Nothing is read while it talks; nothing is asked then.
            Some("user") => talk()?,
            _ => {}
        }
    }
    Ok(())
}

fn talk() -> io::Result<()> {
    let number = |name: &str, usual: u32| {
        env::var(name)
            .ok()
            .and_then(|said| said.parse().ok())
            .unwrap_or(usual)
    };
    let (rate, count) = (
        number("KANDEV_BENCH_RATE", 1_000),
        number("KANDEV_BENCH_COUNT", 10_000),
    );
    say(
        &json!({"type": "system", "subtype": "init", "session_id": SESSION, "cwd": env::current_dir()?, "tools": [],
        "mcp_servers": [], "model": "claude-sonnet-4-5", "permissionMode": "default", "slash_commands": [], "apiKeySource": "none",
        "claude_code_version": "2.1.332", "output_style": "default", "uuid": uuid(0)}),
    )?;
    let began = Instant::now();
    for first in (0..count).step_by(MESSAGE as usize) {
        let id = format!("msg_{first}");
        let mut message = json!({"id": id, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 4, "output_tokens": 1}});
        stream(&json!({"type": "message_start", "message": message}))?;
        stream(
            &json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        )?;
        let mut all = String::new();
        for word in first..count.min(first + MESSAGE) {
            let due = Duration::from_secs(1).mul_f64(f64::from(word) / f64::from(rate));
            thread::sleep(due.saturating_sub(began.elapsed()));
            let text = format!("t{} ", micros());
            stream(
                &json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
            )?;
            all.push_str(&text);
        }
        message["content"] = json!([{"type": "text", "text": all}]);
        say(
            &json!({"type": "assistant", "message": message, "parent_tool_use_id": null, "session_id": SESSION, "uuid": uuid(first + 1)}),
        )?;
        stream(&json!({"type": "content_block_stop", "index": 0}))?;
        stream(
            &json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": MESSAGE}}),
        )?;
        stream(&json!({"type": "message_stop"}))?;
    }
    say(
        &json!({"type": "result", "subtype": "success", "is_error": false, "duration_ms": 1, "duration_api_ms": 1, "num_turns": 1,
        "result": "", "session_id": SESSION, "total_cost_usd": 0, "usage": {"input_tokens": 4, "output_tokens": 1}, "modelUsage": {},
        "permission_denials": [], "uuid": uuid(count + 1)}),
    )
}

fn stream(event: &Value) -> io::Result<()> {
    say(
        &json!({"type": "stream_event", "event": event, "session_id": SESSION, "parent_tool_use_id": null, "uuid": uuid(0)}),
    )
}

fn say(line: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

fn uuid(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

fn micros() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_micros())
}
