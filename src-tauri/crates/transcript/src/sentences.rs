//! What a notice says in one plain sentence, for each kind that the CLI can tell of.

mod retry;

use std::borrow::Cow;

use kandev_wire::{
    ActiveGoal, AuthStatus, CompactBoundary, FilesPersisted, Hook, MemoryRecall, ModelRefusal,
    PluginInstall, SessionWritesLost, Status, System, SystemBody,
};
use serde_json::Number;

pub(crate) use retry::subagent_retry;
use retry::{again, api_retry};

type Text<'a> = Option<Cow<'a, str>>;

/// The sentence of a `system` line; nothing where its own `content`, or its name, says all.
pub(crate) fn of(line: &System<'_>) -> Option<String> {
    let content = line.content.as_deref();
    match &line.body {
        SystemBody::Status(status) => of_status(status),
        SystemBody::ApiRetry(retry) => Some(api_retry(retry)),
        SystemBody::ControlRequestProgress(progress) => Some(again(
            "A request of this window failed",
            progress.error_status.as_ref(),
            progress.retry_delay_ms.as_ref(),
            progress.attempt.as_ref(),
            progress.max_retries.as_ref(),
        )),
        SystemBody::CompactBoundary(boundary) => Some(compacted(boundary)),
        SystemBody::PermissionDenied(denied) => {
            let tool = denied.tool_name.as_deref().unwrap_or("A tool");
            Some(
                denied
                    .message
                    .as_deref()
                    .map_or_else(|| format!("{tool} was denied"), str::to_owned),
            )
        }
        SystemBody::ModelFallback(fallback) if content.is_none() => Some(format!(
            "{} answers in the place of {}",
            fallback.fallback_model.as_deref()?,
            fallback.original_model.as_deref()?
        )),
        SystemBody::ModelRefusalFallback(refusal) | SystemBody::ModelRefusalNoFallback(refusal)
            if content.is_none() =>
        {
            Some(refused(refusal))
        }
        SystemBody::Notification(notification) => notification.text.as_deref().map(str::to_owned),
        SystemBody::HookStarted(hook) => Some(format!("{} started", hook_name(hook))),
        SystemBody::HookProgress(hook) => Some(match last_line(&hook.output) {
            Some(said) => format!("{}: {said}", hook_name(hook)),
            None => format!("{} is running", hook_name(hook)),
        }),
        SystemBody::HookResponse(hook) => Some(hook_ended(hook)),
        SystemBody::PluginInstall(install) => Some(plugin(install)),
        SystemBody::FilesPersisted(files) => Some(persisted(files)),
        SystemBody::MemoryRecall(recall) => Some(recalled(recall)),
        SystemBody::ElicitationComplete(complete) => Some(format!(
            "The step in the browser for {} is done",
            complete
                .mcp_server_name
                .as_deref()
                .unwrap_or("the MCP server")
        )),
        SystemBody::MirrorError(error) => Some(with_reason(
            "A copy of the conversation could not be written",
            &error.error,
        )),
        SystemBody::WorkerShuttingDown(down) => Some(with_reason(
            "Claude Code is shutting down",
            &down.reason.as_deref().map(|reason| spaced(reason).into()),
        )),
        SystemBody::SessionWritesLost(lost) => Some(writes_lost(lost)),
        _ => None,
    }
}

fn of_status(status: &Status<'_>) -> Option<String> {
    match (status.compact_result.as_deref(), status.status.as_deref()) {
        (Some("success"), _) => Some("The conversation was compacted".to_owned()),
        (Some("failed"), _) => Some(with_reason(
            "The conversation could not be compacted",
            &status.compact_error,
        )),
        (Some(other), _) => Some(with_reason(
            &format!("Compaction: {}", spaced(other)),
            &status.compact_error,
        )),
        (None, Some("compacting")) => Some("Compacting the conversation".to_owned()),
        (None, Some(other)) => Some(capital(&spaced(other))),
        (None, None) => None,
    }
}

