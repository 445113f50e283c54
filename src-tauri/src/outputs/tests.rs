#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use kandev_store::{Projects, Source, Store, StoredSession};
use serde_json::{Value, json};

use super::*;
use crate::records::Records;
use crate::sessions::Equipment;

const AT: &str = "2026-11-30T10:00:00.000Z";
const CLI: &str = "0b7a-cli";

struct Desk {
    home: tempfile::TempDir,
    sessions: Sessions,
    outputs: Outputs,
    said: std::cell::Cell<u64>,
}

/// A session `s` whose workspace is `work`, with the CLI's folder beside it.
async fn desk() -> Desk {
    let home = tempfile::tempdir().unwrap();
    for folder in ["work", "claude/projects/-work/tool-results", "secret"] {
        fs::create_dir_all(home.path().join(folder)).unwrap();
    }
    let store = Store::open(&home.path().join("data")).store;
    let workspace = home.path().join("work").to_string_lossy().into_owned();
    let row = StoredSession {
        workspace,
        cli_session_id: Some(CLI.to_owned()),
        ..StoredSession::bare("s", Source::Kandev, AT)
    };
    store.put(&row).unwrap();
    let projects = Projects::at([home.path().join("claude")]);
    Desk {
        sessions: Sessions::new(Equipment::default(), Records::new(store, projects)),
        home,
        outputs: Outputs::default(),
        said: std::cell::Cell::new(0),
    }
}

impl Desk {
    async fn say(&self, mut body: Value) {
        self.said.set(self.said.get() + 1);
        body["seq"] = json!(self.said.get());
        body["at"] = json!(AT);
        body["session_id"] = json!(CLI);
        let event = Arc::new(serde_json::from_value(body).unwrap());
        let append = move |store: &Store| store.append("s", vec![event]);
        self.sessions.records().with(append).await.unwrap();
    }

    async fn bash(&self, id: &str, status: &str, stdout: &str, more: Value) {
        let mut output = json!({
            "exit_code": 0, "stdout": stdout, "stderr": "to stderr", "interrupted": false, "truncated": false,
        });
        output
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        self.say(json!({
            "type": "tool_update", "tool_call_id": id, "tool_name": "Bash", "tool_title": "Bash", "tool_status": status,
            "normalized": { "kind": "shell_exec", "shell_exec": {
                "command": "c", "work_dir": null, "description": null, "timeout": null, "background": false, "output": output,
            } },
        }))
        .await;
    }

    async fn stored(&self, path: &Path) -> OutputSource {
        let id = format!("stored-{}", self.said.get());
        self.bash(
            &id,
            "complete",
            "the beginning",
            json!({ "full_output_path": path }),
        )
        .await;
        OutputSource::Stored { tool_call_id: id }
    }

    async fn part(&self, source: &OutputSource, from: i32, count: u32) -> OutputPart {
        let part = self
            .outputs
            .part(&self.sessions, "s", source.clone(), from, count);
        part.await.unwrap()
    }

    async fn find(&self, source: &OutputSource, words: &str, limit: u32) -> OutputHits {
        let hits = self
            .outputs
            .hits(&self.sessions, "s", source.clone(), words, limit);
        hits.await.unwrap()
    }

    async fn text(&self, source: &OutputSource) -> Result<String, CommandError> {
        self.outputs.text(&self.sessions, "s", source.clone()).await
    }

    async fn save(&self, source: &OutputSource) -> String {
        let saved = self
            .outputs
            .save(&self.sessions, "s", source.clone(), None)
            .await;
        saved.unwrap().path
    }

    fn results(&self) -> PathBuf {
        self.home.path().join("claude/projects/-work/tool-results")
    }
}

fn call(id: &str, stream: OutputStream) -> OutputSource {
    OutputSource::Call {
        tool_call_id: id.to_owned(),
        stream,
    }
}

fn texts(part: &OutputPart) -> Vec<String> {
    let text = |line: &kandev_transcript::screen::OutputLine| {
        line.runs.iter().map(|run| run.text.as_str()).collect()
    };
    part.lines.iter().map(text).collect()
}

fn numbered(lines: usize) -> String {
    (0..lines)
        .map(|n| format!("\u{1b}[32mline\u{1b}[0m {n}\n"))
        .collect()
}

