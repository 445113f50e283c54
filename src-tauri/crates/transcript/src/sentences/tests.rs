#![allow(clippy::unwrap_used)]
use kandev_wire::{FromCli, read};

/// The sentence of a `system` line with that subtype and these fields.
fn says(subtype: &str, fields: &str) -> String {
    let line = format!(r#"{{"type":"system","subtype":"{subtype}",{fields}}}"#);
    let line = read(line.as_bytes());
    let FromCli::System(system) = line.from_cli().unwrap() else {
        panic!("{line:?}")
    };
    super::of(&system).unwrap_or_default()
}

#[test]
fn a_retry_says_why_how_long_and_how_often() {
    for (fields, sentence) in [
        (
            r#""attempt":3,"max_retries":10,"retry_delay_ms":569.7,"error_status":529,"error":"overloaded""#,
            "The API is overloaded (HTTP 529): trying again in 0.6 s (attempt 3 of 10)",
        ),
        (
            r#""attempt":1,"max_retries":10,"retry_delay_ms":40000,"error_status":null,"error":"unknown""#,
            "The connection to the API failed: trying again in 40 s (attempt 1 of 10)",
        ),
        (
            r#""attempt":1,"no_response":{"waited_ms":60000}"#,
            "The API did not answer for 60 s: trying again (attempt 1)",
        ),
        (r#""x":1"#, "The connection to the API failed: trying again"),
    ] {
        assert_eq!(says("api_retry", fields), sentence);
    }
}

#[test]
fn what_could_not_be_saved_is_said_with_its_reason() {
    assert_eq!(
        says(
            "session_writes_lost",
            r#""error_code":"ENOSPC","lost":["transcript"]"#
        ),
        "The disk is full: the newest part of this conversation was not saved, and a resume may not know it"
    );
    assert_eq!(
        says(
            "session_writes_lost",
            r#""error_code":"EDQUOT","lost":["global_config"]"#
        ),
        "The disk quota is used up: changes to Claude Code's settings were not saved"
    );
}

#[test]
fn a_hook_tells_its_end_and_the_last_of_what_it_said() {
    assert_eq!(
        says(
            "hook_response",
            r#""hook_name":"Stop","outcome":"error","exit_code":2,"stderr":"a\nlast one\n\n""#
        ),
        "Hook Stop failed with exit code 2: last one"
    );
    assert_eq!(
        says(
            "hook_progress",
            r#""hook_name":"Stop","output":"half\nway\n""#
        ),
        "Hook Stop: way"
    );
}

#[test]
fn numbers_have_their_units_and_thousands() {
    assert_eq!(
        says(
            "compact_boundary",
            r#""compact_metadata":{"pre_tokens":1234567,"post_tokens":999}"#
        ),
        "The conversation was compacted: 1,234,567 tokens became 999"
    );
}

#[test]
fn a_limit_says_how_it_stands() {
    assert_eq!(
        super::rate_limit(Some("five_hour"), Some("allowed_warning"), Some(0.92)),
        "5-hour limit: nearly reached, 92% used"
    );
    assert_eq!(super::rate_limit(None, None, None), "Usage limit: changed");
}
