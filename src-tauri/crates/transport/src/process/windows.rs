//! Starting in a job object: when its last handle closes, and that includes the death of this process, the system
//! ends all that was ever started in it.

use std::ffi::OsString;
use std::process::Stdio;

use ::windows::Win32::System::Threading::CREATE_NO_WINDOW;
use process_wrap::tokio::{ChildWrapper, CommandWrap, CreationFlags, JobObject, KillOnDrop};

use super::{Exit, Spawn, Started, Tree};
use crate::TransportError;

pub(super) struct Job {
    child: Box<dyn ChildWrapper>,
    exit: Option<Exit>,
}

pub(super) async fn start(
    spawn: &Spawn,
    environment: Vec<(OsString, OsString)>,
) -> Result<Started<Job>, TransportError> {
    let failed = |reason: String| TransportError::SpawnFailed {
        program: spawn.found.program.clone(),
        reason,
    };
    let mut command = CommandWrap::with_new(&spawn.found.program, |command| {
        command
            .args(&spawn.found.args)
            .args(&spawn.args)
            .env_clear()
            .envs(environment)
            .current_dir(&spawn.cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    });
    let mut child = command
        // A console program started by a window would open a console of its own.
        .wrap(CreationFlags(CREATE_NO_WINDOW))
        .wrap(KillOnDrop)
        .wrap(JobObject)
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    let (Some(id), Some(stdin), Some(stdout), Some(stderr)) = (
        child.id(),
        child.stdin().take(),
        child.stdout().take(),
        child.stderr().take(),
    ) else {
        return Err(failed("it ended before it began".to_owned()));
    };
    Ok(Started {
        id,
        stdin,
        stdout,
        stderr,
        tree: Job { child, exit: None },
    })
}

impl Tree for Job {
    /// There is no polite signal: closing stdin was the request.
    async fn terminate(&mut self) {}

    async fn kill(&mut self) {
        let _ = self.child.start_kill();
    }

    async fn gone(&mut self) -> Exit {
        if let Some(exit) = &self.exit {
            return exit.clone();
        }
        let status = self.child.inner_mut().wait().await;
        // What the CLI leaves behind ends with it.
        let _ = self.child.start_kill();
        let exit = Exit {
            code: status.ok().and_then(|status| status.code()),
            signal: None,
        };
        self.exit = Some(exit.clone());
        exit
    }
}
