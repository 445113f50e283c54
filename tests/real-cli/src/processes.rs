//! Which processes of a world run, as Linux tells.

use std::time::{Duration, Instant};

use anyhow::ensure;

use crate::World;
use crate::talk::LIMIT;

impl World {
    /// Command lines of the processes that have this world's home in their environment.
    ///
    /// # Errors
    /// When the list of processes cannot be read.
    pub fn processes(&self) -> anyhow::Result<Vec<String>> {
        let home = self.home().to_string_lossy().into_owned();
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc")? {
            let folder = entry?.path();
            // A process can end while it is looked at.
            let environment = std::fs::read(folder.join("environ")).unwrap_or_default();
            if String::from_utf8_lossy(&environment).contains(&home) {
                let line = std::fs::read(folder.join("cmdline")).unwrap_or_default();
                found.push(String::from_utf8_lossy(&line).replace('\0', " "));
            }
        }
        Ok(found)
    }

    /// Kills the CLI as a crash would: with SIGKILL, and nothing else of its tree.
    ///
    /// # Errors
    /// When it is not there.
    pub fn kill_cli(&self) -> anyhow::Result<()> {
        let home = format!("HOME={}", self.home().to_string_lossy());
        let mut killed = 0;
        for entry in std::fs::read_dir("/proc")? {
            let folder = entry?.path();
            let environment = std::fs::read(folder.join("environ")).unwrap_or_default();
            // What only knows of this home, such as the guard, has another one itself.
            if environment
                .split(|byte| *byte == 0)
                .any(|set| set == home.as_bytes())
                && let Some(id) = folder.file_name()
            {
                let status = std::process::Command::new("kill")
                    .arg("-9")
                    .arg(id)
                    .status()?;
                killed += u32::from(status.success());
            }
        }
        ensure!(killed > 0, "no CLI runs with {home}");
        Ok(())
    }

    /// Waits until the processes of this world are as they should be. The system tells nobody, so they are looked at again
    /// and again.
    ///
    /// # Errors
    /// When they do not become so for long.
    pub async fn until_processes(&self, wanted: impl Fn(&[String]) -> bool) -> anyhow::Result<()> {
        let deadline = Instant::now() + LIMIT;
        loop {
            let running = self.processes()?;
            if wanted(&running) {
                return Ok(());
            }
            ensure!(
                Instant::now() < deadline,
                "still running after {LIMIT:?}: {running:#?}"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
