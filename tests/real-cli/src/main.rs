//! Starts the real CLI with exactly the variables that `KANDEV_REAL_CLI_ENV` lists, whatever else this process was given; and
//! serves as the guard of the processes that the tests start. The name that it is started by says which version.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use kandev_real_cli::{Cli, ENVIRONMENT};
use serde_json::{Map, Value};

/// What a session sets for its own sake.
const OF_THE_SESSION: [&str; 2] = [
    "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS",
    "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING",
];

fn main() -> ExitCode {
    kandev_transport::guard::run_if_asked();
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<ExitCode> {
    let mut given = std::env::args_os();
    let name = PathBuf::from(given.next().unwrap_or_default());
    let (program, first) = Cli::of_launcher(&name)?.command()?;
    let mut command = Command::new(program);
    command
        .args(first)
        .args(given)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin");
    let Ok(listed) = std::env::var(ENVIRONMENT) else {
        // Asked for its version alone, it has no home of a test; it must not get that of a person either.
        let home = tempfile::tempdir()?;
        return wait(command.env("HOME", home.path()));
    };
    let listed: Map<String, Value> = serde_json::from_str(&listed)?;
    command.envs(
        listed
            .iter()
            .filter_map(|(name, value)| Some((name, value.as_str()?))),
    );
    for name in OF_THE_SESSION {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    #[cfg(unix)]
    return Err(std::os::unix::process::CommandExt::exec(&mut command).into());
    #[cfg(not(unix))]
    wait(&mut command)
}

fn wait(command: &mut Command) -> anyhow::Result<ExitCode> {
    let status = command.status()?;
    Ok(ExitCode::from(
        u8::try_from(status.code().unwrap_or(1)).unwrap_or(1),
    ))
}
