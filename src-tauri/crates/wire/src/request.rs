//! What a host may ask of the CLI (PROTOCOL 3.2): a struct for each control request, and what is read of its answer.
//!
//! Answers are read leniently: no field is sure to exist or to keep its type, and what is not named here is passed over.

mod about;
mod files;
mod fit;
mod mcp;
mod settings;
mod tasks;
mod turn;

pub use about::*;
pub use files::*;
pub use mcp::*;
pub use settings::*;
pub use tasks::*;
pub use turn::*;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A control request of the host. Its fields stand beside `subtype`.
pub trait Request: Serialize {
    const SUBTYPE: &'static str;
    /// What is read of a success.
    type Answer: DeserializeOwned;

    fn fields(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }

    /// Reads the payload of a success; an absent one is read as an empty object.
    ///
    /// # Errors
    /// When it has not the form of an answer at all.
    fn read(payload: Option<&RawValue>) -> Result<Self::Answer, serde_json::Error> {
        serde_json::from_str(payload.map_or("{}", RawValue::get))
    }
}

/// The answer that says only that it was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Done;

impl<'de> Deserialize<'de> for Done {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(from).map(|_| Self)
    }
}

/// A request without fields.
macro_rules! bare {
    ($($(#[$doc:meta])* $name:ident = $subtype:literal -> $answer:ty;)*) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
        pub struct $name;
        request!($name = $subtype -> $answer);
    )* };
}

/// Names a request and its answer.
macro_rules! request {
    ($name:ident = $subtype:literal -> $answer:ty) => {
        impl $crate::request::Request for $name {
            const SUBTYPE: &'static str = $subtype;
            type Answer = $answer;
        }
    };
}

/// A struct of an answer: every field takes what fits it, and is empty for all else.
macro_rules! answer {
    ($($(#[$doc:meta])* $name:ident as $case:tt {
        $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
    })*) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Deserialize)]
        #[serde(rename_all = $case)]
        pub struct $name { $(
            $(#[$field_doc])*
            #[serde(default, deserialize_with = "crate::request::fit::fit")]
            pub $field: $type,
        )* }

        impl crate::request::fit::Read for $name {
            fn read(value: Value) -> Option<Self> {
                value.is_object().then(|| Self::deserialize(value).ok()).flatten()
            }
        }
    )* };
}
pub(crate) use {answer, bare, request};

#[cfg(test)]
mod tests;
