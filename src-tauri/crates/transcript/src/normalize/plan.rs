//! EnterPlanMode and ExitPlanMode.

use serde::Deserialize;
use serde_json::Value;

use super::ToolResult;
use super::result::lax;
use crate::detail::{NormalizedPayload, ShowPlan};
use crate::files::Files;

#[derive(Deserialize)]
struct PlanInput {
    plan: Option<String>,
    /// Filled in by the CLI from the plan file, if there is one.
    #[serde(rename = "planFilePath")]
    plan_file_path: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PlanData {
    #[serde(deserialize_with = "lax")]
    plan: Option<String>,
    #[serde(deserialize_with = "lax")]
    file_path: Option<String>,
    #[serde(deserialize_with = "lax")]
    plan_was_edited: Option<bool>,
}

pub(super) fn start(name: &str, input: &Value) -> Option<NormalizedPayload> {
    let PlanInput {
        plan,
        plan_file_path,
    } = PlanInput::deserialize(input).ok()?;
    let show_plan = ShowPlan {
        plan_missing: name == "ExitPlanMode" && is_blank(plan.as_deref()),
        plan,
        file_path: plan_file_path,
        ..ShowPlan::default()
    };
    Some(NormalizedPayload::ShowPlan { show_plan })
}

/// The plan that is to be approved: from the file, if only that is named (asks U34).
pub(super) fn proposed(name: &str, input: &Value, files: &dyn Files) -> Option<NormalizedPayload> {
    let NormalizedPayload::ShowPlan { mut show_plan } = start(name, input)? else {
        return None;
    };
    if show_plan.plan_missing
        && let Some(text) = show_plan
            .file_path
            .as_deref()
            .and_then(|path| files.read(path))
        && !is_blank(Some(&text))
    {
        show_plan.plan = Some(text);
        show_plan.plan_missing = false;
    }
    Some(NormalizedPayload::ShowPlan { show_plan })
}

fn is_blank(plan: Option<&str>) -> bool {
    plan.is_none_or(|plan| plan.trim().is_empty())
}

/// A plan that a person sent back is an error on the wire; what they said about it is its text. One that the tool did not
/// take was put before nobody.
pub(super) fn finish(call: ShowPlan, name: &str, result: &ToolResult<'_>) -> ShowPlan {
    let asked = name == "ExitPlanMode";
    if let Some(error) = result.error() {
        return ShowPlan {
            approved: (asked && !result.is_refused_by_tool()).then_some(false),
            error: Some(error),
            ..call
        };
    }
    if !asked {
        return call;
    }
    let data: PlanData = result.data().unwrap_or_default();
    let plan = data.plan.or(call.plan);
    ShowPlan {
        plan_missing: is_blank(plan.as_deref()),
        plan,
        file_path: data.file_path.or(call.file_path),
        approved: Some(true),
        edited: Some(data.plan_was_edited.unwrap_or(false)),
        error: None,
    }
}
