//! The normalizers on the recorded conversations: what a call's raw result says stands in its detail.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use kandev_transcript::normalize::{ToolResult, finish, proposed, start, title};
use kandev_transcript::patch;
use kandev_transcript::{EventBody, Files, NormalizedPayload, Todos, Transcript, TurnDiff};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

/// A call with its result, as the recording has them.
struct Call {
    story: String,
    name: String,
    input: Value,
    content: Value,
    own: Value,
    is_error: bool,
    detail: NormalizedPayload,
}

impl Call {
    /// The detail's fields, without `kind`.
    fn fields(&self) -> Value {
        let mut value = serde_json::to_value(&self.detail).unwrap();
        let kind = value["kind"].as_str().unwrap().to_owned();
        assert_eq!(value.as_object().unwrap().len(), 2, "{self}");
        value[&kind].take()
    }

    fn kind(&self) -> String {
        serde_json::to_value(&self.detail).unwrap()["kind"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(blocks) => blocks
                .iter()
                .filter_map(|block| block["text"].as_str())
                .collect(),
            _ => String::new(),
        }
    }
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} {}", self.story, self.name, self.input)
    }
}

fn recordings() -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|end| end == "ndjson") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/transcripts"),
        &mut found,
    );
    found.sort();
    assert!(found.len() > 100, "the recordings are not there");
    found
}

/// The lines that the CLI wrote, but for those that are no JSON to serde: no call stands in these.
fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text
        .split('\n')
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines
        .filter(|record| record["dir"] == "out")
        .map(|mut record| record["line"].take())
        .collect()
}

fn blocks(line: &Value) -> Vec<Value> {
    line["message"]["content"]
        .as_array()
        .cloned()
        .unwrap_or_default()
}

/// Read once for all tests.
fn calls() -> &'static [Call] {
    static CALLS: LazyLock<Vec<Call>> = LazyLock::new(read_calls);
    &CALLS
}

fn read_calls() -> Vec<Call> {
    let mut calls = Vec::new();
    for path in recordings() {
        let version = path
            .parent()
            .unwrap()
            .file_name()
            .unwrap()
            .to_string_lossy();
        let story = format!("{version}/{}", path.file_stem().unwrap().to_string_lossy());
        let mut open: HashMap<String, (String, Value)> = HashMap::new();
        for line in lines(&path) {
            let blocks = blocks(&line);
            let results = blocks
                .iter()
                .filter(|block| block["type"] == "tool_result")
                .count();
            for block in blocks {
                if block["type"] == "tool_use" {
                    let name = block["name"].as_str().unwrap().to_owned();
                    open.insert(
                        block["id"].as_str().unwrap().to_owned(),
                        (name, block["input"].clone()),
                    );
                }
                if block["type"] != "tool_result" {
                    continue;
                }
                let Some((name, input)) = open.remove(block["tool_use_id"].as_str().unwrap())
                else {
                    continue;
                };
                let own = if results == 1 {
                    line["tool_use_result"].clone()
                } else {
                    Value::Null
                };
                let (content, own_raw) = (
                    to_raw_value(&block["content"]).unwrap(),
                    to_raw_value(&own).unwrap(),
                );
                let is_error = block["is_error"] == true;
                let result = ToolResult {
                    content: Some(&content),
                    tool_use_result: Some(&own_raw),
                    is_error,
                };
                calls.push(Call {
                    story: story.clone(),
                    detail: finish(start(&name, &input), &name, &result),
                    content: block["content"].clone(),
                    name,
                    input,
                    own,
                    is_error,
                });
            }
        }
    }
    assert!(calls.len() > 200, "{} calls", calls.len());
    calls
}

/// The tools of the CLI's own list, by PROTOCOL 5.1 and what older versions have.
fn is_known(name: &str) -> bool {
    const KNOWN: &str = "Task Agent AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit EnterPlanMode \
        EnterWorktree ExitPlanMode ExitWorktree Glob Grep KillShell LS ListAgents Monitor MultiEdit NotebookEdit \
        NotebookRead Read ReportFindings ScheduleWakeup SendMessage Skill StructuredOutput TaskCreate TaskGet TaskList \
        TaskStop TaskUpdate TodoWrite ToolSearch WebFetch WebSearch Workflow Write";
    name.starts_with("mcp__") || KNOWN.split_whitespace().any(|known| known == name)
}

