//! What failed and is tried again, with its seconds and its attempts.

use kandev_wire::{ApiRetry, SubagentRetry};
use serde_json::Number;

use super::{capital, spaced};

/// A request to the API is tried again: why, when, and how often so far.
pub(super) fn api_retry(retry: &ApiRetry<'_>) -> String {
    let what = match (retry.error.as_deref(), &retry.no_response) {
        (_, Some(silence)) => match seconds(silence.waited_ms.as_ref()) {
            Some(waited) => format!("The API did not answer for {waited}"),
            None => "The API did not answer".to_owned(),
        },
        (Some("rate_limit"), _) => "The API's rate limit is reached".to_owned(),
        (Some("overloaded"), _) => "The API is overloaded".to_owned(),
        (Some("server_error"), _) => "The API had an error".to_owned(),
        (Some("authentication_failed"), _) => "The sign-in was refused".to_owned(),
        (None | Some("unknown"), _) if retry.error_status.is_none() => {
            "The connection to the API failed".to_owned()
        }
        (None | Some("unknown"), _) => "The request failed".to_owned(),
        (Some(other), _) => capital(&spaced(other)),
    };
    again(
        &what,
        retry.error_status.as_ref(),
        retry.retry_delay_ms.as_ref(),
        retry.attempt.as_ref(),
        retry.max_retries.as_ref(),
    )
}

/// A subagent waits to try a request again.
pub(crate) fn subagent_retry(retry: &SubagentRetry<'_>) -> String {
    let what = match retry.error_category.as_deref() {
        Some(category) => format!("A request of the subagent failed ({})", spaced(category)),
        None => "A request of the subagent failed".to_owned(),
    };
    again(
        &what,
        retry.error_status.as_ref(),
        retry.retry_delay_ms.as_ref(),
        retry.attempt.as_ref(),
        retry.max_retries.as_ref(),
    )
}

/// What failed, when it is tried again, and how often so far.
pub(super) fn again(
    what: &str,
    status: Option<&Number>,
    delay_ms: Option<&Number>,
    attempt: Option<&Number>,
    most: Option<&Number>,
) -> String {
    let status = status.map_or(String::new(), |status| format!(" (HTTP {status})"));
    let delay = match seconds(delay_ms) {
        Some(delay) => format!("trying again in {delay}"),
        None => "trying again".to_owned(),
    };
    let attempt = match (attempt, most) {
        (Some(attempt), Some(most)) => format!(" (attempt {attempt} of {most})"),
        (Some(attempt), None) => format!(" (attempt {attempt})"),
        _ => String::new(),
    };
    format!("{what}{status}: {delay}{attempt}")
}

/// Milliseconds as seconds in words: "2.5 s", "40 s".
fn seconds(ms: Option<&Number>) -> Option<String> {
    let seconds = ms?.as_f64()? / 1000.0;
    Some(
        if seconds < 10.0 && (seconds * 10.0).round() % 10.0 != 0.0 {
            format!("{seconds:.1} s")
        } else {
            format!("{seconds:.0} s")
        },
    )
}
