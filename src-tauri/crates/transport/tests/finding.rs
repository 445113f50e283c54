//! Finding, in fake homes: nothing of this machine's environment takes part.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use kandev_transport::{Found, LoginShell, Os, Search, Source, TransportError, find};

const NATIVE: &[u8] = b"\x7fELF\x02\x01\x01\0native";
const NATIVE_WINDOWS: &[u8] = b"MZ\x90\0native";
const NODE_SCRIPT: &[u8] = b"#!/usr/bin/env node\nconsole.log('cli')\n";

/// A machine in a folder.
struct Machine {
    root: tempfile::TempDir,
    search: Search,
}

impl Machine {
    fn new(os: Os) -> Self {
        let root = tempfile::tempdir().unwrap();
        let search = Search {
            os,
            chosen: None,
            path: OsString::new(),
            home: Some(root.path().join("home")),
            variables: Vec::new(),
            login_shell: LoginShell::Unknown,
            from_shell: true,
            root: root.path().to_owned(),
            npx_version: None,
        };
        Self { root, search }
    }

    fn linux() -> Self {
        Self::new(Os::Linux)
    }

    fn windows() -> Self {
        let mut machine = Self::new(Os::Windows);
        for (name, folder) in [
            ("APPDATA", "home/AppData/Roaming"),
            ("LOCALAPPDATA", "home/AppData/Local"),
            ("ProgramFiles", "Program Files"),
        ] {
            machine
                .search
                .variables
                .push((name.to_owned(), machine.at(folder).into()));
        }
        machine
    }

    fn at(&self, place: &str) -> PathBuf {
        self.root.path().join(place)
    }

