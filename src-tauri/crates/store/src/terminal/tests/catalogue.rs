//! The list of sessions, and what keeps it true.

use std::fs;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::json;

use super::support::*;
use crate::terminal::catalogue::TerminalSession;
use crate::terminal::sidechains;
use crate::{OwnerKind, Source, Watching};

fn find(world: &World, id: &str) -> TerminalSession {
    let list = world.terminal.list().unwrap();
    list.into_iter().find(|session| session.id == id).unwrap()
}

fn ids(world: &World) -> Vec<String> {
    let mut ids: Vec<_> = world
        .terminal
        .list()
        .unwrap()
        .into_iter()
        .map(|session| session.id)
        .collect();
    ids.sort();
    ids
}

#[test]
fn a_row_says_what_the_session_is_about_and_where_it_began() {
    let world = World::of("2.1.332");
    let session = find(&world, "queued");
    assert_eq!(session.title, "Use a slow tool");
    assert_eq!(session.workspace, "/home/dev/project");
    assert!(session.folder_gone && !session.titled);
    assert_eq!(session.cli_version.as_deref(), Some("2.1.332"));
    assert_eq!(session.model.as_deref(), Some("claude-sonnet-4-5"));
    assert_eq!(session.started_at, "2026-11-30T11:48:36.880Z");
    assert_eq!(session.last_prompt.as_deref(), Some("Use a slow tool"));
    assert_eq!(find(&world, "slash").title, "/context");
    let world = World::of("2.0.76");
    assert_eq!(
        ids(&world),
        ["agent", "chat", "compact", "killed"],
        "subagents stand under their sessions"
    );
}

#[test]
fn a_title_is_a_persons_or_the_clis_or_the_first_words() {
    let world = World::new();
    world.write("s", &[user("a", None, "  fix\n the   ferry ")]);
    assert_eq!(find(&world, "s").title, "fix the ferry");
    world.add(
        "s",
        &text(&[json!({"type": "summary", "summary": "Ferry fixed", "leafUuid": "x"})]),
    );
    assert_eq!(find(&world, "s").title, "Ferry fixed");
    world.add(
        "s",
        &text(&[json!({"type": "custom-title", "customTitle": "My ferry", "sessionId": "s"})]),
    );
    let named = find(&world, "s");
    assert_eq!((named.title.as_str(), named.titled), ("My ferry", true));
    // The name stays though it is far from both ends now.
    for number in 0..40 {
        world.add(
            "s",
            &text(&[assistant(
                &format!("b{number}"),
                Some("a"),
                &"x".repeat(8000),
            )]),
        );
    }
    assert_eq!(find(&world, "s").title, "My ferry");
    // One that another window gave lies beside the file.
    fs::create_dir(world.folder().join("s")).unwrap();
    fs::write(
        world.folder().join("s/custom-title.json"),
        r#"{"customTitle":"Another"}"#,
    )
    .unwrap();
    world.add("s", "\n");
    assert_eq!(find(&world, "s").title, "Another");
}

#[test]
fn a_list_reads_only_the_ends() {
    let world = World::new();
    let image = json!({"role": "user", "content": [
        {"type": "text", "text": "what is this"},
        {"type": "image", "source": {"type": "base64", "data": "A".repeat(200_000)}},
    ]});
    let last = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "y".repeat(200_000)}]});
    world.write(
        "s",
        &[
            line("user", "a", None, image),
            line("user", "b", Some("a"), last),
        ],
    );
    let session = find(&world, "s");
    assert_eq!(session.workspace, "/home/dev/project");
    assert!(
        session.title.starts_with("what is this"),
        "{}",
        session.title
    );
}

#[test]
fn what_is_no_conversation_is_not_listed() {
    let world = World::new();
    world.write("empty", &[]);
    world.write(
        "idle",
        &[json!({"type": "mode", "mode": "normal", "sessionId": "idle"})],
    );
    let mut warm = user("a", None, "Warmup");
    warm["isSidechain"] = json!(true);
    world.write("warm", &[warm]);
    world.write("s", &[user("a", None, "one")]);
    fs::write(world.file("odd"), "\u{0}\u{1}\n[1,2]\n\"x\"\n").unwrap();
    world.terminal.refresh().unwrap();
    assert_eq!(ids(&world), ["s"]);
}

#[test]
fn a_fork_and_what_it_was_forked_from() {
    // The fork holds all that the other said: they are one conversation.
    let world = World::of("2.1.332");
    assert!(!ids(&world).contains(&"chat".to_owned()));
    assert_eq!(find(&world, "fork").parts, ["chat"]);
    // The other goes on: they are two.
    let last = find(&world, "fork");
    world.add("chat", &text(&[user("5c2b9a7e", Some("x"), "on")]));
    assert!(ids(&world).contains(&"chat".to_owned()));
    assert_eq!(find(&world, "fork").parts, Vec::<String>::new());
    let forked: Vec<_> = ["chat", "fork"]
        .into_iter()
        .filter_map(|id| find(&world, id).forked_from)
        .collect();
    assert_eq!(forked.len(), 1);
    assert_eq!(last.id, "fork");
}

