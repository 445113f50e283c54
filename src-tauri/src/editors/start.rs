//! An editor, started and then left alone.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::At;
use super::arguments::arguments;
use super::finding::Found;
use super::terminals::Terminal;

/// An editor hands the file to a window that is open, or becomes one: after this it has not failed.
const STARTED: Duration = Duration::from_secs(3);

/// Editors are often started by a batch file, which would open a console.
#[cfg(windows)]
const CREATE_NO_WINDOW: u32 = 0x0800_0000;
#[cfg(windows)]
const CREATE_NEW_CONSOLE: u32 = 0x0000_0010;

/// # Errors
/// Why it did not start, or that it ended at once with an error, for a person.
pub(super) async fn start(editor: &Found, at: At<'_>) -> Result<(), String> {
    let arguments = arguments(editor.known.form, at);
    match &editor.terminal {
        None => run(&editor.program, &arguments, false).await,
        Some(terminal) => {
            let (program, arguments) = terminal.around(&editor.program, arguments);
            run(&program, &arguments, *terminal == Terminal::Console).await
        }
    }
}

async fn run(program: &Path, arguments: &[OsString], console: bool) -> Result<(), String> {
    let failed = |why: String| format!("{} could not be started: {why}", program.display());
    let mut command = tokio::process::Command::new(program);
    command.args(arguments);
    if !console {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
    }
    #[cfg(unix)]
    command.process_group(0);
    #[cfg(windows)]
    command.creation_flags(if console {
        CREATE_NEW_CONSOLE
    } else {
        CREATE_NO_WINDOW
    });
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
