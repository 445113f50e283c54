//! Which CLI a session gets, and the report on how it was found.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use kandev_transport::{
    Found, Guard, Search, Source, Support, TransportError, Tried, find, version,
};

use crate::api::{CliFound, CliReport, CliTried};

/// The one search of this process: the environment as it was at the start.
pub fn search(chosen: Option<PathBuf>) -> Search {
    Search {
        chosen,
        ..Search::from_environment()
    }
}

/// Looks for the CLI, asks it for its version, and says what to do when that fails.
pub async fn report(chosen: Option<PathBuf>) -> CliReport {
    let search = search(chosen);
    let searched_path = search.path.to_string_lossy().into_owned();
    let found = match tokio::task::spawn_blocking(move || find(&search)).await {
        Ok(found) => found,
        Err(error) => {
            return CliReport {
                path_used: searched_path,
                problem: Some(format!("The search for the CLI broke off: {error}")),
                ..CliReport::default()
            };
        }
    };
    let (path_used, mut report) = match &found {
        Ok(found) => (
            found.path.to_string_lossy().into_owned(),
            judged(found).await,
        ),
        Err(error) => (searched_path, failed(error)),
    };
    (report.node, report.git) = tokio::join!(
        version_of("node", &path_used),
        version_of("git", &path_used)
    );
    report.path_used = path_used;
    report
}

async fn judged(found: &Found) -> CliReport {
    let mut report = CliReport {
        tried: found.tried.iter().map(tried).collect(),
        ..CliReport::default()
    };
    let seen = |version: Option<String>, warning: Option<String>| {
        Some(CliFound {
            path: found.program.to_string_lossy().into_owned(),
            version,
            source: found.source.to_string(),
            warning,
        })
    };
    let asked = match Guard::this_executable() {
        Ok(guard) => version(found, &guard).await,
        Err(error) => Err(error),
    };
    match asked {
        Ok(version) => {
            let text = format!("{}.{}.{}", version.major, version.minor, version.patch);
            match version.support() {
                Support::Full => report.found = seen(Some(text), None),
                Support::Warned => {
                    let warning = format!(
                        "Claude Code {text} works, but not in all parts; update it with `claude update`."
                    );
                    report.found = seen(Some(text), Some(warning));
                }
                Support::Refused => {
                    report.problem = Some(format!(
                        "Claude Code {text} is too old to be driven from here."
                    ));
                    report.next_step =
                        Some("Update it with `claude update`, or choose another file.".to_owned());
                }
            }
        }
        Err(error) => {
            report.problem = Some(sentence(&error));
            report.next_step = Some(next_step(&error).to_owned());
        }
    }
    report
}

fn failed(error: &TransportError) -> CliReport {
    let places: &[Tried] = match error {
        TransportError::CliNotFound { tried } | TransportError::NodeMissing { tried, .. } => tried,
        _ => &[],
    };
    CliReport {
        tried: places.iter().map(tried).collect(),
        problem: Some(sentence(error)),
        next_step: Some(next_step(error).to_owned()),
        ..CliReport::default()
    }
}

fn tried(tried: &Tried) -> CliTried {
    CliTried {
        path: tried.path.to_string_lossy().into_owned(),
        source: tried.source.to_string(),
        outcome: tried.outcome.clone(),
    }
}

fn next_step(error: &TransportError) -> &'static str {
    match error {
        TransportError::CliNotFound { .. } => {
            "Install Claude Code (npm install -g @anthropic-ai/claude-code), choose its file, or try a rehearsal session."
        }
        TransportError::NodeMissing { .. } => {
            "Install Node.js, or choose a native `claude` executable."
        }
        _ => "Choose another file, or clear the choice so that Claude Code is looked for.",
    }
}

fn sentence(error: &TransportError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        format!("{}{}.", first.to_uppercase(), letters.as_str())
    })
}

/// What a program on the PATH says its version is. Asked once and remembered: an idle window starts nothing.
async fn version_of(name: &str, path: &str) -> Option<String> {
    static KNOWN: Mutex<Vec<(PathBuf, String)>> = Mutex::new(Vec::new());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let program = on_path(name, path)?;
    if let Some((_, said)) = known().iter().find(|(asked, _)| *asked == program) {
        return Some(said.clone());
    }
    let found = Found {
        program: program.clone(),
        args: Vec::new(),
        source: Source::Path,
        path: path.into(),
        tried: Vec::new(),
    };
    let said = match version(&found, &Guard::this_executable().ok()?).await {
        Ok(version) => format!("{}.{}.{}", version.major, version.minor, version.patch),
        // It is not Claude Code, and is not meant to be: what it said is its version.
        Err(TransportError::NotClaude { said, .. }) if !said.trim().is_empty() => {
            said.trim().to_owned()
        }
        Err(_) => return None,
    };
    known().push((program, said.clone()));
    Some(said)
}

fn on_path(name: &str, path: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&file))
        .find(|f| is_file(f))
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file())
}
