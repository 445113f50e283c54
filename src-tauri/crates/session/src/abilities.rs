//! What each version of the CLI can do: the one table that this program goes by (VERSIONS.md). Which arguments a process is
//! started with, which requests it is sent, what is refused or warned of, and what the tests expect of an old version all
//! follow from here. Knows no session; what is done alike for all versions is not in it.

use std::sync::LazyLock;

use kandev_transport::Version;

use crate::Policy;

/// What a version is good for (VERSIONS 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Everything is supported.
    Full,
    /// Usable, with a note to update; without skipping permissions.
    Warned,
    /// Not started.
    Refused,
}

/// Below this version a session is refused.
pub const OLDEST: Version = Version::new(2, 0, 60);
/// From this version on everything is supported.
pub const FULL: Version = Version::new(2, 1, 88);

/// Something that not every version can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    /// A question names the call that it is about.
    ToolIds,
    /// A tool's result comes with its structure.
    StructuredResults,
    /// `--resume-session-at` takes the uuid of a message.
    ResumeAtUuid,
    /// The same uuid of a prompt does not run twice.
    PromptsOnce,
    /// The tool AskUserQuestion.
    Questions,
    /// The mode `dontAsk` does what it says.
    DontAskMode,
    /// One answer to each request of ours, also to one that it does not know.
    OneAnswer,
    /// Input of an unknown type and blank lines do not end it.
    TolerantInput,
    /// `rewind_files` with `dry_run` only tells; older versions take no notice of that and set the files back.
    RewindPreview,
    /// Tells of background tasks.
    Tasks,
    /// Tells of retries.
    Retries,
    /// A hook's `ask` asks, whatever the mode and however harmless the call.
    HonestAskHook,
    /// Skips permissions where that was chosen at the start, and only there.
    SafeBypass,
    /// The mode `auto`.
    AutoMode,
    /// A status line says when the mode has changed.
    ModeConfirmed,
    /// An approved plan ends the plan mode; else the approval has to say which mode follows.
    PlanEnds,
    /// An interrupted turn is an error by its own word.
    InterruptIsError,
    /// Prompts that wait run as one turn.
    PromptsJoined,
    /// The call of a subagent is named Agent.
    AgentName,
    /// `session_state_changed`.
    StateEvents,
    Effort,
    HookEvents,
    /// A text that an interrupt cut comes once more, as a message.
    CutTextRepeated,
    /// Says why a turn ended.
    TerminalReason,
    /// TaskCreate and its like, in the place of TodoWrite.
    TaskTools,
    /// Tells what becomes of each prompt.
    PromptLifecycle,
    /// A turn that launched a background agent has a result of its own.
    LaunchResult,
    /// Mode names are checked.
    ModesChecked,
    /// Subagents run in the background unless that was declined.
    BackgroundAgents,
    SubagentText,
    PermissionPrompts,
    /// The sum of the costs goes on after a resume.
    CostGoesOn,
}

/// A row of the table.
#[derive(Debug)]
pub struct Row {
    pub ability: Ability,
    /// The first version that is known to have it.
    pub since: Version,
    /// From this version up to `since` it was lost; older ones had it.
    lost: Option<Version>,
    /// The argument that it came with.
    pub flag: Option<&'static str>,
    /// What a person has of it, for `kandev doctor`.
    pub means: &'static str,
}

const fn row(ability: Ability, since: Version, means: &'static str) -> Row {
    Row {
        ability,
        since,
        lost: None,
        flag: None,
        means,
    }
}

const fn flag(ability: Ability, since: Version, flag: &'static str, means: &'static str) -> Row {
    Row {
        flag: Some(flag),
        ..row(ability, since, means)
    }
}

const fn v(major: u32, minor: u32, patch: u32) -> Version {
    Version::new(major, minor, patch)
}

