//! `kandev show`: a session's events, as they are or as text.

use std::io::{self, BufWriter, StdoutLock, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::Result;
use indexmap::IndexMap;
use kandev_store::{SessionFiles, StoredSession};
use kandev_transcript::{Event, EventBody, ToolStatus};

use crate::columns::line;
use crate::desk::{Desk, Found, folder};
use crate::run::paint::{Palette, Style};
use crate::run::text::Text;

/// Rows of the journal that are read at once.
const ROWS: usize = 512;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The id of the session, ours or the CLI's, or its beginning.
    id: String,
    /// Events as JSON lines.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, desk: &Desk) -> Result<ExitCode> {
    let found = desk.find(&args.id)?;
    let mut page = Page::new(args.json);
    match &found {
        Found::Ours(row) => {
            desk.catch_up(row);
            page.head(
                &row.title,
                &[&row.id, &folder(&row.workspace), &row.started_at],
            )?;
            journal(desk, row, &mut page)?;
        }
        Found::Terminal(session) => {
            page.head(
                &session.title,
                &[
                    &session.id,
                    &folder(&session.workspace),
                    &session.started_at,
                ],
            )?;
            let mut failed = Ok(());
            desk.terminal().tell(&session.id, &mut |event| {
                failed = page.event(event);
                match failed {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            })?;
            failed?;
        }
    }
    page.end()?;
    Ok(ExitCode::SUCCESS)
}

fn journal(desk: &Desk, row: &StoredSession, page: &mut Page) -> Result<()> {
    let mut after = 0;
    loop {
        let events = desk.store.events_after(&row.id, after, ROWS)?;
        for event in &events {
            page.event(event)?;
        }
        if events.len() < ROWS {
            return Ok(());
        }
        after = events.last().map_or(after, Event::last_seq);
    }
}

struct Page {
    out: BufWriter<StdoutLock<'static>>,
    /// None for JSON.
    text: Option<Text>,
    palette: Palette,
    /// Calls whose end did not come yet: the head of each stands before what came of it, in one.
    open: IndexMap<String, Event>,
}

impl Page {
    fn new(json: bool) -> Self {
        let palette = Palette::of_stdout();
        Self {
            out: BufWriter::new(io::stdout().lock()),
            text: (!json).then(|| Text::new(palette)),
            palette,
            open: IndexMap::new(),
        }
    }

    fn head(&mut self, title: &str, facts: &[&str]) -> io::Result<()> {
        if self.text.is_none() {
            return Ok(());
        }
        let title = self.palette.paint(Style::Bold, &line(title));
        let facts: Vec<_> = facts.iter().map(|fact| line(fact)).collect();
        let facts = self.palette.paint(Style::Dim, &facts.join(" · "));
        write!(
            self.out,
            "{}",
            self.palette.steady(&format!("{title}\n{facts}\n\n"))
        )
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        if self.text.is_none() {
            serde_json::to_writer(&mut self.out, event)?;
            return self.out.write_all(b"\n");
        }
        match &event.body {
            EventBody::ToolCall(call) => {
                self.open.insert(call.tool_call_id.clone(), event.clone());
                return Ok(());
            }
            EventBody::ToolUpdate(call) if call.tool_status != ToolStatus::Running => {
                self.open.shift_remove(&call.tool_call_id);
            }
            _ => {}
        }
        self.print(event)
    }

    fn print(&mut self, event: &Event) -> io::Result<()> {
        let Some(text) = &mut self.text else {
            return Ok(());
        };
        let words = self.palette.steady(&text.event(event));
        self.out.write_all(words.as_bytes())
    }

    fn end(mut self) -> io::Result<()> {
        for (_, event) in std::mem::take(&mut self.open) {
            self.print(&event)?;
        }
        if let Some(text) = &mut self.text {
            let rest = text.break_off();
            self.out.write_all(rest.as_bytes())?;
        }
        self.out.flush()
    }
}