#[tokio::test]
async fn a_call_is_read_by_ranges_from_both_ends_and_as_new_as_it_is() {
    let desk = desk().await;
    let source = call("t", OutputStream::Stdout);
    desk.bash("t", "running", &numbered(10), json!({})).await;
    let part = desk.part(&source, 0, 100).await;
    assert_eq!((part.total, part.done), (10, false), "more may come");
    desk.bash("t", "complete", &numbered(5_000), json!({}))
        .await;
    let part = desk.part(&source, 4_000, 2).await;
    assert_eq!(texts(&part), ["line 4000", "line 4001"]);
    assert_eq!((part.from, part.total, part.done), (4_000, 5_000, true));
    let part = desk.part(&source, -3, 10).await;
    assert_eq!(
        (part.from, texts(&part)),
        (
            4_997,
            vec!["line 4997".into(), "line 4998".into(), "line 4999".into()]
        )
    );
    assert_eq!(desk.part(&source, 0, 1 << 30).await.lines.len(), 2_000);
    assert!(desk.part(&source, 9_999, 5).await.lines.is_empty());
    assert_eq!(
        texts(&desk.part(&call("t", OutputStream::Stderr), 0, 5).await),
        ["to stderr"]
    );
    for unknown in [
        call("gone", OutputStream::Stdout),
        OutputSource::Task {
            task_id: "gone".into(),
        },
    ] {
        let error = desk
            .outputs
            .part(&desk.sessions, "s", unknown, 0, 1)
            .await
            .unwrap_err();
        assert_eq!(error.code, "no_output");
    }
    let nowhere = desk
        .outputs
        .part(&desk.sessions, "x", source, 0, 1)
        .await
        .unwrap_err();
    assert_eq!(nowhere.code, "no_such_session");
}

#[tokio::test]
async fn the_text_of_other_tools_is_read_whole() {
    let desk = desk().await;
    let long = "word ".repeat(30_000);
    desk.say(json!({
        "type": "tool_update", "tool_call_id": "m", "tool_name": "mcp__s__t", "tool_title": "t", "tool_status": "complete",
        "normalized": { "kind": "mcp_tool", "mcp_tool": { "server": "s", "tool": "t", "input": {}, "output": [
            { "type": "text", "text": "first" }, { "type": "text", "text": long },
        ] } },
    }))
    .await;
    let text = desk.text(&call("m", OutputStream::Text)).await.unwrap();
    assert_eq!(text, format!("first\n{long}"));
}

#[tokio::test]
async fn only_files_where_the_cli_keeps_outputs_are_opened() {
    let desk = desk().await;
    let secret = desk.home.path().join("secret/key");
    fs::write(&secret, "secret").unwrap();
    let inside = desk.results().join("a.txt");
    fs::write(&inside, "whole output\n").unwrap();
    let work = desk.home.path().join("work/out.txt");
    fs::write(&work, "of the workspace").unwrap();
    for (path, text) in [(&inside, "whole output"), (&work, "of the workspace")] {
        let source = desk.stored(path).await;
        let part = desk.part(&source, 0, 10).await;
        assert_eq!((texts(&part), part.done), (vec![text.to_owned()], true));
    }
    let mut outside = vec![
        secret.clone(),
        desk.results().join("../../../../secret/key"),
        PathBuf::from("secret/key"),
        desk.home.path().join("claude/settings.json"),
    ];
    fs::write(&outside[3], "{}").unwrap();
    #[cfg(unix)]
    {
        let link = desk.results().join("link.txt");
        std::os::unix::fs::symlink(&secret, &link).unwrap();
        outside.push(link);
    }
    for path in outside {
        let source = desk.stored(&path).await;
        let part = desk.part(&source, 0, 10).await;
        assert!(
            part.problem.as_ref().unwrap().contains("not where"),
            "{}",
            path.display()
        );
        assert!(part.lines.is_empty() && part.done);
        assert_eq!(desk.text(&source).await.unwrap_err().code, "not_readable");
        assert_eq!(desk.find(&source, "secret", 5).await, OutputHits::default());
    }
    let gone = desk.stored(&desk.results().join("gone.txt")).await;
    assert!(
        desk.part(&gone, 0, 1)
            .await
            .problem
            .unwrap()
            .contains("not there any more")
    );
    let folder = desk.stored(&desk.results()).await;
    assert!(desk.part(&folder, 0, 1).await.problem.is_some());
}

#[tokio::test]
async fn a_task_is_read_as_it_grows_from_the_file_that_the_cli_named() {
    let desk = desk().await;
    let tasks = desk
        .home
        .path()
        .join(format!("cache/claude-0/-work/{CLI}/tasks"));
    fs::create_dir_all(&tasks).unwrap();
    let file = tasks.join("b1.output");
    fs::write(&file, "one\ntw").unwrap();
    let said = format!(
        "Command running in background with ID: b1. Output is being written to: {}. You will be notified when it completes.",
        file.display()
    );
    desk.bash("t", "complete", "", json!({ "note": said }))
        .await;
    desk.say(json!({ "type": "task_started", "task_id": "b1", "tool_use_id": "t", "is_backgrounded": true })).await;
    let source = OutputSource::Task {
        task_id: "b1".into(),
    };
    let part = desk.part(&source, 0, 10).await;
    assert_eq!(
        (texts(&part), part.bytes),
        (vec!["one".to_owned(), "tw".to_owned()], 6)
    );
    let mut open = fs::OpenOptions::new().append(true).open(&file).unwrap();
    open.write_all(b"o\rTWO\nthree\n").unwrap();
    let part = desk.part(&source, -2, 10).await;
    assert_eq!(
        (texts(&part), part.total),
        (vec!["TWO".to_owned(), "three".to_owned()], 3)
    );
    fs::write(&file, "anew\n").unwrap();
    assert_eq!(texts(&desk.part(&source, 0, 10).await), ["anew"]);
    // Whose path is not that of a task of this session is not read.
    for (task, path) in [
        ("b2", tasks.join("b1.output")),
        (
            "b3",
            desk.home
                .path()
                .join("cache/claude-0/-work/another/tasks/b3.output"),
        ),
        ("b4", desk.home.path().join("secret/b4.output")),
    ] {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "secret").unwrap();
        desk.say(json!({ "type": "task_notification", "task_id": task, "status": "completed", "output_file": path })).await;
        let part = desk
            .part(
                &OutputSource::Task {
                    task_id: task.into(),
                },
                0,
                10,
            )
            .await;
        assert!(part.lines.is_empty() && part.problem.is_some(), "{task}");
    }
}

