//! How far a conversation was played, for the process that takes it up: one small file for each in the rehearsal's folder.

use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = ".conversations";

/// Which of a recording's processes comes next for this conversation. Without a folder nothing is remembered, and a
/// conversation that is taken up has had one.
pub fn next(folder: Option<&Path>, session_id: &str) -> usize {
    let read = |folder: &Path| {
        fs::read_to_string(file(folder, session_id)?)
            .ok()?
            .trim()
            .parse()
            .ok()
    };
    folder.and_then(read).unwrap_or(1)
}

/// Process number `played` of this conversation begins.
pub fn begun(folder: Option<&Path>, session_id: &str, played: usize) {
    let Some(file) = folder.and_then(|folder| file(folder, session_id)) else {
        return;
    };
    let made = file.parent().map_or(Ok(()), fs::create_dir_all);
    // A folder that cannot be written to makes the next process play the wrong part, and nothing worse.
    let _ = made.and_then(|()| fs::write(file, (played + 1).to_string()));
}

fn file(folder: &Path, session_id: &str) -> Option<PathBuf> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    let is_name = !session_id.is_empty() && session_id.chars().all(plain);
    is_name.then(|| folder.join(FOLDER).join(session_id))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_conversation_has_a_place_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let here = Some(folder.path());
        assert_eq!(next(here, "a"), 1);
        begun(here, "a", 0);
        begun(here, "b", 4);
        assert_eq!((next(here, "a"), next(here, "b")), (1, 5));
        begun(here, "../a", 0);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(next(None, "a"), 1);
    }
}