/// Where the turning point is known only as a range, the version at its end stands here (VERSIONS 1 and 3).
pub const TABLE: &[Row] = &[
    row(
        Ability::ToolIds,
        v(2, 0, 44),
        "questions name their tool call",
    ),
    row(
        Ability::ResumeAtUuid,
        v(2, 0, 44),
        "a conversation is resumed at a message",
    ),
    row(
        Ability::StructuredResults,
        v(2, 0, 60),
        "tool results with their structure, such as diffs",
    ),
    row(
        Ability::PromptsOnce,
        v(2, 0, 76),
        "a prompt sent twice runs once",
    ),
    row(Ability::Questions, v(2, 0, 76), "questions with choices"),
    row(Ability::DontAskMode, v(2, 0, 76), "the mode dontAsk"),
    row(
        Ability::OneAnswer,
        v(2, 1, 59),
        "every request is answered, once",
    ),
    row(
        Ability::TolerantInput,
        v(2, 1, 59),
        "input that it does not know is passed over",
    ),
    row(Ability::Tasks, v(2, 1, 59), "background tasks are told"),
    row(Ability::Retries, v(2, 1, 81), "retries are told"),
    row(
        Ability::HonestAskHook,
        v(2, 1, 88),
        "supervised asks about every command, harmless ones too",
    ),
    row(Ability::SafeBypass, v(2, 1, 88), "the policy autonomous"),
    row(Ability::AutoMode, v(2, 1, 88), "the mode auto"),
    row(
        Ability::ModeConfirmed,
        v(2, 1, 88),
        "changes of the mode are told",
    ),
    row(
        Ability::RewindPreview,
        v(2, 1, 88),
        "what a restore of files would change is shown before",
    ),
    row(
        Ability::PlanEnds,
        v(2, 1, 88),
        "an approved plan ends the plan mode",
    ),
    row(
        Ability::InterruptIsError,
        v(2, 1, 88),
        "interrupted turns are marked as such",
    ),
    row(
        Ability::PromptsJoined,
        v(2, 1, 88),
        "waiting prompts run as one turn",
    ),
    row(
        Ability::AgentName,
        v(2, 1, 88),
        "subagents are called by the tool Agent",
    ),
    row(
        Ability::StateEvents,
        v(2, 1, 88),
        "the state of the session is told",
    ),
    flag(
        Ability::Effort,
        v(2, 1, 88),
        "--effort",
        "the effort can be chosen",
    ),
    flag(
        Ability::HookEvents,
        v(2, 1, 88),
        "--include-hook-events",
        "hooks of the settings are told",
    ),
    row(
        Ability::CutTextRepeated,
        v(2, 1, 150),
        "text that an interrupt cut is saved",
    ),
    row(
        Ability::TerminalReason,
        v(2, 1, 150),
        "the end of a turn has its reason",
    ),
    row(
        Ability::TaskTools,
        v(2, 1, 150),
        "the task list of TaskCreate and TaskUpdate",
    ),
    row(
        Ability::PromptLifecycle,
        v(2, 1, 240),
        "what becomes of each prompt is told",
    ),
    Row {
        lost: Some(v(2, 1, 59)),
        ..row(
            Ability::LaunchResult,
            v(2, 1, 240),
            "a turn that starts a background agent ends at once",
        )
    },
    row(
        Ability::ModesChecked,
        v(2, 1, 240),
        "unknown mode names are refused",
    ),
    row(
        Ability::BackgroundAgents,
        v(2, 1, 240),
        "subagents run in the background",
    ),
    flag(
        Ability::SubagentText,
        v(2, 1, 240),
        "--forward-subagent-text",
        "what subagents write is shown",
    ),
    flag(
        Ability::PermissionPrompts,
        v(2, 1, 332),
        "--permission-prompts",
        "permission prompts can be switched off",
    ),
    row(
        Ability::CostGoesOn,
        v(2, 1, 332),
        "costs are summed over a resume",
    ),
];

/// A control request that the host may send, as `wire/protocol.json` lists it.
struct Request {
    subtype: String,
    since: Version,
}

static REQUESTS: LazyLock<Vec<Request>> = LazyLock::new(|| {
    let known = kandev_wire::protocol().to_cli.iter();
    let read = |row: &kandev_wire::RequestRow| {
        Some(Request {
            subtype: row.subtype.clone(),
            since: Version::of_numbers(row.since.as_deref()?)?,
        })
    };
    known.filter_map(read).collect()
});

/// Whether a version takes a control request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Yes,
    /// This version does not; one from here on does.
    Since(Version),
    /// No version that we know does.
    Never,
}

/// The newest version of which something is known.
pub fn newest_known() -> Version {
    let requests = REQUESTS.iter().map(|request| request.since);
    let rows = TABLE.iter().map(|row| row.since);
    requests.chain(rows).max().unwrap_or(FULL)
}

/// How many control requests of the host are known to be taken by some version.
pub fn request_count() -> usize {
    REQUESTS.len()
}

/// What one version can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    version: Option<Version>,
}

