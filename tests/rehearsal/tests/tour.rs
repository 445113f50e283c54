//! The tour over real pipes: what is shown, what is asked, what is written.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::tour::{allow_and_answer, blocks, finish, read, start};
use support::{Host, allow, deny};

#[test]
fn the_tour_shows_every_kind_of_row_and_question() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = start(folder.path(), &[]);
    host.prompt("Hello");
    let result = host.turn(allow_and_answer);
    assert_eq!(
        (&result["is_error"], &result["permission_denials"]),
        (&json!(false), &json!([]))
    );
    let asked: BTreeSet<String> = host
        .asked()
        .iter()
        .map(|request| request["tool_name"].as_str().unwrap().to_owned())
        .collect();
    let expected = [
        "AskUserQuestion",
        "Bash",
        "Edit",
        "ExitPlanMode",
        "WebFetch",
        "Write",
        "mcp__almanac__moon_phase",
    ];
    assert_eq!(asked, expected.map(str::to_owned).into());
    assert!(
        host.asked()
            .iter()
            .any(|request| request["agent_id"].is_string()),
        "a subagent asks"
    );
    assert!(
        host.asked()
            .iter()
            .any(|request| request["permission_suggestions"]
                .as_array()
                .is_some_and(|all| all.len() > 1)),
        "suggestions"
    );

    let (said, code) = finish(host);
    let tools: BTreeSet<&str> = blocks(&said, "tool_use", "assistant")
        .iter()
        .map(|block| block["name"].as_str().unwrap())
        .collect();
    for tool in [
        "Read",
        "Edit",
        "Write",
        "Bash",
        "Glob",
        "Grep",
        "WebFetch",
        "WebSearch",
        "TaskCreate",
        "TaskUpdate",
        "Agent",
        "EnterPlanMode",
        "ExitPlanMode",
        "AskUserQuestion",
        "mcp__almanac__moon_phase",
        "Skill",
        "TideChart",
    ] {
        assert!(tools.contains(tool), "{tool} is not shown");
    }
    for subtype in [
        "api_retry",
        "compact_boundary",
        "task_started",
        "task_progress",
        "task_notification",
        "background_tasks_changed",
        "thinking_tokens",
    ] {
        assert!(
            said.iter().any(|line| line["subtype"] == subtype),
            "{subtype} is not said"
        );
    }
    assert!(said.iter().any(|line| line["type"] == "rate_limit_event"));
    assert!(said.iter().any(|line| line["type"] == "tool_progress"));
    assert!(!blocks(&said, "thinking", "assistant").is_empty());
    assert!(
        said.iter()
            .any(|line| line["tool_use_result"]["type"] == "image")
    );
    let results: Vec<bool> = said
        .iter()
        .filter(|line| line["type"] == "result")
        .map(|line| line["is_error"] == true)
        .collect();
    assert_eq!(
        results,
        [false, true, false],
        "the tour, a failed turn, a turn that works again"
    );
    assert_eq!(code, Some(0));
}

#[test]
fn every_call_has_one_result_and_every_text_one_line() {
    for decide in [allow_and_answer as fn(&Value) -> Value, deny] {
        let folder = tempfile::tempdir().unwrap();
        let mut host = start(folder.path(), &[]);
        host.prompt("Hello");
        host.turn(decide);
        let (said, _) = finish(host);
        let calls: Vec<&Value> = blocks(&said, "tool_use", "assistant")
            .iter()
            .map(|block| &block["id"])
            .collect();
        let mut results: Vec<&Value> = blocks(&said, "tool_result", "user")
            .iter()
            .map(|block| &block["tool_use_id"])
            .collect();
        for call in &calls {
            let at = results.iter().position(|result| result == call);
            results.remove(at.unwrap_or_else(|| panic!("no result for {call}")));
        }
        assert!(results.is_empty(), "results without a call: {results:?}");
        let main = |line: &&Value| {
            line["parent_tool_use_id"].is_null() && line["message"]["model"] != "<synthetic>"
        };
        let lines = said
            .iter()
            .filter(|line| line["type"] == "assistant")
            .filter(main);
        let told: String = lines
            .filter_map(|line| line["message"]["content"][0]["text"].as_str())
            .collect();
        let streamed: String = said
            .iter()
            .filter_map(|line| line["event"]["delta"]["text"].as_str())
            .collect();
        assert_eq!(streamed, told);
        let total: f64 = said
            .iter()
            .filter(|line| line["type"] == "result")
            .filter_map(|line| {
                line["model_usage_since_last_result"]
                    .as_object()
                    .map(|models| {
                        models
                            .values()
                            .filter_map(|model| model["costUSD"].as_f64())
                            .sum::<f64>()
                    })
            })
            .sum();
        let last = said.iter().rfind(|line| line["type"] == "result").unwrap();
        assert!((total - last["total_cost_usd"].as_f64().unwrap()).abs() < 1e-9);
    }
}

