//! Words of one and two characters, which an index of three characters cannot know: in the scripts that do without spaces
//! every character and every pair, elsewhere the words that are that short.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::fold::small;

/// From here on (Thai) come the scripts that write words without spaces between them, and the pictures.
const WITHOUT_SPACES: char = '\u{e00}';

/// The tokens of a text, each once, for a tokenizer that splits at spaces.
pub(super) fn tokens(text: &str) -> String {
    let mut found = BTreeSet::new();
    let mut word = (['\0'; 2], 0_usize);
    let mut before = None;
    for c in text.chars().map(small).chain([' ']) {
        if c.is_alphanumeric() {
            if word.1 < 2 {
                word.0[word.1] = c;
            }
            word.1 += 1;
        } else {
            if (1..=2).contains(&word.1) {
                found.insert((word.0[0], (word.1 == 2).then_some(word.0[1])));
            }
            word.1 = 0;
        }
        if c >= WITHOUT_SPACES {
            found.insert((c, None));
        }
        if let Some(first) = before
            && (first >= WITHOUT_SPACES || c >= WITHOUT_SPACES)
        {
            found.insert((first, Some(c)));
        }
        before = (c != ' ').then_some(c);
    }
    let mut all = String::new();
    for (first, second) in found {
        write(&mut all, first, second);
    }
    all
}

/// The token of a word of one or two small characters. `None` when it is no such word, or none that the index has.
pub(super) fn token(word: &str) -> Option<String> {
    let mut chars = word.chars();
    let (first, second) = (chars.next()?, chars.next());
    let known = is_complete(word) || word.chars().all(char::is_alphanumeric);
    if chars.next().is_some() || !known {
        return None;
    }
    let mut token = String::new();
    write(&mut token, first, second);
    Some(token)
}

/// Whether the index has every place where this short word stands, inside of other words too.
pub(super) fn is_complete(word: &str) -> bool {
    word.chars().any(|c| c >= WITHOUT_SPACES)
}

fn write(all: &mut String, first: char, second: Option<char>) {
    if !all.is_empty() {
        all.push(' ');
    }
    let _ = write!(all, "{:x}", u32::from(first));
    if let Some(second) = second {
        let _ = write!(all, "z{:x}", u32::from(second));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_are_tokens_and_longer_ones_are_not() {
        let all = tokens("Go to main.rs, not ago; C");
        for word in ["go", "to", "rs", "c"] {
            assert!(
                all.split(' ')
                    .any(|one| Some(one) == token(word).as_deref()),
                "{word}"
            );
        }
        assert_eq!(all.split(' ').count(), 4, "{all}");
    }

    #[test]
    fn scripts_without_spaces_give_every_character_and_every_pair() {
        let all = tokens("检索x");
        let expected: BTreeSet<_> = ["检", "索", "检索", "索x"]
            .map(|word| token(word).unwrap_or_default())
            .into();
        assert_eq!(
            all.split(' ').map(str::to_owned).collect::<BTreeSet<_>>(),
            expected
        );
    }

    #[test]
    fn what_is_no_word_has_no_token() {
        for word in ["", "->", "c#", "abc", "\""] {
            assert_eq!(token(word), None, "{word}");
        }
    }
}
