//! The host's lines: a thread reads stdin, so that waiting for a line and keeping time are one thing.

use std::io::{BufRead, BufReader};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::Value;

/// One line of the host, by what it is for.
#[derive(Debug, Clone, PartialEq)]
pub enum HostLine {
    /// A user message. Checked: it has a message with the role `user`.
    Prompt(Value),
    /// A control request, with its id and its `request`.
    Request { id: String, request: Value },
    /// An answer to a request of ours, in the one form that counts (PROTOCOL 6).
    Answer { id: String, response: Value },
    /// Blank, or of a kind that the CLI ignores.
    Ignored,
    /// A line that the CLI exits on, and what it says on stderr then (PROTOCOL 1.4).
    Fatal(String),
    /// Stdin was closed.
    Closed,
}

pub struct Host {
    lines: Receiver<Vec<u8>>,
    closed: bool,
}

impl Host {
    pub fn listen() -> Self {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut stdin = BufReader::new(std::io::stdin());
            loop {
                let mut line = Vec::new();
                match stdin.read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => return,
                    Ok(_) if sender.send(line).is_err() => return,
                    Ok(_) => {}
                }
            }
        });
        Self {
            lines,
            closed: false,
        }
    }

    /// The next line, or nothing within `limit`. Closed stdin is told once.
    pub fn next(&mut self, limit: Option<Duration>) -> Option<HostLine> {
        if self.closed {
            std::thread::sleep(limit.unwrap_or_default());
            return None;
        }
        let got = match limit {
            Some(limit) => self.lines.recv_timeout(limit),
            None => self
                .lines
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
        };
        match got {
            Ok(line) => Some(read(&line)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                self.closed = true;
                Some(HostLine::Closed)
            }
        }
    }
}

/// What a line is, as the CLI would take it.
pub fn read(line: &[u8]) -> HostLine {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    if text.is_empty() {
        return HostLine::Ignored;
    }
    let parsed = serde_json::from_str::<Value>(text)
        .or_else(|_| serde_json::from_str(&crate::recording::without_lone_halves(text)));
    let Ok(value) = parsed else {
        return HostLine::Fatal(format!(
            "Error parsing streaming input line (type=unknown, {} chars): SyntaxError",
            text.chars().count()
        ));
    };
    if value.is_null() {
        return HostLine::Fatal(format!(
            "Error parsing streaming input line (type=unknown, {} chars): TypeError",
            text.len()
        ));
    }
    let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match value["type"].as_str() {
        Some("user") => match value["message"]["role"].as_str() {
            Some("user") => HostLine::Prompt(value),
            role => HostLine::Fatal(format!(
                "Error: Expected message role 'user', got '{}'",
                role.unwrap_or("undefined")
            )),
        },
        Some("control_request") => match &value["request"] {
            Value::Object(_) => HostLine::Request {
                id: text_of(&value["request_id"]),
                request: value["request"].clone(),
            },
            _ => HostLine::Fatal("Error: Missing request on control_request".to_owned()),
        },
        Some("control_response") => match value["response"]["request_id"].as_str() {
            Some(id) => HostLine::Answer {
                id: id.to_owned(),
                response: value["response"].clone(),
            },
            None => HostLine::Ignored,
        },
        _ => HostLine::Ignored,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_as_the_cli_takes_them() {
        for ignored in [
            "",
            "  \r\n",
            "[1,2]",
            "\"text\"",
            "{\"type\":\"banana\"}",
            "{\"type\":\"keep_alive\"}",
            "{\"type\":\"control_response\",\"request_id\":\"a\"}",
        ] {
            assert_eq!(read(ignored.as_bytes()), HostLine::Ignored, "{ignored}");
        }
        for fatal in [
            "no json",
            "null",
            "{\"type\":\"user\"}",
            "{\"type\":\"user\",\"message\":{\"role\":\"assistant\"}}",
            "{\"type\":\"control_request\",\"request_id\":\"x\"}",
        ] {
            assert!(
                matches!(read(fatal.as_bytes()), HostLine::Fatal(_)),
                "{fatal}"
            );
        }
    }

    #[test]
    fn a_lone_half_of_a_surrogate_pair_is_read() {
        let line = r#"{"type":"user","message":{"role":"user","content":"\ud83d"}}"#;
        assert!(matches!(read(line.as_bytes()), HostLine::Prompt(_)));
    }
}
