//! The policies (design 5): which arguments a policy starts the CLI with, and which hooks it registers.

use serde_json::{Value, json};

use crate::abilities::Abilities;
use crate::launch::Plan;
use crate::{Policy, SessionError};

/// The id under which the PreToolUse hook is registered.
pub(crate) const ASK_HOOK: &str = "ask_before_tool";
/// The id under which the Stop hook is registered.
pub(crate) const STOP_HOOK: &str = "check_on_stop";

/// Every tool but those that can change nothing. The CLI reads it as a regular expression (PROTOCOL 14).
const ASKED_TOOLS: &str = "^(?!(Glob|Grep|NotebookRead|Read|Task|Agent|TodoWrite|TaskCreate|TaskUpdate|TaskList|TaskGet)$).+$";

/// Seconds the CLI waits for a hook's answer. Ours come at once; the stop check takes at most five.
const HOOK_TIMEOUT: u32 = 30;

/// What the process is started with, besides what every process is started with.
pub(crate) struct Launch<'a> {
    pub policy: Policy,
    /// The mode to start in, where it is not the policy's own.
    pub mode: Option<&'a str>,
    pub model: Option<&'a str>,
    pub resume: Option<&'a str>,
    pub resume_at: Option<&'a str>,
    pub fork: bool,
    pub effort: Option<&'a str>,
    pub abilities: Abilities,
}

impl<'a> Launch<'a> {
    pub(crate) fn of(plan: &'a Plan, abilities: Abilities) -> Self {
        let request = &plan.request;
        Self {
            policy: request.policy,
            mode: plan.mode.as_deref(),
            model: request.model.as_deref(),
            resume: request.resume.as_deref(),
            resume_at: request.resume_at.as_deref(),
            fork: request.fork,
            effort: request.effort.as_deref(),
            abilities,
        }
    }

    /// The arguments, in order: those that every supported version knows, and of the others those that this one does, as
    /// one unknown argument would end it.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut arguments: Vec<String> = [
            "-p",
            "--output-format",
            "stream-json",
            "--input-format",
            "stream-json",
            "--verbose",
            "--include-partial-messages",
            "--permission-prompt-tool",
            "stdio",
        ]
        .map(str::to_owned)
        .into();
        // What hooks do and what subagents write belongs to what is shown.
        let told = ["--include-hook-events", "--forward-subagent-text"];
        let known = told.iter().filter(|flag| self.abilities.knows_flag(flag));
        arguments.extend(known.map(|flag| (*flag).to_owned()));
        let mut option =
            |name: &str, value: &str| arguments.extend([name.to_owned(), value.to_owned()]);
        match (self.policy, self.mode) {
            (Policy::Autonomous, None | Some("bypassPermissions")) => {
                arguments.push("--dangerously-skip-permissions".to_owned());
            }
            (Policy::Autonomous, Some(mode)) => {
                option("--permission-mode", mode);
                arguments.push("--allow-dangerously-skip-permissions".to_owned());
            }
            (_, Some(mode)) => option("--permission-mode", mode),
            (Policy::Supervised, None) => option("--permission-mode", "default"),
            (Policy::Plan, None) => option("--permission-mode", "plan"),
            (Policy::Rules, None) => {}
        }
        let mut option = |name: &str, value: Option<&str>| {
            match value {
                // As a word of its own it would be an option, such as the one that skips permissions.
                Some(value) if value.starts_with('-') => arguments.push(format!("{name}={value}")),
                Some(value) => arguments.extend([name.to_owned(), value.to_owned()]),
                None => {}
            }
        };
        option("--model", self.model);
        let effort = self
            .effort
            .filter(|_| self.abilities.knows_flag("--effort"));
        option("--effort", effort);
        option("--resume", self.resume);
        // Without a conversation there is no message to go back to, and the CLI would end on the flag.
        option("--resume-session-at", self.resume.and(self.resume_at));
        if self.fork && self.resume.is_some() {
            arguments.push("--fork-session".to_owned());
        }
        arguments
    }
}

