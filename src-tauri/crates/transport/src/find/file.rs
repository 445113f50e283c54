//! What a file is: a program, a script and its interpreter, a shim and its target, or nothing that can be run.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{Os, shim};

/// How to run a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// The interpreter that the program's first line names, when it must be on PATH.
    pub(crate) interpreter: Option<PathBuf>,
}

/// Why a file cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    NotThere,
    NotAProgram(String),
    /// A script, and the named interpreter is nowhere.
    InterpreterMissing(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotThere => f.write_str("not there"),
            Self::NotAProgram(reason) => f.write_str(reason),
            Self::InterpreterMissing(interpreter) => {
                write!(f, "it needs {interpreter}, which was not found")
            }
        }
    }
}

/// Enough of a file to know what it is.
const HEAD: u64 = 512;
/// Shims are a few lines.
const SHIM: u64 = 64 * 1024;

/// How to run this file. `interpreter` tells where a program of this name is.
pub(crate) fn resolve(
    path: &Path,
    os: Os,
    interpreter: &dyn Fn(&str) -> Option<PathBuf>,
) -> Result<Program, Refusal> {
    let head = head(path)?;
    let plain = |program: &Path| Program {
        program: program.to_owned(),
        args: Vec::new(),
        interpreter: None,
    };
    let find =
        |name: &str| interpreter(name).ok_or_else(|| Refusal::InterpreterMissing(name.to_owned()));
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or("")
        .to_ascii_lowercase();

    if os == Os::Windows {
        return match extension.as_str() {
            "cmd" | "bat" | "ps1" => resolve_shim(path, os, &find),
            "js" | "mjs" | "cjs" => Ok(Program {
                args: vec![path.into()],
                ..plain(&find("node")?)
            }),
            _ if head.starts_with(b"MZ") => Ok(plain(path)),
            _ if head.starts_with(b"#!") => resolve_shim(path, os, &find),
            _ => Err(Refusal::NotAProgram(what_else(&head))),
        };
    }
    if head.starts_with(b"#!") && may_execute(path) {
        return match shebang(&head) {
            Shebang::File(file) if is_program(&file, os) => Ok(plain(path)),
            Shebang::File(file) => Err(Refusal::InterpreterMissing(file.display().to_string())),
            Shebang::OnPath(name) => Ok(Program {
                interpreter: Some(find(&name)?),
                ..plain(path)
            }),
        };
    }
    if matches!(extension.as_str(), "js" | "mjs" | "cjs") {
        return Ok(Program {
            args: vec![path.into()],
            ..plain(&find("node")?)
        });
    }
    if head.is_empty() || is_text(&head) && !head.starts_with(b"#!") {
        return Err(Refusal::NotAProgram(what_else(&head)));
    }
    if !may_execute(path) {
        return Err(Refusal::NotAProgram(
            "it may not be executed (`chmod +x` allows it)".to_owned(),
        ));
    }
    Ok(plain(path))
}

/// Whether the file itself can be executed, its interpreter aside.
pub(crate) fn is_program(path: &Path, os: Os) -> bool {
    let Ok(head) = head(path) else {
        return false;
    };
    match os {
        Os::Windows => head.starts_with(b"MZ"),
        Os::Linux | Os::MacOs => may_execute(path) && (head.starts_with(b"#!") || !is_text(&head)),
    }
}

/// The first bytes of a regular file.
fn head(path: &Path) -> Result<Vec<u8>, Refusal> {
    let other = |reason: &str| Refusal::NotAProgram(reason.to_owned());
    match fs::metadata(path) {
        Ok(file) if file.is_dir() => return Err(other("it is a folder; choose the file in it")),
        Ok(file) if !file.is_file() => return Err(other("it is no regular file")),
        Ok(_) => {}
        Err(_) if fs::symlink_metadata(path).is_ok_and(|link| link.is_symlink()) => {
            return Err(other("it is a link to a file that is gone"));
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return Err(other("its folder may not be read"));
        }
        Err(_) => return Err(Refusal::NotThere),
    }
    let mut head = Vec::new();
    match File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head)) {
        Ok(_) => Ok(head),
        // A program can be executable and not readable; then its first bytes say nothing.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && may_execute(path) => {
            Ok(vec![0x7f])
        }
        Err(error) => Err(Refusal::NotAProgram(format!("it cannot be read: {error}"))),
    }
}