    fn file(&self, place: &str, content: &[u8], mode: u32) -> PathBuf {
        let path = self.at(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn program(&self, place: &str) -> PathBuf {
        let is_exe = place.ends_with(".exe");
        self.file(place, if is_exe { NATIVE_WINDOWS } else { NATIVE }, 0o755)
    }

    fn path(&mut self, folders: &[&str]) -> &mut Self {
        let separator = if self.search.os == Os::Windows {
            ";"
        } else {
            ":"
        };
        let folders: Vec<String> = folders
            .iter()
            .map(|folder| self.at(folder).display().to_string())
            .collect();
        self.search.path = folders.join(separator).into();
        self
    }

    fn find(&self) -> Result<Found, TransportError> {
        find(&self.search)
    }

    fn found(&self) -> Found {
        self.find()
            .unwrap_or_else(|error| panic!("{error}: {error:?}"))
    }

    fn choose(&mut self, path: impl Into<PathBuf>) -> TransportError {
        self.search.chosen = Some(path.into());
        self.find().unwrap_err()
    }
}

fn folders(path: &OsString) -> Vec<PathBuf> {
    std::env::split_paths(path).collect()
}

#[test]
fn a_bare_path_as_from_the_dock_still_finds_the_native_installer() {
    let mut machine = Machine::linux();
    let program = machine.program("home/.local/bin/claude");
    machine.search.path = "/usr/bin:/bin".into();
    let found = machine.found();
    assert_eq!(
        (found.program.as_path(), found.source),
        (program.as_path(), Source::NativeInstaller)
    );
    assert_eq!(
        folders(&found.path),
        [
            program.parent().unwrap(),
            Path::new("/usr/bin"),
            Path::new("/bin")
        ]
    );
}

#[test]
fn each_known_place_is_found_by_its_name() {
    for (os, place, source) in [
        (Os::Linux, "home/.local/bin/claude", Source::NativeInstaller),
        (
            Os::Linux,
            "home/.claude/local/claude",
            Source::NativeInstaller,
        ),
        (Os::Linux, "home/.npm-global/bin/claude", Source::NpmGlobal),
        (
            Os::Linux,
            "home/.nvm/versions/node/v22.1.0/bin/claude",
            Source::Nvm,
        ),
        (Os::Linux, "home/.volta/bin/claude", Source::Volta),
        (Os::Linux, "home/.bun/bin/claude", Source::Bun),
        (
            Os::Linux,
            "home/linuxbrew/.linuxbrew/bin/claude",
            Source::Homebrew,
        ),
        (Os::MacOs, "opt/homebrew/bin/claude", Source::Homebrew),
        (Os::MacOs, "usr/local/bin/claude", Source::Homebrew),
        (Os::MacOs, "home/Library/pnpm/claude", Source::OtherManager),
        (
            Os::Linux,
            "home/.local/share/fnm/node-versions/v20.0.0/installation/bin/claude",
            Source::OtherManager,
        ),
        (
            Os::Linux,
            "home/.local/share/mise/installs/node/22.0.0/bin/claude",
            Source::OtherManager,
        ),
        (
            Os::Windows,
            "home/.local/bin/claude.exe",
            Source::NativeInstaller,
        ),
        (
            Os::Windows,
            "home/AppData/Local/Microsoft/WinGet/Links/claude.exe",
            Source::WinGet,
        ),
        (
            Os::Windows,
            "home/AppData/Local/Microsoft/WinGet/Packages/Anthropic.ClaudeCode_Microsoft.Winget.Source_8wekyb3d8bbwe/claude.exe",
            Source::WinGet,
        ),
        (
            Os::Windows,
            "Program Files/WinGet/Links/claude.exe",
            Source::WinGet,
        ),
        (
            Os::Windows,
            "home/AppData/Local/Volta/bin/claude.exe",
            Source::Volta,
        ),
        (Os::Windows, "home/.bun/bin/claude.exe", Source::Bun),
        (
            Os::Windows,
            "home/scoop/shims/claude.exe",
            Source::OtherManager,
        ),
    ] {
        let machine = if os == Os::Windows {
            Machine::windows()
        } else {
            Machine::new(os)
        };
        let program = machine.program(place);
        let found = machine.found();
        assert_eq!(
            (&found.program, found.source),
            (&program, source),
            "{place}"
        );
        let last = found.tried.last().unwrap();
        assert_eq!(
            (&last.path, last.outcome.as_str()),
            (&program, "found"),
            "{place}"
        );
    }
}

#[test]
fn variables_move_the_known_places() {
    for (variable, value, place, source) in [
        (
            "NVM_DIR",
            "nvm",
            "nvm/versions/node/v20.1.0/bin/claude",
            Source::Nvm,
        ),
        ("VOLTA_HOME", "volta", "volta/bin/claude", Source::Volta),
        ("BUN_INSTALL", "bun", "bun/bin/claude", Source::Bun),
        (
            "npm_config_prefix",
            "npm",
            "npm/bin/claude",
            Source::NpmGlobal,
        ),
        (
            "HOMEBREW_PREFIX",
            "brew",
            "brew/bin/claude",
            Source::Homebrew,
        ),
    ] {
        let mut machine = Machine::linux();
        machine
            .search
            .variables
            .push((variable.to_owned(), machine.at(value).into()));
        let program = machine.program(place);
        let found = machine.found();
        assert_eq!(
            (found.program, found.source),
            (program, source),
            "{variable}"
        );
    }
}

#[test]
fn the_prefix_in_npmrc_is_followed() {
    for prefix in ["~/mine", "${HOME}/mine"] {
        let machine = Machine::linux();
        machine.file(
            "home/.npmrc",
            format!("registry=https://example.test/\nprefix = {prefix}\n").as_bytes(),
            0o644,
        );
        let program = machine.program("home/mine/bin/claude");
        assert_eq!(machine.found().program, program);
    }
}

#[test]
fn of_several_node_versions_the_newest_that_has_it_is_taken() {
    let machine = Machine::linux();
    machine.program("home/.nvm/versions/node/v9.0.0/bin/claude");
    let newest = machine.program("home/.nvm/versions/node/v20.10.0/bin/claude");
    machine.program("home/.nvm/versions/node/v20.9.0/bin/claude");
    machine.program("home/.nvm/versions/node/v22.0.0/bin/node");
    assert_eq!(machine.found().program, newest);
}

#[test]
fn the_order_is_chosen_path_login_shell_known_places() {
    let mut machine = Machine::linux();
    let known = machine.program("home/.local/bin/claude");
    assert_eq!(machine.found().program, known);

    let login = machine.program("login/claude");
    machine.search.login_shell = LoginShell::Path(machine.at("login").into());
    let found = machine.found();
    assert_eq!((found.program, found.source), (login, Source::LoginShell));

    let on_path = machine.program("path/claude");
    machine.path(&["empty", "path"]);
    let found = machine.found();
    assert_eq!((found.program, found.source), (on_path, Source::Path));
    let tried: Vec<_> = found
        .tried
        .iter()
        .map(|tried| (tried.path.clone(), tried.outcome.as_str()))
        .collect();
    assert_eq!(
        tried,
        [
            (machine.at("empty/claude"), "not there"),
            (machine.at("path/claude"), "found")
        ]
    );

    let chosen = machine.program("chosen/my-claude");
    machine.search.chosen = Some(chosen.clone());
    let found = machine.found();
    assert_eq!((found.program, found.source), (chosen, Source::Chosen));
}

#[test]
fn a_relative_entry_of_path_is_never_searched() {
    let machine = Machine::linux();
    let here = fs::canonicalize(std::env::current_dir().unwrap()).unwrap();
    let up = "../".repeat(here.components().count() - 1);
    let program = machine.program("project/claude");
    let relative = format!(
        "{up}{}",
        program
            .parent()
            .unwrap()
            .strip_prefix("/")
            .unwrap()
            .display()
    );
    assert!(
        Path::new(&relative).join("claude").exists(),
        "the relative entry does lead to it"
    );
    let mut search = machine.search.clone();
    search.path = format!("{relative}::.:").into();
    let error = find(&search).unwrap_err();
    let TransportError::CliNotFound { tried } = error else {
        panic!("{error:?}")
    };
    assert!(
        tried.iter().all(|tried| tried.path.is_absolute()),
        "{tried:?}"
    );
}

#[test]
fn the_child_gets_the_terminals_path_when_we_were_not_started_from_one() {
    let mut machine = Machine::linux();
    let program = machine.program("home/.local/bin/claude");
    machine.search.path = "/usr/bin:/bin:relative".into();
    machine.search.login_shell = LoginShell::Path("/opt/tools:/usr/bin:also-relative".into());
    machine.search.from_shell = false;
    machine.search.chosen = Some(program.clone());
    let expected = [
        program.parent().unwrap(),
        Path::new("/usr/bin"),
        Path::new("/bin"),
        Path::new("/opt/tools"),
    ];
    assert_eq!(folders(&machine.found().path), expected);
}

#[test]
fn a_chosen_file_that_cannot_be_run_is_an_error_that_names_it() {
    let mut machine = Machine::linux();
    machine.program("home/.local/bin/claude");
    let text = machine.file("notes.txt", b"just some notes\n", 0o755);
    let plain_text = machine.file("plain", b"just some notes\n", 0o644);
    let empty = machine.file("empty", b"", 0o755);
    let not_executable = machine.file("program", NATIVE, 0o644);
    let dangling = machine.at("dangling");
    symlink(machine.at("nowhere"), &dangling).unwrap();
    for (path, word) in [
        (text, "text file"),
        (plain_text, "text file"),
        (empty, "empty"),
        (not_executable, "executed"),
        (dangling, "gone"),
        (machine.at("home"), "folder"),
        (machine.at("missing"), "not there"),
        ("claude".into(), "full path"),
        ("./claude".into(), "full path"),
    ] {
        let error = machine.choose(&path);
        let TransportError::NotExecutable {
            path: named,
            reason,
        } = &error
        else {
            panic!("{path:?}: {error:?}")
        };
        assert_eq!(named, &path);
        assert!(reason.contains(word), "{path:?}: {reason}");
    }
}

#[test]
fn a_broken_file_on_path_is_passed_over_and_told() {
    let mut machine = Machine::linux();
    machine.file("path/claude", b"oops\n", 0o755);
    let program = machine.program("home/.local/bin/claude");
    machine.path(&["path"]);
    let found = machine.found();
    assert_eq!(found.program, program);
    assert_eq!(found.tried[0].path, machine.at("path/claude"));
    assert!(
        found.tried[0].outcome.contains("text file"),
        "{:?}",
        found.tried[0]
    );
}

#[test]
fn a_chosen_path_may_start_at_home() {
    let mut machine = Machine::linux();
    let program = machine.program("home/tools/claude");
    machine.search.chosen = Some("~/tools/claude".into());
    assert_eq!(machine.found().program, program);
}

#[test]
fn a_script_without_its_interpreter_names_node_and_not_claude() {
    for line in [
        "#!/usr/bin/env node",
        "#!/usr/bin/env -S node --no-warnings",
        "#! /usr/bin/env -S A=1 node",
    ] {
        let mut machine = Machine::linux();
        let script = machine.file("path/claude", format!("{line}\n").as_bytes(), 0o755);
        machine.path(&["path"]);
        let error = machine.find().unwrap_err();
        let TransportError::NodeMissing {
            script: named,
            interpreter,
            ..
        } = &error
        else {
            panic!("{error:?}")
        };
        assert_eq!((named, interpreter.as_str()), (&script, "node"), "{line}");
        assert!(error.to_string().contains("node was not found"), "{error}");

        let error = machine.choose(&script);
        assert!(
            matches!(&error, TransportError::NodeMissing { interpreter, .. } if interpreter == "node"),
            "{error:?}"
        );
    }
}

#[test]
fn a_fixed_interpreter_that_is_gone_is_named() {
    let mut machine = Machine::linux();
    let script = machine.file("claude", b"#!/no/such/node\n", 0o755);
    let error = machine.choose(script);
    assert!(error.to_string().contains("/no/such/node"), "{error}");
}

#[test]
fn node_is_put_on_the_childs_path_wherever_it_was() {
    // Beside the script, as with nvm.
    let machine = Machine::linux();
    machine.file(
        "home/.nvm/versions/node/v20.1.0/bin/claude",
        NODE_SCRIPT,
        0o755,
    );
    machine.program("home/.nvm/versions/node/v20.1.0/bin/node");
    let found = machine.found();
    assert_eq!(
        folders(&found.path)[0],
        machine.at("home/.nvm/versions/node/v20.1.0/bin")
    );

    // On the login shell's PATH only.
    let mut machine = Machine::linux();
    machine.file("path/claude", NODE_SCRIPT, 0o755);
    machine.program("login/node");
    machine.path(&["path"]);
    machine.search.login_shell = LoginShell::Path(machine.at("login").into());
    let found = machine.found();
    assert_eq!(
        folders(&found.path)[..2],
        [machine.at("path"), machine.at("login")]
    );
}

#[test]
fn a_working_cli_elsewhere_is_better_than_a_script_without_node() {
    let mut machine = Machine::linux();
    machine.file("path/claude", NODE_SCRIPT, 0o755);
    let native = machine.program("home/.local/bin/claude");
    machine.path(&["path"]);
    assert_eq!(machine.found().program, native);
}

#[test]
fn a_chosen_script_file_is_run_by_node() {
    let mut machine = Machine::linux();
    let script = machine.file("cli.js", b"console.log(1)\n", 0o644);
    let node = machine.program("path/node");
    machine.path(&["path"]);
    machine.search.chosen = Some(script.clone());
    let found = machine.found();
    assert_eq!(
        (found.program, found.args),
        (node, vec![script.into_os_string()])
    );
}

#[test]
fn npx_is_the_last_resort() {
    let mut machine = Machine::linux();
    machine.file("path/npx", NODE_SCRIPT, 0o755);
    machine.program("path/node");
    machine.path(&["path"]);
    assert!(
        matches!(machine.find(), Err(TransportError::CliNotFound { .. })),
        "left out"
    );

    machine.search.npx_version = Some("2.1.332".to_owned());
    let found = machine.found();
    assert_eq!(
        (found.program, found.source),
        (machine.at("path/npx"), Source::Npx)
    );
    assert_eq!(found.args, ["-y", "@anthropic-ai/claude-code@2.1.332"]);

    let native = machine.program("home/.bun/bin/claude");
    assert_eq!(machine.found().program, native);
}

#[test]
fn with_nothing_there_every_place_is_told() {
    let mut machine = Machine::linux();
    machine.path(&["one", "two"]);
    machine.search.npx_version = Some("2.1.332".to_owned());
    let error = machine.find().unwrap_err();
    let TransportError::CliNotFound { tried } = error else {
        panic!("{error:?}")
    };
    for place in [
        "one/claude",
        "two/claude",
        "home/.local/bin/claude",
        "home/.bun/bin/claude",
        "opt/homebrew/bin/claude",
    ] {
        assert!(
            tried
                .iter()
                .any(|tried| tried.path == machine.at(place) && tried.outcome == "not there"),
            "{place}"
        );
    }
    assert!(tried.iter().any(|tried| tried.source == Source::Npx));
    let mut paths: Vec<_> = tried.iter().map(|tried| &tried.path).collect();
    let all = paths.len();
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), all, "no place twice");
}

