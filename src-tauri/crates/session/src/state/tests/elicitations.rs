//! What MCP servers ask of the user.

use super::*;

fn elicit(rig: &mut Rig, id: &str) {
    rig.control(
        id,
        json!({ "subtype": "elicitation", "mcp_server_name": "lab", "message": "Which city?", "mode": "form",
            "requested_schema": { "type": "object", "properties": { "city": { "type": "string" } } } }),
    );
}

#[test]
fn a_server_s_question_waits_for_a_person_and_gets_what_they_say() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    elicit(&mut rig, "e1");
    assert_eq!(rig.phase(), Phase::Question);
    let info = rig.state.info();
    assert_eq!(info.waiting, 1);
    assert_eq!(info.waiting_for.as_deref(), Some("lab: Which city?"));
    assert!(rig.answer_to("e1").is_none());
    let city = json!({ "city": "Ulm" });
    let decision = Decision::Allow {
        updated_input: Some(city.clone()),
        suggestions: Vec::new(),
    };
    rig.answer("e1", decision).unwrap();
    assert_eq!(
        rig.answer_to("e1").unwrap()["response"],
        json!({ "action": "accept", "content": city })
    );
    let resolved = rig.notices("elicitation_resolved");
    assert_eq!(
        (&resolved[0]["action"], &resolved[0]["by"]),
        (&json!("accept"), &json!("user"))
    );
    assert_eq!(rig.state.info().waiting, 0);
    assert_eq!(
        rig.answer("e1", deny(false)).unwrap_err().code(),
        "not_pending"
    );
}

#[test]
fn it_can_be_declined_and_cancelled() {
    let mut rig = Rig::ready(Policy::Supervised);
    for (id, interrupt, action) in [("e1", false, "decline"), ("e2", true, "cancel")] {
        elicit(&mut rig, id);
        rig.answer(id, deny(interrupt)).unwrap();
        assert_eq!(
            rig.answer_to(id).unwrap()["response"],
            json!({ "action": action })
        );
    }
}

#[test]
fn it_ends_when_it_is_withdrawn_and_with_the_process() {
    let mut rig = Rig::ready(Policy::Supervised);
    elicit(&mut rig, "e1");
    rig.line(json!({ "type": "control_cancel_request", "request_id": "e1" }));
    assert_eq!(rig.state.info().waiting, 0);
    assert_eq!(rig.answer("e1", allow()).unwrap_err().code(), "not_pending");
    elicit(&mut rig, "e2");
    rig.exit(0);
    assert_eq!(rig.state.info().waiting, 0);
    let ends: Vec<_> = rig
        .notices("elicitation_resolved")
        .iter()
        .map(|data| data["action"].as_str().unwrap())
        .collect();
    assert_eq!(ends, ["withdrawn", "session_end"]);
    assert!(rig.answer_to("e1").is_none() && rig.answer_to("e2").is_none());
}

#[test]
fn it_is_cancelled_when_its_time_is_over() {
    let mut rig = Rig::ready_with(NewSession {
        permission_timeout_s: Some(60),
        ..request(Policy::Supervised)
    });
    elicit(&mut rig, "e1");
    rig.wait(60);
    assert_eq!(
        rig.answer_to("e1").unwrap()["response"],
        json!({ "action": "cancel" })
    );
    assert_eq!(rig.notices("elicitation_resolved")[0]["by"], "timeout");
    assert_eq!(
        rig.notices("permission_timeout"),
        [&json!({ "pending_id": "e1", "seconds": 60 })]
    );
}

#[test]
fn a_dialog_of_which_this_host_knows_nothing_is_cancelled() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.control(
        "d",
        json!({ "subtype": "request_user_dialog", "kind": "from_the_future" }),
    );
    assert_eq!(
        rig.answer_to("d").unwrap()["response"],
        json!({ "behavior": "cancelled" })
    );
    assert_eq!(rig.notices("request_user_dialog").len(), 1);
}
