//! `kandev sessions`: our own sessions and those of the CLI, the newest first.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use kandev_session::{Phase, Policy};
use kandev_store::{Owner, Source, StoredSession, TerminalSession};
use serde::Serialize;

use crate::clock::ago_now;
use crate::columns::{self, cut, cut_front, line, padded};
use crate::desk::{Desk, SHOWN, folder, word};
use crate::run::paint::{Palette, Style};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only the sessions of this folder.
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// One JSON object a line.
    #[arg(long)]
    json: bool,
    /// Archived sessions too. In JSON they are always there.
    #[arg(long)]
    archived: bool,
}

/// A line of the list.
#[derive(Debug, Serialize)]
struct Row {
    /// Ours. For a session of a terminal, the CLI's.
    id: String,
    /// The CLI's.
    session_id: Option<String>,
    title: String,
    workspace: String,
    state: Phase,
    policy: Option<Policy>,
    updated_at: String,
    source: Source,
    started_at: String,
    model: Option<String>,
    archived: bool,
    rehearsal: bool,
    /// Why it stopped or failed.
    problem: Option<String>,
    forked_from: Option<String>,
    folder_gone: bool,
    /// Who has it open, if it is not this program.
    owner: Option<String>,
    /// When the CLI will delete it.
    cleanup_at: Option<String>,
}

