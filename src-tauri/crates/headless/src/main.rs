//! `kandev`: the core without a window. Scripts and checks use its words, so they stay.
//!
//! It owns the command line and what is printed; it refuses to know windows, and what a line or an event means.

mod clock;
mod columns;
mod desk;
mod doctor;
mod normalize;
mod run;
mod search;
mod sessions;
mod show;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(
    name = "kandev",
    version,
    about = "Claude Code sessions from the command line"
)]
struct Cli {
    /// Folder of the database and the settings.
    #[arg(long, global = true, env = "KANDEV_DATA_DIR", value_name = "DIR")]
    data_dir: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Prints what the lines of a conversation mean, as one event a line.
    Normalize(normalize::Args),
    /// Holds a conversation: sends a prompt, prints what comes, asks what has to be asked.
    Run(Box<run::Args>),
    /// Lists the sessions of this program and of Claude Code.
    Sessions(sessions::Args),
    /// Shows a session's events.
    Show(show::Args),
    /// Finds words in all sessions.
    Search(search::Args),
    /// Says which CLI is found, where it was looked for, and what to do next.
    Doctor(doctor::Args),
}

fn main() -> ExitCode {
    kandev_transport::guard::run_if_asked();
    kandev_rehearsal::run_if_asked();
    let Cli { data_dir, command } = Cli::parse();
    let desk = || desk::Desk::open(data_dir.as_deref());
    // Whoever has read enough of a list closes the pipe; a run that nobody hears any more has not succeeded.
    let mut unheard = ExitCode::SUCCESS;
    let outcome = match command {
        Command::Normalize(args) => normalize::run(&args),
        Command::Run(args) => {
            unheard = ExitCode::FAILURE;
            run::run(&args, data_dir.as_deref())
        }
        Command::Sessions(args) => desk().and_then(|desk| sessions::run(&args, &desk)),
        Command::Show(args) => desk().and_then(|desk| show::run(&args, &desk)),
        Command::Search(args) => desk().and_then(|desk| search::run(&args, &desk)),
        Command::Doctor(args) => doctor::run(&args),
    };
    outcome.unwrap_or_else(|error| {
        let closed = |cause: &(dyn std::error::Error + 'static)| {
            let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
            let json = cause
                .downcast_ref::<serde_json::Error>()
                .and_then(|error| error.io_error_kind());
            io.or(json) == Some(io::ErrorKind::BrokenPipe)
        };
        if error.chain().any(closed) {
            return unheard;
        }
        eprintln!("kandev: {error:#}");
        ExitCode::FAILURE
    })
}
