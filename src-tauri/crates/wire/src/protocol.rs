//! What this build knows of the protocol, as a table: `protocol.json` beside the sources. The tests hold the code to it, the
//! drift check holds it against the SDK's declarations.

use std::sync::LazyLock;

use serde::Deserialize;

/// The whole table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Protocol {
    /// Every `type`, and every subtype of `system`, that the CLI may write.
    pub messages: Vec<MessageRow>,
    /// The control requests of the host.
    pub to_cli: Vec<RequestRow>,
    /// The control requests of the CLI.
    pub from_cli: Vec<QuestionRow>,
    /// The events that a hook callback can be registered for.
    pub hook_events: Vec<String>,
    /// The modes that the wire names; `manual` is another word for `default`.
    pub permission_modes: Vec<String>,
    /// How a turn can end.
    pub result_subtypes: Vec<String>,
    /// What an assistant line can say of an error of the API.
    pub assistant_errors: Vec<String>,
}

/// A message of the CLI.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MessageRow {
    #[serde(rename = "type")]
    pub kind: String,
    /// Of `system` only.
    #[serde(default)]
    pub subtype: Option<String>,
    pub shown: Shown,
    /// The main event that it makes, by the event's name.
    #[serde(default, rename = "as")]
    pub shown_as: Option<String>,
    /// A form of older write-ups and versions, which the SDK does not declare.
    #[serde(default)]
    pub older: bool,
    #[serde(default)]
    pub note: Option<String>,
}

/// What a reader of the conversation sees of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// An event of the vocabulary.
    Event,
    /// A notice of that kind.
    Notice,
    /// Deliberately nothing.
    Quiet,
}

/// A control request that the host can send.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RequestRow {
    pub subtype: String,
    /// The oldest version that is known to take it, as `X.Y.Z` (VERSIONS 2); absent if none is.
    pub since: Option<String>,
    #[serde(default)]
    pub note: Option<String>,
}

/// A control request of the CLI.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct QuestionRow {
    pub subtype: String,
    pub shown: Shown,
    #[serde(default, rename = "as")]
    pub shown_as: Option<String>,
    #[serde(default)]
    pub note: Option<String>,
}

/// The table, read once.
pub fn protocol() -> &'static Protocol {
    static TABLE: LazyLock<Protocol> = LazyLock::new(|| {
        #[allow(
            clippy::expect_used,
            reason = "a file of the build, which a test reads"
        )]
        serde_json::from_str(include_str!("../protocol.json")).expect("protocol.json is a table")
    });
    &TABLE
}

impl Protocol {
    /// The row of a message; a subtype counts for `system` only.
    pub fn message(&self, kind: &str, subtype: Option<&str>) -> Option<&MessageRow> {
        let subtype = subtype.filter(|_| kind == "system");
        self.messages
            .iter()
            .find(|row| row.kind == kind && row.subtype.as_deref() == subtype)
    }

    /// The row of a control request of the host.
    pub fn request(&self, subtype: &str) -> Option<&RequestRow> {
        self.to_cli.iter().find(|row| row.subtype == subtype)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_row_stands_twice() {
        let table = protocol();
        let mut seen = HashSet::new();
        assert!(
            table
                .messages
                .iter()
                .all(|row| seen.insert((&row.kind, &row.subtype)))
        );
        let mut seen = HashSet::new();
        assert!(table.to_cli.iter().all(|row| seen.insert(&row.subtype)));
        let mut seen = HashSet::new();
        assert!(table.from_cli.iter().all(|row| seen.insert(&row.subtype)));
    }

    #[test]
    fn a_row_that_is_an_event_names_it() {
        for row in &protocol().messages {
            assert_eq!(row.shown == Shown::Event, row.shown_as.is_some(), "{row:?}");
        }
        for row in &protocol().from_cli {
            assert_eq!(row.shown == Shown::Event, row.shown_as.is_some(), "{row:?}");
        }
    }

    #[test]
    fn a_message_is_found_by_its_type_and_its_subtype() {
        let table = protocol();
        assert!(table.message("system", Some("init")).is_some());
        assert!(table.message("result", Some("success")).is_some());
        assert!(table.message("system", None).is_none());
        assert!(table.message("system", Some("brand_new")).is_none());
        assert_eq!(
            table
                .request("get_usage")
                .and_then(|row| row.since.as_deref()),
            Some("2.1.240")
        );
    }
}
