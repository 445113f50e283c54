//! Counts failures that come from the channel between the CLI, its servers and us, and not from what a call did. A model
//! whose calls all fail in one way goes on for as long as it is let (asks U27).

/// So many in a row are a loop.
pub(crate) const LIMIT: u32 = 5;

/// What is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channel {
    /// The asking for permission.
    Permission,
    Hook,
    /// An MCP server.
    Mcp,
    /// The control requests themselves.
    Control,
}

impl Channel {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::Hook => "hook",
            Self::Mcp => "mcp",
            Self::Control => "control",
        }
    }

    /// Reads from a failed call's text whether the channel failed, and not what the call did.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('"').to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if text.starts_with("exit code") {
            None
        } else if says(&["hook error", "hook_callback", "hook callback"]) {
            Some(Self::Hook)
        } else if says(&["mcp error", "mcp server", "mcp connection"]) {
            Some(Self::Mcp)
        } else if says(&[
            "control request",
            "control channel",
            "transport closed",
            "no control_response",
        ]) {
            Some(Self::Control)
        } else if says(&["stream closed", "permission"]) {
            Some(Self::Permission)
        } else {
            None
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Failures {
    calls: Row,
    hooks: Row,
}

/// Equal failures in a row.
#[derive(Debug, Default)]
struct Row {
    last: String,
    count: u32,
}

impl Failures {
    /// Notes one more failed call. True when it is the one too many.
    pub(crate) fn call(&mut self, text: &str) -> bool {
        self.calls.again(text)
    }

    /// A call that did not fail in such a way.
    pub(crate) fn call_worked(&mut self) {
        self.calls = Row::default();
    }

    /// Notes a callback that failed though its call went on. True when it is the one too many.
    pub(crate) fn hook(&mut self, text: &str) -> bool {
        self.hooks.again(text)
    }
}

impl Row {
    fn again(&mut self, text: &str) -> bool {
        // Numbers are those of the single request.
        let text: String = text
            .chars()
            .filter(|letter| !letter.is_ascii_digit())
            .collect();
        if self.last == text {
            self.count += 1;
        } else {
            self.last = text;
            self.count = 1;
        }
        self.count == LIMIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_failures_in_a_row_count() {
        let mut failures = Failures::default();
        for number in 1..LIMIT {
            assert!(!failures.call(&format!("Stream closed ({number})")));
        }
        assert!(!failures.call("something else"));
        for _ in 1..LIMIT {
            assert!(!failures.call("Stream closed"));
        }
        failures.call_worked();
        for _ in 1..LIMIT {
            assert!(!failures.call("Stream closed"));
        }
        assert!(failures.call("Stream closed"));
        assert!(!failures.call("Stream closed"), "it is told once");
    }

    #[test]
    fn calls_that_work_do_not_hide_callbacks_that_fail() {
        let mut failures = Failures::default();
        for _ in 1..LIMIT {
            assert!(!failures.hook("timed out"));
            failures.call_worked();
        }
        assert!(failures.hook("timed out"));
    }

    #[test]
    fn what_failed_is_read_from_the_text() {
        for (text, channel) in [
            (
                "\"Tool permission request failed: Error: Stream closed\"",
                Some(Channel::Permission),
            ),
            ("PreToolUse:Bash hook error: no answer", Some(Channel::Hook)),
            ("MCP error -32000: Connection closed", Some(Channel::Mcp)),
            ("MCP server \"lab\" is not connected", Some(Channel::Mcp)),
            ("Error: control request timed out", Some(Channel::Control)),
            ("\"Exit code 1\\ncat: a: Permission denied\"", None),
            ("\"String to replace not found in file.\"", None),
        ] {
            assert_eq!(Channel::of(text), channel, "{text}");
        }
    }
}
