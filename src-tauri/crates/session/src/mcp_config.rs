//! How the chosen MCP servers reach the CLI: in a file that only this user can read, for as long as the process runs. Other
//! processes can read arguments, so nothing of a server ever stands in one.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::pin::Pin;

use kandev_transport::{Os, look_up};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// The beginning of the name of each folder in the system's folder for temporary files.
const PREFIX: &str = "kandev-mcp-";
/// Locked for as long as somebody needs the folder, so that one that a crash left behind is known.
const LOCK: &str = "lock";

/// What a process is to be given.
#[derive(Clone, Default)]
pub struct ServersRead {
    /// By name, as `--mcp-config` takes them. Their secrets are in them.
    pub servers: Map<String, Value>,
    /// A sentence for each that cannot be given.
    pub left_out: Vec<String>,
}

pub type ServersReading<'a> = Pin<Box<dyn Future<Output = ServersRead> + Send + 'a>>;

/// Where the MCP servers of a session come from. Asked at each start of a process, so that what was changed counts at the
/// next one, and secrets are held for no longer than it takes to pass them on.
pub trait McpServers: Send + Sync {
    fn read(&self) -> ServersReading<'_>;
}

/// The same servers at each start.
impl McpServers for Map<String, Value> {
    fn read(&self) -> ServersReading<'_> {
        Box::pin(std::future::ready(ServersRead {
            servers: self.clone(),
            left_out: Vec::new(),
        }))
    }
}

/// The file, which goes with this.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    /// Goes first, for an open file keeps its folder on some systems.
    _lock: File,
    folder: TempDir,
}

impl ConfigFile {
    /// Writes the servers down. Bare names of programs are looked up in `path`, the child's list of folders, so that what
    /// lies in the current folder is never run.
    pub(crate) fn write(servers: Map<String, Value>, path: &OsStr, os: Os) -> io::Result<Self> {
        let temp = std::env::temp_dir();
        sweep(&temp);
        Self::write_in(&temp, servers, path, os)
    }

    fn write_in(
        temp: &Path,
        servers: Map<String, Value>,
        path: &OsStr,
        os: Os,
    ) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.tempdir_in(temp)?;
        // Under its name the lock is always held.
        let fresh = folder.path().join("lock.new");
        let lock = private(&fresh)?;
        lock.lock()?;
        std::fs::rename(&fresh, folder.path().join(LOCK))?;
        let file = Self {
            folder,
            _lock: lock,
        };
        let servers: Map<String, Value> = servers
            .into_iter()
            .map(|(name, server)| (name, with_program(server, path, os)))
            .collect();
        private(&file.path())?
            .write_all(json!({ "mcpServers": servers }).to_string().as_bytes())?;
        Ok(file)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("servers.json")
    }

    /// What the CLI is told.
    pub(crate) fn arguments(&self) -> [OsString; 2] {
        ["--mcp-config".into(), self.path().into()]
    }
}

/// A new file that only this user can read.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Removes what a crash left behind: folders whose lock nobody holds. What cannot be looked at is somebody else's.
fn sweep(temp: &Path) {
    let Ok(entries) = std::fs::read_dir(temp) else {
        return;
    };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !ours {
            continue;
        }
        let lock = OpenOptions::new().write(true).open(entry.path().join(LOCK));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn with_program(mut server: Value, path: &OsStr, os: Os) -> Value {
    let found = server["command"]
        .as_str()
        .filter(|command| !command.contains(['/', '\\', ':']))
        .and_then(|command| look_up(command, path, os))
        .and_then(|program| program.to_str().map(str::to_owned));
    if let Some(program) = found {
        server["command"] = json!(program);
    }
    server
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn servers() -> Map<String, Value> {
        let servers = json!({ "lab": { "type": "stdio", "command": "serve", "args": ["a b"], "env": { "TOKEN": "s3cret" } },
            "web": { "type": "http", "url": "https://example.org/mcp", "headers": { "Authorization": "s3cret" } } });
        servers.as_object().unwrap().clone()
    }

    #[cfg(unix)]
    #[test]
    fn only_this_user_reads_the_file_and_it_goes_with_its_holder() {
        use std::os::unix::fs::PermissionsExt as _;
        let temp = tempfile::tempdir().unwrap();
        let file =
            ConfigFile::write_in(temp.path(), servers(), OsStr::new(""), Os::current()).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&file.path()), 0o600);
        assert_eq!(mode(file.path().parent().unwrap()), 0o700);
        let written: Value = serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap();
        assert_eq!(written, json!({ "mcpServers": servers() }));
        let said = format!("{file:?} {:?}", file.arguments());
        assert!(!said.contains("s3cret"), "{said}");
        drop(file);
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_looked_up_in_the_list_of_folders_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let bin = tempfile::tempdir().unwrap();
        let program = bin.path().join("serve");
        std::fs::write(&program, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let os = Os::current();
        let command = |command: &str, path: &OsStr| {
            with_program(json!({ "command": command }), path, os)["command"].clone()
        };
        let path = OsString::from(format!(".:{}", bin.path().display()));
        assert_eq!(command("serve", &path), json!(program));
        assert_eq!(command("serve", OsStr::new(".")), "serve");
        assert_eq!(command("/bin/serve", &path), "/bin/serve");
        let web = servers().remove("web").unwrap();
        assert_eq!(with_program(web.clone(), &path, os), web);
    }

    #[test]
    fn what_a_crash_left_behind_is_swept_and_nothing_else() {
        let temp = tempfile::tempdir().unwrap();
        let held =
            ConfigFile::write_in(temp.path(), servers(), OsStr::new(""), Os::current()).unwrap();
        let left = temp.path().join("kandev-mcp-left");
        let starting = temp.path().join("kandev-mcp-starting");
        let other = temp.path().join("other");
        for folder in [&left, &starting, &other] {
            std::fs::create_dir(folder).unwrap();
        }
        for folder in [&left, &other] {
            std::fs::write(folder.join(LOCK), "").unwrap();
        }
        sweep(temp.path());
        assert!(!left.exists());
        assert!(held.path().exists() && starting.exists() && other.exists());
    }
}
