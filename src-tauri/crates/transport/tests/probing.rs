//! The version probe, through the same way as the spawn.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use common::{FakeCli, guard, is_alive, pids};
use kandev_transport::TransportError;
use kandev_transport::version::{version, version_within};

#[tokio::test]
async fn the_version_is_read_even_among_other_words() {
    let cli = FakeCli::new(
        "[ \"$1\" = --version ] || exit 9; echo warning >&2; echo 'npm notice'; echo '2.1.332 (Claude Code)'",
    );
    assert_eq!(
        version(&cli.found(), &guard()).await.unwrap().to_string(),
        "2.1.332"
    );
}

#[tokio::test]
async fn the_probe_passes_the_leading_arguments() {
    let cli = FakeCli::new(
        "[ \"$1 $2\" = '/x/cli.js --version' ] || exit 9; echo '2.1.88 (Claude Code)'",
    );
    let mut found = cli.found();
    found.args = vec!["/x/cli.js".into()];
    assert_eq!(
        version(&found, &guard()).await.unwrap().to_string(),
        "2.1.88"
    );
}

#[tokio::test]
async fn what_is_not_claude_is_told_with_its_words() {
    for (script, said, words) in [
        ("echo v20.1.0", "v20.1.0", ""),
        ("echo 'no such option' >&2; exit 1", "", "no such option"),
        ("exit 0", "", ""),
        ("printf '\\377\\0garbage'; exit 3", "\u{fffd}\0garbage", ""),
    ] {
        let cli = FakeCli::new(script);
        let error = version(&cli.found(), &guard()).await.unwrap_err();
        let TransportError::NotClaude {
            program,
            said: it_said,
            stderr_tail,
        } = &error
        else {
            panic!("{error:?}")
        };
        assert_eq!(
            (program, it_said.as_str(), stderr_tail.as_str()),
            (&cli.program, said, words),
            "{script}"
        );
    }
}

#[tokio::test]
async fn one_that_hangs_is_given_up_and_ended() {
    let cli = FakeCli::new(
        "echo $$ > \"${0%/*}/pids\"; echo 'asking a server' >&2; trap '' TERM; while :; do sleep 1; done",
    );
    let found = cli.found();
    let error = version_within(&found, &guard(), Duration::from_secs(1))
        .await
        .unwrap_err();
    let TransportError::VersionTimeout { stderr_tail, .. } = &error else {
        panic!("{error:?}")
    };
    assert_eq!(stderr_tail, "asking a server");
    let pids = pids(&cli.folder.path().join("pids"), 1).await;
    common::until("it is gone", Duration::from_secs(5), || !is_alive(pids[0])).await;
}
