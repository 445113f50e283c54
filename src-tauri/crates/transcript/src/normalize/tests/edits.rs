use serde_json::{Value, json};

use super::*;

fn edit() -> Value {
    json!({ "file_path": "/p/a.rs", "old_string": "b\n", "new_string": "B\nb\n", "replace_all": false })
}

fn patch(diff: &str, start_line: Value) -> Value {
    json!({ "type": "patch", "content": null, "old_content": "b\n", "new_content": "B\nb\n",
        "diff": diff, "start_line": start_line })
}

fn one(mutation: Value) -> Value {
    json!({ "modify_file": { "file_path": "/p/a.rs", "mutations": [mutation] } })
}

const UNPLACED: &str = "--- /p/a.rs\n+++ /p/a.rs\n@@ -1,1 +1,2 @@\n+B\n b\n";
const PLACED: &str = "--- /p/a.rs\n+++ /p/a.rs\n@@ -11,3 +11,4 @@\n a\n+B\n b\n c\n";

#[test]
fn an_edit_shows_its_strings_without_claiming_a_place() {
    assert_eq!(before("Edit", edit()), one(patch(UNPLACED, Value::Null)));
}

#[test]
fn an_edit_that_was_made_shows_the_cli_s_patch() {
    let own = json!({
        "filePath": "/p/a.rs", "oldString": "b\n", "newString": "B\nb\n", "originalFile": "not read",
        "structuredPatch": [{ "oldStart": 11, "oldLines": 3, "newStart": 11, "newLines": 4, "lines": [" a", "+B", " b", " c"] }],
        "userModified": false, "replaceAll": false,
    });
    let made = after("Edit", edit(), &back(json!("updated"), own));
    assert_eq!(made, one(patch(PLACED, json!(12))));
}

#[test]
fn a_file_with_tabs_gets_the_diff_of_its_own_lines_and_not_of_those_that_the_cli_shows() {
    let shown = json!([{ "oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": ["   a", "-  b", "+  c"] }]);
    let diff = "--- /p/a.rs\n+++ /p/a.rs\n@@ -1,2 +1,2 @@\n \ta\n-\tb\n+\tc\n";
    let own = json!({ "filePath": "/p/a.rs", "oldString": "b", "newString": "c", "originalFile": "\ta\n\tb\n", "structuredPatch": shown });
    let made = after("Edit", edit(), &back(json!("updated"), own));
    assert_eq!(made["modify_file"]["mutations"][0]["diff"], diff);
    let own = json!({ "type": "update", "filePath": "/p/a.rs", "content": "\ta\n\tc\n", "originalFile": "\ta\n\tb\n", "structuredPatch": shown });
    let made = after("Write", write(), &back(json!("updated"), own));
    assert_eq!(made["modify_file"]["mutations"][0]["diff"], diff);
    // Where the file is not told, the patch is all there is.
    let own = json!({ "filePath": "/p/a.rs", "oldString": "b", "newString": "\tc", "originalFile": null, "structuredPatch": shown });
    let made = after("Edit", edit(), &back(json!("updated"), own));
    assert!(
        made["modify_file"]["mutations"][0]["diff"]
            .as_str()
            .unwrap()
            .contains("\n+  c\n")
    );
}

#[test]
fn an_edit_that_the_host_changed_shows_what_was_written() {
    let own = json!({
        "filePath": "/p/a.rs", "oldString": "b\n", "newString": "host\n", "originalFile": "a\nb\n",
        "structuredPatch": [{ "oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": [" a", "-b", "+host"] }],
        "userModified": true, "replaceAll": false,
    });
    let made = after("Edit", edit(), &back(json!("updated"), own));
    assert_eq!(
        made,
        one(
            json!({ "type": "patch", "content": null, "old_content": "b\n", "new_content": "host\n",
            "diff": "--- /p/a.rs\n+++ /p/a.rs\n@@ -1,2 +1,2 @@\n a\n-b\n+host\n", "start_line": 2 })
        )
    );
}

#[test]
fn without_a_patch_the_edit_is_made_on_the_file_as_it_was() {
    let own = json!({ "filePath": "/p/a.rs", "oldString": "b\n", "newString": "B\nb\n", "originalFile": "a\r\nb\r\n",
        "structuredPatch": [], "replaceAll": false });
    let made = after("Edit", edit(), &back(json!("updated"), own));
    assert_eq!(
        made,
        one(patch(
            "--- /p/a.rs\n+++ /p/a.rs\n@@ -1,2 +1,3 @@\n a\n+B\n b\n",
            json!(2)
        ))
    );
}

