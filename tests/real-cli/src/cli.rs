//! Where the real CLI is.

use std::path::{Path, PathBuf};

use anyhow::bail;

/// The variable that lists the CLI's whole environment, as a JSON object.
pub const ENVIRONMENT: &str = "KANDEV_REAL_CLI_ENV";

/// The binary of the npm package for this platform.
const PACKAGE: &str = match (
    cfg!(target_os = "macos"),
    cfg!(windows),
    cfg!(target_arch = "aarch64"),
) {
    (true, _, true) => "claude-code-darwin-arm64/claude",
    (true, _, false) => "claude-code-darwin-x64/claude",
    (_, true, true) => "claude-code-win32-arm64/claude.exe",
    (_, true, false) => "claude-code-win32-x64/claude.exe",
    (_, _, true) => "claude-code-linux-arm64/claude",
    (_, _, false) => "claude-code-linux-x64/claude",
};

/// The file that `KANDEV_REAL_CLI` names, else the one that `npm ci` puts in the workspace.
///
/// # Errors
/// When it is not there; the text names it.
pub fn real_cli() -> anyhow::Result<PathBuf> {
    let file = match std::env::var_os("KANDEV_REAL_CLI") {
        Some(file) => PathBuf::from(file),
        None => Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../node_modules/@anthropic-ai")
            .join(PACKAGE),
    };
    if !file.is_file() {
        bail!(
            "the real CLI is missing: {} is no file; `npm ci` installs it, or KANDEV_REAL_CLI names another",
            file.display()
        );
    }
    Ok(file)
}
