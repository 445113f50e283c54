//! The same stories with every version of the CLI that is installed for the tests. What a version cannot do is no reason to
//! leave a story out: the table of abilities says what is to be seen in its place.
#![allow(clippy::unwrap_used)]

mod asking;
mod policies;
mod requests;
mod resuming;
mod rewinding;
#[path = "../support/mod.rs"]
mod support;
mod turns;

use kandev_real_cli::{Cli, VERSIONS};

/// The tests of one version, a test for each story.
macro_rules! version {
    ($module:ident $version:literal $($room:ident: $($story:ident)*;)*) => {
        mod $module {
            $($(
                #[tokio::test]
                async fn $story() -> anyhow::Result<()> {
                    crate::$room::$story(kandev_real_cli::Cli::of($version)?).await
                }
            )*)*
        }
    };
}

macro_rules! on_every_version {
    ($($stories:tt)*) => {
        version!(v2_0_76 "2.0.76" $($stories)*);
        version!(v2_1_88 "2.1.88" $($stories)*);
        version!(v2_1_240 "2.1.240" $($stories)*);
        version!(v2_1_332 "2.1.332" $($stories)*);
    };
}

on_every_version! {
    turns:
        a_text_is_answered
        an_interrupt_ends_the_turn_and_the_session_goes_on
        a_conversation_is_resumed
        mode_and_model_are_switched
        todos_are_shown
        a_retry_goes_through
        a_background_agent_ends_in_a_turn_of_its_own;
    asking:
        an_edit_is_made_denied_or_made_as_changed
        commands_are_asked_about
        questions_are_answered
        an_interrupt_takes_back_an_open_question
        a_subagent_asks_too;
    policies:
        supervised_asks_for_all_but_what_changes_nothing
        plan_asks_before_something_changes
        rules_are_those_of_the_settings
        the_mode_of_rules_decides
        autonomous_asks_nothing_or_is_refused
        as_root_autonomous_is_refused_before_the_start
        uncommitted_changes_are_told_sent_back_or_left;
    resuming:
        a_session_resumes_after_a_restart_in_its_mode_and_with_its_model
        a_failed_turn_is_retried_from_the_message_before_it
        a_fork_leaves_the_first_untouched
        a_stream_that_was_killed_goes_on
        a_first_turn_that_was_killed_goes_on_or_says_that_it_begins_anew
        what_was_never_kept_is_refused_with_where_it_was_looked_for;
    rewinding:
        files_go_back_to_a_prompt_in_a_process_that_resumed;
    requests:
        the_requests_of_the_table_are_taken_and_no_others
        the_flags_of_the_table_are_known_and_no_others
        a_request_is_answered_or_not_even_sent;
}

#[test]
fn the_versions_are_those_that_are_installed() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/versions/package.json");
    let listed: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let listed = listed["dependencies"].as_object().unwrap();
    let older: Vec<String> = VERSIONS[..VERSIONS.len() - 1]
        .iter()
        .map(|version| format!("claude-{version}"))
        .collect();
    assert_eq!(listed.len(), older.len());
    assert!(older.iter().all(|name| listed.contains_key(name)));
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../package.json");
    let root = std::fs::read_to_string(root).unwrap();
    let newest = format!(
        "\"@anthropic-ai/claude-code\": \"{}\"",
        Cli::newest().version()
    );
    assert!(root.contains(&newest), "the workspace installs another one");
}
