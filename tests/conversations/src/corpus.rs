//! The recorded conversations.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Every recording, by its path below `tests/transcripts` without the ending.
pub fn recordings() -> io::Result<BTreeMap<String, Vec<u8>>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../transcripts");
    let mut found = BTreeMap::new();
    let mut folders: Vec<PathBuf> = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "ndjson") {
                let name = path.strip_prefix(&root).unwrap_or(&path).with_extension("");
                let name = name.to_string_lossy().replace('\\', "/");
                found.insert(name, fs::read(path)?);
            }
        }
    }
    Ok(found)
}

/// What the CLI said in a recording, as it said it: lines with their ends.
pub fn cli_lines(recording: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    for line in recording.split(|byte| *byte == b'\n') {
        let text = kandev_wire::text(line);
        for inner in crate::json::parts(&text).cli {
            lines.extend_from_slice(inner.as_bytes());
            lines.push(b'\n');
        }
    }
    lines
}