fn cmd_shim(target: &str) -> String {
    format!(
        "@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n\r\nIF EXIST \"%dp0%\\node.exe\" (\r\n  SET \"_prog=%dp0%\\node.exe\"\r\n) ELSE (\r\n  SET \"_prog=node\"\r\n)\r\n\r\nendLocal & {target} %*\r\n"
    )
}

const JS_TARGET: &str =
    "\"%_prog%\" --no-warnings \"%dp0%\\node_modules\\@anthropic-ai\\claude-code\\cli.js\"";
const EXE_TARGET: &str = "\"%dp0%\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe\"";

#[test]
fn an_npm_shim_is_followed_to_its_program() {
    let machine = Machine::windows();
    machine.file(
        "home/AppData/Roaming/npm/claude.cmd",
        cmd_shim(EXE_TARGET).as_bytes(),
        0o644,
    );
    let program = machine
        .program("home/AppData/Roaming/npm/node_modules/@anthropic-ai/claude-code/bin/claude.exe");
    let found = machine.found();
    assert_eq!(
        (found.program, found.args, found.source),
        (program, Vec::new(), Source::NpmShim)
    );
}

#[test]
fn an_npm_shim_is_followed_to_its_script_and_node() {
    let mut machine = Machine::windows();
    machine.file(
        "home/AppData/Roaming/npm/claude.cmd",
        cmd_shim(JS_TARGET).as_bytes(),
        0o644,
    );
    let script = machine.file(
        "home/AppData/Roaming/npm/node_modules/@anthropic-ai/claude-code/cli.js",
        NODE_SCRIPT,
        0o644,
    );
    let error = machine.find().unwrap_err();
    assert!(
        matches!(&error, TransportError::NodeMissing { interpreter, .. } if interpreter == "node"),
        "{error:?}"
    );

    let elsewhere = machine.program("Program Files/nodejs/node.exe");
    let found = machine.found();
    assert_eq!(found.program, elsewhere);
    assert_eq!(
        found.args,
        [
            OsString::from("--no-warnings"),
            script.clone().into_os_string()
        ]
    );

    let on_path = machine.program("path/node.exe");
    machine.path(&["path"]);
    assert_eq!(machine.found().program, on_path);

    let beside = machine.program("home/AppData/Roaming/npm/node.exe");
    assert_eq!(machine.found().program, beside);
}

