//! What the tools of a session's own MCP server do on this machine: draw attention, and open a file in an editor. A path
//! comes from the model, so it is checked as one of the page's is. Programs get lists of arguments; there is no shell.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use kandev_session::{Doing, HostTools, Level, Note, Place};
use kandev_transport::{Os, look_up};
use tauri::{AppHandle, Manager as _, UserAttentionType};
use tauri_plugin_opener::OpenerExt as _;

use crate::checks;
use crate::window;

/// An editor hands the file to a window that is open, or becomes one: after this it has not failed.
const STARTED: Duration = Duration::from_secs(3);

/// How an editor is told the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `--goto FILE:LINE:COLUMN`
    Goto,
    /// `FILE:LINE:COLUMN`
    Colons,
    /// `--line LINE --column COLUMN FILE`
    Options,
}

/// Looked for in this order: the command, its name for people, and its form.
const EDITORS: &[(&str, &str, Form)] = &[
    ("code", "VS Code", Form::Goto),
    ("code-insiders", "VS Code", Form::Goto),
    ("codium", "VSCodium", Form::Goto),
    ("zed", "Zed", Form::Colons),
    ("zeditor", "Zed", Form::Colons),
    ("subl", "Sublime Text", Form::Colons),
    ("idea", "IntelliJ IDEA", Form::Options),
    ("pycharm", "PyCharm", Form::Options),
    ("webstorm", "WebStorm", Form::Options),
    ("rustrover", "RustRover", Form::Options),
    ("goland", "GoLand", Form::Options),
    ("clion", "CLion", Form::Options),
    ("phpstorm", "PhpStorm", Form::Options),
    ("rubymine", "RubyMine", Form::Options),
    ("rider", "Rider", Form::Options),
];

/// What this needs of the system.
pub trait Desktop: Send + Sync {
    /// Makes the window ask for a look, if it is not the one in use.
    fn ask_for_attention(&self, urgent: bool);
    /// Opens a file with the system's program for it.
    fn open(&self, file: &Path) -> Result<(), String>;
    /// Shows a file in its folder.
    fn reveal(&self, file: &Path) -> Result<(), String>;
}

impl Desktop for AppHandle {
    fn ask_for_attention(&self, urgent: bool) {
        let Some(window) = self.get_webview_window(window::MAIN) else {
            return;
        };
        if window.is_focused().unwrap_or(false) {
            return;
        }
        let kind = if urgent {
            UserAttentionType::Critical
        } else {
            UserAttentionType::Informational
        };
        // A system that knows no such thing has the note in the window all the same.
        let _ = window.request_user_attention(Some(kind));
    }

    fn open(&self, file: &Path) -> Result<(), String> {
        let opened = self
            .opener()
            .open_path(file.to_string_lossy(), None::<&str>);
        opened.map_err(|error| error.to_string())
    }

    fn reveal(&self, file: &Path) -> Result<(), String> {
        let shown = self.opener().reveal_item_in_dir(file);
        shown.map_err(|error| error.to_string())
    }
}

/// The tools of this app.
pub fn on(app: AppHandle) -> Arc<dyn HostTools> {
    let mut path = std::env::var_os("PATH").unwrap_or_default();
    if cfg!(target_os = "macos") {
        // What is started from the Dock has the system's own folders alone.
        path.push(":/usr/local/bin:/opt/homebrew/bin");
    }
    Arc::new(Desk::new(app, path))
}

/// The tools, on a desktop.
pub struct Desk<D> {
    desktop: Arc<D>,
    /// The folders that editors are looked for in.
    path: OsString,
}

impl<D: Desktop + 'static> Desk<D> {
    pub fn new(desktop: D, path: OsString) -> Self {
        Self {
            desktop: Arc::new(desktop),
            path,
        }
    }

    async fn open_in_editor(&self, place: Place) -> Result<String, String> {
        let file = checks::inside(&place.workspace, &place.path).map_err(|error| error.message)?;
        if !file.is_file() {
            return Err(format!("{} is not a file", place.path));
        }
        if let Some((program, name, form)) = editor(&self.path) {
            run(&program, &arguments(form, &file, place.line, place.column)).await?;
            return Ok(format!("Opened {} in {name}.", place.path));
        }
        let desktop = Arc::clone(&self.desktop);
        let done = tokio::task::spawn_blocking(move || {
            if checks::opens_as_program(&file) {
                desktop
                    .reveal(&file)
                    .map(|()| "Shown in its folder, as opening it would run it")
            } else {
                desktop
                    .open(&file)
                    .map(|()| "Opened with the system's program for it")
            }
        });
        let how = done.await.map_err(|error| error.to_string())??;
        Ok(format!("No editor was found. {how}: {}.", place.path))
    }
}

