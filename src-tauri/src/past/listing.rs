//! Reads the rows of the sessions without an actor: what is known of them at once, the CLI's folder after it, and both
//! again when something changed.

use std::collections::HashMap;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kandev_store::Owner;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use super::{PastList, merge, of_ours, settle, share};
use crate::records::Records;

/// Rows are read again at most this often, unless a person waits for it: a session that streams changes its own all the
/// time.
const PACE: Duration = Duration::from_secs(1);
/// How often it is asked whether another program has changed the registry.
const OTHERS: Duration = Duration::from_secs(2);
/// How often it is looked who has conversations open, at most.
const LOOK: Duration = Duration::from_secs(5);

/// The list, and the task that makes it.
pub struct Listing {
    rows: watch::Receiver<Option<PastList>>,
    again: Arc<Notify>,
    task: JoinHandle<()>,
}

impl Drop for Listing {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Listing {
    /// Starts on the running tokio runtime.
    pub fn start(records: Records) -> Self {
        let (sender, rows) = watch::channel(None);
        let again = Arc::new(Notify::new());
        let task = tokio::spawn(run(records, Arc::clone(&again), sender));
        Self { rows, again, task }
    }

    /// Nothing until they were read.
    pub fn rows(&self) -> watch::Receiver<Option<PastList>> {
        self.rows.clone()
    }

    /// A person waits for a change to show.
    pub fn again(&self) {
        self.again.notify_one();
    }
}

async fn run(records: Records, again: Arc<Notify>, rows: watch::Sender<Option<PastList>>) {
    let mut registry = records.registry();
    let mut folder = records.folder_changes();
    let mut steps = records.folder_steps();
    let mut owners = Arc::<HashMap<String, Owner>>::default();
    let mut looked = None;
    // It begins when what is known is shown.
    let mut reading = pin!(records.read_folder());
    let mut folder_is_read = false;
    records.recall_folder().await;
    loop {
        let read_at = Instant::now();
        registry.borrow_and_update();
        folder.borrow_and_update();
        steps.borrow_and_update();
        let known = rows.borrow().clone();
        if let Some(list) = gather(&records, known, Arc::clone(&owners)).await {
            rows.send_if_modified(|old| {
                let differs = old.as_ref().is_none_or(|old| !same(old, &list));
                *old = Some(list);
                differs
            });
        }
        if !folder_is_read {
            tokio::select! {
                () = &mut reading => folder_is_read = true,
                // The newest of many files are shown while the others are read.
                _ = steps.changed() => {}
            }
            continue;
        }
        loop {
            let due = looked.is_none_or(|looked: Instant| looked.elapsed() >= LOOK);
            if due {
                looked = Some(Instant::now());
                let now = records.owners().await.unwrap_or_default();
                if *owners != now {
                    owners = Arc::new(now);
                    break;
                }
            }
            let pace = read_at + PACE;
            if wait(&records, &again, &mut registry, &mut folder, pace).await {
                break;
            }
        }
    }
}

/// Returns when there is something to read, or (false) when it is time to look who has conversations open: a process that
/// comes or goes says nothing.
async fn wait(
    records: &Records,
    again: &Notify,
    registry: &mut watch::Receiver<u64>,
    folder: &mut watch::Receiver<u64>,
    not_before: Instant,
) -> bool {
    // It has changed and waits for its time.
    let pending = AtomicBool::new(false);
    let changed = async {
        loop {
            tokio::select! {
                // The senders live as long as the records.
                _ = registry.changed() => break,
                _ = folder.changed() => break,
                () = tokio::time::sleep(OTHERS) => if records.others_wrote().await {
                    break;
                },
            }
        }
        pending.store(true, Ordering::Relaxed);
        sleep_until(not_before).await;
    };
    tokio::select! {
        () = again.notified() => true,
        () = changed => true,
        () = tokio::time::sleep(LOOK) => pending.load(Ordering::Relaxed),
    }
}

fn same(old: &PastList, new: &PastList) -> bool {
    old.len() == new.len() && old.iter().zip(new.iter()).all(|(a, b)| Arc::ptr_eq(a, b))
}

/// Nothing if it cannot be read now: then what is shown stays.
async fn gather(
    records: &Records,
    known: Option<PastList>,
    owners: Arc<HashMap<String, Owner>>,
) -> Option<PastList> {
    let ours = records.with(|store| store.sessions()).await.ok()?;
    let terminal = records.in_terminal().await.ok()?;
    let work = move || {
        let mut folders = HashMap::new();
        let ours = ours.into_iter().map(|session| {
            let remote = session.host.is_some();
            let gone = !remote && gone(&mut folders, &session.workspace);
            of_ours(session, gone)
        });
        let mut rows = merge(ours.collect(), terminal);
        for row in &mut rows {
            let cli = row.cli_session_id.as_ref().filter(|_| !row.rehearsal);
            let owner = owners.get(&row.id).or_else(|| owners.get(cli?));
            row.owner = owner.cloned();
            settle(row);
        }
        share(&known.unwrap_or_default(), rows)
    };
    tokio::task::spawn_blocking(work).await.ok()
}

/// Each folder is looked for once. One on another machine is not: that may take for ever.
fn gone(folders: &mut HashMap<String, bool>, folder: &str) -> bool {
    if folder.starts_with(r"\\") {
        return false;
    }
    if let Some(gone) = folders.get(folder) {
        return *gone;
    }
    let gone = !Path::new(folder).is_dir();
    folders.insert(folder.to_owned(), gone);
    gone
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use kandev_store::{Projects, Store};

    fn ids(list: &PastList) -> Vec<&str> {
        list.iter().map(|row| row.id.as_str()).collect()
    }

    #[tokio::test]
    async fn what_was_known_is_shown_first_and_then_what_is_there() {
        let home = tempfile::tempdir().unwrap();
        let project = home.path().join("claude/projects/-work");
        std::fs::create_dir_all(&project).unwrap();
        let write = |id: &str| {
            let line = serde_json::json!({
                "parentUuid": null, "isSidechain": false, "type": "user", "uuid": format!("u-{id}"), "cwd": "/work",
                "message": { "role": "user", "content": "Ask" }, "timestamp": "2026-11-30T10:00:00.000Z",
            });
            std::fs::write(project.join(format!("{id}.jsonl")), format!("{line}\n")).unwrap();
        };
        let store = Store::open(&home.path().join("data")).store;
        let projects = Projects::at([home.path().join("claude")]);
        write("old");
        store.terminal(projects.clone()).refresh().unwrap();
        std::fs::remove_file(project.join("old.jsonl")).unwrap();
        write("new");

        let listing = Listing::start(Records::new(store, projects));
        let mut rows = listing.rows();
        let first = rows.wait_for(Option::is_some).await.unwrap().clone();
        assert_eq!(ids(&first.unwrap()), ["old"]);
        rows.changed().await.unwrap();
        assert_eq!(ids(rows.borrow().as_ref().unwrap()), ["new"]);
    }
}
