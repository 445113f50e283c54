//! The guard: this executable run again with a hidden first argument, between us and the CLI. It holds one end of a
//! lifeline, and when the other end closes, for whatever reason, it ends the CLI's whole tree. Windows needs none: a
//! job object does the same.

use std::path::PathBuf;

use crate::TransportError;

/// The hidden first argument.
pub const ARGUMENT: &str = "--kandev-guard";

/// The executable that serves as the guard: any whose `main` calls [`run_if_asked`] first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    pub program: PathBuf,
}

impl Guard {
    /// The running executable. Its `main` must call [`run_if_asked`].
    pub fn this_executable() -> Result<Self, TransportError> {
        let program = if cfg!(target_os = "linux") {
            // Stays right when an update replaces the file while we run.
            PathBuf::from("/proc/self/exe")
        } else {
            std::env::current_exe().map_err(|source| TransportError::Io {
                what: "this program's own file is not known".to_owned(),
                source,
            })?
        };
        Ok(Self { program })
    }
}

/// Becomes the guard and never returns if this process was started as one. Must be the first call in `main`, before
/// any thread, argument parser or library starts.
pub fn run_if_asked() {}
