use super::*;

fn delta(kind: &str, field: &str) -> Value {
    json!({ "type": "stream_event", "session_id": "cli-1", "parent_tool_use_id": null, "event":
        { "type": "content_block_delta", "index": 0, "delta": { "type": kind, field: "some" } } })
}

fn start_message(rig: &mut Rig, block: Value) {
    let event = |event: Value| json!({ "type": "stream_event", "session_id": "cli-1", "parent_tool_use_id": null, "event": event });
    rig.line(event(json!({ "type": "message_start", "message": { "id": "m1", "role": "assistant", "content": [] } })));
    rig.line(event(
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
    ));
}

fn tool_use(id: &str, parent: Value) -> Value {
    json!({ "type": "assistant", "session_id": "cli-1", "parent_tool_use_id": parent, "uuid": id, "message": {
        "id": "m2", "role": "assistant",
        "content": [{ "type": "tool_use", "id": id, "name": "Read", "input": { "file_path": "/a" } }] } })
}

fn tool_result(id: &str) -> Value {
    json!({ "type": "user", "session_id": "cli-1", "parent_tool_use_id": null, "message": { "role": "user",
        "content": [{ "type": "tool_result", "tool_use_id": id, "content": "1\tx" }] } })
}

#[test]
fn a_turn_goes_through_its_phases() {
    let mut rig = Rig::ready(Policy::Supervised);
    assert_eq!(rig.phase(), Phase::Idle);
    rig.prompt("go");
    assert_eq!(rig.phase(), Phase::Thinking);
    rig.init();
    start_message(&mut rig, json!({ "type": "text", "text": "" }));
    rig.line(delta("text_delta", "text"));
    assert_eq!(rig.phase(), Phase::Streaming);
    rig.line(tool_use("t1", json!(null)));
    assert_eq!(rig.phase(), Phase::Tool);
    rig.line(tool_result("t1"));
    assert_eq!(rig.phase(), Phase::Thinking);
    rig.result();
    assert_eq!(rig.phase(), Phase::Idle);
}

#[test]
fn since_is_when_the_phase_began() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.wait(7);
    rig.prompt("go");
    rig.wait(5);
    rig.init();
    assert_eq!(rig.state.info().since, wall(7));
}

#[test]
fn a_retry_shows_until_something_comes() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.line(json!({ "type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 10,
        "retry_delay_ms": 569.7, "error_status": 529, "error": "overloaded", "session_id": "cli-1" }));
    assert_eq!(rig.phase(), Phase::Retrying);
    start_message(&mut rig, json!({ "type": "text", "text": "" }));
    rig.line(delta("text_delta", "text"));
    assert_eq!(rig.phase(), Phase::Streaming);
}

#[test]
fn compaction_shows_while_it_lasts() {
    let status = |status: Value| json!({ "type": "system", "subtype": "status", "status": status, "session_id": "cli-1" });
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("/compact");
    rig.line(status(json!("compacting")));
    assert_eq!(rig.phase(), Phase::Compacting);
    rig.line(
        json!({ "type": "system", "subtype": "status", "status": null, "compact_result": "success",
        "session_id": "cli-1" }),
    );
    assert_eq!(rig.phase(), Phase::Thinking);
}

#[test]
fn a_rejected_rate_limit_shows_and_an_allowed_one_does_not() {
    let limit = |status: &str| json!({ "type": "rate_limit_event", "rate_limit_info": { "status": status }, "session_id": "cli-1" });
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.line(limit("allowed_warning"));
    assert_eq!(rig.phase(), Phase::Thinking);
    rig.line(limit("rejected"));
    assert_eq!(rig.phase(), Phase::RateLimited);
    rig.line(limit("allowed"));
    assert_eq!(rig.phase(), Phase::Thinking);
}

#[test]
fn tasks_that_outlive_their_turn_show_until_the_last_one_ends() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.line(json!({ "type": "system", "subtype": "task_started", "task_id": "b1", "tool_use_id": "t1",
        "description": "sleep", "task_type": "local_bash", "is_backgrounded": true, "session_id": "cli-1" }));
    rig.result();
    assert_eq!(rig.phase(), Phase::Background);
    rig.line(json!({ "type": "system", "subtype": "background_tasks_changed", "tasks": [], "session_id": "cli-1" }));
    assert_eq!(rig.phase(), Phase::Idle);
}

#[test]
fn a_call_that_was_moved_to_the_background_outlives_its_turn() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.line(json!({ "type": "system", "subtype": "task_started", "task_id": "b1", "tool_use_id": "t1",
        "description": "sleep", "task_type": "local_bash", "is_backgrounded": false, "session_id": "cli-1" }));
    rig.line(json!({ "type": "system", "subtype": "task_updated", "task_id": "b1", "patch": { "is_backgrounded": true }, "session_id": "cli-1" }));
    rig.result();
    assert_eq!(rig.phase(), Phase::Background);
    rig.line(json!({ "type": "system", "subtype": "task_notification", "task_id": "b1", "status": "completed", "session_id": "cli-1" }));
    assert_eq!(rig.phase(), Phase::Idle);
}

#[test]
fn a_task_that_is_no_activity_keeps_nothing_busy_however_it_is_told() {
    let watcher = json!({ "task_id": "w1", "description": "Watching", "task_type": "monitor", "ambient": true });
    let mut started = watcher.clone();
    let fields = started.as_object_mut().unwrap();
    let more = json!({ "type": "system", "subtype": "task_started", "is_backgrounded": true, "session_id": "cli-1" });
    fields.extend(more.as_object().unwrap().clone());
    let set = json!({ "type": "system", "subtype": "background_tasks_changed", "tasks": [watcher], "session_id": "cli-1" });
    for lines in [&[&set, &started][..], &[&started], &[&set]] {
        let mut rig = Rig::ready(Policy::Supervised);
        rig.prompt("go");
        rig.init();
        for line in lines {
            rig.line((*line).clone());
        }
        rig.result();
        assert_eq!(rig.phase(), Phase::Idle, "{lines:?}");
    }
}

#[test]
fn a_subagents_words_are_not_the_sessions() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.line(tool_use("agent", json!(null)));
    rig.line(json!({ "type": "assistant", "session_id": "cli-1", "parent_tool_use_id": "agent", "uuid": "x", "message": {
        "id": "m3", "role": "assistant", "content": [{ "type": "text", "text": "from below" }] } }));
    assert_eq!(rig.phase(), Phase::Tool);
}

#[test]
fn nothing_runs_without_a_process() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.can_use_tool("q1", "Bash", json!({ "command": "ls" }));
    rig.exit(1);
    assert_eq!(rig.phase(), Phase::Failed);
    let info = rig.state.info();
    assert_eq!(
        (info.waiting, &info.waiting_since, &info.waiting_for),
        (0, &None, &None)
    );
    rig.line(json!({ "type": "system", "subtype": "status", "status": "requesting", "session_id": "cli-1" }));
    assert_eq!(rig.phase(), Phase::Failed, "a late line revives nothing");
}
