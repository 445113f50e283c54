//! Partial messages: the events of the Messages API as they stream (PROTOCOL 4.3). A preview; only `assistant` lines count.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::content::{MessageBody, Usage};
use crate::lenient;
use crate::surrogate::{self, Halves};

/// One `stream_event` line.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct StreamEvent<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::object")]
    pub event: Option<StreamBody<'a>>,
    /// Where older write-ups have the text, without an event around it.
    #[serde(default, borrow, deserialize_with = "lenient::object")]
    pub delta: Option<Delta<'a>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub parent_tool_use_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub session_id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub api_message_id: Option<Cow<'a, str>>,
    /// On `message_stop`: blocks that no `assistant` line will confirm (PROTOCOL 13).
    #[serde(default, borrow, deserialize_with = "lenient::object")]
    pub abandoned_blocks: Option<AbandonedBlocks<'a>>,
    /// Lone surrogate halves at the edges of the delta's text.
    #[serde(skip)]
    pub halves: Halves,
}

/// Blocks from `from_block_index` on are void.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct AbandonedBlocks<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub api_message_id: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::count")]
    pub from_block_index: Option<u64>,
}

/// The event of the Messages API: its `type` and the fields that some of them have.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct StreamBody<'a> {
    /// `message_start`, `content_block_start`, `content_block_delta`, `content_block_stop`, `message_delta`, `message_stop`.
    #[serde(default, borrow, rename = "type", deserialize_with = "lenient::text")]
    pub kind: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::count")]
    pub index: Option<u64>,
    /// On `message_start`.
    #[serde(default, borrow, deserialize_with = "lenient::object")]
    pub message: Option<MessageBody<'a>>,
    #[serde(default, borrow, deserialize_with = "lenient::object")]
    pub delta: Option<Delta<'a>>,
    /// On `message_delta`.
    #[serde(default, deserialize_with = "lenient::object")]
    pub usage: Option<Usage>,
}

/// What a block grew by, or how the message ended.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Delta<'a> {
    /// `text_delta`, `thinking_delta`, `signature_delta`, `input_json_delta`; absent in older write-ups.
    #[serde(default, borrow, rename = "type", deserialize_with = "lenient::text")]
    pub kind: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub text: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub thinking: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub stop_reason: Option<Cow<'a, str>>,
}

impl StreamEvent<'_> {
    /// Looks at the line as it came for the halves that the cleaned line no longer shows.
    pub(crate) fn find_halves(&mut self, raw: &str) {
        #[derive(Deserialize)]
        struct Outer<'a> {
            #[serde(borrow)]
            event: Middle<'a>,
        }
        #[derive(Deserialize)]
        struct Middle<'a> {
            #[serde(borrow)]
            delta: Inner<'a>,
        }
        #[derive(Deserialize)]
        struct Inner<'a> {
            #[serde(default, borrow)]
            text: Option<&'a RawValue>,
            #[serde(default, borrow)]
            thinking: Option<&'a RawValue>,
        }
        if let Ok(Outer {
            event: Middle { delta },
        }) = serde_json::from_str(raw)
            && let Some(text) = delta.text.or(delta.thinking)
        {
            self.halves = surrogate::edges(text.get());
        }
    }
}
