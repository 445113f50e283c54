//! The MCP servers of the settings: what a person chose, checked, with the secrets kept apart, and as a session is given
//! them. A secret that was saved never comes back out to the page.

mod check;
mod status;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use kandev_session::{McpServers as Source, ServersRead, ServersReading, redact};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use specta::Type;
use tauri::AppHandle;
use tauri_plugin_store::StoreBuilder;

use crate::api::CommandError;
use crate::secrets::{Secrets, SecretsIn, SystemKeyring};

pub use status::{McpServerStatus, status};

/// One server of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct McpServer {
    /// Letters, digits, `_` and `-`; unique.
    pub name: String,
    /// Sessions are given it.
    pub enabled: bool,
    pub transport: McpTransport,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum McpTransport {
    Stdio {
        /// A full path, or the name of a program on PATH.
        command: String,
        args: Vec<String>,
        env: Vec<McpEntry>,
    },
    Sse {
        url: String,
        headers: Vec<McpEntry>,
    },
    Http {
        url: String,
        headers: Vec<McpEntry>,
    },
}

/// A variable or a header.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct McpEntry {
    pub name: String,
    /// Null for a secret that is kept as it is.
    pub value: Option<String>,
    pub secret: bool,
}

impl fmt::Debug for McpEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value.as_deref();
        f.debug_struct("McpEntry")
            .field("name", &self.name)
            .field("value", &value.map(|_| "[redacted]"))
            .field("secret", &self.secret)
            .finish()
    }
}

impl McpTransport {
    /// The kind of its entries, as it stands in the names of secrets.
    fn entries(&self) -> (&'static str, &[McpEntry]) {
        match self {
            Self::Stdio { env, .. } => ("env", env),
            Self::Sse { headers, .. } | Self::Http { headers, .. } => ("header", headers),
        }
    }

    fn entries_mut(&mut self) -> &mut [McpEntry] {
        match self {
            Self::Stdio { env, .. } => env,
            Self::Sse { headers, .. } | Self::Http { headers, .. } => headers,
        }
    }
}

impl McpServer {
    /// Its secrets: the name that each is kept by, and its entry.
    fn secrets(&self) -> impl Iterator<Item = (String, &McpEntry)> {
        let (kind, entries) = self.transport.entries();
        let secret = entries.iter().filter(|entry| entry.secret);
        secret.map(move |entry| (format!("{}/{kind}/{}", self.name, entry.name), entry))
    }

    /// As `--mcp-config` takes it. `None` when a secret is missing.
    fn config(&self, secrets: &BTreeMap<String, String>) -> Option<Value> {
        let (kind, entries) = self.transport.entries();
        let mut values = Map::new();
        for entry in entries {
            let value = if entry.secret {
                secrets.get(&format!("{}/{kind}/{}", self.name, entry.name))?
            } else {
                entry.value.as_ref()?
            };
            values.insert(entry.name.clone(), json!(value));
        }
        Some(match &self.transport {
            McpTransport::Stdio { command, args, .. } => {
                json!({ "type": "stdio", "command": command, "args": args, "env": values })
            }
            McpTransport::Sse { url, .. } => {
                json!({ "type": "sse", "url": url, "headers": values })
            }
            McpTransport::Http { url, .. } => {
                json!({ "type": "http", "url": url, "headers": values })
            }
        })
    }
}

/// The settings page's view.
#[derive(Debug, Clone, Serialize, Type)]
pub struct McpServers {
    pub servers: Vec<McpServer>,
    pub secrets_in: SecretsIn,
    /// What a person should know about how they are kept.
    pub warning: Option<String>,
}

type Persist = Box<dyn Fn(&[McpServer]) -> Result<(), String> + Send + Sync>;

/// Managed state.
pub struct Mcp {
    servers: Mutex<Vec<McpServer>>,
    secrets: Secrets,
    persist: Persist,
    /// Held while a new list is saved.
    saving: tokio::sync::Mutex<()>,
    /// Values that sessions were given, to keep them out of what the CLI says of its servers.
    given: Mutex<BTreeSet<String>>,
}

impl Mcp {
    /// `persist` writes the list down; it holds no secrets.
    pub fn new(servers: Vec<McpServer>, secrets: Secrets, persist: Persist) -> Self {
        Self {
            servers: Mutex::new(servers),
            secrets,
            persist,
            saving: tokio::sync::Mutex::default(),
            given: Mutex::default(),
        }
    }

    pub fn list(&self) -> Vec<McpServer> {
        lock(&self.servers).clone()
    }

    pub async fn servers(&self) -> McpServers {
        let (secrets_in, warning) = self.secrets.state().await;
        McpServers {
            servers: self.list(),
            secrets_in,
            warning,
        }
    }

