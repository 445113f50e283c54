//! One line as it was read, kept even when it could not be understood.

use std::borrow::Cow;

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
    let raw = String::from_utf8_lossy(line);
    let clean = match surrogate::possible(line) {
        false => None,
        true => match surrogate::replace_lone(&raw) {
            Cow::Borrowed(_) => None,
            Cow::Owned(clean) => Some(clean),
        },
    };
    Line { raw, clean }
}

impl Line<'_> {
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

    /// What the host says with this line. An error when it is no JSON object.
    pub fn to_cli(&self) -> Result<ToCli<'_>, serde_json::Error> {
        to_cli::parse(self.json())
    }
}
