//! Bad manners on demand.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use support::{Host, allow, recording};

fn start(words: &str, speed: &str) -> Host {
    Host::start(&["--misbehave", words, "--speed", speed], &[])
}

#[test]
fn it_exits_at_once_with_words() {
    let (status, errors) = start("exit-at-once:cannot find the moon", "max").end();
    assert_eq!(status.code(), Some(1));
    assert_eq!(errors, "cannot find the moon\n");
}

#[test]
fn it_hangs_at_initialize() {
    let mut host = start("hang-at-initialize", "max");
    host.request("init", &json!({"subtype": "initialize"}));
    host.close();
    assert!(host.is_running());
    host.end_by_kill();
}

#[test]
fn it_dies_in_mid_turn() {
    for source in [
        vec![],
        vec!["--recording".to_owned(), recording("edit_allowed")],
    ] {
        let mut args: Vec<&str> = source.iter().map(String::as_str).collect();
        args.extend(["--speed", "max", "--misbehave", "die:7,after:4"]);
        let mut host = Host::start(&args, &[]);
        host.initialize();
        host.prompt("Hello");
        let mut lines = 0;
        while host.line().is_some() {
            lines += 1;
        }
        assert_eq!(lines, 4);
        let (status, errors) = host.end();
        assert_eq!(status.code(), Some(7));
        assert!(errors.contains("mid-turn"));
    }
}

#[cfg(unix)]
#[test]
fn it_dies_by_a_signal() {
    let mut host = start("die:SIGKILL", "max");
    host.initialize();
    host.prompt("Hello");
    let (status, _) = host.end();
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&status),
        Some(9)
    );
}

#[test]
fn it_hangs_in_mid_turn() {
    let mut host = start("hang-mid-turn,after:3", "max");
    host.initialize();
    host.prompt("Hello");
    for _ in 0..3 {
        host.line().unwrap();
    }
    host.close();
    assert!(host.is_running());
    host.end_by_kill();
}

#[test]
fn split_lines_are_whole_lines_when_they_are_put_together() {
    let mut host = start("split", "max");
    host.initialize();
    host.prompt("search");
    assert_eq!(host.turn(allow)["is_error"], false);
    host.close();
    host.end();
}

#[test]
fn garbage_stands_between_the_lines() {
    let mut host = start("garbage", "max");
    host.request("init", &json!({"subtype": "initialize"}));
    host.prompt("image");
    host.close();
    let mut lines = Vec::new();
    while let Some(line) = host.raw() {
        lines.push(line);
    }
    let bad = lines
        .iter()
        .filter(|line| serde_json::from_slice::<Value>(line).is_err())
        .count();
    let results = lines
        .iter()
        .filter(|line| {
            serde_json::from_slice::<Value>(line).is_ok_and(|line| line["type"] == "result")
        })
        .count();
    assert!(bad > 2);
    assert_eq!(results, 1);
    host.end();
}

#[test]
fn a_flood_is_a_turn_of_many_lines() {
    let mut host = start("flood:3000", "max");
    host.initialize();
    host.prompt("Hello");
    assert_eq!(host.turn(allow)["is_error"], false);
    let deltas = host
        .said
        .iter()
        .filter(|line| line["event"]["delta"]["type"] == "text_delta")
        .count();
    assert_eq!(deltas, 6000);
    host.close();
    host.end();
}

#[test]
fn a_flood_is_interrupted_also_by_a_host_that_reads_too_slowly() {
    // The rate is one that nobody reads at, so the rehearsal never waits.
    let mut host = start("flood:200000", "max");
    host.initialize();
    host.prompt("Hello");
    host.until(|line| line["type"] == "stream_event");
    host.request("stop", &json!({"subtype": "interrupt"}));
    host.until(|line| line["type"] == "result");
    let deltas = host
        .said
        .iter()
        .filter(|line| line["event"]["delta"]["type"] == "text_delta")
        .count();
    assert!(deltas < 400_000, "{deltas}");
    host.close();
    host.end();
}

#[test]
fn a_huge_line_is_whole() {
    let mut host = start("huge-line:12", "max");
    host.initialize();
    host.prompt("Hello");
    let line = host.until(|line| line["type"] == "assistant");
    assert_eq!(
        line["message"]["content"][0]["text"].as_str().map(str::len),
        Some(12 << 20)
    );
    host.close();
    host.end();
}

#[test]
fn an_interrupt_can_be_ignored() {
    let mut host = start("ignore-interrupt", "real");
    host.initialize();
    host.prompt("image");
    host.until(|line| line["subtype"] == "init");
    host.request("stop", &json!({"subtype": "interrupt"}));
    let result = host.turn(allow);
    assert_eq!(result["terminal_reason"], "completed");
    assert!(
        !host
            .said
            .iter()
            .any(|line| line["response"]["request_id"] == "stop")
    );
    host.close();
    host.end();
}

#[test]
fn closed_stdin_can_be_ignored() {
    let mut host = start("ignore-eof", "max");
    host.initialize();
    host.prompt("image");
    host.turn(allow);
    host.close();
    assert!(host.is_running());
    host.end_by_kill();
}

#[cfg(target_os = "linux")]
#[test]
fn it_can_leave_a_child_behind() {
    let mut host = start("child", "max");
    host.initialize();
    host.close();
    let (_, errors) = host.end();
    let child: i32 = errors
        .trim()
        .strip_prefix("child ")
        .unwrap()
        .parse()
        .unwrap();
    assert!(std::path::Path::new(&format!("/proc/{child}")).exists());
    let child = rustix::process::Pid::from_raw(child).unwrap();
    rustix::process::kill_process(child, rustix::process::Signal::KILL).unwrap();
}
