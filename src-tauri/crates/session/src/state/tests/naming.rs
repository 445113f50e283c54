//! Titles: given by a person, found by the model, kept by the CLI.

use super::requesting::{ready_as, version};
use super::*;

fn rename(rig: &mut Rig, title: &str) -> Outcome {
    let title = title.to_owned();
    rig.ask(|done| Command::Rename { title, done })
}

fn titles(rig: &Rig) -> Vec<&str> {
    let mut found = Vec::new();
    for body in &rig.events {
        if let EventBody::TitleChanged { title } = body {
            found.push(title.as_str());
        }
    }
    found
}

#[test]
fn a_new_title_is_kept_by_the_cli_and_told_once() {
    let mut rig = Rig::ready(Policy::Supervised);
    let outcome = rename(&mut rig, "  The parser ");
    assert_eq!(
        rig.written.last().unwrap()["request"],
        json!({ "subtype": "rename_session", "title": "The parser", "source": "host" })
    );
    rig.line(json!({ "type": "system", "subtype": "session_title_changed", "title": "The parser", "uuid": "u" }));
    let id = rig.asked("rename_session");
    rig.succeed(&id, json!(null));
    assert_eq!(told(outcome), Ok(()));
    assert_eq!(titles(&rig), ["The parser"]);
    assert_eq!(rig.state.info().title, "The parser");
    assert_eq!(told(rename(&mut rig, "  ")).unwrap_err().code(), "refused");
}

#[test]
fn a_title_is_given_without_a_cli_that_keeps_it_too() {
    let mut old = ready_as(version(1, 88));
    assert_eq!(told(rename(&mut old, "Mine")), Ok(()));
    assert_eq!(old.state.info().title, "Mine");
    assert_eq!(old.count_asked("rename_session"), 0);
    let mut stopped = Rig::ready(Policy::Supervised);
    stopped.exit(0);
    assert_eq!(told(rename(&mut stopped, "Mine")), Ok(()));
    stopped.prompt("go on");
    assert_eq!(
        stopped.state.info().title,
        "Mine",
        "no prompt takes its place"
    );
    stopped.launch();
    stopped.initialized();
    assert_eq!(stopped.count_asked("rename_session"), 1);
}

#[test]
fn a_title_can_be_found_by_the_model_from_what_was_asked_first() {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("fix the bug in the parser");
    rig.prompt("and write a test");
    let mut outcome = rig.ask(|done| Command::GenerateTitle { done });
    assert_eq!(
        rig.written.last().unwrap()["request"],
        json!({ "subtype": "generate_session_title", "description": "fix the bug in the parser", "persist": true })
    );
    let id = rig.asked("generate_session_title");
    rig.succeed(&id, json!({ "title": "Fix the parser" }));
    assert!(
        outcome
            .try_recv()
            .unwrap()
            .unwrap()
            .unwrap()
            .get()
            .contains("Fix the parser")
    );
    assert_eq!(titles(&rig), ["Fix the parser"]);
}
