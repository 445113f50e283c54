//! What a person can do in each phase, in one sentence.

use crate::{Phase, SessionInfo};

/// The sentence for a session's row as it is now.
pub(crate) fn next_step(info: &SessionInfo) -> &'static str {
    if info.force_stop {
        return "The interrupt had no effect. Stop it by force; the next prompt resumes the conversation.";
    }
    match info.phase {
        Phase::Starting => {
            "It is being started. A prompt that is sent now waits until it is ready."
        }
        Phase::Idle => "Send a prompt.",
        Phase::Thinking | Phase::Streaming => {
            "Let it go on, send a prompt that is taken up next, or interrupt it."
        }
        Phase::Tool => "Let the tool run, or interrupt it.",
        Phase::Approval => "Allow or deny what it asks for.",
        Phase::Question => "Answer its question.",
        Phase::RateLimited => "It goes on when the limit is over. Interrupt it to stop waiting.",
        Phase::Retrying => "It tries again by itself. Interrupt it to give up.",
        Phase::Compacting => "It goes on when the conversation is compacted.",
        Phase::Background => "Tasks still run. Send a prompt, or stop them.",
        Phase::Stopped | Phase::Failed if info.cli_session_id.is_some() => {
            "Send a prompt: it resumes the conversation."
        }
        Phase::Stopped | Phase::Failed => "Send a prompt: it starts Claude Code.",
    }
}
