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

impl Palette {
    pub fn paint(self, style: Style, text: &str) -> String {
        let code = match style {
            Style::Dim => "2",
            Style::Bold => "1",
            Style::Good => "32",
            Style::Bad => "31",
            Style::Ask => "33",
            Style::Hunk => "36",
        };
        let words = text.trim_end_matches('\n');
        if !self.colour || words.is_empty() {
            return text.to_owned();
        }
        let breaks = &text[words.len()..];
        format!("\x1b[{code}m{words}\x1b[0m{breaks}")
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