#[test]
fn what_is_allowed_is_written_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = start(folder.path(), &[]);
    host.prompt("Hello");
    host.turn(allow_and_answer);
    finish(host);
    assert!(!read(folder.path(), "src/tides.ts").contains("sameDay"));
    assert!(read(folder.path(), "src/format.ts").contains("padStart"));
    assert!(read(folder.path(), "test/midnight.test.ts").contains("midnight"));
    assert!(read(folder.path(), "package.json").contains("0.4.2"));
    assert!(read(folder.path(), ".claude/plans/next-release.md").contains("0.4.2"));
}

#[test]
fn what_is_denied_is_not_written_and_the_tour_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = start(folder.path(), &[]);
    let before = [
        read(folder.path(), "src/tides.ts"),
        read(folder.path(), "package.json"),
    ];
    host.prompt("Hello");
    let result = host.turn(deny);
    assert_eq!(result["is_error"], false);
    assert!(result["permission_denials"].as_array().unwrap().len() >= 6);
    assert!(result["result"].as_str().unwrap().contains("not fixed"));
    assert_eq!(
        [
            read(folder.path(), "src/tides.ts"),
            read(folder.path(), "package.json")
        ],
        before
    );
    assert!(!folder.path().join("test/midnight.test.ts").exists());
    let denied = blocks(&host.said, "tool_result", "user")
        .iter()
        .filter(|block| block["content"] == "Not now.")
        .count();
    assert_eq!(
        denied,
        result["permission_denials"].as_array().unwrap().len()
    );
    finish(host);
}

#[test]
fn a_changed_edit_is_written_as_changed() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = start(folder.path(), &[]);
    host.prompt("edit");
    host.turn(|request| {
        let mut input = request["input"].clone();
        if input["new_string"]
            .as_str()
            .is_some_and(|text| text.contains("station.events.find"))
        {
            input["new_string"] = json!("  return undefined; // mine\n");
        }
        json!({"behavior": "allow", "updatedInput": input})
    });
    assert!(read(folder.path(), "src/tides.ts").contains("return undefined; // mine"));
    let changed: Vec<&Value> = host
        .said
        .iter()
        .filter(|line| line["tool_use_result"]["userModified"] == true)
        .collect();
    assert_eq!(changed.len(), 1);
    assert!(
        changed[0]["tool_use_result"]["structuredPatch"][0]["lines"]
            .as_array()
            .unwrap()
            .contains(&json!("+  return undefined; // mine"))
    );
    finish(host);
}

#[test]
fn a_path_outside_is_refused_even_when_it_was_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let beside = tempfile::tempdir().unwrap();
    let target = beside.path().join("stolen.ts");
    let mut host = start(folder.path(), &[]);
    host.prompt("edit");
    host.turn(|request| {
        let mut input = request["input"].clone();
        input["file_path"] = json!(target);
        json!({"behavior": "allow", "updatedInput": input})
    });
    finish(host);
    assert!(!target.exists());
    assert!(read(folder.path(), "src/tides.ts").contains("sameDay"));
}

#[test]
fn without_a_folder_of_the_host_it_makes_one_and_removes_it() {
    let here = tempfile::tempdir().unwrap();
    let mut host = Host::start_in(here.path(), &["--speed", "max"], &[]);
    host.initialize();
    host.prompt("edit");
    let init = host.until(|line| line["subtype"] == "init");
    let folder = init["cwd"].as_str().unwrap().to_owned();
    host.turn(allow);
    assert!(read(Path::new(&folder), "src/tides.ts").contains("station.events.find"));
    finish(host);
    assert!(!Path::new(&folder).exists());
    assert_eq!(fs::read_dir(here.path()).unwrap().count(), 0);
}