impl Abilities {
    /// Of a version; one that is not known is taken for the newest.
    pub fn of(version: Option<Version>) -> Self {
        Self { version }
    }

    pub fn version(self) -> Option<Version> {
        self.version
    }

    pub fn support(self) -> Support {
        match self.version {
            Some(version) if version < OLDEST => Support::Refused,
            Some(version) if version < FULL => Support::Warned,
            _ => Support::Full,
        }
    }

    pub fn can(self, ability: Ability) -> bool {
        let row = TABLE.iter().find(|row| row.ability == ability);
        row.is_some_and(|row| self.has(row))
    }

    fn has(self, row: &Row) -> bool {
        self.version.is_none_or(|version| {
            version >= row.since || row.lost.is_some_and(|lost| version < lost)
        })
    }

    /// Whether the argument may be passed. An unknown one ends the process without a word on stdout.
    pub fn knows_flag(self, flag: &str) -> bool {
        let mut rows = TABLE.iter().filter(|row| row.flag == Some(flag));
        rows.all(|row| self.has(row))
    }

    /// Whether the permission mode does what its name says. Old versions take any name and go on asking.
    pub fn has_mode(self, mode: &str) -> bool {
        match mode {
            "default" | "manual" | "acceptEdits" | "plan" => true,
            "dontAsk" => self.can(Ability::DontAskMode),
            "auto" => self.can(Ability::AutoMode),
            "bypassPermissions" => self.can(Ability::SafeBypass),
            _ => false,
        }
    }

    /// Whether the control request is known. Old versions never answer one that they do not know.
    pub fn takes(self, subtype: &str) -> Takes {
        match REQUESTS.iter().find(|request| request.subtype == subtype) {
            None => Takes::Never,
            Some(request) if self.version.is_none_or(|version| version >= request.since) => {
                Takes::Yes
            }
            Some(request) => Takes::Since(request.since),
        }
    }

    /// The control requests that this version takes.
    pub fn requests(self) -> Vec<String> {
        let known = REQUESTS
            .iter()
            .filter(|request| self.takes(&request.subtype) == Takes::Yes);
        known.map(|request| request.subtype.clone()).collect()
    }

