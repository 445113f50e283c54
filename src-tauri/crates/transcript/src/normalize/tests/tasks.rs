use serde_json::{Value, json};

use super::*;

fn agent(fields: Value) -> Value {
    let mut all = json!({ "description": "Count", "prompt": "Count them", "subagent_type": "general-purpose", "status": null,
        "agent_id": null, "duration_ms": null, "total_tokens": null, "tool_use_count": null, "output": null });
    all.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    json!({ "subagent_task": all })
}

fn task() -> Value {
    json!({ "description": "Count", "prompt": "Count them", "subagent_type": "general-purpose", "run_in_background": false })
}

#[test]
fn a_subagent_s_report_has_no_notes_for_the_model() {
    let note = "<tools-used-before-summary>Bash,\nRead</tools-used-before-summary>\n";
    let own = |texts: Value| {
        json!({ "status": "completed", "agentId": "a1", "content": texts, "totalDurationMs": 272, "totalTokens": 1212,
            "totalToolUseCount": 2, "prompt": "Count them" })
    };
    for (texts, output) in [
        (
            json!([{ "type": "text", "text": note }, { "type": "text", "text": "There are 3.\n" }]),
            "There are 3.",
        ),
        (
            json!([{ "type": "text", "text": format!("{note}{note}x") }]),
            &*format!("{note}x"),
        ),
        (json!([{ "type": "text", "text": "plain" }]), "plain"),
        (json!([]), ""),
    ] {
        let done = json!({ "status": "completed", "agent_id": "a1", "duration_ms": 272, "total_tokens": 1212,
            "tool_use_count": 2, "output": output });
        for name in ["Agent", "Task"] {
            assert_eq!(
                after(name, task(), &back(json!("hand-back"), own(texts.clone()))),
                agent(done.clone())
            );
        }
    }
}

#[test]
fn a_subagent_in_the_background_has_only_been_launched() {
    let own = json!({ "isAsync": true, "status": "async_launched", "agentId": "a1", "outputFile": "/t/a1.output" });
    let got = after("Agent", task(), &back(json!("Async agent launched"), own));
    assert_eq!(
        got,
        agent(json!({ "status": "async_launched", "agent_id": "a1" }))
    );
}

#[test]
fn a_nested_subagent_s_report_is_taken_out_of_the_text_for_the_model() {
    let text = "  <tools-used-before-summary>Read</tools-used-before-summary>\n  \n[Subagent hand-back] Not a message from the user. The report follows:\n  There are 3.\n    fn a\nagentId: a1 (use SendMessage)\n<usage>subagent_tokens: 1212</usage>";
    let got = after(
        "Agent",
        task(),
        &told(json!([{ "type": "text", "text": text }])),
    );
    assert_eq!(got, agent(json!({ "output": "There are 3.\n  fn a" })));
    let old = json!([{ "type": "text", "text": "There are 3." }, { "type": "text", "text": "agentId: a1 (for resuming)" }]);
    assert_eq!(
        after("Task", task(), &told(old)),
        agent(json!({ "output": "There are 3." }))
    );
}

#[test]
fn a_stopped_subagent_says_why() {
    let got = after("Agent", task(), &failed("The agent was stopped."));
    assert_eq!(got, agent(json!({ "error": "The agent was stopped." })));
}

#[test]
fn a_task_is_created_with_its_id() {
    let input = json!({ "subject": "Read", "description": "All of it", "activeForm": "Reading" });
    let want = |id: Value| json!({ "create_task": { "title": "Read", "description": "All of it", "id": id, "active_form": "Reading" } });
    assert_eq!(before("TaskCreate", input.clone()), want(Value::Null));
    let own = json!({ "task": { "id": "1", "subject": "Read", "description": "All of it" } });
    let text = json!("Task #1 created successfully: Read");
    assert_eq!(
        after("TaskCreate", input.clone(), &back(text.clone(), own)),
        want(json!("1"))
    );
    assert_eq!(
        after("TaskCreate", input.clone(), &told(text)),
        want(json!("1"))
    );
    let mut refused = want(Value::Null);
    refused["create_task"]["error"] = json!("no");
    assert_eq!(after("TaskCreate", input, &failed("no")), refused);
}

fn todos(operation: &str, items: Value) -> Value {
    json!({ "manage_todos": { "operation": operation, "items": items } })
}

fn item(id: Value, description: Value, status: Value, active_form: Value) -> Value {
    json!({ "id": id, "description": description, "status": status, "active_form": active_form })
}

