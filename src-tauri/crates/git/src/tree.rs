//! A process with all that it starts: ended as one, when it is dropped at the latest.

use std::io;
use std::process::ExitStatus;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

/// What a process was given to talk through.
pub struct Pipes {
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
}

/// A running process and its descendants, as far as they stay with it.
pub struct Tree(system::Tree);

impl Tree {
    /// Starts it in a group of its own, without a console.
    ///
    /// # Errors
    /// Those of the system.
    pub fn spawn(command: Command) -> io::Result<(Self, Pipes)> {
        let (tree, pipes) = system::spawn(command)?;
        Ok((Self(tree), pipes))
    }

    /// How the process itself ended.
    ///
    /// # Errors
    /// Those of the system.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.0.wait().await
    }
}

#[cfg(unix)]
mod system {
    use std::io;
    use std::process::ExitStatus;

    use rustix::process::{Pid, Signal, kill_process_group};
    use tokio::process::{Child, Command};

    use super::Pipes;

    pub(super) struct Tree {
        child: Child,
        /// Nothing once the process has ended: its number may be another's.
        group: Option<Pid>,
    }

    pub(super) fn spawn(mut command: Command) -> io::Result<(Tree, Pipes)> {
        let mut child = command.process_group(0).kill_on_drop(true).spawn()?;
        let pipes = Pipes {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
        };
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let group = id.and_then(Pid::from_raw);
        Ok((Tree { child, group }, pipes))
    }

    impl Tree {
        pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
            let status = self.child.wait().await?;
            self.group = None;
            Ok(status)
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            if let Some(group) = self.group {
                let _ = kill_process_group(group, Signal::KILL);
            }
        }
    }
}

#[cfg(windows)]
mod system {
    use std::io;
    use std::process::ExitStatus;

    use process_wrap::tokio::{ChildWrapper, CommandWrap, CreationFlags, JobObject, KillOnDrop};
    use tokio::process::Command;
    use windows::Win32::System::Threading::CREATE_NO_WINDOW;

    use super::Pipes;

    pub(super) struct Tree(Box<dyn ChildWrapper>);

    pub(super) fn spawn(command: Command) -> io::Result<(Tree, Pipes)> {
        let mut child = CommandWrap::from(command)
            .wrap(CreationFlags(CREATE_NO_WINDOW))
            .wrap(KillOnDrop)
            .wrap(JobObject)
            .spawn()?;
        let pipes = Pipes {
            stdin: child.stdin().take(),
            stdout: child.stdout().take(),
            stderr: child.stderr().take(),
        };
        Ok((Tree(child), pipes))
    }

    impl Tree {
        pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
            self.0.inner_mut().wait().await
        }
    }
}
