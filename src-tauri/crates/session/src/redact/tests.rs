#![allow(clippy::unwrap_used)]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

use super::*;

/// A text with a secret in it, `{}` being its place.
const TEXTS: &[&str] = &[
    "export ANTHROPIC_API_KEY={}",
    "MY_TOKEN=\"{}\" npm publish",
    "curl -H 'Authorization: Bearer {}' https://example.com",
    "curl -H \"x-api-key: {}\" https://example.com",
    "git clone https://dev:{}@example.com/repo.git",
    "postgres://app:{}@db:5432/app",
    "{\"password\": \"{}\", \"user\": \"dev\"}",
    "tool --api-key {} --verbose",
    "https://example.com/?access_token={}&page=2",
    "client_secret: '{}'",
    "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\nafter",
    "Cookie: session={}; theme=dark",
    "{}",
];

/// Beginnings by which a token is known wherever it stands.
const PREFIXES: &[&str] = &[
    "sk-ant-api03-",
    "ghp_",
    "github_pat_",
    "xoxb-",
    "AKIA",
    "glpat-",
    "npm_",
    "AIza",
];

fn secret() -> impl Strategy<Value = String> {
    // Letters that are in no mark and no text above, so that finding them is finding the secret.
    "[Q-Z5-9]{36}"
}

fn planted() -> impl Strategy<Value = (String, String)> {
    (secret(), any::<Index>(), any::<Index>(), any::<bool>()).prop_map(
        |(secret, text, prefix, bare)| {
            let text = TEXTS[text.index(TEXTS.len())];
            let token = match bare && text != "{}" {
                true => secret.clone(),
                false => format!("{}{secret}", PREFIXES[prefix.index(PREFIXES.len())]),
            };
            (
                secret,
                format!("before {} after", text.replace("{}", &token)),
            )
        },
    )
}

fn survives(output: &str, secret: &str) -> bool {
    secret.as_bytes().windows(6).any(|part| {
        let part = std::str::from_utf8(part).unwrap();
        output.contains(part)
    })
}

/// A value with the secret at the end of a path of names.
fn nest(names: &[String], inner: Value) -> Value {
    names
        .iter()
        .rev()
        .fold(inner, |inner, name| match name.as_str() {
            "[]" => json!([1, inner, null, true]),
            "text" => json!({ "text": inner.to_string() }),
            name => json!({ "number": 1.50, name: inner, "last": "b\u{e9}\n\"" }),
        })
}

/// The same with all strings empty.
fn shape(value: &Value) -> Value {
    match value {
        Value::String(_) => json!(""),
        Value::Array(items) => items.iter().map(shape).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| (name.clone(), shape(value)))
            .collect::<Map<_, _>>()
            .into(),
        value => value.clone(),
    }
}

fn path() -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        Just("[]"),
        Just("text"),
        Just("input"),
        Just("message"),
        Just("content")
    ];
    vec(name.prop_map(str::to_owned), 0..4)
}

fn named() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "apiKey",
        "API_KEY",
        "token",
        "access_token",
        "clientSecret",
        "password",
        "Authorization",
        "x-api-key",
        "key",
        "GITHUB_TOKEN",
        "secret",
        "db_password",
    ])
}

/// Where a text may be cut.
fn cut(text: &str, places: &[Index]) -> Vec<String> {
    let mut ends: Vec<usize> = places
        .iter()
        .map(|place| place.index(text.len() + 1))
        .collect();
    ends.retain(|end| text.is_char_boundary(*end));
    ends.extend([0, text.len()]);
    ends.sort_unstable();
    ends.windows(2)
        .map(|pair| text[pair[0]..pair[1]].to_owned())
        .collect()
}

fn delta(index: u64, parent: Option<&str>, text: &str) -> String {
    json!({ "type": "stream_event", "parent_tool_use_id": parent, "event": {
        "type": "content_block_delta", "index": index, "delta": { "type": "text_delta", "text": text } } })
    .to_string()
}

fn stop(index: u64, parent: Option<&str>) -> String {
    json!({ "type": "stream_event", "parent_tool_use_id": parent, "event": { "type": "content_block_stop", "index": index } })
        .to_string()
}