#[test]
fn a_known_call_that_did_well_is_never_generic_and_every_detail_survives_its_json() {
    for call in calls() {
        let known = is_known(&call.name);
        assert!(
            call.is_error || known == (call.kind() != "generic"),
            "{call}"
        );
        assert!(!title(&call.name, &call.input).trim().is_empty(), "{call}");
        let json = serde_json::to_string(&call.detail).unwrap();
        assert_eq!(
            serde_json::from_str::<NormalizedPayload>(&json).unwrap(),
            call.detail,
            "{call}"
        );
    }
}

#[test]
fn the_reason_of_a_failure_is_in_the_detail() {
    let bare = |text: &str| -> String {
        let text = text
            .replace("<tool_use_error>", "")
            .replace("</tool_use_error>", "");
        text.split_whitespace().collect()
    };
    for call in calls().iter().filter(|call| call.is_error) {
        let text = call.text();
        // A failed command's code is a field of its own.
        let text = if text.starts_with("Exit code ") {
            text.split_once('\n').unwrap_or_default().1
        } else {
            &text
        };
        let said = strings(&call.fields())
            .iter()
            .any(|shown| bare(shown).contains(&bare(text)));
        assert!(said, "{call}: {text}");
    }
}

fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(fields) => fields.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_patch_of_the_cli_stands_in_the_diff_with_its_numbers() {
    let mut seen = 0;
    for call in calls() {
        let hunks = call.own["structuredPatch"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        if hunks.is_empty() {
            continue;
        }
        seen += 1;
        let want: Vec<String> = hunks
            .iter()
            .flat_map(|hunk| {
                let lines = hunk["lines"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|line| line.as_str().unwrap().to_owned());
                let n = |field: &str| hunk[field].as_u64().unwrap();
                let head = format!(
                    "@@ -{},{} +{},{} @@",
                    n("oldStart"),
                    n("oldLines"),
                    n("newStart"),
                    n("newLines")
                );
                std::iter::once(head).chain(lines)
            })
            .collect();
        let diff = call.fields()["mutations"][0]["diff"]
            .as_str()
            .unwrap()
            .to_owned();
        let have: Vec<&str> = diff
            .strip_suffix('\n')
            .unwrap()
            .split('\n')
            .skip(2)
            .collect();
        assert_eq!(have, want, "{call}");
    }
    assert!(seen >= 10, "{seen}");
}

/// The file as the tool found it.
struct Original(String);

impl Files for Original {
    fn read(&self, _: &str) -> Option<String> {
        Some(self.0.clone())
    }
}

#[test]
fn a_proposal_shows_the_change_that_the_cli_then_made() {
    let mut seen = 0;
    for call in calls() {
        let (Some(original), false) = (
            call.own["originalFile"].as_str(),
            call.own["userModified"] == true,
        ) else {
            continue;
        };
        let proposal = proposed(
            &call.name,
            &call.input,
            &Original(original.replace('\n', "\r\n")),
        );
        let proposal = serde_json::to_value(proposal).unwrap()["modify_file"].take();
        let made = call.fields();
        let parts = |detail: &Value| {
            let diff = detail["mutations"][0]["diff"].as_str().unwrap_or_default();
            let hunks = diff.split_inclusive('\n').skip(2).collect::<String>();
            // The CLI numbers the nothing before a new file as line 1.
            hunks.replace("@@ -1,0 ", "@@ -0,0 ")
        };
        assert_eq!(parts(&proposal), parts(&made), "{call}");
        assert_eq!(
            proposal["mutations"][0]["start_line"], made["mutations"][0]["start_line"],
            "{call}"
        );
        assert_eq!(proposal["error"], Value::Null, "{call}");
        seen += 1;
    }
    assert!(seen >= 15, "{seen}");
}

#[test]
fn every_edit_that_was_made_can_be_taken_back_from_the_file_as_it_was_left() {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let made = |call: &&Call| call.kind() == "modify_file" && !call.is_error;
    for call in calls().iter().filter(made) {
        let own = |field: &str| call.own[field].as_str();
        let fields = call.fields();
        let Some(diff) = fields["mutations"][0]["diff"].as_str() else {
            continue;
        };
        let (was, is) = match &*call.name {
            "Write" => (own("originalFile"), own("content").map(str::to_owned)),
            "NotebookEdit" => (own("original_file"), own("updated_file").map(str::to_owned)),
            _ => {
                let (was, old, new) = (own("originalFile"), own("oldString"), own("newString"));
                // Quotes are written as the file has them, which the result does not say.
                let old = old.filter(|old| !old.contains(['\u{201c}', '\u{201d}']));
                // Nor whether text that is taken out took the end of its line along.
                let new = new.filter(|new| !new.is_empty());
                let is =
                    was.zip(old)
                        .zip(new)
                        .map(|((was, old), new)| match call.own["replaceAll"] {
                            Value::Bool(true) => was.replace(old, new),
                            _ => was.replacen(old, new, 1),
                        });
                (was, is)
            }
        };
        let Some(is) = is else { continue };
        let before = patch::parse(diff).unwrap().take_back(Some(&is), None);
        let before = before.unwrap_or_else(|why| panic!("{call}: {why}\n{diff}"));
        assert!(before.in_place, "{call}");
        if call.name == "NotebookEdit" {
            // It is laid out anew by the tool.
            let notebook = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            assert_eq!(
                notebook(&before.text.unwrap()),
                notebook(was.unwrap()),
                "{call}"
            );
        } else {
            let created = call.name == "Write" && was.is_none();
            assert_eq!(
                before.text.as_deref(),
                if created { None } else { was },
                "{call}"
            );
        }
        *seen.entry(&call.name).or_default() += 1;
    }
    for (name, least) in [("Edit", 10), ("Write", 5), ("NotebookEdit", 2)] {
        assert!(
            seen.get(name).is_some_and(|count| *count >= least),
            "{seen:?}"
        );
    }
}

#[test]
fn every_edit_that_was_made_shows_its_new_text_in_a_diff() {
    for call in calls()
        .iter()
        .filter(|call| call.kind() == "modify_file" && !call.is_error)
    {
        let mutation = &call.fields()["mutations"][0];
        let said = call.own["newString"]
            .as_str()
            .or(call.own["content"].as_str());
        let said = said
            .or(call.input["new_string"].as_str())
            .or(call.input["content"].as_str());
        let said = said.or(call.input["new_source"].as_str()).unwrap();
        let shown = [&mutation["content"], &mutation["new_content"]];
        assert!(
            shown.iter().any(|text| text.as_str() == Some(said)),
            "{call}: {mutation}"
        );
        let diff = mutation["diff"].as_str().unwrap_or_default();
        let plain = |text: &str| text.replace(['\u{201c}', '\u{201d}'], "\"");
        let first = said.lines().find(|line| !line.trim().is_empty());
        let unchanged = call.own["originalFile"].as_str() == Some(said);
        let told = first.is_none_or(|line| plain(diff).contains(&plain(line)));
        assert!(told || unchanged, "{call}: {diff}");
    }
}

#[test]
fn outputs_are_whole() {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for call in calls().iter().filter(|call| !call.is_error) {
        let (fields, own) = (call.fields(), &call.own);
        let output = &fields["output"];
        let kind = call.kind();
        let mut same = |what: &'static str, shown: &Value, said: &Value| {
            if !said.is_null() {
                assert_eq!(shown, said, "{call}: {what}");
                *seen.entry(what).or_default() += 1;
            }
        };
        match &*kind {
            "shell_exec" => {
                same("stdout", &output["stdout"], &own["stdout"]);
                same("stderr", &output["stderr"], &own["stderr"]);
                same("interrupted", &output["interrupted"], &own["interrupted"]);
                same("task", &fields["task_id"], &own["backgroundTaskId"]);
                same(
                    "persisted",
                    &output["full_output_path"],
                    &own["persistedOutputPath"],
                );
                assert_eq!(
                    output["truncated"] == true,
                    call.text().starts_with("<persisted-output>"),
                    "{call}"
                );
            }
            "read_file" if own["type"] == "text" => {
                same("content", &output["content"], &own["file"]["content"]);
                same("lines", &output["line_count"], &own["file"]["numLines"]);
            }
            "read_file" => {
                same("image", &output["image"]["data"], &own["file"]["base64"]);
                assert!(
                    !output["content"]
                        .as_str()
                        .unwrap()
                        .contains("<system-reminder>"),
                    "{call}"
                );
            }
            "code_search" => {
                same("files", &output["files"], &own["filenames"]);
                same("file count", &output["file_count"], &own["numFiles"]);
                same("matching lines", &output["content"], &own["content"]);
            }
            "http_request" => {
                same("response", &fields["response"], &own["result"]);
                same("status", &fields["status"], &own["code"]);
            }
            "subagent_task" => {
                same("agent", &fields["agent_id"], &own["agentId"]);
                same("tokens", &fields["total_tokens"], &own["totalTokens"]);
                let output = output.as_str().unwrap_or_default();
                assert!(
                    !output.contains("tools-used-before-summary")
                        && !output.contains("[Subagent hand-back]"),
                    "{call}"
                );
            }
            "create_task" => same("task id", &fields["id"], &own["task"]["id"]),
            "ask_user" => same("answers", &fields["answers"], &own["answers"]),
            "show_plan" => same("plan", &fields["plan"], &own["plan"]),
            "mcp_tool" => same("server's answer", output, own),
            _ => {}
        }
    }
    for what in [
        "stdout",
        "task",
        "persisted",
        "content",
        "image",
        "files",
        "response",
        "agent",
        "task id",
        "answers",
        "plan",
        "server's answer",
    ] {
        assert!(seen.contains_key(what), "no recording has {what}");
    }
}

