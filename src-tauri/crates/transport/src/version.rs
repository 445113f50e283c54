//! Which version the CLI is. What follows from that is the session's to know.

use std::fmt;
use std::time::Duration;

use crate::TransportError;
use crate::find::{Found, Source};
use crate::guard::Guard;
use crate::process::{Output, Spawn, spawn};

/// `X.Y.Z` as `claude --version` prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

/// A slow disk and a virus scanner included.
const LIMIT: Duration = Duration::from_secs(10);
/// npx may have to download it first.
const NPX_LIMIT: Duration = Duration::from_secs(120);

impl Version {
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// Reads a line such as `2.1.332 (Claude Code)`.
    pub fn parse(line: &str) -> Option<Self> {
        let (number, rest) = line.trim().split_once(' ')?;
        if rest.trim() != "(Claude Code)" {
            return None;
        }
        Self::of_numbers(number)
    }

    /// Reads the number alone, such as `2.1.332`.
    pub fn of_numbers(number: &str) -> Option<Self> {
        // What follows a `-` or `+` names a build of the same version.
        let number = number.split(['-', '+']).next()?;
        let mut parts = number.split('.').map(str::parse);
        let mut next = || parts.next()?.ok();
        let version = Self {
            major: next()?,
            minor: next()?,
            patch: next()?,
        };
        parts.next().is_none().then_some(version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Runs `--version` through the same [`Found`] that the spawn uses; 10 s at most, 120 s for npx.
///
/// # Errors
/// `VersionTimeout`, `NotClaude` when it said something else, and those of [`spawn`].
pub async fn version(found: &Found, guard: &Guard) -> Result<Version, TransportError> {
    let limit = if found.source == Source::Npx {
        NPX_LIMIT
    } else {
        LIMIT
    };
    version_within(found, guard, limit).await
}

/// The same with another limit.
///
/// # Errors
/// As [`version`].
pub async fn version_within(
    found: &Found,
    guard: &Guard,
    limit: Duration,
) -> Result<Version, TransportError> {
    let mut to_spawn = Spawn::new(found.clone(), std::env::temp_dir(), guard.clone());
    to_spawn.args = vec!["--version".into()];
    to_spawn.max_line = 64 * 1024;
    let mut process = spawn(to_spawn).await?;
    process.stdin.close();
    let said = tokio::time::timeout(limit, async {
        let mut first = None;
        while let Some(output) = process.events.recv().await {
            match output {
                Output::Line(line) => {
                    let line = String::from_utf8_lossy(&line).trim().to_owned();
                    if let Some(version) = Version::parse(&line) {
                        return Ok(version);
                    }
                    first.get_or_insert(line);
                }
                Output::Exited(_) => break,
                Output::Overlong { .. } | Output::Stderr(_) => {}
            }
        }
        Err(first.unwrap_or_default())
    })
    .await;
    let program = found.program.clone();
    match said {
        Ok(Ok(version)) => Ok(version),
        Ok(Err(said)) => Err(TransportError::NotClaude {
            program,
            said: shortened(&said),
            stderr_tail: process.child.stderr_tail(),
        }),
        Err(_) => Err(TransportError::VersionTimeout {
            program,
            limit,
            stderr_tail: process.child.stderr_tail(),
        }),
    }
}

fn shortened(said: &str) -> String {
    const SHOWN: usize = 200;
    match said.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &said[..end]),
        None => said.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parsed(line: &str) -> Option<String> {
        Version::parse(line).map(|version| version.to_string())
    }

    #[test]
    fn the_line_is_read_exactly() {
        assert_eq!(parsed("2.1.332 (Claude Code)").unwrap(), "2.1.332");
        assert_eq!(parsed("  1.0.128 (Claude Code)\r").unwrap(), "1.0.128");
        assert_eq!(parsed("2.2.0-beta.1 (Claude Code)").unwrap(), "2.2.0");
        for other in [
            "",
            "2.1.332",
            "v20.1.0",
            "2.1 (Claude Code)",
            "2.1.1.1 (Claude Code)",
            "2.1.3 (Other)",
            "a.b.c (Claude Code)",
        ] {
            assert_eq!(parsed(other), None, "{other:?}");
        }
    }
}
