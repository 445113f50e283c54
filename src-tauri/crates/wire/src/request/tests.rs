//! The structs, held against what the CLI was asked and answered in the recordings.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use super::*;

/// What was asked for, by subtype, and the payloads of the successes.
struct Recorded {
    asked: Vec<(String, Map<String, Value>)>,
    answers: BTreeMap<String, Vec<Option<Value>>>,
}

fn recorded(names: &[&str]) -> Recorded {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/transcripts");
    let mut asked = Vec::new();
    let mut answers = BTreeMap::<String, Vec<Option<Value>>>::new();
    for name in names {
        let text = std::fs::read_to_string(folder.join(format!("{name}.ndjson"))).unwrap();
        let mut ids = BTreeMap::new();
        for entry in text.lines() {
            let entry: Value = serde_json::from_str(entry).unwrap();
            let line = &entry["line"];
            match (entry["dir"].as_str(), line["type"].as_str()) {
                (Some("in"), Some("control_request")) => {
                    let Some(subtype) = line["request"]["subtype"].as_str() else {
                        continue;
                    };
                    let mut fields = line["request"].as_object().unwrap().clone();
                    fields.remove("subtype");
                    let id = line["request_id"].as_str().unwrap_or_default();
                    ids.insert(id.to_owned(), subtype.to_owned());
                    asked.push((subtype.to_owned(), fields));
                }
                (Some("out"), Some("control_response")) => {
                    let response = &line["response"];
                    let id = response["request_id"].as_str().unwrap_or_default();
                    if let (Some(subtype), "success") = (
                        ids.get(id),
                        response["subtype"].as_str().unwrap_or_default(),
                    ) {
                        let payload = response.get("response").cloned();
                        answers.entry(subtype.clone()).or_default().push(payload);
                    }
                }
                _ => {}
            }
        }
    }
    Recorded { asked, answers }
}

const RECORDINGS: &[&str] = &[
    "control_survey",
    "control_request_errors",
    "always_allow_session_rule",
    "bash_background_stop",
    "interrupt_leaves_queue",
    "mcp_stdio",
    "rewind_files",
    "set_model",
    "set_permission_mode",
];

/// Reads every recorded answer of a kind, and returns those reads.
fn answers<R: Request>(recorded: &Recorded) -> Vec<R::Answer> {
    let payloads = recorded.answers.get(R::SUBTYPE);
    let payloads = payloads.unwrap_or_else(|| panic!("no answer to {} is recorded", R::SUBTYPE));
    let read = |payload: &Option<Value>| {
        let payload = payload
            .as_ref()
            .map(|payload| RawValue::from_string(payload.to_string()).unwrap());
        R::read(payload.as_deref()).unwrap()
    };
    payloads.iter().map(read).collect()
}

fn first<R: Request>(recorded: &Recorded) -> R::Answer {
    answers::<R>(recorded).remove(0)
}

/// Every request of this build, by its subtype, with all its fields.
fn all() -> BTreeMap<&'static str, Map<String, Value>> {
    fn one<R: Request>(request: R) -> (&'static str, Map<String, Value>) {
        (R::SUBTYPE, request.fields())
    }
    let text = || "x".to_owned();
    let map = || Map::from_iter([("k".to_owned(), json!(1))]);
    BTreeMap::from([
        one(Initialize {
            hooks: Some(json!({})),
            sdk_mcp_servers: vec![text()],
        }),
        one(Interrupt {
            cancel_queued: true,
        }),
        one(SetPermissionMode { mode: text() }),
        one(SetModel {
            model: Some(text()),
        }),
        one(SetMaxThinkingTokens {
            max_thinking_tokens: Some(1),
        }),
        one(CancelAsyncMessage {
            message_uuid: text(),
        }),
        one(RewindFiles {
            user_message_id: text(),
            dry_run: true,
        }),
        one(SideQuestion { question: text() }),
        one(EndSession {
            reason: Some(text()),
        }),
        one(GenerateSessionTitle {
            description: text(),
            persist: true,
        }),
        one(RenameSession {
            title: text(),
            source: RenamedBy::Host,
        }),
        one(GetContextUsage {
            detail: Some(ContextDetail::Summary),
        }),
        one(GetUsage {
            skip_behaviors: true,
        }),
        one(GetSessionCost),
        one(GetStatus),
        one(GetBinaryVersion),
        one(ListModels),
        one(ListPermissionRules),
        one(GetHooksListing),
        one(ExportConversation),
        one(GetPlan),
        one(GetMemoryDialog),
        one(GetSkillsDialog),
        one(GetSandboxDialog),
        one(FileSuggestions { query: text() }),
        one(ReadFile {
            path: text(),
            max_bytes: Some(1),
            encoding: Some(text()),
        }),
        one(SeedReadState {
            path: text(),
            mtime: 1,
        }),
        one(RegisterRepoRoot { directory: text() }),
        one(McpStatus),
        one(McpNotify {
            server_name: text(),
            message: json!({}),
        }),
        one(McpSetServers { servers: map() }),
        one(McpToggle {
            server_name: text(),
            enabled: true,
        }),
        one(McpReconnect {
            server_name: text(),
        }),
        one(McpCall {
            tool: text(),
            arguments: map(),
        }),
        one(McpReadResource {
            server_name: text(),
            uri: text(),
        }),
        one(StopTask { task_id: text() }),
        one(BackgroundTasks {
            tool_use_id: Some(text()),
        }),
        one(GetTaskOutput { task_id: text() }),
        one(GetSettings),
        one(ReloadSkills),
        one(ReloadPlugins),
        one(ReloadOutputStyles),
        one(PromptDraftActivity),
        one(ApplyFlagSettings { settings: map() }),
        one(UpdateSettings {
            source: text(),
            settings: map(),
        }),
        one(SetHasSubscribers {
            has_subscribers: Some(true),
        }),
        one(SetPromptSuggestionsPaused { paused: true }),
        one(RemoteControl { enabled: true }),
    ])
}

