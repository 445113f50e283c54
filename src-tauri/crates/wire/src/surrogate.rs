//! Lone halves of surrogate pairs: JSON escapes that are no character, which the CLI writes all the same (PROTOCOL 1.5).

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

/// The halves that stand alone at the edges of one text delta; the neighbouring delta may hold the other one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Halves {
    /// A low half at the very start. The text has U+FFFD in its place.
    pub leading: Option<u16>,
    /// A high half at the very end. The text has U+FFFD in its place.
    pub trailing: Option<u16>,
}

impl Halves {
    /// The character of a high half and the low half that follows it.
    pub fn join(high: u16, low: u16) -> Option<char> {
        char::decode_utf16([high, low]).next()?.ok()
    }
}

/// Puts `\ufffd` in the place of each escape that is half a pair and has no other half beside it.
pub(crate) fn replace_lone(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut out: Option<Vec<u8>> = None;
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = next_half(bytes, at) {
        let Half { start, unit } = found;
        let end = start + 6;
        let low = escape(bytes, end).filter(|low| is_low(*low));
        if is_high(unit) && low.is_some() {
            at = end + 6;
            continue;
        }
        let out = out.get_or_insert_with(|| Vec::with_capacity(bytes.len()));
        out.extend_from_slice(&bytes[copied..start]);
        out.extend_from_slice(br"\ufffd");
        copied = end;
        at = end;
    }
    match out {
        None => Cow::Borrowed(json),
        Some(mut out) => {
            out.extend_from_slice(&bytes[copied..]);
            // Only whole ASCII escapes were exchanged, so this is UTF-8 as before.
            Cow::Owned(
                String::from_utf8(out)
                    .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()),
            )
        }
    }
}

/// The lone halves at the edges of a JSON string, given as it stands in the line, quotes included.
pub(crate) fn edges(json: &str) -> Halves {
    let bytes = json.as_bytes();
    let mut halves = Halves::default();
    if bytes.len() < 8 {
        return halves;
    }
    halves.leading = escape(bytes, 1).filter(|unit| is_low(*unit));
    let start = bytes.len() - 7;
    let slashes = bytes[..=start]
        .iter()
        .rev()
        .take_while(|b| **b == b'\\')
        .count();
    if slashes % 2 == 1 {
        halves.trailing = escape(bytes, start).filter(|unit| is_high(*unit));
    }
    halves
}

struct Half {
    start: usize,
    unit: u16,
}

/// The next `\uD8xx` to `\uDFxx` from `at` on, which must not point into an escape.
fn next_half(bytes: &[u8], mut at: usize) -> Option<Half> {
    loop {
        let start = at + memchr::memchr(b'\\', bytes.get(at..)?)?;
        match escape(bytes, start) {
            Some(unit) if is_high(unit) || is_low(unit) => return Some(Half { start, unit }),
            Some(_) => at = start + 6,
            None => at = start + 2,
        }
    }
}

/// Whether the line may hold such an escape at all; one fast search that almost every line fails.
pub(crate) fn possible(line: &[u8]) -> bool {
    static LOWER: LazyLock<Finder> = LazyLock::new(|| Finder::new(br"\ud"));
    static UPPER: LazyLock<Finder> = LazyLock::new(|| Finder::new(br"\uD"));
    LOWER.find(line).is_some() || UPPER.find(line).is_some()
}

fn escape(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(br"\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn is_high(unit: u16) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

fn is_low(unit: u16) -> bool {
    (0xDC00..0xE000).contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_half_becomes_the_replacement_character_and_a_pair_stays() {
        for (json, expected) in [
            (r#""a\ud83d\ude00b""#, r#""a\ud83d\ude00b""#),
            (r#""a\ud83db""#, r#""a\ufffdb""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\uD83D""#, r#""\\\ufffd""#),
            (r#""\ud83"#, r#""\ud83"#),
            (r#""\ud7ff\ue000""#, r#""\ud7ff\ue000""#),
        ] {
            assert_eq!(replace_lone(json), expected, "{json}");
        }
    }

    #[test]
    fn the_edges_of_a_delta_tell_their_halves() {
        let halves = |json| edges(json);
        assert_eq!(
            halves(r#""a\ud83d""#),
            Halves {
                leading: None,
                trailing: Some(0xd83d)
            }
        );
        assert_eq!(
            halves(r#""\ude00b""#),
            Halves {
                leading: Some(0xde00),
                trailing: None
            }
        );
        assert_eq!(
            halves(r#""\ud83d""#),
            Halves {
                leading: None,
                trailing: Some(0xd83d)
            }
        );
        assert_eq!(halves(r#""\\ud83d""#), Halves::default());
        assert_eq!(halves(r#""\ud83d\ude00""#), Halves::default());
        assert_eq!(halves(r#""""#), Halves::default());
        assert_eq!(Halves::join(0xd83d, 0xde00), Some('😀'));
    }
}
