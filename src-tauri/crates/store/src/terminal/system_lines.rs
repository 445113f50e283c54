//! Lines of type `system`: notices, what commands printed, and bookkeeping.

use serde_json::{Map, Value, json};

use super::texts::{in_snake, snake, typed};
use super::to_wire::{Fields, Said, Telling};

/// Lines of `system` that are bookkeeping.
const BOOKKEEPING: [&str; 5] = [
    "turn_duration",
    "stop_hook_summary",
    "file_snapshot",
    "memory_saved",
    "bridge_status",
];

impl Telling {
    /// What the CLI itself says.
    pub(super) fn system(
        &mut self,
        fields: &Fields<'_>,
        json: &str,
        parent: Option<&str>,
        out: &mut Vec<Said>,
    ) {
        let subtype = fields.subtype.as_deref().unwrap_or_default();
        let content = fields.content.as_deref().unwrap_or_default();
        match subtype {
            "local_command" => {
                if let Some(prompt) = typed(content.trim_start()) {
                    self.prompt(
                        &json!(prompt).to_string(),
                        fields.uuid.as_deref(),
                        true,
                        out,
                    );
                } else if content.trim_start().starts_with("<local-command-std") {
                    let message = json!({ "role": "user", "content": content }).to_string();
                    out.push(self.user_line(fields, Some(&message), parent, false));
                }
            }
            _ if BOOKKEEPING.contains(&subtype) => {}
            "api_error" => out.push(self.retried(fields, json, parent)),
            "compact_boundary" => out.push(self.in_wire_words(subtype, fields, json, parent)),
            _ if !content.trim().is_empty() => {
                out.push(self.in_wire_words("informational", fields, json, parent));
            }
            _ => out.push(self.in_wire_words(subtype, fields, json, parent)),
        }
    }

    /// A `system` line with its fields named as on the wire.
    fn in_wire_words(
        &self,
        subtype: &str,
        fields: &Fields<'_>,
        json: &str,
        parent: Option<&str>,
    ) -> Said {
        const OF_THE_FILE: [&str; 14] = [
            "type",
            "subtype",
            "uuid",
            "parentUuid",
            "logicalParentUuid",
            "isSidechain",
            "timestamp",
            "userType",
            "entrypoint",
            "cwd",
            "sessionId",
            "version",
            "gitBranch",
            "slug",
        ];
        let all: Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
        let mut line = Map::new();
        line.insert("type".to_owned(), json!("system"));
        line.insert("subtype".to_owned(), json!(subtype));
        line.insert("session_id".to_owned(), json!(self.session_id));
        line.insert("uuid".to_owned(), json!(fields.uuid));
        line.insert("parent_tool_use_id".to_owned(), json!(parent));
        for (name, value) in all {
            if !OF_THE_FILE.contains(&name.as_str()) {
                line.insert(snake(&name), in_snake(value));
            }
        }
        Said::Cli(Value::Object(line).to_string())
    }

    fn retried(&self, fields: &Fields<'_>, json: &str, parent: Option<&str>) -> Said {
        let all: Value = serde_json::from_str(json).unwrap_or_default();
        let error = &all["error"];
        let kind = [
            &error["error"]["error"]["type"],
            &error["error"]["type"],
            &error["type"],
        ];
        let kind = kind.into_iter().find_map(Value::as_str);
        let kind = kind.map(|kind| kind.trim_end_matches("_error"));
        let line = json!({
            "type": "system", "subtype": "api_retry", "session_id": self.session_id, "uuid": fields.uuid,
            "parent_tool_use_id": parent, "attempt": all["retryAttempt"], "max_retries": all["maxRetries"],
            "retry_delay_ms": all["retryInMs"], "error_status": error["status"], "error": kind,
        });
        Said::Cli(line.to_string())
    }
}
