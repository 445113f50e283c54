//! How a turn ended, in the words of every version.

use serde_json::Number;

use crate::TurnSummary;

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnEnding {
    Done,
    Interrupted,
    Failed,
}

impl TurnSummary {
    /// How it ended, whatever `is_error` says: before 2.1.88 an interrupted turn is none by that, and before 2.1.150 there
    /// is no reason beside it (VERSIONS 4.6).
    pub fn ending(&self) -> TurnEnding {
        let subtype = self.subtype.as_deref().unwrap_or_default();
        let began = self.num_turns.as_ref().and_then(Number::as_u64) != Some(0);
        match self.terminal_reason.as_deref() {
            Some(reason) if reason.starts_with("aborted") => TurnEnding::Interrupted,
            None if subtype == "error_during_execution" && (began || !self.is_error) => {
                TurnEnding::Interrupted
            }
            _ if self.is_error || subtype.starts_with("error") => TurnEnding::Failed,
            _ => TurnEnding::Done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_turn_is_one_in_every_version() {
        let ending = |subtype: &str, is_error: bool, num_turns: u64, reason: Option<&str>| {
            let data = TurnSummary {
                subtype: Some(subtype.to_owned()),
                is_error,
                num_turns: Some(num_turns.into()),
                terminal_reason: reason.map(str::to_owned),
                ..TurnSummary::default()
            };
            data.ending()
        };
        let during = "error_during_execution";
        for interrupted in [
            // 2.0.0, 2.0.76, 2.1.88, 2.1.150 and later; and a prompt that came with priority.
            ending(during, false, 0, None),
            ending(during, false, 2, None),
            ending(during, true, 2, None),
            ending(during, true, 2, Some("aborted_streaming")),
            ending("success", false, 2, Some("aborted_streaming")),
        ] {
            assert_eq!(interrupted, TurnEnding::Interrupted);
        }
        for failed in [
            // A conversation that is not there.
            ending(during, true, 0, None),
            ending("error_max_turns", false, 3, None),
            ending("success", true, 1, Some("api_error")),
        ] {
            assert_eq!(failed, TurnEnding::Failed);
        }
        assert_eq!(ending("success", false, 1, None), TurnEnding::Done);
        let completed = ending("success", false, 1, Some("completed"));
        assert_eq!(completed, TurnEnding::Done);
    }
}
