//! The report on the CLI: which one a session would get, where it was looked for, and what to do when there is none.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use kandev_transport::{Found, Guard, Search, TransportError, Tried, find, version};
use serde::Serialize;
use specta::Type;
use tokio::process::Command;

use crate::abilities::{Abilities, Support};
use crate::launch::LaunchError;
use crate::state::sentence;

/// Starts a console program without its console.
#[cfg(windows)]
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// How long `node` and `git` may take to say their version.
const LIMIT: Duration = Duration::from_secs(5);

/// Where the CLI was looked for and what was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Type)]
pub struct CliReport {
    pub found: Option<CliFound>,
    pub tried: Vec<CliTried>,
    /// The PATH that was searched and that a session gets.
    pub path_used: String,
    pub problem: Option<String>,
    pub next_step: Option<String>,
    /// Its version, where it is installed.
    pub node: Option<String>,
    /// Its version, where it is installed.
    pub git: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct CliFound {
    pub path: String,
    pub version: Option<String>,
    /// The kind of place, in words.
    pub source: String,
    pub warning: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct CliTried {
    pub path: String,
    pub source: String,
    pub outcome: String,
}

/// Looks for the CLI as a session would, and asks it for its version.
pub async fn cli_report(search: Search, guard: &Guard) -> CliReport {
    let mut report = CliReport {
        path_used: search.path.to_string_lossy().into_owned(),
        ..CliReport::default()
    };
    let found = tokio::task::spawn_blocking(move || find(&search))
        .await
        .unwrap_or_else(|error| {
            let what = "looking for the CLI failed".to_owned();
            Err(TransportError::Io {
                what,
                source: std::io::Error::other(error),
            })
        });
    match found {
        Ok(found) => judge(&mut report, &found, guard).await,
        Err(error) => {
            if let TransportError::CliNotFound { tried }
            | TransportError::NodeMissing { tried, .. } = &error
            {
                report.tried = tried.iter().map(CliTried::from).collect();
            }
            report.missing(&error.into());
        }
    }
    (report.node, report.git) = tokio::join!(
        version_of("node", &report.path_used),
        version_of("git", &report.path_used)
    );
    report
}

async fn judge(report: &mut CliReport, found: &Found, guard: &Guard) {
    report.tried = found.tried.iter().map(CliTried::from).collect();
    report.path_used = found.path.to_string_lossy().into_owned();
    let program = std::iter::once(found.program.as_os_str())
        .chain(found.args.iter().map(|arg| arg.as_os_str()));
    let mut cli = CliFound {
        path: program
            .map(|part| part.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" "),
        version: None,
        source: found.source.to_string(),
        warning: None,
    };
    match version(found, guard).await {
        Ok(known) => {
            let abilities = Abilities::of(Some(known));
            match abilities.support() {
                Support::Refused => report.missing(&LaunchError::TooOld { found: known }),
                Support::Full | Support::Warned => cli.warning = abilities.warning(None),
            }
            cli.version = Some(known.to_string());
        }
        Err(error) => report.missing(&error.into()),
    }
    report.found = Some(cli);
}

impl CliReport {
    fn missing(&mut self, error: &LaunchError) {
        self.problem = Some(sentence(&error.to_string()));
        self.next_step = Some(error.next_step().to_owned());
    }
}

impl From<&Tried> for CliTried {
    fn from(tried: &Tried) -> Self {
        Self {
            path: tried.path.to_string_lossy().into_owned(),
            source: tried.source.to_string(),
            outcome: tried.outcome.clone(),
        }
    }
}

/// What a program on this PATH says to `--version`, from its first digit on.
async fn version_of(name: &str, path: &str) -> Option<String> {
    let program = on_path(name, path)?;
    let mut command = Command::new(program);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    #[cfg(windows)]
    command.creation_flags(CREATE_NO_WINDOW);
    let output = tokio::time::timeout(LIMIT, command.output())
        .await
        .ok()?
        .ok()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let said = said
        .lines()
        .next()?
        .trim_start_matches(|letter: char| !letter.is_ascii_digit());
    (output.status.success() && !said.is_empty()).then(|| said.to_owned())
}

/// Looks in absolute folders alone: a program in the current folder is nobody's choice.
fn on_path(name: &str, path: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let is_file = |path: &Path| path.metadata().is_ok_and(|metadata| metadata.is_file());
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders
        .map(|folder| folder.join(&file))
        .find(|program| is_file(program))
}
