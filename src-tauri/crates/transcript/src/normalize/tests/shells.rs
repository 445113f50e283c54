use serde_json::{Value, json};

use super::*;

fn bash() -> Value {
    json!({ "command": "make", "description": "Build", "timeout": 5000 })
}

fn own(fields: Value) -> Value {
    let mut own = json!({ "stdout": "", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false });
    own.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    own
}

/// The detail of the command above, with what is given in place of the plain values.
fn ran(call: Value, output: Value) -> Value {
    let mut detail = json!({ "command": "make", "work_dir": null, "description": "Build", "timeout": 5000, "background": false });
    detail
        .as_object_mut()
        .unwrap()
        .extend(call.as_object().unwrap().clone());
    let mut all = json!({ "exit_code": null, "stdout": "", "stderr": "", "interrupted": false, "truncated": false });
    if output.is_null() {
        all = Value::Null;
    } else {
        all.as_object_mut()
            .unwrap()
            .extend(output.as_object().unwrap().clone());
    }
    detail["output"] = all;
    json!({ "shell_exec": detail })
}

#[test]
fn a_command_that_runs_has_no_output_yet() {
    assert_eq!(before("Bash", bash()), ran(json!({}), Value::Null));
}

#[test]
fn a_command_that_did_well_exits_with_0() {
    let own = own(json!({ "stdout": "\u{1b}[1mok\u{1b}[0m\r\n", "stderr": "warn" }));
    let got = after("Bash", bash(), &back(json!("ok"), own));
    let want = json!({ "exit_code": 0, "stdout": "\u{1b}[1mok\u{1b}[0m\r\n", "stderr": "warn" });
    assert_eq!(got, ran(json!({}), want));
}

#[test]
fn a_code_that_the_cli_explains_is_not_known() {
    let own = own(json!({ "returnCodeInterpretation": "No matches found" }));
    let got = after("Bash", bash(), &back(json!(""), own));
    assert_eq!(got, ran(json!({}), json!({ "note": "No matches found" })));
}

#[test]
fn a_failed_command_has_its_code_and_its_output() {
    for (text, code, stdout) in [
        (
            "Exit code 3\nto-stdout\nto-stderr",
            json!(3),
            "to-stdout\nto-stderr",
        ),
        ("Exit code 1", json!(1), ""),
        ("Exit code 3221225786\n", json!(3_221_225_786_u64), ""),
        (
            "The user does not want that.",
            Value::Null,
            "The user does not want that.",
        ),
        ("Exit code unknown\nx", Value::Null, "Exit code unknown\nx"),
        (
            "<tool_use_error>Exit code 3</tool_use_error>",
            Value::Null,
            "Exit code 3",
        ),
        ("", Value::Null, "The tool failed and did not say why."),
    ] {
        let got = after("Bash", bash(), &failed(text));
        assert_eq!(
            got,
            ran(json!({}), json!({ "exit_code": code, "stdout": stdout })),
            "{text:?}"
        );
    }
}

#[test]
fn a_stopped_command_was_interrupted_and_a_refused_one_was_not() {
    let stop = |text: &str| Back {
        is_error: true,
        ..back(json!(text), json!("User rejected tool use"))
    };
    let ran_into = "STOP. Correction to the text above: this call was stopped while running, not refused before it ran.";
    let got = after("Bash", bash(), &stop(ran_into));
    assert_eq!(
        got,
        ran(
            json!({}),
            json!({ "stdout": ran_into, "interrupted": true })
        )
    );
    let got = after("Bash", bash(), &stop("The tool use was rejected."));
    assert_eq!(
        got,
        ran(json!({}), json!({ "stdout": "The tool use was rejected." }))
    );
}

#[test]
fn an_interrupted_command_has_no_code() {
    let own = own(json!({ "stdout": "half", "interrupted": true }));
    let got = after("Bash", bash(), &back(json!("half"), own));
    assert_eq!(
        got,
        ran(json!({}), json!({ "stdout": "half", "interrupted": true }))
    );
}

#[test]
fn an_output_that_was_cut_says_where_all_of_it_is() {
    let own = own(
        json!({ "stdout": "1\n2\n", "persistedOutputPath": "/t/out.txt", "persistedOutputSize": 99999 }),
    );
    let got = after("Bash", bash(), &back(json!("<persisted-output>\n..."), own));
    let want = json!({ "exit_code": 0, "stdout": "1\n2\n", "truncated": true, "full_output_path": "/t/out.txt" });
    assert_eq!(got, ran(json!({}), want));
    let got = after("Bash", bash(), &told(json!("<persisted-output>\n...")));
    assert_eq!(
        got,
        ran(
            json!({}),
            json!({ "stdout": "<persisted-output>\n...", "truncated": true })
        )
    );
}