#[test]
fn an_edit_of_nothing_creates_the_file() {
    let input = json!({ "file_path": "/p/a.rs", "old_string": "", "new_string": "x\n" });
    let created = one(
        json!({ "type": "create", "content": "x\n", "old_content": null, "new_content": "x\n",
        "diff": "--- /dev/null\n+++ /p/a.rs\n@@ -0,0 +1,1 @@\n+x\n", "start_line": 1 }),
    );
    assert_eq!(before("Edit", input.clone()), created);
    let own = json!({ "filePath": "/p/a.rs", "oldString": "", "newString": "x\n", "originalFile": "", "structuredPatch": [] });
    assert_eq!(after("Edit", input, &back(json!("created"), own)), created);
}

#[test]
fn a_failed_edit_keeps_what_was_wanted_and_says_why() {
    let mut want = one(patch(UNPLACED, Value::Null));
    want["modify_file"]["error"] = json!("String to replace not found in file.");
    let refused = "<tool_use_error>String to replace not found in file.</tool_use_error>";
    assert_eq!(after("Edit", edit(), &failed(refused)), want);
}

#[test]
fn the_snippet_of_older_versions_tells_the_place() {
    let text = "The file /p/a.rs has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n    11→a\n    12→B\n    13→b\n    14→c";
    assert_eq!(
        after("Edit", edit(), &told(json!(text))),
        one(patch(PLACED, json!(12)))
    );
}

#[test]
fn without_data_of_the_tool_the_place_is_the_one_that_was_proposed() {
    let mut absolute = edit();
    let mut relative = edit();
    relative["file_path"] = json!("a.rs");
    absolute["file_path"] = json!("/p/a.rs");
    let proposal = proposed("Edit", &absolute, &Disk(Some("a\nb\nc\n")));
    let mut call = start("Edit", &relative);
    place(&mut call, &proposal);
    let updated = told(json!("The file /p/a.rs has been updated successfully."));
    let mut want = shown(proposal);
    want["modify_file"]["file_path"] = json!("a.rs");
    assert_eq!(shown(ended(call, "Edit", &updated)), want);
}

#[test]
fn only_an_edit_takes_the_place_of_a_proposal() {
    let read = start("Read", &json!({ "file_path": "/p/a.rs" }));
    let proposal = proposed("Edit", &edit(), &Disk(None));
    let mut call = read.clone();
    place(&mut call, &proposal);
    assert_eq!(call, read);
}

#[test]
fn a_proposed_edit_shows_its_place_in_the_file() {
    let shown = asked("Edit", edit(), &Disk(Some("a\r\nb\r\nc\r\n")));
    assert_eq!(
        shown,
        one(patch(
            "--- /p/a.rs\n+++ /p/a.rs\n@@ -1,3 +1,4 @@\n a\n+B\n b\n c\n",
            json!(2)
        ))
    );
}

#[test]
fn a_proposed_edit_that_does_not_fit_the_file_claims_no_place_and_says_why() {
    let unplaced = one(patch(UNPLACED, Value::Null));
    assert_eq!(asked("Edit", edit(), &Disk(None)), unplaced);
    for (file, why) in [
        (
            "nothing like it\n",
            "The text to replace is not in the file as it is now.",
        ),
        ("b\nb\n", "The text to replace is in the file 2 times."),
    ] {
        let mut want = unplaced.clone();
        want["modify_file"]["error"] = json!(why);
        assert_eq!(asked("Edit", edit(), &Disk(Some(file))), want, "{file:?}");
    }
}

#[test]
fn what_was_in_the_way_of_a_proposal_is_not_said_of_the_call() {
    let proposal = proposed("Edit", &edit(), &Disk(Some("b\nb\n")));
    let mut call = start("Edit", &edit());
    place(&mut call, &proposal);
    assert_eq!(shown(call), one(patch(UNPLACED, Value::Null)));
}

#[test]
fn a_proposed_edit_of_every_place_shows_them_all() {
    let mut input = edit();
    input["replace_all"] = json!(true);
    let shown = asked("Edit", input, &Disk(Some("b\nx\nb\n")));
    let diff = "--- /p/a.rs\n+++ /p/a.rs\n@@ -1,3 +1,5 @@\n+B\n b\n x\n+B\n b\n";
    assert_eq!(shown, one(patch(diff, json!(1))));
}

