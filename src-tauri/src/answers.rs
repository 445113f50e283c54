//! What the CLI answers to control requests, in the shapes that the page gets: what is needed there, without gaps.

use kandev_wire::request as wire;
use serde::Serialize;
use serde_json::Value;
use specta::Type;

/// What became of the prompts that waited when a turn was interrupted, by uuid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct InterruptReceipt {
    pub still_queued: Vec<String>,
    pub cancelled: Vec<String>,
}

impl From<wire::Interrupted> for InterruptReceipt {
    fn from(interrupted: wire::Interrupted) -> Self {
        Self {
            still_queued: interrupted.still_queued,
            cancelled: interrupted.cancelled,
        }
    }
}

/// What fills the context window, in tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ContextUsage {
    pub categories: Vec<ContextCategory>,
    #[specta(type = specta_typescript::Number)]
    pub total_tokens: u64,
    #[specta(type = specta_typescript::Number)]
    pub max_tokens: u64,
    pub percentage: f64,
    pub model: String,
    pub memory_files: Vec<MemoryFile>,
    pub mcp_tools: Vec<McpToolUsage>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ContextCategory {
    /// Stable, where the name is for reading; empty in older versions.
    pub id: String,
    pub name: String,
    #[specta(type = specta_typescript::Number)]
    pub tokens: u64,
    /// `used`, `free`, `buffer` or `deferred`; empty in older versions.
    pub kind: String,
    /// Not in the window until it is asked for.
    pub deferred: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct MemoryFile {
    pub path: String,
    #[specta(type = specta_typescript::Number)]
    pub tokens: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct McpToolUsage {
    pub name: String,
    pub server: String,
    #[specta(type = specta_typescript::Number)]
    pub tokens: u64,
}

impl From<wire::ContextUsage> for ContextUsage {
    fn from(usage: wire::ContextUsage) -> Self {
        let category = |category: wire::ContextCategory| ContextCategory {
            id: category.id.unwrap_or_default(),
            name: category.name.unwrap_or_default(),
            tokens: category.tokens.unwrap_or_default(),
            deferred: category.is_deferred == Some(true)
                || category.kind.as_deref() == Some("deferred"),
            kind: category.kind.unwrap_or_default(),
        };
        let file = |file: wire::MemoryFile| MemoryFile {
            path: file.path.unwrap_or_default(),
            tokens: file.tokens.unwrap_or_default(),
        };
        let tool = |tool: wire::McpToolUsage| McpToolUsage {
            name: tool.name.unwrap_or_default(),
            server: tool.server_name.unwrap_or_default(),
            tokens: tool.tokens.unwrap_or_default(),
        };
        Self {
            categories: usage.categories.into_iter().map(category).collect(),
            total_tokens: usage.total_tokens.unwrap_or_default(),
            max_tokens: usage
                .max_tokens
                .or(usage.raw_max_tokens)
                .unwrap_or_default(),
            percentage: usage.percentage.unwrap_or_default(),
            model: usage.model.unwrap_or_default(),
            memory_files: usage.memory_files.into_iter().map(file).collect(),
            mcp_tools: usage.mcp_tools.into_iter().map(tool).collect(),
        }
    }
}

/// What the session has cost, and how much of the plan's limits is used.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct UsageReport {
    pub total_cost_usd: f64,
    pub by_model: Vec<ModelUsage>,
    /// Null with an API key.
    pub subscription_type: Option<String>,
    pub limits: Vec<UsageLimit>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ModelUsage {
    pub model: String,
    #[specta(type = specta_typescript::Number)]
    pub input_tokens: u64,
    #[specta(type = specta_typescript::Number)]
    pub output_tokens: u64,
    #[specta(type = specta_typescript::Number)]
    pub cache_read_tokens: u64,
    #[specta(type = specta_typescript::Number)]
    pub cache_creation_tokens: u64,
    pub cost_usd: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct UsageLimit {
    /// `five_hour`, `seven_day` and the like, or the name of the model that it is for.
    pub window: String,
    /// Percent.
    pub utilization: Option<f64>,
    /// RFC 3339.
    pub resets_at: Option<String>,
    /// The CLI's word, where it has one.
    pub status: Option<String>,
}

impl From<wire::Usage> for UsageReport {
    fn from(usage: wire::Usage) -> Self {
        let session = usage.session.unwrap_or_default();
        let by_model = session
            .model_usage
            .into_iter()
            .map(|(model, usage)| ModelUsage {
                model,
                input_tokens: usage.input_tokens.unwrap_or_default(),
                output_tokens: usage.output_tokens.unwrap_or_default(),
                cache_read_tokens: usage.cache_read_input_tokens.unwrap_or_default(),
                cache_creation_tokens: usage.cache_creation_input_tokens.unwrap_or_default(),
                cost_usd: usage.cost_usd.unwrap_or_default(),
            });
        Self {
            total_cost_usd: session.total_cost_usd.unwrap_or_default(),
            by_model: by_model.collect(),
            subscription_type: usage.subscription_type,
            limits: usage
                .rate_limits
                .unwrap_or_default()
                .into_iter()
                .flat_map(|(name, limit)| limits(name, &limit))
                .collect(),
        }
    }
}

/// A window under its own name, or the windows of single models under theirs.
fn limits(name: String, limit: &Value) -> Vec<UsageLimit> {
    let text =
        |limit: &Value, field: &str| limit.get(field).and_then(Value::as_str).map(str::to_owned);
    let read = |window: String, limit: &Value| UsageLimit {
        window,
        utilization: limit.get("utilization").and_then(Value::as_f64),
        resets_at: text(limit, "resets_at"),
        status: text(limit, "status"),
    };
    match limit {
        Value::Array(models) => models
            .iter()
            .filter_map(|model| Some(read(text(model, "display_name")?, model)))
            .collect(),
        Value::Object(fields) if fields.get("is_enabled") != Some(&Value::Bool(false)) => {
            vec![read(name, limit)]
        }
        _ => Vec::new(),
    }
}

/// The rules that say what runs without asking, what is asked and what is denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct PermissionRules {
    pub rules: Vec<PermissionRule>,
    /// Folders that count as the workspace.
    pub directories: Vec<String>,
    /// Rules of the organization alone count.
    pub managed_only: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct PermissionRule {
    /// `allow`, `ask` or `deny`.
    pub behavior: String,
    /// Where it stands: `session`, `localSettings` and the like.
    pub source: String,
    pub rule: String,
    pub description: Option<String>,
    pub editable: bool,
}

impl From<wire::PermissionRules> for PermissionRules {
    fn from(rules: wire::PermissionRules) -> Self {
        let state = rules.state.unwrap_or_default();
        let words = |words: wire::RuleDescription| {
            [words.prefix, words.emphasis, words.suffix]
                .into_iter()
                .flatten()
                .collect::<String>()
        };
        let rule = |rule: wire::PermissionRule| PermissionRule {
            behavior: rule.behavior.unwrap_or_default(),
            source: rule.source.unwrap_or_default(),
            rule: rule.rule.unwrap_or_default(),
            description: rule
                .description
                .map(words)
                .filter(|words| !words.is_empty()),
            editable: matches!(rule.editability.as_deref(), Some("session" | "persistent")),
        };
        Self {
            rules: state.rules.into_iter().map(rule).collect(),
            directories: paths(&state.workspace_directories),
            managed_only: state.managed_only == Some(true),
        }
    }
}

/// What setting the files back to a prompt changes, or would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Rewind {
    pub can_rewind: bool,
    pub files_changed: Vec<String>,
    /// Lines.
    #[specta(type = specta_typescript::Number)]
    pub insertions: u64,
    #[specta(type = specta_typescript::Number)]
    pub deletions: u64,
    /// Links that were left as they are, where the CLI names them.
    pub skipped_links: Vec<String>,
    /// Why it cannot.
    pub error: Option<String>,
}

impl From<wire::Rewound> for Rewind {
    fn from(rewound: wire::Rewound) -> Self {
        let skipped = match rewound.skipped_links {
            Some(Value::Array(links)) => paths(&links),
            _ => Vec::new(),
        };
        Self {
            can_rewind: rewound.can_rewind == Some(true),
            files_changed: rewound.files_changed,
            insertions: rewound.insertions.unwrap_or_default(),
            deletions: rewound.deletions.unwrap_or_default(),
            skipped_links: skipped,
            error: rewound.error,
        }
    }
}

/// Paths that come as they are or in objects.
pub fn paths(values: &[Value]) -> Vec<String> {
    let path = |value: &Value| {
        value
            .as_str()
            .or_else(|| value.get("path")?.as_str())
            .map(str::to_owned)
    };
    values.iter().filter_map(path).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    #[test]
    fn every_window_of_the_plan_is_a_limit_of_its_own() {
        let usage: wire::Usage = serde_json::from_value(json!({
            "session": { "total_cost_usd": 1.5, "model_usage": { "m": { "inputTokens": 3, "costUSD": 1.5 } } },
            "subscription_type": "max",
            "rate_limits": {
                "five_hour": { "utilization": 92, "resets_at": "2026-11-30T10:00:00Z" },
                "seven_day": null,
                "model_scoped": [{ "display_name": "Opus", "utilization": 10.5, "resets_at": null }],
                "extra_usage": { "is_enabled": false, "utilization": null },
            },
        }))
        .unwrap();
        let report = UsageReport::from(usage);
        assert_eq!(
            (report.total_cost_usd, report.by_model[0].input_tokens),
            (1.5, 3)
        );
        let limits: Vec<_> = report
            .limits
            .iter()
            .map(|limit| (limit.window.as_str(), limit.utilization))
            .collect();
        assert_eq!(limits, [("five_hour", Some(92.0)), ("Opus", Some(10.5))]);
        assert_eq!(
            report.limits[0].resets_at.as_deref(),
            Some("2026-11-30T10:00:00Z")
        );
    }

    #[test]
    fn an_answer_with_nothing_in_it_has_a_shape_all_the_same() {
        assert!(UsageReport::from(wire::Usage::default()).limits.is_empty());
        assert_eq!(
            ContextUsage::from(wire::ContextUsage::default()).max_tokens,
            0
        );
        assert!(!Rewind::from(wire::Rewound::default()).can_rewind);
        assert!(
            PermissionRules::from(wire::PermissionRules::default())
                .rules
                .is_empty()
        );
    }

    #[test]
    fn a_rule_is_told_in_words_and_whether_it_can_be_changed() {
        let rules: wire::PermissionRules = serde_json::from_value(json!({ "state": {
            "rules": [
                { "behavior": "allow", "source": "session", "rule": "Bash(touch:*)", "editability": "session",
                  "description": { "prefix": "Any Bash command starting with ", "emphasis": "touch" } },
                { "behavior": "deny", "source": "policySettings", "rule": "Bash", "editability": "readonly" },
            ],
            "workspaceDirectories": [{ "path": "/a", "source": "session" }, "/b"], "managedOnly": false } }))
        .unwrap();
        let rules = PermissionRules::from(rules);
        assert_eq!(
            rules.rules[0].description.as_deref(),
            Some("Any Bash command starting with touch")
        );
        assert_eq!(
            rules
                .rules
                .iter()
                .map(|rule| rule.editable)
                .collect::<Vec<_>>(),
            [true, false]
        );
        assert_eq!(rules.directories, ["/a", "/b"]);
    }
}
