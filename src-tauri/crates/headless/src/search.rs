//! `kandev search`: where words stand, in all sessions.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use kandev_store::{Hit, SearchAnswer};

use crate::clock::ago_now;
use crate::columns::{self, cut, line};
use crate::desk::{Desk, SHOWN, folder};
use crate::run::paint::{Palette, Style};

/// How long what is new may be read before there is an answer.
const READING: Duration = Duration::from_secs(10);

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Words that all stand in one message or tool call; "in quotes" they stand together.
    #[arg(required = true)]
    words: Vec<String>,
    /// One JSON object a line.
    #[arg(long)]
    json: bool,
    /// Hits at most.
    #[arg(long, default_value_t = 50, value_name = "N")]
    limit: usize,
}

pub fn run(args: &Args, desk: &Desk) -> Result<ExitCode> {
    for row in desk.store.sessions()? {
        desk.catch_up(&row);
    }
    let indexed = desk.store.index_now(desk.terminal(), READING);
    let left = match indexed {
        Ok(left) => left,
        Err(error) => {
            eprintln!("kandev: what is new cannot be searched: {error}");
            None
        }
    };
    let words = args.words.join(" ");
    let answer = desk.store.search(&words, args.limit)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    if args.json {
        for hit in &answer.hits {
            serde_json::to_writer(&mut out, hit)?;
            out.write_all(b"\n")?;
        }
    } else {
        let palette = Palette::of_stdout();
        let page = page(&answer, palette, columns::terminal());
        write!(out, "{}", palette.steady(&page))?;
    }
    out.flush()?;
    if answer.hits.is_empty() && (!args.json || io::stderr().is_terminal()) {
        eprintln!("Nothing found.");
    }
    if answer.more {
        eprintln!("There is more; narrower words or --limit show it.");
    }
    if let Some((done, of)) = left {
        eprintln!("{done} of {of} sessions were read so far; the same search once more reads on.");
    }
    Ok(ExitCode::SUCCESS)
}

/// A head for each session, and below it a line for each hit.
fn page(answer: &SearchAnswer, palette: Palette, width: Option<usize>) -> String {
    let mut page = String::new();
    let mut last = None;
    for hit in &answer.hits {
        if last != Some(&hit.session) {
            if last.is_some() {
                page.push('\n');
            }
            last = Some(&hit.session);
            head(&mut page, hit, palette, width);
        }
        let before = format!("  {:>6}  {:<7}  ", hit.seq, hit.kind.word());
        let room = width.map(|width| width.saturating_sub(before.len()));
        let _ = writeln!(
            page,
            "{}{}",
            palette.paint(Style::Dim, &before),
            marked(hit, palette, room)
        );
    }
    page
}

fn head(page: &mut String, hit: &Hit, palette: Palette, width: Option<usize>) {
    let id: String = hit.session.chars().take(SHOWN).collect();
    let archived = if hit.archived { " · archived" } else { "" };
    let facts = format!(
        "  {} · {} · {id}{archived}",
        folder(&hit.workspace),
        ago_now(&hit.at)
    );
    let title = line(&hit.title);
    let (title, facts) = match width {
        Some(width) => {
            let title = cut(
                &title,
                (width / 2).max(width.saturating_sub(columns::width(&facts))),
            );
            let rest = width.saturating_sub(columns::width(&title));
            (title, cut(&facts, rest))
        }
        None => (title, facts),
    };
    let _ = writeln!(
        page,
        "{}{}",
        palette.paint(Style::Bold, &title),
        palette.paint(Style::Dim, &facts)
    );
}

/// The text with its marks painted. It has one line, so that every character keeps its place.
fn marked(hit: &Hit, palette: Palette, room: Option<usize>) -> String {
    let text = match room {
        Some(room) => cut(&hit.text, room),
        None => hit.text.clone(),
    };
    let chars: Vec<char> = text.chars().collect();
    let piece = |from: usize, to: usize| chars[from.min(chars.len())..to.min(chars.len())].iter();
    let mut all = String::new();
    let mut at = 0;
    for (from, to) in &hit.marks {
        let (from, to) = (*from as usize, *to as usize);
        all.extend(piece(at, from));
        all.push_str(&palette.paint(Style::Ask, &piece(from, to).collect::<String>()));
        at = to;
    }
    all.extend(piece(at, chars.len().max(at)));
    all
}

#[cfg(test)]
mod tests {
    use kandev_store::{HitKind, Source};

    use super::*;

    fn hit(session: &str, text: &str, marks: &[(u32, u32)]) -> Hit {
        Hit {
            session: session.to_owned(),
            cli_session_id: None,
            title: format!("Title {session}"),
            workspace: "/w".to_owned(),
            source: Source::Kandev,
            archived: false,
            seq: 7,
            at: "2020-01-02T03:04:05.000Z".to_owned(),
            kind: HitKind::Prompt,
            text: text.to_owned(),
            marks: marks.to_vec(),
        }
    }

    #[test]
    fn each_session_has_one_head_and_marks_are_painted_where_they_are() {
        let answer = SearchAnswer {
            hits: vec![
                hit("a", "über die Brücke", &[(9, 15)]),
                hit("a", "x", &[]),
                hit("b", "y", &[(0, 1)]),
            ],
            more: false,
            indexing: None,
        };
        let colour = Palette { colour: true };
        let text = colour.steady(&page(&answer, colour, Some(80)));
        assert_eq!(text.matches("Title a").count(), 1, "{text}");
        assert!(text.contains("über die \x1b[33mBrücke\x1b[0m"), "{text}");
        let narrow = page(&answer, Palette { colour: false }, Some(30));
        assert!(
            narrow.lines().all(|line| columns::width(line) <= 30),
            "{narrow}"
        );
    }
}