#[test]
fn several_edits_show_one_diff_of_the_file_or_one_each() {
    let input = json!({ "file_path": "/p/a.rs", "edits": [
        { "old_string": "a", "new_string": "A" }, { "old_string": "A\nb", "new_string": "A\nB" },
    ] });
    let whole = json!({ "type": "patch", "content": null, "old_content": null, "new_content": null,
        "diff": "--- /p/a.rs\n+++ /p/a.rs\n@@ -1,2 +1,2 @@\n-a\n-b\n+A\n+B\n", "start_line": 1 });
    assert_eq!(
        asked("MultiEdit", input.clone(), &Disk(Some("a\nb\n"))),
        one(whole)
    );
    let each = |old: &str, new: &str, hunk: &str| {
        json!({ "type": "patch", "content": null, "old_content": old, "new_content": new,
            "diff": format!("--- /p/a.rs\n+++ /p/a.rs\n{hunk}"), "start_line": null })
    };
    let end = "\\ No newline at end of file\n";
    assert_eq!(
        asked("MultiEdit", input, &Disk(None)),
        json!({ "modify_file": { "file_path": "/p/a.rs", "mutations": [
            each("a", "A", &format!("@@ -1,1 +1,1 @@\n-a\n{end}+A\n{end}")),
            each("A\nb", "A\nB", &format!("@@ -1,2 +1,2 @@\n A\n-b\n{end}+B\n{end}")),
        ] } })
    );
}

fn write() -> Value {
    json!({ "file_path": "/p/a.rs", "content": "x\ny\n" })
}

fn written(kind: &str, diff: Value, start_line: Value) -> Value {
    one(
        json!({ "type": kind, "content": "x\ny\n", "old_content": null, "new_content": null,
        "diff": diff, "start_line": start_line }),
    )
}

const NEW: &str = "--- /dev/null\n+++ /p/a.rs\n@@ -0,0 +1,2 @@\n+x\n+y\n";
const CHANGED: &str = "--- /p/a.rs\n+++ /p/a.rs\n@@ -1,1 +1,2 @@\n x\n+y\n";