#[test]
fn a_powershell_shim_can_be_chosen() {
    let mut machine = Machine::windows();
    let shim = machine.file(
        "npm/claude.ps1",
        b"& \"$basedir/node$exe\"  \"$basedir/node_modules/@anthropic-ai/claude-code/cli.js\" $args\n",
        0o644,
    );
    let script = machine.file(
        "npm/node_modules/@anthropic-ai/claude-code/cli.js",
        NODE_SCRIPT,
        0o644,
    );
    let node = machine.program("npm/node.exe");
    machine.search.chosen = Some(shim);
    let found = machine.found();
    assert_eq!(
        (found.program, found.args),
        (node, vec![script.into_os_string()])
    );
}

#[test]
fn a_shim_whose_target_is_gone_is_told() {
    let mut machine = Machine::windows();
    let shim = machine.file("npm/claude.cmd", cmd_shim(EXE_TARGET).as_bytes(), 0o644);
    let error = machine.choose(shim);
    assert!(error.to_string().contains("bin/claude.exe"), "{error}");
    let other = machine.file("npm/other.cmd", b"@echo off\r\ndel /s %*\r\n", 0o644);
    assert!(matches!(
        machine.choose(other),
        TransportError::NotExecutable { .. }
    ));
}

#[test]
fn a_program_goes_before_a_shim_of_the_same_folder() {
    let mut machine = Machine::windows();
    machine.file("path/claude.cmd", cmd_shim(EXE_TARGET).as_bytes(), 0o644);
    let program = machine.program("path/claude.exe");
    machine.path(&["path"]);
    assert_eq!(machine.found().program, program);
}

#[test]
fn npx_on_windows_is_node_with_its_script() {
    let mut machine = Machine::windows();
    machine.search.npx_version = Some("2.1.332".to_owned());
    let node = machine.program("Program Files/nodejs/node.exe");
    let script = machine.file(
        "Program Files/nodejs/node_modules/npm/bin/npx-cli.js",
        NODE_SCRIPT,
        0o644,
    );
    let found = machine.found();
    assert_eq!((found.program, found.source), (node, Source::Npx));
    assert_eq!(
        found.args,
        [
            script.into_os_string(),
            "-y".into(),
            "@anthropic-ai/claude-code@2.1.332".into()
        ]
    );
}
