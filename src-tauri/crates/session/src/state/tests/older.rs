//! Versions that are usable and have to be helped.

use super::*;
use crate::Decision;
use crate::abilities::Abilities;
use kandev_transcript::ResolvedBy;

fn rig(version: Version) -> Rig {
    let mut rig = Rig::ready(Policy::Plan);
    rig.init();
    rig.state.abilities = Abilities::of(Some(version));
    rig
}

fn approve(rig: &mut Rig, tool: &str) -> Value {
    rig.can_use_tool("q1", tool, json!({ "plan": "# Plan" }));
    let outcome = rig.ask(|done| Command::Answer {
        pending_id: "q1".to_owned(),
        decision: Decision::Allow {
            updated_input: None,
            suggestions: Vec::new(),
        },
        by: ResolvedBy::User,
        done,
    });
    assert_eq!(told(outcome), Ok(()));
    rig.answer_to("q1").unwrap()["response"].clone()
}

fn modes(rig: &Rig) -> Vec<&str> {
    let mut found = Vec::new();
    for body in &rig.events {
        if let EventBody::ModeChanged { mode } = body {
            found.push(mode.as_str());
        }
    }
    found
}

const OLD: Version = Version::new(2, 0, 76);
const FULL: Version = Version::new(2, 1, 88);

#[test]
fn an_approved_plan_ends_the_plan_mode_of_a_version_that_has_to_be_told_so() {
    let mut old = rig(OLD);
    old.state.info.permission_mode = Some("plan".to_owned());
    let payload = approve(&mut old, "ExitPlanMode");
    assert_eq!(
        payload["updatedPermissions"],
        json!([{ "type": "setMode", "mode": "default", "destination": "session" }])
    );
    assert_eq!(old.state.info().permission_mode.as_deref(), Some("default"));
    assert_eq!(modes(&old), ["default"]);

    for (version, tool) in [(FULL, "ExitPlanMode"), (OLD, "Bash")] {
        let mut rig = rig(version);
        let payload = approve(&mut rig, tool);
        assert_eq!(
            payload["updatedPermissions"],
            Value::Null,
            "{version} {tool}"
        );
        assert_eq!(modes(&rig), [""; 0]);
    }
}

#[test]
fn a_mode_that_no_line_confirms_is_told_once() {
    let mut rig = rig(OLD);
    let outcome = rig.ask(|done| Command::SetMode {
        mode: "acceptEdits".to_owned(),
        done,
    });
    let id = rig.asked("set_permission_mode");
    rig.succeed(&id, json!({ "mode": "acceptEdits" }));
    // Such a version answers twice.
    rig.succeed(&id, Value::Null);
    assert_eq!(told(outcome), Ok(()));
    rig.line(
        json!({ "type": "system", "subtype": "init", "cwd": WORKSPACE, "session_id": "cli-1",
        "model": "claude-opus", "permissionMode": "acceptEdits", "tools": [], "uuid": "u2" }),
    );
    assert_eq!(modes(&rig), ["acceptEdits"]);
    assert_eq!(
        rig.state.info().permission_mode.as_deref(),
        Some("acceptEdits")
    );
}