#[test]
fn a_write_is_a_create_or_a_replace_as_the_tool_says() {
    assert_eq!(
        before("Write", write()),
        written("create", Value::Null, Value::Null)
    );
    let own = json!({ "type": "create", "filePath": "/p/a.rs", "content": "x\ny\n", "structuredPatch": [], "originalFile": null });
    assert_eq!(
        after("Write", write(), &back(json!("File created"), own)),
        written("create", json!(NEW), json!(1))
    );
    let own = json!({ "type": "update", "filePath": "/p/a.rs", "content": "x\ny\n", "originalFile": "not read",
        "structuredPatch": [{ "oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 2, "lines": [" x", "+y"] }] });
    assert_eq!(
        after("Write", write(), &back(json!("updated"), own)),
        written("replace", json!(CHANGED), json!(2))
    );
}

#[test]
fn a_write_without_a_patch_is_compared_with_the_file_as_it_was() {
    let own = |original: Value| json!({ "type": "update", "filePath": "/p/a.rs", "content": "x\ny\n", "structuredPatch": [], "originalFile": original });
    let made = |original: Value| after("Write", write(), &back(json!("updated"), own(original)));
    assert_eq!(
        made(json!("x\n")),
        written("replace", json!(CHANGED), json!(2))
    );
    assert_eq!(
        made(json!("x\ny\n")),
        written("replace", Value::Null, Value::Null),
        "nothing changed"
    );
    assert_eq!(
        made(Value::Null),
        written("replace", Value::Null, Value::Null),
        "not told"
    );
}

#[test]
fn older_versions_tell_in_words_whether_a_write_was_new() {
    let new = "File created successfully at: /p/a.rs";
    assert_eq!(
        after("Write", write(), &told(json!(new))),
        written("create", json!(NEW), json!(1))
    );
    let old = "The file /p/a.rs has been updated. Here's the result of running `cat -n`";
    assert_eq!(
        after("Write", write(), &told(json!(old))),
        written("replace", Value::Null, Value::Null)
    );
}

#[test]
fn a_proposed_write_shows_what_it_would_change() {
    assert_eq!(
        asked("Write", write(), &Disk(None)),
        written("create", json!(NEW), json!(1))
    );
    assert_eq!(
        asked("Write", write(), &Disk(Some("x\r\n"))),
        written("replace", json!(CHANGED), json!(2))
    );
}

#[test]
fn a_path_that_the_tool_resolved_is_told_beside_the_asked_one() {
    let input = json!({ "file_path": "a.rs", "content": "x\n" });
    let own = json!({ "type": "create", "filePath": "/p/a.rs", "content": "x\n", "structuredPatch": [], "originalFile": null });
    let made = after("Write", input, &back(json!("File created"), own));
    assert_eq!(made["modify_file"]["file_path"], "a.rs");
    assert_eq!(made["modify_file"]["resolved_path"], "/p/a.rs");
}

const NOTEBOOK: &str = r#"{"cells": [{"cell_type": "code", "id": "c1", "source": ["print(1)\n", "x"], "outputs": [], "execution_count": null}, {"cell_type": "markdown", "source": "t"}], "nbformat": 4}"#;

#[test]
fn a_notebook_s_diff_shows_the_change_and_not_the_layout() {
    let input = json!({ "notebook_path": "/p/n.ipynb", "cell_id": "c1", "new_source": "print(2)", "edit_mode": "replace" });
    let updated = "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"id\": \"c1\",\n   \"source\": \"print(2)\",\n   \"outputs\": [],\n   \"execution_count\": null\n  },\n  {\n   \"cell_type\": \"markdown\",\n   \"source\": \"t\"\n  }\n ],\n \"nbformat\": 4\n}";
    let own = json!({ "new_source": "print(2)", "old_source": "print(1)\nx", "edit_mode": "replace", "cell_id": "c1", "error": "",
        "notebook_path": "/p/n.ipynb", "original_file": NOTEBOOK, "updated_file": updated });
    let diff = "--- /p/n.ipynb\n+++ /p/n.ipynb\n@@ -3,10 +3,7 @@ cell 1, python\n   {\n    \"cell_type\": \"code\",\n    \"id\": \"c1\",\n-   \"source\": [\n-    \"print(1)\\n\",\n-    \"x\"\n-   ],\n+   \"source\": \"print(2)\",\n    \"outputs\": [],\n    \"execution_count\": null\n   },\n";
    let want = json!({ "modify_file": { "file_path": "/p/n.ipynb", "mutations": [{ "type": "patch", "content": null,
        "old_content": "print(1)\nx", "new_content": "print(2)", "diff": diff, "start_line": 6 }] } });
    assert_eq!(
        after(
            "NotebookEdit",
            input.clone(),
            &back(json!("Updated cell c1"), own)
        ),
        want
    );
    assert_eq!(
        asked("NotebookEdit", input, &Disk(Some(NOTEBOOK))),
        want,
        "and so does the proposal"
    );
}

#[test]
fn cells_are_put_in_and_taken_out() {
    let put = json!({ "notebook_path": "/p/n.ipynb", "cell_id": "c1", "new_source": "# T", "cell_type": "markdown", "edit_mode": "insert" });
    let shown = asked("NotebookEdit", put, &Disk(Some(NOTEBOOK)));
    let mutation = &shown["modify_file"]["mutations"][0];
    assert_eq!(
        (&mutation["old_content"], &mutation["new_content"]),
        (&Value::Null, &json!("# T"))
    );
    let diff = mutation["diff"].as_str().unwrap();
    assert!(diff.contains(" @@ cell 2, markdown\n"), "{diff}");
    assert!(
        diff.contains("+   \"source\": \"# T\"") && !diff.contains("\n-"),
        "{diff}"
    );
    let out = json!({ "notebook_path": "/p/n.ipynb", "cell_id": "cell-1", "new_source": "", "edit_mode": "delete" });
    let shown = asked("NotebookEdit", out, &Disk(Some(NOTEBOOK)));
    let mutation = &shown["modify_file"]["mutations"][0];
    assert_eq!(
        (&mutation["old_content"], &mutation["new_content"]),
        (&json!("t"), &json!(""))
    );
    let diff = mutation["diff"].as_str().unwrap();
    assert!(
        diff.contains("-   \"source\": \"t\"") && !diff.contains("\n+ "),
        "{diff}"
    );
}

#[test]
fn a_notebook_without_its_file_shows_the_sources() {
    let input = json!({ "notebook_path": "/p/n.ipynb", "cell_id": "c1", "new_source": "b\n" });
    let own = json!({ "new_source": "b\n", "old_source": "a\n", "edit_mode": "replace", "notebook_path": "/p/n.ipynb" });
    assert_eq!(
        after("NotebookEdit", input, &back(json!("Updated cell c1"), own)),
        json!({ "modify_file": { "file_path": "/p/n.ipynb", "mutations": [{ "type": "patch", "content": null, "old_content": "a\n",
            "new_content": "b\n", "diff": "--- /p/n.ipynb\n+++ /p/n.ipynb\n@@ -1,1 +1,1 @@\n-a\n+b\n", "start_line": null }] } })
    );
}
