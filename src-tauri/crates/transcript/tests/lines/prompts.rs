use serde_json::json;

use crate::say::{Talk, result, text, user};

#[test]
fn an_echo_is_not_a_second_prompt_whatever_its_uuid_and_words() {
    let talk = Talk::live()
        .host(user("one", json!({ "uuid": "1" })))
        .host(user("", json!({})))
        .host(user("three", json!({})))
        .cli(user("one", json!({ "uuid": "1", "isReplay": true })))
        .cli(user(
            "(no content)",
            json!({ "uuid": "x", "isReplay": true }),
        ))
        .cli(user("three", json!({ "uuid": "y", "isReplay": true })));
    assert_eq!(
        talk.said(),
        ["user: one", "running", "user: ", "user: three"]
    );
}

#[test]
fn waiting_prompts_that_come_again_joined_are_no_prompt() {
    let talk = Talk::live()
        .host(user("two", json!({})))
        .host(user("three", json!({})))
        .cli(user("two", json!({ "uuid": "a", "isReplay": true })))
        .cli(user("three", json!({ "uuid": "b", "isReplay": true })))
        .cli(user("two\nthree", json!({ "uuid": "c", "isReplay": true })));
    assert_eq!(talk.said(), ["user: two", "running", "user: three"]);
}

#[test]
fn without_the_hosts_side_an_echo_is_the_prompt_once() {
    let echo = |text: &str, uuid: &str| user(text, json!({ "uuid": uuid, "isReplay": true }));
    let talk = Talk::plain()
        .cli(echo("two", "a"))
        .cli(echo("two", "a"))
        .cli(echo("three", "b"))
        .cli(echo("two\nthree", "c"));
    assert_eq!(talk.said(), ["user: two", "user: three"]);
}

#[test]
fn an_old_versions_echo_has_no_mark_and_is_known_by_its_words() {
    let talk = Talk::live()
        .host(user("hello", json!({})))
        .cli(user("hello", json!({ "uuid": "z" })));
    assert_eq!(talk.said(), ["user: hello", "running"]);
}

#[test]
fn what_the_cli_puts_in_is_not_the_users_words() {
    let talk = Talk::live()
        .cli(user("skill body", json!({ "isSynthetic": true })))
        .cli(user("[Request interrupted by user]", json!({})))
        .cli(user("a note of the CLI", json!({})))
        .cli(user("find it", json!({ "parent_tool_use_id": "agent" })));
    assert_eq!(
        talk.said(),
        [
            "put in: skill body",
            "put in: [Request interrupted by user]",
            "put in: a note of the CLI",
            "user: find it"
        ]
    );
}

#[test]
fn the_resume_point_is_a_prompt_at_once_and_an_answer_from_its_result_on() {
    let mut talk = Talk::live().cli(user(
        "[Request interrupted by user]",
        json!({ "uuid": "1" }),
    ));
    assert_eq!(talk.transcript.last_message_uuid(), Some("1"));
    talk = talk.cli(text("m", "answer"));
    assert_eq!(talk.transcript.last_message_uuid(), Some("1"));
    talk = talk.cli(result(false));
    assert_eq!(talk.transcript.last_message_uuid(), Some("u-m"));
}
