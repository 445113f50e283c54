//! `kandev run`: one session from the first prompt to its end, as events or as text.

mod again;
mod answers;
mod asked;
mod asker;
mod form;
mod images;
mod page;
pub mod paint;
mod prompts;
mod signals;
mod stdin;
mod talk;
pub mod text;
mod tools;

use std::io::{IsTerminal, stdin};
use std::path::{Path, PathBuf, absolute};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use clap::builder::NonEmptyStringValueParser;
use kandev_session::{Keeping, NewSession, Policy, Rehearsal, StartOptions};
use kandev_transport::{Guard, Search};

use self::page::Page;
use self::prompts::Prompt;
use self::talk::{Begin, Talk, Unattended};
use crate::desk::{Desk, NotFound};

/// What the tour is asked when nothing else is.
const TOUR_PROMPT: &str = "Show me what you can do.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder to work in.
    #[arg(long, value_name = "DIR", required_unless_present_any = ["rehearsal", "resume"])]
    workspace: Option<PathBuf>,
    /// How much may be done without asking: supervised, or what the session that is resumed has.
    #[arg(long, value_enum)]
    policy: Option<PolicyName>,
    /// For the policy `rules`: default, acceptEdits, dontAsk or auto.
    #[arg(long, value_name = "MODE", value_parser = NonEmptyStringValueParser::new())]
    permission_mode: Option<String>,
    /// The `claude` to run, in place of the one that is found.
    #[arg(long, value_name = "PATH", env = "KANDEV_CLI")]
    cli: Option<PathBuf>,
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    model: Option<String>,
    /// The session to take up: our id of it or the CLI's, or its beginning.
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    resume: Option<String>,
    /// The message to take it up at.
    #[arg(long, value_name = "UUID", requires = "resume", value_parser = NonEmptyStringValueParser::new())]
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

/// What a run is made of.
struct Prepared {
    begin: Begin,
    request: NewSession,
    options: StartOptions,
    prompts: Vec<Prompt>,
}

/// Exit status 0 when the turn succeeded, 1 when it ended in error or the session is somebody else's, 2 for wrong usage, 3
/// when the CLI was not found or did not start, 130 when it was interrupted.
pub fn run(args: &Args, data_dir: Option<&Path>) -> Result<ExitCode> {
    let scratch = match (&args.rehearsal, &args.workspace) {
        (Some(_), None) => {
            Some(tempfile::tempdir().context("no folder for the rehearsal could be made")?)
        }
        _ => None,
    };
    let desk = Desk::open(data_dir)?;
    let prepared = prepare(args, scratch.as_ref().map(|folder| folder.path()), &desk);
    let Prepared {
        begin,
        request,
        options,
        prompts,
    } = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            eprintln!("kandev: {error:#}");
            let is_there = error.is::<again::Refused>() || error.is::<NotFound>();
            return Ok(ExitCode::from(if is_there { 1 } else { 2 }));
        }
    };
    let terminal = stdin().is_terminal();
    let unattended = match (&args.rehearsal, args.json) {
        (Some(_), false) if !terminal => Unattended::AllowAtOnce,
        (Some(_), _) => Unattended::Allow,
        (None, _) => Unattended::Deny,
    };
    let page = if args.json {
        Page::json()
    } else {
        Page::text(paint::Palette::of_stdout())
    };
    let kept = desk.store.lasts().then(|| desk.store.clone());
    drop(desk);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let talk = Talk::new(page, unattended, kept);
    let code = runtime.block_on(talk.hold(begin, request, options, prompts))?;
    Ok(ExitCode::from(code))
}

fn prepare(args: &Args, scratch: Option<&Path>, desk: &Desk) -> Result<Prepared> {
    let text = |path: &Path| -> Result<String> {
        let path = path
            .to_str()
            .with_context(|| format!("{} is not valid text", path.display()))?;
        Ok(path.to_owned())
    };
    let named = match &args.workspace {
        Some(folder) => {
            let folder = absolute(folder).with_context(|| format!("{}", folder.display()))?;
            Some(text(&folder)?)
        }
        None => None,
    };
    let mut options = StartOptions::new(Search::from_environment(), Guard::this_executable()?);
    // Without a place that lasts, events are printed as they come and nobody reads them a second time.
    options.keeping = match desk.store.lasts() {
        true => Keeping::Elsewhere,
        false => Keeping::UntilRead,
    };
    options.rehearsal = match &args.rehearsal {
        Some(recording) => Some(rehearsal(
            recording.as_deref(),
            scratch,
            args.rehearsal_speed,
        )?),
        None => None,
    };
    let cli_path = match &args.cli {
        Some(path) => Some(text(&absolute(path)?)?),
        None => None,
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
    if args.permission_mode.as_deref() == Some("bypassPermissions") {
        bail!("permissions are skipped by `--policy autonomous`, and by no mode");
    }
    if let Some(name) = &args.resume {
        let wanted = again::Wanted {
            workspace: named.clone(),
            policy: args.policy.map(Policy::from),
            permission_mode: args.permission_mode.clone(),
            model: args.model.clone(),
            cli_path: cli_path.clone(),
            rehearsal: args.rehearsal.is_some(),
        };
        if let Some(again) = again::take_up(desk, name, wanted)? {
            return Ok(Prepared {
                request: again.request,
                begin: Begin::Again {
                    id: again.id,
                    past: Box::new(again.past),
                    claim: again.claim,
                    at: args.resume_at.clone(),
                },
                options,
                prompts,
            });
        }
    }
    let workspace = match (named, scratch) {
        (Some(folder), _) => folder,
        (None, Some(folder)) => text(folder)?,
        (None, None) => {
            let name = args.resume.as_deref().unwrap_or_default();
            bail!(
                "no session `{name}` is known here; with --workspace, Claude Code is asked for it"
            );
        }
    };
    let request = NewSession {
        permission_mode: args.permission_mode.clone(),
        model: args.model.clone(),
        cli_path,
        resume: args.resume.clone(),
        resume_at: args.resume_at.clone(),
        ..NewSession::new(workspace, args.policy.map(Policy::from).unwrap_or_default())
    };
    Ok(Prepared {
        begin: Begin::New,
        request,
        options,
        prompts,
    })
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
