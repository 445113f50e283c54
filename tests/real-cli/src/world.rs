//! Everything around a session.

use std::path::{Path, PathBuf};

use anyhow::Context;
use kandev_messages_api::{MessagesApi, Script};
use kandev_session::{EnvVar, NewSession, Past, Policy, Session, StartOptions, StopCheck};
use kandev_transport::{Guard, Search};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cli::{Cli, ENVIRONMENT};
use crate::talk::Talk;

/// A home, a workspace and an API. The API answers as long as this lives.
pub struct World {
    pub api: MessagesApi,
    launcher: PathBuf,
    /// The launcher by the name of the version.
    program: PathBuf,
    _named: TempDir,
    home: TempDir,
    workspace: TempDir,
}

impl World {
    /// Makes a world whose API answers by the script that `script` writes for the workspace. `launcher` is this crate's own
    /// program.
    ///
    /// # Errors
    /// When the CLI is missing, or a folder or a port cannot be had.
    pub async fn new(launcher: &str, script: impl FnOnce(&Path) -> Script) -> anyhow::Result<Self> {
        Self::of(Cli::newest(), launcher, script).await
    }

    /// The same with another version of the CLI.
    ///
    /// # Errors
    /// As [`World::new`].
    pub async fn of(
        cli: Cli,
        launcher: &str,
        script: impl FnOnce(&Path) -> Script,
    ) -> anyhow::Result<Self> {
        cli.command()?;
        let workspace = tempfile::Builder::new().prefix("workspace-").tempdir()?;
        let home = tempfile::Builder::new().prefix("home-").tempdir()?;
        std::fs::write(
            workspace.path().join("notes.txt"),
            "first line\nsecond line\nthird line\n",
        )?;
        let named = tempfile::Builder::new().prefix("launcher-").tempdir()?;
        let program = named.path().join(cli.launcher_name());
        #[cfg(unix)]
        std::os::unix::fs::symlink(launcher, &program)?;
        #[cfg(not(unix))]
        std::fs::copy(launcher, &program)?;
        let api = MessagesApi::start(script(workspace.path())).await?;
        Ok(Self {
            api,
            launcher: launcher.into(),
            program,
            _named: named,
            home,
            workspace,
        })
    }

    pub fn folder(&self) -> &Path {
        self.workspace.path()
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// What a file of the workspace holds.
    ///
    /// # Errors
    /// When it is not there.
    pub fn read(&self, file: &str) -> anyhow::Result<String> {
        std::fs::read_to_string(self.folder().join(file)).context(file.to_owned())
    }

    /// The whole environment of the CLI.
    pub fn environment(&self) -> Value {
        json!({
            "HOME": self.home.path(),
            "ANTHROPIC_API_KEY": "dummy",
            "ANTHROPIC_BASE_URL": self.api.base_url(),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "3",
            // All tools are there from the start, so that a script need not search for them.
            "ENABLE_TOOL_SEARCH": "false",
            "CLAUDE_CODE_TMPDIR": self.home.path().join("tmp"),
        })
    }

    /// The program that starts the CLI in the environment that its variable [`ENVIRONMENT`] lists.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// A request for a session in this world.
    pub fn request(&self, policy: Policy) -> NewSession {
        let environment = self.environment();
        NewSession {
            workspace: self.folder().to_string_lossy().into_owned(),
            policy,
            permission_mode: None,
            model: Some("claude-sonnet-4-5".to_owned()),
            effort: None,
            env: vec![EnvVar {
                name: ENVIRONMENT.to_owned(),
                value: environment.to_string(),
            }],
            cli_path: None,
            resume: None,
            resume_at: None,
            fork: false,
            stop_check: StopCheck::Off,
            permission_timeout_s: None,
        }
    }

    /// Adds a variable to the CLI's environment.
    pub fn with_variable(mut request: NewSession, name: &str, value: &str) -> NewSession {
        for variable in request
            .env
            .iter_mut()
            .filter(|variable| variable.name == ENVIRONMENT)
        {
            let mut listed: Value = serde_json::from_str(&variable.value).unwrap_or_default();
            listed[name] = json!(value);
            variable.value = listed.to_string();
        }
        request.env.push(EnvVar {
            name: name.to_owned(),
            value: value.to_owned(),
        });
        request
    }

    /// Starts a session.
    pub fn start(&self, request: NewSession) -> Talk {
        self.start_with(request, |_| {})
    }

    /// Takes up a session that was here before, as after a restart of the program.
    pub fn restore(&self, request: NewSession, past: Past) -> Talk {
        let seq = past.last_seq;
        let session = Session::restore("test".to_owned(), request, past, self.options());
        Talk::after(session, seq)
    }

    fn options(&self) -> StartOptions {
        let mut search = Search::from_environment();
        search.chosen = Some(self.program.clone());
        let guard = Guard {
            program: self.launcher.clone(),
        };
        StartOptions::new(search, guard)
    }

    /// The files in which the CLI keeps its conversations, subagents' apart.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn conversations(&self) -> anyhow::Result<Vec<PathBuf>> {
        let root = self.home.path().join(".claude/projects");
        let mut found = Vec::new();
        if !root.is_dir() {
            return Ok(found);
        }
        for folder in std::fs::read_dir(root)? {
            for file in std::fs::read_dir(folder?.path())? {
                let file = file?.path();
                if file
                    .extension()
                    .is_some_and(|extension| extension == "jsonl")
                {
                    found.push(file);
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Starts a session with other options than the usual ones.
    pub fn start_with(&self, request: NewSession, change: impl FnOnce(&mut StartOptions)) -> Talk {
        let mut options = self.options();
        change(&mut options);
        let session = Session::start("test".to_owned(), request, options);
        Talk::new(session)
    }
}