/// The `hooks` of `initialize`; none for the policies that leave the asking to the CLI.
pub(crate) fn hooks(policy: Policy) -> Option<Value> {
    let ask =
        json!([{ "matcher": ASKED_TOOLS, "hookCallbackIds": [ASK_HOOK], "timeout": HOOK_TIMEOUT }]);
    let stop = json!([{ "hookCallbackIds": [STOP_HOOK], "timeout": HOOK_TIMEOUT }]);
    match policy {
        Policy::Supervised => Some(json!({ "PreToolUse": ask, "Stop": stop })),
        Policy::Plan => Some(json!({ "Stop": stop })),
        Policy::Rules | Policy::Autonomous => None,
    }
}

/// The answer of the PreToolUse hook.
pub(crate) fn ask() -> Value {
    json!({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "ask",
            "permissionDecisionReason": "This session is supervised: what can change something is asked for.",
        }
    })
}

/// The answer to a callback that nobody registered: where an answer could let something run, it denies that; all else goes
/// on as if there were no hook. `None` for an event that nobody knows.
pub(crate) fn unregistered(event: Option<&str>, reason: &str) -> Option<Value> {
    let event = event?;
    let output = match event {
        "PreToolUse" | "PreSkillShellCommand" | "PreModelSwitch" => json!({
            "hookEventName": event,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }),
        "PermissionRequest" => json!({
            "hookEventName": event,
            "decision": { "behavior": "deny", "message": reason },
        }),
        "Elicitation" => json!({ "hookEventName": event, "action": "cancel" }),
        _ => {
            let known = kandev_wire::protocol()
                .hook_events
                .iter()
                .any(|known| known == event);
            return known.then(|| json!({}));
        }
    };
    Some(json!({ "hookSpecificOutput": output }))
}

/// The mode's name as the CLI is told it, if this session may ask for it.
///
/// # Errors
/// [`SessionError::BadMode`] for a name that the version does not know, as old ones take any name and go on asking
/// (VERSIONS 4.5), and for `bypassPermissions` in a session that was not started as autonomous, as some versions grant
/// it to anybody.
pub(crate) fn mode(mode: &str, policy: Policy, abilities: Abilities) -> Result<&str, SessionError> {
    let refuse = |reason: String| Err(SessionError::BadMode { reason });
    match mode {
        "manual" => Ok("default"),
        "bypassPermissions" if policy != Policy::Autonomous => refuse(
            "permissions can only be skipped in a session that was started as autonomous"
                .to_owned(),
        ),
        _ if abilities.has_mode(mode) => Ok(mode),
        "dontAsk" | "auto" | "bypassPermissions" => refuse(format!(
            "this version of the CLI does not know the permission mode {mode}"
        )),
        _ => refuse(format!("there is no permission mode {mode}")),
    }
}

#[cfg(test)]
mod tests {
    use kandev_transport::Version;

    use super::*;

    fn of(major: u32, minor: u32, patch: u32) -> Abilities {
        Abilities::of(Some(Version::new(major, minor, patch)))
    }

