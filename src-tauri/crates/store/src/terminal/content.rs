//! The message of a line, as far as its place in the conversation depends on it. What has another form than expected counts as
//! absent.

use std::borrow::Cow;
use std::fmt;

use kandev_wire::RawValue;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

type Text<'a> = Option<Cow<'a, str>>;

#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(default, borrow)]
    pub id: Text<'a>,
    #[serde(default, borrow)]
    pub content: Content<'a>,
    #[serde(default, borrow)]
    pub stop_reason: Text<'a>,
}

/// `content`: a text, or blocks.
#[derive(Default)]
pub(super) enum Content<'a> {
    #[default]
    None,
    Text(Cow<'a, str>),
    Blocks(Vec<Block<'a>>),
}

#[derive(Deserialize)]
pub(super) struct Block<'a> {
    #[serde(default, borrow, rename = "type")]
    pub kind: Text<'a>,
    #[serde(default, borrow)]
    pub id: Text<'a>,
    #[serde(default, borrow)]
    pub name: Text<'a>,
    #[serde(default, borrow)]
    pub tool_use_id: Text<'a>,
    #[serde(default, borrow)]
    pub input: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub text: Option<&'a RawValue>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Content<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("content")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Content::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Content::None)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = seq.next_element::<&'de RawValue>()? {
                    blocks.extend(serde_json::from_str(block.get()));
                }
                Ok(Content::Blocks(blocks))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Content::None)
            }
        }
        from.deserialize_any(Either)
    }
}