#[test]
fn every_request_that_the_cli_was_seen_to_take_has_a_struct_with_its_fields() {
    let recorded = recorded(RECORDINGS);
    let all = all();
    for subtype in recorded.answers.keys() {
        assert!(all.contains_key(subtype.as_str()), "{subtype}");
    }
    for (subtype, fields) in &recorded.asked {
        let Some(known) = all.get(subtype.as_str()) else {
            assert!(!recorded.answers.contains_key(subtype));
            continue;
        };
        for field in fields.keys() {
            assert!(known.contains_key(field), "{subtype} has {field}");
        }
    }
}

#[test]
fn every_request_is_one_that_the_table_of_the_protocol_has() {
    for subtype in all().keys() {
        assert!(crate::protocol().request(subtype).is_some(), "{subtype}");
    }
}

#[test]
fn the_context_window_is_read() {
    let recorded = recorded(RECORDINGS);
    for usage in answers::<GetContextUsage>(&recorded) {
        assert_eq!(usage.max_tokens, Some(200_000));
        assert_eq!(usage.percentage, Some(10.0));
        assert_eq!(usage.model.as_deref(), Some("claude-sonnet-4-5"));
        assert!(usage.total_tokens.unwrap() > 20_000);
        let deferred = usage
            .categories
            .iter()
            .find(|one| one.is_deferred == Some(true));
        assert_eq!(deferred.unwrap().kind.as_deref(), Some("deferred"));
        assert!(
            usage
                .categories
                .iter()
                .all(|one| one.id.is_some() && one.tokens.is_some())
        );
    }
}

#[test]
fn costs_limits_and_models_are_read() {
    let recorded = recorded(RECORDINGS);
    let usage = first::<GetUsage>(&recorded);
    let session = usage.session.unwrap();
    assert_eq!(session.total_cost_usd, Some(0.003705));
    let model = &session.model_usage["claude-sonnet-4-5"];
    assert_eq!(
        (model.input_tokens, model.output_tokens),
        (Some(1200), Some(7))
    );
    assert_eq!(model.cost_usd, Some(0.003705));
    assert_eq!(
        (usage.rate_limits_available, usage.rate_limits),
        (Some(false), None)
    );
    assert!(
        first::<GetSessionCost>(&recorded)
            .text
            .unwrap()
            .contains("$0.0037")
    );
    let models = first::<ListModels>(&recorded).models;
    assert_eq!(models[0].resolved_model.as_deref(), Some("claude-opus-5-5"));
    assert!(
        models[0]
            .supported_effort_levels
            .contains(&"high".to_owned())
    );
}

#[test]
fn rules_settings_and_hooks_are_read() {
    let recorded = recorded(RECORDINGS);
    let rules = answers::<ListPermissionRules>(&recorded);
    let state = rules
        .into_iter()
        .filter_map(|rules| rules.state)
        .find(|state| !state.rules.is_empty());
    let state = state.unwrap();
    let rule = &state.rules[0];
    assert_eq!(rule.rule.as_deref(), Some("Bash(touch:*)"));
    assert_eq!(rule.editability.as_deref(), Some("session"));
    assert_eq!(
        rule.description.as_ref().unwrap().emphasis.as_deref(),
        Some("touch")
    );
    let settings = first::<GetSettings>(&recorded).applied.unwrap();
    assert_eq!(
        (settings.model.as_deref(), settings.effort),
        (Some("claude-sonnet-4-5"), None)
    );
    let hooks = first::<GetHooksListing>(&recorded);
    assert!(
        hooks
            .event_catalog
            .iter()
            .any(|event| event.name.as_deref() == Some("PreToolUse"))
    );
}