fn all(form: Form, lines: &[String]) -> Vec<String> {
    let mut redacting = Lines::new(Arc::default(), form);
    let mut out: Vec<_> = lines
        .iter()
        .enumerate()
        .flat_map(|(at, line)| redacting.push(at, line))
        .collect();
    out.extend(redacting.finish());
    assert!(
        out.iter().map(|(at, _)| *at).eq(0..lines.len()),
        "lines keep their order"
    );
    out.into_iter().map(|(_, line)| line).collect()
}

use std::sync::Arc;

proptest! {
    #[test]
    fn no_secret_survives_in_a_text((secret, planted) in planted()) {
        let out = text(&planted).into_owned();
        prop_assert!(!survives(&out, &secret), "{out}");
        prop_assert_eq!(text(&out), out.as_str(), "twice is as once");
    }

    #[test]
    fn no_secret_survives_in_a_line_and_its_shape_stays((secret, planted) in planted(), names in path()) {
        let value = nest(&names, json!(planted));
        let line = json!({ "type": "user", "x": value }).to_string();
        let out = Redactor::default().line(&line).into_owned();
        prop_assert!(!survives(&out, &secret), "{out}");
        prop_assert_eq!(shape(&serde_json::from_str(&out).unwrap()), shape(&serde_json::from_str(&line).unwrap()));
    }

    #[test]
    fn what_a_name_says_is_secret_is_taken_out_whatever_it_looks_like(
        secret in secret(), name in named(), names in path(), deep in any::<bool>(),
    ) {
        let inner = if deep { json!([{ "value": secret }]) } else { json!(secret) };
        let line = nest(&names, json!({ name: inner, "number": 1e3 })).to_string();
        prop_assume!(line.starts_with(['{', '[']));
        let out = Redactor::default().line(&line).into_owned();
        prop_assert!(!survives(&out, &secret), "{out}");
        prop_assert!(serde_json::from_str::<Value>(&out).is_ok());
    }

    #[test]
    fn a_secret_that_streams_in_pieces_does_not_survive_and_the_pieces_join_to_the_redacted_whole(
        (secret, planted) in planted(), (other_secret, other) in planted(), places in vec(any::<Index>(), 0..9),
    ) {
        let pieces = cut(&planted, &places);
        let others = cut(&other, &places);
        let mut lines = Vec::new();
        for at in 0..pieces.len().max(others.len()) {
            lines.extend(pieces.get(at).map(|text| delta(0, None, text)));
            lines.extend(others.get(at).map(|text| delta(0, Some("toolu_1"), text)));
            lines.push(json!({ "type": "keep_alive" }).to_string());
        }
        lines.extend([stop(0, Some("toolu_1")), stop(0, None)]);
        let out = all(Form::Raw, &lines);
        let joined = |parent: Value| -> String {
            out.iter()
                .map(|line| serde_json::from_str::<Value>(line).unwrap())
                .filter(|line| line["parent_tool_use_id"] == parent)
                .filter_map(|line| Some(line["event"]["delta"]["text"].as_str()?.to_owned()))
                .collect()
        };
        prop_assert_eq!(joined(Value::Null), text(&planted).into_owned());
        prop_assert_eq!(joined(json!("toolu_1")), text(&other).into_owned());
        prop_assert!(!survives(&out.concat(), &secret) && !survives(&out.concat(), &other_secret));
    }

    #[test]
    fn a_secret_cut_by_events_does_not_survive((secret, planted) in planted(), places in vec(any::<Index>(), 0..9)) {
        let mut lines: Vec<String> = cut(&planted, &places)
            .iter()
            .map(|text| json!({ "seq": 1, "type": "message_chunk", "text": text, "message_id": "m" }).to_string())
            .collect();
        lines.insert(lines.len() / 2, json!({ "type": "session_state", "state": "running" }).to_string());
        lines.push(json!({ "type": "complete", "data": {} }).to_string());
        let out = all(Form::Events, &lines).concat();
        prop_assert!(!survives(&out, &secret), "{out}");
    }

    #[test]
    fn any_line_comes_out_and_json_stays_json(line in "\\PC{0,80}", value in "[\\[\\]{}\",:0-9a-z\\\\ ]{0,40}") {
        let redactor = Redactor::default();
        let _ = redactor.line(&line);
        let was = serde_json::from_str::<Value>(&value);
        let out = redactor.line(&value).into_owned();
        if let Ok(was) = was {
            prop_assert_eq!(shape(&serde_json::from_str(&out).unwrap()), shape(&was));
        }
    }
}