fn compacted(boundary: &CompactBoundary<'_>) -> String {
    let (before, after) = boundary
        .compact_metadata
        .as_ref()
        .map_or((None, None), |data| (data.pre_tokens, data.post_tokens));
    match (before, after) {
        (Some(before), Some(after)) => format!(
            "The conversation was compacted: {} tokens became {}",
            grouped(before),
            grouped(after)
        ),
        (Some(before), None) => format!(
            "The conversation was compacted, from {} tokens",
            grouped(before)
        ),
        _ => "The conversation was compacted".to_owned(),
    }
}

fn refused(refusal: &ModelRefusal<'_>) -> String {
    let model = refusal.original_model.as_deref().unwrap_or("The model");
    match refusal.fallback_model.as_deref() {
        Some(other) => format!("{model} declined to answer; {other} answers in its place"),
        None => with_reason(
            &format!("{model} declined to answer"),
            &refusal.api_refusal_explanation,
        ),
    }
}

fn hook_name(hook: &Hook<'_>) -> String {
    let name = hook.hook_name.as_deref().or(hook.hook_event.as_deref());
    name.map_or("A hook".to_owned(), |name| format!("Hook {name}"))
}

fn hook_ended(hook: &Hook<'_>) -> String {
    let name = hook_name(hook);
    match hook.outcome.as_deref() {
        Some("success") => format!("{name} has ended"),
        Some("cancelled") => format!("{name} was cancelled"),
        Some("error") => {
            let code = hook
                .exit_code
                .as_ref()
                .map_or(String::new(), |code| format!(" with exit code {code}"));
            let said = last_line(&hook.stderr).or_else(|| last_line(&hook.output));
            let said = said.map_or(String::new(), |said| format!(": {said}"));
            format!("{name} failed{code}{said}")
        }
        Some(other) => format!("{name}: {}", spaced(other)),
        None => format!("{name} has ended"),
    }
}

fn plugin(install: &PluginInstall<'_>) -> String {
    let name = install.name.as_deref();
    let one = name.map_or("The plugins".to_owned(), |name| format!("Plugin {name}"));
    match install.status.as_deref() {
        Some("started") => match name {
            Some(name) => format!("Installing plugin {name}"),
            None => "Installing plugins".to_owned(),
        },
        Some("failed") => with_reason(&format!("{one} could not be installed"), &install.error),
        Some("installed" | "completed") if name.is_none() => "The plugins are installed".to_owned(),
        Some("installed" | "completed") => format!("{one} is installed"),
        Some(other) => format!("{one}: {}", spaced(other)),
        None => format!("{one}: installation"),
    }
}

fn persisted(files: &FilesPersisted<'_>) -> String {
    let saved = match files.files.len() {
        0 => None,
        1 => Some(match files.files[0].filename.as_deref() {
            Some(name) => format!("{name} was saved"),
            None => "One file was saved".to_owned(),
        }),
        count => Some(format!("{count} files were saved")),
    };
    let failed = files.failed.first().map(|first| {
        let name = first.filename.as_deref().unwrap_or("a file");
        let more = match files.failed.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        with_reason(&format!("{name}{more} could not be saved"), &first.error)
    });
    match (saved, failed) {
        (Some(saved), Some(failed)) => format!("{saved}; {failed}"),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => "No files were saved".to_owned(),
    }
}

fn recalled(recall: &MemoryRecall<'_>) -> String {
    let names: Vec<&str> = recall
        .memories
        .iter()
        .filter_map(|memory| memory.path.as_deref())
        .filter(|path| !path.starts_with('<'))
        .map(|path| path.rsplit(['/', '\\']).next().unwrap_or(path))
        .collect();
    match &names[..] {
        [] => "Recalled from memory".to_owned(),
        [one] => format!("Recalled from memory: {one}"),
        [first, rest @ ..] => {
            let more = match rest.len() {
                1 => format!("{first} and {}", rest[0]),
                count => format!("{first} and {count} more"),
            };
            format!("Recalled from memory: {more}")
        }
    }
}