#[test]
fn where_only_the_model_was_told_of_a_cut_output_its_file_and_beginning_are_known_too() {
    let text = "<persisted-output>\nOutput too large (106.3KB). Full output saved to: /t/out.txt\n\nPreview (first 2KB):\n1\n2\n...\n</persisted-output>";
    let want =
        json!({ "stdout": "1\n2\n...\n", "truncated": true, "full_output_path": "/t/out.txt" });
    let got = after("Bash", bash(), &told(json!(text)));
    assert_eq!(got, ran(json!({}), want.clone()));
    let text = format!("Exit code 3\n{text}");
    let mut want = want;
    want["exit_code"] = json!(3);
    let got = after("Bash", bash(), &failed(&text));
    assert_eq!(got, ran(json!({}), want));
}

#[test]
fn a_command_in_the_background_tells_its_task() {
    let text =
        "Command running in background with ID: b5i. Output is being written to: /t/b5i.output.";
    let mut input = bash();
    input["run_in_background"] = json!(true);
    let background = json!({ "background": true, "task_id": "b5i" });
    let got = after(
        "Bash",
        input.clone(),
        &back(json!(text), own(json!({ "backgroundTaskId": "b5i" }))),
    );
    assert_eq!(got, ran(background.clone(), json!({ "note": text })));
    assert_eq!(
        after("Bash", input, &told(json!(text))),
        ran(background, json!({ "note": text }))
    );
}

#[test]
fn a_command_that_took_too_long_went_to_the_background() {
    let own = own(json!({ "stdout": "start", "backgroundTaskId": "b1", "timedOutAfterMs": 1500 }));
    let got = after(
        "Bash",
        bash(),
        &back(json!("start\nCommand did not complete (ID: b1)."), own),
    );
    let want = json!({ "stdout": "start", "note": "Command did not complete (ID: b1).", "timed_out_ms": 1500 });
    assert_eq!(
        got,
        ran(json!({ "background": true, "task_id": "b1" }), want)
    );
}

#[test]
fn without_the_tool_s_data_the_text_is_the_output() {
    for (text, stdout) in [
        ("hello", "hello"),
        ("(Bash completed with no output)", ""),
        ("", ""),
    ] {
        let got = after("Bash", bash(), &told(json!(text)));
        assert_eq!(got, ran(json!({}), json!({ "stdout": stdout })), "{text:?}");
    }
    let blocks = json!([{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }]);
    assert_eq!(
        after("Bash", bash(), &told(blocks)),
        ran(json!({}), json!({ "stdout": "ab" }))
    );
}

#[test]
fn an_image_on_stdout_is_an_image() {
    let own = own(json!({ "stdout": "data:image/png;base64,AAAA", "isImage": true }));
    let got = after("Bash", bash(), &back(json!([]), own));
    let image = json!({ "media_type": "image/png", "data": "AAAA" });
    let want = json!({ "exit_code": 0, "stdout": "data:image/png;base64,AAAA", "image": image });
    assert_eq!(got, ran(json!({}), want));
}

fn background_shell(description: &str, output: Value) -> Value {
    ran(
        json!({ "command": null, "timeout": null, "description": description, "background": true, "task_id": "bash_1" }),
        output,
    )
}

#[test]
fn the_output_of_a_background_shell_names_the_shell() {
    let text = "<status>failed</status>\n\n<exit_code>2</exit_code>\n\n<stdout>\nout\n</stdout>\n\n<stderr>\nerr\n</stderr>";
    let got = after(
        "BashOutput",
        json!({ "bash_id": "bash_1" }),
        &told(json!(text)),
    );
    let want = json!({ "exit_code": 2, "stdout": "out", "stderr": "err", "note": "failed" });
    assert_eq!(
        got,
        background_shell("Output of background shell bash_1", want)
    );
    let own = json!({ "shellId": "bash_1", "command": "make", "status": "completed", "exitCode": 0, "stdout": "out", "stderr": "" });
    let got = after(
        "BashOutput",
        json!({ "bash_id": "bash_1" }),
        &back(json!(text), own),
    );
    let want = json!({ "exit_code": 0, "stdout": "out" });
    assert_eq!(
        got,
        background_shell("Output of background shell bash_1", want)
    );
}

#[test]
fn a_background_shell_is_stopped() {
    let own = json!({ "message": "Successfully killed shell: bash_1", "shell_id": "bash_1" });
    let got = after(
        "KillShell",
        json!({ "shell_id": "bash_1" }),
        &back(json!("Killed bash_1"), own),
    );
    assert_eq!(
        got,
        background_shell(
            "Stop background shell bash_1",
            json!({ "stdout": "Killed bash_1" })
        )
    );
}

#[test]
fn a_monitor_watches_in_the_background() {
    let input = json!({ "description": "Build", "timeout_ms": 5000, "command": "make" });
    let own = json!({ "taskId": "m1", "timeoutMs": 5000, "persistent": false });
    let got = after("Monitor", input, &back(json!("Monitor started"), own));
    assert_eq!(
        got,
        ran(
            json!({ "background": true, "task_id": "m1" }),
            json!({ "stdout": "Monitor started" })
        )
    );
}
