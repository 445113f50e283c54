//! What is listed before and while the folders are looked at.

use std::fs;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use super::support::*;
use crate::{Projects, Terminal};

/// What another start of the program would have, with nothing listed yet.
fn anew(world: &World) -> Terminal {
    let root = world.claude.path().to_owned();
    world.store.terminal(Projects::at([root]))
}

fn ids(terminal: &Terminal) -> Vec<String> {
    let list = terminal.list().unwrap().into_iter();
    list.map(|session| session.id).collect()
}

/// A session whose file was written so many minutes ago.
fn write(world: &World, id: &str, uuids: &[&str], minutes: u64) {
    let mut lines = vec![user(uuids[0], None, id)];
    for pair in uuids.windows(2) {
        lines.push(assistant(pair[1], Some(pair[0]), "so it is"));
    }
    fs::write(world.file(id), text(&lines)).unwrap();
    let file = fs::File::options().write(true).open(world.file(id));
    let at = SystemTime::now() - Duration::from_secs(minutes * 60);
    file.unwrap().set_modified(at).unwrap();
}

/// Begins a look; the first files are listed by now.
fn look_until_a_step(world: &World) -> JoinHandle<Vec<String>> {
    let steps = world.terminal.steps();
    let terminal = world.terminal.clone();
    let look = std::thread::spawn(move || terminal.refresh().unwrap());
    while !steps.has_changed().unwrap() {
        assert!(!look.is_finished(), "it went in one step");
        std::thread::yield_now();
    }
    look
}

#[test]
fn what_is_known_is_listed_before_the_folder_is_looked_at_and_corrected_then() {
    let world = World::of("2.1.332");
    write(&world, "goes", &["g"], 1);
    write(&world, "grows", &["r"], 2);
    world.terminal.refresh().unwrap();
    let known = world.terminal.list().unwrap();
    fs::remove_file(world.file("goes")).unwrap();
    write(&world, "grows", &["r", "s"], 0);
    write(&world, "new", &["n"], 3);
    let next = anew(&world);
    assert_eq!(ids(&next), Vec::<String>::new());
    next.recall().unwrap();
    assert_eq!(next.list().unwrap(), known, "each row as it was, whole");
    let mut changed = next.refresh().unwrap();
    changed.sort();
    assert_eq!(changed, ["goes", "grows", "new"], "and no other is told");
    assert_eq!(ids(&next)[0], "grows");
    assert!(!ids(&next).contains(&"goes".to_owned()));
    assert!(ids(&next).contains(&"new".to_owned()));
    let last = anew(&world);
    last.recall().unwrap();
    assert_eq!(last.list().unwrap(), next.list().unwrap());
}

#[test]
fn what_is_known_of_folders_that_are_not_listed_now_is_forgotten() {
    let world = World::of("2.1.332");
    let empty = tempfile::tempdir().unwrap();
    let elsewhere = Projects::at([empty.path().to_owned()]);
    let elsewhere = world.store.terminal(elsewhere);
    elsewhere.recall().unwrap();
    assert_eq!(ids(&elsewhere), Vec::<String>::new());
    elsewhere.refresh().unwrap();
    let next = anew(&world);
    next.recall().unwrap();
    assert_eq!(ids(&next), Vec::<String>::new());
}

#[test]
fn of_many_files_the_newest_are_listed_while_the_others_are_read() {
    let world = World::new();
    for number in 0..1000 {
        let minutes = (number * 7) % 1000;
        write(
            &world,
            &format!("s{minutes:03}"),
            &[&format!("u{minutes}")],
            minutes,
        );
    }
    let all: Vec<String> = (0..1000).map(|number| format!("s{number:03}")).collect();
    let steps = world.terminal.steps();
    let look = look_until_a_step(&world);
    let listed = ids(&world.terminal);
    assert!(listed.len() >= 200, "{}", listed.len());
    assert_eq!(listed, all[..listed.len()], "none is left out in between");
    let changed = look.join().unwrap();
    assert_eq!(changed, all, "each was read once, the newest first");
    assert_eq!(ids(&world.terminal), all);
    assert_eq!(*steps.borrow(), 2, "two hundred, and six hundred more");
    assert_eq!(world.terminal.refresh().unwrap(), Vec::<String>::new());
    assert_eq!(*steps.borrow(), 2);
}

#[test]
fn a_part_of_a_conversation_is_never_listed_alone_while_files_are_read() {
    let world = World::new();
    for number in 0..240 {
        let minutes = number + 1;
        write(
            &world,
            &format!("s{number:03}"),
            &[&format!("u{number}")],
            minutes,
        );
    }
    write(&world, "whole", &["a", "b", "c"], 0);
    write(&world, "part", &["a", "b"], 1000);
    let look = look_until_a_step(&world);
    let first = ids(&world.terminal);
    look.join().unwrap();
    let last = ids(&world.terminal);
    assert_eq!((first[0].as_str(), last[0].as_str()), ("whole", "whole"));
    assert!(!first.contains(&"part".to_owned()) && !last.contains(&"part".to_owned()));
    let whole = &world.terminal.list().unwrap()[0];
    assert_eq!(whole.parts, ["part"]);
}
