//! Bad manners on demand, for tests of the host: a list of words, set by `--misbehave` or `KANDEV_REHEARSAL_MISBEHAVE`.

use std::process::{Command, Stdio};
use std::time::Duration;

/// The hidden argument of the child that `child` leaves behind.
const CHILD_FLAG: &str = "--rehearsal-child";

/// What goes wrong. Words are separated by commas:
/// `exit-at-once:WORDS` says WORDS on stderr and exits 1 before it reads anything;
/// `hang-at-initialize` never answers;
/// `die:CODE` or `die:SIGKILL` ends the process in mid-turn, `hang-mid-turn` stops talking there; `after:N` says after how
/// many lines of the first turn (6);
/// `split` writes every line in pieces, cut inside characters too; `garbage` puts lines that are no protocol between the others;
/// `flood:N` streams for two seconds at N lines a second; `huge-line:N` answers with a text of N MiB;
/// `other-session` takes a new id though it is to resume; `no-conversation` and `no-message` refuse to resume as the real CLI
/// does when it finds no such conversation or message;
/// `ignore-interrupt` and `ignore-eof` do not hear; `child` starts a child that outlives the process unless it is killed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Misbehaviour {
    pub exit_at_once: Option<String>,
    pub hang_at_initialize: bool,
    pub mid_turn: Option<MidTurn>,
    /// Lines of the first turn that are said before `mid_turn`.
    pub after: Option<usize>,
    pub split: bool,
    pub garbage: bool,
    /// Lines a second.
    pub flood: Option<u32>,
    /// MiB.
    pub huge_line: Option<usize>,
    pub other_session: bool,
    pub refuses: Option<Refusal>,
    pub ignore_interrupt: bool,
    pub ignore_eof: bool,
    pub child: bool,
}

/// What the CLI says that it does not find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Conversation,
    Message,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MidTurn {
    Hang,
    Exit(i32),
    /// A Unix signal's number; elsewhere it is the exit code.
    Signal(i32),
}

impl Misbehaviour {
    pub fn parse(words: &str) -> Result<Self, String> {
        let mut this = Self::default();
        for word in words
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            let (name, value) = word.split_once(':').unwrap_or((word, ""));
            match name {
                "exit-at-once" => this.exit_at_once = Some(value.to_owned()),
                "hang-at-initialize" => this.hang_at_initialize = true,
                "hang-mid-turn" => this.mid_turn = Some(MidTurn::Hang),
                "die" => this.mid_turn = Some(death(value)?),
                "after" => this.after = Some(number(name, value)?),
                "split" => this.split = true,
                "garbage" => this.garbage = true,
                "flood" => this.flood = Some(number(name, value)?),
                "huge-line" => this.huge_line = Some(number(name, value)?),
                "other-session" => this.other_session = true,
                "no-conversation" => this.refuses = Some(Refusal::Conversation),
                "no-message" => this.refuses = Some(Refusal::Message),
                "ignore-interrupt" => this.ignore_interrupt = true,
                "ignore-eof" => this.ignore_eof = true,
                "child" => this.child = true,
                _ => return Err(format!("--misbehave {word}: no such word")),
            }
        }
        Ok(this)
    }
}

fn number<N: std::str::FromStr>(name: &str, value: &str) -> Result<N, String> {
    value
        .parse()
        .map_err(|_| format!("--misbehave {name}:{value}: it needs a number"))
}

fn death(value: &str) -> Result<MidTurn, String> {
    Ok(match value {
        "" => MidTurn::Exit(1),
        "SIGKILL" => MidTurn::Signal(9),
        "SIGTERM" => MidTurn::Signal(15),
        "SIGSEGV" => MidTurn::Signal(11),
        code => MidTurn::Exit(number("die", code)?),
    })
}

/// Does what has to be done before the first line is read; a code ends the process.
pub fn before_anything(misbehaviour: &Misbehaviour) -> Option<i32> {
    if std::env::args().any(|arg| arg == CHILD_FLAG) {
        hang();
    }
    if let Some(words) = &misbehaviour.exit_at_once {
        eprintln!("{words}");
        return Some(1);
    }
    if misbehaviour.child {
        start_child();
    }
    None
}

fn start_child() {
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let child = Command::new(program)
        .args([crate::RUN_FLAG, CHILD_FLAG])
        .env_remove("KANDEV_REHEARSAL_MISBEHAVE")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match child {
        Ok(child) => eprintln!("child {}", child.id()),
        Err(error) => eprintln!("no child: {error}"),
    }
}

/// Says nothing more, and stays.
pub fn hang() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

/// Ends this process as a signal would.
pub fn die_by_signal(signal: i32) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = rustix::process::Signal::from_named_raw(signal) {
        let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
        // The signal may be delivered to another thread first.
        std::thread::sleep(Duration::from_secs(5));
    }
    128 + signal
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn words_are_read() {
        let read = Misbehaviour::parse("die:SIGKILL, after:3,split,flood:1000").unwrap();
        assert_eq!(read.mid_turn, Some(MidTurn::Signal(9)));
        assert_eq!(
            (read.after, read.split, read.flood),
            (Some(3), true, Some(1000))
        );
        assert_eq!(
            Misbehaviour::parse("exit-at-once:no such file")
                .unwrap()
                .exit_at_once
                .as_deref(),
            Some("no such file")
        );
    }

    #[test]
    fn a_word_without_its_number_is_refused() {
        assert!(Misbehaviour::parse("flood").is_err());
        assert!(Misbehaviour::parse("die:soon").is_err());
    }
}
