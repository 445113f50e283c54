//! From a request to a running CLI: the folder, the file, its version, the policy, the spawn. All that can go wrong on
//! the way is a [`LaunchError`] that says what to do.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use kandev_transport::{
    Found, Process, Source, Spawn, TransportError, Version, find, spawn, version,
};

use crate::abilities::{self, Abilities, Ability, Support};
use crate::mcp_config::{ConfigFile, ServersRead};
use crate::policy::{self, Launch};
use crate::state::sentence;
use crate::wsl::in_wsl;
use crate::{EnvVar, NewSession, Policy, SessionError, StartOptions, redact};

/// What the actor is to start.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    /// The request, with what the session has become since in the place of what was asked at first.
    pub request: NewSession,
    /// The mode to start in, where it is not the policy's own.
    pub mode: Option<String>,
}

/// A CLI that runs and has not been spoken to.
pub(crate) struct Launched {
    pub process: Process,
    /// What the process was told of MCP servers, to be kept until it is gone.
    pub mcp_config: Option<ConfigFile>,
    pub facts: Facts,
    /// `claude` and what it was given.
    pub argv: Vec<String>,
}

/// What became known on the way.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Facts {
    pub version: Option<Version>,
    /// What a person should know, though it runs.
    pub warnings: Vec<Warning>,
}

impl Facts {
    pub(crate) fn abilities(&self) -> Abilities {
        Abilities::of(self.version)
    }
}

/// `kind` is that of the notice that tells it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Warning {
    pub kind: &'static str,
    pub text: String,
}

/// Why there is no running CLI.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaunchError {
    #[error(transparent)]
    Transport(#[from] TransportError),
    #[error(
        "Claude Code {found} is too old for this program, which needs {} or later",
        abilities::OLDEST
    )]
    TooOld { found: Version },
    #[error(
        "Claude Code {found} cannot skip permissions safely; {} and later can",
        abilities::FULL
    )]
    BypassTooOld { found: Version },
    #[error(
        "the CLI does not skip permissions for the root user unless IS_SANDBOX=1 says that this is a sandbox"
    )]
    BypassAsRoot,
    #[error(transparent)]
    Mode(#[from] SessionError),
    #[error("the workspace {} is not an absolute path", .0.display())]
    RelativeFolder(PathBuf),
}

impl LaunchError {
    /// A word for each story.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Transport(error) => match error {
                TransportError::CliNotFound { .. } => "cli_not_found",
                TransportError::NotExecutable { .. } => "cli_not_executable",
                TransportError::NodeMissing { .. } => "node_missing",
                TransportError::FolderGone { .. } => "folder_gone",
                TransportError::NotAFolder { .. } => "not_a_folder",
                TransportError::VersionTimeout { .. } => "cli_hangs",
                TransportError::NotClaude { .. } => "not_claude",
                _ => "cli_did_not_start",
            },
            Self::TooOld { .. } => "cli_too_old",
            Self::BypassTooOld { .. } => "bypass_too_old",
            Self::BypassAsRoot => "bypass_as_root",
            Self::Mode(_) => "bad_mode",
            Self::RelativeFolder(_) => "not_a_folder",
        }
    }

    /// What a person can do about it.
    pub(crate) fn next_step(&self) -> &'static str {
        match self {
            Self::Transport(error) => match error {
                TransportError::CliNotFound { .. } => {
                    "Install Claude Code, or choose its file in the settings; `kandev doctor` shows where it was looked for."
                }
                TransportError::NodeMissing { .. } => {
                    "Install Node.js, or choose another file in the settings."
                }
                TransportError::FolderGone { .. } | TransportError::NotAFolder { .. } => {
                    "Put the folder back, or start a session in another one."
                }
                TransportError::NotExecutable { .. }
                | TransportError::VersionTimeout { .. }
                | TransportError::NotClaude { .. } => {
                    "Choose another file in the settings, or install Claude Code anew."
                }
                _ => "Try again; `kandev doctor` shows which file is run.",
            },
            Self::TooOld { .. } | Self::BypassTooOld { .. } => {
                "Update Claude Code with `claude update`, or with `npm install -g @anthropic-ai/claude-code` if npm installed it."
            }
            Self::BypassAsRoot => "Choose another policy, or run as another user.",
            Self::Mode(_) => "Choose another permission mode.",
            Self::RelativeFolder(_) => "Choose the folder again.",
        }
    }
}

