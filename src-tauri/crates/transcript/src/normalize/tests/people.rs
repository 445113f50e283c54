//! Plans, questions, servers and the rest.

use serde_json::{Value, json};

use super::*;

fn plan(plan: Value, path: Value, approved: Value, edited: Value) -> Value {
    json!({ "show_plan": { "plan": plan, "file_path": path, "approved": approved, "edited": edited } })
}

#[test]
fn a_plan_is_approved_as_it_stands_or_edited() {
    let input = json!({ "plan": "# P", "planFilePath": "/c/p.md" });
    assert_eq!(
        before("ExitPlanMode", input.clone()),
        plan(json!("# P"), json!("/c/p.md"), Value::Null, Value::Null)
    );
    let own = json!({ "plan": "# P", "isAgent": false, "filePath": "/c/p.md" });
    let got = after("ExitPlanMode", input.clone(), &back(json!("approved"), own));
    assert_eq!(
        got,
        plan(json!("# P"), json!("/c/p.md"), json!(true), json!(false))
    );
    let own =
        json!({ "plan": "# Q", "isAgent": false, "filePath": "/c/p.md", "planWasEdited": true });
    let got = after("ExitPlanMode", input, &back(json!("approved"), own));
    assert_eq!(
        got,
        plan(json!("# Q"), json!("/c/p.md"), json!(true), json!(true))
    );
}

#[test]
fn a_plan_without_a_file_keeps_the_plan_of_the_call() {
    let own = json!({ "plan": null, "isAgent": false, "filePath": "/c/p.md" });
    let got = after(
        "ExitPlanMode",
        json!({ "plan": "# P" }),
        &back(json!("approved"), own),
    );
    assert_eq!(
        got,
        plan(json!("# P"), json!("/c/p.md"), json!(true), json!(false))
    );
}

#[test]
fn a_plan_that_was_sent_back_keeps_what_was_said_of_it() {
    let mut want = plan(json!("# P"), Value::Null, json!(false), Value::Null);
    want["show_plan"]["error"] = json!("Add docs.");
    assert_eq!(
        after(
            "ExitPlanMode",
            json!({ "plan": "# P" }),
            &failed("Add docs.")
        ),
        want
    );
}

#[test]
fn a_plan_that_the_tool_did_not_take_was_rejected_by_nobody() {
    let said = "You are not in plan mode.";
    let mut want = plan(json!("# P"), Value::Null, Value::Null, Value::Null);
    want["show_plan"]["error"] = json!(said);
    let tagged = format!("<tool_use_error>{said}</tool_use_error>");
    assert_eq!(
        after("ExitPlanMode", json!({ "plan": "# P" }), &failed(&tagged)),
        want
    );
}

#[test]
fn entering_plan_mode_asks_nothing() {
    let own = json!({ "message": "Entered plan mode." });
    let got = after(
        "EnterPlanMode",
        json!({}),
        &back(json!("Entered plan mode."), own),
    );
    assert_eq!(
        got,
        plan(Value::Null, Value::Null, Value::Null, Value::Null)
    );
}

#[test]
fn questions_get_their_answers() {
    let questions = json!([{ "question": "Which?", "header": "H", "multiSelect": false, "options": [{ "label": "A", "description": "a" }] }]);
    let input = json!({ "questions": questions });
    let want = json!({ "ask_user": { "questions": questions, "answers": {} } });
    assert_eq!(before("AskUserQuestion", input.clone()), want);
    let own = json!({ "questions": questions, "answers": { "Which?": "A, B" }, "annotations": { "Which?": { "notes": "n" } } });
    assert_eq!(
        after(
            "AskUserQuestion",
            input.clone(),
            &back(json!("answered"), own)
        ),
        json!({ "ask_user": { "questions": questions, "answers": { "Which?": "A, B" }, "annotations": { "Which?": { "notes": "n" } } } })
    );
    let mut declined = want;
    declined["ask_user"]["error"] = json!("The user dismissed the questions.");
    assert_eq!(
        after(
            "AskUserQuestion",
            input,
            &failed("The user dismissed the questions.")
        ),
        declined
    );
}

#[test]
fn a_server_s_answer_is_kept_as_it_came() {
    let blocks = json!([{ "type": "text", "text": "see" }, { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } }]);
    let structured = json!({ "content": "{\"rows\":2}", "structuredContent": { "rows": 2 } });
    for (result, output) in [
        (back(blocks.clone(), blocks.clone()), blocks.clone()),
        (back(json!("{\"rows\":2}"), structured.clone()), structured),
        (told(json!("text")), json!("text")),
        (back(json!("text"), json!([])), json!("text")),
        (back(json!("text"), json!("text")), json!("text")),
        (failed("it failed"), json!("it failed")),
    ] {
        assert_eq!(
            after("mcp__lab__get__all", json!({ "id": 1 }), &result),
            json!({ "mcp_tool": { "server": "lab", "tool": "get__all", "input": { "id": 1 }, "output": output } })
        );
    }
}

#[test]
fn misc_tools_show_a_label_and_what_went_in_and_came_out() {
    let misc = |label: &str, input: Value, output: Value| json!({ "misc": { "label": label, "details": { "input": input, "output": output } } });
    let skill = json!({ "skill": "greet", "args": "Ann" });
    assert_eq!(
        before("Skill", skill.clone()),
        misc("Skill greet", skill.clone(), Value::Null)
    );
    let own = json!({ "success": true, "commandName": "greet" });
    assert_eq!(
        after(
            "Skill",
            skill.clone(),
            &back(json!("Launching skill: greet"), own.clone())
        ),
        misc("Skill greet", skill, own)
    );
    let stop = json!({ "task_id": "b1" });
    let refused = "<tool_use_error>No task found with ID: b1</tool_use_error>";
    assert_eq!(
        after("TaskStop", stop.clone(), &failed(refused)),
        misc("Stop task b1", stop, json!("No task found with ID: b1"))
    );
    let done = "Structured output provided successfully";
    assert_eq!(
        after(
            "StructuredOutput",
            json!({ "n": 1 }),
            &back(json!(done), json!(done))
        ),
        misc("Structured output", json!({ "n": 1 }), json!(done))
    );
}

#[test]
fn what_no_one_knows_is_shown_as_it_came() {
    let generic = |output: Value| json!({ "generic": { "name": "TaskOutput", "input": { "task_id": "b1" }, "output": output } });
    let input = json!({ "task_id": "b1" });
    assert_eq!(before("TaskOutput", input.clone()), generic(Value::Null));
    assert_eq!(
        after(
            "TaskOutput",
            input.clone(),
            &back(json!("text"), json!({ "x": 1 }))
        ),
        generic(json!("text"))
    );
    assert_eq!(
        after(
            "TaskOutput",
            input.clone(),
            &back(json!(""), json!({ "x": 1 }))
        ),
        generic(json!({ "x": 1 }))
    );
    assert_eq!(
        after("TaskOutput", input, &failed("no")),
        generic(json!("no"))
    );
}
