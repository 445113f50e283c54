//! The settings of a person: read once, kept in `tauri-plugin-store`, written on every change.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tauri::{AppHandle, Wry};
use tauri_plugin_store::{Store, StoreBuilder};

use crate::api::{CommandError, OnClose, Settings};
use crate::checks;

const RECENT_FOLDERS_MAX: usize = 12;

/// Managed state: the settings as they are and the file behind them.
pub struct SettingsFile {
    now: Mutex<Settings>,
    store: Arc<Store<Wry>>,
}

impl SettingsFile {
    /// Opens `settings.json` in the data folder. A file that cannot be understood is kept aside; the second value says
    /// so for a person.
    pub fn open(
        app: &AppHandle,
        data_dir: &Path,
    ) -> Result<(Self, Option<String>), tauri_plugin_store::Error> {
        let path = data_dir.join("settings.json");
        let (settings, problem) = load(&path);
        let store = StoreBuilder::new(app, &path).disable_auto_save().build()?;
        Ok((
            Self {
                now: Mutex::new(settings),
                store,
            },
            problem,
        ))
    }

    pub fn now(&self) -> Settings {
        self.now
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Takes over what the page sends. The list of folders stays ours: another window's start must not be undone.
    pub fn save(&self, new: Settings) -> Result<Settings, CommandError> {
        if let Some(path) = &new.cli_path {
            checks::executable(path)?;
        }
        self.change(|settings| {
            let recent_folders = std::mem::take(&mut settings.recent_folders);
            *settings = Settings {
                recent_folders,
                ..new
            };
        })
    }

    /// Puts a folder first in the list of recent ones.
    pub fn remember(&self, folder: &str) -> Result<Settings, CommandError> {
        self.change(|settings| remember(&mut settings.recent_folders, folder))
    }

    /// What a person chose for good when the window was closed.
    pub fn remember_on_close(&self, on_close: OnClose) -> Result<Settings, CommandError> {
        self.change(|settings| settings.on_close = on_close)
    }

    fn change(&self, change: impl FnOnce(&mut Settings)) -> Result<Settings, CommandError> {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = now.clone();
        change(&mut next);
        let failed = |error: &dyn std::fmt::Display| {
            CommandError::new(
                "settings_not_saved",
                format!("the settings could not be saved: {error}"),
            )
        };
        let Value::Object(fields) = serde_json::to_value(&next).map_err(|error| failed(&error))?
        else {
            return Err(failed(&"they are not an object"));
        };
        fields
            .into_iter()
            .for_each(|(name, value)| self.store.set(name, value));
        self.store.save().map_err(|error| failed(&error))?;
        *now = next.clone();
        Ok(next)
    }
}

fn remember(recent: &mut Vec<String>, folder: &str) {
    recent.retain(|known| known != folder);
    recent.insert(0, folder.to_owned());
    recent.truncate(RECENT_FOLDERS_MAX);
}

fn load(path: &Path) -> (Settings, Option<String>) {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return (Settings::default(), None);
        }
        Err(error) => {
            let problem = format!(
                "The settings in {} cannot be read ({error}); defaults are used.",
                path.display()
            );
            return (Settings::default(), Some(problem));
        }
    };
    let (settings, odd) = match serde_json::from_slice::<Map<String, Value>>(&bytes) {
        Ok(fields) => read(&fields),
        Err(error) => (Settings::default(), vec![error.to_string()]),
    };
    if odd.is_empty() {
        return (settings, None);
    }
    let kept = match keep_aside(path, &bytes) {
        Ok(aside) => format!("the file is kept as {}", aside.display()),
        Err(error) => format!("the file could not be kept aside: {error}"),
    };
    let problem = format!(
        "The settings in {} could not be understood ({}); defaults are used for them, {kept}.",
        path.display(),
        odd.join("; ")
    );
    (settings, Some(problem))
}

/// Each field for itself, so that one odd value costs only itself. Unknown fields are left alone in the file.
fn read(fields: &Map<String, Value>) -> (Settings, Vec<String>) {
    let mut odd = Vec::new();
    let settings = Settings {
        theme: field(fields, "theme", &mut odd),
        default_policy: field(fields, "default_policy", &mut odd),
        default_model: field(fields, "default_model", &mut odd),
        cli_path: field(fields, "cli_path", &mut odd),
        stop_check: field(fields, "stop_check", &mut odd),
        recent_folders: field(fields, "recent_folders", &mut odd),
        calm: field(fields, "calm", &mut odd),
        permission_timeout_s: field(fields, "permission_timeout_s", &mut odd),
        silence_after_s: field::<Seconds>(fields, "silence_after_s", &mut odd).0,
        debug_messages: field(fields, "debug_messages", &mut odd),
        on_close: field(fields, "on_close", &mut odd),
        editor: field(fields, "editor", &mut odd),
        diff_style: field(fields, "diff_style", &mut odd),
    };
    (settings, odd)
}