impl<D: Desktop + 'static> HostTools for Desk<D> {
    fn notify_user(&self, note: Note) -> Doing<'_, ()> {
        let desktop = Arc::clone(&self.desktop);
        Box::pin(async move {
            let urgent = note.level == Level::Error;
            // The window answers on its own thread, which may be busy.
            let _ = tokio::task::spawn_blocking(move || desktop.ask_for_attention(urgent)).await;
        })
    }

    fn open_in_editor(&self, place: Place) -> Doing<'_, Result<String, String>> {
        Box::pin(self.open_in_editor(place))
    }
}

/// The first of them that is there.
fn editor(path: &OsStr) -> Option<(PathBuf, &'static str, Form)> {
    let os = Os::current();
    EDITORS.iter().find_map(|&(command, name, form)| {
        let program =
            look_up(command, path, os).or_else(|| beside_its_script(command, path, os))?;
        Some((program, name, form))
    })
}

/// On Windows VS Code puts `bin\code.cmd` on PATH, and `Code.exe` above it. A script would need a shell.
fn beside_its_script(command: &str, path: &OsStr, os: Os) -> Option<PathBuf> {
    if os != Os::Windows {
        return None;
    }
    let program = match command {
        "code" => "Code.exe",
        "code-insiders" => "Code - Insiders.exe",
        "codium" => "VSCodium.exe",
        _ => return None,
    };
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .filter(|folder| folder.join(format!("{command}.cmd")).is_file())
        .filter_map(|folder| Some(folder.parent()?.join(program)))
        .find(|program| program.is_file())
}

/// `file` is a full path, so it is never taken for an option.
fn arguments(form: Form, file: &Path, line: Option<u32>, column: Option<u32>) -> Vec<OsString> {
    let place = || {
        let mut text = file.as_os_str().to_owned();
        for number in line.into_iter().chain(line.and(column)) {
            text.push(format!(":{number}"));
        }
        text
    };
    match form {
        Form::Goto => vec!["--goto".into(), place()],
        Form::Colons => vec![place()],
        Form::Options => {
            let mut arguments = Vec::new();
            for (name, number) in [("--line", line), ("--column", line.and(column))] {
                if let Some(number) = number {
                    arguments.extend([name.into(), number.to_string().into()]);
                }
            }
            arguments.push(file.into());
            arguments
        }
    }
}

