//! The editors of this machine: which there are, and a file opened in one of them. They are found, on PATH and where
//! installations put them, and get lists of arguments; there is no shell. Nothing is looked for in the current folder.

mod arguments;
mod finding;
mod known;
mod start;
mod terminals;

use std::path::Path;
use std::sync::Arc;

use tauri::AppHandle;
use tauri_plugin_opener::OpenerExt as _;

use crate::api::EditorInfo;
use crate::checks;

pub use finding::Machine;

/// What opens a file that no editor opens.
pub trait System: Send + Sync + 'static {
    /// Opens a file with the system's program for it.
    fn open(&self, file: &Path) -> Result<(), String>;
    /// Shows a file in its folder.
    fn reveal(&self, file: &Path) -> Result<(), String>;
}

impl System for AppHandle {
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

/// A place in a file, which is there.
#[derive(Debug, Clone, Copy)]
pub struct At<'a> {
    /// In full, so that it is never taken for an option.
    pub file: &'a Path,
    /// From 1, as the column.
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// Which editor is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Choice<'a> {
    /// This one and no other.
    pub only: Option<&'a str>,
    /// This one if it is there.
    pub rather: Option<&'a str>,
}

/// Those that are on this machine, in the order in which they are tried. Waits for the disk.
pub fn found(machine: &Machine) -> Vec<EditorInfo> {
    let all = finding::editors(machine);
    all.map(|editor| EditorInfo {
        id: editor.known.id.to_owned(),
        name: editor.known.name.to_owned(),
        terminal: editor.known.terminal,
    })
    .collect()
}

/// Opens a file in the editor that is chosen, else the first that is there, else with the system's program for it. Says
/// which it was.
///
/// # Errors
/// Why it was not opened, for a person.
pub async fn open(
    machine: Arc<Machine>,
    system: &Arc<impl System>,
    at: At<'_>,
    choice: Choice<'_>,
) -> Result<String, String> {
    let (only, rather) = (
        choice.only.map(str::to_owned),
        choice.rather.map(str::to_owned),
    );
    let pick = move || {
        let named = |id: &Option<String>| {
            let id = id.as_deref()?;
            finding::editors(&machine).find(|editor| editor.known.id == id)
        };
        match &only {
            Some(id) => named(&only)
                .map(Some)
                .ok_or_else(|| format!("{} is not on this machine.", known::name(id))),
            None => Ok(named(&rather).or_else(|| finding::editors(&machine).next())),
        }
    };
    let picked = tokio::task::spawn_blocking(pick)
        .await
        .map_err(|error| error.to_string())??;
    match picked {
        Some(editor) => {
            start::start(&editor, at).await?;
            Ok(format!("in {}", editor.known.name))
        }
        None => with_the_system(system, at.file).await,
    }
}

async fn with_the_system(system: &Arc<impl System>, file: &Path) -> Result<String, String> {
    let (system, file) = (Arc::clone(system), file.to_owned());
    let done = tokio::task::spawn_blocking(move || {
        if checks::opens_as_program(&file) {
            system
                .reveal(&file)
                .map(|()| "in its folder, as opening it would run it and no editor was found")
        } else {
            system
                .open(&file)
                .map(|()| "with the system's program for it, as no editor was found")
        }
    });
    let how = done.await.map_err(|error| error.to_string())??;
    Ok(how.to_owned())
}

#[cfg(test)]
pub(crate) mod tests;
