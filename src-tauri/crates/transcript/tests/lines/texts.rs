use serde_json::json;

use crate::say::{Talk, begins, delta, result, says, stream, text};

fn stops(abandoned: bool) -> serde_json::Value {
    let mut line = stream(json!({ "type": "message_stop" }));
    if abandoned {
        line["abandoned_blocks"] = json!({ "api_message_id": "m", "from_block_index": 1 });
    }
    line
}

#[test]
fn the_assistant_line_adds_only_what_the_stream_has_not_shown() {
    let talk = Talk::plain()
        .cli(begins("m"))
        .cli(delta("Hel"))
        .cli(delta("lo"))
        .cli(text("m", "Hello!"))
        .cli(stops(false));
    assert_eq!(talk.said(), ["running", "m: Hel", "m: lo", "m: !"]);
}

#[test]
fn an_assistant_line_that_says_something_else_than_the_stream_replaces_it() {
    let talk = Talk::plain()
        .cli(begins("m"))
        .cli(delta("one "))
        .cli(text("m", "one "))
        .cli(delta("t\u{fffd}o"))
        .cli(text("m", "two"))
        .over();
    assert_eq!(
        talk.said(),
        [
            "running",
            "m: one ",
            "m: t\u{fffd}o",
            "m void",
            "m: one ",
            "m: two"
        ]
    );
}

#[test]
fn a_cut_block_is_taken_back_and_the_blocks_before_it_are_said_again() {
    let broken = || {
        Talk::plain()
            .cli(begins("m"))
            .cli(delta("kept"))
            .cli(text("m", "kept"))
            .cli(delta("lost"))
    };
    let want = ["running", "m: kept", "m: lost", "m void", "m: kept"];
    assert_eq!(broken().cli(stops(true)).said(), want);
    assert_eq!(broken().cli(stops(false)).cli(begins("n")).said(), want);
    assert_eq!(broken().over().said(), want);
    let mut ended = want.to_vec();
    ended.extend(["complete u-m", "idle"]);
    assert_eq!(broken().cli(result(false)).said(), ended);
    // Once is enough, whatever follows.
    assert_eq!(
        broken().cli(stops(true)).cli(begins("n")).over().said(),
        want
    );
}

#[test]
fn thinking_and_text_of_one_message_are_taken_back_together() {
    let thinks = stream(
        json!({ "type": "content_block_delta", "delta": { "type": "thinking_delta", "thinking": "hm" } }),
    );
    let thought = says("m", json!([{ "type": "thinking", "thinking": "hm" }]));
    let talk = Talk::plain()
        .cli(begins("m"))
        .cli(thinks)
        .cli(thought)
        .cli(delta("lost"))
        .over();
    assert_eq!(
        talk.said(),
        [
            "running",
            "m thinks: hm",
            "m: lost",
            "m void",
            "m thinks: hm"
        ]
    );
}

#[test]
fn two_halves_in_two_deltas_are_one_character_and_a_lone_one_is_replaced() {
    let raw = |escape: &str| delta("@").to_string().replace('@', escape).into_bytes();
    let joined = Talk::plain()
        .cli(begins("m"))
        .raw(&raw(r"a\ud83d"))
        .raw(&raw(r"\ude00b"))
        .raw(&raw(r"\ud83d"))
        .raw(&raw(r"\ude00"))
        .cli(text("m", "a😀b😀"))
        .over();
    assert_eq!(joined.said(), ["running", "m: a", "m: 😀b", "m: 😀"]);
    let lone = Talk::plain()
        .cli(begins("m"))
        .raw(&raw(r"a\ud83d"))
        .raw(&raw("b"))
        .cli(text("m", "a\u{fffd}b"))
        .over();
    assert_eq!(lone.said(), ["running", "m: a", "m: \u{fffd}b"]);
}

#[test]
fn a_results_text_is_said_only_if_nothing_else_showed_it() {
    let result = json!({ "type": "result", "is_error": false, "result": "Done.", "uuid": "r" });
    let only = Talk::plain().cli(result.clone());
    assert_eq!(only.said(), ["r: Done.", "complete -", "idle"]);
    let shown = Talk::plain()
        .cli(text("m", "Other words"))
        .cli(result.clone());
    assert_eq!(shown.said(), ["m: Other words", "complete u-m", "idle"]);
    let notice =
        json!({ "type": "system", "subtype": "informational", "content": " Done.\n", "uuid": "n" });
    let told = Talk::plain().cli(notice).cli(result.clone());
    assert_eq!(told.said(), ["notice informational", "complete -", "idle"]);
    // What was shown in the turn before does not count in this one.
    let again = Talk::plain()
        .cli(text("m", "Done."))
        .cli(result.clone())
        .cli(result);
    assert_eq!(
        again.said(),
        [
            "m: Done.",
            "complete u-m",
            "idle",
            "r: Done.",
            "complete u-m"
        ]
    );
}

#[test]
fn what_a_slash_command_printed_is_text_without_its_tags() {
    let line = |content: &str| json!({ "type": "user", "message": { "content": content }, "uuid": "u", "isReplay": true });
    let talk = Talk::plain().cli(line(
        "<local-command-stdout>Set model</local-command-stdout>",
    ));
    assert_eq!(talk.said(), ["u: Set model"]);
    assert_eq!(
        Talk::plain()
            .cli(line("<local-command-stderr></local-command-stderr>"))
            .said(),
        [""; 0]
    );
}
