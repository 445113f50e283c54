//! Callbacks of hooks that this host registered, and of those that it did not.

use super::*;

fn callback(rig: &mut Rig, id: &str, name: &str, input: Value) -> Value {
    rig.control(
        id,
        json!({ "subtype": "hook_callback", "callback_id": name, "input": input }),
    );
    rig.answer_to(id).cloned().unwrap_or_default()
}

#[test]
fn the_ask_hook_never_allows_by_itself() {
    let mut rig = Rig::ready(Policy::Supervised);
    let input = json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash" });
    let answer = callback(&mut rig, "h", "ask_before_tool", input);
    let output = &answer["response"]["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "ask");
}

/// Every event that a callback can come for, and what a host says that registered none for it.
#[test]
fn a_callback_that_nobody_registered_lets_nothing_run_and_holds_up_nothing_else() {
    let mut rig = Rig::ready(Policy::Supervised);
    for event in &kandev_wire::protocol().hook_events {
        let input = json!({ "hook_event_name": event, "tool_name": "Bash", "tool_input": {} });
        let answer = callback(&mut rig, event, "somebody_else", input);
        assert_eq!(answer["subtype"], "success", "{event}");
        let payload = &answer["response"];
        let output = &payload["hookSpecificOutput"];
        match event.as_str() {
            "PreToolUse" | "PreSkillShellCommand" | "PreModelSwitch" => {
                assert_eq!(output["hookEventName"], json!(event));
                assert_eq!(output["permissionDecision"], "deny", "{event}");
                let reason = output["permissionDecisionReason"].as_str().unwrap();
                assert!(reason.contains("somebody_else"), "{reason}");
            }
            "PermissionRequest" => {
                assert_eq!(output["decision"]["behavior"], "deny");
            }
            "Elicitation" => assert_eq!(output["action"], "cancel"),
            _ => assert_eq!(payload, &json!({}), "{event}"),
        }
        let said = payload.to_string();
        assert!(
            !said.contains("allow") && !said.contains("approve"),
            "{said}"
        );
    }
}

#[test]
fn a_hook_of_another_policy_or_for_another_event_is_not_known() {
    for policy in [Policy::Plan, Policy::Rules, Policy::Autonomous] {
        let mut rig = Rig::ready(policy);
        let input = json!({ "hook_event_name": "PreToolUse" });
        let answer = callback(&mut rig, "h", "ask_before_tool", input);
        let output = &answer["response"]["hookSpecificOutput"];
        assert_eq!(output["permissionDecision"], "deny", "{policy:?}");
    }
    let mut rig = Rig::ready(Policy::Supervised);
    let input = json!({ "hook_event_name": "PreToolUse" });
    let answer = callback(&mut rig, "h1", "check_on_stop", input);
    assert_eq!(
        answer["response"]["hookSpecificOutput"]["permissionDecision"],
        "deny"
    );
    let input = json!({ "hook_event_name": "Stop" });
    let answer = callback(&mut rig, "h2", "ask_before_tool", input);
    assert_eq!(answer["response"], json!({}));
    assert!(rig.checks.is_empty());
}

#[test]
fn a_look_at_the_workspace_waits_for_the_tasks_that_run_on() {
    for (told_by_level, listed) in [(true, json!(null)), (false, json!([{ "task_id": "b1" }]))] {
        let mut rig = Rig::ready_with(NewSession {
            stop_check: StopCheck::SendBack,
            ..request(Policy::Supervised)
        });
        rig.prompt("go");
        rig.init();
        if told_by_level {
            rig.line(
                json!({ "type": "system", "subtype": "background_tasks_changed",
                "tasks": [{ "task_id": "b1" }], "uuid": "u" }),
            );
        }
        let input = json!({ "hook_event_name": "Stop", "background_tasks": listed });
        let answer = callback(&mut rig, "s1", "check_on_stop", input);
        assert_eq!(answer["response"], json!({}));
        assert!(rig.checks.is_empty());
        rig.line(json!({ "type": "system", "subtype": "background_tasks_changed", "tasks": [], "uuid": "u" }));
        let input = json!({ "hook_event_name": "Stop", "background_tasks": [] });
        callback(&mut rig, "s2", "check_on_stop", input);
        assert_eq!(rig.checks, ["s2"]);
    }
}

#[test]
fn callbacks_that_fail_again_and_again_end_the_turn_though_the_calls_go_on() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    for number in 0..8 {
        rig.line(json!({ "type": "system", "subtype": "informational", "tag": "hook_callback_failed",
            "level": "warning", "content": format!("PreToolUse callback failed: timeout ({number})"), "uuid": format!("u{number}") }));
        rig.line(
            json!({ "type": "user", "session_id": "cli-1", "message": { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": format!("t{number}"), "content": "fine" }] } }),
        );
    }
    assert_eq!(rig.count_asked("interrupt"), 1);
    assert_eq!(
        rig.notices("permission_loop"),
        [&json!({ "channel": "hook", "failures": 5 })]
    );
}
