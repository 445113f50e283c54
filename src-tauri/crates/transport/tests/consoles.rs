//! No program that is started flashes a console window on Windows (asks U10). Windows alone could show it, so the sources are
//! read: whatever starts a program there says so.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// Not compiled for Windows.
const UNIX: [&str; 4] = [
    "process/unix.rs",
    "guard/watch.rs",
    "guard/tree.rs",
    "find/login_shell.rs",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let name = path.file_name().unwrap();
            if name != "target" && name != "tests" && name != "gen" {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("tests.rs")
        {
            found.push(path);
        }
    }
}

#[test]
fn every_program_is_started_without_a_console_of_its_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    sources(&root, &mut found);
    let mut starts = 0;
    for path in found {
        if UNIX.iter().any(|unix| path.ends_with(unix)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let is_test = |line: &&str| {
            ["#[cfg(test)]", "#[cfg(all(test, "]
                .iter()
                .any(|mark| line.starts_with(mark))
        };
        let lines: Vec<&str> = text.lines().take_while(|line| !is_test(line)).collect();
        for (number, line) in lines.iter().enumerate() {
            if !line.contains("Command::new(") {
                continue;
            }
            starts += 1;
            let near = lines[number.saturating_sub(1)..].iter().take(21);
            assert!(
                near.clone().any(|line| line.contains("NO_WINDOW")),
                "{}:{} starts a program that may open a console",
                path.display(),
                number + 1
            );
        }
    }
    assert!(starts >= 3, "{starts} places are too few to be all");
}
