use serde_json::{Value, json};

use super::*;

fn read(output: Value) -> Value {
    let mut all = json!({ "content": "", "line_count": null, "truncated": false, "language": "rust", "image": null });
    if output.is_null() {
        all = Value::Null;
    } else {
        all.as_object_mut()
            .unwrap()
            .extend(output.as_object().unwrap().clone());
    }
    json!({ "read_file": { "file_path": "/p/a.rs", "offset": null, "limit": null, "output": all } })
}

fn path() -> Value {
    json!({ "file_path": "/p/a.rs" })
}

fn text(content: &str, lines: u64, start: u64, total: u64) -> Back {
    let file = json!({ "filePath": "/p/a.rs", "content": content, "numLines": lines, "startLine": start, "totalLines": total });
    back(
        json!("1\tnot this"),
        json!({ "type": "text", "file": file }),
    )
}

#[test]
fn a_file_is_read() {
    assert_eq!(before("Read", path()), read(Value::Null));
    let got = after(
        "Read",
        path(),
        &text(
            "a\n<system-reminder>of the file</system-reminder>\n",
            3,
            1,
            3,
        ),
    );
    let want = json!({ "content": "a\n<system-reminder>of the file</system-reminder>\n", "line_count": 3 });
    assert_eq!(got, read(want));
}

#[test]
fn a_part_is_truncated_only_if_more_was_wanted() {
    let got = after("Read", path(), &text("a", 2000, 1, 5000));
    assert_eq!(got["read_file"]["output"]["truncated"], true);
    let part = json!({ "file_path": "/p/a.rs", "offset": 5, "limit": 3 });
    let got = after("Read", part, &text("b\nc\nd", 3, 5, 12));
    let mut want = read(json!({ "content": "b\nc\nd", "line_count": 3 }));
    want["read_file"]["offset"] = json!(5);
    want["read_file"]["limit"] = json!(3);
    assert_eq!(got, want);
}

#[test]
fn line_numbers_and_reminders_of_the_texts_for_the_model_are_taken_off() {
    let reminder = "<system-reminder>\nlook out\n</system-reminder>";
    for (text, content, lines) in [
        (
            format!("     1→a\n     2→\n    3→\tb\n    4→\n\n{reminder}\n"),
            "a\n\n\tb\n",
            json!(4),
        ),
        (
            format!("1\ta\n2\t3\tb\n3\t\n\n{reminder}\n"),
            "a\n3\tb\n",
            json!(3),
        ),
        ("9\tx\n10\ty".to_owned(), "x\ny", json!(2)),
        ("1\ta\nstray\n2\tb".to_owned(), "a\nstray\nb", json!(2)),
        (reminder.to_owned(), "", Value::Null),
        ("plain".to_owned(), "plain", Value::Null),
    ] {
        let got = after("Read", path(), &told(json!(text)));
        assert_eq!(
            got,
            read(json!({ "content": content, "line_count": lines })),
            "{text:?}"
        );
    }
}

#[test]
fn an_image_comes_from_the_data_or_from_the_block() {
    let image = json!({ "media_type": "image/png", "data": "AAAA" });
    let want = read(json!({ "image": image }));
    let block = json!([{ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } }]);
    let own = json!({ "type": "image", "file": { "base64": "AAAA", "type": "image/png", "originalSize": 3 } });
    assert_eq!(after("Read", path(), &back(block.clone(), own)), want);
    assert_eq!(after("Read", path(), &told(block)), want);
}

#[test]
fn a_notebook_shows_its_cells_as_the_model_saw_them() {
    let cells = json!([{ "type": "text", "text": "<cell id=\"c1\">print(1)</cell id=\"c1\">" }]);
    let own = json!({ "type": "notebook", "file": { "filePath": "/p/n.ipynb", "cells": [] } });
    let want = json!({ "read_file": { "file_path": "/p/n.ipynb", "offset": null, "limit": null, "output": {
        "content": "<cell id=\"c1\">print(1)</cell id=\"c1\">", "line_count": null, "truncated": false, "language": null, "image": null,
    } } });
    assert_eq!(
        after(
            "Read",
            json!({ "file_path": "/p/n.ipynb" }),
            &back(cells.clone(), own)
        ),
        want
    );
    assert_eq!(
        after(
            "NotebookRead",
            json!({ "notebook_path": "/p/n.ipynb" }),
            &told(cells)
        ),
        want
    );
}

#[test]
fn a_file_that_cannot_be_read_says_why() {
    let mut want = read(Value::Null);
    want["read_file"]["error"] = json!("File does not exist.");
    assert_eq!(after("Read", path(), &failed("File does not exist.")), want);
}

fn search(fields: Value, output: Value) -> Value {
    let mut all = json!({ "query": null, "pattern": null, "path": null, "glob": null });
    all.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    all["output"] = output;
    json!({ "code_search": all })
}

fn listed(files: &[&str]) -> Value {
    json!({ "files": files, "file_count": files.len(), "truncated": false, "content": null })
}

