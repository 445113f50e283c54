//! What a session is and does: its start, its status, its commands, its title (PROTOCOL 4.1, 4.2, 4.5).

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Number;
use serde_json::value::RawValue;

use crate::lenient;

/// What a session is, said again at every turn.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Init<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub cwd: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub model: Option<Cow<'a, str>>,
    #[serde(
        default,
        borrow,
        rename = "permissionMode",
        deserialize_with = "lenient::text"
    )]
    pub permission_mode: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub tools: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub mcp_servers: Option<&'a RawValue>,
    /// Absent below 2.0.24.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub claude_code_version: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub output_style: Option<Cow<'a, str>>,
}

/// `requesting`, `compacting`, or null with what changed.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Status<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub status: Option<Cow<'a, str>>,
    #[serde(
        default,
        borrow,
        rename = "permissionMode",
        deserialize_with = "lenient::text"
    )]
    pub permission_mode: Option<Cow<'a, str>>,
    /// `success` or `failed`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub compact_result: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub compact_error: Option<Cow<'a, str>>,
}

/// The slash commands; the whole list each time.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Commands<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::objects")]
    pub commands: Vec<SlashCommand<'a>>,
}

/// One slash command.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct SlashCommand<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub name: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub description: Option<Cow<'a, str>>,
    #[serde(
        default,
        borrow,
        rename = "argumentHint",
        deserialize_with = "lenient::text"
    )]
    pub argument_hint: Option<Cow<'a, str>>,
}

/// The session has another title.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct SessionTitle<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub title: Option<Cow<'a, str>>,
}

/// Only with `CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1`: `running`, `requires_action` or `idle`.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct SessionState<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub state: Option<Cow<'a, str>>,
}

/// The conversation was compacted here.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct CompactBoundary<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::object")]
    pub compact_metadata: Option<CompactMetadata<'a>>,
}

/// How much the conversation shrank.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct CompactMetadata<'a> {
    /// `manual` or `auto`.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub trigger: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::count")]
    pub pre_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    pub post_tokens: Option<u64>,
    /// Milliseconds.
    #[serde(default, deserialize_with = "lenient::number")]
    pub duration_ms: Option<Number>,
}