#[test]
fn a_fork_that_was_made_here_hides_nothing() {
    let world = World::of("2.1.332");
    let mut row = world.terminal.row("fork").unwrap();
    row.id = "k1".to_owned();
    row.source = Source::Kandev;
    world.store.put(&row).unwrap();
    let ids = ids(&world);
    assert!(ids.contains(&"chat".to_owned()) && !ids.contains(&"fork".to_owned()));
}

#[test]
fn what_a_person_did_to_a_row_stays() {
    let world = World::of("2.1.332");
    world.terminal.row("agent").unwrap();
    world.store.archive("agent", true).unwrap();
    world.store.rename("agent", "Counting").unwrap();
    let session = find(&world, "agent");
    assert!(session.archived && session.titled);
    assert_eq!(session.title, "Counting");
    world.terminal.follow("agent").unwrap();
    assert_eq!(
        world.store.session("agent").unwrap().unwrap().title,
        "Counting"
    );
}

#[test]
fn a_row_is_called_what_its_file_is_called_until_a_person_says_otherwise() {
    let world = World::new();
    world.write("s", &[user("a", None, "one")]);
    world.terminal.follow("s").unwrap();
    let name = json!({"type": "custom-title", "customTitle": "Ferry", "sessionId": "s"});
    world.add("s", &text(&[name]));
    assert_eq!(find(&world, "s").title, "Ferry");
    world.terminal.follow("s").unwrap();
    assert_eq!(world.store.session("s").unwrap().unwrap().title, "Ferry");
    world.store.rename("s", "Mine").unwrap();
    let name = json!({"type": "custom-title", "customTitle": "Boat", "sessionId": "s"});
    world.add("s", &text(&[name]));
    world.terminal.follow("s").unwrap();
    assert_eq!(find(&world, "s").title, "Mine");
    assert_eq!(world.store.session("s").unwrap().unwrap().title, "Mine");
}

#[test]
fn the_cli_deletes_old_sessions_at_a_time_that_is_told() {
    let world = World::of("2.1.88");
    let at = |session: &TerminalSession| session.cleanup_at.clone().unwrap();
    let usual = at(&find(&world, "compact"));
    fs::write(
        world.claude.path().join("settings.json"),
        r#"{"cleanupPeriodDays":1}"#,
    )
    .unwrap();
    let soon = at(&find(&world, "compact"));
    assert!(soon < usual, "{soon} {usual}");
    assert!(soon > find(&world, "compact").updated_at);
}

#[test]
fn what_was_read_is_not_read_again() {
    let world = World::of("2.1.332");
    let other = world
        .store
        .terminal(crate::Projects::at([world.claude.path().to_owned()]));
    // The file says something else now, with the same size and time: who read it again would know.
    let path = world.file("queued");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    let text = fs::read_to_string(&path)
        .unwrap()
        .replace("Use a slow tool", "Use a fast tool");
    fs::write(&path, text).unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    other.refresh().unwrap();
    let list = other.list().unwrap();
    assert_eq!(
        list.iter()
            .find(|session| session.id == "queued")
            .unwrap()
            .title,
        "Use a slow tool"
    );
}

#[test]
fn a_deleted_file_is_gone_with_all_that_belongs_to_it() {
    let world = World::of("2.1.332");
    world.terminal.follow("agent").unwrap();
    world.terminal.delete_file("agent").unwrap();
    assert!(!world.file("agent").exists() && !world.folder().join("agent").exists());
    assert!(!ids(&world).contains(&"agent".to_owned()));
    assert!(world.terminal.delete_file("agent").is_err());
}

#[test]
fn who_has_a_session_open_here_is_known() {
    let world = World::of("2.1.332");
    assert_eq!(world.terminal.owner("chat"), None);
    let claim = world.store.claim("chat", "Kandev Desktop").unwrap();
    assert_eq!(
        world.terminal.owner("chat").unwrap().kind,
        OwnerKind::Kandev
    );
    drop(claim);
    assert_eq!(world.terminal.owner("chat"), None);
}

/// Waits until a change names this session.
fn hears(changes: &Receiver<Vec<String>>, id: &str) {
    loop {
        let changed = changes.recv_timeout(Duration::from_secs(20)).unwrap();
        if changed.iter().any(|changed| changed == id) {
            return;
        }
    }
}

