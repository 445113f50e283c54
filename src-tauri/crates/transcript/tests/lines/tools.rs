use serde_json::{Value, json};

use crate::say::{Talk, result, result_of, says, uses, uses_under};

fn launched(id: &str) -> Value {
    let mut line = result_of(id, false);
    line["tool_use_result"] =
        json!({ "isAsync": true, "status": "async_launched", "agentId": "a" });
    line
}

#[test]
fn a_call_begins_once_and_ends_once() {
    let talk = Talk::plain()
        .cli(uses("t"))
        .cli(uses("t"))
        .cli(result_of("t", true))
        .cli(result_of("t", false))
        .cli(uses("t"))
        .cli(result(false))
        .over();
    assert_eq!(
        talk.said(),
        ["t running", "t error", "complete u-m-t", "idle"]
    );
}

#[test]
fn the_result_of_the_turn_closes_what_is_open_as_it_went_itself() {
    for (failed, end) in [(false, "t complete"), (true, "t error")] {
        let talk = Talk::plain().cli(uses("t")).cli(result(failed));
        assert_eq!(talk.said()[..2], ["t running", end]);
    }
}

#[test]
fn the_end_of_the_input_closes_what_is_open_as_an_error() {
    assert_eq!(
        Talk::plain().cli(uses("t")).over().over().said(),
        ["t running", "t error"]
    );
}

#[test]
fn calls_inside_a_background_agent_outlive_the_turn_at_any_depth() {
    let agent = || {
        Talk::plain()
            .cli(uses("agent"))
            .cli(launched("agent"))
            .cli(uses_under(json!("agent"), "outer"))
            .cli(uses_under(json!("outer"), "inner"))
            .cli(result(false))
    };
    let before = [
        "agent running",
        "agent complete",
        "outer running",
        "inner running",
        "complete r-agent",
        "idle",
    ];
    assert_eq!(agent().said(), before);
    let own = agent()
        .cli(result_of("inner", false))
        .cli(result_of("outer", true));
    assert_eq!(own.said()[6..], ["inner complete", "outer error"]);
    let notified = json!({ "type": "system", "subtype": "task_notification", "tool_use_id": "agent", "status": "stopped" });
    assert_eq!(
        agent().cli(notified).said()[6..],
        ["outer error", "inner error"]
    );
}

#[test]
fn a_foreground_agents_calls_end_with_the_turn() {
    let talk = Talk::plain()
        .cli(uses("agent"))
        .cli(uses_under(json!("agent"), "t"))
        .cli(result(true));
    assert_eq!(talk.said()[2..4], ["agent error", "t error"]);
}

#[test]
fn a_heartbeat_is_progress_of_the_call_that_it_names_as_its_parent() {
    let beat = |id: &str| json!({ "type": "tool_progress", "tool_use_id": format!("{id}-heartbeat-0"), "parent_tool_use_id": id, "elapsed_time_seconds": 30, "heartbeat": true });
    let talk = Talk::plain()
        .cli(uses("t"))
        .cli(beat("t"))
        .cli(result_of("t", false))
        .cli(beat("t"))
        .cli(beat("x"));
    assert_eq!(talk.said(), ["t running", "t running", "t complete"]);
}

#[test]
fn a_result_without_a_call_is_kept_as_a_notice() {
    assert_eq!(
        Talk::plain().cli(result_of("nobody", false)).said(),
        ["notice tool_result"]
    );
}

#[test]
fn a_tool_that_runs_at_the_api_ends_with_the_result_in_the_same_message() {
    let blocks = json!([
        { "type": "server_tool_use", "id": "s", "name": "web_search", "input": { "query": "q" } },
        { "type": "web_search_tool_result", "tool_use_id": "s", "content": [] },
    ]);
    assert_eq!(
        Talk::plain().cli(says("m", blocks)).said(),
        ["s running", "s complete"]
    );
}

#[test]
fn a_new_process_may_use_the_same_ids() {
    let mut talk = Talk::live().cli(uses("t"));
    talk.transcript
        .started(Default::default(), &mut talk.emitted);
    let talk = talk.cli(uses("t")).cli(result_of("t", false));
    assert_eq!(
        talk.said(),
        ["t running", "t error", "t running", "t complete"]
    );
}