#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Seconds(u32);

impl Default for Seconds {
    fn default() -> Self {
        Self(Settings::default().silence_after_s)
    }
}

fn field<T: DeserializeOwned + Default>(
    fields: &Map<String, Value>,
    name: &str,
    odd: &mut Vec<String>,
) -> T {
    fields.get(name).map_or_else(T::default, |value| {
        T::deserialize(value).unwrap_or_else(|error| {
            odd.push(format!("{name}: {error}"));
            T::default()
        })
    })
}

/// Moves the file to the first free name beside it.
fn keep_aside(path: &Path, bytes: &[u8]) -> std::io::Result<PathBuf> {
    for number in 1.. {
        let aside = path.with_extension(format!("json.bad-{number}"));
        match std::fs::File::create_new(&aside) {
            Ok(mut file) => {
                std::io::Write::write_all(&mut file, bytes)?;
                std::fs::remove_file(path)?;
                return Ok(aside);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use kandev_session::{Policy, StopCheck};

    use super::*;
    use crate::api::{DiffStyle, Theme};

    fn loaded(text: &str) -> (tempfile::TempDir, Settings, Option<String>) {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("settings.json");
        std::fs::write(&path, text).unwrap();
        let (settings, problem) = load(&path);
        (home, settings, problem)
    }

    #[test]
    fn no_file_means_defaults_and_the_shipped_policy_is_supervised() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(
            load(&home.path().join("settings.json")),
            (Settings::default(), None)
        );
        assert_eq!(Settings::default().default_policy, Policy::Supervised);
    }

    #[test]
    fn what_was_written_is_read_back() {
        let settings = Settings {
            theme: Theme::Dark,
            default_policy: Policy::Plan,
            default_model: Some("opus".into()),
            cli_path: Some("/usr/bin/claude".into()),
            stop_check: StopCheck::SendBack,
            recent_folders: vec!["/a".into(), "/b".into()],
            calm: true,
            permission_timeout_s: Some(90),
            silence_after_s: 30,
            debug_messages: true,
            on_close: OnClose::Tray,
            editor: Some("zed".into()),
            diff_style: DiffStyle::Split,
        };
        let (_home, read, problem) = loaded(&serde_json::to_string(&settings).unwrap());
        assert_eq!((read, problem), (settings, None));
    }

    #[test]
    fn a_file_of_an_older_or_newer_build_is_no_problem() {
        let (_home, settings, problem) = loaded(r#"{"theme":"dark","colour_of_the_sky":"blue"}"#);
        assert_eq!((settings.theme, problem), (Theme::Dark, None));
        assert_eq!(settings.silence_after_s, 120);
    }

    #[test]
    fn one_odd_value_costs_only_itself_and_the_file_is_kept() {
        let text = r#"{"theme":"purple","calm":true}"#;
        let (home, settings, problem) = loaded(text);
        assert_eq!((settings.theme, settings.calm), (Theme::System, true));
        assert!(problem.unwrap().contains("theme"));
        assert_eq!(
            std::fs::read_to_string(home.path().join("settings.json.bad-1")).unwrap(),
            text
        );
        assert!(!home.path().join("settings.json").exists());
    }

    #[test]
    fn garbage_gives_defaults_and_never_overwrites_what_was_kept_before() {
        for text in ["", "{", "[]", "null", "\u{0}\u{0}"] {
            let home = tempfile::tempdir().unwrap();
            let path = home.path().join("settings.json");
            std::fs::write(path.with_extension("json.bad-1"), "earlier").unwrap();
            std::fs::write(&path, text).unwrap();
            let (settings, problem) = load(&path);
            assert_eq!(settings, Settings::default(), "{text:?}");
            assert!(problem.unwrap().contains("settings.json.bad-2"), "{text:?}");
            assert_eq!(
                std::fs::read_to_string(path.with_extension("json.bad-1")).unwrap(),
                "earlier"
            );
        }
    }

    #[test]
    fn recent_folders_are_few_without_doubles_and_newest_first() {
        let mut recent = Vec::new();
        (0..20).for_each(|number| remember(&mut recent, &format!("/{number}")));
        remember(&mut recent, "/15");
        assert_eq!(recent.len(), RECENT_FOLDERS_MAX);
        assert_eq!(recent[..3], ["/15", "/19", "/18"]);
        assert_eq!(recent.iter().filter(|folder| *folder == "/15").count(), 1);
    }
}
