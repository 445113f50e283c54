//! What a person typed, as words that must all be there. There is no syntax in it but quotes.

use super::fold::{folded, one_line};
use super::short;

/// Words beyond this many change nothing that a person could see.
const MOST: usize = 16;
/// Characters of one word that are looked at.
const LONGEST: usize = 200;

/// The words, in small letters, each once.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Words {
    /// Of three characters and more.
    pub long: Vec<String>,
    /// Of one and two.
    pub short: Vec<String>,
}

impl Words {
    /// Words are split at white space; what stands in quotes is one, spaces and all. A quote without its end reaches to
    /// the end.
    pub fn read(typed: &str) -> Self {
        let mut words = Self::default();
        for (place, part) in typed.split('"').enumerate() {
            if place % 2 == 1 {
                words.add(part);
            } else {
                part.split_whitespace().for_each(|word| words.add(word));
            }
        }
        words
    }

    fn add(&mut self, word: &str) {
        let word: String = folded(&one_line(word)).chars().take(LONGEST).collect();
        let list = match word.chars().count() {
            0 => return,
            1 | 2 => &mut self.short,
            _ => &mut self.long,
        };
        if !list.contains(&word) && list.len() < MOST {
            list.push(word);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.long.is_empty() && self.short.is_empty()
    }

    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.long.iter().chain(&self.short).map(String::as_str)
    }

    /// The long words for FTS5, each as a string of its own, so that nothing in them is syntax.
    pub fn long_match(&self) -> Option<String> {
        let quoted = self
            .long
            .iter()
            .map(|word| format!("\"{}\"", word.replace('"', "\"\"")));
        let all = quoted.collect::<Vec<_>>().join(" AND ");
        (!all.is_empty()).then_some(all)
    }

    /// The short words for the index of short words; `None` when one of them is not in it.
    pub fn short_match(&self) -> Option<String> {
        let tokens = self.short.iter().map(|word| short::token(word));
        let quoted = tokens.map(|token| Some(format!("\"{}\"", token?)));
        let all = quoted.collect::<Option<Vec<_>>>()?.join(" AND ");
        (!all.is_empty()).then_some(all)
    }

    /// Whether the index of short words has all places of all short words.
    pub fn short_is_complete(&self) -> bool {
        self.short.iter().all(|word| short::is_complete(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_make_phrases_and_nothing_else_is_syntax() {
        let words = Words::read("Foo* NEAR(a) \"two  Words\" -x foo* \"open end");
        assert_eq!(words.long, ["foo*", "near(a)", "two words", "open end"]);
        assert_eq!(words.short, ["-x"]);
        assert_eq!(
            words.long_match().as_deref(),
            Some("\"foo*\" AND \"near(a)\" AND \"two words\" AND \"open end\"")
        );
        assert!(Words::read(" \"\" \t\0").is_empty());
    }
}
