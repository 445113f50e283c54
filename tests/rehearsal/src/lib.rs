//! The rehearsal CLI: it speaks the stream-json protocol on its stdin and stdout as the real CLI does, and plays either a
//! recorded conversation or a tour of its own. It writes files only inside its scratch folder, runs no command, opens no
//! connection, and knows nothing of events, windows or policies: all it has of the program is the wire.

mod answers;
mod cli;
mod decision;
mod host;
mod misbehave;
mod options;
mod output;
mod patch;
mod playback;
mod progress;
mod recording;
mod scratch;
mod speech;
mod tour;
mod track;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::cli::Cli;
use crate::options::{Options, Source};

pub use crate::options::RUN_FLAG;

/// What `--version` says: the version whose wire it speaks.
pub const VERSION: &str = "2.1.332";

/// Becomes the rehearsal CLI, and does not come back, if the first argument is [`RUN_FLAG`]. So a program needs no second
/// executable: it starts itself with that argument.
pub fn run_if_asked() {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == RUN_FLAG) {
        std::process::exit(run(args));
    }
}

/// Runs the rehearsal CLI with these arguments (without the program's name) to its end.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::from(u8::try_from(run(args)).unwrap_or(1))
}

fn run(args: impl IntoIterator<Item = OsString>) -> i32 {
    let args: Vec<String> = args
        .into_iter()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    if args.iter().any(|arg| arg == "--version" || arg == "-v") {
        println!("{VERSION} (Claude Code)");
        return 0;
    }
    let options = match Options::read(&args, |name| std::env::var(name).ok()) {
        Ok(options) => options,
        Err(refusal) => {
            eprintln!("error: {refusal}");
            return 1;
        }
    };
    if let Some(code) = misbehave::before_anything(&options.misbehaviour) {
        return code;
    }
    let source = options.source.clone();
    let mut cli = Cli::start(options);
    if let Some(refused) = cli.refuse_to_resume() {
        return cli.exit_code(refused);
    }
    let played = match source {
        Source::Recording { file, process } => playback::play(&mut cli, &file, process),
        Source::Tour => tour::play(&mut cli),
    };
    cli.exit_code(played)
}