/// The todo list after each recording, and the files that it edited.
#[test]
fn the_folds_follow_the_recordings() {
    let mut lists: HashMap<String, Value> = HashMap::new();
    let mut edited: HashMap<String, TurnDiff> = HashMap::new();
    let mut todos: HashMap<String, Todos> = HashMap::new();
    for call in calls().iter().filter(|call| !call.is_error) {
        edited
            .entry(call.story.clone())
            .or_default()
            .record(&call.detail);
        if let Some(items) = todos
            .entry(call.story.clone())
            .or_default()
            .fold(&call.detail)
        {
            lists.insert(call.story.clone(), serde_json::to_value(items).unwrap());
        }
    }
    let task = json!([{ "id": "1", "description": "Read the code", "status": "completed", "active_form": "Reading the code" }]);
    assert_eq!(lists["transcripts/tasks_list"], task);
    let states = |story: &str| -> Vec<String> {
        let items = lists[story].as_array().unwrap();
        items
            .iter()
            .map(|item| format!("{} {}", item["status"], item["description"]))
            .collect()
    };
    assert_eq!(states("transcripts/todo_write").len(), 2);
    let lib = edited["transcripts/edit_allowed"].files();
    assert_eq!((lib.len(), lib[0].added, lib[0].removed), (1, 1, 0));
    assert!(edited["transcripts/edit_denied"].files().is_empty());
}

