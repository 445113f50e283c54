//! The terminals in which an editor runs that has no window of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The terminals of a desktop, in this order, and what stands before the program and its arguments.
pub(super) const TERMINALS: &[(&str, &[&str])] = &[
    ("x-terminal-emulator", &["-e"]),
    ("gnome-terminal", &["--"]),
    ("konsole", &["-e"]),
    ("kitty", &[]),
    ("alacritty", &["-e"]),
    ("wezterm", &["start", "--"]),
    ("foot", &[]),
    ("xterm", &["-e"]),
];

/// How a program gets a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Terminal {
    /// A program, and what stands before the one to run.
    Program(PathBuf, &'static [&'static str]),
    /// The Terminal of macOS, told by a script that puts each argument in quotes.
    AppleScript,
    /// A console of its own, which Windows shows in the terminal that the person prefers.
    Console,
}

/// Each argument of the script is quoted by the script itself, so no shell sees more than one word in it.
const APPLE_SCRIPT: &str = "on run argv
set theLine to \"\"
repeat with onePart in argv
set theLine to theLine & quoted form of (contents of onePart) & \" \"
end repeat
tell application \"Terminal\"
activate
do script theLine
end tell
end run";

impl Terminal {
    /// What is started for a program with its arguments.
    pub(super) fn around(
        &self,
        program: &Path,
        arguments: Vec<OsString>,
    ) -> (PathBuf, Vec<OsString>) {
        let itself = std::iter::once(program.as_os_str().to_owned());
        match self {
            Self::Program(terminal, before) => {
                let before = before.iter().map(OsString::from);
                let all = before.chain(itself).chain(arguments).collect();
                (terminal.clone(), all)
            }
            Self::AppleScript => {
                let script = ["-e", APPLE_SCRIPT].map(OsString::from);
                let all = script.into_iter().chain(itself).chain(arguments).collect();
                (PathBuf::from("/usr/bin/osascript"), all)
            }
            Self::Console => (program.to_owned(), arguments),
        }
    }
}
