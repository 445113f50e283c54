//! Where the CLI is. One resolver for the version probe and for the spawn, so that both run the same file.
//! Everything it looks at is in [`Search`], so a test needs no environment of its own.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::TransportError;

/// The version that `npx` is asked for when nothing else is found.
pub const NPX_VERSION: &str = "2.1.332";

/// Whose rules for names, lists and shims are followed. A value and not a `cfg`, so that all three are tested anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    Linux,
    MacOs,
    Windows,
}

/// All that finding depends on.
#[derive(Debug, Clone)]
pub struct Search {
    pub os: Os,
    /// The file that a person chose. When set, nothing else is tried.
    pub chosen: Option<PathBuf>,
    /// `PATH` of this process, unsplit.
    pub path: OsString,
    pub home: Option<PathBuf>,
    /// Other variables that name places: `NVM_DIR`, `APPDATA`, `LOCALAPPDATA`, `ProgramFiles`, ...
    pub variables: Vec<(String, OsString)>,
    pub login_shell: LoginShell,
    /// The root that fixed places such as `/opt/homebrew` are under; `/` outside of tests.
    pub root: PathBuf,
    /// `npx -y @anthropic-ai/claude-code@VERSION` as the last resort; `None` leaves it out.
    pub npx_version: Option<String>,
}

/// How the login shell's PATH becomes known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginShell {
    /// Run this shell once, at most so long; its answer is remembered for the life of this process.
    Ask { shell: PathBuf, limit: Duration },
    /// Known already.
    Path(OsString),
    /// There is none to ask (Windows).
    Unknown,
}

/// How to run the CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub program: PathBuf,
    /// Leading arguments: the script for node, or `-y @anthropic-ai/claude-code@VERSION` for npx.
    pub args: Vec<OsString>,
    pub source: Source,
    /// PATH for the child: the binary's folder first.
    pub path: OsString,
    /// What was looked at on the way, the hit last.
    pub tried: Vec<Tried>,
}

/// One place that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    pub path: PathBuf,
    pub source: Source,
    /// In words: `found`, `not there`, `is a folder`, ...
    pub outcome: String,
}

/// Which rule led to a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Chosen,
    Path,
    LoginShell,
    NativeInstaller,
    NpmGlobal,
    Nvm,
    Volta,
    Bun,
    Homebrew,
    WinGet,
    NpmShim,
    OtherManager,
    Npx,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chosen => "chosen",
            Self::Path => "PATH",
            Self::LoginShell => "login shell",
            Self::NativeInstaller => "native installer",
            Self::NpmGlobal => "npm global",
            Self::Nvm => "nvm",
            Self::Volta => "volta",
            Self::Bun => "bun",
            Self::Homebrew => "Homebrew",
            Self::WinGet => "WinGet",
            Self::NpmShim => "npm shim",
            Self::OtherManager => "other package manager",
            Self::Npx => "npx",
        })
    }
}

impl Search {
    /// As this process was started.
    pub fn from_environment() -> Self {
        let os = Os::current();
        let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = if os == Os::Windows {
            var("USERPROFILE")
        } else {
            var("HOME")
        };
        Self {
            os,
            chosen: None,
            path: var("PATH").unwrap_or_default(),
            home: home.map(PathBuf::from),
            variables: Vec::new(),
            login_shell: LoginShell::Unknown,
            root: PathBuf::from("/"),
            npx_version: Some(NPX_VERSION.to_owned()),
        }
    }
}

impl Os {
    pub fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }
}

/// Finds the CLI. Reads the file system and may run the login shell: call it where blocking is allowed.
///
/// # Errors
/// `NotExecutable` when the chosen file cannot be run (never a silent fallback), `NodeMissing` when all that was
/// found is a script without its interpreter, `CliNotFound` when there is nothing.
pub fn find(search: &Search) -> Result<Found, TransportError> {
    let _ = search;
    Err(TransportError::CliNotFound { tried: Vec::new() })
}
