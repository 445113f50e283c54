//! One HTML page. Nothing runs in it and nothing is loaded by it; what others said is text or Markdown without HTML.

use std::fmt::Write as _;
use std::io::{self, Write};

use kandev_transcript::ToolStatus;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};

use super::blocks::Block;
use super::tool::{self, Part};
use super::{Page, clean};
use crate::StoredSession;

const STYLE: &str = include_str!("page.css");

pub(super) struct Html<W> {
    out: W,
}

impl<W: Write> Html<W> {
    pub fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write> Page for Html<W> {
    fn begin(&mut self, session: &StoredSession) -> io::Result<()> {
        let title = escaped(&clean::line(&session.title));
        write!(
            self.out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             img-src data:; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{title}</h1>\n<dl>\n"
        )?;
        let mut row = |name: &str, value: &str| match value {
            "" => Ok(()),
            value => writeln!(
                self.out,
                "<div><dt>{name}</dt><dd>{}</dd></div>",
                escaped(&clean::line(value))
            ),
        };
        row("Folder", &session.workspace)?;
        row("Model", session.model.as_deref().unwrap_or_default())?;
        row("Began", &session.started_at)?;
        row(
            "Session",
            session.cli_session_id.as_deref().unwrap_or(&session.id),
        )?;
        row(
            "Claude Code",
            session.cli_version.as_deref().unwrap_or_default(),
        )?;
        writeln!(self.out, "</dl>\n</header>")
    }

    fn block(&mut self, block: &Block, within: bool) -> io::Result<()> {
        let (class, inner) = match block {
            Block::Prompt { at, text, images } => {
                let mut all = format!(
                    "<h2>You <time datetime=\"{at}\">{at}</time></h2>\n<div class=\"text\">{}</div>",
                    escaped(&clean::text(text)),
                    at = escaped(&clean::line(at)),
                );
                for image in images {
                    let kind = image.media_type.as_deref().unwrap_or(&image.kind);
                    all.push_str(&picture(kind, image.data.as_deref()));
                }
                ("prompt", all)
            }
            Block::Inserted(text) => (
                "inserted",
                format!(
                    "<p class=\"label\">Put in by Claude Code</p>\n<div class=\"text\">{}</div>",
                    escaped(&clean::text(text))
                ),
            ),
            Block::Answer(text) => ("answer", markdown(text)),
            Block::Thinking(text) => (
                "thinking",
                format!("<p class=\"label\">Thinking</p>\n{}", markdown(text)),
            ),
            Block::Tool(call) => {
                let mut all = format!(
                    "<h3><span class=\"mark\">{}</span> {}</h3>",
                    tool::mark(call),
                    escaped(&tool::head(call))
                );
                for part in tool::parts(call) {
                    all.push_str(&shown(part));
                }
                match call.tool_status {
                    ToolStatus::Error => ("tool wrong", all),
                    _ => ("tool", all),
                }
            }
            Block::Note(text) => ("note", escaped(&clean::line(text))),
            Block::Error(text) => ("error", escaped(&clean::text(text))),
            Block::Turn(text) => ("turn", escaped(text)),
        };
        let within = if within { " within" } else { "" };
        writeln!(
            self.out,
            "<section class=\"{class}{within}\">\n{inner}\n</section>"
        )
    }

    fn end(&mut self) -> io::Result<()> {
        writeln!(self.out, "</main>\n</body>\n</html>")?;
        self.out.flush()
    }
}

fn shown(part: Part) -> String {
    match part {
        Part::Code {
            language: "diff",
            text,
        } => format!("<pre class=\"diff\">{}</pre>", diff(&text)),
        Part::Code { text, .. } => format!("<pre>{}</pre>", escaped(&text)),
        Part::Prose(text) => markdown(&text),
        Part::Wrong(text) => format!("<p class=\"wrong\">{}</p>", escaped(&text)),
        Part::Picture(image) => picture(&image.media_type, Some(&image.data)),
    }
}

/// Its lines with a colour and, for those who see none, the signs that they begin with.
fn diff(text: &str) -> String {
    let mut all = String::with_capacity(text.len() * 2);
    for line in text.lines() {
        let line_escaped = escaped(line);
        let _ = match line.as_bytes().first() {
            Some(b'+') if !line.starts_with("+++ ") => writeln!(all, "<ins>{line_escaped}</ins>"),
            Some(b'-') if !line.starts_with("--- ") => writeln!(all, "<del>{line_escaped}</del>"),
            _ => writeln!(all, "{line_escaped}"),
        };
    }
    all
}

fn picture(media_type: &str, data: Option<&str>) -> String {
    match clean::picture(Some(media_type), data) {
        Some(address) => format!("<img alt=\"An image\" src=\"{address}\">"),
        None => format!(
            "<p class=\"label\">With an attachment: {}</p>",
            escaped(&clean::line(media_type))
        ),
    }
}

/// Markdown as HTML. HTML in it is text, an address that is no web page is text, and pictures from elsewhere are named.
fn markdown(text: &str) -> String {
    let clean = clean::text(text);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut links = Vec::new();
    let safe = Parser::new_ext(&clean, options).flat_map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => vec![Event::Text(html)],
        Event::Start(Tag::HtmlBlock) => vec![Event::Start(Tag::Paragraph)],
        Event::End(TagEnd::HtmlBlock) => vec![Event::End(TagEnd::Paragraph)],
        Event::Start(Tag::Link { dest_url, .. }) if !is_page(&dest_url) => {
            links.push(false);
            vec![]
        }
        Event::Start(Tag::Link {
            dest_url,
            link_type,
            id,
            ..
        }) => {
            links.push(true);
            let title = CowStr::Borrowed("");
            vec![Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            })]
        }
        Event::End(TagEnd::Link) => match links.pop() {
            Some(true) => vec![event],
            _ => vec![],
        },
        Event::Start(Tag::Image { dest_url, .. }) => {
            vec![Event::Text(format!("[image {dest_url}: ").into())]
        }
        Event::End(TagEnd::Image) => vec![Event::Text("]".into())],
        event => vec![event],
    });
    let mut html = String::with_capacity(clean.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, safe);
    html
}

fn is_page(address: &str) -> bool {
    let small = address.trim_start().to_ascii_lowercase();
    ["https://", "http://", "mailto:"]
        .iter()
        .any(|scheme| small.starts_with(scheme))
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