#[test]
fn what_is_no_secret_stays_as_it_is() {
    for line in [
        r#"{"input_tokens": 12, "apiKeySource": "none", "type":"x",  "n": 1.0e5}"#,
        r#"{"text":"fn token(key: &str) -> Token { let token = next(); }"}"#,
        r#"{"text":"api_key_env = \"OPENAI_API_KEY\", token_count = 12; self.token = next_token(); commit 4f1cb9af4c98d6a1b2c3d4e5f60718293a4b5c6d"}"#,
        r#"{"text":"the bearer of this note; max_tokens=4096; $TOKEN, TOKEN=$OTHER, sort by key: name"}"#,
        r#"{"text":"lone half \ud83d and https://example.com:8080/a@b"}"#,
        r#"{"session_id":"0b1c6f3a-0c1d-4b2e-9f00-1234567890ab","uuid":"toolu_01ABCDEFGHIJKLMNOP"}"#,
    ] {
        assert_eq!(Redactor::default().line(line), line);
    }
}

#[test]
fn bytes_of_images_give_way_to_their_length() {
    let bytes = "iVBORw0KGgo".repeat(40);
    let line = json!({ "source": { "type": "base64", "media_type": "image/png", "data": bytes },
        "url": format!("data:image/png;base64,{bytes}") })
    .to_string();
    let out: Value = serde_json::from_str(&Redactor::default().line(&line)).unwrap();
    assert_eq!(out["source"]["data"], "[330 bytes]");
    assert_eq!(out["url"], "data:image/png;base64,[330 bytes]");
    assert_eq!(out["source"]["media_type"], "image/png");
}

#[test]
fn entries_flags_and_numbers_are_told_by_what_stands_beside_them() {
    let line = json!({
        "argv": ["claude", "--api-key", "abc", "--model", "opus", "--mcp-config", "{\"mcpServers\":{\"x\":{\"env\":{\"A\":\"plain\"}}}}"],
        "env": [{ "name": "DB_PASSWORD", "value": "abc" }, { "name": "LANG", "value": "C" }],
        "headers": { "X-Custom": "abc" }, "password": 1234,
    });
    let out: Value = serde_json::from_str(&Redactor::default().line(&line.to_string())).unwrap();
    assert_eq!(out["argv"][2], MARK);
    assert_eq!(out["argv"][4], "opus");
    assert!(!out["argv"][6].as_str().unwrap().contains("plain"));
    assert_eq!(
        out["env"],
        json!([{ "name": "DB_PASSWORD", "value": MARK }, { "name": "LANG", "value": "C" }])
    );
    assert_eq!(
        (&out["headers"]["X-Custom"], &out["password"]),
        (&json!(MARK), &json!(0))
    );
}

#[test]
fn values_that_are_known_go_wherever_they_stand() {
    let redactor =
        Redactor::default().with_values(["correct horse".to_owned(), "short".to_owned()]);
    assert_eq!(
        redactor.text("a correct horse, a short one"),
        format!("a {MARK}, a short one")
    );
}

#[test]
fn a_person_is_nobody_in_particular() {
    let redactor = Redactor::default().with_person("/home/alice/", "alice");
    let cases = [
        ("/home/alice/src/alice.rs", "/home/user/src/alice.rs"),
        ("/home/alice", "/home/user"),
        ("/home/alicelike", "/home/alicelike"),
        (
            "~/.claude/projects/-home-alice-src/x.jsonl",
            "~/.claude/projects/-home-user-src/x.jsonl",
        ),
        ("/mnt/alice/x; alice@host", "/mnt/user/x; user@host"),
        ("alice says hello", "alice says hello"),
    ];
    for (text, expected) in cases {
        assert_eq!(redactor.text(text), expected);
    }
    let windows = Redactor::default().with_person(r"C:\Users\alice", "alice");
    assert_eq!(
        windows.line(r#"{"p":"C:\\Users\\alice\\x"}"#),
        r#"{"p":"C:\\Users\\user\\x"}"#
    );
    let common = Redactor::default().with_person("/home/dev", "dev");
    assert_eq!(
        common.text("/home/dev/x > /dev/null"),
        "/home/user/x > /dev/null"
    );
}
