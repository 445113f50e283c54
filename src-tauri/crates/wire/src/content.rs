//! Messages of the Messages API and their content blocks (PROTOCOL 4.4, 4.7).

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::lenient::{self, Maybe, pass_over};

/// The `message` of an `assistant` or `user` line.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct MessageBody<'a> {
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub role: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub model: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "content")]
    pub content: Vec<ContentBlock<'a>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub stop_reason: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "lenient::object")]
    pub usage: Option<Usage>,
}

/// Tokens of one request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub struct Usage {
    #[serde(default, deserialize_with = "lenient::count")]
    pub input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    pub cache_read_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    pub cache_creation_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    pub output_tokens: Option<u64>,
}

impl Usage {
    /// All that the request put into the context window.
    pub fn total(&self) -> u64 {
        [
            self.input_tokens,
            self.cache_read_input_tokens,
            self.cache_creation_input_tokens,
            self.output_tokens,
        ]
        .into_iter()
        .flatten()
        .fold(0, u64::saturating_add)
    }
}

/// One content block. A plain string as content is read as one text block.
#[derive(Debug, Clone)]
pub enum ContentBlock<'a> {
    Text {
        text: Cow<'a, str>,
    },
    Thinking {
        thinking: Cow<'a, str>,
    },
    /// `tool_use`, `server_tool_use` or `mcp_tool_use`.
    ToolUse {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        input: Option<&'a RawValue>,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        /// A string, or an array of blocks.
        content: Option<&'a RawValue>,
        is_error: bool,
    },
    /// `image`, `document` and whatever else there is, with its `source` if it has one.
    Other {
        kind: Cow<'a, str>,
        source: Option<Source<'a>>,
    },
}

/// Where the bytes of an image or a document are.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Source<'a> {
    /// `base64`, `url` or `text`.
    #[serde(default, borrow, rename = "type", deserialize_with = "lenient::text")]
    pub kind: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub media_type: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub data: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    pub url: Option<Cow<'a, str>>,
}

/// The texts of the blocks, joined.
pub fn text_of(blocks: &[ContentBlock<'_>]) -> String {
    blocks
        .iter()
        .filter_map(|block| match block {
            ContentBlock::Text { text } => Some(text.as_ref()),
            _ => None,
        })
        .collect()
}

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(default, borrow, rename = "type", deserialize_with = "lenient::text")]
    kind: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    text: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    thinking: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    id: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    name: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    input: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "lenient::text")]
    tool_use_id: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    content: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient::flag")]
    is_error: Option<bool>,
    #[serde(default, borrow, deserialize_with = "lenient::object")]
    source: Option<Source<'a>>,
}

impl<'a> From<Fields<'a>> for ContentBlock<'a> {
    fn from(fields: Fields<'a>) -> Self {
        let kind = fields.kind.unwrap_or_default();
        match (kind.as_ref(), fields.id, fields.tool_use_id) {
            ("text", ..) if fields.text.is_some() => ContentBlock::Text {
                text: fields.text.unwrap_or_default(),
            },
            ("thinking", ..) if fields.thinking.is_some() => ContentBlock::Thinking {
                thinking: fields.thinking.unwrap_or_default(),
            },
            ("tool_use" | "server_tool_use" | "mcp_tool_use", Some(id), _) => {
                ContentBlock::ToolUse {
                    id,
                    name: fields.name.unwrap_or_default(),
                    input: fields.input,
                }
            }
            // Tools that run at the API have results of their own types, such as `web_search_tool_result`.
            (result, _, Some(tool_use_id)) if result.ends_with("tool_result") => {
                ContentBlock::ToolResult {
                    tool_use_id,
                    content: fields.content,
                    is_error: fields.is_error.unwrap_or(false),
                }
            }
            _ => ContentBlock::Other {
                kind,
                source: fields.source,
            },
        }
    }
}

/// What is no block stands among them as one that no one knows, so that it is not lost.
fn odd<'a>() -> ContentBlock<'a> {
    ContentBlock::Other {
        kind: Cow::Borrowed(""),
        source: None,
    }
}

/// Reads `content`: a string, an array of blocks, or nothing usable.
fn content<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<ContentBlock<'de>>, D::Error> {
    from.deserialize_any(Content)
}

struct Content;

impl<'de> Visitor<'de> for Content {
    type Value = Vec<ContentBlock<'de>>;

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(vec![ContentBlock::Text {
            text: Cow::Borrowed(text),
        }])
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(vec![ContentBlock::Text {
            text: Cow::Owned(text.to_owned()),
        }])
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut blocks = Vec::new();
        while let Some(Maybe(fields)) = seq.next_element::<Maybe<Fields<'de>>>()? {
            blocks.push(fields.map_or_else(odd, ContentBlock::from));
        }
        Ok(blocks)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(vec![odd()])
    }
    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(vec![odd()])
    }
    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(vec![odd()])
    }
    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(vec![odd()])
    }
    pass_over!(map: vec![odd()]);
    pass_over!(unit: Vec::new());
}
