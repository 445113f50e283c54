//! Where the CLI is. One resolver for the version probe and for the spawn, so that both run the same file.
//! Everything it looks at is in [`Search`], so a test needs no environment of its own.

use std::cell::OnceCell;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::TransportError;

pub(crate) mod file;
mod login_shell;
mod path_list;
mod places;
mod shim;

pub use path_list::look_up;

use file::{Program, Refusal};

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
    /// Whether a shell started this process, so that `path` is the person's own already.
    pub from_shell: bool,
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

/// How long a login shell may take to tell its PATH.
const LOGIN_SHELL_LIMIT: Duration = Duration::from_secs(3);

/// Variables that name places; see `places`.
const VARIABLES: &[&str] = &[
    "APPDATA",
    "BUN_INSTALL",
    "FNM_DIR",
    "HOMEBREW_PREFIX",
    "LOCALAPPDATA",
    "MISE_DATA_DIR",
    "NPM_CONFIG_PREFIX",
    "NVM_DIR",
    "NVM_HOME",
    "NVM_SYMLINK",
    "N_PREFIX",
    "PNPM_HOME",
    "ProgramData",
    "ProgramFiles",
    "SCOOP",
    "VOLTA_HOME",
    "npm_config_prefix",
];

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
        let login_shell = match os {
            Os::Windows => LoginShell::Unknown,
            Os::MacOs => LoginShell::Ask {
                shell: var("SHELL").unwrap_or_else(|| "/bin/zsh".into()).into(),
                limit: LOGIN_SHELL_LIMIT,
            },
            Os::Linux => LoginShell::Ask {
                shell: var("SHELL").unwrap_or_else(|| "/bin/sh".into()).into(),
                limit: LOGIN_SHELL_LIMIT,
            },
        };
        Self {
            os,
            chosen: None,
            path: var("PATH").unwrap_or_default(),
            home: home.map(PathBuf::from),
            variables: VARIABLES
                .iter()
                .filter_map(|name| Some(((*name).to_owned(), var(name)?)))
                .collect(),
            login_shell,
            from_shell: var("SHLVL").is_some(),
            root: PathBuf::from("/"),
            npx_version: Some(NPX_VERSION.to_owned()),
        }
    }

    /// The same, with the file that a person chose.
    #[must_use]
    pub fn choosing(mut self, chosen: Option<PathBuf>) -> Self {
        self.chosen = chosen;
        self
    }

    fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_os_str())
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
    let mut looking = Looking {
        search,
        login_path: OnceCell::new(),
        tried: Vec::new(),
        missing: None,
    };
    if let Some(chosen) = &search.chosen {
        return looking.chosen(chosen);
    }
    let found = looking
        .in_folders(&path_list::split(&search.path, search.os), Source::Path)
        .or_else(|| {
            let folders = looking.login_path().to_vec();
            looking.in_folders(&folders, Source::LoginShell)
        })
        .or_else(|| {
            places::known(search)
                .into_iter()
                .find_map(|(source, folder)| looking.in_folders(&[folder], source))
        })
        .or_else(|| looking.npx());
    match (found, looking.missing) {
        (Some(found), _) => Ok(found),
        (None, Some((script, interpreter))) => Err(TransportError::NodeMissing {
            script,
            interpreter,
            tried: looking.tried,
        }),
        (None, None) => Err(TransportError::CliNotFound {
            tried: looking.tried,
        }),
    }
}

/// A search under way.
struct Looking<'a> {
    search: &'a Search,
    login_path: OnceCell<Vec<PathBuf>>,
    tried: Vec<Tried>,
    /// The first script whose interpreter was not there.
    missing: Option<(PathBuf, String)>,
}

