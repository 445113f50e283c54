//! Field readers that take what they can use and pass over the rest: no field of a line is sure to exist or to keep its type.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

/// Reads a string; anything else counts as absent.
pub(crate) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Cow<'de, str>>, D::Error> {
    from.deserialize_any(Scalar).map(Found::text)
}

/// Reads a boolean; anything else counts as absent.
pub(crate) fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<Option<bool>, D::Error> {
    from.deserialize_any(Scalar).map(Found::flag)
}

/// Reads a number of any kind; anything else counts as absent.
pub(crate) fn number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Number>, D::Error> {
    from.deserialize_any(Scalar).map(Found::number)
}

/// Reads a whole number from 0; anything else counts as absent.
pub(crate) fn count<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    from.deserialize_any(Scalar)
        .map(|found| found.number().and_then(|n| n.as_u64()))
}

/// Reads an object into `T`; anything else counts as absent.
pub(crate) fn object<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    from.deserialize_any(Object(PhantomData))
}

/// Reads an array, keeping the elements that are objects.
pub(crate) fn objects<'de, D, T>(from: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    from.deserialize_any(Objects(PhantomData))
}

/// Reads an array, keeping the elements that are strings.
pub(crate) fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Cow<'de, str>>, D::Error> {
    from.deserialize_any(Texts)
}

/// An element that is kept if it is an object.
pub(crate) struct Maybe<T>(pub Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        object(from).map(Maybe)
    }
}

enum Found<'de> {
    Text(Cow<'de, str>),
    Flag(bool),
    Number(Number),
    Other,
}

impl<'de> Found<'de> {
    fn text(self) -> Option<Cow<'de, str>> {
        match self {
            Found::Text(text) => Some(text),
            _ => None,
        }
    }

    fn flag(self) -> Option<bool> {
        match self {
            Found::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    fn number(self) -> Option<Number> {
        match self {
            Found::Number(number) => Some(number),
            _ => None,
        }
    }
}

/// The visits that every lenient reader answers in the same way: with nothing.
macro_rules! pass_over {
    (scalars: $nothing:expr) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
    (seq: $nothing:expr) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
            Ok($nothing)
        }
    };
    (map: $nothing:expr) => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map
                .next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?
                .is_some()
            {}
            Ok($nothing)
        }
    };
    (unit: $nothing:expr) => {
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("any JSON")
        }
    };
}
pub(crate) use pass_over;

struct Scalar;

impl<'de> Visitor<'de> for Scalar {
    type Value = Found<'de>;

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Found::Flag(flag))
    }
    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Found::Number(number.into()))
    }
    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Found::Number(number.into()))
    }
    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(number).map_or(Found::Other, Found::Number))
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Found::Text(Cow::Borrowed(text)))
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Found::Text(Cow::Owned(text.to_owned())))
    }
    pass_over!(unit: Found::Other);
    pass_over!(seq: Found::Other);
    pass_over!(map: Found::Other);
}

struct Object<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
    type Value = Option<T>;

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }
    pass_over!(unit: None);
    pass_over!(scalars: None);
    pass_over!(seq: None);
}

struct Objects<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Objects<T> {
    type Value = Vec<T>;

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(Maybe(element)) = seq.next_element()? {
            all.extend(element);
        }
        Ok(all)
    }
    pass_over!(unit: Vec::new());
    pass_over!(scalars: Vec::new());
    pass_over!(map: Vec::new());
}

/// An element that is kept if it is a string.
struct MaybeText<'a>(Option<Cow<'a, str>>);

impl<'de> Deserialize<'de> for MaybeText<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text(from).map(MaybeText)
    }
}

struct Texts;

impl<'de> Visitor<'de> for Texts {
    type Value = Vec<Cow<'de, str>>;

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(MaybeText(element)) = seq.next_element()? {
            all.extend(element);
        }
        Ok(all)
    }
    pass_over!(unit: Vec::new());
    pass_over!(scalars: Vec::new());
    pass_over!(map: Vec::new());
}
