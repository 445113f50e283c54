//! The arguments of a start, ours or one that a second start hands over.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};

/// How fast a recording is played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Speed {
    /// With the pauses of the recording.
    #[default]
    Real,
    /// Without any pause.
    Max,
}

/// A workbench for Claude Code sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Parser)]
#[command(name = "kandev-desktop", version, about)]
pub struct Args {
    /// Open a new session in this folder.
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// The `claude` to run (or KANDEV_CLI).
    #[arg(long, value_name = "PATH")]
    pub cli: Option<PathBuf>,
    /// Where settings are kept (or KANDEV_DATA_DIR).
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Open a session that the rehearsal CLI plays from this recording.
    #[arg(long, value_name = "FILE")]
    pub rehearsal: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t, value_name = "SPEED")]
    pub rehearsal_speed: Speed,
    /// Write the page's types to this file and end.
    #[cfg(debug_assertions)]
    #[arg(long, hide = true, value_name = "FILE")]
    pub export_bindings: Option<PathBuf>,
}

/// The arguments cannot be followed. `text` is for the terminal; `code` is the exit status (0 for `--help`).
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    pub text: String,
    pub code: i32,
}

impl Args {
    /// Reads `argv` (the program's name first). Relative paths are those of `cwd`. Whether the CLI is any good is not
    /// judged here: the window tells that better.
    pub fn read(
        argv: impl IntoIterator<Item = OsString>,
        cwd: &Path,
        env: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, Refusal> {
        let mut args = Self::try_parse_from(argv).map_err(|error| Refusal {
            text: error.render().to_string(),
            code: error.exit_code(),
        })?;
        let variable = |name: &str| {
            env(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        args.cli = args.cli.or_else(|| variable("KANDEV_CLI"));
        args.data_dir = args.data_dir.or_else(|| variable("KANDEV_DATA_DIR"));
        for path in [
            &mut args.workspace,
            &mut args.cli,
            &mut args.data_dir,
            &mut args.rehearsal,
        ]
        .into_iter()
        .flatten()
        {
            *path = cwd.join(&*path);
        }
        if let Some(folder) = args.workspace.as_deref().filter(|folder| !folder.is_dir()) {
            return Err(refuse("--workspace", folder, "is not a folder"));
        }
        if let Some(file) = args.rehearsal.as_deref().filter(|file| !file.is_file()) {
            return Err(refuse("--rehearsal", file, "is not a file"));
        }
        if let Some(folder) = args
            .data_dir
            .as_deref()
            .filter(|folder| folder.exists() && !folder.is_dir())
        {
            return Err(refuse("--data-dir", folder, "is not a folder"));
        }
        Ok(args)
    }
}

fn refuse(argument: &str, path: &Path, why: &str) -> Refusal {
    Refusal {
        text: format!("kandev-desktop: {argument}: {} {why}\n", path.display()),
        code: 2,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(cwd: &Path, words: &[&str], env: &[(&str, &str)]) -> Result<Args, Refusal> {
        let argv = std::iter::once("kandev-desktop")
            .chain(words.iter().copied())
            .map(OsString::from);
        Args::read(argv, cwd, |name| {
            env.iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn relative_paths_are_those_of_the_folder_it_was_started_in() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("work")).unwrap();
        std::fs::write(home.path().join("tour.jsonl"), "").unwrap();
        let args = read(
            home.path(),
            &[
                "--workspace",
                "work",
                "--cli",
                "bin/claude",
                "--rehearsal",
                "tour.jsonl",
                "--rehearsal-speed",
                "max",
            ],
            &[],
        )
        .unwrap();
        assert_eq!(args.workspace, Some(home.path().join("work")));
        assert_eq!(args.cli, Some(home.path().join("bin/claude")));
        assert_eq!(args.rehearsal, Some(home.path().join("tour.jsonl")));
        assert_eq!(args.rehearsal_speed, Speed::Max);
    }

    #[test]
    fn an_argument_outranks_its_variable_and_an_empty_variable_is_none() {
        let home = tempfile::tempdir().unwrap();
        let env = [
            ("KANDEV_CLI", "/opt/claude"),
            ("KANDEV_DATA_DIR", "/opt/data"),
        ];
        let args = read(home.path(), &["--cli", "/usr/bin/claude"], &env).unwrap();
        assert_eq!(args.cli, Some("/usr/bin/claude".into()));
        assert_eq!(args.data_dir, Some("/opt/data".into()));
        let args = read(home.path(), &[], &[("KANDEV_CLI", "")]).unwrap();
        assert_eq!(args.cli, None);
    }

    #[test]
    fn what_cannot_be_followed_is_refused_with_status_2_and_the_name_of_it() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("file"), "").unwrap();
        for (words, named) in [
            (vec!["--workspace", "gone"], "gone is not a folder"),
            (vec!["--workspace", "file"], "file is not a folder"),
            (
                vec!["--rehearsal", "gone.jsonl"],
                "gone.jsonl is not a file",
            ),
            (vec!["--data-dir", "file"], "file is not a folder"),
            (vec!["--rehearsal-speed", "slow"], "slow"),
            (vec!["--workspace"], "--workspace"),
            (vec!["--colour"], "--colour"),
            (vec!["stray"], "stray"),
        ] {
            let refusal = read(home.path(), &words, &[]).unwrap_err();
            assert_eq!(refusal.code, 2, "{words:?}");
            assert!(refusal.text.contains(named), "{words:?}: {}", refusal.text);
        }
    }

    #[test]
    fn asking_for_help_is_no_error() {
        let home = tempfile::tempdir().unwrap();
        let refusal = read(home.path(), &["--help"], &[]).unwrap_err();
        assert_eq!(refusal.code, 0);
        assert!(refusal.text.contains("--rehearsal-speed"));
    }
}
