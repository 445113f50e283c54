//! Secrets of the settings: in the system's keyring, and where none answers in a file of the data folder that only this user
//! can read. Knows names and values, not what they are for. A keyring that hangs holds up nobody for more than seconds.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Serialize;
use specta::Type;
use tokio::sync::{Mutex, oneshot};

/// How long the keyring may take to be reached.
const REACH: Duration = Duration::from_secs(3);
/// How long it may take for a secret: a person may have to unlock it.
const UNLOCK: Duration = Duration::from_secs(20);

/// Where secrets are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum SecretsIn {
    Keyring,
    /// No keyring answers, or it did not when a secret was saved.
    File,
    /// Neither can be used.
    None,
}

/// A store of the system's. Each call may take its time, and is made on a thread of its own.
pub trait Keyring: Send + Sync + 'static {
    /// Whether it is there.
    fn reach(&self) -> Result<(), String>;
    /// `None`: it has no such secret.
    fn get(&self, name: &str) -> Result<Option<String>, String>;
    fn set(&self, name: &str, value: &str) -> Result<(), String>;
    /// Harmless when there is none of this name.
    fn remove(&self, name: &str) -> Result<(), String>;
}

/// The keyring of macOS, Windows, or the Secret Service of a Linux desktop.
pub struct SystemKeyring {
    /// Keeps the secrets of several data folders apart.
    folder: uuid::Uuid,
}

const SERVICE: &str = "dev.kandev.desktop";

impl SystemKeyring {
    pub fn new(data_dir: &Path) -> Self {
        let bytes = data_dir.as_os_str().as_encoded_bytes();
        Self {
            folder: uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_URL, bytes),
        }
    }

    fn entry(&self, name: &str) -> Result<keyring::v1::Entry, String> {
        let user = format!("{name} ({})", self.folder.simple());
        keyring::v1::Entry::new(SERVICE, &user).map_err(|error| error.to_string())
    }
}

