//! Setting files back to what they were before a prompt.
//!
//! What was found: it works in a process that resumed, before and after its first turn. The CLI
//! knows the files that its own tools wrote: one that was edited is set back, one that was created is removed, and a dry run
//! lists both. What a command did, whether it made a file or removed one, and files that nobody touched, it neither lists nor
//! sets back; a host that wants those has to keep them itself. Afterwards a dry run lists nothing. 2.0.76 takes no notice of
//! the wish for a dry run and sets the files back at once, so the session does not ask it.

use std::path::Path;

use anyhow::Result;
use kandev_messages_api::{Reply, Script};
use kandev_real_cli::{Cli, Talk, allow};
use kandev_session::{Ability, Policy};
use kandev_wire::request::{RewindFiles, Rewound};
use serde_json::json;

use crate::support::{bash, edit, past, start_on, then};

const BEFORE: &str = "first line\nsecond line\nthird line\n";

async fn rewind(talk: &Talk, prompt: &str, dry_run: bool) -> Result<Rewound> {
    let user_message_id = prompt.to_owned();
    let request = RewindFiles {
        user_message_id,
        dry_run,
    };
    Ok(talk.session.request(request).await?)
}

/// The names of the files that a dry run lists.
async fn listed(talk: &Talk, prompt: &str) -> Result<Vec<String>> {
    let dry = rewind(talk, prompt, true).await?;
    assert_eq!((dry.can_rewind, &dry.error), (Some(true), &None));
    let name = |path: &String| Path::new(path).file_name()?.to_str().map(str::to_owned);
    let mut names: Vec<String> = dry.files_changed.iter().filter_map(name).collect();
    names.sort();
    Ok(names)
}

pub async fn files_go_back_to_a_prompt_in_a_process_that_resumed(cli: Cli) -> Result<()> {
    let script = |folder: &Path| {
        let made = json!({"file_path": folder.join("made.txt"), "content": "made\n"});
        let mut changes = edit(folder).to_vec();
        changes.push(Reply::tool("Write", made));
        changes.push(bash("rm doomed.txt && echo by hand > by-hand.txt"));
        Script::new()
            .turn([Reply::text("Hello.")])
            .turn(then(changes, "Changed."))
            .turn([Reply::text("More.")])
    };
    let (world, mut talk) = start_on(cli, Policy::Supervised, script).await?;
    std::fs::write(world.folder().join("doomed.txt"), "doomed\n")?;
    std::fs::write(world.folder().join("untouched.txt"), "mine\n")?;
    talk.turn("Hello", allow).await?;
    talk.turn("Change things", allow).await?;
    let prompts = talk.of_type("user_message");
    let prompt = prompts[1]["uuid"].as_str().unwrap().to_owned();
    let changed = ["made.txt", "notes.txt"];
    let previews = cli.abilities().can(Ability::RewindPreview);
    if previews {
        assert_eq!(listed(&talk, &prompt).await?, changed);
    } else {
        let request = RewindFiles {
            user_message_id: prompt.clone(),
            dry_run: true,
        };
        let refused = talk.session.request(request).await;
        assert_eq!(refused.unwrap_err().code(), "unsupported");
    }
    talk.session.stop().await?;
    let before = talk.session.info();
    drop(talk);

    let mut again = world.restore(world.request(Policy::Supervised), past(&before));
    again.session.resume().await?;
    if previews {
        assert_eq!(listed(&again, &prompt).await?, changed, "before a turn");
    }
    again.turn("More", allow).await?;
    if previews {
        assert_eq!(listed(&again, &prompt).await?, changed, "after one");
    }
    assert_eq!(world.read("made.txt")?, "made\n", "that only told");

    let done = rewind(&again, &prompt, false).await?;
    assert_eq!(done.can_rewind, previews.then_some(true));
    assert_eq!(world.read("notes.txt")?, BEFORE);
    assert!(world.read("made.txt").is_err());
    assert!(world.read("doomed.txt").is_err(), "a command removed it");
    assert_eq!(world.read("by-hand.txt")?, "by hand\n", "a command made it");
    assert_eq!(world.read("untouched.txt")?, "mine\n");
    if !previews {
        return Ok(again.session.stop().await?);
    }
    assert_eq!(listed(&again, &prompt).await?, [""; 0]);

    let unknown = "11111111-2222-4333-8444-555555555555";
    let refused = rewind(&again, unknown, true).await;
    let can = refused.map(|refused| refused.can_rewind == Some(true));
    assert!(!can.unwrap_or(false), "that is no prompt of it");
    again.session.stop().await?;
    Ok(())
}
