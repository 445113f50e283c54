use serde_json::{Value, json};

use crate::say::{Talk, begins, delta, says, text};

#[test]
fn what_a_refusal_takes_back_is_void_once() {
    let refused = json!({ "type": "system", "subtype": "model_refusal_fallback", "original_model": "a", "fallback_model": "b",
        "retracted_message_uuids": ["u-m", "u-m", "u-nobody"], "content": "b answers" });
    let talk = Talk::plain()
        .cli(text("m", "half an ans"))
        .cli(text("n", "kept"))
        .cli(refused.clone())
        .cli(refused);
    assert_eq!(
        talk.said(),
        [
            "m: half an ans",
            "n: kept",
            "notice supersedes",
            "notice model_refusal_fallback",
            "notice model_refusal_fallback"
        ]
    );
}

#[test]
fn a_line_that_replaces_earlier_ones_voids_them_before_it_speaks() {
    let mut better = says("n", json!("a better answer"));
    better["supersedes"] = json!(["u-m"]);
    let talk = Talk::plain().cli(text("m", "an answer")).cli(better);
    assert_eq!(
        talk.said(),
        ["m: an answer", "notice supersedes", "n: a better answer"]
    );
}

#[test]
fn a_message_of_which_a_line_still_counts_is_not_taken_back() {
    let line = |uuid: &str, block: Value| {
        let mut line = says("m", json!([block]));
        line["uuid"] = json!(uuid);
        line
    };
    let call = json!({ "type": "tool_use", "id": "t", "name": "Bash", "input": {} });
    let replaces = |id: &str, uuids: &[&str]| {
        let mut line = text(id, "better");
        line["supersedes"] = json!(uuids);
        line
    };
    let talk = Talk::plain()
        .cli(line("a", json!({ "type": "text", "text": "words" })))
        .cli(line("b", call))
        .cli(replaces("n", &["b"]));
    assert_eq!(talk.said(), ["m: words", "t running", "n: better"]);
    let talk = talk.cli(replaces("o", &["b", "a"]));
    assert_eq!(talk.said()[3..], ["notice supersedes", "o: better"]);
}

#[test]
fn what_was_confirmed_stays_said_when_it_is_taken_back() {
    let mut better = says("n", json!("a better answer"));
    better["supersedes"] = json!(["u-m"]);
    let talk = Talk::plain()
        .cli(begins("m"))
        .cli(delta("one"))
        .cli(text("m", "one"))
        .cli(better)
        .over();
    assert_eq!(talk.of_type("message_discarded"), [Value::Null; 0]);
    assert_eq!(talk.notices("supersedes"), [json!({ "message_id": "m" })]);
}
