//! What we and the guard say to each other over the lifeline: single bytes down, lines up.

use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use crate::process::Exit;

/// Down: send SIGTERM to the CLI and its group.
pub(crate) const TERMINATE: u8 = b'T';
/// Down: kill the whole tree. Closing the lifeline means the same.
pub(crate) const KILL: u8 = b'K';

/// Up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Report {
    /// The CLI runs under this process id.
    Started(u32),
    /// It could not be started: errno (0 if there is none) and the reason in words.
    Failed(i32, String),
    /// It ended, by its wait status, and its whole tree is gone.
    Ended(i32),
}

impl Report {
    /// One line, with its `\n`.
    pub(crate) fn to_line(&self) -> String {
        match self {
            Self::Started(pid) => format!("started {pid}\n"),
            Self::Failed(errno, reason) => {
                format!("failed {errno} {}\n", reason.replace('\n', " "))
            }
            Self::Ended(status) => format!("ended {status}\n"),
        }
    }

    pub(crate) fn from_line(line: &str) -> Option<Self> {
        let (word, rest) = line.trim_end().split_once(' ')?;
        match word {
            "started" => rest.parse().ok().map(Self::Started),
            "failed" => {
                let (errno, reason) = rest.split_once(' ').unwrap_or((rest, ""));
                Some(Self::Failed(errno.parse().ok()?, reason.to_owned()))
            }
            "ended" => rest.parse().ok().map(Self::Ended),
            _ => None,
        }
    }
}

/// The exit that a wait status means, code and signal kept apart.
pub(crate) fn exit_of(status: ExitStatus) -> Exit {
    Exit {
        code: status.code(),
        signal: status.signal().map(signal_name),
    }
}

fn signal_name(signal: i32) -> String {
    let known = [
        (libc::SIGHUP, "SIGHUP"),
        (libc::SIGINT, "SIGINT"),
        (libc::SIGQUIT, "SIGQUIT"),
        (libc::SIGILL, "SIGILL"),
        (libc::SIGTRAP, "SIGTRAP"),
        (libc::SIGABRT, "SIGABRT"),
        (libc::SIGBUS, "SIGBUS"),
        (libc::SIGFPE, "SIGFPE"),
        (libc::SIGKILL, "SIGKILL"),
        (libc::SIGUSR1, "SIGUSR1"),
        (libc::SIGSEGV, "SIGSEGV"),
        (libc::SIGUSR2, "SIGUSR2"),
        (libc::SIGPIPE, "SIGPIPE"),
        (libc::SIGALRM, "SIGALRM"),
        (libc::SIGTERM, "SIGTERM"),
        (libc::SIGXCPU, "SIGXCPU"),
        (libc::SIGXFSZ, "SIGXFSZ"),
        (libc::SIGSYS, "SIGSYS"),
    ];
    known
        .iter()
        .find(|(number, _)| *number == signal)
        .map_or_else(
            || format!("signal {signal}"),
            |(_, name)| (*name).to_owned(),
        )
}

/// The lifeline's number as an argument.
pub(crate) fn parse_fd(argument: &OsStr) -> Option<i32> {
    argument.to_str()?.parse().ok().filter(|fd| *fd > 2)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_report_survives_the_trip() {
        for report in [
            Report::Started(42),
            Report::Failed(2, "No such file or directory (os error 2)".to_owned()),
            Report::Failed(0, String::new()),
            Report::Ended(256),
            Report::Ended(9),
        ] {
            assert_eq!(Report::from_line(&report.to_line()), Some(report));
        }
    }

    #[test]
    fn what_is_no_report_is_none() {
        for line in [
            "",
            "\n",
            "running 1 test",
            "started",
            "started x",
            "ended 1.5",
        ] {
            assert_eq!(Report::from_line(line), None, "{line:?}");
        }
    }

    #[test]
    fn code_and_signal_stay_apart() {
        assert_eq!(
            exit_of(ExitStatus::from_raw(3 << 8)),
            Exit {
                code: Some(3),
                signal: None
            }
        );
        assert_eq!(
            exit_of(ExitStatus::from_raw(9)),
            Exit {
                code: None,
                signal: Some("SIGKILL".to_owned())
            }
        );
        assert_eq!(
            exit_of(ExitStatus::from_raw(137 << 8)),
            Exit {
                code: Some(137),
                signal: None
            }
        );
    }
}
