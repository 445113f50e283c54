//! What the rehearsal CLI is asked to do: its own few flags, and those of the real CLI that change what is said. All other
//! flags of the real CLI are accepted and ignored.

use std::path::PathBuf;

use crate::misbehave::Misbehaviour;

/// As the first argument of any program of ours: be the rehearsal CLI.
pub const RUN_FLAG: &str = "--kandev-rehearsal";

/// What is played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Tour,
    /// One process of a recording, from 0.
    Recording {
        file: PathBuf,
        process: usize,
    },
}

/// How fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// With the pauses of the recording, or those of the script.
    Real,
    /// Flat out.
    Max,
}

#[derive(Debug, Clone)]
pub struct Options {
    pub source: Source,
    pub pace: Pace,
    pub misbehaviour: Misbehaviour,
    /// The folder that the host made for the rehearsal.
    pub folder: Option<PathBuf>,
    pub model: Option<String>,
    pub permission_mode: Option<String>,
    /// `--session-id` or `--resume`.
    pub session_id: Option<String>,
    pub resumed: bool,
    /// `--include-partial-messages`: with `stream_event` lines.
    pub partial_messages: bool,
    /// `--replay-user-messages`.
    pub replay: bool,
    /// The flags that make a later switch to `bypassPermissions` possible.
    pub bypass_possible: bool,
}

impl Options {
    /// Reads the arguments; what they leave open, the environment decides: `KANDEV_REHEARSAL_RECORDING`,
    /// `KANDEV_REHEARSAL_PROCESS`, `KANDEV_REHEARSAL_SPEED`, `KANDEV_REHEARSAL_MISBEHAVE`, `KANDEV_REHEARSAL_DIR`.
    pub fn read(
        args: &[String],
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let set = |name: &str| args.iter().any(|arg| arg == name);
        let value = |flag: &str| {
            let prefix = format!("{flag}=");
            args.iter()
                .enumerate()
                .find_map(|(at, arg)| match arg.strip_prefix(&prefix) {
                    Some(value) => Some(value.to_owned()),
                    None if arg == flag => args.get(at + 1).cloned(),
                    None => None,
                })
        };
        let either = |flag: &str, name: &str| {
            value(flag)
                .or_else(|| variable(name))
                .filter(|text| !text.is_empty())
        };

        let process = match either("--process", "KANDEV_REHEARSAL_PROCESS") {
            Some(number) => number
                .parse()
                .map_err(|_| format!("--process {number} is not a number"))?,
            None => 0,
        };
        let source = match either("--recording", "KANDEV_REHEARSAL_RECORDING") {
            Some(file) => Source::Recording {
                file: file.into(),
                process,
            },
            None => Source::Tour,
        };
        let pace = match either("--speed", "KANDEV_REHEARSAL_SPEED").as_deref() {
            None | Some("real") => Pace::Real,
            Some("max") => Pace::Max,
            Some(other) => return Err(format!("--speed {other}: it is `real` or `max`")),
        };
        let misbehaviour = match either("--misbehave", "KANDEV_REHEARSAL_MISBEHAVE") {
            Some(words) => Misbehaviour::parse(&words)?,
            None => Misbehaviour::default(),
        };
        let bypass = set("--dangerously-skip-permissions");
        let resume = value("--resume");
        Ok(Self {
            source,
            pace,
            misbehaviour,
            folder: variable("KANDEV_REHEARSAL_DIR")
                .filter(|folder| !folder.is_empty())
                .map(PathBuf::from),
            model: value("--model"),
            permission_mode: if bypass {
                Some("bypassPermissions".to_owned())
            } else {
                value("--permission-mode")
            },
            resumed: resume.is_some(),
            session_id: value("--session-id").or(resume),
            partial_messages: set("--include-partial-messages"),
            replay: set("--replay-user-messages"),
            bypass_possible: bypass || set("--allow-dangerously-skip-permissions"),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(args: &[&str]) -> Result<Options, String> {
        Options::read(
            &args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>(),
            |_| None,
        )
    }

    #[test]
    fn flags_of_the_real_cli_are_accepted() {
        let args = [
            "-p",
            "--output-format",
            "stream-json",
            "--verbose",
            "--mcp-config",
            "{}",
            "--model",
            "opus",
            "--include-partial-messages",
        ];
        let options = read(&args).unwrap();
        assert_eq!((options.source, options.pace), (Source::Tour, Pace::Real));
        assert_eq!(options.model.as_deref(), Some("opus"));
        assert!(options.partial_messages);
    }

    #[test]
    fn flags_win_over_the_environment() {
        let args = ["--speed".to_owned(), "max".to_owned()];
        let options = Options::read(&args, |name| match name {
            "KANDEV_REHEARSAL_SPEED" => Some("real".to_owned()),
            "KANDEV_REHEARSAL_RECORDING" => Some("a.ndjson".to_owned()),
            _ => None,
        });
        let options = options.unwrap();
        assert_eq!(options.pace, Pace::Max);
        assert_eq!(
            options.source,
            Source::Recording {
                file: "a.ndjson".into(),
                process: 0
            }
        );
    }

    #[test]
    fn unknown_words_are_refused() {
        assert!(read(&["--speed", "slow"]).unwrap_err().contains("slow"));
        assert!(read(&["--misbehave", "sing"]).unwrap_err().contains("sing"));
        assert!(read(&["--process", "x"]).unwrap_err().contains('x'));
    }
}
