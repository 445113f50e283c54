//! `kandev`: the core without a window. Scripts and checks use its words, so they stay.
//!
//! It owns the command line and what is printed; it refuses to know windows, and what a line or an event means.

mod doctor;
mod normalize;
mod run;

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
    /// Says which CLI is found, where it was looked for, and what to do next.
    Doctor(doctor::Args),
}

fn main() -> ExitCode {
    kandev_transport::guard::run_if_asked();
    kandev_rehearsal::run_if_asked();
    let Cli {
        data_dir: _,
        command,
    } = Cli::parse();
    let outcome = match command {
        Command::Normalize(args) => normalize::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Doctor(args) => doctor::run(&args),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("kandev: {error:#}");
        ExitCode::FAILURE
    })
}