fn what_else(head: &[u8]) -> String {
    let what = if head.is_empty() {
        "it is empty"
    } else if is_text(head) {
        "it is a text file, not a program"
    } else {
        "it is not a program"
    };
    what.to_owned()
}

fn is_text(head: &[u8]) -> bool {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The end may cut a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or("")
        }
        Err(_) => return false,
    };
    text.chars()
        .all(|c| !c.is_control() || c.is_whitespace() || c == '\u{1b}')
}

#[cfg(unix)]
fn may_execute(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn may_execute(_path: &Path) -> bool {
    true
}

/// What a `#!` line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Shebang {
    File(PathBuf),
    /// By `env`.
    OnPath(String),
}

fn shebang(head: &[u8]) -> Shebang {
    let line = String::from_utf8_lossy(&head[2..]);
    let line = line.lines().next().unwrap_or("");
    let mut words = line.split_whitespace();
    let file = words.next().unwrap_or("");
    if !file.ends_with("/env") {
        return Shebang::File(PathBuf::from(file));
    }
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='));
    Shebang::OnPath(name.unwrap_or("").to_owned())
}

/// Follows an npm, pnpm or Volta shim to what it starts: batch files take arguments apart on their own terms.
fn resolve_shim(
    path: &Path,
    os: Os,
    find: &dyn Fn(&str) -> Result<PathBuf, Refusal>,
) -> Result<Program, Refusal> {
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SHIM).read_to_end(&mut text));
    read.map_err(|error| Refusal::NotAProgram(format!("it cannot be read: {error}")))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    match shim::target(&String::from_utf8_lossy(&text)) {
        Some(shim::Target::Program(relative)) => {
            let program = shim::join(folder, &relative);
            if !is_program(&program, os) {
                return Err(Refusal::NotAProgram(format!(
                    "it starts {}, which is no program",
                    program.display()
                )));
            }
            Ok(Program {
                program,
                args: Vec::new(),
                interpreter: None,
            })
        }
        Some(shim::Target::Script {
            node_args,
            relative,
        }) => {
            let script = shim::join(folder, &relative);
            if !script.is_file() {
                return Err(Refusal::NotAProgram(format!(
                    "it starts {}, which is gone",
                    script.display()
                )));
            }
            let mut args: Vec<OsString> = node_args.into_iter().map(Into::into).collect();
            args.push(script.into());
            Ok(Program {
                program: find("node")?,
                args,
                interpreter: None,
            })
        }
        Some(shim::Target::Volta) => {
            let name = path.file_stem().unwrap_or_default().to_owned();
            Ok(Program {
                program: find("volta")?,
                args: vec!["run".into(), name],
                interpreter: None,
            })
        }
        None => Err(Refusal::NotAProgram(
            "it is a script that names no program of Claude Code".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_first_line_names_its_interpreter() {
        let on_path = |name: &str| Shebang::OnPath(name.to_owned());
        assert_eq!(shebang(b"#!/usr/bin/env node\nx"), on_path("node"));
        assert_eq!(
            shebang(b"#! /usr/bin/env -S node --no-warnings\r\n"),
            on_path("node")
        );
        assert_eq!(shebang(b"#!/usr/bin/env -S A=1 node"), on_path("node"));
        assert_eq!(
            shebang(b"#!/usr/local/bin/node\n"),
            Shebang::File("/usr/local/bin/node".into())
        );
        assert_eq!(shebang(b"#!\n"), Shebang::File("".into()));
    }

    #[test]
    fn text_is_told_from_programs() {
        assert!(is_text(b"notes\r\n\tand more \x1b[1m"));
        assert!(
            is_text("caf\u{e9}".as_bytes().split_last().unwrap().1),
            "a cut character at the end"
        );
        assert!(!is_text(b"\x7fELF\x02\x01\x01\0"));
        assert!(!is_text(b"MZ\x90\0"));
        assert!(!is_text(b"\xcf\xfa\xed\xfe\x07"));
    }
}
