//! The end of a turn (PROTOCOL 4.9).

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::Deserializer;
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
    /// The last text of the turn; absent in the error subtypes. See [`TurnResult::text`].
    #[serde(default, borrow, deserialize_with = "result_text")]
    pub result: ResultText<'a>,
    /// Texts of the error subtypes; after an interrupt an internal diagnostic only.
    #[serde(default, borrow)]
    pub errors: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub duration_ms: Option<Number>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub duration_api_ms: Option<Number>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub num_turns: Option<Number>,
    /// US dollars. See [`TurnResult::total_cost`].
    #[serde(default, deserialize_with = "lenient::number")]
    pub total_cost_usd: Option<Number>,
    /// The older name of the same.
    #[serde(default, deserialize_with = "lenient::number")]
    pub cost_usd: Option<Number>,
    #[serde(default, deserialize_with = "lenient::object")]
    pub usage: Option<TurnUsage>,
    /// Where older write-ups have the tokens. See [`TurnResult::tokens`].
    #[serde(default, deserialize_with = "lenient::number")]
    pub total_input_tokens: Option<Number>,
    #[serde(default, deserialize_with = "lenient::number")]
    pub total_output_tokens: Option<Number>,
    /// By model: `contextWindow`, `costUSD` and token counts. See [`TurnResult::models`].
    #[serde(default, borrow, rename = "modelUsage")]
    pub model_usage: Option<&'a RawValue>,
    /// The older name of the same.
    #[serde(default, borrow, rename = "model_usage")]
    pub older_model_usage: Option<&'a RawValue>,
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

/// The last text of a turn: a string, or in older write-ups an object around it.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ResultText<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub text: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub session_id: Option<Cow<'a, str>>,
}

impl<'a> TurnResult<'a> {
    /// The last text of the turn.
    pub fn text(&self) -> Option<&str> {
        self.result.text.as_deref()
    }

    /// The session that the turn was one of.
    pub fn session_id(&self) -> Option<&str> {
        self.session_id
            .as_deref()
            .or(self.result.session_id.as_deref())
    }

    /// What the session has cost so far, in US dollars.
    pub fn total_cost(&self) -> Option<f64> {
        let total = self.total_cost_usd.as_ref().or(self.cost_usd.as_ref());
        total.and_then(Number::as_f64)
    }

    /// The tokens of this turn.
    pub fn tokens(&self) -> TurnUsage {
        let usage = self.usage.clone().unwrap_or_default();
        TurnUsage {
            input_tokens: usage.input_tokens.or(self.total_input_tokens.clone()),
            output_tokens: usage.output_tokens.or(self.total_output_tokens.clone()),
        }
    }

    /// What each model did so far, an object by the models' names with a [`ModelUsage`] each.
    pub fn models(&self) -> Option<&'a RawValue> {
        self.model_usage.or(self.older_model_usage)
    }
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
    #[serde(
        default,
        rename = "costUSD",
        alias = "cost_usd",
        deserialize_with = "lenient::number"
    )]
    pub cost_usd: Option<Number>,
    #[serde(
        default,
        rename = "contextWindow",
        alias = "context_window",
        deserialize_with = "lenient::count"
    )]
    pub context_window: Option<u64>,
}

fn result_text<'de, D: Deserializer<'de>>(from: D) -> Result<ResultText<'de>, D::Error> {
    let Some(raw) = Option::<&'de RawValue>::deserialize(from)? else {
        return Ok(ResultText::default());
    };
    // A string that cannot be read, or an object of another shape, must not cost the rest of the line.
    let text = match raw.get().as_bytes().first() {
        Some(b'{') => serde_json::from_str(raw.get()).ok(),
        Some(b'"') => lenient::text(&mut serde_json::Deserializer::from_str(raw.get()))
            .ok()
            .map(|text| ResultText {
                text,
                session_id: None,
            }),
        _ => None,
    };
    Ok(text.unwrap_or_default())
}
