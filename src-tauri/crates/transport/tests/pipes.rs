//! Lines through the real pipes, in both directions.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use common::{FakeCli, all, exited, killed_by, line};
use kandev_transport::{Output, TransportError, spawn};

#[tokio::test]
async fn lines_go_in_and_come_out_in_order() {
    let cli = FakeCli::new("while read -r line; do echo \"got $line\"; done; echo bye; exit 3");
    let mut process = cli.start().await;
    for text in ["one", "zwei", "三"] {
        process
            .stdin
            .send(text.to_owned())
            .unwrap()
            .done()
            .await
            .unwrap();
    }
    process.stdin.close();
    assert_eq!(
        all(&mut process).await,
        [
            line("got one"),
            line("got zwei"),
            line("got 三"),
            line("bye"),
            exited(3)
        ]
    );
}

#[tokio::test]
async fn carriage_returns_garbage_and_invalid_utf8_come_as_they_are() {
    let cli = FakeCli::new(r#"printf '{}\r\n\n\377\376 garbage\0x\n{"half":'"#);
    let mut process = cli.start().await;
    assert_eq!(
        all(&mut process).await,
        [
            line("{}\r"),
            line(""),
            Output::Line(b"\xff\xfe garbage\0x".to_vec()),
            line("{\"half\":"),
            exited(0),
        ]
    );
}

#[tokio::test]
async fn a_character_split_between_two_writes_is_whole() {
    let cli = FakeCli::new(
        r"printf '\346\274'; read -r go; printf '\242\360\237'; read -r go; printf '\246\200\n'",
    );
    let mut process = cli.start().await;
    process
        .stdin
        .send("go".to_owned())
        .unwrap()
        .done()
        .await
        .unwrap();
    process
        .stdin
        .send("go".to_owned())
        .unwrap()
        .done()
        .await
        .unwrap();
    assert_eq!(all(&mut process).await, [line("漢🦀"), exited(0)]);
}

#[tokio::test]
async fn a_line_of_40_megabytes_is_whole() {
    let cli = FakeCli::new("head -c 40000000 /dev/zero | tr '\\0' x; echo; echo after");
    let mut process = cli.start().await;
    let Some(Output::Line(long)) = process.events.recv().await else {
        panic!("no line")
    };
    assert_eq!(long.len(), 40_000_000);
    assert!(long.iter().all(|byte| *byte == b'x'));
    assert_eq!(all(&mut process).await, [line("after"), exited(0)]);
}

#[tokio::test]
async fn a_line_over_the_limit_is_told_and_the_session_goes_on() {
    let cli = FakeCli::new("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo after");
    let mut to_spawn = cli.to_spawn();
    to_spawn.max_line = 1_000_000;
    let mut process = spawn(to_spawn).await.unwrap();
    assert_eq!(
        all(&mut process).await,
        [
            Output::Overlong { bytes: 3_000_000 },
            line("after"),
            exited(0)
        ]
    );
}

#[tokio::test]
async fn a_long_line_goes_in_whole_while_the_cli_floods_and_nobody_reads() {
    // Both pipes are full at once here: who waited for the write before reading would wait for ever.
    let cli = FakeCli::new("head -c 200000 /dev/zero | tr '\\0' '\\n'; wc -c");
    let mut process = cli.start().await;
    let written = process.stdin.send("x".repeat(5_000_000)).unwrap();
    process.stdin.close();
    let outputs = all(&mut process).await;
    written.done().await.unwrap();
    assert_eq!(outputs.len(), 200_002);
    let Output::Line(count) = &outputs[200_000] else {
        panic!("no line")
    };
    assert_eq!(String::from_utf8_lossy(count).trim(), "5000001");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_slow_watcher_makes_the_cli_wait() {
    let cli = FakeCli::new("exec seq 1 100000000");
    let mut process = cli.start().await;
    let io = format!("/proc/{}/io", process.child.id());
    let written = || -> u64 {
        let io = std::fs::read_to_string(&io).unwrap();
        io.lines()
            .find_map(|line| line.strip_prefix("wchar: "))
            .unwrap()
            .parse()
            .unwrap()
    };
    // It stands still once the pipe and the queue are full.
    let (mut last, mut still) = (0, 0);
    common::until("it waits", Duration::from_secs(20), || {
        let now = written();
        still = if now == last && now > 0 { still + 1 } else { 0 };
        last = now;
        still > 20
    })
    .await;
    assert!(last < 1_000_000, "it wrote {last} bytes that nobody read");
    common::until(
        "it goes on when it is read",
        Duration::from_secs(20),
        || {
            for _ in 0..1000 {
                let _ = process.events.try_recv();
            }
            written() > last
        },
    )
    .await;
    process.child.terminate(Duration::ZERO).await;
}

#[tokio::test]
async fn a_flood_on_stderr_keeps_the_last_words_and_stdout_whole() {
    let cli = FakeCli::new(
        "i=0; while [ $i -lt 20000 ]; do echo \"warning $i\" >&2; i=$((i+1)); done; echo done; echo last words >&2; exit 1",
    );
    let mut process = cli.start().await;
    let outputs = all(&mut process).await;
    let errors = outputs
        .iter()
        .filter(|output| matches!(output, Output::Stderr(_)))
        .count();
    assert_eq!(errors, 20_001);
    assert!(outputs.contains(&line("done")));
    assert_eq!(outputs.last(), Some(&exited(1)));
    let tail = process.child.stderr_tail();
    assert!(tail.ends_with("warning 19999\nlast words"), "{tail}");
    assert_eq!(tail.lines().count(), 200);
}

#[tokio::test]
async fn one_that_exits_at_once_is_told_with_its_last_words() {
    let cli = FakeCli::new("echo 'error: unknown option' >&2; exit 1");
    let mut process = cli.start().await;
    let outputs = all(&mut process).await;
    assert_eq!(
        outputs,
        [
            Output::Stderr("error: unknown option".to_owned()),
            exited(1)
        ]
    );
    assert_eq!(process.child.stderr_tail(), "error: unknown option");
    let late = process.stdin.send("late".to_owned());
    assert!(matches!(
        late.map(|_| ()),
        Ok(()) | Err(TransportError::StdinClosed)
    ));
}

#[tokio::test]
async fn a_line_that_nobody_read_any_more_is_told() {
    let cli = FakeCli::new("exec 0<&-; echo deaf; sleep 60");
    let mut process = cli.start().await;
    assert_eq!(process.events.recv().await, Some(line("deaf")));
    let delivered = process
        .stdin
        .send("x".repeat(1_000_000))
        .unwrap()
        .done()
        .await;
    assert!(matches!(delivered, Err(TransportError::StdinClosed)));
    process.child.terminate(Duration::from_secs(2)).await;
}

#[tokio::test]
async fn a_code_and_a_signal_are_told_apart() {
    let code = FakeCli::new("exit 137");
    assert_eq!(all(&mut code.start().await).await, [exited(137)]);
    for signal in ["SIGKILL", "SIGSEGV", "SIGTERM"] {
        let cli = FakeCli::new(&format!("kill -s {} $$", signal.trim_start_matches("SIG")));
        assert_eq!(
            all(&mut cli.start().await).await,
            [Output::Exited(killed_by(signal))]
        );
    }
}

#[tokio::test]
async fn the_child_gets_the_folder_the_path_the_arguments_and_the_variables() {
    let cli = FakeCli::new(
        r#"pwd; echo "$PATH"; echo "$EXTRA"; echo "${EMPTY-unset}"; for a in "$@"; do echo "[$a]"; done"#,
    );
    let mut to_spawn = cli.to_spawn();
    to_spawn.found.args = vec!["first".into()];
    to_spawn.args = ["a b", "", "q\"'$HOME`", "新"]
        .iter()
        .map(Into::into)
        .collect();
    to_spawn.env = vec![("EXTRA".into(), "x y".into()), ("EMPTY".into(), "".into())];
    let mut process = spawn(to_spawn).await.unwrap();
    let folder = cli.folder.path().canonicalize().unwrap();
    assert_eq!(
        all(&mut process).await,
        [
            line(folder.to_str().unwrap()),
            line("/usr/bin:/bin"),
            line("x y"),
            line("unset"),
            line("[first]"),
            line("[a b]"),
            line("[]"),
            line("[q\"'$HOME`]"),
            line("[新]"),
            exited(0),
        ]
    );
}

#[tokio::test]
async fn a_folder_that_is_gone_is_named() {
    let cli = FakeCli::new("echo never");
    let mut to_spawn = cli.to_spawn();
    to_spawn.cwd = cli.folder.path().join("gone");
    assert!(
        matches!(spawn(to_spawn).await, Err(TransportError::FolderGone { path }) if path.ends_with("gone"))
    );
    let mut to_spawn = cli.to_spawn();
    to_spawn.cwd = cli.program.clone();
    assert!(
        matches!(spawn(to_spawn).await, Err(TransportError::NotAFolder { path }) if path == cli.program)
    );
}

#[tokio::test]
async fn what_cannot_be_run_is_told_as_that() {
    let text = FakeCli::with_content("just some notes\n");
    assert!(
        matches!(spawn(text.to_spawn()).await, Err(TransportError::NotExecutable { path, .. }) if path == text.program)
    );

    let no_interpreter = FakeCli::with_content("#!/no/such/node\n");
    let error = spawn(no_interpreter.to_spawn()).await.unwrap_err();
    assert!(error.to_string().contains("interpreter"), "{error}");

    let mut gone = text.to_spawn();
    gone.found.program = text.folder.path().join("gone");
    assert!(
        matches!(spawn(gone).await, Err(TransportError::SpawnFailed { program, .. }) if program.ends_with("gone"))
    );
}

#[tokio::test]
async fn a_guard_that_is_none_is_told() {
    let cli = FakeCli::new("echo never");
    let mut to_spawn = cli.to_spawn();
    to_spawn.guard.program = "/usr/bin/false".into();
    assert!(matches!(
        spawn(to_spawn).await,
        Err(TransportError::GuardFailed { .. })
    ));
    let mut to_spawn = cli.to_spawn();
    to_spawn.guard.program = "/no/such/guard".into();
    assert!(matches!(
        spawn(to_spawn).await,
        Err(TransportError::GuardFailed { .. })
    ));
}
