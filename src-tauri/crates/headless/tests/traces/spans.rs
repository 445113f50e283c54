//! What arrives at a collector.

use std::collections::HashMap;
use std::net::TcpListener;
use std::time::Duration;

use kandev_telemetry::{Options, Telemetry};
use kandev_transcript::EventBody;
use opentelemetry_proto::tonic::trace::v1::Span;
use tokio::time::{Instant, timeout_at};

use crate::collector::{Collector, data, normalized, text};
use crate::reports::{session, timeout, turn, until_idle};
use crate::{NAMES, Run, kinds, recording};

struct Traced {
    run: Run,
    spans: Vec<Span>,
}

impl Traced {
    fn of(story: &str) -> Self {
        let collector = Collector::start();
        let run = Run::debugged(&recording(story), Some(&collector.endpoint()));
        let (spans, service) = collector.spans();
        assert_eq!(service, "kandev", "{story}: {:?} {}", run.code, run.stderr);
        assert!(!spans.is_empty(), "{story}");
        Self { run, spans }
    }

    fn named(&self, name: &str) -> Vec<&Span> {
        let mut spans: Vec<_> = self.spans.iter().filter(|span| span.name == name).collect();
        spans.sort_by_key(|span| {
            (
                span.end_time_unix_nano,
                text(&span.attributes, "event.seq").map(|seq| seq.parse::<u64>().unwrap()),
            )
        });
        spans
    }

    /// The spans of this name carry these events, one each.
    fn tell(&self, name: &str, kind: &str) {
        let mut told: Vec<_> = self.named(name).into_iter().map(normalized).collect();
        let events = self.run.of_type(kind);
        assert_eq!(told.len(), events.len(), "{name}");
        for event in events {
            let at = told
                .iter()
                .position(|told| told["seq"] == event["seq"])
                .unwrap();
            assert_eq!(&told.swap_remove(at), event, "{name}");
        }
    }
}

#[test]
fn a_whole_conversation_arrives_as_spans_under_its_turns() {
    for story in [
        "edit_allowed",
        "hook_many_events",
        "agent_foreground",
        "multi_turn",
    ] {
        let traced = Traced::of(story);
        for (name, kind) in [
            ("streamjson.tool_call", "tool_call"),
            ("streamjson.tool_update", "tool_update"),
            ("streamjson.context_window", "context_window"),
            ("streamjson.complete", "complete"),
            (
                "streamjson.control.control_request.can_use_tool",
                "permission_request",
            ),
            (
                "streamjson.control.permission_response",
                "permission_resolved",
            ),
        ] {
            traced.tell(name, kind);
        }
        let turns = traced.named("streamjson.prompt");
        assert_eq!(turns.len(), traced.run.of_type("complete").len());
        let by_id: HashMap<_, _> = turns
            .iter()
            .map(|span| (span.span_id.clone(), *span))
            .collect();
        for span in &traced.spans {
            assert!(NAMES.contains(&span.name.as_str()), "{}", span.name);
            assert!(span.start_time_unix_nano <= span.end_time_unix_nano);
            assert!(!data(span, "raw").is_empty());
            normalized(span);
            assert!(text(&span.attributes, "kandev.session_id").is_some());
            if span.name == "streamjson.prompt" {
                assert!(span.parent_span_id.is_empty());
            } else if let Some(turn) = by_id.get(&span.parent_span_id) {
                assert_eq!(turn.trace_id, span.trace_id);
            } else {
                // What the CLI says before the first prompt belongs to no turn.
                assert_eq!(
                    (span.name.as_str(), span.parent_span_id.len()),
                    ("streamjson.system", 0)
                );
            }
        }
    }
}

#[test]
fn a_turn_carries_its_prompt_and_what_became_of_it() {
    let traced = Traced::of("edit_allowed");
    let turn = traced.named("streamjson.prompt")[0];
    let raw: serde_json::Value = serde_json::from_str(&data(turn, "raw")).unwrap();
    assert_eq!(raw["type"], "user");
    assert_eq!(&normalized(turn), traced.run.of_type("user_message")[0]);
    assert_eq!(text(&turn.attributes, "is_error").as_deref(), Some("false"));
    let summary = &traced.run.of_type("complete")[0]["data"];
    assert_eq!(
        text(&turn.attributes, "output_tokens"),
        Some(summary["output_tokens"].to_string())
    );
}

