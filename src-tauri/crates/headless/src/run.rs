//! `kandev run`: one session from the first prompt to its end, as events or as text.

mod answers;
mod asked;
mod asker;
mod form;
mod images;
mod page;
mod paint;
mod prompts;
mod signals;
mod stdin;
mod talk;
mod text;
mod tools;

use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf, absolute};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use kandev_session::{NewSession, Policy, Rehearsal, StartOptions, StopCheck};
use kandev_transport::{Guard, Search};

use self::page::Page;
use self::prompts::Prompt;
use self::talk::{Talk, Unattended};

/// What the tour is asked when nothing else is.
const TOUR_PROMPT: &str = "Show me what you can do.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder to work in.
    #[arg(long, value_name = "DIR", required_unless_present = "rehearsal")]
    workspace: Option<PathBuf>,
    /// How much may be done without asking.
    #[arg(long, value_enum, default_value_t = PolicyName::Supervised)]
    policy: PolicyName,
    /// For the policy `rules`: default, acceptEdits, dontAsk or auto.
    #[arg(long, value_name = "MODE")]
    permission_mode: Option<String>,
    /// The `claude` to run, in place of the one that is found.
    #[arg(long, value_name = "PATH", env = "KANDEV_CLI")]
    cli: Option<PathBuf>,
    #[arg(long)]
    model: Option<String>,
    /// The session to take up: the CLI's id of it.
    #[arg(long, value_name = "ID")]
    resume: Option<String>,
    /// The message to take it up at.
    #[arg(long, value_name = "UUID", requires = "resume")]
    resume_at: Option<String>,
    /// An image to send with the prompt: png, jpeg, gif or webp.
    #[arg(long, value_name = "FILE")]
    image: Vec<PathBuf>,
    /// Events as JSON lines; answers to questions are read from stdin as JSON lines.
    #[arg(long)]
    json: bool,
    /// Plays the tour, or a recording, in the place of the CLI.
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    rehearsal: Option<Option<PathBuf>>,
    /// With the pauses of the recording, or flat out.
    #[arg(long, value_enum, default_value_t = Speed::Real, requires = "rehearsal")]
    rehearsal_speed: Speed,
    /// What to do. A recording that is played has prompts of its own.
    #[arg(required_unless_present = "rehearsal")]
    prompt: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PolicyName {
    Supervised,
    Plan,
    Rules,
    Autonomous,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Speed {
    Real,
    Max,
}

impl From<PolicyName> for Policy {
    fn from(name: PolicyName) -> Self {
        match name {
            PolicyName::Supervised => Self::Supervised,
            PolicyName::Plan => Self::Plan,
            PolicyName::Rules => Self::Rules,
            PolicyName::Autonomous => Self::Autonomous,
        }
    }
}

/// Exit status 0 when the turn succeeded, 1 when it ended in error, 2 for wrong usage, 3 when the CLI was not found or did
/// not start, 130 when it was interrupted.
pub fn run(args: &Args) -> Result<ExitCode> {
    let scratch = match (&args.rehearsal, &args.workspace) {
        (Some(_), None) => {
            Some(tempfile::tempdir().context("no folder for the rehearsal could be made")?)
        }
        _ => None,
    };
    let prepared = prepare(args, scratch.as_ref().map(|folder| folder.path()));
    let (request, options, prompts) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            eprintln!("kandev: {error:#}");
            return Ok(ExitCode::from(2));
        }
    };
    let terminal = stdin().is_terminal();
    let unattended = match (&args.rehearsal, args.json) {
        (Some(_), false) if !terminal => Unattended::AllowAtOnce,
        (Some(_), _) => Unattended::Allow,
        (None, _) => Unattended::Deny,
    };
    let colour =
        stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let page = if args.json {
        Page::json()
    } else {
        Page::text(paint::Palette { colour })
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let code = runtime.block_on(Talk::new(page, unattended).hold(request, options, prompts))?;
    Ok(ExitCode::from(code))
}

fn prepare(args: &Args, scratch: Option<&Path>) -> Result<(NewSession, StartOptions, Vec<Prompt>)> {
    let workspace = match (&args.workspace, scratch) {
        (Some(folder), _) => absolute(folder).with_context(|| format!("{}", folder.display()))?,
        (None, Some(folder)) => folder.to_owned(),
        (None, None) => bail!("--workspace is needed"),
    };
    let mut options = StartOptions::new(Search::from_environment(), Guard::this_executable()?);
    // All events are printed as they come; nobody reads them a second time.
    options.keeping = kandev_session::Keeping::UntilRead;
    options.rehearsal = match &args.rehearsal {
        Some(recording) => Some(rehearsal(
            recording.as_deref(),
            scratch,
            args.rehearsal_speed,
        )?),
        None => None,
    };
    let text = |path: &Path| -> Result<String> {
        let path = path
            .to_str()
            .with_context(|| format!("{} is not valid text", path.display()))?;
        Ok(path.to_owned())
    };
    let cli_path = match &args.cli {
        Some(path) => Some(text(&absolute(path)?)?),
        None => None,
    };
    let request = NewSession {
        workspace: text(&workspace)?,
        policy: args.policy.into(),
        permission_mode: args.permission_mode.clone(),
        model: args.model.clone(),
        effort: None,
        env: Vec::new(),
        cli_path,
        resume: args.resume.clone(),
        resume_at: args.resume_at.clone(),
        fork: false,
        stop_check: StopCheck::Tell,
        permission_timeout_s: None,
    };
    let images = args
        .image
        .iter()
        .map(|file| images::read(file))
        .collect::<Result<Vec<_>>>()?;
    let prompts = match (&args.prompt, &args.rehearsal) {
        (Some(text), _) => vec![Prompt {
            text: text.clone(),
            images,
        }],
        (None, Some(Some(recording))) => prompts::recorded(recording)?,
        (None, _) => vec![Prompt {
            text: TOUR_PROMPT.to_owned(),
            images,
        }],
    };
    Ok((request, options, prompts))
}

/// This program itself, as the rehearsal CLI. It writes into `scratch`; without one it makes a folder of its own: a
/// workspace that a person named is theirs, and the tour's files have no business in it.
fn rehearsal(recording: Option<&Path>, scratch: Option<&Path>, speed: Speed) -> Result<Rehearsal> {
    let mut args = vec![kandev_rehearsal::RUN_FLAG.into(), "--speed".into()];
    args.push(match speed {
        Speed::Real => "real".into(),
        Speed::Max => "max".into(),
    });
    if let Some(recording) = recording {
        if !recording.is_file() {
            bail!("there is no recording {}", recording.display());
        }
        args.extend(["--recording".into(), absolute(recording)?.into()]);
    }
    let program = std::env::current_exe().context("this program's own file is not known")?;
    Ok(Rehearsal {
        program,
        args,
        env: scratch
            .map(|folder| ("KANDEV_REHEARSAL_DIR".into(), folder.into()))
            .into_iter()
            .collect(),
    })
}