#[tokio::test]
async fn words_are_found_over_the_text_without_escapes() {
    let desk = desk().await;
    let output = format!(
        "{}a \u{1b}[1mNee\u{1b}[0mdle\nneed\rneedle (x)\n",
        numbered(1_000)
    );
    desk.bash("t", "complete", &output, json!({})).await;
    let source = call("t", OutputStream::Stdout);
    let hits = desk.find(&source, "needle", 10).await;
    assert_eq!(
        hits,
        OutputHits {
            lines: vec![1_000, 1_001],
            total: 2,
            more: false
        }
    );
    assert_eq!(desk.find(&source, "(X)", 10).await.lines, [1_001]);
    let many = desk.find(&source, "line", 5).await;
    assert_eq!(
        (many.lines, many.total, many.more),
        (vec![0, 1, 2, 3, 4], 1_000, true)
    );
    assert_eq!(desk.find(&source, "", 5).await, OutputHits::default());
}

#[tokio::test]
async fn an_output_is_copied_and_saved_as_text_and_a_large_one_is_only_saved() {
    let desk = desk().await;
    let output = "\u{1b}[31mred\u{1b}[0m\n10%\r100%\n\ta\tb\n";
    desk.bash("t", "complete", output, json!({})).await;
    let source = call("t", OutputStream::Stdout);
    assert_eq!(desk.text(&source).await.unwrap(), "red\n100%\n\ta\tb");
    let (first, second) = (desk.save(&source).await, desk.save(&source).await);
    assert_ne!(first, second);
    assert!(Path::new(&first).starts_with(desk.home.path().join("data/exports")));
    assert_eq!(fs::read_to_string(first).unwrap(), "red\n100%\n\ta\tb\n");

    let large = desk.results().join("large.txt");
    let line = "0123456789abcdef".repeat(4);
    fs::write(
        &large,
        format!("{line}\n").repeat((TEXT_MAX + (1 << 20)) / 65),
    )
    .unwrap();
    let source = desk.stored(&large).await;
    assert_eq!(desk.text(&source).await.unwrap_err().code, "too_large");
    let part = desk.part(&source, -1, 1).await;
    assert_eq!((texts(&part), part.done), (vec![line], true));
    assert_eq!(
        fs::metadata(desk.save(&source).await).unwrap().len(),
        fs::metadata(&large).unwrap().len()
    );
}

#[tokio::test]
async fn of_a_huge_line_the_beginning_is_shown_and_all_of_it_is_copied() {
    let desk = desk().await;
    let output = format!("{}\nnext\n", "x".repeat(1 << 20));
    desk.bash("t", "complete", &output, json!({})).await;
    let source = call("t", OutputStream::Stdout);
    let part = desk.part(&source, 0, 2).await;
    assert_eq!(
        (texts(&part)[0].len(), part.lines[0].cut),
        (10_000, Some((1 << 20) - 10_000))
    );
    assert_eq!(desk.text(&source).await.unwrap() + "\n", output);
}

#[tokio::test(start_paused = true)]
async fn what_nobody_reads_any_more_is_let_go() {
    let cache = Cache::default();
    let key = |n: u64| Key {
        session: format!("s{n}"),
        source: OutputSource::Stored {
            tool_call_id: "t".into(),
        },
        version: 0,
    };
    for n in 0..40 {
        cache.put(key(n), Reader::of_text("text".to_owned()));
    }
    assert!(cache.len() <= 16 && cache.get(&key(39)).is_some());
    for n in 40..44 {
        cache.put(key(n), Reader::of_text("x".repeat(40 << 20)));
    }
    assert_eq!(cache.len(), 1, "texts count by their size");
    tokio::time::sleep(cache::IDLE / 2).await;
    assert!(cache.get(&key(43)).is_some());
    tokio::time::sleep(cache::IDLE / 2 + Duration::from_secs(1)).await;
    assert_eq!(cache.len(), 1, "it was looked at meanwhile");
    tokio::time::sleep(cache::IDLE).await;
    assert_eq!(cache.len(), 0);
}
