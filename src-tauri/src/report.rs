//! Save a report: what a person sends when something went wrong. It can be played and normalized, and tells no secret and
//! not who they are.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kandev_session::redact::Redactor;
use kandev_session::{Session, SessionInfo};
use serde::Serialize;
use serde_json::{Map, Value, json};
use specta::Type;

use crate::api::{CommandError, Settings};

/// Managed state: the folder in which reports are saved, within the data folder.
pub struct Reports(PathBuf);

/// Where a report is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct SavedReport {
    pub path: String,
}

impl Reports {
    pub fn new(data_dir: &Path) -> Self {
        Self(data_dir.join("reports"))
    }

    /// Saves all that is held of a session. It takes a moment: not for the threads of the runtime.
    pub fn save(
        &self,
        session: &Session,
        settings: &Settings,
        app_version: &str,
    ) -> Result<SavedReport, CommandError> {
        let info = session.info();
        let about = about(&info, settings, app_version);
        let lines = session.raw(0, usize::MAX);
        let text = kandev_telemetry::report(&lines, &info.workspace, about, Arc::new(redactor()));
        let now = kandev_transcript::at(unix_ms());
        let path = self.0.join(name(&now, &info.id));
        write(&path, &text).map_err(|error| {
            let text = format!(
                "the report could not be saved as {}: {error}",
                path.display()
            );
            CommandError::new("not_saved", text)
        })?;
        Ok(SavedReport {
            path: path.to_string_lossy().into_owned(),
        })
    }
}

/// What whoever reads the report wants to know besides the conversation.
fn about(info: &SessionInfo, settings: &Settings, app_version: &str) -> Map<String, Value> {
    let mut settings = json!(settings);
    if let Some(settings) = settings.as_object_mut() {
        // Other projects are nobody's business.
        settings.remove("recent_folders");
    }
    let about = json!({
        "app_version": app_version,
        "os": std::env::consts::OS,
        "arch": std::env::consts::ARCH,
        "cli_version": info.cli_version,
        "policy": info.policy,
        "permission_mode": info.permission_mode,
        "model": info.model,
        "effort": info.effort,
        "abilities": info.can,
        "phase": info.phase,
        "problem": info.problem,
        "rehearsal": info.rehearsal,
        "settings": settings,
    });
    match about {
        Value::Object(about) => about,
        _ => Map::new(),
    }
}

fn redactor() -> Redactor {
    let redactor = Redactor::from_environment();
    let Some(home) = std::env::home_dir() else {
        return redactor;
    };
    let name = ["USER", "USERNAME", "LOGNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok())
        .or_else(|| Some(home.file_name()?.to_string_lossy().into_owned()));
    redactor.with_person(&home.to_string_lossy(), &name.unwrap_or_default())
}

fn name(now: &str, id: &str) -> String {
    let stamp: String = now.chars().filter(char::is_ascii_digit).take(17).collect();
    let id: String = id
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(8)
        .collect();
    format!("kandev-report-{stamp}-{id}.ndjson")
}

/// As a new file, which this person alone reads.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.flush()
}

fn unix_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use kandev_session::{NewSession, Phase, Policy, StartOptions, StopCheck};
    use kandev_transport::{Guard, Search};

    use super::*;
    use crate::inspect;

    /// A session whose CLI is not there: it fails without a process.
    async fn failed(workspace: &Path) -> Session {
        let search = Search {
            chosen: Some(workspace.join("no-such-claude")),
            ..Search::from_environment()
        };
        let options = StartOptions::new(search, Guard::this_executable().unwrap());
        let request = NewSession {
            stop_check: StopCheck::Off,
            ..NewSession::new(workspace.to_string_lossy().into_owned(), Policy::Supervised)
        };
        let session = Session::start("0123456789-x".to_owned(), request, options);
        let mut info = session.info_changes();
        info.wait_for(|info| info.phase == Phase::Failed)
            .await
            .unwrap();
        session
    }

    #[tokio::test]
    async fn a_report_says_what_it_is_about_and_leaves_other_projects_out() {
        let home = tempfile::tempdir().unwrap();
        let session = failed(home.path()).await;
        let settings = Settings {
            recent_folders: vec!["/home/dev/other-project".to_owned()],
            default_model: Some("opus".to_owned()),
            ..Settings::default()
        };
        let reports = Reports::new(home.path());
        let first = reports.save(&session, &settings, "1.2.3").unwrap();
        assert!(first.path.ends_with("-01234567.ndjson"), "{}", first.path);
        let text = std::fs::read_to_string(&first.path).unwrap();
        let meta: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(meta["dir"], "meta");
        let about = &meta["line"]["kandev"];
        assert_eq!(
            (&about["app_version"], &about["phase"]),
            (&json!("1.2.3"), &json!("failed"))
        );
        assert_eq!(about["settings"]["default_model"], "opus");
        assert!(!text.contains("other-project"));
        assert!(
            inspect::lines(&session, 0, 500).is_empty(),
            "no process, no lines"
        );
    }

    #[tokio::test]
    async fn a_report_that_cannot_be_saved_says_so() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("reports"), "a file").unwrap();
        let session = failed(home.path()).await;
        let outcome = Reports::new(home.path()).save(&session, &Settings::default(), "1.2.3");
        assert_eq!(outcome.unwrap_err().code, "not_saved");
    }
}