fn watch(world: &World) -> (Watching, Receiver<Vec<String>>) {
    let (tell, changes) = channel();
    let watching = world.terminal.watch(move |changed| {
        let _ = tell.send(changed);
    });
    (watching, changes)
}

#[test]
fn changes_are_heard_in_a_folder_that_comes_goes_and_comes_again() {
    let world = World::new();
    let (watching, changes) = watch(&world);
    let write = |id: &str, uuid: &str| {
        fs::write(world.file(id), text(&[user(uuid, None, id)])).unwrap();
    };
    write("first", "a");
    hears(&changes, "first");
    write("second", "b");
    hears(&changes, "second");
    fs::remove_dir_all(world.claude.path().join("projects")).unwrap();
    hears(&changes, "first");
    assert_eq!(ids(&world), Vec::<String>::new());
    write("third", "c");
    hears(&changes, "third");
    let more = text(&[user("d", Some("c"), "more")]);
    fs::write(
        world.file("third"),
        text(&[user("c", None, "third")]) + &more,
    )
    .unwrap();
    hears(&changes, "third");
    assert_eq!(ids(&world), ["third"]);
    drop(watching);
    assert!(changes.recv().is_err(), "nobody watches any more");
}

#[test]
fn who_opens_a_session_is_heard() {
    let world = World::of("2.1.88");
    let (_watching, changes) = watch(&world);
    fs::write(world.file("new"), text(&[user("a", None, "one")])).unwrap();
    hears(&changes, "new");
    let sessions = world.claude.path().join("sessions");
    fs::create_dir(&sessions).unwrap();
    // The folder may be watched only after this is there.
    fs::write(
        sessions.join("7.json"),
        r#"{"pid":7,"sessionId":"compact","startedAt":0}"#,
    )
    .unwrap();
    hears(&changes, "compact");
    fs::remove_file(sessions.join("7.json")).unwrap();
    hears(&changes, "compact");
}

/// What the next test starts as a Claude Code of somebody else.
#[cfg(unix)]
fn claude(folder: &std::path::Path) -> std::process::Child {
    let program = folder.join("claude");
    fs::copy("/bin/sleep", &program).unwrap();
    // By a shell that ends, so that it is none of this process's children.
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", "(exec \"$0\" 60 >/dev/null 2>&1 & echo $!)"])
        .arg(&program);
    shell.stdout(std::process::Stdio::piped()).spawn().unwrap()
}

#[test]
fn the_subagents_of_an_old_version_are_deleted_with_their_session_and_no_others() {
    let world = World::of("2.0.76");
    let agents = || {
        let names = fs::read_dir(world.folder()).unwrap().flatten();
        let names = names.map(|entry| entry.file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("agent-")).count()
    };
    let (all, own) = (
        agents(),
        sidechains::files(&world.file("agent"), "agent").len(),
    );
    assert!(own > 0 && own < all, "{own} of {all}");
    world.terminal.delete_file("agent").unwrap();
    assert_eq!(agents(), all - own);
    assert!(world.file("chat").exists());
}

#[test]
fn what_changed_is_told_though_nothing_can_be_kept_of_it() {
    let world = World::new();
    world.write("s", &[user("a", None, "one")]);
    world.store.close();
    world.folder();
    fs::write(world.file("t"), text(&[user("a", None, "one")])).unwrap();
    let (changed, kept) = world.terminal.look();
    assert_eq!(changed, ["t"]);
    assert_eq!(kept, Err(crate::StoreError::Closed));
}

#[cfg(unix)]
#[test]
fn a_claude_code_of_somebody_else_is_the_owner_until_it_ends() {
    let world = World::of("2.1.88");
    let folder = tempfile::tempdir().unwrap();
    let output = claude(folder.path()).wait_with_output().unwrap();
    let pid: u32 = String::from_utf8(output.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let sessions = world.claude.path().join("sessions");
    fs::create_dir(&sessions).unwrap();
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let text = json!({"pid": pid, "sessionId": "compact", "startedAt": now.as_millis() as u64});
    fs::write(sessions.join(format!("{pid}.json")), text.to_string()).unwrap();
    let owner = world.terminal.owner("compact").unwrap();
    assert_eq!((owner.kind, owner.pid), (OwnerKind::Terminal, pid));
    assert_eq!(owner.what, format!("open in a terminal (process {pid})"));
    assert_eq!(world.terminal.owner("killed"), None);
    // Who takes the right to write still learns of it.
    let claim = world.store.claim("compact", "Kandev Desktop").unwrap();
    assert_eq!(world.terminal.owners().remove("compact"), Some(owner));
    drop(claim);
    std::process::Command::new("kill")
        .arg("-9")
        .arg(pid.to_string())
        .status()
        .unwrap();
    for _ in 0..500 {
        if world.terminal.owner("compact").is_none() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("its file alone says nothing");
}
