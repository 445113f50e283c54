//! One form for what is written in many: white space, and large and small letters.

/// One space for each run of white space and control characters. What is searched stands on one line.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            gap = !line.is_empty();
            continue;
        }
        if std::mem::take(&mut gap) {
            line.push(' ');
        }
        line.push(c);
    }
    line
}

/// Its small letter, where that is one character: a text keeps its length, so places in it stay what they are.
pub(super) fn small(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut small = c.to_lowercase();
    match (small.next(), small.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

pub(super) fn folded(text: &str) -> String {
    text.chars().map(small).collect()
}
