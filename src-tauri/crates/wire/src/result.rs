//! The end of a turn (PROTOCOL 4.9).

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Number;
use serde_json::value::RawValue;

use crate::lenient;

/// A `result` line. `usage` is this turn's; the costs are cumulative over the process.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct TurnResult<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub subtype: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::flag")]
    pub is_error: Option<bool>,
    /// The last text of the turn; absent in the error subtypes.
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub result: Option<Cow<'a, str>>,
    /// Texts of the error subtypes; after an interrupt an internal diagnostic only.
    #[serde(default, borrow)]
    pub errors: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub duration_ms: Option<Number>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub duration_api_ms: Option<Number>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub num_turns: Option<Number>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub total_cost_usd: Option<Number>,
    #[serde(default, deserialize_with = "lenient::object")]
    pub usage: Option<TurnUsage>,
    /// By model: `contextWindow`, `costUSD` and token counts.
    #[serde(default, borrow, rename = "modelUsage")]
    pub model_usage: Option<&'a RawValue>,
    /// The same since the last result: what this turn cost.
    #[serde(default, borrow)]
    pub model_usage_since_last_result: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub permission_denials: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub terminal_reason: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub api_error_status: Option<Number>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub api_error_type: Option<Cow<'a, str>>,
    /// More turns follow without our input when this is above 0.
    #[serde(default, deserialize_with = "lenient::count")]
    pub queued_turn_count: Option<u64>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub session_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub uuid: Option<Cow<'a, str>>,
}

/// Tokens of a turn, as the line has them.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct TurnUsage {
    #[serde(default, deserialize_with = "lenient::number")]
    pub input_tokens: Option<Number>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub output_tokens: Option<Number>,
}

/// One model's entry in `modelUsage` or `model_usage_since_last_result`.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ModelUsage {
    #[serde(default, rename = "costUSD", deserialize_with = "lenient::number")]
    pub cost_usd: Option<Number>,
    #[serde(default, rename = "contextWindow", deserialize_with = "lenient::count")]
    pub context_window: Option<u64>,
}
