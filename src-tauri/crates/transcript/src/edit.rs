//! The edit that the Edit tool would make to a text, as it was observed on the CLI: line ends and curly quotes do not
//! hinder the match.

use std::borrow::Cow;
use std::fmt;

use crate::diff::unix_lines;

/// Why the Edit tool would not make an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    NotThere,
    /// In so many places, and not all are to be replaced.
    Ambiguous(usize),
    /// Text is to be put into a file that has some already.
    NotEmpty,
    NoChange,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotThere => f.write_str("The text to replace is not in the file as it is now."),
            Self::Ambiguous(places) => {
                write!(f, "The text to replace is in the file {places} times.")
            }
            Self::NotEmpty => f.write_str("The file has text already and cannot be created."),
            Self::NoChange => f.write_str("The new text is the old one: nothing would change."),
        }
    }
}

/// The text after the edit, with `\n` at the end of each line.
pub fn edited(text: &str, old: &str, new: &str, all: bool) -> Result<String, Refused> {
    let (text, old, new) = (unix_lines(text), unix_lines(old), unix_lines(new));
    if old == new {
        return Err(Refused::NoChange);
    }
    if old.is_empty() {
        return if text.is_empty() {
            Ok(new.into_owned())
        } else {
            Err(Refused::NotEmpty)
        };
    }
    let (old, new) = match text.contains(&*old) {
        true => (old, new),
        false => {
            let found = with_any_quotes(&text, &old).ok_or(Refused::NotThere)?;
            let new = Cow::Owned(quoted_like(found, &new));
            (Cow::Borrowed(found), new)
        }
    };
    match text.matches(&*old).count() {
        0 => return Err(Refused::NotThere),
        1 => {}
        _ if all => {}
        places => return Err(Refused::Ambiguous(places)),
    }
    // Text that goes takes the end of its line along.
    let whole_line = format!("{old}\n");
    let takes_line = new.is_empty() && !old.ends_with('\n') && text.contains(&whole_line);
    let target = if takes_line { &whole_line } else { &*old };
    Ok(if all {
        text.replace(target, &new)
    } else {
        text.replacen(target, &new, 1)
    })
}

/// The place in the text that is `wanted` but for the form of its quotes.
fn with_any_quotes<'t>(text: &'t str, wanted: &str) -> Option<&'t str> {
    let straight: String = text.chars().map(straight).collect();
    let wanted: String = wanted.chars().map(self::straight).collect();
    let at = straight.find(&wanted)?;
    // Curly and straight quotes differ in bytes, not in characters.
    let before = straight[..at].chars().count();
    let byte = |chars: usize| {
        let place = text.char_indices().nth(chars);
        place.map_or(text.len(), |(byte, _)| byte)
    };
    text.get(byte(before)..byte(before + wanted.chars().count()))
}

fn straight(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        other => other,
    }
}

/// The new text with the quotes that the old one has: opening at the start of a word, closing elsewhere.
fn quoted_like(old: &str, new: &str) -> String {
    let double = old.contains(['\u{201c}', '\u{201d}']);
    let single = old.contains(['\u{2018}', '\u{2019}']);
    let mut before = ' ';
    new.chars()
        .map(|c| {
            let opens = before.is_whitespace() || "([{\u{2013}\u{2014}".contains(before);
            before = c;
            match c {
                '"' if double && opens => '\u{201c}',
                '"' if double => '\u{201d}',
                '\'' if single && opens => '\u{2018}',
                '\'' if single => '\u{2019}',
                other => other,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
    #[test]
    fn an_edit_is_found_whatever_the_line_ends(head in "[ab\n]{0,20}", tail in "[ab\n]{0,20}") {
        let file = format!("{head}\nX\nY\n{tail}");
        let after = format!("{head}\nX\nZ\nY\n{tail}");
        for file in [file.clone(), file.replace('\n', "\r\n")] {
            for old in ["X\nY", "X\r\nY"] {
                prop_assert_eq!(edited(&file, old, "X\nZ\nY", false), Ok(after.clone()));
            }
        }
    }
    }

    #[test]
    fn an_edit_that_the_tool_would_refuse_says_why() {
        for (text, old, new, want) in [
            ("a a", "a", "b", Refused::Ambiguous(2)),
            ("a", "x", "b", Refused::NotThere),
            ("a", "", "b", Refused::NotEmpty),
            ("a", "a", "a", Refused::NoChange),
        ] {
            assert_eq!(edited(text, old, new, false), Err(want));
            assert!(!want.to_string().is_empty());
        }
        assert_eq!(edited("a a", "a", "b", true).as_deref(), Ok("b b"));
        assert_eq!(edited("", "", "b", false).as_deref(), Ok("b"));
    }

    #[test]
    fn text_that_is_taken_out_takes_its_line_end_along() {
        assert_eq!(edited("a\nb\nc\n", "b", "", false).as_deref(), Ok("a\nc\n"));
        assert_eq!(edited("a\nb", "b", "", false).as_deref(), Ok("a\n"));
    }

    #[test]
    fn the_places_are_counted_before_the_line_end_is_taken_along() {
        assert_eq!(
            edited("a\nb\nb2\n", "b", "", false),
            Err(Refused::Ambiguous(2))
        );
    }

    #[test]
    fn curly_quotes_in_the_file_match_straight_ones_and_stay_curly() {
        for (text, old, new, want) in [
            (
                "say \u{201c}hi\u{201d} and \u{2018}yo\u{2019}\n",
                "say \"hi\"",
                "say \"ho\"",
                "say \u{201c}ho\u{201d} and \u{2018}yo\u{2019}\n",
            ),
            (
                "it\u{2019}s é\n",
                "it's é",
                "that's (\'é\')",
                "that\u{2019}s (\u{2018}é\u{2019})\n",
            ),
        ] {
            assert_eq!(edited(text, old, new, false).as_deref(), Ok(want));
        }
        assert_eq!(
            edited("\u{201c}a\u{201d}", "\"b\"", "c", false),
            Err(Refused::NotThere)
        );
    }
}