#[test]
fn files_and_tasks_are_read() {
    let recorded = recorded(RECORDINGS);
    let files = answers::<ReadFile>(&recorded);
    assert!(files[0].contents.as_ref().unwrap().starts_with("# demo"));
    assert_eq!(files[1].encoding.as_deref(), Some("base64"));
    let rewound = answers::<RewindFiles>(&recorded);
    assert!(
        rewound
            .iter()
            .any(|one| one.can_rewind == Some(false) && one.error.is_some())
    );
    let dry = rewound
        .iter()
        .find(|one| !one.files_changed.is_empty())
        .unwrap();
    assert_eq!((dry.insertions, dry.deletions), (Some(0), Some(1)));
    assert!(
        rewound
            .iter()
            .any(|one| one.skipped_links == Some(json!(0)))
    );
    assert_eq!(first::<GetTaskOutput>(&recorded).total_bytes, Some(0));
    assert_eq!(
        first::<RegisterRepoRoot>(&recorded).directory.unwrap(),
        "/home/dev/project/src"
    );
    assert!(first::<FileSuggestions>(&recorded).cwd.is_some());
    assert_eq!(first::<GetPlan>(&recorded).exists, Some(false));
    assert!(
        first::<ExportConversation>(&recorded)
            .text
            .unwrap()
            .contains("Hi.")
    );
}

#[test]
fn servers_are_read() {
    let recorded = recorded(RECORDINGS);
    let states: Vec<_> = answers::<McpStatus>(&recorded)
        .into_iter()
        .flat_map(|servers| servers.mcp_servers)
        .collect();
    let connected = states
        .iter()
        .find(|server| server.status.as_deref() == Some("connected"));
    let connected = connected.unwrap();
    assert_eq!(connected.name.as_deref(), Some("lab"));
    assert_eq!(
        connected.server_info.as_ref().unwrap().version.as_deref(),
        Some("0.1.0")
    );
    assert_eq!(connected.tools[0].name.as_deref(), Some("echo"));
    let added = answers::<McpSetServers>(&recorded);
    assert!(added.iter().any(|set| set.added == ["lab2"]));
    assert_eq!(
        first::<McpCall>(&recorded).content[0]["text"],
        "echo: direct"
    );
}

#[test]
fn what_a_turn_is_asked_is_read() {
    let recorded = recorded(RECORDINGS);
    assert_eq!(first::<Interrupt>(&recorded).still_queued.len(), 1);
    assert_eq!(
        first::<SetPermissionMode>(&recorded).mode.as_deref(),
        Some("acceptEdits")
    );
    let models = answers::<SetModel>(&recorded);
    assert!(
        models
            .iter()
            .any(|set| set.model.as_deref() == Some("claude-opus-5-5"))
    );
    assert_eq!(
        first::<GenerateSessionTitle>(&recorded).title.as_deref(),
        Some("Fix the parser")
    );
    assert_eq!(
        first::<CancelAsyncMessage>(&recorded).cancelled,
        Some(false)
    );
    let aside = first::<SideQuestion>(&recorded);
    assert_eq!(aside.synthetic, Some(false));
    assert!(aside.response.is_some());
    let styles = first::<ReloadOutputStyles>(&recorded).available_output_styles;
    assert!(styles.contains(&"Concise".to_owned()));
    assert_eq!(
        first::<GetBinaryVersion>(&recorded).version.as_deref(),
        Some("2.1.332")
    );
    let status = first::<GetStatus>(&recorded);
    assert_eq!(status.sections[0].rows[0].label.as_deref(), Some("Version"));
}

#[test]
fn what_has_to_be_null_is_null_and_what_may_be_absent_is_absent() {
    assert_eq!(
        SetMaxThinkingTokens::default().fields(),
        json!({ "max_thinking_tokens": null })
            .as_object()
            .unwrap()
            .clone()
    );
    for bare in [
        SetModel::default().fields(),
        Interrupt::default().fields(),
        GetSettings.fields(),
        BackgroundTasks::default().fields(),
        Initialize::default().fields(),
    ] {
        assert_eq!(bare, Map::new());
    }
}

#[test]
fn an_answer_of_another_shape_costs_only_what_does_not_fit() {
    let read = |payload: &str| {
        let payload = RawValue::from_string(payload.to_owned()).unwrap();
        GetContextUsage::read(Some(&payload))
    };
    let usage = read(
        r#"{"totalTokens":"many","maxTokens":200000.4,"categories":[7,{"name":"a","tokens":1},null],"percentage":3,"new":{}}"#,
    )
    .unwrap();
    assert_eq!(
        (usage.total_tokens, usage.max_tokens),
        (None, Some(200_000))
    );
    assert_eq!((usage.categories.len(), usage.percentage), (1, Some(3.0)));
    assert!(read(r#""words""#).is_err());
    assert_eq!(
        GetContextUsage::read(None).unwrap(),
        ContextUsage::default()
    );
    let anything = RawValue::from_string("[1]".to_owned()).unwrap();
    for payload in [None, Some(&*anything)] {
        assert_eq!(StopTask::read(payload).unwrap(), Done);
    }
}