/// Starts the CLI as planned. Dropping the future ends what it has started.
pub(crate) async fn launch(plan: Plan, options: StartOptions) -> Result<Launched, LaunchError> {
    let request = &plan.request;
    let folder = folder(&request.workspace).await?;
    if request.policy == Policy::Autonomous
        && options.rehearsal.is_none()
        && root_outside_a_sandbox(&request.env)
    {
        return Err(LaunchError::BypassAsRoot);
    }
    let found = match &options.rehearsal {
        Some(rehearsal) => Found {
            program: rehearsal.program.clone(),
            args: rehearsal.args.clone(),
            source: Source::Chosen,
            path: options.search.path.clone(),
            tried: Vec::new(),
        },
        None => look(request, &options).await?,
    };
    let mut facts = match &options.rehearsal {
        Some(_) => Facts::default(),
        None => probe(&found, request, &options).await?,
    };
    if cfg!(windows)
        && let Some(there) = in_wsl(&request.workspace)
    {
        facts.warnings.push(Warning {
            kind: "wsl_folder",
            text: there.warning(),
        });
    }
    if let Some(mode) = &plan.mode {
        policy::mode(mode, request.policy, facts.abilities())?;
    }
    let arguments = Launch::of(&plan, facts.abilities()).arguments();
    let argv = std::iter::once("claude".to_owned())
        .chain(arguments.iter().cloned())
        .collect();
    let mcp_config = mcp_config(&found, &options, &mut facts.warnings).await;
    let mut args: Vec<_> = arguments.into_iter().map(OsString::from).collect();
    args.extend(mcp_config.iter().flat_map(ConfigFile::arguments));
    let process = spawn(Spawn {
        args,
        env: environment(request, &options),
        ..Spawn::new(found, folder, options.guard.clone())
    })
    .await?;
    Ok(Launched {
        process,
        mcp_config,
        facts,
        argv,
    })
}

/// The file that tells of MCP servers, if there are any. A session without them is better than none, so what goes wrong is
/// a warning.
async fn mcp_config(
    found: &Found,
    options: &StartOptions,
    warnings: &mut Vec<Warning>,
) -> Option<ConfigFile> {
    let ServersRead { servers, left_out } = options.mcp_servers.as_ref()?.read().await;
    let mut warn = |text: String| {
        warnings.push(Warning {
            kind: "mcp_servers_left_out",
            text,
        });
    };
    left_out.into_iter().for_each(&mut warn);
    redact::remember_servers(&servers);
    if servers.is_empty() {
        return None;
    }
    let (path, os) = (found.path.clone(), options.search.os);
    let written = tokio::task::spawn_blocking(move || ConfigFile::write(servers, &path, os)).await;
    match written.map_err(std::io::Error::other) {
        Ok(Ok(file)) => Some(file),
        Ok(Err(error)) | Err(error) => {
            warn(format!(
                "The MCP servers of the settings were left out: their file could not be written: {error}."
            ));
            None
        }
    }
}

async fn folder(workspace: &str) -> Result<PathBuf, LaunchError> {
    let folder = PathBuf::from(workspace);
    if !folder.is_absolute() {
        return Err(LaunchError::RelativeFolder(folder));
    }
    let path = folder.clone();
    // A folder behind a slow network must not hold up other sessions.
    match tokio::task::spawn_blocking(move || std::fs::metadata(path)).await {
        Ok(Ok(metadata)) if metadata.is_dir() => Ok(folder),
        Ok(Ok(_)) => Err(TransportError::NotAFolder { path: folder }.into()),
        Ok(Err(_)) | Err(_) => Err(TransportError::FolderGone { path: folder }.into()),
    }
}

