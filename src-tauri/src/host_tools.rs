//! What the tools of a session's own MCP server do on this machine: draw attention, and open a file in an editor. A path
//! comes from the model, so it is checked as one of the page's is.

use std::sync::Arc;

use kandev_session::{Doing, HostTools, Level, Note, Place};
use tauri::{AppHandle, Manager as _, UserAttentionType};

use crate::checks;
use crate::editors::{self, At, Choice, Machine, System};
use crate::settings::SettingsFile;
use crate::window;

/// What this needs of the system.
pub trait Desktop: System {
    /// Makes the window ask for a look, if it is not the one in use.
    fn ask_for_attention(&self, urgent: bool);
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
}

/// The tools of this app.
pub fn on(app: AppHandle) -> Arc<dyn HostTools> {
    let settings = app.clone();
    let chosen = move || settings.state::<SettingsFile>().now().editor;
    Arc::new(Desk::new(app, Machine::this, chosen))
}

type Chosen = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// The tools, on a desktop.
pub struct Desk<D> {
    desktop: Arc<D>,
    machine: fn() -> Machine,
    /// The editor of the settings.
    chosen: Chosen,
}

impl<D: Desktop> Desk<D> {
    pub fn new(
        desktop: D,
        machine: fn() -> Machine,
        chosen: impl Fn() -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            desktop: Arc::new(desktop),
            machine,
            chosen: Box::new(chosen),
        }
    }

    async fn open_in_editor(&self, place: Place) -> Result<String, String> {
        let file =
            checks::file_inside(&place.workspace, &place.path).map_err(|error| error.message)?;
        let at = At {
            file: &file,
            line: place.line,
            column: place.column,
        };
        let chosen = (self.chosen)();
        let choice = Choice {
            only: None,
            rather: chosen.as_deref(),
        };
        let machine = Arc::new((self.machine)());
        let how = editors::open(machine, &self.desktop, at, choice).await?;
        Ok(format!("Opened {} {how}.", place.path))
    }
}

impl<D: Desktop> HostTools for Desk<D> {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::editors::tests::Seen;

    impl Desktop for Seen {
        fn ask_for_attention(&self, urgent: bool) {
            self.0.lock().unwrap().push(format!("look {urgent}"));
        }
    }

    /// A machine without an editor.
    fn bare() -> Machine {
        Machine {
            os: kandev_transport::Os::current(),
            path: Default::default(),
            more: Vec::new(),
            variables: BTreeMap::new(),
            applications: Vec::new(),
        }
    }

    fn desk(seen: &Seen) -> Desk<Seen> {
        Desk::new(seen.clone(), bare, || Some("zed".to_owned()))
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
        let desk = desk(&seen);
        let outside = home.path().join("secret.txt");
        for path in [
            "../secret.txt",
            outside.to_str().unwrap(),
            "gone.txt",
            "src",
            ".",
            "",
        ] {
            let place = place(&work, path);
            assert!(desk.open_in_editor(place).await.is_err(), "{path}");
        }
        assert!(seen.0.lock().unwrap().is_empty());
    }

    #[cfg(not(target_os = "windows"))]
    #[tokio::test]
    async fn the_model_hears_how_the_file_was_opened() {
        let home = tempfile::tempdir().unwrap();
        let work = workspace(home.path());
        let seen = Seen::default();
        let desk = desk(&seen);
        let said = desk.open_in_editor(place(&work, "notes.txt")).await;
        let want = "Opened notes.txt with the system's program for it, as no editor was found.";
        assert_eq!(said.unwrap(), want);
        assert_eq!(*seen.0.lock().unwrap(), ["open notes.txt"]);
    }

    #[tokio::test]
    async fn a_note_asks_for_a_look() {
        let seen = Seen::default();
        let desk = desk(&seen);
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
