//! What can go wrong with something asked of a session.

/// Why a session did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    #[error("the session is closed")]
    Closed,
    #[error("question {pending_id} is not open: it was answered or withdrawn already")]
    NotPending { pending_id: String },
    #[error("the request offers {count} suggestions, there is no number {index}")]
    NoSuchSuggestion { index: u32, count: usize },
    #[error("the changed input of {tool_name} is not a JSON object")]
    BadInput { tool_name: String },
    #[error("an image of type {media_type} cannot be sent; png, jpeg, gif and webp can")]
    BadImage { media_type: String },
    #[error("{reason}")]
    BadMode { reason: String },
    #[error("the CLI refused {request}: {reason}")]
    Refused { request: String, reason: String },
    #[error("the CLI did not answer {request} within {seconds} s")]
    NoAnswer { request: String, seconds: u64 },
    #[error("there is no process that answers {request}")]
    Ended { request: String },
    #[error(
        "Claude Code {version} does not know {request}{}",
        since.as_ref().map_or_else(String::new, |since| format!("; {since} and later do"))
    )]
    Unsupported {
        request: String,
        version: String,
        /// The first version that does, as far as that is known.
        since: Option<String>,
    },
    #[error("the answer to {request} could not be read")]
    BadAnswer { request: String },
}

impl SessionError {
    /// A word for each story, for those who behave differently on it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Closed => "session_closed",
            Self::NotPending { .. } => "not_pending",
            Self::NoSuchSuggestion { .. } => "no_such_suggestion",
            Self::BadInput { .. } => "bad_input",
            Self::BadImage { .. } => "bad_image",
            Self::BadMode { .. } => "bad_mode",
            Self::Refused { .. } => "refused",
            Self::NoAnswer { .. } => "no_answer",
            Self::Ended { .. } => "ended",
            Self::Unsupported { .. } => "unsupported",
            Self::BadAnswer { .. } => "bad_answer",
        }
    }
}
