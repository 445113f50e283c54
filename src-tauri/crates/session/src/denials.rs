//! Counts calls that fail in one and the same way for want of permission, nobody having been asked.

/// So many in a row are a loop.
pub(crate) const LIMIT: u32 = 5;

#[derive(Debug, Default)]
pub(crate) struct Denials {
    last: String,
    count: u32,
}

impl Denials {
    /// Notes one more. True when it is the one too many.
    pub(crate) fn again(&mut self, text: &str) -> bool {
        if self.last == text {
            self.count += 1;
        } else {
            text.clone_into(&mut self.last);
            self.count = 1;
        }
        self.count == LIMIT
    }
}

/// Whether a failed call's text is about the asking, and not about what the call did.
pub(crate) fn is_permission_failure(text: &str) -> bool {
    let text = text.trim_start_matches('"').to_lowercase();
    !text.starts_with("exit code")
        && (text.contains("stream closed") || text.contains("permission"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_failures_in_a_row_count() {
        let mut denials = Denials::default();
        for _ in 1..LIMIT {
            assert!(!denials.again("Stream closed"));
        }
        assert!(!denials.again("something else"));
        for _ in 1..LIMIT {
            assert!(!denials.again("Stream closed"));
        }
        assert!(denials.again("Stream closed"));
        assert!(!denials.again("Stream closed"), "it is told once");
    }

    #[test]
    fn a_command_that_lacks_a_file_permission_is_no_failure_of_the_asking() {
        assert!(is_permission_failure(
            "\"Tool permission request failed: Error: Stream closed\""
        ));
        assert!(!is_permission_failure(
            "\"Exit code 1\\ncat: a: Permission denied\""
        ));
        assert!(!is_permission_failure(
            "\"String to replace not found in file.\""
        ));
    }
}