#[test]
fn a_task_is_updated() {
    let input = json!({ "taskId": "1", "status": "in_progress", "owner": "reviewer", "addBlockedBy": ["2", 3], "addBlocks": ["4"] });
    let mut want = todos(
        "update",
        json!([item(
            json!("1"),
            Value::Null,
            json!("in_progress"),
            Value::Null
        )]),
    );
    let item = &mut want["manage_todos"]["items"][0];
    item["owner"] = json!("reviewer");
    item["blocked_by"] = json!(["2", "3"]);
    item["blocks"] = json!(["4"]);
    let own = json!({ "success": true, "taskId": "1", "updatedFields": ["status"], "statusChange": { "from": "pending", "to": "in_progress" } });
    assert_eq!(
        after(
            "TaskUpdate",
            input.clone(),
            &back(json!("Updated task #1 status"), own)
        ),
        want
    );
    assert_eq!(
        after("TaskUpdate", input, &told(json!("Updated task #1 status"))),
        want
    );
}

#[test]
fn an_unknown_task_is_not_updated() {
    let input = json!({ "taskId": "9", "status": "completed" });
    let mut want = todos(
        "update",
        json!([item(
            json!("9"),
            Value::Null,
            json!("completed"),
            Value::Null
        )]),
    );
    want["manage_todos"]["error"] = json!("Task not found");
    let own =
        json!({ "success": false, "taskId": "9", "updatedFields": [], "error": "Task not found" });
    assert_eq!(
        after(
            "TaskUpdate",
            input.clone(),
            &back(json!("Task not found"), own)
        ),
        want
    );
    assert_eq!(
        after("TaskUpdate", input, &told(json!("Task not found"))),
        want
    );
}

#[test]
fn a_listed_task_says_its_owner_and_what_it_waits_for() {
    let own = json!({ "tasks": [{ "id": "2", "subject": "Write", "status": "pending", "owner": "reviewer", "blockedBy": ["1"] }] });
    let mut want = item(json!("2"), json!("Write"), json!("pending"), Value::Null);
    want["owner"] = json!("reviewer");
    want["blocked_by"] = json!(["1"]);
    assert_eq!(
        after(
            "TaskList",
            json!({}),
            &back(json!("#2 [pending] Write"), own)
        ),
        todos("list", json!([want]))
    );
    let own = json!({ "task": { "id": "2", "subject": "Write", "status": "pending", "blocks": ["3"], "blockedBy": ["1"] } });
    want["blocks"] = json!(["3"]);
    want.as_object_mut().unwrap().remove("owner");
    assert_eq!(
        after(
            "TaskGet",
            json!({ "taskId": "2" }),
            &back(json!("Task #2"), own)
        ),
        todos("get", json!([want]))
    );
}

#[test]
fn tasks_are_listed_and_got() {
    let read = item(
        json!("1"),
        json!("Read [all]"),
        json!("in_progress"),
        Value::Null,
    );
    let own = json!({ "tasks": [{ "id": "1", "subject": "Read [all]", "status": "in_progress", "blockedBy": [] }] });
    let text = json!("#1 [in_progress] Read [all]");
    assert_eq!(
        after("TaskList", json!({}), &back(text.clone(), own)),
        todos("list", json!([read]))
    );
    assert_eq!(
        after("TaskList", json!({}), &told(text)),
        todos("list", json!([read]))
    );
    let own = json!({ "task": { "id": "1", "subject": "Read [all]", "description": "d", "status": "in_progress", "blocks": [], "blockedBy": [] } });
    assert_eq!(
        after(
            "TaskGet",
            json!({ "taskId": "1" }),
            &back(json!("Task #1"), own)
        ),
        todos("get", json!([read]))
    );
    let mut none = todos(
        "get",
        json!([item(json!("9"), Value::Null, Value::Null, Value::Null)]),
    );
    none["manage_todos"]["error"] = json!("Task not found");
    let own = json!({ "task": null });
    assert_eq!(
        after(
            "TaskGet",
            json!({ "taskId": "9" }),
            &back(json!("Task not found"), own)
        ),
        none
    );
}

#[test]
fn a_todo_list_is_written() {
    let input =
        json!({ "todos": [{ "content": "Read", "status": "pending", "activeForm": "Reading" }] });
    let want = todos(
        "write",
        json!([item(
            Value::Null,
            json!("Read"),
            json!("pending"),
            json!("Reading")
        )]),
    );
    let own = json!({ "oldTodos": [], "newTodos": [] });
    assert_eq!(
        after("TodoWrite", input.clone(), &back(json!("modified"), own)),
        want
    );
    assert_eq!(after("TodoWrite", input, &told(json!("modified"))), want);
}
