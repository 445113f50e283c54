//! Where the lines of subagents are: in files beside the session's own, or, in old versions, between its lines.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize;

use super::entry::{self, Entry, Key};
use super::lines;
use super::plan::Sidechain;

/// How much of a file is read to learn whose it is, in bytes.
const HEAD: u64 = 16 * 1024;

/// The lines of one subagent, and the file that they are in.
pub(crate) struct Chain {
    pub path: PathBuf,
    pub chain: Sidechain,
}

/// The subagents of a session. A file that cannot be read tells nothing; the result of its call does.
pub(crate) fn of(session: &Path, session_id: &str, entries: &[Entry]) -> Vec<Chain> {
    let mut chains = inside(session, entries);
    let first = entries.iter().map(|entry| entry.at).find(|at| *at > 0);
    for path in files(session, session_id) {
        // What was last written before the first line has nothing to tell among these.
        if first.is_some_and(|first| changed(&path).is_some_and(|changed| changed < first)) {
            continue;
        }
        let mut chain = Sidechain {
            call: call_of(&path).as_deref().map(entry::key),
            agent: agent_of(&path).map(entry::key),
            ..Sidechain::default()
        };
        let read = File::open(&path).and_then(|mut file| {
            lines::each_line(&mut file, 0, &mut |offset, found| {
                entry::of(offset, found, &mut |entry| chain.entries.push(entry));
            })
        });
        if read.is_ok() && !chain.entries.is_empty() {
            chains.push(Chain { path, chain });
        }
    }
    chains
}

/// The files of a session's subagents, in the order of their names.
pub(crate) fn files(session: &Path, session_id: &str) -> Vec<PathBuf> {
    let mut files = agents_in(&session.with_extension("").join("subagents"));
    // Up to 2.0 they lie beside the sessions, those of all sessions together.
    let beside = session.parent().map(beside).unwrap_or_default();
    let own = beside.iter().filter(|(_, id)| id == session_id);
    files.extend(own.map(|(path, _)| path.clone()));
    files.sort();
    files
}

fn agents_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| agent_of(path).is_some())
        .collect()
}

/// The agents' files of a folder of sessions, each with its session.
type Beside = Arc<Vec<(PathBuf, String)>>;

/// A change within this time after another may not show in the time of a folder.
const COARSE: Duration = Duration::from_secs(2);

/// The agents' files among the sessions. A folder is read again when it has changed: there can be thousands in it, and each
/// of its sessions asks.
fn beside(folder: &Path) -> Beside {
    static KNOWN: LazyLock<Mutex<HashMap<PathBuf, (SystemTime, Beside)>>> =
        LazyLock::new(Mutex::default);
    let changed = fs::metadata(folder).and_then(|stat| stat.modified()).ok();
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((then, beside)) = known().get(folder)
        && Some(*then) == changed
    {
        return Arc::clone(beside);
    }
    let agents = agents_in(folder).into_iter();
    let agents = agents.filter_map(|path| {
        let session = session_of(&path)?;
        Some((path, session))
    });
    let beside = Arc::new(agents.collect());
    if let Some(changed) = changed
        && changed.elapsed().is_ok_and(|since| since > COARSE)
    {
        known().insert(folder.to_owned(), (changed, Arc::clone(&beside)));
    }
    beside
}

/// The agent that a file is named after.
pub(crate) fn agent_of(path: &Path) -> Option<&str> {
    path.file_name()?
        .to_str()?
        .strip_prefix("agent-")?
        .strip_suffix(".jsonl")
}

/// The session that the first line of an agent's file names.
pub(crate) fn session_of(path: &Path) -> Option<String> {
    let mut head = Vec::new();
    File::open(path)
        .ok()?
        .take(HEAD)
        .read_to_end(&mut head)
        .ok()?;
    entry::text_after(&head, br#""sessionId":""#).map(str::to_owned)
}

/// The call that the description beside the file names.
fn call_of(path: &Path) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Description {
        tool_use_id: Option<String>,
    }
    let text = fs::read(path.with_extension("meta.json")).ok()?;
    serde_json::from_slice::<Description>(&text)
        .ok()?
        .tool_use_id
}

/// Milliseconds since the Unix epoch.
fn changed(path: &Path) -> Option<i64> {
    let changed = fs::metadata(path).ok()?.modified().ok()?;
    i64::try_from(changed.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

/// The lines of subagents between those of the session, each agent's for itself.
fn inside(session: &Path, entries: &[Entry]) -> Vec<Chain> {
    let mut chain_of: HashMap<Key, usize> = HashMap::new();
    let mut chains: Vec<Chain> = Vec::new();
    for entry in entries.iter().filter(|entry| entry.sidechain) {
        let number = match entry.parent.and_then(|parent| chain_of.get(&parent)) {
            Some(number) => *number,
            None => {
                chains.push(Chain {
                    path: session.to_owned(),
                    chain: Sidechain::default(),
                });
                chains.len() - 1
            }
        };
        chain_of.extend(entry.uuid.map(|uuid| (uuid, number)));
        chains[number].chain.entries.push(entry.clone());
    }
    chains
}
