//! The ends of lines that come back: a diff may not say them, the text around does.

/// A line of a text, with its end.
pub(super) fn end(line: &str) -> &'static str {
    if line.ends_with("\r\n") {
        "\r\n"
    } else if line.ends_with('\n') {
        "\n"
    } else {
        ""
    }
}

/// The end that a line gets between these two: that of a neighbour, else the one that most lines have.
pub(super) fn between(
    before: Option<&str>,
    after: Option<&str>,
    mostly: &'static str,
) -> &'static str {
    [before, after]
        .into_iter()
        .flatten()
        .map(end)
        .find(|end| !end.is_empty())
        .unwrap_or(mostly)
}

/// The end that most lines of a text have.
pub(super) fn mostly(text: &str) -> &'static str {
    let all = text.matches('\n').count();
    let windows = text.matches("\r\n").count();
    if windows * 2 > all { "\r\n" } else { "\n" }
}

/// The same line, whatever its end.
pub(super) fn bare(line: &str) -> &str {
    line.strip_suffix('\n')
        .unwrap_or(line)
        .trim_end_matches('\r')
}