#[test]
fn the_pieces_of_a_text_are_one_span() {
    for story in [
        "edit_allowed",
        "thinking_text",
        "agent_foreground_forward_text",
    ] {
        let traced = Traced::of(story);
        for (name, kind, field) in [
            ("streamjson.message_chunk", "message_chunk", "text"),
            ("streamjson.reasoning", "reasoning", "reasoning_text"),
        ] {
            let join = |parts: Vec<(String, String)>| {
                let mut texts = std::collections::BTreeMap::<String, String>::new();
                for (id, text) in parts {
                    texts.entry(id).or_default().push_str(&text);
                }
                texts
            };
            let word =
                |value: &serde_json::Value, field: &str| value[field].as_str().unwrap().to_owned();
            let events = traced.run.of_type(kind);
            let chunks = events
                .iter()
                .map(|event| (word(event, "message_id"), word(event, field)));
            let spans = traced.named(name);
            let told: Vec<_> = spans.iter().map(|span| normalized(span)).collect();
            let told = told
                .iter()
                .map(|told| (word(told, "message_id"), word(told, field)));
            assert_eq!(join(told.collect()), join(chunks.collect()), "{story}");
            let pieces = spans.iter().map(|span| {
                text(&span.attributes, "pieces")
                    .unwrap()
                    .parse::<usize>()
                    .unwrap()
            });
            assert_eq!(pieces.sum::<usize>(), events.len(), "{story}");
            assert!(spans.len() <= events.len());
        }
    }
}

#[test]
fn a_hook_answer_says_what_was_decided() {
    let traced = Traced::of("hook_pretooluse_ask");
    let answers = traced.named("streamjson.control.hook_response.pre_tool_use");
    assert_eq!(answers.len(), 1);
    let raw: serde_json::Value = serde_json::from_str(&data(answers[0], "raw")).unwrap();
    assert_eq!(raw["type"], "control_response");
    assert_eq!(normalized(answers[0])["hook_event"], "PreToolUse");
}

#[test]
fn a_dead_endpoint_holds_nothing_up() {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let plain = Run::of(&recording("edit_allowed"), &[], |_| {});
    for endpoint in [
        format!("http://127.0.0.1:{port}"),
        "ftp://nowhere".to_owned(),
        "nonsense".to_owned(),
    ] {
        let run = Run::debugged(&recording("edit_allowed"), Some(&endpoint));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(kinds(&run.events), kinds(&plain.events));
    }
}

#[test]
fn a_session_is_told_once_that_its_spans_do_not_arrive() {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let workspace = tempfile::tempdir().unwrap();
    timeout(async {
        let session = session(&recording("multi_turn"), workspace.path());
        let telemetry = Telemetry::new(Options {
            endpoint: Some(format!("http://127.0.0.1:{port}")),
            service: ("test", "0"),
            rotate_at: u64::MAX,
        });
        let following = telemetry.follow(&session);
        let mut events = session.watch(0);
        until_idle(&session).await;
        let mut told = 0;
        while told == 0 {
            turn(&session, "go").await;
            until_idle(&session).await;
            // Spans are sent within a second or two.
            while let Ok(batch) =
                timeout_at(Instant::now() + Duration::from_secs(4), events.next()).await
            {
                told += batch.unwrap().iter().filter(|event| matches!(&event.body, EventBody::Notice { kind, .. } if kind == "trace_export")).count();
            }
        }
        assert_eq!(told, 1);
        session.stop().await.unwrap();
        drop(session);
        following.end(Duration::from_secs(10)).await;
        telemetry.close(Duration::from_secs(1)).await;
    });
}

#[test]
fn an_endpoint_that_never_answers_delays_the_end_by_a_bounded_time() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", silent.local_addr().unwrap());
    let before = std::time::Instant::now();
    let run = Run::debugged(&recording("edit_allowed"), Some(&endpoint));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(before.elapsed().as_secs() < 30);
}
