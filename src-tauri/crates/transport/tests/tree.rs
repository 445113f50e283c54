//! Nothing survives a session: not its end, not its killing, not the killing of the app or of the guard.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::time::{Duration, Instant};

use common::{FakeCli, all, exited, guard, is_alive, killed_by, line, pids, until};
use kandev_transport::Output;

/// macOS has no such command; there the group holds them together.
const OWN_SESSION: &str = if cfg!(target_os = "linux") {
    "setsid"
} else {
    ""
};

/// A CLI that ignores SIGTERM, as do all below it: a child, a grandchild in a session of its own, and one that has
/// also lost its parent.
fn stubborn() -> FakeCli {
    let stay = "while :; do sleep 1; done";
    FakeCli::new(&format!(
        r#"
trap '' TERM HUP INT
echo $$ >> pids
sh -c 'echo $$ >> pids; {stay}' &
{OWN_SESSION} sh -c 'echo $$ >> pids; sh -c "echo \$\$ >> pids; {stay}" & {stay}' &
({OWN_SESSION} sh -c 'echo $$ >> pids; {stay}' &) &
echo ready
{stay}
"#
    ))
}
const STUBBORN_COUNT: usize = 5;

#[tokio::test]
async fn terminate_leaves_nothing_of_a_stubborn_tree() {
    let cli = stubborn();
    let mut process = cli.start().await;
    assert_eq!(process.events.recv().await, Some(line("ready")));
    let pids = pids(&cli.folder.path().join("pids"), STUBBORN_COUNT).await;
    assert!(pids.iter().all(|pid| is_alive(*pid)));
    assert_eq!(pids[0], i32::try_from(process.child.id()).unwrap());

    let exit = process.child.terminate(Duration::from_millis(200)).await;
    assert_eq!(exit, killed_by("SIGKILL"));
    let left: Vec<_> = pids.into_iter().filter(|pid| is_alive(*pid)).collect();
    assert!(left.is_empty(), "{left:?} survived");
    assert_eq!(all(&mut process).await, [Output::Exited(exit.clone())]);
    assert_eq!(
        process.child.terminate(Duration::ZERO).await,
        exit,
        "a second time changes nothing"
    );
}

#[tokio::test]
async fn one_that_obeys_leaves_by_itself() {
    let idle = FakeCli::new("while read -r line; do :; done; echo bye");
    let mut process = idle.start().await;
    let exit = process.child.terminate(Duration::from_secs(20)).await;
    assert_eq!(exit.code, Some(0), "closing its stdin was enough");
    assert_eq!(all(&mut process).await, [line("bye"), exited(0)]);

    let busy =
        FakeCli::new("trap 'echo stopped; exit 143' TERM; echo ready; while :; do sleep 0.1; done");
    let mut process = busy.start().await;
    assert_eq!(process.events.recv().await, Some(line("ready")));
    let exit = process.child.terminate(Duration::from_secs(20)).await;
    assert_eq!(exit.code, Some(143), "SIGTERM was enough");
    let outputs = all(&mut process).await;
    // The shell may tell on stderr that what it ran was stopped.
    let said: Vec<_> = outputs
        .iter()
        .filter(|output| !matches!(output, Output::Stderr(_)))
        .collect();
    assert_eq!(said, [&line("stopped"), &exited(143)]);
}

#[tokio::test]
async fn what_an_exiting_cli_leaves_behind_ends_with_it() {
    // The one left behind also holds the pipes open.
    let cli = FakeCli::new(&format!(
        "{OWN_SESSION} sh -c 'echo $$ >> pids; while :; do sleep 1; done' & while [ ! -s pids ]; do sleep 0.05; done; echo bye; exit 5"
    ));
    let mut process = cli.start().await;
    let started = Instant::now();
    assert_eq!(all(&mut process).await, [line("bye"), exited(5)]);
    assert!(started.elapsed() < Duration::from_secs(20));
    let left = pids(&cli.folder.path().join("pids"), 1).await;
    assert!(!is_alive(left[0]));
}

#[tokio::test]
async fn dropping_the_process_ends_the_tree() {
    let cli = stubborn();
    let mut process = cli.start().await;
    assert_eq!(process.events.recv().await, Some(line("ready")));
    let pids = pids(&cli.folder.path().join("pids"), STUBBORN_COUNT).await;
    drop(process);
    until("all are gone", Duration::from_secs(5), || {
        pids.iter().all(|pid| !is_alive(*pid))
    })
    .await;
}

#[tokio::test]
async fn terminate_works_while_nobody_reads_the_output() {
    let cli = FakeCli::new("trap '' TERM; yes flood");
    let process = cli.start().await;
    let exit = process.child.terminate(Duration::from_millis(100)).await;
    assert_ne!(exit.signal, None);
    assert!(!is_alive(i32::try_from(process.child.id()).unwrap()));
}

#[tokio::test]
async fn every_child_is_reaped() {
    for _ in 0..5 {
        let cli = FakeCli::new("sleep 0.01 & exit 0");
        all(&mut cli.start().await).await;
    }
    let me = std::process::id().to_string();
    // Guards of other tests may be ending right now, so a dead one is waited for; one that is never reaped stays.
    until("no dead guard is left", Duration::from_secs(10), || {
        let listing = std::process::Command::new("ps")
            .args(["-axo", "ppid=,stat=,comm="])
            .output()
            .unwrap();
        let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
        let mut ours = listing.lines().filter_map(|line| {
            let (parent, rest) = line.trim().split_once(' ')?;
            (parent == me).then(|| rest.trim())
        });
        assert!(
            ours.clone().next().is_some(),
            "at least ps itself is ours: {listing}"
        );
        !ours.any(|rest| rest.starts_with('Z') && rest.contains("kandev"))
    })
    .await;
}

#[tokio::test]
async fn killing_the_app_leaves_nothing() {
    let cli = stubborn();
    let mut app = std::process::Command::new(guard().program)
        .args([cli.program.as_path(), cli.folder.path()])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let pids = pids(&cli.folder.path().join("pids"), STUBBORN_COUNT).await;
    assert!(pids.iter().all(|pid| is_alive(*pid)));
    app.kill().unwrap();
    until("all are gone", Duration::from_secs(5), || {
        pids.iter().all(|pid| !is_alive(*pid))
    })
    .await;
    app.wait().unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn killing_the_guard_ends_the_session() {
    let cli = FakeCli::new(
        "echo $$ >> pids; sh -c 'echo $$ >> pids; while :; do sleep 1; done' & echo ready; while :; do sleep 1; done",
    );
    let mut process = cli.start().await;
    assert_eq!(process.events.recv().await, Some(line("ready")));
    let pids = pids(&cli.folder.path().join("pids"), 2).await;
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.child.id())).unwrap();
    let guard: i32 = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    assert_eq!(
        std::fs::read_to_string(format!("/proc/{guard}/comm"))
            .unwrap()
            .trim(),
        "kandev-guard"
    );
    std::process::Command::new("kill")
        .args(["-9", &guard.to_string()])
        .status()
        .unwrap();
    assert_eq!(
        all(&mut process).await,
        [Output::Exited(killed_by("SIGKILL"))]
    );
    until("all are gone", Duration::from_secs(5), || {
        pids.iter().all(|pid| !is_alive(*pid))
    })
    .await;
}