pub fn run(args: &Args, desk: &Desk) -> Result<ExitCode> {
    let rows = rows(args, desk)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    if args.json {
        for row in &rows {
            serde_json::to_writer(&mut out, row)?;
            out.write_all(b"\n")?;
        }
    } else {
        let hidden = rows
            .iter()
            .filter(|row| row.archived && !args.archived)
            .count();
        let shown: Vec<_> = rows
            .iter()
            .filter(|row| !row.archived || args.archived)
            .collect();
        let palette = Palette::of_stdout();
        write!(
            out,
            "{}",
            palette.steady(&page(&shown, palette, columns::terminal()))
        )?;
        out.flush()?;
        if rows.is_empty() {
            eprintln!(
                "There are no sessions{}.",
                if args.workspace.is_some() {
                    " in this folder"
                } else {
                    ""
                }
            );
        }
        if hidden > 0 {
            eprintln!("{hidden} archived; --archived shows them.");
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn rows(args: &Args, desk: &Desk) -> Result<Vec<Row>> {
    let terminal = desk.terminal();
    let mut owners = terminal.owners();
    let ours = desk.store.sessions()?.into_iter().map(|row| {
        let cli = row.cli_session_id.as_deref();
        let owner = cli.and_then(|cli| owner_of(&mut owners, desk, &row, cli));
        ours(row, owner)
    });
    let mut rows: Vec<Row> = ours.collect();
    for session in terminal.list()? {
        let owner = owners.remove(&session.id);
        rows.push(theirs(session, owner));
    }
    if let Some(folder) = &args.workspace {
        let wanted = absolute(folder);
        rows.retain(|row| absolute(Path::new(&row.workspace)) == wanted);
    }
    rows.sort_by(|a, b| b.updated_at.cmp(&a.updated_at));
    Ok(rows)
}

/// A session that goes on in a terminal has its owner there; one that lives in another program of ours has it there.
fn owner_of(
    owners: &mut HashMap<String, Owner>,
    desk: &Desk,
    row: &StoredSession,
    cli: &str,
) -> Option<Owner> {
    match row.is_over() {
        true => owners.remove(cli),
        false => desk.store.claimed(cli),
    }
}

fn ours(row: StoredSession, owner: Option<Owner>) -> Row {
    Row {
        folder_gone: !Path::new(&row.workspace).is_dir() && row.host.is_none(),
        id: row.id,
        session_id: row.cli_session_id,
        title: row.title,
        workspace: row.workspace,
        state: row.state,
        policy: row.policy,
        updated_at: row.updated_at,
        source: row.source,
        started_at: row.started_at,
        model: row.model,
        archived: row.archived,
        rehearsal: row.rehearsal,
        problem: row.problem,
        forked_from: row.forked_from,
        owner: owner.map(|owner| owner.what),
        cleanup_at: None,
    }
}

fn theirs(session: TerminalSession, owner: Option<Owner>) -> Row {
    Row {
        session_id: Some(session.id.clone()),
        id: session.id,
        title: session.title,
        workspace: session.workspace,
        state: Phase::Stopped,
        policy: None,
        updated_at: session.updated_at,
        source: Source::Terminal,
        started_at: session.started_at,
        model: session.model,
        archived: session.archived,
        rehearsal: false,
        problem: None,
        forked_from: session.forked_from,
        folder_gone: session.folder_gone,
        owner: owner.map(|owner| owner.what),
        cleanup_at: session.cleanup_at,
    }
}

/// Links and dots aside; a folder that is gone is what it is called.
fn absolute(path: &Path) -> PathBuf {
    path.canonicalize()
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

/// Columns: id, when, state, title, folder.
fn page(rows: &[&Row], palette: Palette, width: Option<usize>) -> String {
    let lines: Vec<[String; 5]> = rows
        .iter()
        .map(|row| {
            [
                row.id.chars().take(SHOWN).collect(),
                ago_now(&row.updated_at),
                state(row),
                line(&row.title),
                folder(&row.workspace),
            ]
        })
        .collect();
    let widest = |column: usize| {
        let widths = lines.iter().map(|line| columns::width(&line[column]));
        widths.max().unwrap_or(0)
    };
    let [id, when, what] = [0, 1, 2].map(widest);
    let mut title = widest(3);
    let mut place = widest(4);
    if let Some(width) = width {
        let room = width.saturating_sub(id + when + what + 8);
        // The folder gets what the titles leave, and at least a third.
        place = place.min(room.saturating_sub(title).max(room / 3));
        title = title.min(room.saturating_sub(place));
    }
    let mut page = String::new();
    for (row, [short, time, state, name, at]) in rows.iter().zip(&lines) {
        let cells = [
            palette.paint(Style::Dim, &padded(short, id)),
            padded(time, when),
            palette.paint(style(row), &padded(state, what)),
            padded(&cut(name, title), title),
            palette.paint(Style::Dim, &cut_front(at, place)),
        ];
        page.push_str(cells.join("  ").trim_end());
        page.push('\n');
    }
    page
}

fn state(row: &Row) -> String {
    let mut state = match (&row.owner, row.source) {
        (Some(owner), _) if row.state == Phase::Stopped => owner.clone(),
        (_, Source::Terminal) => "terminal".to_owned(),
        (_, Source::Kandev) => word(row.state).replace('_', " "),
    };
    if row.folder_gone {
        state.push_str(", folder gone");
    }
    if row.archived {
        state.push_str(", archived");
    }
    state
}

fn style(row: &Row) -> Style {
    match row.state {
        Phase::Approval | Phase::Question => Style::Ask,
        Phase::Failed => Style::Bad,
        Phase::Stopped | Phase::Idle => Style::Dim,
        _ => Style::Good,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(title: &str, workspace: &str, source: Source) -> Row {
        Row {
            id: "0123456789abcdef".to_owned(),
            session_id: None,
            title: title.to_owned(),
            workspace: workspace.to_owned(),
            state: Phase::Stopped,
            policy: None,
            updated_at: "2020-01-02T03:04:05.000Z".to_owned(),
            source,
            started_at: String::new(),
            model: None,
            archived: false,
            rehearsal: false,
            problem: None,
            forked_from: None,
            folder_gone: false,
            owner: None,
            cleanup_at: None,
        }
    }

    #[test]
    fn every_line_fits_the_terminal_and_the_columns_stand_straight() {
        let long = "a title that goes on and on ".repeat(6);
        let rows = [
            row("短い題名", "/w/ferry", Source::Kandev),
            row(
                &long,
                &format!("/home/{}", "deep/".repeat(30)),
                Source::Terminal,
            ),
        ];
        let rows: Vec<&Row> = rows.iter().collect();
        for width in [60, 80, 120, 200] {
            let page = page(&rows, Palette { colour: false }, Some(width));
            for line in page.lines() {
                assert!(columns::width(line) <= width, "{width}: {line:?}");
            }
            let folders = page.lines().map(|line| {
                let at = line.rfind("  ").unwrap_or(0);
                columns::width(&line[..at])
            });
            let mut starts: Vec<_> = folders.collect();
            starts.dedup();
            assert_eq!(starts.len(), 1, "{page}");
        }
        // Into a pipe all of it goes.
        let whole = page(&rows, Palette { colour: false }, None);
        assert!(whole.contains(long.trim()) && whole.contains("deep/deep"));
    }
}
