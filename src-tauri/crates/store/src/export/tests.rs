#![allow(clippy::unwrap_used)]

use kandev_session::StopCheck;
use kandev_transcript::{
    Attachment, EventBody, NormalizedPayload, ShellExec, ShellOutput, ToolCall, ToolStatus,
    UserMessage,
};

use super::*;
use crate::Source;

/// What a hostile page would be made of.
const EVIL: &str = "</pre></section><script>alert(1)</script><img src=x onerror=alert(1)> \
    <a href=\"javascript:alert(1)\">x</a> \u{1b}[2J\u{202e}'\"&amp; ]]> <!-- ";

fn session(title: &str) -> StoredSession {
    StoredSession {
        cli_session_id: Some("c".to_owned()),
        title: title.to_owned(),
        titled: true,
        workspace: format!("/w/{title}"),
        model: Some("m".to_owned()),
        stop_check: StopCheck::Off,
        started_at: "2026-11-30T10:00:00.000Z".to_owned(),
        ..StoredSession::bare("s".to_owned(), Source::Kandev, "")
    }
}

fn events(bodies: Vec<(Option<&str>, EventBody)>) -> Vec<Event> {
    let event = |(place, (parent, body)): (usize, (Option<&str>, EventBody))| Event {
        seq: place as u64 + 1,
        through: None,
        at: "2026-11-30T10:00:00.000Z".to_owned(),
        session_id: None,
        parent_tool_call_id: parent.map(str::to_owned),
        body,
    };
    bodies.into_iter().enumerate().map(event).collect()
}