    /// What this version cannot do, and since when others can.
    pub fn lacks(self) -> impl Iterator<Item = &'static Row> {
        TABLE.iter().filter(move |row| !self.has(row))
    }

    /// What this version can do, of all that not every version can.
    pub fn has_of_table(self) -> impl Iterator<Item = &'static Row> {
        TABLE.iter().filter(move |row| self.has(row))
    }

    /// Whether it is newer than all that this program was written against.
    pub fn is_newer_than_known(self) -> bool {
        self.version.is_some_and(|version| version > newest_known())
    }

    /// What a person should know who starts a session with it under this policy; nothing for full support.
    pub(crate) fn warning(self, policy: Option<Policy>) -> Option<String> {
        let version = self.version?;
        if self.support() == Support::Full {
            return None;
        }
        let mut text = format!("Claude Code {version} is older than {FULL}: ");
        if policy == Some(Policy::Supervised) && !self.can(Ability::HonestAskHook) {
            text.push_str("commands that it takes for harmless run without asking, and ");
        }
        text.push_str(
            "retries, background tasks and mode changes may not show. Update it for full support.",
        );
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of(text: &str) -> Abilities {
        Abilities::of(Some(Version::of_numbers(text).unwrap()))
    }

    #[test]
    fn versions_fall_into_three_classes() {
        for full in ["2.1.88", "2.1.332", "2.2.0", "3.0.0"] {
            assert_eq!(of(full).support(), Support::Full, "{full}");
        }
        for warned in ["2.0.60", "2.0.999", "2.1.0", "2.1.87"] {
            assert_eq!(of(warned).support(), Support::Warned, "{warned}");
        }
        for refused in ["2.0.59", "1.9.100", "0.2.9"] {
            assert_eq!(of(refused).support(), Support::Refused, "{refused}");
        }
    }

    #[test]
    fn an_unknown_version_is_taken_for_the_newest() {
        let unknown = Abilities::of(None);
        assert_eq!(unknown.support(), Support::Full);
        assert_eq!(unknown.lacks().count(), 0);
        assert_eq!(unknown.requests(), of("99.0.0").requests());
    }

    #[test]
    fn the_table_says_each_thing_once_and_in_order() {
        for (place, row) in TABLE.iter().enumerate() {
            assert!(
                TABLE[..place]
                    .iter()
                    .all(|other| other.ability != row.ability),
                "{row:?} stands there twice"
            );
            assert!(
                TABLE[..place].iter().all(|other| other.since <= row.since),
                "{row:?} is out of order"
            );
        }
    }

    #[test]
    fn a_flag_is_passed_only_to_a_version_that_knows_it() {
        let known = |version: &str| {
            TABLE
                .iter()
                .filter_map(|row| row.flag)
                .filter(|flag| of(version).knows_flag(flag))
                .collect::<Vec<_>>()
        };
        assert_eq!(known("2.1.87"), [""; 0]);
        assert_eq!(known("2.1.88"), ["--effort", "--include-hook-events"]);
        assert_eq!(
            known("2.1.240"),
            [
                "--effort",
                "--include-hook-events",
                "--forward-subagent-text"
            ]
        );
        assert!(known("2.1.332").contains(&"--permission-prompts"));
        assert!(of("2.0.60").knows_flag("--resume"));
    }

    #[test]
    fn what_was_lost_for_a_while_is_known_as_that() {
        for (version, at_once) in [
            ("2.1.58", true),
            ("2.1.59", false),
            ("2.1.239", false),
            ("2.1.240", true),
        ] {
            assert_eq!(of(version).can(Ability::LaunchResult), at_once, "{version}");
        }
    }

    #[test]
    fn requests_are_known_from_the_version_on_that_answers_them() {
        // VERSIONS 2, one of each step.
        for (subtype, since, before) in [
            ("interrupt", "2.0.60", None),
            ("mcp_set_servers", "2.0.76", Some("2.0.75")),
            ("mcp_toggle", "2.1.30", Some("2.1.29")),
            ("stop_task", "2.1.59", Some("2.1.58")),
            ("get_context_usage", "2.1.88", Some("2.1.87")),
            ("rename_session", "2.1.150", Some("2.1.149")),
            ("get_usage", "2.1.240", Some("2.1.239")),
            ("get_task_output", "2.1.332", Some("2.1.331")),
        ] {
            assert_eq!(of(since).takes(subtype), Takes::Yes, "{subtype}");
            assert!(of(since).requests().iter().any(|known| known == subtype));
            if let Some(before) = before {
                let since = Version::of_numbers(since).unwrap();
                assert_eq!(of(before).takes(subtype), Takes::Since(since), "{subtype}");
                assert!(!of(before).requests().iter().any(|known| known == subtype));
            }
        }
        assert_eq!(Abilities::of(None).takes("no_such_request"), Takes::Never);
        assert_eq!(of("2.1.332").takes("set_color"), Takes::Never);
    }

    #[test]
    fn a_supervised_session_is_told_what_its_version_does_not_ask_about() {
        let told = |version: &str, policy| of(version).warning(Some(policy));
        assert!(
            told("2.1.0", Policy::Supervised)
                .unwrap()
                .contains("run without asking")
        );
        assert!(
            !told("2.1.0", Policy::Rules)
                .unwrap()
                .contains("run without asking")
        );
        assert_eq!(told("2.1.88", Policy::Supervised), None);
        assert_eq!(Abilities::of(None).warning(Some(Policy::Supervised)), None);
    }

    #[test]
    fn a_version_from_after_this_program_is_known_as_that() {
        assert_eq!(newest_known(), v(2, 1, 332));
        assert!(of("2.1.333").is_newer_than_known() && of("3.0.0").is_newer_than_known());
        assert!(!of("2.1.332").is_newer_than_known());
        assert!(!Abilities::of(None).is_newer_than_known());
    }

    #[test]
    fn the_newest_version_has_every_mode_that_the_wire_names() {
        for mode in &kandev_wire::protocol().permission_modes {
            assert!(Abilities::of(None).has_mode(mode), "{mode}");
        }
    }

    #[test]
    fn a_mode_is_there_when_it_does_what_it_says() {
        let modes = [
            "default",
            "acceptEdits",
            "plan",
            "dontAsk",
            "auto",
            "bypassPermissions",
            "other",
        ];
        let there = |version: &str| modes.map(|mode| of(version).has_mode(mode));
        assert_eq!(
            there("2.0.60"),
            [true, true, true, false, false, false, false]
        );
        assert_eq!(
            there("2.1.0"),
            [true, true, true, true, false, false, false]
        );
        assert_eq!(there("2.1.88"), [true, true, true, true, true, true, false]);
    }
}
