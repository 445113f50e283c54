//! What versions below 2.1.88 have to be told, or do not tell by themselves.

use serde_json::{Value, json};

use super::State;
use crate::abilities::Ability;

impl State {
    /// An approved plan leaves such a version in plan mode unless the approval says which mode follows.
    pub(super) fn end_plan(&self, tool: &str, payload: &mut Value) -> Option<String> {
        if self.abilities.can(Ability::PlanEnds)
            || tool != "ExitPlanMode"
            || payload["behavior"] != "allow"
        {
            return None;
        }
        let follows = |update: &Value| {
            let mode = update["mode"]
                .as_str()
                .filter(|_| update["type"] == "setMode");
            mode.map(str::to_owned)
        };
        let mut updates = payload["updatedPermissions"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        if let Some(mode) = updates.iter().find_map(follows) {
            return Some(mode);
        }
        updates.push(json!({ "type": "setMode", "mode": "default", "destination": "session" }));
        payload["updatedPermissions"] = json!(updates);
        Some("default".to_owned())
    }

    /// No line of such a version says that the mode has changed; its next init only repeats what was told then.
    pub(super) fn is_told_mode(&self, mode: &str) -> bool {
        !self.abilities.can(Ability::ModeConfirmed)
            && self.info.permission_mode.as_deref() == Some(mode)
    }
}
