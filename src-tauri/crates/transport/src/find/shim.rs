//! The small scripts that package managers put in place of a program on Windows, read as text: what do they start?

use std::path::{Path, PathBuf};

/// What a shim starts, relative to the shim's own folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Program(String),
    Script {
        node_args: Vec<String>,
        relative: String,
    },
    /// `volta run NAME`, the name being that of the shim.
    Volta,
}

/// How shims (cmd, PowerShell, sh) name their own folder.
const OWN_FOLDER: &[&str] = &["%dp0%", "%~dp0", "$basedir"];

/// Reads the text of a `.cmd`, `.ps1` or sh shim.
pub(super) fn target(text: &str) -> Option<Target> {
    if text.lines().any(|line| {
        line.trim()
            .trim_start_matches('@')
            .starts_with("volta run ")
    }) {
        return Some(Target::Volta);
    }
    let mut target = None;
    for line in text.lines() {
        let pieces: Vec<&str> = line.split('"').collect();
        // Odd pieces stand between quotes.
        for (at, piece) in pieces.iter().enumerate().skip(1).step_by(2) {
            let Some(relative) = below_own_folder(piece) else {
                continue;
            };
            let name = relative
                .rsplit('/')
                .next()
                .unwrap_or("")
                .to_ascii_lowercase();
            if matches!(name.as_str(), "" | "node" | "node.exe" | "node$exe") {
                continue;
            }
            if is_script(&name) {
                let between = if at >= 2 { pieces[at - 1] } else { "" };
                let node_args = between.split_whitespace().map(str::to_owned).collect();
                target = Some(Target::Script {
                    node_args,
                    relative,
                });
            } else if name.ends_with(".exe") {
                target = Some(Target::Program(relative));
            }
        }
    }
    target
}

fn is_script(name: &str) -> bool {
    [".js", ".mjs", ".cjs"]
        .iter()
        .any(|extension| name.ends_with(extension))
}

/// The path after the shim's own folder, with `/` between its parts.
fn below_own_folder(quoted: &str) -> Option<String> {
    let rest = OWN_FOLDER.iter().find_map(|own| quoted.strip_prefix(own))?;
    let rest = rest.replace('\\', "/");
    let rest = rest.trim_start_matches('/');
    // Anything else to be expanded is beyond us.
    (!rest.is_empty() && !rest.contains('%')).then(|| rest.to_owned())
}

/// Without `.` and `..`, so that the folder on PATH reads like a folder.
pub(super) fn join(folder: &Path, relative: &str) -> PathBuf {
    let mut path = folder.to_owned();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const NPM_CMD_HEAD: &str = "@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n";
    const FIND_NODE: &str = "\r\nIF EXIST \"%dp0%\\node.exe\" (\r\n  SET \"_prog=%dp0%\\node.exe\"\r\n) ELSE (\r\n  SET \"_prog=node\"\r\n  SET PATHEXT=%PATHEXT:;.JS;=;%\r\n)\r\n\r\n";

    fn script(node_args: &[&str], relative: &str) -> Option<Target> {
        let node_args = node_args.iter().map(|arg| (*arg).to_owned()).collect();
        Some(Target::Script {
            node_args,
            relative: relative.to_owned(),
        })
    }

    #[test]
    fn npm_cmd_shim_of_a_script() {
        let text = format!(
            "{NPM_CMD_HEAD}{FIND_NODE}endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & \"%_prog%\"  \"%dp0%\\node_modules\\@anthropic-ai\\claude-code\\cli.js\" %*\r\n"
        );
        assert_eq!(
            target(&text),
            script(&[], "node_modules/@anthropic-ai/claude-code/cli.js")
        );
    }

    #[test]
    fn npm_cmd_shim_with_arguments_for_node() {
        let text = format!(
            "{NPM_CMD_HEAD}{FIND_NODE}\"%_prog%\" --no-warnings --enable-source-maps \"%dp0%\\node_modules\\@anthropic-ai\\claude-code\\cli.js\" %*\r\n"
        );
        assert_eq!(
            target(&text),
            script(
                &["--no-warnings", "--enable-source-maps"],
                "node_modules/@anthropic-ai/claude-code/cli.js"
            )
        );
    }

    #[test]
    fn npm_cmd_shim_of_a_native_program() {
        let text = format!(
            "{NPM_CMD_HEAD}\"%dp0%\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe\"   %*\r\n"
        );
        let program = "node_modules/@anthropic-ai/claude-code/bin/claude.exe";
        assert_eq!(target(&text), Some(Target::Program(program.to_owned())));
    }

    #[test]
    fn npm_powershell_and_sh_shims() {
        let powershell = "#!/usr/bin/env pwsh\n$basedir=Split-Path $MyInvocation.MyCommand.Definition -Parent\n$exe=\"\"\nif (Test-Path \"$basedir/node$exe\") {\n  & \"$basedir/node$exe\"  \"$basedir/node_modules/@anthropic-ai/claude-code/cli.js\" $args\n} else {\n  & \"node$exe\"  \"$basedir/node_modules/@anthropic-ai/claude-code/cli.js\" $args\n}\n";
        assert_eq!(
            target(powershell),
            script(&[], "node_modules/@anthropic-ai/claude-code/cli.js")
        );
        let sh = "#!/bin/sh\nbasedir=$(dirname \"$(echo \"$0\" | sed -e 's,\\\\,/,g')\")\nif [ -x \"$basedir/node\" ]; then\n  exec \"$basedir/node\"  \"$basedir/node_modules/@anthropic-ai/claude-code/cli.js\" \"$@\"\nelse \n  exec node  \"$basedir/node_modules/@anthropic-ai/claude-code/cli.js\" \"$@\"\nfi\n";
        assert_eq!(
            target(sh),
            script(&[], "node_modules/@anthropic-ai/claude-code/cli.js")
        );
    }

    #[test]
    fn pnpm_and_volta_shims() {
        let pnpm = "@SETLOCAL\r\n@IF EXIST \"%~dp0\\node.exe\" (\r\n  \"%~dp0\\node.exe\"  \"%~dp0\\global\\5\\node_modules\\@anthropic-ai\\claude-code\\cli.js\" %*\r\n)\r\n";
        assert_eq!(
            target(pnpm),
            script(
                &[],
                "global/5/node_modules/@anthropic-ai/claude-code/cli.js"
            )
        );
        assert_eq!(
            target("@echo off\nvolta run %~n0 %*\n"),
            Some(Target::Volta)
        );
    }

    #[test]
    fn other_scripts_name_nothing() {
        for text in [
            "",
            "@echo off\r\ncall other.cmd %*",
            "\"%dp0%\\node.exe\" %*",
            "\"C:\\evil.exe\"",
            "\"%dp0%\\%X%.exe\"",
        ] {
            assert_eq!(target(text), None, "{text:?}");
        }
    }

    #[test]
    fn joining_walks_up() {
        assert_eq!(
            join(Path::new("/a/b"), "../node_modules/./x.js"),
            Path::new("/a/node_modules/x.js")
        );
    }
}
