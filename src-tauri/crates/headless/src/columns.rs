//! Text in columns that fit the terminal; without a terminal nothing is cut.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::run::paint::plain;

/// Columns of the terminal that stdout is, if it is one.
pub fn terminal() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0))
}

/// What others wrote, on one line that steers nothing.
pub fn line(text: &str) -> String {
    let text = plain(text);
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

pub fn width(text: &str) -> usize {
    text.width()
}

/// The beginning of a text that fits.
pub fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut room = columns.saturating_sub(1);
    let fits = |c: &char| {
        let wide = c.width().unwrap_or(0);
        let fits = wide <= room;
        room = room.saturating_sub(wide);
        fits
    };
    let mut cut: String = text.chars().take_while(fits).collect();
    if columns > 0 {
        cut.push('…');
    }
    cut
}

/// The end of a text that fits: of a path, that is what tells.
pub fn cut_front(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let turned = |text: &str| text.chars().rev().collect::<String>();
    turned(&cut(&turned(text), columns))
}

pub fn padded(text: &str, columns: usize) -> String {
    let gap = columns.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(gap))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_fits_whatever_it_is_written_in() {
        for text in [
            "a plain line of text",
            "データベースを検索する",
            "🚢🚢🚢🚢🚢🚢",
            "é̈é̈é̈é̈é̈é̈é̈é̈é̈é̈",
        ] {
            for columns in 0..30 {
                assert!(cut(text, columns).width() <= columns, "{text} in {columns}");
                assert!(
                    cut_front(text, columns).width() <= columns,
                    "{text} in {columns}"
                );
                assert!(padded(text, columns).width() >= columns);
            }
        }
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut_front("/home/me/ferry", 6), "…ferry");
    }

    #[test]
    fn a_line_steers_nothing() {
        assert_eq!(line("a\n\tb\x1b[31m c\r\u{7}d"), "a b c d");
    }
}