/// Editors are often started by a batch file, which would open a console.
#[cfg(windows)]
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// Starts an editor and leaves it alone. What ends at once with an error has not opened anything.
async fn run(program: &Path, arguments: &[OsString]) -> Result<(), String> {
    let failed = |why: String| format!("{} could not be started: {why}", program.display());
    let mut command = tokio::process::Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    command.process_group(0);
    #[cfg(windows)]
    command.creation_flags(CREATE_NO_WINDOW);
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    match tokio::time::timeout(STARTED, child.wait()).await {
        Ok(Ok(status)) if !status.success() => Err(failed(format!("it ended with {status}"))),
        Ok(Err(error)) => Err(failed(error.to_string())),
        Ok(Ok(_)) => Ok(()),
        Err(_) => {
            // Nobody else would take note of its end.
            tokio::spawn(async move { child.wait().await });
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Mutex;

    use super::*;

    #[derive(Clone, Default)]
    struct Seen(Arc<Mutex<Vec<String>>>);

    impl Seen {
        fn note(&self, what: &str, file: &Path) -> Result<(), String> {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            self.0.lock().unwrap().push(format!("{what} {name}"));
            Ok(())
        }
    }

    impl Desktop for Seen {
        fn ask_for_attention(&self, urgent: bool) {
            self.0.lock().unwrap().push(format!("look {urgent}"));
        }
        fn open(&self, file: &Path) -> Result<(), String> {
            self.note("open", file)
        }
        fn reveal(&self, file: &Path) -> Result<(), String> {
            self.note("reveal", file)
        }
    }

    fn place(workspace: &Path, path: &str) -> Place {
        Place {
            workspace: workspace.to_str().unwrap().to_owned(),
            path: path.to_owned(),
            line: Some(7),
            column: Some(2),
        }
    }

    /// A workspace with a text, a script and a folder, and something beside it.
    fn workspace(home: &Path) -> PathBuf {
        let work = home.join("work");
        std::fs::create_dir_all(work.join("src")).unwrap();
        for file in ["work/notes.txt", "work/run.sh", "secret.txt"] {
            std::fs::write(home.join(file), "words").unwrap();
        }
        work
    }

    #[tokio::test]
    async fn only_files_of_the_workspace_are_opened() {
        let home = tempfile::tempdir().unwrap();
        let work = workspace(home.path());
        let seen = Seen::default();
        let desk = Desk::new(seen.clone(), OsString::new());
        let outside = home.path().join("secret.txt");
        for path in [
            "../secret.txt",
            outside.to_str().unwrap(),
            "gone.txt",
            "src",
            ".",
            "",
        ] {
            assert!(
                desk.open_in_editor(place(&work, path)).await.is_err(),
                "{path}"
            );
        }
        assert!(seen.0.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn without_an_editor_the_systems_program_opens_it_and_nothing_is_run() {
        let home = tempfile::tempdir().unwrap();
        let work = workspace(home.path());
        let seen = Seen::default();
        let desk = Desk::new(seen.clone(), OsString::new());
        for path in ["notes.txt", "run.sh"] {
            desk.open_in_editor(place(&work, path)).await.unwrap();
        }
        assert_eq!(*seen.0.lock().unwrap(), ["open notes.txt", "reveal run.sh"]);
    }

    #[cfg(unix)]
    fn program(folder: &Path, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::create_dir_all(folder).unwrap();
        let file = folder.join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn an_editor_gets_the_place_as_arguments_whatever_the_name_holds() {
        let home = tempfile::tempdir().unwrap();
        let work = workspace(home.path());
        let odd = "a b;$(touch hit)'\".txt";
        std::fs::write(work.join(odd), "words").unwrap();
        let (bin, told) = (home.path().join("bin"), home.path().join("told"));
        program(
            &bin,
            "zed",
            &format!("printf '%s\\n' \"$@\" > '{}'", told.display()),
        );
        let path = OsString::from(format!(".:{}", bin.display()));
        let desk = Desk::new(Seen::default(), path);
        let said = desk.open_in_editor(place(&work, odd)).await.unwrap();
        assert!(said.contains("Zed"), "{said}");
        let real = work.canonicalize().unwrap().join(odd);
        assert_eq!(
            std::fs::read_to_string(told).unwrap(),
            format!("{}:7:2\n", real.display())
        );
        assert!(!work.join("hit").exists());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn an_editor_that_fails_at_once_is_told_and_one_of_the_workspace_is_never_run() {
        let home = tempfile::tempdir().unwrap();
        let work = workspace(home.path());
        program(&work, "code", "touch hit");
        let bin = home.path().join("bin");
        program(&bin, "subl", "exit 3");
        let path = OsString::from(format!(".:{}", bin.display()));
        let desk = Desk::new(Seen::default(), path);
        let error = desk
            .open_in_editor(place(&work, "notes.txt"))
            .await
            .unwrap_err();
        assert!(error.contains("subl") && error.contains('3'), "{error}");
    }

    #[test]
    fn each_form_tells_the_place_or_leaves_it_out() {
        let file = Path::new("/project/a.rs");
        let words = |form, line, column| {
            arguments(form, file, line, column)
                .join(OsStr::new(" "))
                .into_string()
                .unwrap()
        };
        assert_eq!(words(Form::Goto, Some(3), None), "--goto /project/a.rs:3");
        assert_eq!(words(Form::Colons, None, Some(9)), "/project/a.rs");
        assert_eq!(
            words(Form::Options, Some(3), Some(9)),
            "--line 3 --column 9 /project/a.rs"
        );
        assert_eq!(words(Form::Options, None, None), "/project/a.rs");
    }

    #[tokio::test]
    async fn a_note_asks_for_a_look() {
        let seen = Seen::default();
        let desk = Desk::new(seen.clone(), OsString::new());
        for level in [Level::Info, Level::Error] {
            desk.notify_user(Note {
                title: None,
                message: "done".to_owned(),
                level,
            })
            .await;
        }
        assert_eq!(*seen.0.lock().unwrap(), ["look false", "look true"]);
    }
}
