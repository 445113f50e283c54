//! Values that this process was told are secrets: those of a session's own variables, and what MCP servers are given.
//! They are known to every redactor, also to one that was made before: what one session is given, another can read.

use std::borrow::Cow;
use std::sync::{PoisonError, RwLock};

use serde_json::{Map, Value};

use super::{Change, MARK, is_findable, names};

static KNOWN: RwLock<Vec<String>> = RwLock::new(Vec::new());

/// From now on these are taken out wherever they stand, and what stands behind a scheme, as in `Bearer x`, by itself too.
pub fn remember(values: impl IntoIterator<Item = String>) {
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    for value in values {
        let bare = match value.trim().split_once(' ') {
            Some((_, bare)) if !bare.contains(' ') => Some(bare.to_owned()),
            _ => None,
        };
        for value in std::iter::once(value).chain(bare) {
            if is_findable(&value) && !known.contains(&value) {
                known.push(value);
            }
        }
    }
}

/// The same for those of them whose names say that they are secrets.
pub(crate) fn remember_named<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) {
    let secret = pairs.into_iter().filter(|(name, _)| names::is_secret(name));
    remember(secret.map(|(_, value)| value.to_owned()));
}

/// The same for the variables and headers of MCP servers, as `--mcp-config` takes them.
pub(crate) fn remember_servers(servers: &Map<String, Value>) {
    for server in servers.values() {
        for place in ["env", "headers"] {
            let entries = server.get(place).and_then(Value::as_object);
            let entries = entries.into_iter().flatten();
            remember_named(entries.filter_map(|(name, value)| Some((&**name, value.as_str()?))));
        }
    }
}

pub(super) fn find(text: &str, changes: &mut Vec<Change>) {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    for value in known.iter() {
        let found = text.match_indices(value.as_str());
        changes.extend(found.map(|(at, value)| (at..at + value.len(), Cow::Borrowed(MARK))));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::super::Redactor;
    use super::*;

    #[test]
    fn what_a_session_or_a_server_is_given_is_found_by_its_letters_alone() {
        let earlier = Redactor::default();
        remember_named([
            ("DB_PASSWORD", "plainwords-one"),
            ("SHORT_TOKEN", "abc"),
            ("REGION", "plainwords-two"),
        ]);
        let servers = json!({
            "a": { "env": { "TRACKER_TOKEN": "plainwords-three", "MODE": "plainwords-four" } },
            "b": { "headers": { "Authorization": "Custom plainwords-five" } },
            "c": { "headers": 5 },
        });
        remember_servers(servers.as_object().unwrap());
        remember(["plainwords-six".to_owned()]);
        let text = "plainwords-one abc plainwords-two plainwords-three plainwords-four plainwords-five plainwords-six";
        let wanted = format!("{MARK} abc plainwords-two {MARK} plainwords-four {MARK} {MARK}");
        assert_eq!(earlier.text(text), wanted);
        assert_eq!(super::super::text(text), wanted);
        let line = json!({ "stdout": text }).to_string();
        assert_eq!(
            serde_json::from_str::<Value>(&earlier.line(&line)).unwrap()["stdout"],
            wanted
        );
    }
}