fn export(title: &str, format: Format, bodies: Vec<(Option<&str>, EventBody)>) -> String {
    let events = events(bodies);
    let mut void = HashMap::new();
    blocks::discarded(&events, &mut void);
    let mut out = Vec::new();
    // In batches that cut everything anywhere.
    let batches = events.chunks(1).map(|batch| Ok(batch.to_vec()));
    write(&session(title), &void, batches, format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn prompt(text: &str) -> (Option<&'static str>, EventBody) {
    let message = UserMessage {
        text: text.to_owned(),
        uuid: None,
        attachments: Vec::new(),
        synthetic: false,
    };
    (None, EventBody::UserMessage(message))
}

fn said(text: &str) -> (Option<&'static str>, EventBody) {
    let body = EventBody::MessageChunk {
        text: text.to_owned(),
        message_id: "m".to_owned(),
    };
    (None, body)
}

fn shell(command: &str, stdout: Option<&str>) -> (Option<&'static str>, EventBody) {
    let output = stdout.map(|stdout| ShellOutput {
        stdout: stdout.to_owned(),
        exit_code: Some(0),
        ..ShellOutput::default()
    });
    let call = ToolCall {
        tool_call_id: "t".to_owned(),
        tool_name: "Bash".to_owned(),
        tool_title: command.to_owned(),
        tool_status: match output {
            Some(_) => ToolStatus::Complete,
            None => ToolStatus::Running,
        },
        normalized: NormalizedPayload::ShellExec {
            shell_exec: ShellExec {
                command: Some(command.to_owned()),
                output,
                ..ShellExec::default()
            },
        },
        elapsed_seconds: None,
        slimmed: Vec::new(),
    };
    let body = match call.tool_status {
        ToolStatus::Running => EventBody::ToolCall(call),
        _ => EventBody::ToolUpdate(call),
    };
    (None, body)
}

fn all_kinds(text: &str) -> Vec<(Option<&'static str>, EventBody)> {
    let within = |(_, body)| (Some("t"), body);
    vec![
        prompt(text),
        said(text),
        (
            None,
            EventBody::Reasoning {
                reasoning_text: text.to_owned(),
                message_id: "m".to_owned(),
            },
        ),
        shell(text, None),
        within(said(text)),
        shell(text, Some(text)),
        (
            None,
            EventBody::Notice {
                kind: "informational".to_owned(),
                text: text.to_owned(),
                data: serde_json::Value::Null,
            },
        ),
        (
            None,
            EventBody::Error {
                error: text.to_owned(),
                data: kandev_transcript::ErrorData::default(),
            },
        ),
        (
            None,
            EventBody::Unrecognized {
                raw: text.to_owned(),
            },
        ),
    ]
}

#[test]
fn nothing_that_was_said_is_markup_of_a_page() {
    let page = export(EVIL, Format::Html, all_kinds(EVIL));
    let body = page.split_once("</style>").unwrap().1;
    for evil in ["<script", "<img", "<a ", "<!--", "\u{1b}", "\u{202e}"] {
        assert!(!body.contains(evil), "{evil:?} in {body}");
    }
    // And all of it is there, as text.
    assert!(
        body.matches("&lt;script&gt;alert(1)&lt;/script&gt;")
            .count()
            >= 10,
        "{body}"
    );
    // Every tag is closed in its order.
    assert_balanced(&page);
}

fn assert_balanced(page: &str) {
    let mut open = Vec::new();
    let body = page.split_once("</style>").unwrap().1;
    for part in body.split('<').skip(1) {
        let tag = part.split_once('>').unwrap().0;
        let name = tag.split([' ', '/']).find(|name| !name.is_empty()).unwrap();
        if tag.starts_with('/') {
            let last = open.pop();
            // The head was opened before the style.
            assert!(
                last == Some(name) || (last.is_none() && matches!(name, "head" | "html")),
                "{tag} ends {last:?}"
            );
        } else if !matches!(name, "br" | "img" | "hr" | "meta" | "input") {
            open.push(name);
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

#[test]
fn a_page_of_html_has_no_script_and_loads_nothing() {
    let page = export(
        "t",
        Format::Html,
        vec![said(
            "![p](https://x.example/p.png) [l](https://x.example) [j](javascript:x)",
        )],
    );
    assert!(
        page.contains("Content-Security-Policy") && page.contains("prefers-color-scheme: dark")
    );
    assert!(page.contains("@media print"));
    for loads in [
        "src=\"http",
        "<script",
        "<link",
        "url(",
        "@import",
        "javascript:",
    ] {
        assert!(!page.contains(loads), "{loads}");
    }
    assert!(
        page.contains("<a href=\"https://x.example\">l</a>")
            && page.contains("https://x.example/p.png")
    );
}

#[test]
fn images_are_in_the_page_and_only_if_they_are_images() {
    let image = |media_type: &str, data: &str| {
        let (_, body) = prompt("see");
        let EventBody::UserMessage(mut message) = body else {
            unreachable!()
        };
        message.attachments.push(Attachment {
            kind: "image".to_owned(),
            media_type: Some(media_type.to_owned()),
            url: None,
            data: Some(data.to_owned()),
        });
        vec![(None, EventBody::UserMessage(message))]
    };
    let page = export("t", Format::Html, image("image/png", "iVBORw0KGgo="));
    assert!(page.contains("<img alt=\"An image\" src=\"data:image/png;base64,iVBORw0KGgo=\">"));
    for (media_type, data) in [
        ("image/svg+xml", "AAAA"),
        ("image/png", "A\" onerror=\"x"),
        ("text/html", "AAAA"),
    ] {
        let page = export("t", Format::Html, image(media_type, data));
        assert!(
            !page.contains("<img") && page.contains("With an attachment"),
            "{page}"
        );
    }
    let text = export("t", Format::Markdown, image("image/png", "iVBORw0KGgo="));
    assert!(text.contains("*With an attachment: `image/png`*") && !text.contains("iVBOR"));
}

#[test]
fn a_fence_in_what_was_said_or_printed_ends_nothing() {
    let output = "````\n```rust\nfn x() {}\n```\n````\n## You\n";
    let text = export(
        "t",
        Format::Markdown,
        vec![
            shell("cat notes.md", None),
            shell("cat notes.md", Some(output)),
            said("look:\n```js\nleft open"),
            prompt("## next ```"),
        ],
    );
    assert!(text.contains("`````\n````\n```rust"), "{text}");
    // As a reader of Markdown sees it: the headings are those of the page.
    let headings = |text: &str| {
        let mut inside = false;
        let mut found = Vec::new();
        for event in pulldown_cmark::Parser::new(text) {
            match event {
                pulldown_cmark::Event::Start(pulldown_cmark::Tag::Heading { level, .. }) => {
                    inside = level == pulldown_cmark::HeadingLevel::H2;
                    found.extend(inside.then(String::new));
                }
                pulldown_cmark::Event::Text(words) if inside => {
                    found.iter_mut().last().unwrap().push_str(&words);
                }
                pulldown_cmark::Event::End(pulldown_cmark::TagEnd::Heading(_)) => inside = false,
                _ => {}
            }
        }
        found
    };
    let found = headings(&text);
    assert_eq!(found.len(), 3, "{found:?}\n{text}");
    assert!(
        found[0] == "Claude" && found[1].starts_with("You") && found[2] == "next ```",
        "{found:?}"
    );
}

#[test]
fn no_tag_in_markdown_is_html_and_code_stays_code() {
    let text = export(EVIL, Format::Markdown, all_kinds(EVIL));
    let is_html = |event: &pulldown_cmark::Event<'_>| {
        matches!(
            event,
            pulldown_cmark::Event::Html(_) | pulldown_cmark::Event::InlineHtml(_)
        )
    };
    let html: Vec<_> = pulldown_cmark::Parser::new(&text).filter(is_html).collect();
    assert!(html.is_empty(), "{html:?}\n{text}");
    let text = export(
        "t",
        Format::Markdown,
        vec![said("use `Vec<u8>` and a < b\n\n```html\n<b>x</b>\n```")],
    );
    assert!(
        text.contains("`Vec<u8>` and a < b") && text.contains("\n<b>x</b>\n"),
        "{text}"
    );
}

#[test]
fn a_text_is_whole_and_once_and_what_was_discarded_is_not_there() {
    let discarded = EventBody::MessageDiscarded {
        message_id: "m".to_owned(),
    };
    let bodies = || {
        vec![
            prompt("go"),
            said("phan"),
            said("tom"),
            (None, discarded.clone()),
            said("so"),
            said("lid"),
        ]
    };
    for format in [Format::Markdown, Format::Html] {
        let page = export("t", format, bodies());
        assert!(page.contains("solid") && !page.contains("phan"), "{page}");
    }
    // JSON has the events as they are.
    let json: serde_json::Value =
        serde_json::from_str(&export("t", Format::Json, bodies())).unwrap();
    let events: Vec<Event> = serde_json::from_value(json["events"].clone()).unwrap();
    assert_eq!(events, self::events(bodies()));
    assert_eq!(json["session"]["session_id"], "c");
}

#[test]
fn a_call_is_shown_once_with_its_end_and_an_open_one_as_it_is() {
    let page = export(
        "t",
        Format::Markdown,
        vec![shell("make", None), shell("make", Some("built"))],
    );
    assert_eq!(page.matches("Bash: make").count(), 1, "{page}");
    assert!(page.contains("**✓** `Bash: make`") && page.contains("built"));
    let page = export("t", Format::Markdown, vec![shell("make", None)]);
    assert!(page.contains("**…** `Bash: make`"), "{page}");
}

#[test]
fn a_session_without_a_word_is_a_page_too() {
    for format in [Format::Markdown, Format::Html, Format::Json] {
        let page = export("empty", format, vec![]);
        assert!(page.contains("empty"), "{page}");
    }
}
