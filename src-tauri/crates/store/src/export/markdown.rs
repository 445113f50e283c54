//! Markdown. What others said keeps its own Markdown and cannot end the part that it stands in, nor be HTML.

use std::io::{self, Write};

use super::blocks::Block;
use super::tool::{self, Part};
use super::{Page, clean};
use crate::StoredSession;

pub(super) struct Markdown<W> {
    out: W,
    /// Who spoke last: their name stands above the first of what they say.
    speaker: Option<&'static str>,
}

impl<W: Write> Markdown<W> {
    pub fn new(out: W) -> Self {
        Self { out, speaker: None }
    }

    fn speaker(&mut self, name: &'static str, at: &str) -> io::Result<()> {
        if self.speaker.replace(name) != Some(name) || !at.is_empty() {
            let at = if at.is_empty() {
                String::new()
            } else {
                format!(" · {at}")
            };
            writeln!(self.out, "## {name}{at}\n")?;
        }
        Ok(())
    }
}

impl<W: Write> Page for Markdown<W> {
    fn begin(&mut self, session: &StoredSession) -> io::Result<()> {
        writeln!(self.out, "# {}\n", escaped(&clean::line(&session.title)))?;
        let mut row = |name: &str, value: &str| match value {
            "" => Ok(()),
            value => writeln!(self.out, "- {name}: {}", span(&clean::line(value))),
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
        writeln!(self.out)
    }

    fn block(&mut self, block: &Block, within: bool) -> io::Result<()> {
        if !within {
            match block {
                Block::Prompt { at, .. } => self.speaker("You", at)?,
                Block::Answer(_) | Block::Thinking(_) | Block::Tool(_) => {
                    self.speaker("Claude", "")?
                }
                _ => {}
            }
        }
        let text = match block {
            Block::Prompt { text, images, .. } => {
                let mut all = quoted(&said(text));
                for image in images {
                    let kind = image.media_type.as_deref().unwrap_or(&image.kind);
                    all.push_str(&format!(
                        "\n\n*With an attachment: {}*",
                        span(&clean::line(kind))
                    ));
                }
                all
            }
            Block::Inserted(text) => format!("*Put in by Claude Code:*\n\n{}", quoted(&said(text))),
            Block::Answer(text) => said(text),
            Block::Thinking(text) => format!("*Thinking:*\n\n{}", quoted(&said(text))),
            Block::Tool(call) => {
                let mut all = format!("**{}** {}", tool::mark(call), span(&tool::head(call)));
                for part in tool::parts(call) {
                    all.push_str("\n\n");
                    all.push_str(&shown(part));
                }
                all
            }
            Block::Note(text) => format!("*{}*", escaped(&clean::line(text))),
            Block::Error(text) => format!("**Error:** {}", escaped(&clean::line(text))),
            Block::Turn(text) => format!("*{}*\n\n---", escaped(text)),
        };
        match within {
            true => writeln!(self.out, "{}\n", quoted(&text)),
            false => writeln!(self.out, "{text}\n"),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn shown(part: Part) -> String {
    match part {
        Part::Code { language, text } => fenced(language, &text),
        Part::Prose(text) => quoted(&said(&text)),
        Part::Wrong(text) => format!("**{}**", escaped(&clean::line(&text))),
        Part::Picture(picture) => {
            format!("*An image: {}*", span(&clean::line(&picture.media_type)))
        }
    }
}

/// In a fence that nothing in it can end.
fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// As a span of code that nothing in it can end.
fn span(text: &str) -> String {
    let ticks = "`".repeat(longest_run(text, '`') + 1);
    match text.starts_with('`') || text.ends_with('`') {
        true => format!("{ticks} {text} {ticks}"),
        false => format!("{ticks}{text}{ticks}"),
    }
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or(0)
}

fn quoted(text: &str) -> String {
    let line = |line: &str| format!("> {line}").trim_end().to_owned();
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Words that are no Markdown.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '!'
        ) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Markdown that somebody wrote: a fence that was left open is closed, and tags are text.
fn said(text: &str) -> String {
    let clean = clean::text(text);
    let mut all = String::with_capacity(clean.len());
    let mut open: Option<(char, usize)> = None;
    let mut prose = String::new();
    for line in clean.trim_end().lines() {
        match (open, fence(line)) {
            (None, Some((sign, length, _))) => {
                all.push_str(&without_tags(&std::mem::take(&mut prose)));
                open = Some((sign, length));
                all.push_str(line);
                all.push('\n');
            }
            (Some((sign, length)), found) => {
                if found.is_some_and(|found| found.0 == sign && found.1 >= length && found.2) {
                    open = None;
                }
                all.push_str(line);
                all.push('\n');
            }
            (None, None) => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    all.push_str(&without_tags(&prose));
    if let Some((sign, length)) = open {
        all.extend(std::iter::repeat_n(sign, length));
    }
    all.trim_end().to_owned()
}

/// The sign and the length of a fence, and whether nothing follows, so that it may end one.
fn fence(line: &str) -> Option<(char, usize, bool)> {
    let bare = line.trim_start_matches(' ');
    let sign = bare.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = bare.chars().take_while(|c| *c == sign).count();
    let rest = &bare[length..];
    let fits = line.len() - bare.len() <= 3 && length >= 3 && !(sign == '`' && rest.contains('`'));
    fits.then(|| (sign, length, rest.trim().is_empty()))
}

/// Signs that would begin a tag are text, outside of spans of code.
fn without_tags(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['`', '<', '\\']) {
        all.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix('\\') {
            all.push('\\');
            let next = after
                .chars()
                .next()
                .filter(|c| *c == '`' || *c == '<' || *c == '\\');
            all.extend(next);
            rest = &after[next.map_or(0, char::len_utf8)..];
            continue;
        }
        if let Some(after) = rest.strip_prefix('<') {
            let begins = after
                .starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
            all.push_str(if begins { "\\<" } else { "<" });
            rest = after;
            continue;
        }
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let length = span_length(rest, ticks).unwrap_or(ticks);
        all.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    all.push_str(rest);
    all
}

/// The length of a span of code that so many ticks begin, if one of its paragraph ends it.
fn span_length(text: &str, ticks: usize) -> Option<usize> {
    let end = text.find("\n\n").unwrap_or(text.len());
    let mut at = ticks;
    while let Some(found) = text[at..end].find('`') {
        at += found;
        let run = text[at..end].len() - text[at..end].trim_start_matches('`').len();
        at += run;
        if run == ticks {
            return Some(at);
        }
    }
    None
}