fn writes_lost(lost: &SessionWritesLost<'_>) -> String {
    let why = match lost.error_code.as_deref() {
        Some("ENOSPC") => "The disk is full".to_owned(),
        Some("EDQUOT") => "The disk quota is used up".to_owned(),
        Some(code) => format!("Writing to disk failed ({code})"),
        None => "Writing to disk failed".to_owned(),
    };
    let has = |what: &str| lost.lost.iter().any(|lost| lost == what);
    let what = match (
        has("transcript") || lost.lost.is_empty(),
        has("global_config"),
    ) {
        (true, true) => {
            "the newest part of this conversation and changes to Claude Code's settings were not saved"
        }
        (false, true) => "changes to Claude Code's settings were not saved",
        _ => "the newest part of this conversation was not saved, and a resume may not know it",
    };
    format!("{why}: {what}")
}

/// A sign-in goes on, has ended, or failed.
pub(crate) fn auth_status(status: &AuthStatus<'_>) -> String {
    let said = status
        .output
        .iter()
        .rev()
        .map(|line| line.trim())
        .find(|line| !line.is_empty());
    match (status.error.as_deref(), status.is_authenticating, said) {
        (Some(error), ..) => format!("The sign-in failed: {error}"),
        (None, Some(true), Some(said)) => format!("Signing in: {said}"),
        (None, Some(true), None) => "Signing in".to_owned(),
        (None, Some(false), _) => "The sign-in has ended".to_owned(),
        (None, None, Some(said)) => format!("Sign-in: {said}"),
        (None, None, None) => "The sign-in has changed".to_owned(),
    }
}

/// The goal, and how far it is.
pub(crate) fn active_goal(goal: &ActiveGoal<'_>) -> String {
    let Some(goal) = &goal.value else {
        return "The goal is cleared".to_owned();
    };
    let condition = goal.condition.as_deref().unwrap_or("not named");
    match (
        goal.iterations.as_ref().and_then(Number::as_u64),
        goal.last_reason.as_deref(),
    ) {
        (Some(1..), Some(reason)) => format!("Goal not met yet: {condition} ({reason})"),
        (Some(1..), None) => format!("Goal not met yet: {condition}"),
        _ => format!("Goal: {condition}"),
    }
}

/// A new conversation began.
pub(crate) fn conversation_reset(trigger: Option<&str>) -> String {
    match trigger {
        Some("plan_mode_exit") => "A new conversation begins with the plan",
        Some("fresh_session" | "onboarding") => "A new conversation begins",
        _ => "The conversation was cleared",
    }
    .to_owned()
}

/// The limit that a rate limit message is about, and how it stands.
pub(crate) fn rate_limit(kind: Option<&str>, status: Option<&str>, used: Option<f64>) -> String {
    let window = match kind {
        Some("five_hour") => "5-hour limit".to_owned(),
        Some("seven_day") => "Weekly limit".to_owned(),
        Some("seven_day_opus") => "Weekly limit of Opus".to_owned(),
        Some("seven_day_sonnet") => "Weekly limit of Sonnet".to_owned(),
        Some("overage" | "seven_day_overage_included") => "Limit of extra usage".to_owned(),
        Some(other) => format!("Usage limit ({})", spaced(other)),
        None => "Usage limit".to_owned(),
    };
    let stands = match status {
        Some("allowed") => Some("not reached".to_owned()),
        Some("allowed_warning") => Some("nearly reached".to_owned()),
        Some("rejected") => Some("reached".to_owned()),
        Some(other) => Some(spaced(other)),
        None => None,
    };
    let used = used.map(|part| format!("{:.0}% used", part * 100.0));
    let both: Vec<String> = stands.into_iter().chain(used).collect();
    match both.is_empty() {
        true => format!("{window}: changed"),
        false => format!("{window}: {}", both.join(", ")),
    }
}

/// A wire name as words: `host_exit` is "host exit".
pub(crate) fn spaced(name: &str) -> String {
    name.replace('_', " ")
}

/// A wire name as the beginning of a sentence.
pub(crate) fn capital(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

fn with_reason(what: &str, reason: &Text<'_>) -> String {
    match reason
        .as_deref()
        .map(str::trim)
        .filter(|reason| !reason.is_empty())
    {
        Some(reason) => format!("{what}: {reason}"),
        None => what.to_owned(),
    }
}

fn last_line<'a>(text: &'a Text<'_>) -> Option<&'a str> {
    text.as_deref()?
        .lines()
        .map(str::trim)
        .rfind(|line| !line.is_empty())
}

/// A count with its thousands apart: "12,000".
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests;
