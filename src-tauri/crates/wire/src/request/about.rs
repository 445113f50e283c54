//! Requests that change nothing: what the session is, has used and may do.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{answer, bare, request};

/// What fills the context window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct GetContextUsage {
    /// `None` is the full one, which counts for more than a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<ContextDetail>,
}
request!(GetContextUsage = "get_context_usage" -> ContextUsage);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextDetail {
    Full,
    Summary,
}

/// What the session has cost, and how much of the plan's limits is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct GetUsage {
    /// Leaves out what needs a look at every transcript of the last week.
    pub skip_behaviors: bool,
}
request!(GetUsage = "get_usage" -> Usage);

bare! {
    /// The cost, in a text for a person.
    GetSessionCost = "get_session_cost" -> SessionCost;
    GetStatus = "get_status" -> Status;
    GetBinaryVersion = "get_binary_version" -> BinaryVersion;
    ListModels = "list_models" -> Models;
    ListPermissionRules = "list_permission_rules" -> PermissionRules;
    GetHooksListing = "get_hooks_listing" -> HooksListing;
    ExportConversation = "export_conversation" -> Exported;
    GetPlan = "get_plan" -> Plan;
    /// What a dialog on memory files shows.
    GetMemoryDialog = "get_memory_dialog" -> MemoryDialog;
    GetSkillsDialog = "get_skills_dialog" -> SkillsDialog;
    GetSandboxDialog = "get_sandbox_dialog" -> SandboxDialog;
}

answer! {
    ContextUsage as "camelCase" {
        categories: Vec<ContextCategory>,
        total_tokens: Option<u64>,
        max_tokens: Option<u64>,
        raw_max_tokens: Option<u64>,
        percentage: Option<f64>,
        model: Option<String>,
        memory_files: Vec<MemoryFile>,
        mcp_tools: Vec<McpToolUsage>,
        /// From so many tokens on the conversation is compacted.
        auto_compact_threshold: Option<u64>,
        is_auto_compact_enabled: Option<bool>,
    }

    ContextCategory as "camelCase" {
        /// Stable, where the name is for reading; absent in older versions.
        id: Option<String>,
        name: Option<String>,
        tokens: Option<u64>,
        /// `used`, `free`, `buffer` or `deferred`.
        kind: Option<String>,
        is_deferred: Option<bool>,
    }

    MemoryFile as "camelCase" {
        path: Option<String>,
        tokens: Option<u64>,
    }

    McpToolUsage as "camelCase" {
        name: Option<String>,
        server_name: Option<String>,
        tokens: Option<u64>,
    }

    Usage as "snake_case" {
        session: Option<SessionUsage>,
        /// Absent for API keys and other providers.
        subscription_type: Option<String>,
        rate_limits_available: Option<bool>,
        /// Windows by name, beside them `model_scoped` and `extra_usage`, which have forms of their own.
        rate_limits: Option<Map<String, Value>>,
        behaviors: Option<Value>,
    }

    SessionUsage as "snake_case" {
        total_cost_usd: Option<f64>,
        total_api_duration_ms: Option<f64>,
        total_duration_ms: Option<f64>,
        total_lines_added: Option<u64>,
        total_lines_removed: Option<u64>,
        model_usage: BTreeMap<String, ModelUsage>,
    }

    ModelUsage as "camelCase" {
        input_tokens: Option<u64>,
        output_tokens: Option<u64>,
        cache_read_input_tokens: Option<u64>,
        cache_creation_input_tokens: Option<u64>,
        #[serde(rename = "costUSD")]
        cost_usd: Option<f64>,
        context_window: Option<u64>,
    }

    /// A window of the plan's limits.
    LimitWindow as "snake_case" {
        /// Percent.
        utilization: Option<f64>,
        /// RFC 3339.
        resets_at: Option<String>,
    }

    SessionCost as "snake_case" {
        text: Option<String>,
    }

    Status as "snake_case" {
        sections: Vec<StatusSection>,
    }

    StatusSection as "snake_case" {
        title: Option<String>,
        rows: Vec<StatusRow>,
    }

    StatusRow as "snake_case" {
        label: Option<String>,
        value: Option<Value>,
    }

    BinaryVersion as "camelCase" {
        version: Option<String>,
        build_time: Option<String>,
    }

    Models as "snake_case" {
        models: Vec<Model>,
    }

    Model as "camelCase" {
        value: Option<String>,
        resolved_model: Option<String>,
        display_name: Option<String>,
        description: Option<String>,
        supports_effort: Option<bool>,
        supported_effort_levels: Vec<String>,
    }

    PermissionRules as "snake_case" {
        state: Option<PermissionRulesState>,
    }

    PermissionRulesState as "camelCase" {
        rules: Vec<PermissionRule>,
        /// Paths, or objects with one.
        workspace_directories: Vec<Value>,
        original_cwd: Option<String>,
        managed_only: Option<bool>,
    }

    PermissionRule as "snake_case" {
        /// `allow`, `ask` or `deny`.
        behavior: Option<String>,
        source: Option<String>,
        rule: Option<String>,
        description: Option<RuleDescription>,
        /// `session` and the like: where it can be changed; `readOnly` and the like: that it cannot.
        editability: Option<String>,
    }

    RuleDescription as "snake_case" {
        prefix: Option<String>,
        emphasis: Option<String>,
        suffix: Option<String>,
    }

    HooksListing as "camelCase" {
        events: Vec<Value>,
        hooks: Vec<Value>,
        event_catalog: Vec<HookEventInfo>,
    }

    HookEventInfo as "camelCase" {
        name: Option<String>,
        summary: Option<String>,
        supports_matcher: Option<bool>,
    }

    Exported as "snake_case" {
        text: Option<String>,
        default_filename: Option<String>,
    }

    Plan as "snake_case" {
        exists: Option<bool>,
        plan: Option<String>,
    }

    MemoryDialog as "snake_case" {
        files: Vec<Value>,
        folders: Vec<Value>,
        memories: Vec<Value>,
    }

    SkillsDialog as "snake_case" {
        skills: Vec<Value>,
    }

    SandboxDialog as "snake_case" {
        supported: Option<bool>,
        enabled: Option<bool>,
        mode: Option<String>,
    }
}
