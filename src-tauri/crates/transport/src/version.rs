//! Which version the CLI is, and what that allows.

use crate::TransportError;
use crate::find::Found;
use crate::guard::Guard;

/// `X.Y.Z` as `claude --version` prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

/// What a version is good for (VERSIONS.md 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// 2.1.88 or later.
    Full,
    /// 2.0.60 to 2.1.87: usable, with a note to update; no bypass.
    Warned,
    /// Older: not started.
    Refused,
}

impl Version {
    pub fn support(self) -> Support {
        Support::Refused
    }
}

/// Runs `--version` through the same [`Found`] that the spawn uses; 10 s at most (npx may have to download: 120 s).
pub async fn version(found: &Found, guard: &Guard) -> Result<Version, TransportError> {
    let _ = guard;
    Err(TransportError::NotClaude {
        program: found.program.clone(),
        said: String::new(),
        stderr_tail: String::new(),
    })
}
