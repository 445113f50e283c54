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
    /// One process of a recording, from 0. Without a number it is the first one, or in a conversation that is taken up the
    /// next one, and after the last one the first one again.
    Recording {
        file: PathBuf,
        process: Option<usize>,
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

/// A long answer that can be checked: `w0 w1 w2 ...`, one word a delta.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// In each turn.
    pub count: u64,
    /// How many a second; 0 is flat out.
    pub rate: u32,
    /// In each message.
    pub message: u64,
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
    /// `--session-id`, or `--resume` without `--fork-session`.
    pub session_id: Option<String>,
    /// `--resume`, fork or not.
    pub resume: Option<String>,
    pub resumed: bool,
    /// Every turn is such an answer.
    pub words: Option<Words>,
    /// At its end the recording begins again, with new ids for messages and calls.
    pub repeat: bool,
    /// `--include-partial-messages`: with `stream_event` lines.
    pub partial_messages: bool,
    /// `--replay-user-messages`.
    pub replay: bool,
    /// The flags that make a later switch to `bypassPermissions` possible.
    pub bypass_possible: bool,
}

impl Options {
    /// Reads the arguments; what they leave open, the environment decides.
    ///
    /// | flag | variable | |
    /// |---|---|---|
    /// | `--recording FILE` | `KANDEV_REHEARSAL_RECORDING` | plays it in the place of the tour |
    /// | `--process N` | `KANDEV_REHEARSAL_PROCESS` | that process of the recording, from 0 |
    /// | `--repeat` | `KANDEV_REHEARSAL_REPEAT` (not empty) | the recording begins again after its end |
    /// | `--words N[,RATE[,MESSAGE]]` | `KANDEV_REHEARSAL_WORDS` | every turn of the tour streams N numbered words, RATE a second (0, the default: flat out), MESSAGE in a message (1000) |
    /// | `--speed real\|max` | `KANDEV_REHEARSAL_SPEED` | |
    /// | `--misbehave WORDS` | `KANDEV_REHEARSAL_MISBEHAVE` | see [`Misbehaviour`] |
    /// | | `KANDEV_REHEARSAL_DIR` | the folder that the host made for the rehearsal |
    ///
    /// Of the real CLI's flags, `--resume ID` takes that id for its own and plays what comes next, `--fork-session` takes a
    /// new one, and `--resume-session-at` is taken without effect, as nothing is known of what was said.
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
            Some(number) => Some(
                number
                    .parse()
                    .map_err(|_| format!("--process {number} is not a number"))?,
            ),
            None => None,
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
        let words = match either("--words", "KANDEV_REHEARSAL_WORDS") {
            Some(words) => Some(Words::parse(&words)?),
            None => None,
        };
        let fork = set("--fork-session");
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
            session_id: value("--session-id").or_else(|| resume.clone().filter(|_| !fork)),
            resume,
            words,
            repeat: set("--repeat")
                || variable("KANDEV_REHEARSAL_REPEAT").is_some_and(|set| !set.is_empty()),
            partial_messages: set("--include-partial-messages"),
            replay: set("--replay-user-messages"),
            bypass_possible: bypass || set("--allow-dangerously-skip-permissions"),
        })
    }
}

impl Words {
    fn parse(words: &str) -> Result<Self, String> {
        let wrong = || format!("--words {words}: it is N[,RATE[,MESSAGE]]");
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
        let mut parts = words.split(',');
        let count = number(parts.next().unwrap_or_default())?;
        let rate = parts.next().map_or(Ok(0), number)?;
        let message = parts.next().map_or(Ok(1_000), number)?;
        Ok(Self {
            count,
            rate: u32::try_from(rate).map_err(|_| wrong())?,
            message: message.max(1),
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
                process: None
            }
        );
    }

    #[test]
    fn a_resumed_session_keeps_its_id_and_a_fork_has_none_yet() {
        let resumed = read(&["--resume", "a"]).unwrap();
        assert_eq!(resumed.session_id.as_deref(), Some("a"));
        let forked = read(&["--resume", "a", "--fork-session"]).unwrap();
        assert_eq!(
            (forked.session_id, forked.resume.as_deref()),
            (None, Some("a"))
        );
        assert!(forked.resumed);
    }

    #[test]
    fn words_have_a_count_a_rate_and_a_length() {
        let words = |given: &str| read(&["--words", given]).unwrap().words.unwrap();
        let all = Words {
            count: 5,
            rate: 20,
            message: 3,
        };
        assert_eq!(words("5,20,3"), all);
        assert_eq!(
            words("5"),
            Words {
                rate: 0,
                message: 1_000,
                ..all
            }
        );
    }

    #[test]
    fn unknown_words_are_refused() {
        assert!(read(&["--speed", "slow"]).unwrap_err().contains("slow"));
        assert!(read(&["--misbehave", "sing"]).unwrap_err().contains("sing"));
        assert!(read(&["--words", "many"]).unwrap_err().contains("many"));
        assert!(read(&["--process", "x"]).unwrap_err().contains('x'));
    }
}