/// Every file has the same lines.
struct Alike;

impl Files for Alike {
    fn read(&self, _: &str) -> Option<String> {
        Some("a\nb\nc\n".to_owned())
    }
}

#[test]
fn a_subagent_s_edit_keeps_the_place_that_its_question_found() {
    let input = json!({ "file_path": "/p/a.rs", "old_string": "b", "new_string": "B" });
    let lines = [
        json!({ "type": "assistant", "parent_tool_use_id": "agent", "uuid": "u1", "session_id": "s",
            "message": { "id": "m", "role": "assistant", "content": [{ "type": "tool_use", "id": "t", "name": "Edit", "input": input }] } }),
        json!({ "type": "control_request", "request_id": "q", "request": { "subtype": "can_use_tool", "tool_name": "Edit",
            "input": input, "tool_use_id": "t", "agent_id": "a" } }),
        json!({ "type": "user", "parent_tool_use_id": "agent", "uuid": "u2", "session_id": "s", "message": { "role": "user",
            "content": [{ "type": "tool_result", "tool_use_id": "t", "content": "The file /p/a.rs has been updated successfully." }] } }),
    ];
    let mut transcript = Transcript::new(Box::new(Alike));
    let mut out = Vec::new();
    for line in lines {
        transcript.cli_line(line.to_string().as_bytes(), &mut out);
    }
    let ended = out.iter().find_map(|emitted| match &emitted.body {
        EventBody::ToolUpdate(call) => Some(serde_json::to_value(&call.normalized).unwrap()),
        _ => None,
    });
    let mutation = &ended.unwrap()["modify_file"]["mutations"][0];
    assert_eq!(
        mutation["diff"],
        "--- /p/a.rs\n+++ /p/a.rs\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    );
    assert_eq!(mutation["start_line"], 2);
}
