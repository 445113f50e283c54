//! One line as it was read, kept even when it could not be understood.

use std::borrow::Cow;

use crate::bridge::Bridge;
use crate::{FromCli, ToCli, from_cli, surrogate, to_cli};

/// A line of either direction. It keeps the text; a typed message is read from it on demand and borrows from it.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    raw: Cow<'a, str>,
    /// The same with lone surrogate halves exchanged for U+FFFD, where there were any.
    clean: Option<String>,
}

/// Takes one line without its end. Invalid UTF-8 becomes U+FFFD; nothing else is changed in what [`Line::raw`] gives.
pub fn read(line: &[u8]) -> Line<'_> {
    Line::new(text(line))
}

/// Takes one line without its end that is known to be text.
pub fn read_text(line: &str) -> Line<'_> {
    Line::new(Cow::Borrowed(line))
}

/// The bytes as text, with U+FFFD for what is no UTF-8.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    // Almost every line is valid, and checking that is much faster than a lossy reading.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

impl<'a> Line<'a> {
    fn new(raw: Cow<'a, str>) -> Self {
        let clean = match surrogate::possible(raw.as_bytes()) {
            false => None,
            true => match surrogate::replace_lone(&raw) {
                Cow::Borrowed(_) => None,
                Cow::Owned(clean) => Some(clean),
            },
        };
        Line { raw, clean }
    }

    /// The line as it came.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The line in a form that JSON readers accept: the same unless it has lone surrogate halves.
    pub fn json(&self) -> &str {
        self.clean.as_deref().unwrap_or(&self.raw)
    }

    /// Whether it holds nothing but white space; both sides pass over such lines.
    pub fn is_blank(&self) -> bool {
        self.raw.trim_ascii().is_empty()
    }

    /// What the CLI says with this line. An error when it is no JSON object.
    pub fn from_cli(&self) -> Result<FromCli<'_>, serde_json::Error> {
        let mut message = from_cli::parse(self.json())?;
        if self.clean.is_some()
            && let FromCli::StreamEvent(event) = &mut message
        {
            event.find_halves(&self.raw);
        }
        Ok(message)
    }

    /// What a bridge added to this line. An error when it is no JSON object.
    pub fn bridge(&self) -> Result<Bridge<'_>, serde_json::Error> {
        Bridge::of(self.json())
    }

    /// What the host says with this line. An error when it is no JSON object.
    pub fn to_cli(&self) -> Result<ToCli<'_>, serde_json::Error> {
        to_cli::parse(self.json())
    }
}
