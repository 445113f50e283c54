//! Requests about settings, and about reading anew what lies on disk.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Done, answer, bare, request};

bare! {
    GetSettings = "get_settings" -> Settings;
    /// Followed by `commands_changed`.
    ReloadSkills = "reload_skills" -> Skills;
    ReloadPlugins = "reload_plugins" -> Plugins;
    ReloadOutputStyles = "reload_output_styles" -> OutputStyles;
    /// A person writes a prompt.
    PromptDraftActivity = "prompt_draft_activity" -> Done;
}

/// Lays settings over those of this process.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ApplyFlagSettings {
    pub settings: Map<String, Value>,
}
request!(ApplyFlagSettings = "apply_flag_settings" -> Done);

/// Writes settings into a file of the CLI: few keys are taken.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UpdateSettings {
    /// `localSettings` or `userSettings`.
    pub source: String,
    pub settings: Map<String, Value>,
}
request!(UpdateSettings = "update_settings" -> Done);

/// Whether anybody looks at what the CLI says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SetHasSubscribers {
    /// `None`: nobody knows.
    pub has_subscribers: Option<bool>,
}
request!(SetHasSubscribers = "set_has_subscribers" -> Done);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SetPromptSuggestionsPaused {
    pub paused: bool,
}
request!(SetPromptSuggestionsPaused = "set_prompt_suggestions_paused" -> Done);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RemoteControl {
    pub enabled: bool,
}
request!(RemoteControl = "remote_control" -> Done);

answer! {
    Settings as "snake_case" {
        effective: Option<Map<String, Value>>,
        sources: Vec<Value>,
        /// What the next model request runs with.
        applied: Option<AppliedSettings>,
    }

    AppliedSettings as "snake_case" {
        model: Option<String>,
        /// Absent for models that know no effort.
        effort: Option<String>,
    }

    Skills as "snake_case" {
        skills: Vec<Value>,
    }

    Plugins as "snake_case" {
        commands: Vec<Value>,
        agents: Vec<Value>,
        plugins: Vec<Value>,
        error_count: Option<u64>,
    }

    OutputStyles as "snake_case" {
        available_output_styles: Vec<String>,
    }
}