impl Looking<'_> {
    fn chosen(&mut self, chosen: &Path) -> Result<Found, TransportError> {
        let path = match (&self.search.home, chosen.strip_prefix("~")) {
            (Some(home), Ok(rest)) => home.join(rest),
            _ => chosen.to_owned(),
        };
        let refusal = if path_list::is_absolute(&path, self.search.os) {
            match self.resolve(&path) {
                Ok(program) => return Ok(self.found(path, program, Source::Chosen)),
                Err(refusal) => refusal,
            }
        } else {
            Refusal::NotAProgram("it is no full path".to_owned())
        };
        self.note(&path, Source::Chosen, refusal.to_string());
        Err(match refusal {
            Refusal::InterpreterMissing(interpreter) => TransportError::NodeMissing {
                script: path,
                interpreter,
                tried: std::mem::take(&mut self.tried),
            },
            refusal => TransportError::NotExecutable {
                path,
                reason: refusal.to_string(),
            },
        })
    }

    /// The first of these folders that has the CLI.
    fn in_folders(&mut self, folders: &[PathBuf], source: Source) -> Option<Found> {
        let names: &[&str] = match self.search.os {
            Os::Linux | Os::MacOs => &["claude"],
            Os::Windows => &["claude.exe", "claude.cmd", "claude.bat", "claude.ps1"],
        };
        for folder in folders {
            for name in names {
                let path = folder.join(name);
                if self.tried.iter().any(|tried| tried.path == path) {
                    continue;
                }
                match self.resolve(&path) {
                    Ok(program) => {
                        let is_shim = self.search.os == Os::Windows && program.program != path;
                        let source = if is_shim && source == Source::NpmGlobal {
                            Source::NpmShim
                        } else {
                            source
                        };
                        return Some(self.found(path, program, source));
                    }
                    Err(refusal) => self.refused(path, source, refusal),
                }
            }
        }
        None
    }

    /// `npx`, which fetches the CLI when it is run.
    fn npx(&mut self) -> Option<Found> {
        let version = self.search.npx_version.clone()?;
        let package = [
            OsString::from("-y"),
            format!("@anthropic-ai/claude-code@{version}").into(),
        ];
        let places: &[&str] = match self.search.os {
            Os::Linux | Os::MacOs => &["npx"],
            // npm's own `npx.cmd` is no ordinary shim; what it starts lies here.
            Os::Windows => &["node_modules/npm/bin/npx-cli.js", "npx.cmd"],
        };
        for folder in self.folders_with_node() {
            for place in places {
                let path = folder.join(place);
                match self.resolve(&path) {
                    Ok(mut program) => {
                        program.args.extend(package);
                        return Some(self.found(path, program, Source::Npx));
                    }
                    Err(Refusal::NotThere) => {}
                    Err(refusal) => self.note(&path, Source::Npx, refusal.to_string()),
                }
            }
        }
        self.note(Path::new("npx"), Source::Npx, Refusal::NotThere.to_string());
        None
    }

    fn resolve(&self, path: &Path) -> Result<Program, Refusal> {
        file::resolve(path, self.search.os, &|name| {
            self.interpreter(name, path.parent())
        })
    }

    /// Where an interpreter such as node is: beside the script, on the PATHs, or where node's managers keep it.
    fn interpreter(&self, name: &str, beside: Option<&Path>) -> Option<PathBuf> {
        let file = if self.search.os == Os::Windows {
            format!("{name}.exe")
        } else {
            name.to_owned()
        };
        let quick = beside
            .map(Path::to_owned)
            .into_iter()
            .chain(path_list::split(&self.search.path, self.search.os));
        let runs = |folder: PathBuf| {
            let path = folder.join(&file);
            file::is_program(&path, self.search.os).then_some(path)
        };
        quick
            .into_iter()
            .find_map(runs)
            .or_else(|| self.folders_with_node().into_iter().find_map(runs))
    }

    fn folders_with_node(&self) -> Vec<PathBuf> {
        let mut folders = path_list::split(&self.search.path, self.search.os);
        folders.extend_from_slice(self.login_path());
        folders.extend(
            places::known(self.search)
                .into_iter()
                .map(|(_, folder)| folder),
        );
        folders
    }

    fn login_path(&self) -> &[PathBuf] {
        self.login_path
            .get_or_init(|| match &self.search.login_shell {
                LoginShell::Ask { shell, limit } => login_shell::path(shell, *limit)
                    .map(|path| path_list::split(&path, self.search.os))
                    .unwrap_or_default(),
                LoginShell::Path(path) => path_list::split(path, self.search.os),
                LoginShell::Unknown => Vec::new(),
            })
    }

    fn found(&mut self, path: PathBuf, program: Program, source: Source) -> Found {
        self.note(&path, source, "found".to_owned());
        let mut folders: Vec<PathBuf> = program
            .program
            .parent()
            .map(Path::to_owned)
            .into_iter()
            .collect();
        folders.extend(
            program
                .interpreter
                .as_deref()
                .and_then(Path::parent)
                .map(Path::to_owned),
        );
        folders.extend(path_list::split(&self.search.path, self.search.os));
        // The tools that the CLI runs should be those of the person's terminal.
        if !self.search.from_shell || self.login_path.get().is_some() {
            folders.extend_from_slice(self.login_path());
        }
        Found {
            program: program.program,
            args: program.args,
            source,
            path: path_list::join(folders, self.search.os),
            tried: std::mem::take(&mut self.tried),
        }
    }

    fn refused(&mut self, path: PathBuf, source: Source, refusal: Refusal) {
        self.note(&path, source, refusal.to_string());
        if let Refusal::InterpreterMissing(interpreter) = refusal {
            self.missing.get_or_insert((path, interpreter));
        }
    }

    fn note(&mut self, path: &Path, source: Source, outcome: String) {
        self.tried.push(Tried {
            path: path.to_owned(),
            source,
            outcome,
        });
    }
}
