//! The guard: this executable run again with a hidden first argument, between us and the CLI. It holds one end of a
//! lifeline, and when the other end closes, for whatever reason, it ends the CLI's whole tree. Windows needs none: a
//! job object does the same.

use std::path::PathBuf;

use crate::TransportError;

#[cfg(unix)]
pub(crate) mod message;
#[cfg(unix)]
pub(crate) mod tree;
#[cfg(unix)]
mod watch;

/// The hidden first argument.
pub const ARGUMENT: &str = "--kandev-guard";

/// The executable that serves as the guard: any whose `main` calls [`run_if_asked`] first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    pub program: PathBuf,
}

impl Guard {
    /// The running executable. Its `main` must call [`run_if_asked`].
    ///
    /// # Errors
    /// `Io` when the system does not tell which file this is.
    pub fn this_executable() -> Result<Self, TransportError> {
        if cfg!(target_os = "linux") {
            // Stays right when an update replaces the file while we run.
            return Ok(Self {
                program: PathBuf::from("/proc/self/exe"),
            });
        }
        let program = std::env::current_exe().map_err(|source| TransportError::Io {
            what: "this program's own file is not known".to_owned(),
            source,
        })?;
        Ok(Self { program })
    }
}

/// Becomes the guard and never returns if this process was started as one. Must be the first call in `main`, before
/// any thread, argument parser or library starts.
pub fn run_if_asked() {
    #[cfg(unix)]
    {
        let mut arguments = std::env::args_os().skip(1);
        if arguments.next().is_some_and(|first| first == ARGUMENT) {
            watch::run(arguments);
        }
    }
}
