//! Field readers for answers: what fits is taken, all else counts as absent.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Reads a field that may be of any type.
pub(crate) fn fit<'de, D: Deserializer<'de>, T: Fit>(from: D) -> Result<T, D::Error> {
    Value::deserialize(from).map(T::fit)
}

/// What a field can be read into, come what may.
pub(crate) trait Fit {
    fn fit(value: Value) -> Self;
}

/// What a value may or may not be.
pub(crate) trait Read: Sized {
    fn read(value: Value) -> Option<Self>;
}

impl<T: Read> Fit for Option<T> {
    fn fit(value: Value) -> Self {
        T::read(value)
    }
}

impl<T: Read> Fit for Vec<T> {
    fn fit(value: Value) -> Self {
        match value {
            Value::Array(values) => values.into_iter().filter_map(T::read).collect(),
            _ => Self::new(),
        }
    }
}

impl<T: Read> Fit for BTreeMap<String, T> {
    fn fit(value: Value) -> Self {
        let Value::Object(fields) = value else {
            return Self::new();
        };
        let read = |(name, value)| T::read(value).map(|value| (name, value));
        fields.into_iter().filter_map(read).collect()
    }
}

impl Read for String {
    fn read(value: Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }
}

impl Read for bool {
    fn read(value: Value) -> Option<Self> {
        value.as_bool()
    }
}

impl Read for f64 {
    fn read(value: Value) -> Option<Self> {
        value.as_f64()
    }
}

/// Old versions give fractions where one would count (VERSIONS 4.11).
impl Read for u64 {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast stops at the bounds"
    )]
    fn read(value: Value) -> Option<Self> {
        let fraction = |number: f64| (number >= 0.0).then(|| number.round() as u64);
        value.as_u64().or_else(|| value.as_f64().and_then(fraction))
    }
}

impl Read for Map<String, Value> {
    fn read(value: Value) -> Option<Self> {
        match value {
            Value::Object(fields) => Some(fields),
            _ => None,
        }
    }
}

/// Whatever it is, but not nothing.
impl Read for Value {
    fn read(value: Value) -> Option<Self> {
        (!value.is_null()).then_some(value)
    }
}