#[test]
fn glob_lists_files() {
    let input = json!({ "pattern": "**/*.rs", "path": "src" });
    let asked = json!({ "pattern": "**/*.rs", "path": "src" });
    let own = json!({ "filenames": ["a.rs", "b.rs"], "numFiles": 2, "truncated": false, "totalMatches": 2 });
    assert_eq!(
        after("Glob", input.clone(), &back(json!("a.rs\nb.rs"), own)),
        search(asked.clone(), listed(&["a.rs", "b.rs"]))
    );
    for (text, files) in [
        ("a.rs\nb.rs", &["a.rs", "b.rs"][..]),
        ("No files found", &[]),
    ] {
        assert_eq!(
            after("Glob", input.clone(), &told(json!(text))),
            search(asked.clone(), listed(files))
        );
    }
    let cut = "a.rs\n(Results are truncated. Consider using a more specific path or pattern.)";
    let mut want = listed(&["a.rs"]);
    want["truncated"] = json!(true);
    assert_eq!(after("Glob", input, &told(json!(cut))), search(asked, want));
}

#[test]
fn grep_lists_files_or_shows_lines() {
    let input = json!({ "pattern": "fn ", "glob": "*.rs", "output_mode": "content", "-n": true });
    let asked = json!({ "pattern": "fn ", "glob": "*.rs" });
    let lines = json!({ "mode": "content", "numFiles": 0, "filenames": [], "content": "a.rs:1:fn a()", "numLines": 1, "totalLines": 9 });
    assert_eq!(
        after("Grep", input.clone(), &back(json!("a.rs:1:fn a()"), lines)),
        search(
            asked.clone(),
            json!({ "files": [], "file_count": 0, "truncated": true, "content": "a.rs:1:fn a()" })
        )
    );
    assert_eq!(
        after(
            "Grep",
            input.clone(),
            &told(json!("Found 2 files\na.rs\nb.rs"))
        ),
        search(asked.clone(), listed(&["a.rs", "b.rs"]))
    );
    assert_eq!(
        after("Grep", input, &told(json!("a.rs:1:fn a()"))),
        search(
            asked,
            json!({ "files": [], "file_count": null, "truncated": false, "content": "a.rs:1:fn a()" })
        )
    );
}

#[test]
fn a_folder_s_list_is_shown_as_it_came() {
    assert_eq!(
        after(
            "LS",
            json!({ "path": "/p" }),
            &told(json!("- /p/\n  - a.rs\n"))
        ),
        search(
            json!({ "path": "/p" }),
            json!({ "files": [], "file_count": null, "truncated": false, "content": "- /p/\n  - a.rs\n" })
        )
    );
}

#[test]
fn a_search_for_tools_names_them() {
    let input = json!({ "query": "select:A,B" });
    let blocks = json!([{ "type": "tool_reference", "tool_name": "A" }, { "type": "tool_reference", "tool_name": "B" }]);
    let want = search(
        json!({ "query": "select:A,B" }),
        json!({ "files": [], "file_count": null, "truncated": false, "content": "A\nB" }),
    );
    let own = json!({ "matches": ["A", "B"], "query": "select:A,B", "total_deferred_tools": 9 });
    assert_eq!(
        after("ToolSearch", input.clone(), &back(blocks.clone(), own)),
        want
    );
    assert_eq!(after("ToolSearch", input, &told(blocks)), want);
}

#[test]
fn a_failed_search_says_why() {
    let mut want = search(json!({ "pattern": "(" }), Value::Null);
    want["code_search"]["error"] = json!("regex parse error");
    assert_eq!(
        after(
            "Grep",
            json!({ "pattern": "(" }),
            &failed("regex parse error")
        ),
        want
    );
}

fn http(fields: Value) -> Value {
    let mut all = json!({ "url": null, "method": null, "query": null, "response": null, "status": null, "is_error": false });
    all.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    json!({ "http_request": all })
}

#[test]
fn a_page_is_fetched() {
    let input = json!({ "url": "https://x/", "prompt": "Summarise" });
    let own = json!({ "bytes": 56, "code": 200, "codeText": "OK", "result": "It says hello.", "durationMs": 21, "url": "https://x/" });
    let asked = json!({ "url": "https://x/", "method": "GET", "query": "Summarise" });
    let with = |more: Value| {
        let mut all = asked.clone();
        all.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        http(all)
    };
    assert_eq!(
        after(
            "WebFetch",
            input.clone(),
            &back(json!("It says hello."), own)
        ),
        with(json!({ "response": "It says hello.", "status": 200 }))
    );
    assert_eq!(
        after("WebFetch", input.clone(), &told(json!("It says hello."))),
        with(json!({ "response": "It says hello." }))
    );
    assert_eq!(
        after("WebFetch", input, &failed("No such host")),
        with(json!({ "response": "No such host", "is_error": true }))
    );
}

#[test]
fn a_web_search_shows_texts_and_links() {
    let own = json!({ "query": "q", "searchCount": 1, "results": [
        "Found these.", { "tool_use_id": "s1", "content": [{ "title": "A", "url": "https://a" }, { "title": "B", "url": "https://b" }] },
    ] });
    assert_eq!(
        after(
            "WebSearch",
            json!({ "query": "q" }),
            &back(json!("for the model"), own)
        ),
        http(
            json!({ "query": "q", "response": "Found these.\n\n- [A](https://a)\n- [B](https://b)" })
        )
    );
}