impl Keyring for SystemKeyring {
    fn reach(&self) -> Result<(), String> {
        match keyring::v1::Entry::store_status() {
            Ok(()) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn get(&self, name: &str) -> Result<Option<String>, String> {
        match self.entry(name)?.get_password() {
            Ok(value) => Ok(Some(value)),
            Err(keyring::v1::Error::NoEntry) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn set(&self, name: &str, value: &str) -> Result<(), String> {
        let entry = self.entry(name)?;
        entry.set_password(value).map_err(|error| error.to_string())
    }

    fn remove(&self, name: &str) -> Result<(), String> {
        match self.entry(name)?.delete_credential() {
            Ok(()) | Err(keyring::v1::Error::NoEntry) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}

pub struct Secrets {
    keyring: Arc<dyn Keyring>,
    file: PathBuf,
    /// It did not answer in time; it is asked no more before the next start of the app.
    silent: AtomicBool,
    reach: Duration,
    unlock: Duration,
    /// Held while the file is changed.
    changing: Mutex<()>,
}

impl Secrets {
    /// Reaches for nothing yet, so a start of the app never waits for it.
    pub fn new(keyring: Arc<dyn Keyring>, data_dir: &Path) -> Self {
        Self {
            keyring,
            file: data_dir.join("secrets.json"),
            silent: AtomicBool::new(false),
            reach: REACH,
            unlock: UNLOCK,
            changing: Mutex::default(),
        }
    }

    /// Where they are, and a sentence to warn of it.
    pub async fn state(&self) -> (SecretsIn, Option<String>) {
        let reason = match self.reach().await {
            Ok(()) => match self.in_file() {
                Ok(kept) if kept.is_empty() => return (SecretsIn::Keyring, None),
                Ok(_) => "The keyring of this system did not take all of them".to_owned(),
                Err(error) => return (SecretsIn::Keyring, Some(self.unreadable(&error))),
            },
            Err(reason) => format!("No keyring of this system answers ({reason})"),
        };
        match self.in_file() {
            Ok(_) => {
                let file = self.file.display();
                let text = format!(
                    "{reason}: secrets are kept in {file}, unencrypted, where whoever can read your files can read them."
                );
                (SecretsIn::File, Some(text))
            }
            Err(error) => (SecretsIn::None, Some(self.unreadable(&error))),
        }
    }

    /// The secrets of these names, as far as they are there. What cannot be looked up stands in the second value.
    pub async fn get(&self, names: Vec<String>) -> (BTreeMap<String, String>, Option<String>) {
        if names.is_empty() {
            return (BTreeMap::new(), None);
        }
        let mut problem = None;
        let mut found = self.in_file().unwrap_or_else(|error| {
            problem = Some(self.unreadable(&error));
            BTreeMap::new()
        });
        found.retain(|name, _| names.contains(name));
        for name in names {
            if found.contains_key(&name) {
                continue;
            }
            let asked = name.clone();
            match self.ask(move |keyring| keyring.get(&asked)).await {
                Ok(value) => found.extend(value.map(|value| (name, value))),
                Err(reason) => {
                    problem = Some(format!("the keyring does not answer: {reason}"));
                    break;
                }
            }
        }
        (found, problem)
    }

    /// Keeps these: in the keyring, or else in the file.
    pub async fn put(&self, secrets: BTreeMap<String, String>) -> Result<(), String> {
        let _changing = self.changing.lock().await;
        let mut file = self.in_file().map_err(|error| self.unreadable(&error))?;
        let before = file.clone();
        // What the keyring did not take when it was saved may be taken now.
        let mut all = file.clone();
        all.extend(secrets);
        for (name, value) in all {
            let (asked, given) = (name.clone(), value.clone());
            match self.ask(move |keyring| keyring.set(&asked, &given)).await {
                Ok(()) => file.remove(&name),
                Err(_) => file.insert(name, value),
            };
        }
        if file == before {
            return Ok(());
        }
        write(&self.file, &file).map_err(|error| {
            format!(
                "the secrets could not be saved in {}: {error}",
                self.file.display()
            )
        })
    }

    /// Forgets these, wherever they are.
    pub async fn remove(&self, names: Vec<String>) -> Result<(), String> {
        let _changing = self.changing.lock().await;
        let mut file = self.in_file().map_err(|error| self.unreadable(&error))?;
        let before = file.len();
        let mut left = Vec::new();
        for name in names {
            if file.remove(&name).is_some() {
                continue;
            }
            let asked = name.clone();
            if let Err(reason) = self.ask(move |keyring| keyring.remove(&asked)).await {
                left.push(format!("{name} ({reason})"));
            }
        }
        if file.len() != before {
            write(&self.file, &file).map_err(|error| error.to_string())?;
        }
        if left.is_empty() {
            Ok(())
        } else {
            Err(format!(
                "these secrets could not be removed from the keyring: {}",
                left.join(", ")
            ))
        }
    }

    fn in_file(&self) -> io::Result<BTreeMap<String, String>> {
        match std::fs::read(&self.file) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(error),
        }
    }

    fn unreadable(&self, error: &io::Error) -> String {
        format!(
            "The secrets in {} cannot be read: {error}.",
            self.file.display()
        )
    }

    async fn reach(&self) -> Result<(), String> {
        self.on_a_thread(self.reach, Keyring::reach).await
    }

    async fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&dyn Keyring) -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        self.reach().await?;
        self.on_a_thread(self.unlock, what).await
    }

    /// A thread that hangs is left alone: nothing waits for it, not even the end of the app.
    async fn on_a_thread<T: Send + 'static>(
        &self,
        limit: Duration,
        what: impl FnOnce(&dyn Keyring) -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        let late = || format!("no answer within {} s", limit.as_secs_f32());
        if self.silent.load(Ordering::Relaxed) {
            return Err("it did not answer before".to_owned());
        }
        let keyring = Arc::clone(&self.keyring);
        let (tell, told) = oneshot::channel();
        let started = std::thread::Builder::new()
            .name("keyring".to_owned())
            .spawn(move || {
                let _ = tell.send(what(&*keyring));
            });
        started.map_err(|error| error.to_string())?;
        match tokio::time::timeout(limit, told).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err("it failed".to_owned()),
            Err(_) => {
                self.silent.store(true, Ordering::Relaxed);
                Err(late())
            }
        }
    }
}

/// Puts a new file in the place of the old one, so that there is always a whole one.
fn write(path: &Path, secrets: &BTreeMap<String, String>) -> io::Result<()> {
    if secrets.is_empty() {
        return match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    // Made for this user alone.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec_pretty(secrets)?)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
pub mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Mutex;

    use super::*;

    /// A keyring that does as it is told.
    #[derive(Default)]
    pub struct Pretend {
        pub kept: Mutex<BTreeMap<String, String>>,
        pub gone: AtomicBool,
        pub hangs: AtomicBool,
    }

    impl Pretend {
        fn here(&self) -> Result<std::sync::MutexGuard<'_, BTreeMap<String, String>>, String> {
            while self.hangs.load(Ordering::Relaxed) {
                std::thread::park_timeout(Duration::from_millis(5));
            }
            if self.gone.load(Ordering::Relaxed) {
                return Err("there is none".to_owned());
            }
            Ok(self.kept.lock().unwrap())
        }
    }

    impl Keyring for Pretend {
        fn reach(&self) -> Result<(), String> {
            self.here().map(drop)
        }

        fn get(&self, name: &str) -> Result<Option<String>, String> {
            Ok(self.here()?.get(name).cloned())
        }

        fn set(&self, name: &str, value: &str) -> Result<(), String> {
            self.here()?.insert(name.to_owned(), value.to_owned());
            Ok(())
        }

        fn remove(&self, name: &str) -> Result<(), String> {
            self.here()?.remove(name);
            Ok(())
        }
    }

    fn secrets(home: &Path) -> (Arc<Pretend>, Secrets) {
        let keyring = Arc::<Pretend>::default();
        (
            Arc::clone(&keyring),
            Secrets::new(Arc::clone(&keyring) as _, home),
        )
    }

    fn one(name: &str, value: &str) -> BTreeMap<String, String> {
        BTreeMap::from([(name.to_owned(), value.to_owned())])
    }

    #[tokio::test]
    async fn with_a_keyring_nothing_is_in_a_file() {
        let home = tempfile::tempdir().unwrap();
        let (keyring, secrets) = secrets(home.path());
        secrets.put(one("a", "s3cret")).await.unwrap();
        assert_eq!(*keyring.kept.lock().unwrap(), one("a", "s3cret"));
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
        assert_eq!(secrets.state().await, (SecretsIn::Keyring, None));
        let names = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(secrets.get(names).await, (one("a", "s3cret"), None));
        secrets
            .remove(vec!["a".to_owned(), "b".to_owned()])
            .await
            .unwrap();
        assert!(keyring.kept.lock().unwrap().is_empty());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn without_a_keyring_only_this_user_reads_the_file_and_a_sentence_warns() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let (keyring, secrets) = secrets(home.path());
        keyring.gone.store(true, Ordering::Relaxed);
        secrets.put(one("a", "s3cret")).await.unwrap();
        let file = home.path().join("secrets.json");
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let (place, warning) = secrets.state().await;
        assert_eq!(place, SecretsIn::File);
        let warning = warning.unwrap();
        assert!(warning.contains("secrets.json") && !warning.contains("s3cret"));
        assert_eq!(
            secrets.get(vec!["a".to_owned()]).await,
            (one("a", "s3cret"), None)
        );
        secrets.remove(vec!["a".to_owned()]).await.unwrap();
        assert!(!file.exists());
    }

    #[tokio::test]
    async fn a_keyring_that_comes_back_takes_over_what_is_in_the_file() {
        let home = tempfile::tempdir().unwrap();
        let (keyring, secrets) = secrets(home.path());
        keyring.gone.store(true, Ordering::Relaxed);
        secrets.put(one("a", "s3cret")).await.unwrap();
        keyring.gone.store(false, Ordering::Relaxed);
        assert_eq!(secrets.state().await.0, SecretsIn::File);
        secrets.put(BTreeMap::new()).await.unwrap();
        assert_eq!(*keyring.kept.lock().unwrap(), one("a", "s3cret"));
        assert_eq!(secrets.state().await, (SecretsIn::Keyring, None));
    }

    #[tokio::test]
    async fn a_keyring_that_hangs_is_waited_for_once() {
        let home = tempfile::tempdir().unwrap();
        let (keyring, mut secrets) = secrets(home.path());
        secrets.reach = Duration::from_millis(30);
        keyring.hangs.store(true, Ordering::Relaxed);
        secrets.put(one("a", "s3cret")).await.unwrap();
        secrets.reach = Duration::from_secs(3600);
        assert_eq!(
            secrets.get(vec!["a".to_owned()]).await,
            (one("a", "s3cret"), None)
        );
        let (found, problem) = secrets.get(vec!["b".to_owned()]).await;
        assert!(found.is_empty() && problem.is_some());
        keyring.hangs.store(false, Ordering::Relaxed);
    }

    #[tokio::test]
    async fn the_keyring_of_this_system_answers_or_it_is_said_why() {
        let home = tempfile::tempdir().unwrap();
        let secrets = Secrets::new(Arc::new(SystemKeyring::new(home.path())), home.path());
        match secrets.state().await {
            (SecretsIn::Keyring, warning) => assert_eq!(warning, None),
            (place, warning) => {
                assert_eq!(place, SecretsIn::File);
                assert!(warning.unwrap().starts_with("No keyring"));
            }
        }
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_understood_is_not_overwritten() {
        let home = tempfile::tempdir().unwrap();
        let (keyring, secrets) = secrets(home.path());
        keyring.gone.store(true, Ordering::Relaxed);
        std::fs::write(home.path().join("secrets.json"), "garbage").unwrap();
        assert!(secrets.put(one("a", "s3cret")).await.is_err());
        assert_eq!(secrets.state().await.0, SecretsIn::None);
        let kept = std::fs::read_to_string(home.path().join("secrets.json")).unwrap();
        assert_eq!(kept, "garbage");
    }
}
