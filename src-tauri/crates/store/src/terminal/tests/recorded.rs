//! What the CLI's own files mean.

use std::fs;

use super::support::*;
use crate::terminal::reading::End;

#[test]
fn each_recorded_session_means_what_it_meant_when_it_was_live() {
    for version in VERSIONS {
        let folder = recorded(version);
        let mut files: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .flatten()
            .map(|e| e.path())
            .collect();
        files.sort();
        for path in files {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() || name.starts_with("agent-") {
                continue;
            }
            let events = events_of(&path, &name, End::Over).join("\n");
            insta::assert_snapshot!(format!("{version}-{name}"), events);
        }
    }
}
