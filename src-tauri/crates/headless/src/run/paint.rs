//! How words look: styles where the terminal has them, and no steering of it by what others write.

/// Which styles the terminal gets.
#[derive(Debug, Clone, Copy)]
pub struct Palette {
    pub colour: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum Style {
    Dim,
    Bold,
    Good,
    Bad,
    Ask,
    Hunk,
}

impl Style {
    const ALL: [Self; 6] = [
        Self::Dim,
        Self::Bold,
        Self::Good,
        Self::Bad,
        Self::Ask,
        Self::Hunk,
    ];

    fn on(self) -> &'static str {
        match self {
            Self::Dim => "\x1b[2m",
            Self::Bold => "\x1b[1m",
            Self::Good => "\x1b[32m",
            Self::Bad => "\x1b[31m",
            Self::Ask => "\x1b[33m",
            Self::Hunk => "\x1b[36m",
        }
    }
}

const OFF: &str = "\x1b[0m";

impl Palette {
    /// Colours where stdout is a terminal and nobody wants none.
    pub fn of_stdout() -> Self {
        use std::io::IsTerminal;
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            colour: std::io::stdout().is_terminal() && !unwanted,
        }
    }

    pub fn paint(self, style: Style, text: &str) -> String {
        let words = text.trim_end_matches('\n');
        if !self.colour || words.is_empty() {
            return text.to_owned();
        }
        let breaks = &text[words.len()..];
        format!("{}{words}{OFF}{breaks}", style.on())
    }

    /// A page as it may reach the terminal: the styles stay, and every other character that would move the cursor, hide
    /// what stands there or turn its direction is shown as a sign. A question must not read otherwise than what is run.
    pub fn steady(self, page: &str) -> String {
        let mut steady = String::with_capacity(page.len());
        let mut rest = page;
        while let Some(c) = rest.chars().next() {
            if let Some(style) = self.style_at(rest) {
                steady.push_str(style);
                rest = &rest[style.len()..];
                continue;
            }
            rest = &rest[c.len_utf8()..];
            match c {
                '\r' if rest.starts_with('\n') => {}
                c => steady.push(sign(c)),
            }
        }
        steady
    }

    fn style_at(self, text: &str) -> Option<&'static str> {
        if !self.colour || !text.starts_with('\x1b') {
            return None;
        }
        Style::ALL
            .into_iter()
            .map(Style::on)
            .chain([OFF])
            .find(|style| text.starts_with(style))
    }
}

/// What stands for a character that steers.
fn sign(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    }
}

pub fn first_line(text: &str) -> String {
    plain(text.lines().next().unwrap_or_default())
}

pub fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// Without escape sequences: what a tool or a model writes must not steer the terminal.
pub fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// What is left of a line that was written over and over, as progress bars are.
pub fn overwritten(line: &str) -> &str {
    line.rsplit('\r')
        .find(|part| !part.is_empty())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_styles_stay_and_whatever_else_steers_is_shown() {
        let colour = Palette { colour: true };
        let painted = colour.paint(Style::Ask, "?");
        assert_eq!(colour.steady(&painted), painted);
        assert_eq!(
            Palette { colour: false }.steady(&painted),
            "\u{241b}[33m?\u{241b}[0m"
        );
        for colour in [true, false] {
            let steady = Palette { colour }
                .steady("rm a\rls\r\n\tb\x08\x1b[2J\x1b]0;t\x07\u{9b}2J\u{202e}c\u{2066}\x7f é");
            assert_eq!(
                steady,
                "rm a\u{240d}ls\n\tb\u{2408}\u{241b}[2J\u{241b}]0;t\u{2407}\u{fffd}2J\u{fffd}c\u{fffd}\u{2421} é"
            );
        }
    }
}
