//! A line of a program's output as it is shown.

use serde::{Deserialize, Serialize};
use specta::Type;

/// Text in one look.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct OutputRun {
    pub text: String,
    /// `red`, `bright_red` and so on for the sixteen colours that a theme chooses, else `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub fg: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub bg: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[specta(optional)]
    pub bold: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[specta(optional)]
    pub dim: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[specta(optional)]
    pub italic: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[specta(optional)]
    pub underline: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[specta(optional)]
    pub strike: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[specta(optional)]
    pub inverse: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct OutputLine {
    /// In order; none of an empty line.
    pub runs: Vec<OutputRun>,
    /// UTF-16 units at its end that are left out of a huge line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub cut: Option<u32>,
}