    /// Takes over a whole new list. Secrets without a value stay as they are; those that are named no more are forgotten.
    pub async fn save(&self, mut new: Vec<McpServer>) -> Result<McpServers, CommandError> {
        let _saving = self.saving.lock().await;
        let old = self.list();
        check::servers(&new)?;
        check::values(&new, &old)?;
        let given = new.iter().flat_map(McpServer::secrets);
        let given = given.filter_map(|(name, entry)| Some((name, entry.value.clone()?)));
        let failed = |reason: String| CommandError::new("mcp_not_saved", reason);
        self.secrets.put(given.collect()).await.map_err(failed)?;
        for entry in new
            .iter_mut()
            .flat_map(|server| server.transport.entries_mut())
        {
            if entry.secret {
                entry.value = None;
            }
        }
        (self.persist)(&new).map_err(failed)?;
        let kept: BTreeSet<String> = names(&new);
        let gone = names(&old).difference(&kept).cloned().collect();
        *lock(&self.servers) = new;
        let forgotten = self.secrets.remove(gone).await;
        let mut saved = self.servers().await;
        if let Err(reason) = forgotten {
            let before = saved.warning.map(|text| text + " ").unwrap_or_default();
            saved.warning = Some(format!("{before}The servers were saved, but {reason}."));
        }
        Ok(saved)
    }

    /// A text of the CLI's, without the secrets that it was given.
    fn without_secrets(&self, text: &str) -> String {
        let given = lock(&self.given);
        // Longer ones first: one may be a part of another.
        let mut secrets: Vec<_> = given.iter().filter(|secret| secret.len() > 3).collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        let mut text = text.to_owned();
        for secret in secrets {
            text = text.replace(secret.as_str(), "[secret]");
        }
        text
    }

    async fn read_now(&self) -> ServersRead {
        let wanted: Vec<McpServer> = self
            .list()
            .into_iter()
            .filter(|server| server.enabled)
            .collect();
        let names = names(&wanted).into_iter().collect();
        let (secrets, problem) = self.secrets.get(names).await;
        lock(&self.given).extend(secrets.values().cloned());
        // Whatever the names of their entries say.
        redact::remember(secrets.values().cloned());
        let mut read = ServersRead::default();
        for server in &wanted {
            match server.config(&secrets) {
                Some(config) => {
                    read.servers.insert(server.name.clone(), config);
                }
                None => {
                    let why = problem
                        .as_deref()
                        .unwrap_or("one of its secrets is missing");
                    read.left_out.push(format!(
                        "The MCP server {} was left out: {why}. Look at it in the settings.",
                        server.name
                    ));
                }
            }
        }
        read
    }
}

impl Source for Mcp {
    fn read(&self) -> ServersReading<'_> {
        Box::pin(self.read_now())
    }
}

fn names(servers: &[McpServer]) -> BTreeSet<String> {
    let secrets = servers.iter().flat_map(McpServer::secrets);
    secrets.map(|(name, _)| name).collect()
}

/// Opens `mcp.json` in the data folder. The second value says what of it could not be understood.
pub fn open(
    app: &AppHandle,
    data_dir: &Path,
) -> Result<(Arc<Mcp>, Option<String>), tauri_plugin_store::Error> {
    let path = data_dir.join("mcp.json");
    let (servers, problem) = load(&path);
    let store = StoreBuilder::new(app, &path).disable_auto_save().build()?;
    let persist = move |servers: &[McpServer]| {
        store.set("servers", json!(servers));
        let failed = |error| format!("the MCP servers could not be saved: {error}");
        store.save().map_err(failed)
    };
    let keyring = Arc::new(SystemKeyring::new(data_dir));
    let secrets = Secrets::new(keyring, data_dir);
    Ok((
        Arc::new(Mcp::new(servers, secrets, Box::new(persist))),
        problem,
    ))
}

/// The list in the file, as far as it can be understood: each server for itself. The second value says what could not.
pub fn load(path: &Path) -> (Vec<McpServer>, Option<String>) {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return (Vec::new(), None),
        Err(error) => {
            let problem = format!(
                "The MCP servers in {} cannot be read: {error}.",
                path.display()
            );
            return (Vec::new(), Some(problem));
        }
    };
    let file: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let entries = file["servers"].as_array().cloned();
    // The store writes an empty object when the app ends and nothing was ever set.
    let nothing = file.as_object().is_some_and(serde_json::Map::is_empty);
    let odd = entries.is_none() && !nothing;
    let mut servers: Vec<McpServer> = Vec::new();
    let mut lost = 0;
    for entry in entries.unwrap_or_default() {
        let server = serde_json::from_value::<McpServer>(entry).ok();
        let fits = |server: &McpServer| {
            let mut all = servers.clone();
            all.push(server.clone());
            check::servers(&all).is_ok()
        };
        match server.filter(fits) {
            Some(server) => servers.push(server),
            None => lost += 1,
        }
    }
    let problem = (odd || lost > 0).then(|| {
        let aside = path.with_extension("json.bad");
        let kept = match std::fs::write(&aside, &bytes) {
            Ok(()) => format!("the file is kept as {}", aside.display()),
            Err(error) => format!("the file could not be kept aside: {error}"),
        };
        let what = if odd {
            "are not understood".to_owned()
        } else {
            format!("are not understood in {lost} of the entries")
        };
        format!("The MCP servers in {} {what}; {kept}.", path.display())
    });
    (servers, problem)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
