//! The debug files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::{Run, kinds, normalize, recording, timeless, values};

const STORIES: &[&str] = &[
    "edit_allowed",
    "agent_foreground",
    "hook_pretooluse_ask",
    "image_in",
    "edits_many",
    "multi_turn",
    "thinking_text",
];

#[test]
fn the_raw_file_normalizes_to_the_normalized_file() {
    for story in STORIES {
        let run = Run::debugged(&recording(story), None);
        let expected = values(&fs::read_to_string(run.file("normalized")).unwrap());
        assert_eq!(expected.len(), run.events.len(), "{story}: {}", run.stderr);
        let found = normalize(&run.file("raw"));
        let expected = timeless(expected);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{story}");
        }
        assert_eq!(found.len(), expected.len(), "{story}");
    }
}

#[test]
fn the_rehearsal_cli_plays_the_raw_file() {
    for story in STORIES {
        let first = Run::debugged(&recording(story), None);
        let again = Run::debugged(&first.file("raw"), None);
        assert_eq!(kinds(&again.events), kinds(&first.events), "{story}");
        assert_eq!(again.code, first.code);
    }
}

#[test]
fn the_files_are_this_persons_alone_and_never_committed() {
    let run = Run::debugged(&recording("edit_allowed"), None);
    let ignore = run.workspace.path().join(".kandev/.gitignore");
    assert_eq!(fs::read_to_string(ignore).unwrap(), "*\n");
    for kind in ["raw", "normalized"] {
        let mode = fs::metadata(run.file(kind)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{kind}");
    }
    let meta = &values(&fs::read_to_string(run.file("raw")).unwrap())[0];
    assert_eq!(
        (&meta["dir"], &meta["line"]["argv"][0]),
        (&"meta".into(), &"claude".into())
    );
}

#[test]
fn nothing_is_written_unless_it_is_switched_on() {
    for env in [
        &[][..],
        &[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")],
    ] {
        let run = Run::of(&recording("edit_allowed"), env, |_| {});
        assert_eq!(run.code, Some(0));
        assert!(!run.workspace.path().join(".kandev").exists());
    }
}

/// Ways in which the files cannot be written.
#[test]
fn a_folder_that_cannot_be_written_is_told_once_and_the_session_goes_on() {
    let elsewhere = tempfile::tempdir().unwrap();
    let ways: [&dyn Fn(&std::path::Path); 3] = [
        &|workspace| fs::write(workspace.join(".kandev"), "a file").unwrap(),
        &|workspace| symlink(elsewhere.path(), workspace.join(".kandev")).unwrap(),
        &|workspace| {
            fs::create_dir(workspace.join(".kandev")).unwrap();
            symlink("/dev/full", workspace.join(".kandev/.gitignore")).unwrap();
            symlink(elsewhere.path(), workspace.join(".kandev/debug")).unwrap();
        },
    ];
    let plain = Run::of(&recording("edit_allowed"), &[], |_| {});
    for way in ways {
        let run = Run::of(
            &recording("edit_allowed"),
            &[("KANDEV_DEBUG_AGENT_MESSAGES", "true")],
            way,
        );
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let told = run.of_type("notice");
        let told = told.iter().filter(|notice| notice["kind"] == "debug_log");
        assert_eq!(told.count(), 1);
        assert_eq!(kinds(&run.events), kinds(&plain.events));
    }
    assert!(fs::read_dir(elsewhere.path()).unwrap().next().is_none());
}
