//! How the process went: asked for or not, and its last words.

use crate::event::{ErrorData, EventBody, SessionEnd};
use crate::out::Out;
use crate::transcript::Exit;
use crate::turn::Turn;

/// How much of stderr is kept, in bytes.
const STDERR: usize = 8 * 1024;

#[derive(Debug, Default)]
pub(crate) struct End {
    /// The host closed stdin or sent a signal, which no exit status makes an error.
    pub forced: bool,
    /// The host asked for the end: then a status other than 0 is still news.
    pub asked: bool,
    pub over: bool,
    stderr: String,
}

impl End {
    pub fn stderr(&mut self, text: &str) {
        let keep = text.len().saturating_sub(STDERR);
        self.stderr
            .push_str(&text[ceil_char_boundary(text, keep)..]);
        if !self.stderr.ends_with('\n') {
            self.stderr.push('\n');
        }
        let excess = self.stderr.len().saturating_sub(STDERR);
        self.stderr
            .drain(..ceil_char_boundary(&self.stderr, excess));
    }

    /// `session_ended`, and before it an `error` if nobody had asked for an end that was none of a failed turn.
    pub fn exited(&mut self, exit: Exit, turn: &Turn, out: &mut Out) {
        let failed = exit.signal.is_some() || exit.code.is_none_or(|code| code != 0);
        let tail = self.stderr.trim_end().to_owned();
        if failed && !self.forced && !turn.last_failed {
            let how = match (&exit.signal, exit.code) {
                (Some(signal), _) => format!("The CLI was ended by {signal}"),
                (None, Some(code)) => format!("The CLI ended with code {code}"),
                (None, None) => "The CLI ended".to_owned(),
            };
            let error = if tail.is_empty() {
                format!("{how}.")
            } else {
                format!("{how}: {tail}")
            };
            let code = if turn.any_result || out.session_id.is_some() {
                "process_exited"
            } else {
                "start_failed"
            };
            let next_step = Some("Send a prompt to start it again.".to_owned());
            out.say(EventBody::Error {
                error,
                data: ErrorData {
                    code: code.to_owned(),
                    next_step,
                    message_id: None,
                },
            });
        }
        let Exit { code, signal } = exit;
        let exit_code = if signal.is_some() { None } else { code };
        let data = SessionEnd {
            exit_code,
            signal,
            stderr_tail: tail,
            expected: self.forced || self.asked,
        };
        out.say(EventBody::SessionEnded { data });
        self.over = true;
    }
}

fn ceil_char_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