async fn look(request: &NewSession, options: &StartOptions) -> Result<Found, LaunchError> {
    let mut search = options.search.clone();
    if let Some(path) = &request.cli_path {
        search.chosen = Some(PathBuf::from(path));
    }
    let looked = tokio::task::spawn_blocking(move || find(&search)).await;
    let failed = |error: tokio::task::JoinError| TransportError::Io {
        what: "looking for the CLI failed".to_owned(),
        source: std::io::Error::other(error),
    };
    Ok(looked.map_err(failed)??)
}

/// Asks for the version and says what follows from it. A program that does not tell one is run all the same: what it says
/// then is kept and shown, which tells more than a refusal.
async fn probe(
    found: &Found,
    request: &NewSession,
    options: &StartOptions,
) -> Result<Facts, LaunchError> {
    let known = match version(found, &options.guard).await {
        Ok(known) => known,
        Err(TransportError::NotClaude {
            program,
            said,
            stderr_tail,
        }) => {
            let said = if said.trim().is_empty() {
                stderr_tail
            } else {
                said
            };
            let text = format!(
                "{} may not be Claude Code: its `--version` said {said:?}. It is started all the same.",
                program.display()
            );
            return Ok(Facts {
                version: None,
                warnings: vec![Warning {
                    kind: "cli_version_unknown",
                    text,
                }],
            });
        }
        Err(error) => return Err(error.into()),
    };
    let abilities = Abilities::of(Some(known));
    if abilities.support() == Support::Refused {
        return Err(LaunchError::TooOld { found: known });
    }
    if request.policy == Policy::Autonomous && !abilities.can(Ability::SafeBypass) {
        return Err(LaunchError::BypassTooOld { found: known });
    }
    let outdated = abilities.warning(Some(request.policy));
    let mut warnings: Vec<Warning> = outdated
        .map(|text| Warning {
            kind: "cli_outdated",
            text,
        })
        .into_iter()
        .collect();
    if request.policy == Policy::Autonomous {
        warnings.push(Warning {
            kind: "autonomous",
            text: "This session skips permissions: every tool runs without asking.".to_owned(),
        });
    }
    Ok(Facts {
        version: Some(known),
        warnings,
    })
}

fn environment(request: &NewSession, options: &StartOptions) -> Vec<(OsString, OsString)> {
    let chosen = request
        .env
        .iter()
        .filter(|var| !var.value.is_empty() && is_name(&var.name));
    let chosen = chosen.map(|var| (OsString::from(&var.name), OsString::from(&var.value)));
    let rehearsal = options
        .rehearsal
        .iter()
        .flat_map(|rehearsal| rehearsal.env.iter().cloned());
    let fixed = [
        ("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1"),
        // Without it no file can be set back to what it was before a prompt.
        ("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "1"),
        // Set when this program was started from within a session: the new one is not a part of that.
        ("CLAUDECODE", ""),
        ("CLAUDE_CODE_ENTRYPOINT", ""),
    ];
    let fixed = fixed.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    chosen.chain(rehearsal).chain(fixed).collect()
}

/// Whether the operating system takes it as the name of a variable.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// Why no session may skip permissions here, in a sentence for a person; `None` when one may. `env` is what is added to
/// the environment of this process.
pub fn autonomous_refused(env: &[EnvVar]) -> Option<String> {
    root_outside_a_sandbox(env).then(|| {
        let refused = LaunchError::BypassAsRoot;
        format!("{} {}", sentence(&refused.to_string()), refused.next_step())
    })
}

#[cfg(unix)]
fn root_outside_a_sandbox(env: &[EnvVar]) -> bool {
    let chosen = env
        .iter()
        .rfind(|var| var.name == "IS_SANDBOX" && !var.value.is_empty());
    let sandbox = match chosen {
        Some(var) => var.value == "1",
        None => std::env::var_os("IS_SANDBOX").is_some_and(|value| value == "1"),
    };
    rustix::process::geteuid().is_root() && !sandbox
}

#[cfg(not(unix))]
fn root_outside_a_sandbox(_: &[EnvVar]) -> bool {
    false
}

/// Whether two names mean one folder. Names that cannot be looked up are compared as they stand.
pub(crate) fn same_folder(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let real = |path: &str| std::fs::canonicalize(Path::new(path)).ok();
    matches!((real(one), real(other)), (Some(one), Some(other)) if one == other)
}
