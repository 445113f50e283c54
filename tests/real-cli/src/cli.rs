//! Which CLIs there are and where: the newest is the workspace's own, the older ones lie in `versions`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use kandev_session::Abilities;
use kandev_transport::Version;

/// The variable that lists the CLI's whole environment, as a JSON object.
pub const ENVIRONMENT: &str = "KANDEV_REAL_CLI_ENV";

/// The versions that are run, the oldest first. The lock files say the same.
pub const VERSIONS: [&str; 4] = ["2.0.76", "2.1.88", "2.1.240", "2.1.332"];
const NEWEST: &str = VERSIONS[VERSIONS.len() - 1];

/// What the launcher is named after, followed by the version that it is to start.
const LAUNCHER: &str = "claude-";

/// The binary of the npm package for this platform.
const PACKAGE: &str = match (
    cfg!(target_os = "macos"),
    cfg!(windows),
    cfg!(target_arch = "aarch64"),
) {
    (true, _, true) => "claude-code-darwin-arm64/claude",
    (true, _, false) => "claude-code-darwin-x64/claude",
    (_, true, true) => "claude-code-win32-arm64/claude.exe",
    (_, true, false) => "claude-code-win32-x64/claude.exe",
    (_, _, true) => "claude-code-linux-arm64/claude",
    (_, _, false) => "claude-code-linux-x64/claude",
};

/// One version of the real CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cli {
    version: &'static str,
}

impl Cli {
    pub fn newest() -> Self {
        Self { version: NEWEST }
    }

    /// One of [`VERSIONS`].
    ///
    /// # Errors
    /// For another one.
    pub fn of(version: &str) -> anyhow::Result<Self> {
        let version = VERSIONS.into_iter().find(|known| *known == version);
        version
            .map(|version| Self { version })
            .context("no version that is installed for the tests")
    }

    /// As it is named in a launcher's path; the newest for any other name.
    ///
    /// # Errors
    /// For a version that is not there.
    pub fn of_launcher(path: &Path) -> anyhow::Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match name.strip_prefix(LAUNCHER) {
            Some(version) => Self::of(version.trim_end_matches(std::env::consts::EXE_SUFFIX)),
            None => Ok(Self::newest()),
        }
    }

    pub fn launcher_name(self) -> String {
        format!("{LAUNCHER}{}{}", self.version, std::env::consts::EXE_SUFFIX)
    }

    pub fn version(self) -> &'static str {
        self.version
    }

    /// What this version can do, by the table of the program.
    pub fn abilities(self) -> Abilities {
        Abilities::of(Version::of_numbers(self.version))
    }

    /// The program and the arguments that go first: a binary, or a script and node.
    ///
    /// # Errors
    /// When it is not there; the text names it.
    pub fn command(self) -> anyhow::Result<(PathBuf, Vec<OsString>)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let modules = match self == Self::newest() {
            true => root.join("../../node_modules"),
            false => root.join("versions/node_modules"),
        };
        let chosen = std::env::var_os("KANDEV_REAL_CLI").filter(|_| self == Self::newest());
        let script = modules.join(format!("{LAUNCHER}{}/cli.js", self.version));
        let file = match chosen {
            Some(file) => PathBuf::from(file),
            None if script.is_file() => script,
            None => modules.join("@anthropic-ai").join(PACKAGE),
        };
        if !file.is_file() {
            bail!(
                "the real CLI {} is missing: {} is no file; `npm test` installs it, and KANDEV_REAL_CLI names another in \
                 the place of the newest",
                self.version,
                file.display()
            );
        }
        Ok(match file.extension() {
            Some(extension) if extension == "js" => ("node".into(), vec![file.into_os_string()]),
            _ => (file, Vec::new()),
        })
    }
}