    fn launch(policy: Policy) -> Launch<'static> {
        Launch {
            policy,
            mode: None,
            model: None,
            resume: None,
            resume_at: None,
            fork: false,
            effort: None,
            abilities: Abilities::of(None),
        }
    }

    /// What is special to a launch.
    fn extra(launch: &Launch<'_>) -> Vec<String> {
        let told = ["--include-hook-events", "--forward-subagent-text"];
        let mut arguments = launch.arguments().split_off(9);
        arguments.retain(|argument| !told.contains(&argument.as_str()));
        arguments
    }

    #[test]
    fn hooks_and_subagents_are_told_of_where_the_version_can() {
        let tells = |abilities| {
            let launch = Launch {
                abilities,
                ..launch(Policy::Rules)
            };
            launch.arguments().split_off(9)
        };
        assert_eq!(tells(of(2, 0, 76)), [""; 0]);
        assert_eq!(tells(of(2, 1, 88)), ["--include-hook-events"]);
        assert_eq!(
            tells(of(2, 1, 332)),
            ["--include-hook-events", "--forward-subagent-text"]
        );
    }

    #[test]
    fn no_value_becomes_an_option() {
        let skip = Some("--dangerously-skip-permissions");
        let values = Launch {
            model: skip,
            resume: skip,
            resume_at: skip,
            ..launch(Policy::Rules)
        };
        assert_eq!(
            extra(&values),
            ["--model", "--resume", "--resume-session-at"]
                .map(|name| format!("{name}=--dangerously-skip-permissions"))
        );
    }

    #[test]
    fn each_policy_starts_the_cli_in_its_own_mode() {
        assert_eq!(
            extra(&launch(Policy::Supervised)),
            ["--permission-mode", "default"]
        );
        assert_eq!(extra(&launch(Policy::Plan)), ["--permission-mode", "plan"]);
        assert_eq!(extra(&launch(Policy::Rules)), [""; 0]);
        assert_eq!(
            extra(&launch(Policy::Autonomous)),
            ["--dangerously-skip-permissions"]
        );
    }

    #[test]
    fn a_changed_mode_is_applied_again_when_the_process_is_started_again() {
        let again = Launch {
            mode: Some("acceptEdits"),
            resume: Some("id"),
            ..launch(Policy::Supervised)
        };
        assert_eq!(
            extra(&again),
            ["--permission-mode", "acceptEdits", "--resume", "id"]
        );
        let again = Launch {
            mode: Some("plan"),
            ..launch(Policy::Autonomous)
        };
        assert_eq!(
            extra(&again),
            [
                "--permission-mode",
                "plan",
                "--allow-dangerously-skip-permissions"
            ]
        );
    }

    #[test]
    fn the_effort_goes_only_to_a_version_that_knows_the_argument() {
        let with = |abilities| Launch {
            effort: Some("high"),
            abilities,
            ..launch(Policy::Rules)
        };
        assert_eq!(extra(&with(of(2, 1, 88))), ["--effort", "high"]);
        assert_eq!(extra(&with(of(2, 1, 87))), [""; 0]);
        assert_eq!(extra(&with(Abilities::of(None))), ["--effort", "high"]);
    }

    #[test]
    fn a_message_to_resume_at_goes_only_with_a_conversation_to_resume() {
        let at = Launch {
            resume_at: Some("uuid"),
            ..launch(Policy::Rules)
        };
        assert_eq!(extra(&at), [""; 0]);
        let at = Launch {
            resume: Some("id"),
            ..at
        };
        assert_eq!(
            extra(&at),
            ["--resume", "id", "--resume-session-at", "uuid"]
        );
    }

    #[test]
    fn the_ask_hook_is_for_supervised_sessions_alone() {
        let registered = |policy| {
            hooks(policy).map(|hooks| {
                let names = hooks
                    .as_object()
                    .map(|hooks| hooks.keys().cloned().collect::<Vec<_>>());
                names.unwrap_or_default()
            })
        };
        assert_eq!(
            registered(Policy::Supervised),
            Some(vec!["PreToolUse".to_owned(), "Stop".to_owned()])
        );
        assert_eq!(registered(Policy::Plan), Some(vec!["Stop".to_owned()]));
        assert_eq!(registered(Policy::Rules), None);
        assert_eq!(registered(Policy::Autonomous), None);
    }

    #[test]
    fn permissions_are_skipped_only_where_that_was_chosen() {
        for policy in [Policy::Supervised, Policy::Plan, Policy::Rules] {
            assert!(mode("bypassPermissions", policy, Abilities::of(None)).is_err());
        }
        assert_eq!(
            mode("bypassPermissions", Policy::Autonomous, Abilities::of(None)),
            Ok("bypassPermissions")
        );
    }

    #[test]
    fn a_mode_that_the_version_would_only_pretend_to_know_is_refused() {
        let old = of(2, 0, 60);
        assert!(mode("dontAsk", Policy::Rules, old).is_err());
        assert!(mode("auto", Policy::Rules, of(2, 1, 0)).is_err());
        assert!(mode("no-such-mode", Policy::Rules, of(2, 1, 88)).is_err());
        assert_eq!(mode("manual", Policy::Rules, old), Ok("default"));
    }
}
